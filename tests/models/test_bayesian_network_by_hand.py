"""Networks from BIF files against a second reader, the exact joint distribution, and numbers of the literature."""

from itertools import product

import numpy as np
import pytest
from bif_oracle import joint, read_bif
from scipy.stats import chi2

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.models.causal_discovery.bayesian_network import parse_bif, random_network

# nodes, arcs, free parameters as the Bayesian network repository prints them
REPOSITORY = {
    "asia": (8, 8, 18), "cancer": (5, 4, 10), "earthquake": (5, 4, 10), "survey": (6, 6, 21), "sachs": (11, 17, 178),
    "child": (20, 25, 230), "insurance": (27, 52, 1008), "alarm": (37, 46, 509),
}  # fmt: skip
SMALL = """network unknown {
}
variable rain {
  type discrete [ 2 ] { yes, no };
}
variable season {
  type discrete [ 3 ] { dry, wet, storm };
}
variable grass {
  type discrete [ 2 ] { wet, dry };
}
probability ( season ) {
  table 0.5, 0.3, 0.2;
}
probability ( rain | season ) {
  (dry) 0.1, 0.9;
  (storm) 1.0, 0.0;
  (wet) 0.6, 0.4;
}
probability ( grass | season, rain ) {
  (dry, yes) 0.8, 0.2;
  (dry, no) 0.05, 0.95;
  (wet, yes) 0.9, 0.1;
  (wet, no) 0.3, 0.7;
  (storm, yes) 1.0, 0.0;
  (storm, no) 0.5, 0.5;
}
"""


def text(real_data, name):
    path = real_data / "bnlearn" / f"{name}.bif"
    if not path.is_file():
        pytest.skip("the networks are not here")
    return path.read_text()


@pytest.mark.parametrize("name", REPOSITORY)
def test_nodes_and_arcs_are_those_of_the_repository(name, real_data):
    network = parse_bif(text(real_data, name))
    nodes, arcs, parameters = REPOSITORY[name]
    assert (len(network.names), network.dag.sum()) == (nodes, arcs)
    assert network.parameters == parameters


@pytest.mark.parametrize("name", REPOSITORY)
def test_every_table_is_the_one_that_a_second_reader_finds(name, real_data):
    network, (levels, parents, cpt) = parse_bif(text(real_data, name)), read_bif(text(real_data, name))
    assert network.names == tuple(levels)
    for child, own in enumerate(network.names):
        assert [network.names[k] for k in network.parents[child]] == parents[own]
        states = product(*(levels[parent] for parent in parents[own]))  # the last parent fastest
        np.testing.assert_allclose(network.tables[child], [cpt[own][key] for key in states], atol=1e-6)
        assert network.levels[child] == len(levels[own])


def test_rows_may_come_in_any_order_and_arcs_go_from_parent_to_child():
    network = parse_bif(SMALL)
    assert network.names == ("rain", "season", "grass")
    np.testing.assert_array_equal(network.dag, [[0, 0, 1], [1, 0, 1], [0, 0, 0]])
    np.testing.assert_allclose(network.tables[0], [[0.1, 0.9], [0.6, 0.4], [1, 0]])
    assert network.parameters == 2 + 3 + 6


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
    exact = {"tub": 0.0104, "lung": 0.055, "bronc": 0.45, "either": 0.064828, "xray": 0.11029, "dysp": 0.4359706}
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
            worst = max(worst, np.abs((counts - here.sum() * p)[usual] / spread[usual]).max(initial=0))
    assert worst < 5  # several hundred frequencies, in standard deviations


def test_the_same_generator_gives_the_same_records_and_another_gives_others(real_data):
    network = parse_bif(SMALL)
    first, again, other = (network.sample(50, rng=np.random.default_rng(seed)).values for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert network.sample(0, rng=np.random.default_rng(0)).values.shape == (0, 3)


ROOT = "( season ) {\n  table 0.5, 0.3, 0.2;"
BROKEN = {
    "empty": "",
    "not BIF": "a,b\n1,2\n",
    "a row is missing": SMALL.replace("  (storm) 1.0, 0.0;\n", ""),
    "a row comes twice": SMALL.replace("  (storm) 1.0, 0.0;\n", "  (dry) 1.0, 0.0;\n"),
    "sum": SMALL.replace("(dry) 0.1, 0.9", "(dry) 0.1, 0.8"),
    "negative": SMALL.replace("(dry) 0.1, 0.9", "(dry) -0.1, 1.1"),
    "not a number": SMALL.replace("(dry) 0.1, 0.9", "(dry) x, 0.9"),
    "nan": SMALL.replace("(dry) 0.1, 0.9", "(dry) nan, nan"),
    "three for two": SMALL.replace("(dry) 0.1, 0.9", "(dry) 0.1, 0.8, 0.1"),
    "unknown parent": SMALL.replace("rain | season", "rain | seasons"),
    "unknown state": SMALL.replace("(dry) 0.1", "(dray) 0.1"),
    "unknown child": SMALL.replace("( rain | season )", "( rein | season )"),
    "no table": SMALL[: SMALL.index("probability ( grass")],
    "cycle": SMALL.replace(ROOT, "( season | rain ) {\n  (yes) 1, 0, 0;\n  (no) 0, 1, 0;"),
    "own parent": SMALL.replace(ROOT, "( season | season ) {\n  (dry) 1, 0, 0;\n  (wet) 1, 0, 0;\n  (storm) 1, 0, 0;"),
    "two tables": SMALL + "probability ( season ) {\n  table 0.1, 0.3, 0.6;\n}\n",
    "two variables of a name": SMALL.replace("variable grass", "variable rain"),
    "states and number differ": SMALL.replace("[ 3 ] { dry, wet, storm }", "[ 4 ] { dry, wet, storm }"),
    "cut off": SMALL[:-40],
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_file_is_a_mistake_in_one_line(broken):
    with pytest.raises(DpfairError) as error:
        parse_bif(BROKEN[broken])
    assert "\n" not in str(error.value)


# --- networks at random


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


def test_a_large_concentration_makes_rows_even_and_a_small_one_makes_them_sharp():
    dag = np.zeros((30, 30), dtype=bool)
    sharp, even = (
        random_network(dag, concentration=c, most_levels=5, rng=np.random.default_rng(0)) for c in (0.01, 1000.0)
    )
    assert np.mean([table.max() for table in sharp.tables]) > 0.9
    assert all(abs(table.max() - 1 / table.shape[1]) < 0.1 for table in even.tables)
