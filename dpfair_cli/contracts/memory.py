"""A cache for results that do not depend on noise, kept as long as the data exist."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Data = TypeVar("Data")


def once_per_records(
    function: Callable[Concatenate[Data, Parameters], Result],
) -> Callable[Concatenate[Data, Parameters], Result]:
    """The function with a cache of its results for each data object.

    The results of a data object are kept as long as the object exists. Quantities that do not
    depend on noise are then computed once per data set.
    """
    memory: WeakKeyDictionary[Data, dict[Any, Result]] = WeakKeyDictionary()

    @wraps(function)
    def remembered(records: Data, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        results = memory.setdefault(records, {})
        key = (args, tuple(sorted(kwargs.items())))
        if key not in results:
            results[key] = function(records, *args, **kwargs)
        return results[key]

    return remembered
