"""Pictures without what matplotlib draws, for tests of the commands that write them.

What is drawn is tested in tests/reporting; to draw it takes most of the time of a command.
"""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.figure import Figure

SAVEFIG = Figure.savefig


def leave_pictures_blank(patch: pytest.MonkeyPatch) -> None:
    """Until the patch is undone, a picture has its size and its metadata, and no panel."""
    patch.setattr(Figure, "draw_without_rendering", lambda figure: None)
    patch.setattr(Figure, "savefig", _save_blank)


def _save_blank(figure: Figure, file: Any, *, dpi: float = 0, **metadata: Any) -> None:
    """Saves an empty figure; a picture of pixels has ten to an inch."""
    SAVEFIG(Figure(figsize=figure.get_size_inches()), file, dpi=10, **metadata)
