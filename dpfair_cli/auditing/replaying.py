"""One pair of neighbouring data sets: a fit recorded on the first of them and replayed on the second."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli.auditing.equality import same
from dpfair_cli.auditing.losses import query_change
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import Release, record, replay

ROUNDING = 1e-9  # of a move, in parts of its sensitivity


@dataclass(frozen=True, eq=False)
class Seen:
    """What a fit shows the world: its result or its refusal, and what it printed."""

    model: Any = None
    refusal: str = ""
    printed: str = ""


@dataclass(frozen=True, eq=False)
class PairFinding:
    """What one pair of neighbours shows.

    The recorded releases, how far each query moved in its mechanism's norm, and whatever depends on the data without
    noise, in words.
    """

    tape: Sequence[Release]
    changes: tuple[float, ...]
    leaks: tuple[str, ...]
    refused: str = ""  # why there is nothing to see: both fits were refused

    @property
    def largest_move(self) -> float:
        """The largest move of a query over its sensitivity; a query declared constant must not move."""
        moves = zip(self.tape, self.changes, strict=True)
        return max((change / entry.sensitivity for entry, change in moves if entry.sensitivity), default=0.0)

    @property
    def moves(self) -> tuple[float, ...]:
        """How far each query moved in units of its noise: what makes one pair worse than another."""
        moves = zip(self.tape, self.changes, strict=True)
        return tuple(change / entry.scale if entry.scale else change for entry, change in moves)


def replay_on_neighbour(
    fit: Callable[..., Any], left: Data, right: Data, *, absentees: Sequence[int], seed: int
) -> PairFinding:
    """Fit `left` and, with the same outputs handed out again and without the `absentees` in any batch, `right`."""
    with record() as tape:
        first = _seen(fit, left, seed)
    with absent(*absentees):
        second, again = _replayed(fit, right, tape, seed)
    leaks = [*_differences(first, second, left), *_release_differences(tape, again)]
    if len(again) != len(tape):
        return PairFinding(tape, (0.0,) * len(tape), tuple(leaks) or ("the number of releases",))
    changes = tuple(query_change(before, after) for before, after in zip(tape, again, strict=True))
    return PairFinding(tape, changes, tuple(leaks), first.refusal if first.refusal == second.refusal else "")


def _replayed(fit: Callable[..., Any], right: Data, tape: list[Release], seed: int) -> tuple[Seen, list[Release]]:
    with replay(tape) as again:
        return _seen(fit, right, seed), again


def _seen(fit: Callable[..., Any], data: Data, seed: int) -> Seen:
    text = io.StringIO()
    with warnings.catch_warnings(record=True) as warned, redirect_stdout(text), redirect_stderr(text):
        warnings.simplefilter("always")
        try:
            model, refusal = fit(data, rng=np.random.default_rng(seed)), ""
        except Exception as error:  # whatever ends a fit can be seen
            model, refusal = None, str(error) or type(error).__name__
    return Seen(model, refusal, text.getvalue() + "".join(f"{warning.message}\n" for warning in warned))


def _differences(first: Seen, second: Seen, asked: Data) -> list[str]:
    """What two fits with the same releases show differently."""
    found = []
    if first.refusal != second.refusal:
        found.append(f"whether the fit is refused ({first.refusal or second.refusal})")
    elif not first.refusal and not _same_model(first.model, second.model, asked):
        found.append("the fitted model")
    if first.printed != second.printed:
        found.append("what the fit prints")
    return found


def _same_model(model: Any, other: Any, asked: Data) -> bool:
    """Whether two results are the same in everything that they hold, say, save and answer."""
    parts = [(result.state(), result.described(), _saved(result), _answer(result, asked)) for result in (model, other)]
    return type(model) is type(other) and same(*parts)


def _saved(model: Any) -> Any:
    """A result as a model file holds it, if one does."""
    try:
        return model.saved()
    except DpfairError:
        return None


def _answer(model: Any, asked: Data) -> Any:
    """What a classifier answers, if it is one."""
    return model.predict(asked) if hasattr(model, "predict") else None


def _release_differences(tape: Sequence[Release], again: Sequence[Release]) -> list[str]:
    """Noise, or a batch's rate, that depends on the data would be a release of its own."""
    return sorted({name for pair in zip(tape, again, strict=False) for name in _noise_differences(*pair)})


def _noise_differences(before: Release, after: Release) -> list[str]:
    found = {
        "how a batch is drawn": before.draw == after.draw,
        "the scale of the noise": np.isclose(before.scale, after.scale, rtol=1e-12, atol=0),
        "a declared sensitivity": np.isclose(before.sensitivity, after.sensitivity, rtol=1e-12, atol=0),
        "whether a query is a number": bool(np.isfinite(after.value).all() and np.isfinite(before.value).all()),
    }
    return [name for name, equal in found.items() if not equal]
