"""The study of chapter 7: the scores of the data, and of distributions with known effects."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import Algorithm, BoundFit
from dpfair_cli.metrics.generated_data import classifier_accuracies
from dpfair_cli.models.causal_fairness import effects
from dpfair_cli.models.causal_fairness.causal_model import empirical_joint
from dpfair_cli.models.causal_fairness.effects import direct_path, paths_through
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution
from dpfair_cli.tasks import causal_fairness
from tests.models.causal_fairness.made_records import dag, people

GRAPH = dag("a>y b>m b>y s>m m>y s>y")  # a, b, m, s, y
CONTEXTS = ((1, 1), (1, 0), (0, 1), (0, 0))  # of a and b, o1 to o4
IN_CONTEXTS = tuple(f"counterfactual_effect_o{k}" for k in (1, 2, 3, 4))
NAMED = (
    "total_effect",
    "direct_effect",
    "indirect_discrimination",
    "largest_counterfactual_effect",
    "chi2",
    *IN_CONTEXTS,
    "accuracy_svm",
    "accuracy_dt",
    "accuracy_lr",
    "accuracy_rf",
    "majority_accuracy",
    "selection_rate",
)


def roles(graph):
    """The indices of the protected variable and of the label."""
    return graph.place(graph.protected), graph.place(graph.label)


def unequal_records(n=3000, seed=0):
    """Records of which a third have the label; every path from s to it counts, most where a = 1."""
    rng = np.random.default_rng(seed)
    a, b, s = (rng.random((3, n)) < [[0.7], [0.6], [0.5]]).astype(int)
    m = (rng.random(n) < 0.2 + 0.4 * s + 0.2 * b).astype(int)
    y = (rng.random(n) < 0.05 + 0.05 * b + 0.2 * s * a + 0.3 * m + 0.1 * a).astype(int)
    return people(np.column_stack([a, b, m, s, y]), GRAPH, through=("m",), context=("a", "b"))


DATA = unequal_records()
JOINT = empirical_joint(DATA.codes)


def scores(fit, seed=0):
    case = causal_fairness.TASK.split(DATA, rng=np.random.default_rng(seed))
    return causal_fairness.TASK.study(fit, case, rng=np.random.default_rng(seed + 10)).scores


def of_the_data():
    return scores(
        BoundFit("copied_data", catalog.algorithm("copied_data"), {"shuffled": "nothing"})
    )


def of(joint):
    """The scores of a given distribution."""

    def fit(data, *, rng):
        return RecordDistribution(joint, data.domain, data.graph)

    return scores(BoundFit("known", Algorithm(fit), {}))


def test_every_score_is_declared_and_those_of_the_tables_are_among_them():
    found = of_the_data()
    assert set(found) <= set(causal_fairness.TASK.scores)
    assert set(NAMED) <= set(found)
    assert all(np.isfinite(found[name]) for name in NAMED)


def test_the_effects_of_the_data_are_those_of_their_joint():
    """Real data in Tables 7.1 and 7.2."""
    found = of_the_data()
    direct = effects.path_specific_effect(JOINT, GRAPH, direct_path(GRAPH))
    indirect = effects.path_specific_effect(JOINT, GRAPH, paths_through(GRAPH, ("m",)))
    assert found["total_effect"] == pytest.approx(effects.total_effect(JOINT, GRAPH), abs=1e-12)
    assert found["direct_effect"] == pytest.approx(direct, abs=1e-12)
    assert found["indirect_discrimination"] == pytest.approx(indirect, abs=1e-12)
    assert found["total_effect"] > 0.2


def test_the_contexts_are_both_the_first_the_second_neither():
    found = of_the_data()
    ours = [effects.counterfactual_effect(JOINT, GRAPH, {"a": a, "b": b}) for a, b in CONTEXTS]
    for k, expected in enumerate(ours, start=1):
        assert found[f"counterfactual_effect_o{k}"] == pytest.approx(expected, abs=1e-12)
    assert found["largest_counterfactual_effect"] == pytest.approx(max(map(abs, ours)), abs=1e-12)


def test_a_counterfactual_effect_by_counting_records():
    """Nothing causes s: with a = 1 and b = 0 it is the difference between the groups."""
    a, b, _, s, y = DATA.codes.T
    there = (a == 1) & (b == 0)
    expected = y[there & (s == 1)].mean() - y[there & (s == 0)].mean()
    assert of_the_data()["counterfactual_effect_o2"] == pytest.approx(expected, abs=1e-12)


def test_the_data_have_distance_zero_from_themselves():
    found = of_the_data()
    assert found["chi2"] == pytest.approx(0, abs=1e-9)
    for name, expected in classifier_accuracies(JOINT, JOINT, *roles(GRAPH), n=len(DATA)).items():
        assert found[name] == pytest.approx(expected, abs=1e-9), name


def test_majority_accuracy_and_selection_rate_by_counting_records():
    found = of_the_data()
    assert DATA.y.mean() < 0.5
    assert found["majority_accuracy"] == pytest.approx(1 - DATA.y.mean(), abs=1e-12)
    assert found["selection_rate"] == pytest.approx(DATA.y.mean(), abs=1e-12)


def test_a_distribution_that_is_the_data_has_nearly_their_scores():
    """Nearly, because records are drawn from it."""
    found, real = of(JOINT), of_the_data()
    for name in NAMED:
        if name != "chi2":
            assert found[name] == pytest.approx(real[name], abs=0.12), name
    assert found["chi2"] < 120  # two samples of 32 cells differ by about 31


def test_labels_by_chance_have_no_effect_of_any_kind():
    share = JOINT.sum(axis=-1, keepdims=True)
    found = of(share * [0.5, 0.5])
    for name in ("total_effect", "direct_effect", "indirect_discrimination"):
        assert abs(found[name]) < 0.1, name
    assert found["largest_counterfactual_effect"] < 0.2
    assert found["selection_rate"] == pytest.approx(0.5, abs=0.05)
    assert found["chi2"] > 60


def test_an_effect_against_s_has_its_sign_and_counts_by_its_size():
    """y = 1 - s: every total and counterfactual effect is -1, the direct one too."""
    joint = np.zeros_like(JOINT)
    for s in (0, 1):
        joint[:, :, :, s, 1 - s] = JOINT[:, :, :, s].sum(axis=-1)
    found = of(joint)
    for name in ("total_effect", "direct_effect", *IN_CONTEXTS):
        assert found[name] == pytest.approx(-1, abs=1e-9), name
    assert found["largest_counterfactual_effect"] == pytest.approx(1, abs=1e-9)
    assert found["indirect_discrimination"] == pytest.approx(0, abs=1e-9)


def test_majority_accuracy_is_that_of_the_real_records():
    joint = np.zeros_like(JOINT)
    joint[..., 1] = JOINT.sum(axis=-1)
    found = of(joint)
    assert found["majority_accuracy"] == pytest.approx(1 - DATA.y.mean(), abs=1e-12)
    assert found["selection_rate"] == pytest.approx(1, abs=1e-12)
    for name in ("accuracy_svm", "accuracy_dt", "accuracy_lr", "accuracy_rf"):
        assert found[name] == pytest.approx(DATA.y.mean(), abs=1e-9), name


def test_the_generator_learns_from_all_records():
    case = causal_fairness.TASK.split(DATA, rng=np.random.default_rng(0))
    np.testing.assert_allclose(empirical_joint(case.train.codes), JOINT, atol=1e-12)
    assert len(case.train) == len(DATA)


def test_the_same_seed_gives_the_same_scores():
    assert of(JOINT) == of(JOINT)


@pytest.mark.parametrize("name", ["pse_dr", "a1", "a3", "causal_gan", "cfgan", "fair_gan"])
def test_every_method_of_the_tables_is_offered_for_it(name):
    assert matching.can_score(catalog.study("causal_fairness"), catalog.algorithm(name))


def test_the_names_of_the_contexts_follow_their_order_in_the_data():
    turned = people(DATA.codes, GRAPH, through=("m",), context=("b", "a"))
    case = causal_fairness.TASK.split(turned, rng=np.random.default_rng(0))
    fit = BoundFit("copied_data", catalog.algorithm("copied_data"), {"shuffled": "nothing"})
    found = causal_fairness.TASK.study(fit, case, rng=np.random.default_rng(0)).scores
    for k, (b, a) in enumerate(product((1, 0), repeat=2), start=1):
        expected = effects.counterfactual_effect(JOINT, GRAPH, {"a": a, "b": b})
        assert found[f"counterfactual_effect_o{k}"] == pytest.approx(expected, abs=1e-12)


def test_a_private_graph_points_along_the_order_and_does_not_judge():
    """Records are scored with their own graph, whatever graph a method was given."""
    with_order = replace(DATA, tiers=(("a", "b", "s"), ("m",), ("y",)), graph_epsilon=1000.0)
    case = causal_fairness.TASK.split(with_order, rng=np.random.default_rng(0))
    assert case.judged.graph is GRAPH
    names = case.train.graph.names
    for cause, effect in np.argwhere(case.train.graph.arrows).tolist():
        assert ("abs".find(names[cause]) >= 0, names[effect]) in {
            (True, "m"),
            (True, "y"),
            (False, "y"),
        }


def test_a_private_graph_needs_an_order_of_causes():
    with pytest.raises(ValueError, match="tiers"):
        causal_fairness.TASK.split(replace(DATA, graph_epsilon=1.0), rng=np.random.default_rng(0))


def test_edges_are_counted_against_the_own_graph_in_any_direction():
    """Of a-y, b-m, b-y, s-m, m-y, s-y the other has four, one of them reversed, and also a-b."""
    other = dag("a>b b>m b>y m>s m>y")
    case = causal_fairness.TASK.split(DATA, rng=np.random.default_rng(0))
    changed = replace(case, train=replace(DATA, graph=other))
    found = causal_fairness.score(JOINT, changed)
    assert [found[f"edges_{which}"] for which in ("found", "missing", "extra")] == [4, 2, 1]
    own = of_the_data()
    assert [own[f"edges_{which}"] for which in ("found", "missing", "extra")] == [6, 0, 0]
