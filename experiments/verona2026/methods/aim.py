"""An intervention on private records of AIM: noisy tables of pairs, chosen round by round.

Source: McKenna et al. 2022, Algorithms 3 and 4, as smartnoise-synth 1.0.6 runs it
Differs: An intervention of verona2026 follows, whose framework calls the package. The joint table
    is held whole, in place of a junction tree, so that there is no limit on the size of the model
    but MOST_CELLS. The levels are public; the package reads them from the records. Records are
    drawn independently, where the package rounds the expected counts.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.models.synthesis.tree_records import as_observations

from ..models.concentrated_budget import Budget
from ..models.interventions import MODULE, Intervened, require_known
from ..models.joint_table import Axes, JointRecords, NoisyTables, counts

MOST_CELLS = 500_000  # of the joint table
MOST_PAIR_CELLS = 10_000  # of a table of two variables that is measured; the package's default
ROUNDS = 16  # for each variable
STEPS, LAST_STEPS = 60, 500  # of the descent in a round and after the last one; ours


@dp.checked
def fit(
    records: dp.Records,
    *,
    intervention: str = "no intervention",
    epsilon: dp.Epsilon = 1.0,
    delta: dp.Delta = 1e-9,
    rng: np.random.Generator,
) -> Intervened:
    """The private joint distribution of the columns, and the intervention on a sample of it.

    Args:
        records: The training records.
        intervention: What is done before, in or after the training of a rule on the sample, one of
            INTERVENTIONS; it costs no privacy of the training records.
        epsilon: The privacy loss.
        delta: The probability with which the loss may be larger.
        rng: The source of randomness.

    Raises:
        ValueError: the records do not have the encoding "binned", or the joint table of their
            columns has more than MOST_CELLS cells.
        DpfairError: the intervention is unknown.
    """
    known = require_known(intervention)
    # all, but for a record that an audit takes away
    present = dp.subsample(len(records), size=len(records), rng=rng).rows
    observations = as_observations(records.take(present))
    levels = observations.levels
    _require_few_cells(levels)
    variables, pairs = _candidates(levels)
    candidates = [*variables, *pairs]
    weights = np.array([_weight(axes, pairs) for axes in candidates], dtype=float)
    answers = {axes: counts(observations.values, axes, levels) for axes in candidates}
    budget = Budget.of(epsilon, delta, share=1 / (ROUNDS * len(levels)))
    model = NoisyTables(levels, tuple(candidates))

    def measure(axes: Axes) -> None:
        # bound: a record is in one cell; query: the counts of the cells; release
        noisy = dp.gaussian(answers[axes], l2_sensitivity=1.0, sigma=budget.sigma, rng=rng)
        # post-process
        model.add(axes, noisy, precision=budget.share)

    for axes in variables:
        measure(axes)
        budget.spend_on_table()
    model.fit(STEPS)
    while budget.has_rounds:
        budget.spend_on_round()
        before = model.tables()
        # bound: a record changes each distance by 1 at most; query: (candidates,)
        distances = [
            np.abs(answers[axes] - before[axes]).sum() - budget.expected_noise(before[axes].size)
            for axes in candidates
        ]
        # release
        chosen = dp.exponential(
            weights * distances,
            sensitivity=float(weights.max()),
            epsilon=budget.choice_epsilon,
            rng=rng,
        )
        pair = candidates[chosen]
        measure(pair)
        model.fit(STEPS)
        # post-process: less noise from now on, if this table brought less than its noise
        moved = np.abs(model.tables()[pair] - before[pair]).sum()
        if moved <= budget.expected_noise(before[pair].size):
            budget.share *= 4
    model.fit(LAST_STEPS)
    return Intervened(JointRecords(model.probabilities, records.domain), known)


def _require_few_cells(levels: tuple[int, ...]) -> None:
    if math.prod(levels) > MOST_CELLS:
        raise ValueError(
            f"the joint table of the columns has {math.prod(levels):,} cells, and may have at most "
            f"{MOST_CELLS:,}: leave out columns or cut numbers into fewer bins"
        )


def _candidates(levels: tuple[int, ...]) -> tuple[list[Axes], list[Axes]]:
    """The variables, and the pairs of them whose tables may be measured."""
    variables = range(len(levels))
    pairs: list[Axes] = [
        (i, j) for i, j in combinations(variables, 2) if levels[i] * levels[j] <= MOST_PAIR_CELLS
    ]
    return [(k,) for k in variables], pairs


def _weight(axes: Axes, pairs: list[Axes]) -> int:
    """The number of variables that a table shares with the pairs, counted pair by pair."""
    return sum(len(set(axes) & set(pair)) for pair in pairs)


ALGORITHM = dp.Algorithm(
    fit,
    source="McKenna et al. 2022, Algorithms 3 and 4, as smartnoise-synth 1.0.6 runs it",
    guarantee=dp.Guarantee(
        definition=dp.Definition.APPROXIMATE,
        released="the joint distribution, and any number of records drawn from it",
        neighbours=dp.Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=dp.Status.PROVED,
        proof=(
            "mechanisms/sensitivity/tables_of_counts.py, and the module concentrated_budget of "
            "verona2026"
        ),
    ),
    data_options={"encoding": "binned"},
    needs=MODULE,
)
