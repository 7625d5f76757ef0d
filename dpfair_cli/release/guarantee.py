"""The privacy guarantee of a single fit that is released."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import Algorithm, Method
from dpfair_cli.contracts.guarantees import (
    BOUNDS_FROM_DATA,
    FitGuarantee,
    Guarantee,
    Neighbours,
    Status,
)
from dpfair_cli.mechanisms.ledger import Usage
from dpfair_cli.mechanisms.secure import EXACT


def broken_by_bounds(bounds: Literal["public", "data"]) -> list[str]:
    """The conditions of a privacy guarantee that bounds from the data violate; none if public."""
    return [BOUNDS_FROM_DATA] if bounds == "data" else []


def broken_by_seed(seed: int | None) -> list[str]:
    """The conditions of a privacy guarantee that a known seed violates; none for secret noise."""
    return [] if seed is None else [f"known seed {seed}"]


def of_fit(
    method: Method,
    *,
    bounds: str,
    used: Usage,
    seed: int | None,
    broken: Collection[str] = (),
    records: int,
    person: str = "",
) -> FitGuarantee:
    """The privacy guarantee of a fit of `method`.

    `bounds` is the origin of ranges and levels, as a text. `broken` are the violated conditions
    besides a known `seed`. Some methods have a delta that depends on the number `records` of fitted
    records, which is public for these methods. `person` is the column of the persons, if one record
    of each was used.
    """
    algorithm, params = method.algorithm, method.params
    guarantee = algorithm.guarantee
    found = guarantee.for_fit(params, [*broken, *broken_by_seed(seed)])
    if guarantee.status_with(params) is Status.NOT_PRIVATE:
        return FitGuarantee(str(found), "none", algorithm.source)
    # otherwise the conditions do not matter
    conditional = guarantee.status_with(params) is Status.CONDITIONAL
    # bounds that were read from the data break every promise
    is_promise = found.status is not Status.NOT_PRIVATE
    return FitGuarantee(
        str(found),
        guarantee.promise if is_promise else "none",
        algorithm.source,
        epsilon=f"{params['epsilon']:.12g}",
        delta=f"{guarantee.stated_delta(params, records):.12g}" if "delta" in params else "",
        neighbours=guarantee.relation,
        protects=protects(guarantee, person, delta="delta" in params) if is_promise else "",
        public="; ".join(filter(None, (guarantee.public, f"bounds: {bounds}"))),
        released=guarantee.released,
        conditions=guarantee.conditions if conditional else "",
        arithmetic=arithmetic(used.mechanisms, seed),
        sampling=sampling(used.samplings),
        proof=guarantee.proof,
        tests=tests(algorithm),
    )


def protects(guarantee: Guarantee, person: str, *, delta: bool) -> str:
    """What a guarantee is of: one person, or one record; empty for an edge of a graph.

    `person` is the column of the persons, if one record of each was used. The k records of a person
    are changed one after the other: epsilon is k times as large, and the factor of delta is the sum
    of e^(j epsilon) for j from 0 to k - 1, which is at most k e^((k - 1) epsilon).
    """
    if guarantee.neighbours is Neighbours.ONE_EDGE:
        return ""
    if person:
        return f"one person (column {person}); the set of persons is public"
    several = "one record; a person with k records (rows) has k times this epsilon"
    return f"{several} and k e^((k - 1) epsilon) times this delta" if delta else several


def sampling(schemes: Collection[str]) -> str:
    """The sampling schemes of the batches of a fit, as a text; "none" if there are no batches."""
    return ", ".join(sorted(schemes)) or "none"


def arithmetic(mechanisms: Collection[str], seed: int | None) -> str:
    """The arithmetic in which mechanisms draw noise, as a text: exact or floating-point."""
    # a known seed hides nothing, whatever its digits
    exact = EXACT if seed is None else frozenset()
    parts = {
        "exact on a grid": sorted(exact & set(mechanisms)),
        "floating-point, whose last bits may tell values apart": sorted(set(mechanisms) - exact),
    }
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in parts.items() if names)


def tests(algorithm: Algorithm) -> str:
    """The folder with the tests of an algorithm; for a plug-in, the algorithm's module."""
    if algorithm.name not in catalog.algorithms.own_modules:
        return f"those of {algorithm.module}"
    _, room, *folders, _ = algorithm.module.split(".")
    folder = folders[0]  # a paper, or a family of algorithms
    return f"experiments/{folder}/tests" if room == "papers" else f"tests/algorithms/{folder}"
