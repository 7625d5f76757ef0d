"""Pictures as figures: their files are empty, which takes less time than to draw them."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from dpfair_cli.reporting.figures import pictures


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that would have been saved."""
    figures: list[Figure] = []

    def save(figure: Figure, png: Path, digest: str) -> None:
        figures.append(figure)
        png.touch()

    monkeypatch.setattr(pictures, "save_png", save)
    return figures
