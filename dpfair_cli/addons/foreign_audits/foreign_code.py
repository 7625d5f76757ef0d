"""Audits of code from outside this package: functions of arrays, and registered algorithms."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.addons.foreign_audits.library_noise import libraries_followed
from dpfair_cli.addons.foreign_audits.tracked_noise import (
    TrackedGenerator,
    additions,
    released_values,
    unfollowed,
)
from dpfair_cli.auditing.audit import audit_fit
from dpfair_cli.auditing.equality import same
from dpfair_cli.auditing.finding import MOVED, Finding
from dpfair_cli.auditing.replaying import Returned, replay_on_neighbour, seen
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import Data
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.batches import subsample
from dpfair_cli.mechanisms.ledger import record

PAIRS = 6  # pairs of neighbours whose additions to noise are compared
ENOUGH = 200  # records for the test that two fits with one seed are equal


def audit_call(
    name: str,
    call: Callable[..., Any],
    data: Data,
    *,
    params: Mapping[str, Any],
    seed: int,
    **given: Any,
) -> Finding:
    """The result of the audit of `call(data, rng=..., **params)` by its noise.

    Args:
        name: The name in the result.
        call: A function that returns a Returned.
        data: The data for the audit.
        params: The function's parameters, including epsilon.
        seed: The seed of the audit.
        **given: The arguments `relation`, `neighbours`, `seconds`, `trials` and `tick` of
            `audit_fit`.

    Raises:
        ValueError: every fit was refused, or its noise cannot be followed.
    """
    _require_repeatable(_followed(call, frozenset()), data, params, seed)
    return _audit_followed(name, call, data, params=params, seed=seed, **given)


def audit_registered(
    algorithm: Algorithm, data: Data, *, params: Mapping[str, Any], seed: int = 0, **amounts: Any
) -> Finding:
    """The result of the audit of an algorithm that another package registers.

    Noise that the algorithm draws with `rng.laplace` or `rng.normal`, without a mechanism of
    dpfair, is followed.

    Args:
        algorithm: The algorithm.
        data: The data for the audit.
        params: All parameters of the algorithm.
        seed: The seed of the audit.
        **amounts: The arguments `neighbours`, `seconds`, `trials` and `tick` of `audit_fit`.

    Raises:
        ValueError: every fit was refused, or its noise cannot be followed.
    """
    return _audit_followed(
        algorithm.name,
        algorithm.fit,
        data,
        relation=algorithm.guarantee.neighbours,
        params=params,
        stated_delta=algorithm.guarantee.stated_delta,
        seed=seed,
        **amounts,
    )


def _audit_followed(
    name: str,
    call: Callable[..., Any],
    data: Data,
    *,
    relation: Neighbours,
    params: Mapping[str, Any],
    seed: int,
    **amounts: Any,
) -> Finding:
    """The result of the audit of `call(data, rng=..., **params)`, whose noise is followed.

    Raises:
        ValueError: every fit was refused, or its noise cannot be followed.
    """
    shared = _shared_additions(call, data, relation, params, seed)
    with unfollowed() as laws:
        found = audit_fit(
            name,
            _followed(call, shared),
            data,
            relation=relation,
            params=params,
            seed=seed,
            **amounts,
        )
    # with leaks as the only problem, the untracked noise may be their cause
    if laws and found.leaks and found.only_leaks:
        drawn = ", ".join(f"rng.{law}" for law in sorted(laws))
        raise ValueError(
            f"the audit cannot follow noise of {drawn}: draw the noise with rng.laplace or "
            "rng.normal"
        )
    return found


def on_arrays(function: Callable[..., Any]) -> Callable[..., Returned]:
    """The function of X (n, d), y (n,) and `rng` as a function of Records."""

    def call(records: Records, *, rng: np.random.Generator, **params: Any) -> Returned:
        # all rows except a row that the audit removes
        """The function, called with the rows of the records that are present."""
        rows = subsample(len(records), size=len(records), rng=rng).rows
        return Returned(function(records.X[rows], records.y[rows], rng=rng, **params))

    return call


def followed_fit(
    call: Callable[..., Any],
    data: Data,
    relation: Neighbours,
    *,
    params: Mapping[str, Any],
    seed: int,
) -> Callable[..., Any]:
    """The function `call` with its parameters as a fit of data and `rng` whose noise is followed.

    `data`, `relation` and `seed` give the neighbours that decide which additions to noise have a
    value that all neighbours share.
    """
    shared = _shared_additions(call, data, relation, params, seed)
    return partial(_followed(call, shared), **params)


def _followed(
    call: Callable[..., Any], shared: frozenset[int], traces: list[Any] | None = None
) -> Callable[..., Any]:
    """The function `call` as a fit whose noise is followed.

    `shared` are the places of additions to noise whose value all neighbours share. The values of
    the additions of each fit are appended to `traces`.
    """

    def fit(data: Data, *, rng: np.random.Generator, **params: Any) -> Any:
        """The result of a fit whose noise is followed, with all its releases in the ledger."""
        tracked = TrackedGenerator(rng.bit_generator)
        with libraries_followed(), additions(shared) as added:
            result = call(data, rng=tracked, **params)
            if isinstance(result, Returned):
                result = Returned(released_values(result.returned))
        if traces is not None:
            traces.append(added.values)
        return result

    return fit


def _shared_additions(
    call: Callable[..., Any],
    data: Data,
    relation: Neighbours,
    params: Mapping[str, Any],
    seed: int,
) -> frozenset[int]:
    """The places of additions to noise whose value is equal in all fits of some neighbours.

    If such a value differs between other neighbours, the audit sees the difference in the release
    of the value to which the noise is added next.
    """
    traces: list[list[Floats]] = []
    fit = partial(_followed(call, frozenset(), traces), **params)
    rng = np.random.default_rng(seed)
    pairs = data.neighbours(relation, count=PAIRS, rng=rng)
    for one in chain.from_iterable(pairs):
        with record():
            seen(fit, one, seed)
    if len({len(values) for values in traces}) != 1:
        return frozenset()
    first, *others = traces
    differing: set[int] = set()
    for values in others:
        differing |= {k for k, one in enumerate(values) if not same(first[k], one)}
    return frozenset(range(len(first))) - differing


def _require_repeatable(
    fit: Callable[..., Any], data: Data, params: Mapping[str, Any], seed: int
) -> None:
    """Refuses a function with randomness that does not come from `rng`.

    The audit would take such randomness for a dependence on the data.

    Raises:
        ValueError: two fits of the same data with the same `rng` and the same noise differ, or are
            refused.
    """
    # a part is enough, and a fit to all may take minutes
    some = data.take(np.arange(min(len(data), ENOUGH)))
    found = replay_on_neighbour(partial(fit, **params), some, some, absentees=(), seed=seed)
    if found.refused:
        raise ValueError(found.refused)
    queries = ["what is randomised"] if max(found.moves, default=0.0) > MOVED else []
    if differing := [*found.leaks, *queries]:
        raise ValueError(
            "two fits of the same data with the same rng differ in "
            f"{' and '.join(differing)}: the audit cannot follow randomness from elsewhere; "
            "draw every random number from rng"
        )


def imported(name: str) -> Callable[..., Any]:
    """The function `module:function`, of a module on the path or in the current folder.

    Raises:
        DpfairError: there is no such module or function.
    """
    module, _, function = name.partition(":")
    # a command finds modules of the current folder only if it is on the path
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    except Exception as error:  # importing a module can raise any exception
        raise DpfairError(f"the module or function {name} cannot be imported: {error}") from error
    if not callable(found):
        raise DpfairError(f"MODULE:FUNCTION must name a function, got {name}")
    return found
