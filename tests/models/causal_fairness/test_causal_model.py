"""The factorised model: tables by hand, joint by cell, and interventions by enumerated noise."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_cli.models.causal_fairness.causal_model import CausalModel, estimate
from dpfair_cli.models.causal_fairness.effects import all_paths, edges_of
from tests.models.causal_fairness.made_records import (
    dag,
    graphs,
    places,
    product_of_tables,
    random_joint,
)
from tests.oracles.structural_model import random_model

GRAPHS = graphs()
every = pytest.mark.parametrize("name", GRAPHS)
FIGURE = GRAPHS["figure 7.3"]  # a -> s, a -> y, s -> b, s -> y, b -> y

# P(y = 1 | a, b, s) = (1 + a + 2 a s + 4 b s) / 8; P(a) = 1/2; P(s | a) = 1/4, 3/4; P(b | s) = 1/4,
# 3/4
BY_HAND = CausalModel(
    FIGURE,
    (
        np.array(1 / 2),
        np.array([1 / 4, 3 / 4]),
        np.array([1 / 4, 3 / 4]),
        np.array([[[1, 1], [1, 5]], [[2, 4], [2, 8]]]) / 8,
    ),
)


@cache
def truth(name, seed=0):
    return random_model(GRAPHS[name], seed)


def edges(graph, *words):
    found = np.zeros_like(graph.arrows)
    for word in words:
        one, other = word.split(">")
        found[graph.place(one), graph.place(other)] = True
    return found


def test_one_cell_of_the_joint_by_hand():
    """a = 1, b = 0, s = 1, y = 0: 1/2 * 1/4 * 3/4 * 1/2.

    The factors are P(a = 1), P(b = 0 | s = 1), P(s = 1 | a = 1) and 4/8.
    """
    joint = BY_HAND.joint()
    assert joint.shape == (2,) * 4
    assert joint[1, 0, 1, 0] == pytest.approx(3 / 64, abs=1e-15)
    assert joint.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("along", "outcome"),
    [
        ((), 3 / 16),  # s = 0: (1 + a) / 8
        (("s>y",), 7 / 16),  # b as if s = 0: a = 0 gives (1 + 4/4) / 8, a = 1 gives (2 + 2 + 1) / 8
        (("s>b", "b>y"), 3 / 16),  # y sees s = 0, where b has no effect
        (("s>b", "b>y", "s>y"), 11 / 16),  # a = 0: (1 + 3) / 8, a = 1: (2 + 2 + 3) / 8
        (("s>b",), 3 / 16),  # b changes and does not carry it on
        (("b>y",), 3 / 16),  # nothing leaves s
        (("s>b", "s>y"), 7 / 16),  # as the direct edge alone
        (("a>y", "a>s"), 3 / 16),  # edges that nothing of s comes along
    ],
    ids=str,
)
def test_the_outcome_of_figure_7_3_along_some_edges_by_hand(along, outcome):
    assert BY_HAND.outcome(edges(FIGURE, *along)) == pytest.approx(outcome, abs=1e-12)


def test_all_edges_of_the_graph_are_an_intervention_on_s():
    assert BY_HAND.outcome(FIGURE.arrows) == pytest.approx(11 / 16, abs=1e-12)


@every
@pytest.mark.parametrize("seed", [0, 1])
def test_setting_s_gives_what_enumerated_noise_gives(name, seed):
    graph, world = GRAPHS[name], truth(name, seed)
    model = estimate(world.joint(), graph)
    y, s = world.y, world.s
    for value, along in ((0, np.zeros_like(graph.arrows)), (1, graph.arrows)):
        expected = world.chance @ world.value(y, {s: value})
        assert model.outcome(along) == pytest.approx(expected, abs=1e-12)


@every
def test_bundles_of_paths_give_the_enumerated_nested_counterfactual(name):
    """Section 7.2.4: variables see S = 1 along the paths, and the reference along other edges."""
    graph, world = GRAPHS[name], truth(name)
    model, every_path = estimate(world.joint(), graph), list(all_paths(graph))
    firsts = sorted({path[1] for path in every_path})
    for chosen in range(2 ** len(firsts)):
        paths = {path for path in every_path if chosen >> firsts.index(path[1]) & 1}
        expected = world.chance @ world.carried((world.y,), paths)
        assert model.outcome(edges_of(tuple(paths), len(graph.names))) == pytest.approx(
            expected, abs=1e-12
        )


@every
def test_tables_have_an_axis_a_parent_in_ascending_places(name):
    graph = GRAPHS[name]
    model = estimate(truth(name).joint(), graph)
    expected = [(2,) * len(graph.parents(j)) for j in range(len(graph.names))]
    assert [np.shape(table) for table in model.tables] == expected


@every
def test_the_joint_of_a_structural_model_is_given_back(name):
    joint = truth(name).joint()
    np.testing.assert_allclose(estimate(joint, GRAPHS[name]).joint(), joint, atol=1e-12)


def test_shares_given_parents_by_hand():
    """s -> y: of s = 0 (4 of 10) one in four has y, of s = 1 two in three."""
    joint = np.array([[3, 1], [2, 4]]) / 10
    model = estimate(joint, dag("s>y"))
    assert float(model.tables[0]) == pytest.approx(0.6)
    np.testing.assert_allclose(model.tables[1], [1 / 4, 2 / 3])


@pytest.mark.parametrize("order", [("y", "b", "s", "a"), ("s", "y", "a", "b")])
def test_the_order_of_the_names_makes_no_difference(order):
    """The same distribution with its axes turned."""
    turned = dag("a>s a>y s>b s>y b>y", names=order)
    joint = BY_HAND.joint().transpose([FIGURE.place(name) for name in order])
    model = estimate(joint, turned)
    np.testing.assert_allclose(model.joint(), joint, atol=1e-12)
    assert model.outcome(turned.arrows) == pytest.approx(11 / 16, abs=1e-12)
    assert model.outcome(edges_of(places(turned, "s y"), 4)) == pytest.approx(7 / 16, abs=1e-12)


tables = st.tuples(st.sampled_from(sorted(GRAPHS)), st.integers(0, 10**6))


@given(tables)
@settings(max_examples=40)
def test_the_joint_of_any_table_is_the_product_of_its_conditional_shares(drawn):
    name, seed = drawn
    graph = GRAPHS[name]
    joint = random_joint(len(graph.names), seed)
    np.testing.assert_allclose(
        estimate(joint, graph).joint(), product_of_tables(graph, joint), atol=1e-12
    )


@given(tables)
@settings(max_examples=40)
def test_the_joint_of_any_table_is_markov_to_the_graph(drawn):
    """Each variable given all earlier ones depends on its parents only, and keeps its share."""
    name, seed = drawn
    graph = GRAPHS[name]
    p = len(graph.names)
    joint = random_joint(p, seed, smallest=0) if seed % 2 else random_joint(p, seed)
    found = estimate(joint, graph).joint()
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)
    for k, j in enumerate(graph.order):
        before = graph.order[:k]
        known = _given(found, j, before)
        parents = _given(found, j, graph.parents(j))
        seen = ~np.isnan(known)
        np.testing.assert_allclose(known[seen], parents[seen], atol=1e-9)
    again = estimate(found, graph).joint()
    np.testing.assert_allclose(again, found, atol=1e-12)


def _given(joint, j, others):
    """P(v_j = 1 | others) with all p axes, NaN where it is not known."""
    rest = tuple(v for v in range(joint.ndim) if v != j and v not in others)
    table = joint.sum(axis=rest, keepdims=True)
    total = table.sum(axis=j, keepdims=True)
    known = np.divide(
        table.take([1], axis=j), total, out=np.full_like(total, np.nan), where=total > 1e-12
    )
    return np.broadcast_to(known, joint.shape)


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_with_every_arrow_the_joint_of_any_table_is_the_table(seed):
    joint = random_joint(4, seed)
    np.testing.assert_allclose(estimate(joint, GRAPHS["every arrow"]).joint(), joint, atol=1e-12)


def test_parents_that_never_occur_together_give_the_share_of_all():
    """a = s = 1 never occurs; y is 1 for 6 of 10."""
    joint = np.zeros((2, 2, 2))  # a, s, y
    joint[0, 0], joint[0, 1], joint[1, 0] = [0.2, 0.1], [0.1, 0.1], [0.1, 0.4]
    model = estimate(joint, dag("a>y s>y"))
    np.testing.assert_allclose(model.tables[2], [[1 / 3, 1 / 2], [4 / 5, 6 / 10]])
    np.testing.assert_allclose(model.joint().sum(), 1)


def test_the_joint_that_is_estimated_from_is_not_changed():
    joint = random_joint(4, 3)
    before = joint.copy()
    model = estimate(joint, FIGURE)
    model.joint()
    model.outcome(FIGURE.arrows)
    np.testing.assert_array_equal(joint, before)
