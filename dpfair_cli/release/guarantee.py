"""The privacy guarantee of a single fit, and the total privacy loss of several fits."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import BOUNDS_FROM_DATA, FitGuarantee, Guarantee, Status
from dpfair_cli.contracts.resolved import Method
from dpfair_cli.mechanisms.accounting.composition import basic_composition
from dpfair_cli.mechanisms.ledger import Usage
from dpfair_cli.mechanisms.secure import EXACT

UNPAID_SCORES = "unpaid scores"  # the condition that exact scores next to a model break
UNBOUNDED = "not private"  # in place of neighbours, for fits without a guarantee
Fit = tuple[Guarantee, Mapping[str, Any]]  # the guarantee of a method and all its parameters


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
) -> FitGuarantee:
    """The privacy guarantee of a fit of `method`.

    `bounds` is the origin of ranges and levels, as a text. `broken` are the violated conditions
    besides a known `seed`. Some methods have a delta that depends on the number `records` of fitted
    records, which is public for these methods.
    """
    algorithm, params = method.algorithm, method.params
    guarantee = algorithm.guarantee
    found = guarantee.for_fit(params, [*broken, *broken_by_seed(seed)])
    if guarantee.status_with(params) is Status.NOT_PRIVATE:
        return FitGuarantee(str(found), "none", algorithm.source)
    conditional = guarantee.status_with(params) is Status.CONDITIONAL
    return FitGuarantee(
        str(found),
        guarantee.promise,
        algorithm.source,
        epsilon=f"{params['epsilon']:.12g}",
        delta=f"{guarantee.stated_delta(params, records):.12g}" if "delta" in params else "",
        neighbours=guarantee.relation,
        public="; ".join(filter(None, (guarantee.public, f"bounds: {bounds}"))),
        released=guarantee.released,
        conditions=guarantee.conditions if conditional else "",
        arithmetic=arithmetic(used.mechanisms, seed),
        sampling=sampling(used.samplings),
        proof=guarantee.proof,
        tests=tests(algorithm),
    )


def sampling(schemes: Collection[str]) -> str:
    """The sampling schemes of the batches of a fit, as a text; "none" if there are no batches."""
    return ", ".join(sorted(schemes)) or "none"


def arithmetic(mechanisms: Collection[str], seed: int | None) -> str:
    """The arithmetic in which mechanisms draw noise, as a text: exact or floating-point."""
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


def price(fits: Iterable[Fit]) -> str:
    """The total privacy loss of several fits to the same data, for each kind of neighbours.

    The fits are assumed to have independent secret noise.
    """
    budgets: dict[str, list[tuple[float, float]]] = {}
    for guarantee, params in fits:
        lost = guarantee.status_with(params) in (Status.NOT_PRIVATE, Status.REFUTED)
        relation = UNBOUNDED if lost else str(guarantee.neighbours)
        budget = (params.get("epsilon", math.inf), params.get("delta", 0.0))
        budgets.setdefault(relation, []).append(budget)
    return "; ".join(_cost(relation, parts) for relation, parts in budgets.items())


def _cost(relation: str, budgets: Collection[tuple[float, float]]) -> str:
    if relation == UNBOUNDED:
        return f"without bound for {len(budgets)} ({relation})"
    epsilon, delta = basic_composition(budgets)
    spent = f"epsilon {epsilon:.12g}" + (f", delta {delta:.3g}" if delta else "")
    return f"{spent} for {len(budgets)} ({relation}, basic composition)"
