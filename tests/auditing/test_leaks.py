"""Everything that a fit shows except its releases: a difference without noise refutes it."""

import logging
import sys
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.mechanisms.laplace import laplace
from tests.auditing.subjects import D

LOG = logging.getLogger("a toy")
LOG.setLevel(logging.INFO)


@dataclass(frozen=True, eq=False)
class Toy(NotSaved):
    """A noisy sum, and something else."""

    total: Any
    more: Any = None


class Quiet(NotSaved):
    """A result that has learned nothing by its own account."""

    def __init__(self, hidden):
        self._hidden = hidden

    def state(self):
        return {}

    def __getstate__(self):
        return {}

    def __eq__(self, other):
        return True

    __hash__ = None


class Slotted:
    __slots__ = ("hidden",)

    def __init__(self, hidden):
        self.hidden = hidden

    def state(self):
        return {}

    described = saved = state


SEEN_ELSEWHERE = {}  # what a property or an answer reads that is in no attribute


class Asked(Slotted):
    """Answers from what was put aside, and holds a number that is no secret."""

    def __init__(self, hidden):
        super().__init__(0)
        SEEN_ELSEWHERE[id(self)] = hidden

    def __del__(self):
        SEEN_ELSEWHERE.pop(id(self), None)

    @property
    def _aside(self):
        return 0


def telling(name):
    """A class whose `name` tells what was put aside."""
    tell = {
        "predict": lambda self, data: np.full(len(data), SEEN_ELSEWHERE[id(self)]),
        "described": lambda self: [f"sum {SEEN_ELSEWHERE[id(self)]:.3f}"],
        "saved": lambda self: {"sum": SEEN_ELSEWHERE[id(self)]},
        "state": lambda self: {"sum": SEEN_ELSEWHERE[id(self)]},
        "total": property(lambda self: SEEN_ELSEWHERE[id(self)]),
        "cached": cached_property(lambda self: SEEN_ELSEWHERE[id(self)]),
        "refuses": property(lambda self: {}[SEEN_ELSEWHERE[id(self)]]),
    }[name]
    kind = type(name, (Asked,), {name: tell})
    if isinstance(tell, cached_property):
        tell.__set_name__(kind, name)
    return kind


def noisy(records, rng):
    return laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=1.0, rng=rng)


def showing(leak):
    """A private fit that also shows `leak(records)`."""

    def fit(records, *, epsilon=1.0, rng):
        return Toy(noisy(records, rng), leak(records))

    return fit


def of_kind(kind):
    def fit(records, *, epsilon=1.0, rng):
        noisy(records, rng)
        return kind(float(records.X.sum()))

    return fit


RECORDS = {
    "the last record": lambda records: records.X[-1],
    "the first record": lambda records: records.X[0, 0],
    "a middle record": lambda records: records.y[len(records) // 2],
    "all but the first and the last": lambda records: (
        float(records.y[1:-1].mean()) if len(records) > 2 else 0.0
    ),
    "every second label": lambda records: int(records.y[::2].sum()),
    "one feature of one group": lambda records: records.X[records.protected == 1, 4].sum(),
    "an order": lambda records: np.argsort(records.X[:, 0]),
    "a tiny part": lambda records: 1e-13 * records.X.sum(),
    "everything, in a closure": lambda records: lambda: records.columns,
    "whether anybody is 1": lambda records: bool((records.X[:, 2] == 1).any()),
}
HOLDERS = {
    "closure": lambda value: lambda x: x + value,
    "a closure that does not use it": lambda value: lambda: value and 0,
    "a default": lambda value: lambda x, y=value: x + y,
    "a nested object": lambda value: [{"a": (Slotted(value),)}],
    "an attribute that says it is equal": Quiet,
    "the order of words": lambda value: dict.fromkeys(("a", "b") if value > 8 else ("b", "a"), 0),
    "the type of numbers": lambda value: np.zeros(2, dtype=np.float32 if value > 8 else np.float64),
    "the sign of zero": lambda value: 0.0 if value > 8 else -0.0,
    "the last bit": lambda value: np.nextafter(1.0, 2.0) if value > 8 else 1.0,
    "where a number is missing": lambda value: [np.nan, 1.0] if value > 8 else [1.0, np.nan],
    "a set": lambda value: {int(value)},
}


def printed(records):
    print(records.X.sum())


def to_the_error_stream(records):
    print(records.X.sum(), file=sys.stderr)


def warned(records):
    warnings.warn(f"sum {records.X.sum()}", stacklevel=1)


def warned_of_another_kind(records):
    warnings.warn("fit", UserWarning if records.X.sum() > 8 else RuntimeWarning, stacklevel=1)


def logged(records):
    LOG.info("sum %s", records.X.sum())


def refused(records):
    if records.X[:, 0].max() == 1:
        raise ValueError("the first feature is too large")


def refused_by_another_error(records):
    raise (ValueError if records.X.sum() > 8 else TypeError)("no")


def refused_with_a_number(records):
    raise ValueError(f"{records.X.sum()} is too much")


def ended(records):
    if records.y.sum() > 1:
        sys.exit("enough")


def asked_for_more_and_caught_the_error(records):
    try:
        if records.y.sum() % 2:
            laplace(np.zeros(3), l1_sensitivity=1e-9, epsilon=1e-9, rng=np.random.default_rng(1))
    except ValueError:
        pass


@pytest.mark.parametrize("leak", RECORDS.values(), ids=RECORDS)
def test_a_part_of_the_records_in_the_result_is_refuted(try_out, leak):
    assert "the fitted model" in try_out(showing(leak)).leaks


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_a_leak_is_found_wherever_it_is_held(try_out, hold):
    assert (
        "the fitted model" in try_out(showing(lambda records: hold(float(records.X.sum())))).leaks
    )
    assert try_out(showing(lambda records: hold(9.0))).holds


@pytest.mark.parametrize("kind", [Quiet, Slotted], ids=["hidden", "slots"])
def test_what_a_result_holds_is_compared_whatever_it_says_of_itself(try_out, kind):
    assert "the fitted model" in try_out(of_kind(kind)).leaks


@pytest.mark.parametrize(
    "name", ["predict", "described", "saved", "state", "total", "cached", "refuses"]
)
def test_what_a_result_answers_is_compared_wherever_it_has_it_from(try_out, name):
    assert "the fitted model" in try_out(of_kind(telling(name))).leaks


@pytest.mark.parametrize(
    "leak", [printed, to_the_error_stream, warned, warned_of_another_kind, logged]
)
def test_what_is_printed_warned_of_or_logged_is_compared(try_out, leak):
    assert try_out(showing(leak)).leaks == ("what the fit prints",)


@pytest.mark.parametrize(
    "leak",
    [
        refused,
        refused_by_another_error,
        refused_with_a_number,
        ended,
        asked_for_more_and_caught_the_error,
    ],
)
def test_whether_and_how_a_fit_is_refused_is_compared(try_out, leak):
    assert any("refused" in words or "releases" in words for words in try_out(showing(leak)).leaks)


def test_constant_output_is_not_a_leak(try_out, capsys):
    def fit(records, *, epsilon=1.0, rng):
        print("fitting")
        LOG.info("fitting")
        warnings.warn("fitting", stacklevel=1)
        n = len(records)
        return Toy(noisy(records, rng), lambda: n)

    assert try_out(fit).holds
    assert capsys.readouterr().out == ""
