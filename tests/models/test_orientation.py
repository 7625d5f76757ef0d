"""Orientation: each rule by hand, equivalence classes, conflicts and cycles."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery.orientation import equivalence_class, orient
from dpfair_cli.models.causal_discovery.random_dag import bernoulli_dag


def mask(p: int, *arrows: str) -> np.ndarray:
    """The (p, p) mask of arrows such as "0>1" and lines such as "0-1"."""
    found = np.zeros((p, p), dtype=bool)
    for arrow in arrows:
        i, j = int(arrow[0]), int(arrow[2])
        found[i, j] = True
        found[j, i] |= arrow[1] == "-"
    return found


def names(p: int) -> tuple[str, ...]:
    return tuple(f"v{j}" for j in range(p))


def oriented(p: int, lines: list[str], separators: dict) -> np.ndarray:
    return orient(mask(p, *lines), {pair: frozenset(s) for pair, s in separators.items()}, names(p)).cpdag


def test_a_collider_is_where_the_middle_does_not_separate() -> None:
    lines = ["0-1", "1-2"]
    assert (oriented(3, lines, {(0, 2): []}) == mask(3, "0>1", "2>1")).all()
    assert (oriented(3, lines, {(0, 2): [1]}) == mask(3, *lines)).all()


def test_rule_one_points_away_from_an_arrow() -> None:
    found = oriented(4, ["0-1", "2-1", "1-3"], {(0, 2): [], (0, 3): [1], (2, 3): [1]})
    assert (found == mask(4, "0>1", "2>1", "1>3")).all()


def test_rule_two_avoids_a_cycle() -> None:
    # 0 > 1 < 4 and 0, 4 not adjacent; 1 > 2 by rule one; 0 - 2 then by rule two
    lines = ["0-1", "4-1", "1-2", "0-2"]
    found = oriented(5, lines, {(0, 4): [], (2, 4): [1], (0, 3): [], (1, 3): [], (2, 3): [], (3, 4): []})
    assert (found == mask(5, "0>1", "4>1", "1>2", "0>2")).all()


def test_rule_three_avoids_a_new_collider() -> None:
    # 1 > 3 < 2; 0 is a neighbour of all three; 1 and 2 are not adjacent and 0 separates them
    found = oriented(4, ["0-1", "0-2", "0-3", "1-3", "2-3"], {(1, 2): [0]})
    assert (found == mask(4, "0-1", "0-2", "0>3", "1>3", "2>3")).all()


def test_of_two_colliders_that_want_an_edge_the_first_has_it() -> None:
    # 0 - 1 - 2 - 3: both middles are colliders; 1 comes first and keeps 2 > 1
    found = oriented(4, ["0-1", "1-2", "2-3"], {(0, 2): [], (1, 3): [], (0, 3): []})
    assert (found == mask(4, "0>1", "2>1", "2-3")).all()


def test_a_chain_and_a_fork_are_one_class_and_a_collider_another() -> None:
    chain, fork = (equivalence_class(mask(3, *arrows), names(3)) for arrows in (("0>1", "1>2"), ("1>0", "1>2")))
    assert (chain.cpdag == fork.cpdag).all()
    assert chain.edges == ["v0 - v1", "v1 - v2"]
    assert equivalence_class(mask(3, "0>1", "2>1"), names(3)).edges == ["v0 -> v1", "v2 -> v1"]


def test_the_class_of_a_complete_graph_has_no_arrow() -> None:
    assert (equivalence_class(mask(3, "0>1", "0>2", "1>2"), names(3)).cpdag == ~np.eye(3, dtype=bool)).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_arrows_of_a_class_are_arrows_of_the_graph_and_close_no_cycle(seed: int) -> None:
    dag = bernoulli_dag(8, 0.4, rng=np.random.default_rng(seed))
    cpdag = equivalence_class(dag, names(8)).cpdag
    arrows = cpdag & ~cpdag.T
    assert not (arrows & ~dag).any()
    assert ((cpdag | cpdag.T) == (dag | dag.T)).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_class_does_not_depend_on_the_order_of_the_variables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag, order = bernoulli_dag(8, 0.4, rng=rng), rng.permutation(8)
    turned = equivalence_class(dag[np.ix_(order, order)], names(8)).cpdag
    assert (turned == equivalence_class(dag, names(8)).cpdag[np.ix_(order, order)]).all()


@pytest.mark.parametrize("seed", range(10))
def test_perfect_separators_give_the_class_of_the_graph(seed: int) -> None:
    """Parents of the later of two variables separate them; among those sets is one for every pair."""
    dag = np.triu(np.random.default_rng(seed).random((7, 7)) < 0.4, 1)  # in topological order
    skeleton = dag | dag.T
    pairs = [(i, j) for i, j in np.argwhere(~skeleton).tolist() if i < j]
    separators = {(i, j): frozenset(np.flatnonzero(dag[:, j]).tolist()) for i, j in pairs}
    assert (orient(skeleton, separators, names(7)).cpdag == equivalence_class(dag, names(7)).cpdag).all()


def test_a_cyclic_truth_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        equivalence_class(mask(3, "0>1", "1>2", "2>0"), names(3))
