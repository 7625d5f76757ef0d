"""The names of dpfair for programs and notebooks.

    import dpfair

    model = dpfair.DpfairClassifier("pflr", {"epsilon": 1.0}, low=0, high=1, classes=[0, 1])
    dpfair.load("model.json").predict(X)
    dpfair.assert_private(noisy_count, epsilon=1.0)
    dpfair.judge("published.csv", "ours.csv").differences
    dpfair.table("ding2020/table1")

A module of dpfair is imported when one of its names is first used. It then leaves the arithmetic
of the process as it is: only runs that are compared to the byte with committed ones need another
(`dpfair_cli.provenance.arithmetic`), and the command `dpfair` makes these.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpfair_cli.addons.foreign_audits.assertions import assert_private
    from dpfair_cli.estimator import DpfairClassifier, load
    from dpfair_cli.reproduction.artefact import table
    from dpfair_cli.verdicts.two_tables import assert_reproduced, judge

    __version__: str

__all__ = [
    "DpfairClassifier",
    "__version__",
    "assert_private",
    "assert_reproduced",
    "judge",
    "load",
    "table",
]
_PLACES = {  # name -> the module that has it
    "DpfairClassifier": "dpfair_cli.estimator",
    "assert_private": "dpfair_cli.addons.foreign_audits.assertions",
    "assert_reproduced": "dpfair_cli.verdicts.two_tables",
    "judge": "dpfair_cli.verdicts.two_tables",
    "load": "dpfair_cli.estimator",
    "table": "dpfair_cli.reproduction.artefact",
}


def __getattr__(name: str) -> Any:
    """A public name; its module is imported when the name is first used."""
    if name == "__version__":
        return version("dpfair")
    if name not in _PLACES:
        raise AttributeError(f"module 'dpfair' has no attribute {name!r}")
    return globals().setdefault(name, getattr(imported(_PLACES[name]), name))


def __dir__() -> list[str]:
    return __all__


def imported(module: str) -> ModuleType:
    """A module of dpfair, imported without a change of the arithmetic of this process."""
    with _own_arithmetic():
        return import_module(module)


@contextmanager
def _own_arithmetic() -> Iterator[None]:
    """A context in which importing dpfair leaves the arithmetic of this process as it is."""
    name = "DPFAIR_ARITHMETIC"
    before = os.environ.get(name)
    os.environ[name] = "native"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
