"""Which artefacts a command renders: one that prints a kept output renders none."""

from __future__ import annotations

import pytest

from dpfair_cli.reproduction.artefact import Artefact


def renderings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list to which the name of each artefact is appended when it is rendered."""
    found, render = [], Artefact.render

    def spy(artefact):
        found.append(artefact.spec.artefact)
        return render(artefact)

    monkeypatch.setattr(Artefact, "render", spy)
    return found
