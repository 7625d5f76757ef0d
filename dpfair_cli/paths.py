"""Where the project's folders are: those of the working folder, or else those of the checkout that is installed."""

from __future__ import annotations

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def folder(name: str) -> Path:
    """`experiments`, `results` or `data`: here if this folder is a dpfair project, else in the installed checkout."""
    here = Path.cwd()
    return (here if (here / "experiments").is_dir() else CHECKOUT) / name


def data_folder() -> Path:
    """$DPFAIR_DATA, else `data`."""
    chosen = os.environ.get("DPFAIR_DATA")
    return Path(chosen) if chosen else folder("data")
