"""The decision boundary covariance as a fairness term of a quadratic objective (xu2021, Equations 3.17 and 8.2).

g = sum (s_i - s_bar) x_i is the (scaled) difference between the mean records of the two groups. The papers can be
read in three ways, which are the values of the parameter `fairness`:

- "penalty": add alpha |g'w| to the objective (what the text wants; closed form);
- "shift": add alpha g to the linear coefficients (what the text on PFLR* writes);
- "drift": add alpha sum |s_i - s_bar| x_i to them (what line 3 of xu2021's Algorithm 5 writes).
"""

from __future__ import annotations

import math
from typing import get_args

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.people import Domain, Records
from dpfair_cli.mechanisms.budget import require_choice
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Fairness, Layout
from dpfair_cli.models.regression.quadratic import Quadratic, bounded, minimise_with_penalty


@once_per_records
def boundary_covariance(records: Records, *, bound: Bound, fairness: Fairness) -> Floats:
    """g, or its one-sided form for "drift", (d,).

    Raises:
        ValueError: an unknown reading, or a protected attribute that does not have two groups.
    """
    require_choice("fairness", fairness, get_args(Fairness))
    if len(records.domain.groups) != 2:
        raise ValueError(f"the decision boundary covariance needs two groups, got {len(records.domain.groups)}")
    offset = records.protected - records.protected.mean()  # (n,)
    covariance: Floats = bounded(records, bound=bound).T @ (np.abs(offset) if fairness == "drift" else offset)
    return covariance


def with_fairness(quadratic: Quadratic, g: Floats, *, fairness: Fairness, alpha: float) -> tuple[Quadratic, Floats]:
    """The objective with the fairness term, and the penalty vector that stays beside it (empty when g was added in).

    Raises:
        ValueError: alpha is negative or infinite.
    """
    if not 0 <= alpha < math.inf:
        raise ValueError(f"alpha must be finite and not negative, got {alpha}")
    if fairness == "penalty":
        return quadratic, alpha * g
    return Quadratic(quadratic.linear + alpha * g, quadratic.square), np.empty(0)


def fair_coefficients(quadratic: Quadratic, g: Floats, *, fairness: Fairness, alpha: float, layout: Layout) -> Floats:
    """What a mechanism perturbs: the coefficients with the fairness term added in, or followed by g for "penalty"."""
    objective, penalty = with_fairness(quadratic, g, fairness=fairness, alpha=alpha)
    return np.concatenate([objective.coefficients(layout), penalty])


def split_coefficients(coefficients: Floats, d: int, *, fairness: Fairness, layout: Layout) -> tuple[Quadratic, Floats]:
    """The objective and the penalty vector (empty unless "penalty") that these coefficients stand for."""
    end = len(coefficients) - d if fairness == "penalty" else len(coefficients)
    return Quadratic.from_coefficients(coefficients[:end], d, layout), coefficients[end:]


def involves(columns: tuple[int, ...], d: int, *, fairness: Fairness, layout: Layout) -> Mask:
    """Which of `fair_coefficients` belong to a product with a weight in `columns` (ding2020's Phi_s), as a mask."""
    touched = np.isin(np.arange(d), columns)  # (d,)
    marked = Quadratic(touched.astype(float), (touched[:, None] | touched[None, :]).astype(float))
    return fair_coefficients(marked, touched.astype(float), fairness=fairness, alpha=1.0, layout=layout) > 0


def chosen_columns(domain: Domain, attribute: str, rng: np.random.Generator) -> tuple[int, ...]:
    """The columns that encode `attribute`, or those of one attribute drawn at random.

    Raises:
        ValueError: there is no such attribute.
    """
    if attribute == "random":
        return domain.attributes[rng.choice(sorted(domain.attributes))]
    if attribute not in domain.attributes:
        raise ValueError(f"no attribute {attribute!r}: {nearest(attribute, domain.attributes)}")
    return domain.attributes[attribute]


def minimise_fair(quadratic: Quadratic, penalty: Floats) -> Floats:
    """The weights with the least f(w) + |penalty'w|, (d,); an empty penalty adds nothing."""
    return minimise_with_penalty(quadratic, penalty if len(penalty) else np.zeros_like(quadratic.linear), 1.0)
