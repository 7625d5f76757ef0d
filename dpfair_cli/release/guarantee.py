"""The privacy guarantee of a single fit that is released."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import Algorithm, Method
from dpfair_cli.contracts.guarantees import BOUNDS_FROM_DATA, FitGuarantee, Status
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
    # otherwise the conditions do not matter
    conditional = guarantee.status_with(params) is Status.CONDITIONAL
    return FitGuarantee(
        str(found),
        # bounds that were read from the data break every promise
        "none" if found.status is Status.NOT_PRIVATE else guarantee.promise,
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
