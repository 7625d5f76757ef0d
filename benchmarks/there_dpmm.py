"""Models of dpmm on two neighbouring tables with the same noise, in the environment of dpmm.

A model is fitted to a table, and its mechanisms are recorded (`benchmarks/replay_tape.py`). The
model is then fitted to a neighbouring table. The rule below was fixed before the first replay. The
outcome of a replay is the first of

    domain      the numbers of levels that the model uses differ
    cast error  the fit to the neighbour cannot convert a number that is not finite
    error       the fit to the neighbour raises another error
    calls       the mechanisms are called in another order or another number of times
    distance    two inputs of a mechanism are farther apart than the sensitivity
    passes      none of these

and `scale` says whether a mechanism has another scale of its noise for the neighbour. The distance
of two tables of counts is the Euclidean one, with the sensitivity 1: one record is added or
removed. The distance of two lists of scores, of which one is chosen, is the largest difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.metadata import version
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from dpmm.models import AIMGM, PrivBayesGM, aim, priv_bayes
from dpmm.models.base.mechanisms import mechanism
from pandas.errors import IntCastingNaNError

from benchmarks.replay_tape import Call, DivergedError, Tape

RECORDS = 200
LEVELS = (2, 3, 4, 5)  # of the attributes
SHIFT = 200.0  # of a value outside of the range of the others, as in Re:cord-play
MODELS = {
    "AIM": partial(AIMGM, rounds=8),
    "PrivBayes": PrivBayesGM,
}
FAR = (*(np.finfo(float).max * np.array([1, -1])), 2.0**63, -(2.0**63))

Records = Any  # codes of the attributes, (n, 4)


# ---- the neighbouring tables


def added(records: Records, record: Any) -> Records:
    return np.vstack([records, record])


def without_one(records: Records, rng: np.random.Generator) -> Records:
    return np.delete(records, rng.integers(len(records)), axis=0)


def shifted(records: Records, rng: np.random.Generator) -> Any:
    """A record whose values are far below or far above those of the others."""
    below, above = records.min(axis=0) - SHIFT, records.max(axis=0) + SHIFT
    return np.where(rng.random(len(LEVELS)) < 0.5, below, above)


# the names are those of the strategies in Re:cord-play, whose tests remove a record twice
NEIGHBOURS: dict[str, Callable[[Records, np.random.Generator], Records]] = {
    "copy_random": lambda D, rng: added(D, D[rng.integers(len(D))]),
    "uniform_domain": lambda D, rng: added(D, rng.integers(LEVELS)),
    "uniform_supported": lambda D, rng: added(D, [rng.choice(np.unique(one)) for one in D.T]),
    "remove": without_one,
    "remove again": without_one,
    "insert_nan": lambda D, rng: added(D, np.full(len(LEVELS), np.nan)),
    "insert_inf": lambda D, rng: added(D, rng.choice([np.inf, -np.inf], len(LEVELS))),
    "insert_large_outliers": lambda D, rng: added(D, rng.choice(FAR, len(LEVELS))),
    "insert_shifted_outliers": lambda D, rng: added(D, shifted(D, rng)),
}


def table(records: Records) -> pd.DataFrame:
    """The records as a table, of integers if all values are small whole numbers."""
    small = np.isfinite(records).all() and np.abs(records).max() < 1e6
    return pd.DataFrame(records.astype(int) if small else records)


# ---- the mechanisms of dpmm


class Noise:
    """Noise that is not drawn yet: the sum of a table of counts and it is a release."""

    __array_ufunc__ = None  # so that an array leaves the sum to `__radd__`

    def __init__(self, tape: Tape, sigma: float) -> None:
        self.tape, self.sigma = tape, float(sigma)

    def __radd__(self, counts: Any) -> Any:
        call = Call("counts", counts.copy(), 1.0, self.sigma, None, None)
        draw = partial(self.tape.rng.normal, counts, self.sigma)
        return self.tape.release(call, draw)


@contextmanager
def recorded(tape: Tape) -> Iterator[None]:
    """dpmm, with its mechanisms and its numbers of levels on the tape."""
    choose, choice_of = aim.AIM.exponential_mechanism, priv_bayes.ExponentialMechanism.__call__
    make_domain = mechanism.Domain

    def noise(sigma: float, size: Any = None) -> Noise:
        return Noise(tape, sigma)

    def chosen(self: Any, scores: dict[Any, float], epsilon: float, sensitivity: float) -> Any:
        values = np.array([*scores.values()])
        call = Call("scores", values, float(sensitivity), float(epsilon), None, None)
        draw = partial(choose, self, scores, epsilon, sensitivity)
        return tape.release(call, draw, self.prng)

    def probabilities(self: Any, scores: Any) -> Any:
        # delta is the sensitivity divided by the privacy loss of one of the choices
        sensitivity = self.delta * self.epsilon / len(LEVELS)
        call = Call("scores", scores.copy(), float(sensitivity), float(self.delta), None, None)
        return tape.release(call, partial(choice_of, self, scores))

    def domain(attributes: Any, sizes: Any) -> Any:
        tape.public(tuple(map(int, sizes)))
        return make_domain(attributes, sizes)

    with ExitStack() as stack:
        stack.enter_context(patch.object(aim, "gaussian_noise", noise))
        stack.enter_context(patch.object(mechanism, "gaussian_noise", noise))
        stack.enter_context(patch.object(aim.AIM, "exponential_mechanism", chosen))
        exponential = priv_bayes.ExponentialMechanism
        stack.enter_context(patch.object(exponential, "__call__", probabilities))
        stack.enter_context(patch.object(mechanism, "Domain", domain))
        yield


# ---- one replay


def about() -> dict[str, Any]:
    """The version of dpmm, and the names of the neighbours."""
    return {"version": f"dpmm {version('dpmm')}", "neighbours": [*NEIGHBOURS]}


def replay(name: str, neighbours: str, domain: str, compress: bool, seed: int) -> dict[str, Any]:
    """The outcome of the fits of a model to random records and to neighbours of them."""
    rng = np.random.default_rng([seed, [*NEIGHBOURS].index(neighbours)])
    records = rng.integers(LEVELS, size=(RECORDS, len(LEVELS)))
    tape = Tape(rng)

    def fit(given: Records) -> None:
        model = MODELS[name](
            epsilon=1.0,
            delta=1e-5,
            n_iters=20,
            n_jobs=1,
            compress=compress,
            domain=dict(enumerate(LEVELS)) if domain == "given" else None,
            random_state=np.random.RandomState(seed),
        )
        with recorded(tape), np.errstate(all="ignore"):
            model.fit(table(given))

    other = NEIGHBOURS[neighbours](records, rng)
    fit(records)
    tape.played = 0
    error = ""
    try:
        fit(other)
        outcome = tape.outcome
    except DivergedError as diverged:
        outcome = str(diverged)
    except IntCastingNaNError as found:
        outcome, error = "cast error", type(found).__name__
    except Exception as found:  # any other error of the library is an outcome
        outcome, error = "error", f"{type(found).__name__}: {found}".splitlines()[0]
    apart, sensitivity, kind = tape.worst
    return {
        "outcome": outcome,
        "scale": "differs" if tape.scales_differ else "equal",
        "distance": f"{apart:.4f}",
        "sensitivity": f"{sensitivity:.4f}",
        "input": kind,
        "error": error,
    }
