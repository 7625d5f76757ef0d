"""Records a fit of one data set and replays its releases in a fit of a neighbouring data set.

Histories of outputs that are possible but improbable are replayed too. The query of a release may
depend on earlier outputs: the gradients of DPSGD depend on the noisy weights, and a clipping bound
may follow noisy counts. The sensitivity has to hold for every such history. The noise of most
histories cancels out, so that the weights stay near the start. In the histories made here, all
noise has the same sign.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from math import isclose
from typing import Any

import numpy as np

from dpfair_cli.auditing.equality import same
from dpfair_cli.auditing.losses import query_change, ratio
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import Release, kind, record, replay

EQUAL = 1e-12  # relative difference of two scales or sensitivities that count as equal
ADDITIVE = ("gaussian", "laplace", "row_laplace")  # the output is the value plus noise of any sign
SHAPES = ("a number", "a vector", "a table")  # of the value of a query, by its dimensions

_COMPUTED = (property, cached_property)


@dataclass(frozen=True, eq=False)
class Returned(NotSaved):
    """The values that an audited function returned, as a fitted result that is not saved."""

    returned: Any


@dataclass(frozen=True)
class Course:
    """One way to steer a fit by improbable outputs."""

    of_number: int  # the sign of the noise of a single number
    of_array: int  # the sign of all noise of an array
    swapped: bool
    """Whether the neighbours are swapped, so that the other record is the one in the batches."""


# numbers count what is long or rare, and bounds of the gradients follow them: less comes first
COURSES = (
    Course(-1, 1, swapped=False),
    Course(-1, 1, swapped=True),
    Course(-1, -1, swapped=False),
    Course(-1, -1, swapped=True),
    Course(1, 1, swapped=False),
    Course(1, -1, swapped=False),
)


@dataclass(frozen=True, eq=False)
class Seen:
    """The observable behaviour of a fit."""

    model: Any = None  # the fitted result
    refusal: str = ""  # the message of the exception that ended the fit
    error: str = ""  # the type of that exception
    printed: str = ""  # the printed, warned and logged text


@dataclass(frozen=True, eq=False)
class PairFinding:
    """The result of replaying the releases of one data set on a neighbouring data set."""

    tape: Sequence[Release]  # the recorded releases
    changes: tuple[float, ...]  # the change of each query, in its mechanism's norm
    leaks: tuple[str, ...]  # the observable things that depend on the data without noise
    refused: str = ""  # the reason why both fits were refused; empty if they were not

    @property
    def sensitivities(self) -> list[float]:
        """The declared sensitivity of each query."""
        return [entry.sensitivity for entry in self.tape]

    @property
    def largest_move(self) -> float:
        """The largest change of a query divided by its sensitivity; 0 without such queries."""
        return max((move for _, move in self.named_moves), default=0.0)

    @property
    def named_moves(self) -> list[tuple[str, float]]:
        """The kind of each query of positive sensitivity, and its change divided by that.

        A kind is a mechanism and the shape of the query, such as "gaussian of a vector".
        """
        found = []
        for entry, change in zip(self.tape, self.changes, strict=True):
            if entry.sensitivity:
                shape = SHAPES[min(np.ndim(entry.value), len(SHAPES) - 1)]
                found.append((f"{entry.mechanism} of {shape}", ratio(change, entry.sensitivity)))
        return found

    @property
    def moves(self) -> tuple[float, ...]:
        """The change of each query between two neighbours, in units of the query's noise."""
        moves = zip(self.tape, self.changes, strict=True)
        return tuple(
            ratio(change, entry.scale) if entry.scale else change for entry, change in moves
        )


def replay_on_neighbour(
    fit: Callable[..., Any], left: Data, right: Data, *, absentees: Sequence[int], seed: int
) -> PairFinding:
    """The result of fitting `left` and replaying its released outputs in a fit of `right`.

    The rows `absentees` are in no batch of `right`.
    """
    with record() as tape:
        first = seen(fit, left, seed)
    return _compared(fit, left, right, tape, first, absentees=absentees, seed=seed)


def replay_history(
    fit: Callable[..., Any],
    left: Data,
    right: Data,
    history: list[Release],
    *,
    absentees: Sequence[int],
    seed: int,
) -> PairFinding | None:
    """The result of replaying the outputs of `history` in fits of `left` and of `right`.

    The outputs need not be those of a fit of `left`. The result is None if the fit of `left` makes
    other releases than those in `history`. The rows `absentees` are in no batch of `right`.
    """
    with replay(history) as tape:
        first = seen(fit, left, seed)
    if _kinds(tape) != _kinds(history):
        return None
    given = [replace(entry, output=past.output) for entry, past in zip(tape, history, strict=True)]
    return _compared(fit, left, right, given, first, absentees=absentees, seed=seed)


def one_sided(tape: Sequence[Release], course: Course) -> list[Release]:
    """The releases of `tape` with the noise of all outputs on the sides that `course` says.

    The noise keeps its size. Releases of mechanisms that do not add noise stay as they are.
    """
    turned = []
    for entry in tape:
        sign = course.of_array if np.ndim(entry.value) else course.of_number
        if entry.mechanism in ADDITIVE:
            output = entry.value + sign * np.abs(entry.output - entry.value)
            turned.append(replace(entry, output=output))
        else:
            turned.append(entry)
    return turned


def _compared(
    fit: Callable[..., Any],
    left: Data,
    right: Data,
    tape: list[Release],
    first: Seen,
    *,
    absentees: Sequence[int],
    seed: int,
) -> PairFinding:
    """The result of replaying the outputs of `tape` in a fit of `right`.

    `first` is the observable behaviour of the fit of `left` that made the releases of `tape`.
    """
    with absent(*absentees), replay(tape) as again:
        second = seen(fit, right, seed)
    leaks = _differences(first, second, left)  # both models are asked about the same records
    if _kinds(again) != _kinds(tape):
        # the queries have no counterparts, so that no change can be computed
        return PairFinding(tape, (0.0,) * len(tape), (*leaks, "the number or kind of releases"))
    leaks += sorted(set(chain.from_iterable(map(_noise_differences, tape, again))))
    changes = tuple(query_change(before, after) for before, after in zip(tape, again, strict=True))
    both_refused = (first.refusal, first.error) == (second.refusal, second.error)
    return PairFinding(tape, changes, tuple(leaks), first.refusal if both_refused else "")


def _kinds(tape: Sequence[Release]) -> list[tuple[str, tuple[int, ...]]]:
    return [kind(entry) for entry in tape]


def seen(fit: Callable[..., Any], data: Data, seed: int) -> Seen:
    """The observable behaviour of a fit of `data` with a random generator of this `seed`.

    What the fit prints is not shown.
    """
    text = io.StringIO()
    with (
        warnings.catch_warnings(record=True) as warned,
        redirect_stdout(text),
        redirect_stderr(text),
        _logged(text),
    ):
        # a filter shows a repeated warning once, and hides it in the second fit
        warnings.simplefilter("always")
        try:
            model, refusal, error = fit(data, rng=np.random.default_rng(seed)), "", ""
        except (Exception, SystemExit) as ended:  # every exception of a fit is observable
            model, refusal, error = None, str(ended) or type(ended).__name__, type(ended).__name__
    lines = (f"{warning.category.__name__}: {warning.message}\n" for warning in warned)
    return Seen(model, refusal, error, text.getvalue() + "".join(lines))


@contextmanager
def _logged(text: io.StringIO) -> Iterator[None]:
    """A context that collects logged messages as text."""
    handler = logging.StreamHandler(text)
    logging.getLogger().addHandler(handler)  # the root, which hears all loggers
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


def _differences(first: Seen, second: Seen, asked: Data) -> list[str]:
    """The observable differences between fits of two neighbours that had the same released outputs.

    `asked` are the records for which predictions are compared.
    """
    found = []
    if (first.refusal, first.error) != (second.refusal, second.error):
        found.append(f"whether the fit is refused ({first.refusal or second.refusal})")
    elif not first.error and not same(_shown(first.model, asked), _shown(second.model, asked)):
        found.append("the fitted model")
    if first.printed != second.printed:
        found.append("what the fit prints")
    return found


def _shown(model: Any, asked: Data) -> list[Any]:
    """All that a fitted model shows to a user, as a list.

    The list has the description, the saved content, the predictions on `asked` and the properties.
    """
    kind = type(model)
    properties = [name for name in dir(kind) if isinstance(getattr(kind, name, None), _COMPUTED)]
    questions: list[Callable[[], Any]] = [model.state, model.described, model.saved]
    questions += [partial(getattr, model, name) for name in properties]
    if callable(getattr(model, "predict", None)):
        questions.append(partial(model.predict, asked))
    return [*map(_answer, questions), model]


def _answer(question: Callable[[], Any]) -> Any:
    """The result of calling `question`, or the exception that the call raises."""
    try:
        return question()
    except Exception as error:
        return type(error).__name__, str(error)


def _noise_differences(before: Release, after: Release) -> list[str]:
    """The differences between a release and its replay on a neighbour, except value and output."""
    found = {
        "how a batch is drawn": before.draw == after.draw,
        "the scale of the noise": isclose(before.scale, after.scale, rel_tol=EQUAL),
        "a declared sensitivity": isclose(before.sensitivity, after.sensitivity, rel_tol=EQUAL),
        "whether a query is a finite number": np.isfinite(after.value).all()
        and np.isfinite(before.value).all(),
    }
    return [name for name, same_in_both in found.items() if not same_in_both]
