"""The extras of the package: what to install for a module that not everybody needs."""

from __future__ import annotations

from collections.abc import Iterable

EXTRAS = {"torch": "deep", "tabfairgdt": "trees", "pyarrow": "parquet"}  # module -> extra in pyproject.toml


def how_to_install(modules: Iterable[str]) -> str:
    """The command that installs these modules."""
    return f"pip install 'dpfair[{','.join(sorted({EXTRAS[module] for module in modules}))}]'"
