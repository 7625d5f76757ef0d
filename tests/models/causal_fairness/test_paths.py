"""Paths from the protected variable to the label, and recanting witnesses."""

from itertools import combinations

import numpy as np
import pytest

from dpfair_cli.models.causal_fairness.effects import (
    all_paths,
    direct_path,
    edges_of,
    paths_through,
    recanting_witness,
)
from tests.models.causal_fairness.made_records import dag, directed_paths, graphs, places

GRAPHS = graphs()
KITE = GRAPHS["kite"]  # s -> m -> n -> y, m -> y, s -> y
every = pytest.mark.parametrize("name", GRAPHS)


def names_of(graph, paths):
    names = np.array(graph.names)
    return {" ".join(names[list(path)]) for path in paths}


def subsets(paths):
    paths = sorted(paths)
    return [chosen for size in range(len(paths) + 1) for chosen in combinations(paths, size)]


def is_segment(part, path):
    return any(path[k : k + len(part)] == part for k in range(len(path)))


def witnesses(graph, paths):
    """Every Z with a way from S and to Y on the paths, and another way to Y on none of them."""
    s, y = graph.place("s"), graph.place("y")
    found = set()
    for z in set(range(len(graph.names))) - {s, y}:
        from_s = [is_on(way, paths) for way in directed_paths(graph, s, z)]
        to_y = [is_on(way, paths) for way in directed_paths(graph, z, y)]
        if any(from_s) and any(to_y) and not all(to_y):
            found.add(graph.names[z])
    return found


def is_on(way, paths):
    return any(is_segment(way, path) for path in paths)


def test_the_paths_of_the_kite_by_hand():
    assert names_of(KITE, all_paths(KITE)) == {"s y", "s m y", "s m n y"}
    assert names_of(KITE, paths_through(KITE, ("m",))) == {"s m y", "s m n y"}
    assert names_of(KITE, paths_through(KITE, ("n",))) == {"s m n y"}
    assert names_of(KITE, paths_through(KITE, ("m", "n"))) == {"s m y", "s m n y"}
    assert names_of(KITE, direct_path(KITE)) == {"s y"}


@every
def test_all_paths_are_those_that_trying_every_order_finds(name):
    graph = GRAPHS[name]
    found = list(all_paths(graph))
    assert set(found) == directed_paths(graph, graph.place("s"), graph.place("y"))
    assert len(found) == len(set(found))
    assert all(isinstance(path, tuple) for path in found)


def test_a_path_through_two_named_attributes_comes_once():
    found = list(paths_through(KITE, ("m", "n")))
    assert len(found) == len(set(found)) == 2


def test_without_a_path_there_is_none():
    graph = GRAPHS["no path"]
    assert (
        len(all_paths(graph)) == len(paths_through(graph, ("d",))) == len(direct_path(graph)) == 0
    )
    assert len(paths_through(KITE, ())) == 0
    assert tuple(direct_path(GRAPHS["diamond"])) == ()


def test_causes_of_the_protected_variable_are_on_no_path():
    graph = GRAPHS["confounder"]
    assert names_of(graph, all_paths(graph)) == {"s y"}
    assert len(paths_through(graph, ("a",))) == 0


def test_the_direct_path_is_one_pair_of_places():
    assert tuple(direct_path(KITE)) == ((KITE.place("s"), KITE.place("y")),)


def test_edges_of_paths_by_hand():
    edges = edges_of(places(KITE, "s m n y", "s y"), 4)
    assert edges.shape == (4, 4)
    assert edges.dtype == bool
    assert names_of(KITE, np.argwhere(edges).tolist()) == {"s m", "m n", "n y", "s y"}
    assert not edges_of((), 4).any()


@every
def test_all_paths_use_the_edges_between_descendants_of_s_that_lead_to_y(name):
    graph = GRAPHS[name]
    s, y = graph.place("s"), graph.place("y")
    edges = edges_of(all_paths(graph), len(graph.names))
    for i, j in np.ndindex(edges.shape):
        leads = (i == s or i in graph.descendants(s)) and (j == y or y in graph.descendants(j))
        assert edges[i, j] == (graph.arrows[i, j] and leads), (i, j)


@pytest.mark.parametrize(
    ("text", "paths", "witness"),
    [
        ("s>m m>n m>y n>y s>y", ["s m n y"], "m"),
        ("s>m m>n m>y n>y s>y", ["s m y"], "m"),
        ("s>m m>n m>y n>y s>y", ["s m y", "s m n y"], ""),
        ("s>m m>n m>y n>y s>y", ["s y"], ""),
        ("s>m m>n m>y n>y s>y", ["s y", "s m n y"], "m"),
        ("s>m s>n m>n m>y n>y", ["s m n y", "s n y"], "m"),  # all that pass n
        (
            "s>m s>n m>n m>y n>y",
            ["s m y", "s m n y"],
            "",
        ),  # all that pass m; n takes both values, but not from m
        ("s>m s>n m>y n>y", ["s m y"], ""),
        ("s>a a>b b>c b>d c>y d>y s>y", ["s a b c y", "s y"], "[ab]"),
        ("s>m m>d m>y", ["s m y"], ""),  # a way that does not lead to y is none
    ],
)
def test_a_recanting_witness_by_hand(text, paths, witness):
    """Avin, Shpitser and Pearl (2005): it would need two values for y at once."""
    graph = dag(text)
    found = recanting_witness(graph, places(graph, *paths))
    assert found in (set(witness.strip("[]")) or {""})


@every
def test_all_paths_no_path_and_the_direct_one_have_no_witness(name):
    graph = GRAPHS[name]
    for paths in (all_paths(graph), (), direct_path(graph)):
        assert recanting_witness(graph, paths) == ""


@every
def test_a_witness_is_named_just_where_trying_everything_finds_one(name):
    graph = GRAPHS[name]
    for paths in subsets(all_paths(graph)):
        assert recanting_witness(graph, paths) in (witnesses(graph, paths) or {""}), names_of(
            graph, paths
        )


@every
def test_a_set_of_whole_bundles_has_no_witness_and_a_broken_bundle_has_one(name):
    """Paths that leave S by one edge are a bundle; an effect along a part of it is not identified.

    Sets whose edges form a further path are left out: the edges do not say if it belongs to them.
    """
    graph = GRAPHS[name]
    every_path, p = set(all_paths(graph)), len(graph.names)
    for paths in subsets(every_path):
        edges = edges_of(paths, p)
        closed = {path for path in every_path if edges[path[:-1], path[1:]].all()}
        if closed == set(paths):
            firsts = {path[1] for path in paths}
            whole = {path for path in every_path if path[1] in firsts} == set(paths)
            assert (recanting_witness(graph, paths) == "") == whole, names_of(graph, paths)
