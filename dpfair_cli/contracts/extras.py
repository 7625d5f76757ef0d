"""How to install the optional modules of dpfair."""

from __future__ import annotations

from collections.abc import Collection


def how_to_install(modules: Collection[str]) -> str:
    """The pip command that installs these modules, each of which is a package of the same name."""
    return f"pip install {' '.join(sorted(modules))}"
