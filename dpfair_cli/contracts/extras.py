"""The extras of the package: what to install for an optional module."""

from __future__ import annotations

from collections.abc import Collection

# module -> extra in pyproject.toml
EXTRAS = {"torch": "deep", "tabfairgdt": "trees", "pyarrow": "parquet", "distributed": "cluster"}


def how_to_install(modules: Collection[str]) -> str:
    """The pip command that installs these modules.

    A module that is not in an extra of dpfair, such as one of a plug-in, is named itself.
    """
    extras = ",".join(sorted({EXTRAS[module] for module in modules if module in EXTRAS}))
    ours = [f"'dpfair[{extras}]'"] if extras else []
    return " ".join(["pip install", *ours, *sorted(set(modules) - set(EXTRAS))])
