"""Assertions that a function is private, whose errors say in words what was found.

`pytest_dpfair` gives them to the tests of other projects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from dpfair_cli.addons.foreign_audits.any_function import (
    ForeignSubject,
    Found,
    GivenInput,
    audit_by_density,
    audit_by_noise,
    audit_by_outcomes,
    audit_function,
    random_records,
    records_of,
    subject_of,
    worst_pair,
)
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy, pair_in_words
from dpfair_cli.auditing.finding import Finding
from dpfair_cli.auditing.replaying import PairFinding

SECONDS = 20.0  # of one audit

By = Literal["noise or outcomes", "noise", "density", "outcomes"]
_AUDITS: dict[By, Callable[..., Found]] = {
    "noise or outcomes": audit_function,
    "noise": audit_by_noise,
    "density": audit_by_density,
    "outcomes": audit_by_outcomes,
}


class NotPrivateError(AssertionError):
    """The error that a function is not as private as it claims; the message says what was found."""


def assert_private(
    function: Callable[..., Any],
    *,
    epsilon: float,
    delta: float = 0.0,
    neighbours: str | Sequence[tuple[Any, Any]] = "replace-one",
    data: Sequence[Any] = (),
    by: By = "noise or outcomes",
    seconds: float = SECONDS,
    seed: int = 0,
) -> Found:
    """The result of an audit that found no contradiction to (epsilon, delta)-DP of `function`.

    Args:
        function: A function of X (n, d) in [0, 1], or of one input of the given pairs. It also gets
            y (n,) in {0, 1} if it has a second parameter, and epsilon, delta and rng, a NumPy
            generator, if it has parameters of these names.
        epsilon: The claimed epsilon, above 0 and finite.
        delta: The claimed delta.
        neighbours: "replace-one", "add-or-remove-one", or pairs of neighbouring inputs.
        data: X and y from which neighbours are made; empty for random records with 3 features.
        by: What is compared between neighbours: the "noise" and the values that it is added to, the
            "density" of single outcomes, the "outcomes" of many runs, or the outcomes only where
            the noise cannot be followed.
        seconds: The time for the audit.
        seed: The seed of the audit.

    Raises:
        NotPrivateError: the function is not private.
        ValueError: an argument is out of range, or the function cannot be audited by noise, or by
            density, if `by` says so.
        Exception: the function raised it.
    """
    __tracebackhide__ = True
    if not (0 < epsilon < np.inf and 0 <= delta < 1):
        raise ValueError(
            "epsilon must be a finite number above 0 and delta a number from 0 to below 1, got "
            f"epsilon={epsilon} and delta={delta}"
        )
    if by not in _AUDITS:
        raise ValueError(f"by must be one of {', '.join(_AUDITS)}, got {by!r}")
    claim = ClaimedPrivacy(float(epsilon), delta)
    return _asserted(function, claim, neighbours, data, _AUDITS[by], seconds, seed)


def assert_zero_concentrated(
    function: Callable[..., Any],
    *,
    rho: float,
    neighbours: str | Sequence[tuple[Any, Any]] = "replace-one",
    data: Sequence[Any] = (),
    seconds: float = SECONDS,
    seed: int = 0,
) -> Found:
    """The result of an audit that found no contradiction to rho-zCDP of `function`.

    The audit compares the outcomes of many runs. The arguments and errors are those of
    `assert_private`; the function gets `rho` if it has such a parameter.
    """
    __tracebackhide__ = True
    if not 0 < rho < np.inf:
        raise ValueError(f"rho must be a finite number above 0, got {rho}")
    claim = ClaimedPrivacy(float(rho), name="rho")
    return _asserted(function, claim, neighbours, data, audit_by_outcomes, seconds, seed)


def summary(found: Found) -> str:
    """The result of an audit in one line: what is claimed and what was found."""
    if not isinstance(found, Finding):
        return f"{found.method}: claimed {found.claim}, {found.in_words}"
    claim = ClaimedPrivacy(found.claimed, found.delta)
    return (
        f"{found.method}: claimed {claim}, found epsilon {found.found:.4g} on {found.pairs} pairs "
        "of neighbours"
    )


def _asserted(
    function: Callable[..., Any],
    claim: ClaimedPrivacy,
    neighbours: str | Sequence[tuple[Any, Any]],
    data: Sequence[Any],
    audit: Callable[..., Found],
    seconds: float,
    seed: int,
) -> Found:
    """The finding of an audit that found no contradiction, for either form of a claim.

    Raises:
        NotPrivateError: the audit found one.
    """
    __tracebackhide__ = True
    records = records_of(*data) if len(data) else random_records(np.random.default_rng(seed))
    subject = subject_of(function, claim, neighbours, records)
    found = audit(subject, seconds=seconds, seed=seed)
    if not found.holds:
        raise NotPrivateError(_message(subject, found, seed))
    return found


def evidence(subject: ForeignSubject, found: Found, *, seed: int) -> list[str]:
    """What contradicts the claim: the pair of neighbours, and the release or the outcome."""
    if not isinstance(found, Finding):
        return [
            f"found: {found.in_words}",
            f"pair: {pair_in_words(*found.pair)}",
            f"outcome: {found.outcome_in_words}",
        ]
    # the audit by noise keeps the largest change alone: the pair is searched for again
    left, right, pair = worst_pair(subject, seed=seed)
    return [
        f"found: {'; '.join(found.problems)}",
        f"pair: {pair_in_words(left, right)}",
        f"release: {_release_in_words(pair)}",
    ]


def _message(subject: ForeignSubject, found: Found, seed: int) -> str:
    """What an assertion says of a function that is not private: the claim, then the evidence."""
    relation = "given pairs" if isinstance(subject.data, GivenInput) else str(subject.relation)
    head = f"{subject.name} is not private: it claims {subject.claim} ({relation})"
    return "\n  ".join([head, *evidence(subject, found, seed=seed)])


def _release_in_words(pair: PairFinding) -> str:
    """The query that changes most in units of its noise, with the noise."""
    if not pair.moves:
        return "none: no noise was added in a way that the audit follows"
    place = int(np.argmax(pair.moves))
    entry, change = pair.tape[place], pair.changes[place]
    return (
        f"number {place + 1} of {len(pair.tape)}, by the mechanism {entry.mechanism} with scale "
        f"{entry.scale:.4g}, of a query that changes by {change:.4g}"
    )
