"""Total, path-specific and counterfactual effects: by hand, by enumerated noise, not identified."""

from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_cli.models.causal_fairness.causal_model import CausalModel
from dpfair_cli.models.causal_fairness.effects import (
    all_paths,
    counterfactual_effect,
    direct_path,
    path_specific_effect,
    paths_through,
    total_effect,
)
from tests.models.causal_fairness.made_records import dag, graphs, places, random_joint
from tests.oracles.structural_model import random_model

GRAPHS = graphs()
FIGURE = GRAPHS["figure 7.3"]  # a -> s, a -> y, s -> b, s -> y, b -> y
every = pytest.mark.parametrize("name", GRAPHS)
seeds = pytest.mark.parametrize("seed", [0, 1, 2])

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
).joint()


@cache
def truth(name, seed):
    return random_model(GRAPHS[name], seed)


def plain_difference(joint, graph):
    """P(y | s = 1) - P(y | s = 0)."""
    s, y = graph.place("s"), graph.place("y")
    two = joint.sum(axis=tuple(v for v in range(joint.ndim) if v not in (s, y)))
    two = two if s < y else two.T
    return two[1, 1] / two[1].sum() - two[0, 1] / two[0].sum()


def test_the_total_effect_by_hand_is_not_the_difference_between_the_groups():
    """do(s = 1): a = 0 gives (1 + 3) / 8, a = 1 gives (2 + 2 + 3) / 8; do(s = 0): 1/8 and 2/8.

    Of the records with s = 1 three in four have a = 1: 25/32; of the others one in four: 5/32.
    """
    assert total_effect(BY_HAND, FIGURE) == pytest.approx((4 + 7) / 16 - (1 + 2) / 16, abs=1e-12)
    assert plain_difference(BY_HAND, FIGURE) == pytest.approx(25 / 32 - 5 / 32, abs=1e-12)


def test_direct_and_indirect_effects_by_hand_do_not_sum_to_the_total():
    """Direct: b as if s = 0, 1 in four: a = 0 gives (1 + 1 - 1) / 8, a = 1 gives (4 + 1 - 2) / 8.

    Through b: y sees s = 0, where b has no effect.
    """
    direct = path_specific_effect(BY_HAND, FIGURE, direct_path(FIGURE))
    assert direct == pytest.approx((1 + 3) / 16, abs=1e-12)
    through = path_specific_effect(BY_HAND, FIGURE, paths_through(FIGURE, ("b",)))
    assert through == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("a", "effect"), [(0, 3 / 8), (1, 5 / 8)])
def test_counterfactual_effects_by_hand(a, effect):
    assert counterfactual_effect(BY_HAND, FIGURE, {"a": a}) == pytest.approx(effect, abs=1e-12)


@every
@seeds
def test_the_total_effect_is_that_of_enumerated_noise(name, seed):
    world = truth(name, seed)
    assert total_effect(world.joint(), GRAPHS[name]) == pytest.approx(
        world.total_effect(), abs=1e-12
    )


@every
@seeds
def test_the_effect_along_bundles_of_paths_is_that_of_enumerated_noise(name, seed):
    """Every set of edges from S, with all paths that begin with them: no recanting witness."""
    graph, world = GRAPHS[name], truth(name, seed)
    every_path, joint = list(all_paths(graph)), world.joint()
    firsts = sorted({path[1] for path in every_path})
    for size in range(len(firsts) + 1):
        for chosen in combinations(firsts, size):
            paths = tuple(path for path in every_path if path[1] in chosen)
            found = path_specific_effect(joint, graph, paths)
            assert found == pytest.approx(world.path_specific_effect(paths), abs=1e-12), chosen


@every
@seeds
def test_a_counterfactual_effect_is_that_of_enumerated_noise(name, seed):
    """Every context of one or two variables that do not descend from S."""
    graph, world = GRAPHS[name], truth(name, seed)
    s, joint = graph.place("s"), world.joint()
    others = [
        v
        for v in range(len(graph.names))
        if v not in (s, graph.place("y")) and v not in graph.descendants(s)
    ]
    for size in (1, 2):
        for chosen in combinations(others, size):
            for values in product((0, 1), repeat=size):
                context = dict(zip(chosen, values, strict=True))
                named = {graph.names[v]: value for v, value in context.items()}
                expected = world.counterfactual_effect(context)
                assert counterfactual_effect(joint, graph, named) == pytest.approx(
                    expected, abs=1e-12
                ), named


@every
def test_the_effect_along_all_paths_is_total_and_along_no_path_zero(name):
    graph, joint = GRAPHS[name], truth(name, 0).joint()
    everything = path_specific_effect(joint, graph, all_paths(graph))
    assert everything == pytest.approx(total_effect(joint, graph), abs=1e-12)
    assert path_specific_effect(joint, graph, ()) == 0.0
    assert path_specific_effect(random_joint(len(graph.names), 0), graph, ()) == 0.0


def test_without_a_path_there_is_no_effect():
    graph = GRAPHS["no path"]
    joint = truth("no path", 1).joint()
    assert total_effect(joint, graph) == pytest.approx(0, abs=1e-12)
    assert counterfactual_effect(joint, graph, {"a": 1}) == pytest.approx(0, abs=1e-12)
    assert path_specific_effect(joint, graph, all_paths(graph)) == 0.0


ROOTS = [name for name, graph in GRAPHS.items() if not graph.parents(graph.place("s"))]


@given(st.sampled_from(ROOTS), st.integers(0, 10**6))
@settings(max_examples=40)
def test_the_total_effect_of_a_root_is_the_plain_difference_in_any_data(name, seed):
    """As on Adult, where nothing causes sex; also where the data do not obey the graph."""
    joint = random_joint(len(GRAPHS[name].names), seed)
    assert total_effect(joint, GRAPHS[name]) == pytest.approx(
        plain_difference(joint, GRAPHS[name]), abs=1e-12
    )


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_the_effects_of_a_root_in_a_context_are_plain_differences(seed):
    graph = dag("a>y b>a s>m m>y")  # a, b, m, s, y
    joint = random_joint(5, seed)
    for a, b in product((0, 1), repeat=2):
        there = joint[a, b].sum(axis=0)  # s, y
        expected = there[1, 1] / there[1].sum() - there[0, 1] / there[0].sum()
        assert counterfactual_effect(joint, graph, {"a": a, "b": b}) == pytest.approx(
            expected, abs=1e-12
        )


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_parents_of_s_are_adjusted_for_by_their_shares_in_the_context(seed):
    """sum over (a, b) of P(a, b) (P(y | s = 1, a, b) - P(y | s = 0, a, b)), by loops.

    The context m = 1 has its own shares.
    """
    graph = dag("a>s b>s a>y m>y s>y")  # a, b, m, s, y: m does not descend from s
    joint = random_joint(5, seed)
    for part, context in ((joint.sum(axis=2), {}), (joint[:, :, 1], {"m": 1})):  # a, b, s, y
        effect = 0.0
        for a, b in product((0, 1), repeat=2):
            rates = [part[a, b, s, 1] / part[a, b, s].sum() for s in (0, 1)]
            effect += part[a, b].sum() / part.sum() * (rates[1] - rates[0])
        found = (
            counterfactual_effect(joint, graph, context) if context else total_effect(joint, graph)
        )
        assert found == pytest.approx(effect, abs=1e-12)


@every
def test_the_total_effect_is_the_mean_of_the_effects_in_the_contexts(name):
    graph, joint = GRAPHS[name], truth(name, 2).joint()
    s = graph.place("s")
    others = [
        v
        for v in range(len(graph.names))
        if v not in (s, graph.place("y")) and v not in graph.descendants(s)
    ]
    for v in others:
        share = joint.sum(axis=tuple(u for u in range(joint.ndim) if u != v))
        found = sum(
            share[value] * counterfactual_effect(joint, graph, {graph.names[v]: value})
            for value in (0, 1)
        )
        assert found == pytest.approx(total_effect(joint, graph), abs=1e-12)


def test_an_empty_context_is_all_records():
    assert counterfactual_effect(BY_HAND, FIGURE, {}) == pytest.approx(1 / 2, abs=1e-12)


def test_a_context_without_influence_changes_nothing():
    """A variable without an edge."""
    world = truth("one edge", 0)
    graph = GRAPHS["one edge"]
    for a in (0, 1):
        found = counterfactual_effect(world.joint(), graph, {"a": a})
        assert found == pytest.approx(world.total_effect(), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "paths", "witness"),
    [
        ("s>school school>job school>y job>y s>y", ["s school job y"], "school"),
        ("s>school school>job school>y job>y s>y", ["s school y", "s y"], "school"),
        ("s>school s>job school>job school>y job>y", ["s school job y", "s job y"], "school"),
    ],
)
def test_a_recanting_witness_is_refused_by_its_name(text, paths, witness):
    graph = dag(text)
    with pytest.raises(ValueError, match=rf"^[^\n]*{witness}[^\n]*is a recanting witness[^\n]*$"):
        path_specific_effect(random_joint(4, 0), graph, places(graph, *paths))


@pytest.mark.parametrize("context", [{"school": 1}, {"age": 0, "school": 0}], ids=str)
def test_a_context_that_descends_from_s_is_refused_by_its_name(context):
    graph = dag("age>s s>school school>y")
    with pytest.raises(ValueError, match="identifiable") as error:
        counterfactual_effect(random_joint(4, 0), graph, context)
    assert "school" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_context_that_never_occurs_is_refused_by_its_name():
    graph = dag("age>s age>y s>y")
    joint = random_joint(3, 0)
    joint[1] = 0
    joint /= joint.sum()
    with pytest.raises(ValueError, match=r"^[^\n]*age[^\n]*$"):
        counterfactual_effect(joint, graph, {"age": 1})
    assert abs(counterfactual_effect(joint, graph, {"age": 0})) <= 1


def test_the_joint_is_not_changed():
    joint = random_joint(4, 5)
    before = joint.copy()
    total_effect(joint, FIGURE)
    path_specific_effect(joint, FIGURE, all_paths(FIGURE))
    counterfactual_effect(joint, FIGURE, {"a": 0})
    np.testing.assert_array_equal(joint, before)
