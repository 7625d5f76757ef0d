"""Records of Bayesian networks follow the tables: jointly, in margins, and row by row."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

from dpfair_cli.models.causal_discovery.bayesian_network import (
    BayesianNetwork,
    parse_bif,
    random_network,
)
from tests.models.causal_discovery.networks import BIF, SMALL, text
from tests.oracles.bif import joint, read_bif


@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey", ""])
def test_the_records_follow_the_exact_joint_distribution(name, real_data):
    source = text(real_data, name) if name else SMALL
    exact, n = joint(*read_bif(source)), 40_000
    records = parse_bif(source).sample(n, rng=np.random.default_rng(1))
    counts = np.zeros(exact.shape)
    np.add.at(counts, tuple(records.values.T), 1)
    assert counts[exact == 0].sum() == 0
    large = exact * n >= 5
    small = n - (counts[large]).sum(), n * (1 - exact[large].sum())
    seen = np.append(counts[large], small[0])
    wanted = np.append(exact[large] * n, max(small[1], 1e-9))
    if small[1] < 5:
        seen, wanted = counts[large], exact[large] * n
    assert chi2.sf(((seen - wanted) ** 2 / wanted).sum(), len(seen) - 1) > 1e-4


def test_the_marginals_of_asia_are_those_of_lauritzen_and_spiegelhalter(real_data):
    records = parse_bif(text(real_data, "asia")).sample(200_000, rng=np.random.default_rng(0))
    exact = {
        "tub": 0.0104,
        "lung": 0.055,
        "bronc": 0.45,
        "either": 0.064828,
        "xray": 0.11029,
        "dysp": 0.4359706,
    }
    for name, p in exact.items():
        share = (records.values[:, records.names.index(name)] == 0).mean()  # state 0 is "yes"
        assert abs(share - p) < 5 * np.sqrt(p * (1 - p) / 200_000), name


@pytest.mark.parametrize("name", ["sachs", "child", "insurance", "alarm"])
def test_large_networks_follow_their_tables_given_the_parents(name, real_data):
    source = text(real_data, name)
    levels, parents, cpt = read_bif(source)
    values, n = parse_bif(source).sample(20_000, rng=np.random.default_rng(2)).values, 20_000
    place = {own: k for k, own in enumerate(levels)}
    worst = 0.0
    for own, rows in cpt.items():
        for key, row in rows.items():
            here = np.ones(n, dtype=bool)
            for parent, state in zip(parents[own], key, strict=True):
                here &= values[:, place[parent]] == levels[parent].index(state)
            p = np.array(row)
            counts = np.bincount(values[here, place[own]], minlength=len(p))
            assert counts[p == 0].sum() == 0
            spread = np.sqrt(here.sum() * p * (1 - p))
            usual = (spread > 3) & (p > 0)
            worst = max(
                worst, np.abs((counts - here.sum() * p)[usual] / spread[usual]).max(initial=0)
            )
    assert worst < 5  # several hundred frequencies, in standard deviations


def test_a_seed_gives_the_same_records_and_another_seed_other_records():
    network = parse_bif(SMALL)
    first, again, other = (
        network.sample(50, rng=np.random.default_rng(seed)).values for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert network.sample(0, rng=np.random.default_rng(0)).values.shape == (0, 3)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_frequencies_of_a_sample_are_the_tables() -> None:
    values = parse_bif(BIF).sample(200_000, rng=rng()).values
    assert (values[:, 0] == 0).mean() == pytest.approx(0.2, abs=0.005)
    chosen = values[(values[:, 0] == 1) & (values[:, 2] == 0), 1]
    np.testing.assert_allclose(
        np.bincount(chosen, minlength=3) / len(chosen), [0.5, 0.3, 0.2], atol=0.01
    )
    never = values[(values[:, 0] == 1) & (values[:, 2] == 1), 1]
    assert (never != 0).all()


def test_a_table_that_is_certain_is_followed() -> None:
    copy = BayesianNetwork(("a", "b"), (2, 2), ((), (0,)), (np.array([[0.5, 0.5]]), np.eye(2)))
    values = copy.sample(100, rng=rng()).values
    assert (values[:, 0] == values[:, 1]).all()
    assert 0 < values[:, 0].mean() < 1


def test_a_random_network_has_two_to_five_levels_and_rows_that_add_up():
    rng = np.random.default_rng(0)
    dag = np.triu(rng.random((40, 40)) < 0.05, 1)
    network = random_network(dag, concentration=1.0, most_levels=5, rng=rng)
    assert set(network.levels) == {2, 3, 4, 5}
    np.testing.assert_array_equal(network.dag, dag)
    for child, table in enumerate(network.tables):
        configurations = int(np.prod([network.levels[k] for k in np.flatnonzero(dag[:, child])]))
        assert table.shape == (configurations, network.levels[child])
        np.testing.assert_allclose(table.sum(axis=1), 1)
    assert network.parameters == sum(len(t) * (t.shape[1] - 1) for t in network.tables)


def test_records_of_a_random_network_follow_its_tables_in_mixed_radix():
    dag = np.zeros((3, 3), dtype=bool)
    dag[[2, 0], 1] = True  # 2 -> 1 <- 0: an order that is not that of the columns
    network = random_network(dag, concentration=1.0, most_levels=5, rng=np.random.default_rng(5))
    values = network.sample(60_000, rng=np.random.default_rng(6)).values
    assert list(network.parents[1]) in ([0, 2], [2, 0])
    a, b = network.parents[1]
    for u, v in product(range(network.levels[a]), range(network.levels[b])):
        here = (values[:, a] == u) & (values[:, b] == v)
        row = network.tables[1][u * network.levels[b] + v]
        share = np.bincount(values[here, 1], minlength=network.levels[1]) / max(here.sum(), 1)
        assert (np.abs(share - row) < 5 * np.sqrt(0.25 / max(here.sum(), 1))).all()


def test_a_large_concentration_makes_rows_even_and_a_small_one_sharp():
    dag = np.zeros((30, 30), dtype=bool)
    sharp, even = (
        random_network(dag, concentration=c, most_levels=5, rng=np.random.default_rng(0))
        for c in (0.01, 1000.0)
    )
    assert np.mean([table.max() for table in sharp.tables]) > 0.9
    assert all(abs(table.max() - 1 / table.shape[1]) < 0.1 for table in even.tables)
