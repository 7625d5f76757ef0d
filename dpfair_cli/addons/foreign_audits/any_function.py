"""Audits of any function: by its noise where the audit can follow it, otherwise by its outcomes.

The outcomes are compared by their densities where they are a one-to-one map of noise, and otherwise
by their frequencies.

A function gets the records as arrays, or one of two neighbouring inputs that the user gives. Of
y, epsilon, delta and rng it gets those that it has parameters for.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, Self

import numpy as np

from dpfair_cli.addons.foreign_audits.densities import DensityFinding, audit_densities
from dpfair_cli.addons.foreign_audits.drawn_noise import NotOneToOneError
from dpfair_cli.addons.foreign_audits.foreign_code import (
    audit_call,
    followed_fit,
    imported,
    on_arrays,
)
from dpfair_cli.addons.foreign_audits.outcomes import (
    PAIRS,
    ClaimedPrivacy,
    OutcomeFinding,
    audit_outcomes,
)
from dpfair_cli.auditing.extremes import extreme_pairs
from dpfair_cli.auditing.finding import Finding
from dpfair_cli.auditing.noise import SHARED
from dpfair_cli.auditing.replaying import PairFinding, Returned, replay_on_neighbour
from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import Data
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import mechanisms_used

TRIED = 100  # pairs of neighbours of an audit by noise
REPEATED = 300  # fits of the same data that must agree before a difference counts as a leak
DIGITS = 6  # decimals of changes in units of noise that are compared
FEATURES, RECORDS = 3, 200  # of the random records
DENSITY_SHARE = 0.3  # of the time that is left to densities, where frequencies count too
MOST_PAIRS = 10**6  # of an audit by density, which ends after its time

Found = Finding | DensityFinding | OutcomeFinding
"""The result of an audit of a function."""


@dataclass(frozen=True, eq=False)
class GivenInput:
    """One of two neighbouring inputs that a user gives; the audit never looks inside it."""

    value: Any  # the input
    pairs: Sequence[tuple[Any, Any]] = ()  # all given pairs of neighbouring inputs
    columns: tuple[str, ...] = ()
    bounds: Literal["public", "data"] = "public"

    def __len__(self) -> int:
        return 1

    def take(self, rows: Ints) -> Self:
        """The same input: it has no rows."""
        return self

    def counts(self) -> dict[str, Any]:
        """Nothing: an input has no statistics."""
        return {}

    def fingerprint(self) -> str:
        """Nothing: no result is stored."""
        return ""

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Self, Self]]:
        """The given pairs in turn, `count` of them."""
        for k in range(count):
            left, right = self.pairs[k % len(self.pairs)]
            yield type(self)(left, self.pairs), type(self)(right, self.pairs)

    def altered(
        self, other: Self, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Self, Self]:
        """The same pair: only the user knows which inputs are neighbours."""
        return self, other

    def differing_rows(self, other: Self) -> Ints:
        """Nothing: an input has no rows."""
        return np.zeros(0, dtype=int)


@dataclass(frozen=True, eq=False)
class ForeignSubject:
    """A function, what it claims, and the neighbours for which it claims it."""

    name: str  # the name of the function
    call: Callable[..., Returned]  # the function of data and `rng`
    data: Data  # the data from which neighbours are made
    relation: Neighbours  # the neighbouring relation
    claim: ClaimedPrivacy  # the claimed privacy
    params: Mapping[str, Any] = field(default_factory=dict)  # the function's parameters

    def outcome(self, data: Data, rng: np.random.Generator) -> Any:
        """What the function returns for some data, as an observer sees it."""
        return self.call(data, rng=rng, **self.params).returned


def subject_of(
    function: Callable[..., Any],
    claim: ClaimedPrivacy,
    neighbours: str | Sequence[tuple[Any, Any]],
    records: Records,
) -> ForeignSubject:
    """The function with its claim; `neighbours` is a relation, or pairs of neighbouring inputs.

    Raises:
        ValueError: the relation is unknown, or there is no pair.
    """
    name = getattr(function, "__name__", type(function).__name__)
    params = {claim.name: claim.amount} | ({"delta": claim.delta} if claim.delta else {})
    if isinstance(neighbours, str):
        if neighbours not in (Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE):
            raise ValueError(
                "neighbours must be replace-one, add-or-remove-one or a list of pairs of "
                f"neighbouring inputs, got {neighbours!r}"
            )
        call = on_arrays(_given_what_it_takes(function))
        return ForeignSubject(name, call, records, Neighbours(neighbours), claim, params)
    pairs = list(neighbours)
    if not pairs:
        raise ValueError("neighbours must have at least one pair of neighbouring inputs, got none")
    taken = _given_what_it_takes(function)

    def call_on_input(one: GivenInput, *, rng: np.random.Generator, **given: Any) -> Returned:
        # a function may change its input, which the next run gets again
        return Returned(taken(copy.deepcopy(one.value), rng=rng, **given))

    first = GivenInput(pairs[0][0], pairs)
    return ForeignSubject(name, call_on_input, first, Neighbours.REPLACE_ONE, claim, params)


def random_records(rng: np.random.Generator) -> Records:
    """Records with features that are uniform on [0, 1], and random labels."""
    return records_of(rng.random((RECORDS, FEATURES)), rng.integers(2, size=RECORDS))


def records_of(X: Floats, y: Ints) -> Records:
    """The records with features X (n, d) in [0, 1] and labels y (n,) in {0, 1}.

    Raises:
        ValueError: an array has another shape, or a value is out of range.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if X.ndim != 2 or not (X.min(initial=0.0) >= 0 and X.max(initial=0.0) <= 1):
        raise ValueError(
            "the features of the data must be a matrix of numbers from 0 to 1: scale them back "
            "inside the function that is audited"
        )
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b"))
    return Records(X.copy(), y.astype(int), np.arange(len(X)) % 2, domain)


def audit_by_noise(
    subject: ForeignSubject, *, seconds: float, seed: int, neighbours: int = TRIED, **amounts: Any
) -> Finding:
    """The result of the audit of a function by its noise.

    `neighbours` and `amounts` are those of `audit_fit`.

    Raises:
        ValueError: every fit was refused, or the noise cannot be followed.
    """
    used: set[str] = set()

    def noting(data: Data, **given: Any) -> Returned:
        """The function, whose used mechanisms are noted: without any, nothing was followed."""
        with mechanisms_used() as found:
            result = subject.call(data, **given)
        used.update(found.mechanisms)
        return result

    found = audit_call(
        subject.name,
        noting,
        subject.data,
        relation=subject.relation,
        params=subject.params,
        seed=seed,
        neighbours=neighbours,
        seconds=seconds,
        **amounts,
    )
    if found.leaks and found.only_leaks and not (used and _repeats(subject, seed)):
        raise ValueError("the function has randomness that the audit cannot follow")
    return found


def audit_by_outcomes(subject: ForeignSubject, *, seconds: float, seed: int) -> OutcomeFinding:
    """The result of the audit of a function by the frequencies of its outcomes.

    Raises:
        Exception: the function raised it for the inputs of all pairs.
    """
    rng = np.random.default_rng(seed)
    drawn = subject.data.neighbours(subject.relation, count=4 * PAIRS, rng=rng)
    pairs = [_as_fitted(subject.relation, *pair) for pair in islice(drawn, 4 * PAIRS)]
    pairs.sort(key=lambda pair: len(pair[0]))  # a record counts most among few
    return audit_outcomes(
        subject.name, subject.outcome, pairs, claim=subject.claim, seconds=seconds, seed=seed
    )


def audit_by_density(subject: ForeignSubject, *, seconds: float, seed: int) -> DensityFinding:
    """The result of the audit of a function by the density of its outcomes.

    Raises:
        NotOneToOneError: the outcome is not known to be a one-to-one map of noise.
    """

    def altered(pair: tuple[Any, Any], rng: np.random.Generator) -> tuple[Any, Any]:
        """A pair like the given one.

        Only pairs of equal length can be altered, as the record that one of two others lacks has no
        counterpart.
        """
        left, right = pair
        if len(left) == len(right):
            left, right = left.altered(right, subject.relation, rng=rng)
        return left, right

    rng, extreme_rng = np.random.default_rng(seed).spawn(2)
    drawn = subject.data.neighbours(subject.relation, count=MOST_PAIRS, rng=rng)
    extreme = extreme_pairs(subject.data, subject.relation, rng=extreme_rng)
    pairs = (_as_fitted(subject.relation, *pair) for pair in _in_turn(extreme, drawn))
    name, run, claim = subject.name, subject.outcome, subject.claim
    return audit_densities(name, run, pairs, altered, claim=claim, seconds=seconds, seed=seed)


def _in_turn(extreme: Iterator[Any], drawn: Iterator[Any]) -> Iterator[Any]:
    """Yields a constructed pair, if there is one, and a drawn one in turn."""
    for pair in drawn:
        if constructed := next(extreme, None):
            yield constructed
        yield pair


def audit_without_following(
    subject: ForeignSubject, *, seconds: float, seed: int
) -> DensityFinding | OutcomeFinding:
    """The result of the audit by the density of outcomes and by their frequencies.

    The frequencies alone count if the outcome is no one-to-one map of noise. Otherwise they are
    compared too, because a rare outcome may be missed by the density.

    Raises:
        Exception: the function raised it.
    """
    try:
        by_density = audit_by_density(subject, seconds=DENSITY_SHARE * seconds, seed=seed)
    except NotOneToOneError:
        return audit_by_outcomes(subject, seconds=seconds, seed=seed)
    if not by_density.holds:
        return by_density
    left = (1 - DENSITY_SHARE) * seconds
    by_outcomes = audit_by_outcomes(subject, seconds=left, seed=seed)
    return by_density if by_outcomes.holds else by_outcomes


def audit_function(subject: ForeignSubject, *, seconds: float, seed: int, **amounts: Any) -> Found:
    """The result of the audit by noise or, if noise cannot be followed, by outcomes.

    `amounts` are those of `audit_by_noise`.

    Raises:
        Exception: the function raised it.
    """
    # an audit by noise finds an epsilon at a delta, and no rho
    if subject.claim.name == "rho":
        return audit_by_outcomes(subject, seconds=seconds, seed=seed)
    try:
        found = audit_by_noise(subject, seconds=seconds, seed=seed, **amounts)
    except ValueError:
        return audit_without_following(subject, seconds=seconds, seed=seed)
    # A descent adds the same noise to the gradient of each step, as of objective perturbation. The
    # steps are not published, and only the density of the minimiser counts
    if SHARED not in found.noise:
        return found
    try:
        return audit_by_density(subject, seconds=seconds, seed=seed)
    except NotOneToOneError:
        return found


def audit_named(
    name: str,
    records: Records,
    *,
    relation: Neighbours,
    params: Mapping[str, Any],
    seconds: float,
    seed: int,
    **amounts: Any,
) -> Found:
    """The result of the audit of the function `module:function` with all of its parameters.

    Args:
        name: The function, as `module:function`.
        records: The data for the audit.
        relation: The neighbouring relation.
        params: The function's parameters, including epsilon.
        seconds: The time for the audit.
        seed: The seed of the audit.
        **amounts: The arguments `neighbours`, `trials` and `tick` of `audit_fit`.

    Raises:
        DpfairError: there is no such module or function.
        ValueError: the function fails.
    """
    claim = ClaimedPrivacy(float(params["epsilon"]), params.get("delta", 0.0))
    subject = ForeignSubject(name, on_arrays(imported(name)), records, relation, claim, params)
    try:
        return audit_function(subject, seconds=seconds, seed=seed, **amounts)
    except Exception as error:  # the function may raise any exception
        raise ValueError(str(error) or type(error).__name__) from error


def worst_pair(subject: ForeignSubject, *, seed: int) -> tuple[Data, Data, PairFinding]:
    """A pair of neighbours with a leak or, if there is none, with the largest change of queries."""
    fit = followed_fit(
        subject.call, subject.data, subject.relation, params=subject.params, seed=seed
    )
    rng = np.random.default_rng(seed)
    tried = []
    for left, right in subject.data.neighbours(subject.relation, count=TRIED, rng=rng):
        rows = left.differing_rows(right).tolist()
        absentees = rows if subject.relation is Neighbours.ADD_OR_REMOVE_ONE else []
        found = replay_on_neighbour(fit, left, right, absentees=absentees, seed=seed)
        tried.append((*_as_fitted(subject.relation, left, right), found))
    return max(tried, key=_weight_of_a_pair)


def _weight_of_a_pair(tried: tuple[Data, Data, PairFinding]) -> tuple[bool, float, int]:
    """The order of pairs: leaks first, then the changes of queries, then the fewest records."""
    left, _, found = tried
    return bool(found.leaks), round(sum(found.moves), DIGITS), -len(left)


def _repeats(subject: ForeignSubject, seed: int) -> bool:
    """Whether repeated fits of the same data with the same `rng` and noise always agree."""
    fit = followed_fit(
        subject.call, subject.data, subject.relation, params=subject.params, seed=seed
    )
    rng = np.random.default_rng(seed)
    pairs = subject.data.neighbours(subject.relation, count=REPEATED, rng=rng)
    return not any(
        replay_on_neighbour(fit, left, left, absentees=(), seed=seed).leaks for left, _ in pairs
    )


def _as_fitted(relation: Neighbours, left: Data, right: Data) -> tuple[Data, Data]:
    """The pair of data sets; for add-or-remove-one, the second is the first without a record."""
    if relation is not Neighbours.ADD_OR_REMOVE_ONE:
        return left, right
    # both data sets are as long: the record in which they differ is the one that is removed
    rows = left.differing_rows(right)[:1]
    return left, left.take(np.delete(np.arange(len(left)), rows))


def _given_what_it_takes(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called with those of its arguments that it has parameters for.

    The first argument is always passed on; a second one, if the function has two parameters
    without a default besides the named ones.
    """
    kinds = inspect.signature(function).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in kinds)
    required = [each for each in kinds if each.kind in positional and each.default is each.empty]
    names = {each.name for each in kinds if each.kind is not inspect.Parameter.POSITIONAL_ONLY}

    def call(*arrays: Any, **named: Any) -> Any:
        """Passes on the arrays that the function has room for, and the arguments it takes."""
        room = sum(each.name not in named for each in required)
        kept = {name: value for name, value in named.items() if takes_any or name in names}
        return function(*arrays[: max(1, room)], **kept)

    return call
