"""Upper bounds of the largest change of a query divided by its declared sensitivity.

A declared sensitivity may be larger than any change: a published formula may not be tight, or the
proof may add changes that no pair of neighbours reaches together. An audit then cannot reach 1. How
close it can get is computed here from a smaller proven bound, for each method for which one is
known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from dpfair_cli import catalog
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds import Data
from dpfair_cli.kinds.graphs import SAMPLED_NODES
from dpfair_cli.mechanisms.sensitivity.objective import (
    Bound,
    Sensitivity,
    l1_covariance,
    l1_fair_objective,
    l1_objective,
    l2_objective,
)
from dpfair_cli.mechanisms.sensitivity.walks import L1_WALKS

GRID = 41  # values of each number over which a maximum is computed
DRAWS, STEPS = 200, 1000  # of public context vectors, and of a number in [-1, 1]


@dataclass(frozen=True)
class Attainable:
    """An upper bound of the largest change of a query divided by its declared sensitivity."""

    share: float = 1.0
    """The upper bound; 1 if the sensitivity is reached, or if no smaller bound is known."""
    reason: str = ""  # why the bound is below 1; empty if it is 1


REACHED = Attainable()


def attainable(method: str, params: Mapping[str, Any], data: Data) -> Attainable:
    """The upper bound of the largest move that an audit of a method on `data` can find.

    Parameters that are not in `params` have their defaults.
    """
    bound = BOUNDS.get(method)
    found = bound(catalog.algorithm(method).complete(params), data) if bound else REACHED
    return found if found.share < 1 else REACHED  # a formula may be tight for these parameters


def _of_l1_objective(params: Mapping[str, Any], data: Any) -> Attainable:
    """The bound for Laplace noise on the coefficients of the objective."""
    d, sensitivity, bound = data.X.shape[1], params["sensitivity"], params["bound"]
    declared = l1_objective(d, sensitivity=sensitivity, bound=bound)
    return _of_formula(_proven_l1(d, bound), declared, sensitivity)


def _of_l1_fair_objective(
    params: Mapping[str, Any], data: Any, *, features: int | None = None
) -> Attainable:
    """The bound for the objective with its fairness term, of all or so many features."""
    d, sensitivity = features or data.X.shape[1], params["sensitivity"]
    bound, fairness, alpha = (params[name] for name in ("bound", "fairness", "alpha"))
    declared = l1_fair_objective(
        d, sensitivity=sensitivity, bound=bound, fairness=fairness, alpha=alpha
    )
    term = l1_covariance(d, sensitivity="tight", bound=bound, fairness=fairness)
    return _of_formula(_proven_l1(d, bound) + alpha * term, declared, sensitivity)


def _of_separate_releases(params: Mapping[str, Any], data: Any) -> Attainable:
    """The bound if the objective and its fairness term are two releases."""
    d, sensitivity = data.X.shape[1], params["sensitivity"]
    of_term = partial(l1_covariance, d, bound=params["bound"], fairness=params["fairness"])
    proven, declared = of_term(sensitivity="tight"), of_term(sensitivity=sensitivity)
    both = [_of_l1_objective(params, data), _of_formula(proven, declared, sensitivity)]
    return max(both, key=lambda one: one.share)


def _of_parts(params: Mapping[str, Any], data: Any) -> Attainable:
    """The bound if the coefficients of one attribute are a release, and all others another one."""
    d, tight = data.X.shape[1], {**params, "sensitivity": "tight"}  # declared for each release
    parts = [d, *(d - len(columns) for columns in data.domain.attributes.values())]
    found = [_of_l1_fair_objective(tight, data, features=part) for part in parts if part]
    return max(found, key=lambda one: one.share)


def _of_l2_objective(params: Mapping[str, Any], data: Any) -> Attainable:
    """The bound for Gaussian noise on the coefficients of the objective."""
    d, sensitivity = data.X.shape[1], params["sensitivity"]
    of_all = partial(l2_objective, d, bound=params["bound"], layout=params["layout"])
    return _of_formula(of_all(sensitivity="tight"), of_all(sensitivity=sensitivity), sensitivity)


def _of_formula(proven: float, declared: float, sensitivity: Sensitivity) -> Attainable:
    origin = {"published": "published", "tight": "declared"}[sensitivity]
    reason = f"the {origin} sensitivity is {declared:.4g}, and no change exceeds {proven:.4g}"
    return Attainable(proven / declared, reason)


def _proven_l1(d: int, bound: Bound) -> float:
    """An upper bound of the L1 change of the coefficients of the objective with d features.

    For the box it is the tight sensitivity. For the ball, let x and x' be the two records, a and b
    the sums of their features, and c the sum of min(x, x'). The change is at most (a + b) / 2 +
    (a^2 + b^2 - 2 c^2) / 8 (see mechanisms/sensitivity/objective.py). Let S be the features in
    which x >= x', and T the others. If the values of x and of x' in S and in T are replaced by
    their means, a, b and c stay the same and no norm grows. The maximum over two values for each
    record and the size of S is computed on a grid.
    """
    if bound == "box":
        return l1_objective(d, sensitivity="tight", bound=bound)
    # a quarter: features are not negative
    part, angle = np.linspace(0, 1, GRID), np.linspace(0, np.pi / 2, GRID)
    length = np.linspace(0, 1, 5)  # of a record
    share, one, other, r, s = np.meshgrid(part, angle, angle, length, length, sparse=True)
    in_S, in_T = np.sqrt(d * share), np.sqrt(d * (1 - share))
    x, y = (r * np.cos(one), r * np.sin(one)), (s * np.cos(other), s * np.sin(other))
    a, b = (in_S * u + in_T * v for u, v in (x, y))
    c = in_S * np.minimum(x[0], y[0]) + in_T * np.minimum(x[1], y[1])
    return float(((a + b) / 2 + (a**2 + b**2 - 2 * c**2) / 8).max())


def _of_minimiser(params: Mapping[str, Any], data: Any) -> Attainable:
    """The bound for the minimiser w of a regularised mean loss.

    By the proof in mechanisms/sensitivity/minimiser.py, w changes by at most |g - g'| / (mu n), for
    the gradients g and g' at w of the losses of the two records. The gradient of a record z of
    label 1 is -s(-w.z) z, with the logistic function s. As w is a minimiser, mu |w|^2 is a mean of
    s(-m) m over the margins m <= C |w|, where C is the largest norm of a record. This bounds |w|.
    The maximum of |g - g'| is computed on a grid of the parts of both records along w; their other
    parts are opposite.
    """
    mu, clip_norm = params["mu"], params["clip_norm"]
    standard = data.domain.standard or [(0.0, 1.0)] * data.X.shape[1]
    centre, spread = np.array(standard).T
    longest_record = np.linalg.norm(np.maximum(centre, 1 - centre) / spread)
    C = min(clip_norm, float(longest_record))
    margins = np.linspace(0, 2, 10**4)
    # if a margin at its best length can be reached
    free = sqrt(float((expit(-margins) * margins).max()) / mu)
    # if every margin is as long as it can be
    stuck = brentq(lambda w: mu * w - C * expit(-C * w), 0, C / mu)
    longest = free if C * free >= margins[(expit(-margins) * margins).argmax()] else stuck
    along = np.linspace(-C, C, 10 * GRID)
    wrong = expit(longest * along)  # the worst case: the weights decide wrongly on the record
    with_w, across = wrong * along, wrong * np.sqrt(C**2 - along**2)
    apart = np.hypot(with_w[:, None] - with_w, across[:, None] + across).max()
    share = float(apart) / (2 * clip_norm)
    reason = (
        f"under the penalty mu = {mu:g} the weights are at most {longest:.3g} long, so that the "
        f"gradients of two records differ by at most {apart:.3g}, and not by {2 * clip_norm:g}"
    )
    return Attainable(share, reason)


def _of_public_context(params: Mapping[str, Any], data: Any) -> Attainable:
    """The bound for the walk matrix times public random context vectors h_j."""
    # the vectors are public, and any seed has their law
    rng, k = np.random.default_rng(0), params["dimension"]
    draws = [
        rng.integers(-STEPS, STEPS, size=(SAMPLED_NODES, k), endpoint=True) / STEPS / sqrt(k)
        for _ in range(DRAWS)
    ]
    furthest = max(_distances(H).max() for H in draws)
    reason = (
        f"{SAMPLED_NODES} random public vectors of dimension {k} are at most {furthest:.3g} apart, "
        "and the declared sensitivity allows 2"
    )
    return Attainable(max(map(largest_change, draws)) / L1_WALKS, reason)


def _distances(H: Floats) -> Floats:
    """The distances of all pairs of rows of H."""
    one, other = np.triu_indices(len(H), 1)
    return np.asarray(np.linalg.norm(H[one] - H[other], axis=1))


def largest_change(H: Floats) -> float:
    """An upper bound of the sum of row norms of the change of M H, for the walk matrix M.

    The three cases are those of mechanisms/sensitivity/walks.py. First case: see `_joined`. Second
    case: a row is new, (e_r + P'_r) / 2 with P'_r uniform over p >= 2 other nodes, and the entries
    of the other rows change by 1 in sum and add up to 0 in each row. Third case: two rows are new,
    which both are the mean of the same two unit rows.
    """
    one, other = np.triu_indices(len(H), 1)
    apart, longest = _distances(H), np.linalg.norm(H, axis=1).max()
    along = max(0.0, float((H[one] * H[other]).sum(axis=1).max()))
    new_row = sqrt(1.5 * longest**2 + 2.5 * along) / 2
    two_rows = np.linalg.norm(H[one] + H[other], axis=1).max()
    joined = _joined(apart.min(), apart.max(), len(H))
    return float(max(joined, new_row + apart.max() / 2, two_rows))


def _joined(nearest: float, furthest: float, nodes: int) -> float:
    """An upper bound of the sum of row norms of the change of M H if both ends had an edge before.

    The distances of the rows of H are from `nearest` to `furthest`. Let u - v be a change of a row
    of M, with disjoint u and v of mass t. Its product with H has the squared norm u'Dv - u'Du / 2 -
    v'Dv / 2 for the squared distances D, which is at most t^2 (furthest^2 - nearest^2) + nearest^2
    |u - v|^2 / 2. In the notation of mechanisms/sensitivity/walks.py, the rows of the neighbours of
    r change by (p - 1) x / (2 p) times e_s - P_r in sum, of mass 1 and squared norm 1 + 1 / (p -
    1). Row r changes by 1 / (2 p) times e_s - P_r + P'_s - P_r P, of a mass of at most 2 - min(x, 1
    / q). The squared norm of P'_s - P_r P is at most 1/q + x - 2 x / q, because no entry of P_r P
    exceeds x. The product of P_r and P_r P is at most (1 - x) / (p - 1), and 0 for p = 2. The
    maximum is computed for all degrees p and q on a grid of x.
    """
    degrees = np.arange(2, nodes)
    p, q, x = np.meshgrid(degrees, degrees, np.linspace(0, 1, GRID), indexing="ij", sparse=True)
    spread, half = furthest**2 - nearest**2, nearest**2 / 2
    of_step = 1 + 1 / (p - 1)
    mass = 2 - np.minimum(x, 1 / q)
    inside = np.where(p > 2, (1 - x) / (p - 1), 0.0)
    of_row = np.minimum(of_step + 1 / q + x - 2 * x / q + 2 * inside, 2 * mass**2)
    others = (p - 1) * x * np.sqrt(spread + half * of_step)
    one_end = ((others + np.sqrt(spread * mass**2 + half * of_row)) / (2 * p)).max(axis=2)
    return float((one_end + one_end.T).max())


BOUNDS: dict[str, Callable[[Mapping[str, Any], Any], Attainable]] = {
    "dpne_public_context": _of_public_context,
    "functional_mechanism": _of_l1_objective,
    "output_perturbation": _of_minimiser,
    "pdfc": _of_parts,
    "pflr": _of_l1_fair_objective,
    "pflr_star": _of_separate_releases,
    "relaxed_functional_mechanism": _of_l2_objective,
}
"""The bounds, with the parameters and the data of an audit, by the name of the method."""
