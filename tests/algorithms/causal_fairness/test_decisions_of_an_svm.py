"""A1 and A3: the inputs of their decisions, and their effects where known by construction."""

from itertools import product

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_fairness import a1, a3
from dpfair_cli.models.causal_fairness.causal_model import empirical_joint
from dpfair_cli.models.causal_fairness.effects import counterfactual_effect, total_effect
from tests.models.causal_fairness.made_records import (
    dag,
    people,
    random_joint,
    rows_of,
    unfair_people,
)

both = pytest.mark.parametrize("algorithm", [a1, a3], ids=["a1", "a3"])
CAUSES = dag(
    "a>s b>s a>y s>m m>y s>y"
)  # a, b, m, s, y: a and b are all that does not descend from s


def fitted(algorithm, data, seed=0):
    return algorithm.fit(data, rng=np.random.default_rng(seed))


def decisions(joint):
    """P(y = 1 | all other variables), NaN for cells without records."""
    share = joint.sum(axis=-1)
    return np.divide(joint[..., 1], share, out=np.full_like(share, np.nan), where=share > 1e-12)


def any_people(graph, seed, n=400):
    """Random records, which need not follow the graph, with at least one in every cell."""
    counts = np.random.default_rng(seed).multinomial(
        n, random_joint(len(graph.names), seed).ravel()
    )
    return people(rows_of(counts.reshape((2,) * len(graph.names)) + 1), graph)


@both
@pytest.mark.parametrize("seed", range(4))
def test_every_column_but_the_label_stays_as_it_is(algorithm, seed):
    data = any_people(CAUSES, seed)
    found = fitted(algorithm, data).joint
    assert found.shape == (2,) * 5
    np.testing.assert_allclose(
        found.sum(axis=-1), empirical_joint(data.codes).sum(axis=-1), atol=1e-12
    )


@both
@pytest.mark.parametrize("seed", range(4))
def test_the_label_becomes_a_decision(algorithm, seed):
    """Nobody alike is decided about differently."""
    found = decisions(fitted(algorithm, any_people(CAUSES, seed)).joint)
    np.testing.assert_allclose(found, np.round(found), atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_a1_decides_by_what_does_not_descend_from_s_alone(seed):
    found = decisions(fitted(a1, any_people(CAUSES, seed)).joint)  # a, b, m, s
    np.testing.assert_allclose(found, np.broadcast_to(found[:, :, :1, :1], found.shape), atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_a1_has_no_total_and_no_counterfactual_effect_whatever_the_data(seed):
    """Records with equal causes of s have equal decisions."""
    data = any_people(CAUSES, seed)
    found = fitted(a1, data).joint
    assert abs(total_effect(empirical_joint(data.codes), CAUSES)) > 1e-6
    assert total_effect(found, CAUSES) == pytest.approx(0, abs=1e-12)
    for a, b in product((0, 1), repeat=2):
        assert counterfactual_effect(found, CAUSES, {"a": a, "b": b}) == pytest.approx(0, abs=1e-12)
    assert counterfactual_effect(found, CAUSES, {"b": 1}) == pytest.approx(0, abs=1e-12)


def test_a1_has_no_effect_by_an_attribute_independent_of_s():
    """s is a root and exactly independent of a; a equals the label of nine records in ten."""
    graph = dag("a>y s>m m>y s>y")  # a, m, s, y
    counts = np.ones((2, 2, 2, 2), dtype=int)
    counts[0, :, :, 0] = counts[1, :, :, 1] = 9
    counts[:, 0, 0] *= 3
    counts[:, 1, 1] *= 3
    found = fitted(a1, people(rows_of(counts), graph)).joint
    np.testing.assert_array_equal(
        np.round(decisions(found)), np.broadcast_to([[[0]], [[1]]], (2, 2, 2))
    )
    assert total_effect(found, graph) == pytest.approx(0, abs=1e-12)
    for a in (0, 1):
        assert counterfactual_effect(found, graph, {"a": a}) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("rare", [0, 1])
def test_a1_is_constant_where_all_attributes_descend_from_s(rare):
    """As in Table 7.2, where its accuracy is the share of the majority."""
    graph = dag("s>m m>y s>y")
    counts = np.random.default_rng(0).integers(4, 9, (2, 2, 2))
    counts[..., 1 - rare] *= 2
    found = fitted(a1, people(rows_of(counts), graph)).joint
    assert found[..., 1 - rare].sum() == pytest.approx(1, abs=1e-12)


@both
def test_a_label_that_one_cause_tells_becomes_that_cause(algorithm):
    """a tells the label of nine in ten, whatever else they are."""
    counts = np.random.default_rng(0).integers(3, 6, (2, 2, 2, 2, 1)) * np.ones(2, dtype=int)
    counts[0, ..., 0] *= 9
    counts[1, ..., 1] *= 9
    found = decisions(fitted(algorithm, people(rows_of(counts), CAUSES)).joint)
    np.testing.assert_allclose(
        found, np.broadcast_to(np.array([0, 1]).reshape(2, 1, 1, 1), found.shape), atol=1e-12
    )


@pytest.mark.parametrize("seed", range(4))
def test_where_only_the_label_descends_from_s_a3_is_a1(seed):
    """There are no residuals: both learn from the same attributes."""
    data = any_people(dag("a>s a>y b>y s>y"), seed)
    np.testing.assert_allclose(fitted(a3, data).joint, fitted(a1, data).joint, atol=1e-12)


def linear_people():
    """m = 1 - s; b depends on a and is exactly independent of s; y depends on a and mostly on s."""
    graph = dag("s>m a>b s>b a>y b>y m>y s>y")  # a, b, m, s, y
    counts = np.zeros((2, 2, 2, 2, 2), dtype=int)
    for a, b, s in product((0, 1), repeat=3):
        crowd = (10, 30)[a == b]
        favoured = {(0, 0): 1, (0, 1): 7, (1, 0): 3, (1, 1): 9}[a, s]  # of ten
        counts[a, b, 1 - s, s] = crowd * (10 - favoured), crowd * favoured
    return people(rows_of(counts), graph)


def test_a3_is_fair_where_what_descends_from_s_is_linear_in_it():
    """The residual of m is 0, that of b is a function of a and b: both are independent of s."""
    data = linear_people()
    joint = empirical_joint(data.codes)
    assert total_effect(joint, data.graph) == pytest.approx((6 + 6) / 20, abs=1e-12)
    found = fitted(a3, data).joint
    decided = np.array(
        [[[decisions(found)[a, b, 1 - s, s] for s in (0, 1)] for b in (0, 1)] for a in (0, 1)]
    )
    np.testing.assert_allclose(decided[..., 0], decided[..., 1], atol=1e-12)
    np.testing.assert_allclose(
        decided, np.broadcast_to([[[0]], [[1]]], (2, 2, 2)), atol=1e-12
    )  # 4 and 6 of ten
    assert total_effect(found, data.graph) == pytest.approx(0, abs=1e-12)
    for a in (0, 1):
        assert counterfactual_effect(found, data.graph, {"a": a}) == pytest.approx(0, abs=1e-12)


def test_a3_is_not_fair_where_the_noise_is_not_additive():
    """m is s for four in five: its residuals are -0.2 and 0.8 if s = 0, -0.8 and 0.2 if s = 1.
    Their sign is m.

    The label follows m, so that the decision is m, and the effect of s on it is that on m: 0.8 -
    0.2.
    """
    graph = dag("s>m m>y")  # m, s, y
    counts = np.array([[[36, 4], [9, 1]], [[1, 9], [4, 36]]])
    data = people(rows_of(counts), graph)
    found = fitted(a3, data).joint
    np.testing.assert_allclose(decisions(found), [[0, 0], [1, 1]], atol=1e-12)
    assert total_effect(found, graph) == pytest.approx(0.6, abs=1e-12)
    assert total_effect(fitted(a1, data).joint, graph) == pytest.approx(0, abs=1e-12)


@both
def test_the_same_records_give_the_same_bytes(algorithm):
    data = unfair_people(300)
    one, two = (fitted(algorithm, data).joint for _ in range(2))
    assert one.tobytes() == two.tobytes()


@both
def test_samples_have_the_domain_and_records_are_not_changed(algorithm):
    data = unfair_people(200)
    before = data.fingerprint()
    drawn = fitted(algorithm, data).sample(100, rng=np.random.default_rng(0))
    assert len(drawn) == 100
    assert drawn.domain == data.domain
    assert data.fingerprint() == before
