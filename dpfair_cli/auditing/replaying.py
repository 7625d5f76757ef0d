"""One pair of neighbouring data sets: a fit recorded on the first of them and replayed on the
second.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from dpfair_cli.auditing.equality import same
from dpfair_cli.auditing.losses import query_change, ratio
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import Release, kind, record, replay

_COMPUTED = (property, cached_property)


@dataclass(frozen=True, eq=False)
class Seen:
    """What a fit shows the world: its result, or its refusal and of what kind; what it prints,
    warns of and logs.
    """

    model: Any = None
    refusal: str = ""
    error: str = ""
    printed: str = ""


@dataclass(frozen=True, eq=False)
class PairFinding:
    """What one pair of neighbours shows.

    The recorded releases, how far each query moved in its mechanism's norm, and whatever depends on
    the data without noise, in words.
    """

    tape: Sequence[Release]
    changes: tuple[float, ...]
    leaks: tuple[str, ...]
    refused: str = ""  # why there is nothing to see: both fits were refused

    @property
    def largest_move(self) -> float:
        """The largest move of a query over its sensitivity; a query declared constant must not
        move.
        """
        moves = zip(self.tape, self.changes, strict=True)
        return max(
            (ratio(change, entry.sensitivity) for entry, change in moves if entry.sensitivity),
            default=0.0,
        )

    @property
    def moves(self) -> tuple[float, ...]:
        """How far each query moved in units of its noise: what makes one pair worse than another."""
        moves = zip(self.tape, self.changes, strict=True)
        return tuple(
            ratio(change, entry.scale) if entry.scale else change for entry, change in moves
        )


def replay_on_neighbour(
    fit: Callable[..., Any], left: Data, right: Data, *, absentees: Sequence[int], seed: int
) -> PairFinding:
    """Fit `left` and, with the same outputs handed out again and without the `absentees` in any
    batch, `right`.
    """
    with record() as tape:
        first = seen(fit, left, seed)
    with absent(*absentees):
        second, again = _replayed(fit, right, tape, seed)
    leaks = _differences(first, second, left)
    if [kind(entry) for entry in again] != [kind(entry) for entry in tape]:
        return PairFinding(tape, (0.0,) * len(tape), (*leaks, "the number or kind of releases"))
    leaks += sorted(
        {name for pair in zip(tape, again, strict=True) for name in _noise_differences(*pair)}
    )
    changes = tuple(query_change(before, after) for before, after in zip(tape, again, strict=True))
    both = first.refusal if (first.refusal, first.error) == (second.refusal, second.error) else ""
    return PairFinding(tape, changes, tuple(leaks), both)


def _replayed(
    fit: Callable[..., Any], right: Data, tape: list[Release], seed: int
) -> tuple[Seen, list[Release]]:
    with replay(tape) as again:
        return seen(fit, right, seed), again


def seen(fit: Callable[..., Any], data: Data, seed: int) -> Seen:
    """Fit `data` with a generator of that seed, in silence."""
    text = io.StringIO()
    with (
        warnings.catch_warnings(record=True) as warned,
        redirect_stdout(text),
        redirect_stderr(text),
        _logged(text),
    ):
        warnings.simplefilter("always")
        try:
            model, refusal, error = fit(data, rng=np.random.default_rng(seed)), "", ""
        except (Exception, SystemExit) as ended:  # whatever ends a fit can be seen
            model, refusal, error = None, str(ended) or type(ended).__name__, type(ended).__name__
    lines = (f"{warning.category.__name__}: {warning.message}\n" for warning in warned)
    return Seen(model, refusal, error, text.getvalue() + "".join(lines))


@contextmanager
def _logged(text: io.StringIO) -> Iterator[None]:
    """Whatever is logged in between, as text."""
    handler = logging.StreamHandler(text)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


def _differences(first: Seen, second: Seen, asked: Data) -> list[str]:
    """What two fits with the same releases show differently, and what no fit may show."""
    found = []
    if (first.refusal, first.error) != (second.refusal, second.error):
        found.append(f"whether the fit is refused ({first.refusal or second.refusal})")
    elif not first.error and not same(_shown(first.model, asked), _shown(second.model, asked)):
        found.append("the fitted model")
    if first.printed != second.printed:
        found.append("what the fit prints")
    return found


def _shown(model: Any, asked: Data) -> list[Any]:
    """A result, and everything that it says, saves and answers, properties included."""
    properties = [
        name for name in dir(type(model)) if isinstance(getattr(type(model), name, None), _COMPUTED)
    ]
    questions = [
        model.state,
        model.described,
        model.saved,
        *(partial(getattr, model, name) for name in properties),
    ]
    if callable(getattr(model, "predict", None)):
        questions.append(partial(model.predict, asked))
    return [*map(_answer, questions), model]


def _answer(question: Callable[[], Any]) -> Any:
    """What is answered; why it is not, if so."""
    try:
        return question()
    except Exception as error:
        return type(error).__name__, str(error)


def _noise_differences(before: Release, after: Release) -> list[str]:
    found = {
        "how a batch is drawn": before.draw == after.draw,
        "the scale of the noise": np.isclose(before.scale, after.scale, rtol=1e-12, atol=0),
        "a declared sensitivity": np.isclose(
            before.sensitivity, after.sensitivity, rtol=1e-12, atol=0
        ),
        "whether a query is a number": bool(
            np.isfinite(after.value).all() and np.isfinite(before.value).all()
        ),
    }
    return [name for name, equal in found.items() if not equal]
