"""The extras of the package dpfair, which install optional modules."""

from __future__ import annotations

from collections.abc import Collection

# module -> extra in pyproject.toml
EXTRAS = {"torch": "deep", "tabfairgdt": "trees", "pyarrow": "parquet", "distributed": "cluster"}


def how_to_install(modules: Collection[str]) -> str:
    """The pip command that installs these modules.

    Modules in an extra of dpfair are installed by the extra, other modules by their own name.
    """
    extras = ",".join(sorted({EXTRAS[module] for module in modules if module in EXTRAS}))
    ours = [f"'dpfair[{extras}]'"] if extras else []
    return " ".join(["pip install", *ours, *sorted(set(modules) - set(EXTRAS))])
