"""What a method promises with these parameters on these data, and what several fits cost together."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import Status
from dpfair_cli.contracts.privacy_statement import PrivacyStatement
from dpfair_cli.mechanisms.accounting.composition import basic_composition
from dpfair_cli.mechanisms.secure import EXACT

UNPAID_SCORES = "unpaid scores"  # the condition that exact scores beside a model break

Fit = tuple[str, Mapping[str, Any]]  # the name of a method and all its parameters


def broken_by_bounds(bounds: Literal["public", "data"]) -> list[str]:
    """The condition that bounds read from the data break."""
    return [catalog.BOUNDS_FROM_DATA] if bounds == "data" else []


def statement(
    method: str,
    params: Mapping[str, Any],
    *,
    bounds: str,
    mechanisms: Collection[str],
    seed: int | None,
    broken: Collection[str] = (),
) -> PrivacyStatement:
    """The claim of a fit of `method`.

    `bounds` says where ranges and levels are from, `mechanisms` what released, from a known `seed`
    or from secret noise (None), `broken` which other conditions of the claim do not hold.
    """
    known = (
        [] if seed is None else [f"known seed {seed}"]
    )  # whoever knows it can take the noise away
    stated, status = catalog.statement(method), catalog.standing(method, params, [*broken, *known])
    if status == catalog.NOT_PRIVATE:
        return PrivacyStatement(status, "none", stated["Source"])
    relation, _, public = stated["Neighbours"].rstrip(".").partition("; ")
    return PrivacyStatement(
        status,
        stated["Privacy"],
        stated["Source"],
        epsilon=f"{params['epsilon']:.12g}",
        delta=f"{params['delta']:.12g}" if "delta" in params else "",
        neighbours=relation,
        public="; ".join(filter(None, (public, f"bounds: {bounds}"))),
        released=released(method),
        arithmetic=arithmetic(mechanisms, seed),
        sampling=str(params.get("batches", params.get("sampling", "none"))),
        proof=stated.get("Proof", ""),
        tests=tests(method),
    )


def released(method: str) -> str:
    """What leaves a fit: "the weights" of "epsilon-differential privacy of the weights, ..."."""
    found = re.search(
        r"differential privacy of ([^,;.]+?)(?: is claimed)?[,;.]",
        catalog.statement(method)["Privacy"],
    )
    return found[1] if found else ""


def arithmetic(mechanisms: Collection[str], seed: int | None) -> str:
    """The arithmetic in which these mechanisms draw and add their noise, from a known seed or a
    secure generator.
    """
    exact = EXACT if seed is None else frozenset()
    parts = {
        "exact on a grid": sorted(exact & set(mechanisms)),
        "floating-point, whose last bits may tell values apart": sorted(set(mechanisms) - exact),
    }
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in parts.items() if names)


def tests(method: str) -> str:
    """The folder of the tests of a method's family, one of which is about it; of another package's,
    its module.
    """
    module = catalog.algorithms.modules[method]
    if method not in catalog.algorithms.own_modules:
        return f"those of {module}"
    return f"tests/algorithms/{module.split('.')[-2]}"


def price(fits: Iterable[Fit]) -> str:
    """What fits to the same data cost together, for each kind of neighbours, if each has secret
    noise of its own.
    """
    budgets: dict[str, list[tuple[float, float]]] = {}
    for method, params in fits:
        known = catalog.standing(method, params) not in (catalog.NOT_PRIVATE, Status.REFUTED)
        relation = str(catalog.neighbours(method)) if known else catalog.NOT_PRIVATE
        budgets.setdefault(relation, []).append(
            (params.get("epsilon", math.inf), params.get("delta", 0.0))
        )
    return "; ".join(_cost(relation, parts) for relation, parts in budgets.items())


def _cost(relation: str, budgets: Collection[tuple[float, float]]) -> str:
    if relation == catalog.NOT_PRIVATE:
        return f"without bound for {len(budgets)} ({relation})"
    epsilon, delta = basic_composition(budgets)
    spent = f"epsilon {epsilon:.12g}" + (f", delta {delta:.3g}" if delta else "")
    return f"{spent} for {len(budgets)} ({relation}, basic composition)"
