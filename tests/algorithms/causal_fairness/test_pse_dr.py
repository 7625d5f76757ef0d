"""PSE-DR: a table of the label without effects, by the smallest change."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize

from dpfair_cli.algorithms.causal_fairness import pse_dr
from dpfair_cli.models.causal_fairness.causal_model import empirical_joint, estimate
from dpfair_cli.models.causal_fairness.effects import (
    direct_path,
    path_specific_effect,
    paths_through,
    total_effect,
)
from tests.models.causal_fairness.made_records import dag, people, rows_of, unfair_people

EVERY_ARROW = dag("c>m c>s c>y s>m s>y m>y")  # any joint of c, m, s, y is the product of its tables
SEEDS = (1, 2, 3, 4)
every = pytest.mark.parametrize("seed", SEEDS)


def random_counts(seed):
    """Records of c, m, s, y with several in each cell, whose label depends on s and m."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(5, 40, (2, 2, 2, 2))
    counts[:, 1, :, 1] *= rng.integers(3, 9)
    counts[:, :, 1, 1] *= rng.integers(3, 9)
    counts[:, 1, 1, 1] *= 1 + seed  # nearly all records of these cells have the label
    counts[:, 1, 1, 0] = np.maximum(counts[:, 1, 1, 0], 20)  # and m follows s
    counts[:, 0, 0] *= 3
    return counts


@cache
def unfair(seed):
    return people(rows_of(random_counts(seed)), EVERY_ARROW, through=("m",))


@cache
def fitted(seed, threshold=0.05):
    return pse_dr.fit(unfair(seed), threshold=threshold, rng=np.random.default_rng(0))


def label_table(joint):
    """P(y = 1 | c, m, s)."""
    return joint[..., 1] / joint.sum(axis=-1)


def coefficients(joint):
    """Both effects are linear in the table of the label: sum of coefficients * table, written out
    by hand.

    direct: sum over c, m of P(c) P(m | s = 0, c) (t[c, m, 1] - t[c, m, 0])
    indirect: sum over c, m of P(c) (P(m | s = 1, c) - P(m | s = 0, c)) t[c, m, 0]
    """
    cms = joint.sum(axis=-1)
    c = cms.sum(axis=(1, 2))
    m = cms / cms.sum(axis=1, keepdims=True)  # P(m | c, s), axes c, m, s
    direct, indirect = np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    direct[:, :, 1] = c[:, None] * m[:, :, 0]
    direct[:, :, 0] = -direct[:, :, 1]
    indirect[:, :, 0] = c[:, None] * (m[:, :, 1] - m[:, :, 0])
    return direct, indirect


def effects(joint, graph=EVERY_ARROW, through=("m",)):
    return [
        path_specific_effect(joint, graph, paths)
        for paths in (direct_path(graph), paths_through(graph, through))
    ]


def change(ours, joint):
    """The sum over all cells of (P'(v) - P(v))^2."""
    return float(((ours - joint) ** 2).sum())


def with_table(joint, table):
    share = joint.sum(axis=-1)
    return np.stack([share * (1 - table), share * table], axis=-1)


@every
def test_the_effects_by_hand_are_those_of_the_data_and_large(seed):
    """What the other tests here rely on."""
    joint = empirical_joint(unfair(seed).codes)
    ours = [float((part * label_table(joint)).sum()) for part in coefficients(joint)]
    np.testing.assert_allclose(effects(joint), ours, atol=1e-12)
    assert ours[0] > 0.06
    assert ours[1] > 0.06


@every
@pytest.mark.parametrize("threshold", [0.05, 0.01])
def test_both_effects_are_within_the_threshold(seed, threshold):
    found = fitted(seed, threshold).joint
    assert np.abs(effects(found)).max() <= threshold + 1e-8
    for part in coefficients(found):
        assert abs((part * label_table(found)).sum()) <= threshold + 1e-8


@every
def test_the_result_is_a_distribution(seed):
    found = fitted(seed).joint
    assert found.shape == (2, 2, 2, 2)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)


@every
def test_only_the_table_of_the_label_changes(seed):
    found, joint = fitted(seed).joint, empirical_joint(unfair(seed).codes)
    np.testing.assert_allclose(found.sum(axis=-1), joint.sum(axis=-1), atol=1e-12)
    assert np.abs(label_table(found) - label_table(joint)).max() > 0.01


@every
def test_no_random_table_within_the_threshold_is_nearer(seed):
    """Tables without effects: any table, also near the optimum, moved towards a constant one."""
    joint, rng = empirical_joint(unfair(seed).codes), np.random.default_rng(seed)
    parts, best = coefficients(joint), change(fitted(seed).joint, joint)
    optimum = label_table(fitted(seed).joint)
    tried = 0
    for k in range(600):
        near = (optimum, label_table(joint))[k % 2]
        table = (
            rng.random((2, 2, 2))
            if k % 3 == 0
            else np.clip(near + rng.normal(0, 0.05, (2, 2, 2)), 0, 1)
        )
        largest = max(abs((part * table).sum()) for part in parts)
        constant = rng.random()
        table = constant + (table - constant) * min(1, 0.05 / largest)
        assert change(with_table(joint, table), joint) >= best - 1e-10
        tried += max(abs((part * table).sum()) for part in parts) <= 0.05 + 1e-12
    assert tried == 600


@every
def test_the_optimum_is_that_of_a_general_solver(seed):
    """scipy's SLSQP on the eight numbers of the table, with both effects as linear constraints."""
    joint = empirical_joint(unfair(seed).codes)
    start = label_table(joint)
    rows = np.array([part.ravel() for part in coefficients(joint)])
    weights = joint.sum(axis=-1).ravel() ** 2
    scale = 2 / (weights * start.ravel() ** 2).sum()
    found = minimize(
        lambda table: scale * (weights * (table - start.ravel()) ** 2).sum(),
        np.full(8, start.mean()),
        jac=lambda table: 2 * scale * weights * (table - start.ravel()),
        bounds=[(0, 1)] * 8,
        constraints=[
            {"type": "ineq", "fun": lambda table: 0.05 - rows @ table, "jac": lambda table: -rows},
            {"type": "ineq", "fun": lambda table: 0.05 + rows @ table, "jac": lambda table: rows},
        ],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert found.success
    general = with_table(joint, found.x.reshape(2, 2, 2))
    ours = fitted(seed).joint
    assert change(ours, joint) == pytest.approx(change(general, joint), rel=1e-5)
    np.testing.assert_allclose(ours, general, atol=1e-4)


def test_data_without_an_effect_stay_as_they_are():
    """y follows c alone, one in four and three in four of every cell."""
    counts = np.random.default_rng(0).integers(2, 9, (2, 2, 2))[..., None] * np.ones(2, dtype=int)
    counts[0] *= np.array([3, 1])
    counts[1] *= np.array([1, 3])
    data = people(rows_of(counts), EVERY_ARROW, through=("m",))
    found = pse_dr.fit(data, rng=np.random.default_rng(0)).joint
    np.testing.assert_allclose(effects(empirical_joint(data.codes)), 0, atol=1e-12)
    np.testing.assert_allclose(found, empirical_joint(data.codes), atol=1e-8)


@every
def test_data_within_a_wide_threshold_stay_as_they_are(seed):
    """No solver is asked: a table that is fair enough is its own nearest one."""
    found = fitted(seed, 0.99).joint
    np.testing.assert_allclose(found, empirical_joint(unfair(seed).codes), rtol=0, atol=1e-15)


def test_a_narrower_threshold_costs_more():
    joint = empirical_joint(unfair(1).codes)
    costs = [change(fitted(1, threshold).joint, joint) for threshold in (0.2, 0.1, 0.05, 0.01)]
    assert costs == sorted(costs)
    assert costs[-1] > costs[0]


def test_an_effect_of_the_other_sign_is_removed_too():
    """The label turned: everything that was for s = 1 is against it."""
    data = people(rows_of(random_counts(1)[..., ::-1]), EVERY_ARROW, through=("m",))
    assert max(effects(empirical_joint(data.codes))) < -0.06
    found = pse_dr.fit(data, rng=np.random.default_rng(0)).joint
    assert np.abs(effects(found)).max() <= 0.05 + 1e-8
    assert min(effects(found)) < -0.04  # and no further than needed


def test_without_attributes_to_pass_only_the_direct_effect_is_bounded():
    data = people(rows_of(random_counts(1)), EVERY_ARROW)
    found = pse_dr.fit(data, rng=np.random.default_rng(0)).joint
    direct, indirect = effects(found)
    assert abs(direct) <= 0.05 + 1e-8
    assert indirect > 0.06


def test_data_off_the_graph_get_the_product_of_their_tables():
    """Of the other variables exactly as counted; the label's table is the only one that moves."""
    data = unfair_people(400, seed=3)
    graph = data.graph
    model = pse_dr.fit(data, rng=np.random.default_rng(0))
    np.testing.assert_allclose(estimate(model.joint, graph).joint(), model.joint, atol=1e-10)
    before, after = estimate(empirical_joint(data.codes), graph), estimate(model.joint, graph)
    for j in range(3):
        np.testing.assert_allclose(after.tables[j], before.tables[j], atol=1e-10)
    assert np.abs(after.tables[3] - before.tables[3]).max() > 0.01
    assert np.abs(effects(model.joint, graph, ("b",))).max() <= 0.05 + 1e-8
    assert total_effect(model.joint, graph) < total_effect(empirical_joint(data.codes), graph)


def test_the_fit_takes_no_chance():
    one, two = (pse_dr.fit(unfair(1), rng=np.random.default_rng(seed)).joint for seed in (0, 1))
    assert one.tobytes() == two.tobytes()


def test_an_unidentified_indirect_effect_is_refused():
    graph = dag("s>school school>job school>y job>y s>y")
    counts = np.random.default_rng(0).integers(2, 9, (2,) * 4)
    with pytest.raises(ValueError, match=r"^[^\n]*school[^\n]*$"):
        pse_dr.fit(people(rows_of(counts), graph, through=("job",)), rng=np.random.default_rng(0))


def test_a_negative_threshold_is_refused_by_its_name():
    with pytest.raises(ValueError, match="threshold"):
        pse_dr.fit(unfair(1), threshold=-0.01, rng=np.random.default_rng(0))


def test_samples_have_the_domain_of_the_data():
    drawn = fitted(1).sample(100, rng=np.random.default_rng(0))
    assert len(drawn) == 100
    assert drawn.domain == unfair(1).domain
