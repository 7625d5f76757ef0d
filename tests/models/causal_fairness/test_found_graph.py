"""Edges point along the known order of causes; nothing causes a variable of the first tier."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.models.causal_fairness.binary_records import directed, full_skeleton, pc_graph

NAMES = ("work", "age", "race", "sex", "income")
TIERS = (("age", "race", "sex"), ("work",), ("income",))


def edges(graph):
    return {(graph.names[i], graph.names[j]) for i, j in np.argwhere(graph.arrows)}


def test_all_edges_that_the_order_allows():
    born = {(a, b) for a in ("age", "race", "sex") for b in ("work", "income")}
    assert edges(directed(full_skeleton(5), NAMES, TIERS)) == born | {("work", "income")}


def test_inside_a_later_tier_the_first_listed_causes_the_others():
    found = directed(full_skeleton(5), NAMES, (("age", "race"), ("sex", "work"), ("income",)))
    assert ("sex", "work") in edges(found)
    assert ("work", "sex") not in edges(found)


def test_pc_finds_the_edges_of_a_chain_and_no_other():
    rng = np.random.default_rng(0)
    n = 20_000
    age, race, sex = (rng.random((3, n)) < 0.5).astype(int)
    work = (rng.random(n) < 0.2 + 0.6 * sex).astype(int)
    income = (rng.random(n) < 0.2 + 0.6 * work).astype(int)
    found = pc_graph(np.column_stack([work, age, race, sex, income]), NAMES, TIERS)
    assert edges(found) == {("sex", "work"), ("work", "income")}
    assert (found.protected, found.label) == ("sex", "income")


def test_a_name_that_no_tier_has_is_refused():
    with pytest.raises(ValueError, match="work"):
        directed(full_skeleton(5), NAMES, (("age", "race", "sex"), ("income",)))
