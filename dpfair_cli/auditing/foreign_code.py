"""Other people's `fit(X, y, epsilon, rng)` as a method that can be audited."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.auditing.tracked_noise import TrackedGenerator
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.people import Records


@dataclass(frozen=True, eq=False)
class ForeignResult(NotSaved):
    """Whatever the function returned."""

    returned: Any


def foreign_fit(name: str) -> Callable[..., ForeignResult]:
    """The function `module:function` as a fit of Records with `epsilon` and `rng`; further parameters go to it.

    X is (n, d) in [0, 1] and y (n,) in {0, 1}. Its noise must be drawn from `rng` by `laplace` or `normal` and added to
    a value, or be one of this package's mechanisms.

    Raises:
        DpfairError: there is no such module or function.
    """
    function = _imported(name)

    def fit(records: Records, *, rng: np.random.Generator, **params: Any) -> ForeignResult:
        return ForeignResult(function(records.X, records.y, rng=TrackedGenerator(rng.bit_generator), **params))

    return fit


def _imported(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise DpfairError(f"{name} cannot be imported: {error}") from error
    return found
