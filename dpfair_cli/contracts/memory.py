"""What noise does not touch is computed once: results remembered as long as their data live."""

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
    """The function with its results cached for each `records` object, as long as the object exists.

    Quantities that do not depend on noise are then computed once per data set.
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
