"""Records of ASIA: the true distribution is that of the published tables, and records follow it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import paths
from dpfair_cli.datasets import asia_causal
from dpfair_cli.models.causal_fairness.effects import (
    all_paths,
    counterfactual_effect,
    path_specific_effect,
    paths_through,
    total_effect,
)

(FILE,) = asia_causal.DATASET.files
# P(yes | ...) as printed by Lauritzen and Spiegelhalter (1988)
TUB = {1: 0.05, 0: 0.01}  # given asia
LUNG = {1: 0.1, 0: 0.01}  # given smoke
BRONC = {1: 0.6, 0: 0.3}
DYSP = {(1, 1): 0.9, (1, 0): 0.8, (0, 1): 0.7, (0, 0): 0.1}  # given bronc, either


def population(records=10_000):
    folder = Path(paths.data_folder())
    if not (folder / FILE.path).exists():
        pytest.skip(f"{FILE.path} is not in the data folder: set DPFAIR_DATA")
    return asia_causal.DATASET.load(folder, records=records)


def dyspnoea(lung, bronc, tub=0.01 * TUB[1] + 0.99 * TUB[0]):
    """P(dysp) for independent probabilities of lung cancer, bronchitis and tuberculosis."""
    either = 1 - (1 - lung) * (1 - tub)
    return sum(
        (bronc if b else 1 - bronc) * (either if e else 1 - either) * DYSP[b, e]
        for b in (0, 1)
        for e in (0, 1)
    )


def test_the_effects_of_smoking_are_those_worked_out_from_the_tables():
    _, joint = population().draw(np.random.default_rng(0))
    graph = population().graph
    at_0, at_1 = dyspnoea(LUNG[0], BRONC[0]), dyspnoea(LUNG[1], BRONC[1])
    assert total_effect(joint, graph) == pytest.approx(at_1 - at_0, abs=1e-9)
    assert path_specific_effect(joint, graph, all_paths(graph)) == pytest.approx(
        at_1 - at_0, abs=1e-9
    )
    lung = path_specific_effect(joint, graph, paths_through(graph, ("lung",)))
    assert lung == pytest.approx(dyspnoea(LUNG[1], BRONC[0]) - at_0, abs=1e-9)
    for asia in (0, 1):
        there = dyspnoea(LUNG[1], BRONC[1], TUB[asia]) - dyspnoea(LUNG[0], BRONC[0], TUB[asia])
        assert counterfactual_effect(joint, graph, {"asia": asia}) == pytest.approx(there, abs=1e-9)


def test_the_distribution_sums_to_one_and_drawn_records_follow_it():
    records, joint = population(records=40_000).draw(np.random.default_rng(1))
    assert joint.sum() == pytest.approx(1)
    shares = records.codes.mean(axis=0)
    for j in range(joint.ndim):
        share = joint.sum(axis=tuple(k for k in range(joint.ndim) if k != j))[1]
        assert shares[j] == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 40_000)), (
            records.graph.names[j]
        )


def test_another_seed_draws_other_records():
    first, second = (
        population(records=200).draw(np.random.default_rng(seed))[0] for seed in (0, 1)
    )
    assert (first.codes != second.codes).any()
