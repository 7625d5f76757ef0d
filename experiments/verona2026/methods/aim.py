"""An intervention on private records of AIM: noisy tables of pairs, chosen round by round.

Source: McKenna, Mullins, Sheldon and Miklau 2022, Algorithms 3 and 4, with the settings of
    smartnoise-synth 1.0.6, which the framework of verona2026 calls.
Differs: The joint table is held whole, in place of a junction tree, so that there is no limit on
    the size of the model but MOST_CELLS. The levels are public; the package reads them from the
    records. Records are drawn independently, where the package rounds the expected counts.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import scipy  # which imports its modules when they are used

import dpfair_cli.plugin as dp
from dpfair_cli.models.synthesis.tree_records import as_observations

from ..models.interventions import Intervened, Intervention
from ..models.joint_table import Axes, JointRecords, Measured, Sums, fitted, shares

MOST_CELLS = 500_000  # of the joint table
MOST_PAIR_CELLS = 10_000  # of a table of two variables that is measured; the package's default
ROUNDS = 16  # for each variable
OF_TABLES = 0.9  # of the budget of a round; the rest is for the choice
STEPS, LAST_STEPS = 60, 500  # of the descent in a round and after the last one; ours
CERTAIN = 1e-9  # by which a root is rounded down, relatively


@dp.checked
def fit(
    records: dp.Records,
    *,
    intervention: Intervention = "no intervention",
    epsilon: dp.Epsilon = 1.0,
    delta: dp.Delta = 1e-9,
    rng: np.random.Generator,
) -> Intervened:
    """The private joint distribution of the columns, and the intervention on a sample of it.

    Args:
        records: The training records.
        intervention: What is done before, in or after the training of a rule on the sample.
        epsilon: The privacy loss.
        delta: The probability with which the loss may be larger.
        rng: The source of randomness.

    Raises:
        ValueError: the records do not have the encoding "binned", or the joint table of their
            columns has more than MOST_CELLS cells.
    """
    # all, but for a record that an audit takes away
    present = dp.subsample(len(records), size=len(records), rng=rng).rows
    observations = as_observations(records.take(present))
    levels = observations.levels
    if math.prod(levels) > MOST_CELLS:
        raise ValueError(
            f"the joint table of the columns has {math.prod(levels):,} cells, and may have at most "
            f"{MOST_CELLS:,}: leave out columns or cut numbers into fewer bins"
        )
    variables = [(k,) for k in range(len(levels))]
    pairs = [
        pair
        for pair in combinations(range(len(levels)), 2)
        if levels[pair[0]] * levels[pair[1]] <= MOST_PAIR_CELLS
    ]
    candidates: list[Axes] = [*variables, *pairs]
    weights = np.array([_weight(axes, pairs) for axes in candidates], dtype=float)
    answers = {axes: _counts(observations.values, axes, levels) for axes in candidates}
    rho = zero_concentrated(epsilon, delta)

    share = 1 / (ROUNDS * len(levels))  # of the budget, for a round
    measured: dict[Axes, Measured] = {}

    def measure(axes: Axes) -> None:
        # bound: a record is in one cell; query: the counts of the cells; release
        sigma = _sigma(share, rho)
        noisy = dp.gaussian(answers[axes], l2_sensitivity=1.0, sigma=sigma, rng=rng)
        # post-process
        measured[axes] = Measured(noisy, share).joined(measured.get(axes))

    for axes in variables:
        measure(axes)
    used = len(variables) * OF_TABLES * share
    logs = fitted(np.zeros(levels), measured, total=_total(measured), steps=STEPS)
    every = Sums(levels, tuple(candidates))
    is_last = False
    while not is_last:
        if 1 - used < 2 * share:
            share, is_last = 1 - used, True
        used += share
        model = {axes: _total(measured) * part for axes, part in every.down(shares(logs)).items()}
        # bound: a record changes each distance by 1 at most; query: (candidates,)
        noise = math.sqrt(2 / math.pi) * _sigma(share, rho)
        distances = [
            np.abs(answers[axes] - model[axes]).sum() - noise * model[axes].size
            for axes in candidates
        ]
        # release
        chosen = dp.exponential(
            weights * distances,
            sensitivity=float(weights.max()),
            epsilon=math.sqrt(8 * (1 - OF_TABLES) * share * rho),
            rng=rng,
        )
        pair = candidates[chosen]
        measure(pair)
        logs = fitted(logs, measured, total=_total(measured), steps=STEPS)
        # post-process: less noise from now on, if this table brought less than its noise
        moved = np.abs(_total(measured) * every.down(shares(logs))[pair] - model[pair]).sum()
        if moved <= noise * model[pair].size:
            share *= 4
    logs = fitted(logs, measured, total=_total(measured), steps=LAST_STEPS)
    return Intervened(JointRecords(shares(logs), records.domain), intervention)


def _weight(axes: Axes, pairs: list[tuple[int, int]]) -> int:
    """The number of variables that a table shares with the pairs, counted pair by pair."""
    return sum(len(set(axes) & set(pair)) for pair in pairs)


def _counts(values: dp.Ints | dp.Floats, axes: Axes, levels: tuple[int, ...]) -> dp.Floats:
    shape = [levels[axis] for axis in axes]
    cells = np.ravel_multi_index(values[:, list(axes)].T.astype(np.int64), shape)
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(float)


def _sigma(share: float, rho: float) -> float:
    """The standard deviation of the noise of a table in a round with this share of the budget."""
    return math.sqrt(1 / (2 * OF_TABLES * share * rho))


def _total(measured: dict[Axes, Measured]) -> float:
    """The number of records, from the sums of all tables, weighted by their precisions."""
    sums = np.array([own.counts.sum() for own in measured.values()])
    precisions = np.array([own.precision / own.counts.size for own in measured.values()])
    return max(float(sums @ precisions / precisions.sum()), 1.0)


def zero_concentrated(epsilon: float, delta: float) -> float:
    """The largest rho such that rho-zero-concentrated DP is (epsilon, delta)-DP, rounded down.

    Source: Canonne, Kamath and Steinke 2020, Corollary 13.

    >>> round(zero_concentrated(2, 1e-9), 4)  # that of smartnoise-synth is the same
    0.0561
    """
    if math.isinf(epsilon):
        return math.inf

    def excess(log_rho: float) -> float:
        """How far the logarithm of delta is too large at the best order."""

        def log_delta(log_order: float) -> float:
            above = math.exp(log_order)  # the order minus 1
            order = 1 + above
            divergence = above * (order * math.exp(log_rho) - epsilon)
            return divergence - order * math.log1p(1 / above) - math.log(above)

        best = scipy.optimize.minimize_scalar(log_delta, bounds=(-10, 20), method="bounded")
        return float(best.fun) - math.log(delta)

    root = scipy.optimize.brentq(excess, -60, 10)
    return math.exp(root) * (1 - CERTAIN)


ALGORITHM = dp.Algorithm(
    fit,
    source="McKenna et al. 2022, Algorithms 3 and 4, as the framework of verona2026 calls it",
    guarantee=dp.Guarantee(
        definition=dp.Definition.APPROXIMATE,
        released="the joint distribution, and any number of records drawn from it",
        neighbours=dp.Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=dp.Status.AS_PUBLISHED,
    ),
    needs="fairlearn",
)
