"""The approximate bounds of SmartNoise SQL, audited by their outcomes."""

from __future__ import annotations

from typing import Any

from snsql.sql._mechanisms.approx_bounds import approx_bounds

from benchmarks.audited import Audited
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

EPSILON = 0.1  # a run takes a third of a second, and few runs refute no larger epsilon
ONES = [1.0] * 10
FAR, INFINITE = [*ONES, -1e30], [*ONES, float("inf")]
PAIRS = [(ONES, FAR), (ONES, INFINITE), (ONES, [*ONES, 100.0])]
WHY = (
    "Each value is counted in one of 128 bins, and noise is added to each count. Before the fix, a "
    "value outside of all bins or infinite raised a ValueError with this value, so that one "
    "record decided without noise whether there was a result."
)


def bounds(values: list[float], epsilon: float) -> list[Any]:
    """The approximate bounds, or -1 and -1 if no bin has enough values."""
    found = approx_bounds(values, epsilon)
    return [-1.0 if bound is None else bound for bound in found]


def mechanisms() -> dict[str, Audited]:
    """The mechanisms by name."""
    relation = "one value is added or removed"
    return {"approx_bounds": Audited(bounds, ClaimedPrivacy(EPSILON), PAIRS, relation, WHY)}
