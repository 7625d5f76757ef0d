"""The data sets of causal discovery: the networks' records, random graphs, the binned Adult, one's own table."""

import importlib
import warnings

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.datasets import csv_variables, synthetic_categorical, synthetic_gaussian

NETWORKS = {"asia": (8, 8), "cancer": (5, 4), "earthquake": (5, 4), "survey": (6, 6), "sachs": (11, 17),
            "child": (20, 25), "insurance": (27, 52), "alarm": (37, 46)}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_gives_records_and_its_arcs(name, real_data):
    module = importlib.import_module(f"dpfair_cli.datasets.{name}")
    if not (real_data / "bnlearn" / f"{name}.bif").is_file():
        pytest.skip("the networks are not here")
    records, dag = module.load(real_data, records=200).draw(np.random.default_rng(0))
    nodes, arcs = NETWORKS[name]
    assert records.values.shape == (200, nodes)
    assert (dag.shape, dag.sum()) == ((nodes, nodes), arcs)
    assert records.bounds == "public"
    assert (records.values.max(axis=0) < records.levels).all()


def test_the_arcs_of_asia_are_those_of_the_chest_clinic(real_data):
    from dpfair_cli.datasets import asia

    records, dag = asia.load(real_data, records=1).draw(np.random.default_rng(0))
    arcs = {(records.names[i], records.names[j]) for i, j in np.argwhere(dag)}
    assert arcs == {
        ("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc"), ("tub", "either"), ("lung", "either"),
        ("either", "xray"), ("either", "dysp"), ("bronc", "dysp"),
    }  # fmt: skip


def test_random_networks_have_the_nodes_edges_and_levels_that_are_asked_for(tmp_path):
    for seed in range(10):
        data = synthetic_categorical.load(tmp_path, nodes=10, sparseness=0.2, records=100)
        records, dag = data.draw(np.random.default_rng(seed))
        assert dag.sum() == 9
        assert records.values.shape == (100, 10)
        assert set(records.levels) <= {2, 3, 4, 5}
    gaussians = synthetic_gaussian.load(tmp_path, nodes=10, sparseness=0.4, records=5)
    sizes = [gaussians.draw(np.random.default_rng(seed))[1].sum() for seed in range(200)]
    assert abs(np.mean(sizes) - 18) < 5 * np.sqrt(45 * 0.24 / 200)
    assert np.std(sizes) > 1


OUTSIDE = [
    *({"nodes": value} for value in (0, -1)),
    *({"sparseness": value} for value in (-0.1, 1.1, float("nan"))),
    *({"records": value} for value in (0, -5)),
]


@pytest.mark.parametrize("module", [synthetic_categorical, synthetic_gaussian])
@pytest.mark.parametrize("wrong", OUTSIDE, ids=str)
def test_parameters_that_no_graph_has_are_refused(module, wrong, tmp_path):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        module.load(tmp_path, **wrong)


@pytest.mark.parametrize("concentration", [0, -1, float("nan"), float("inf")])
def test_a_concentration_that_no_law_has_is_refused(concentration, tmp_path):
    with pytest.raises(ValueError, match="concentration"):
        synthetic_categorical.load(tmp_path, concentration=concentration)


def test_adult_has_fourteen_variables_of_two_to_four_levels_on_all_records(real_data):
    from dpfair_cli.datasets import adult_discretised

    records = adult_discretised.load(real_data)
    assert records.values.shape == (48_842, 14)
    assert set(records.levels) <= {2, 3, 4}
    assert records.bounds == "public"
    for j, name in enumerate(records.names):
        assert set(np.unique(records.values[:, j])) == set(range(records.levels[j])), name
    income = records.values[:, records.names.index("income")]
    assert sorted(np.bincount(income)) == [11_687, 37_155]  # the UCI documentation: 23.93 % above 50K
    sex = records.values[:, records.names.index("sex")]
    assert sorted(np.bincount(sex)) == [16_192, 32_650]


# --- a table of one's own


def write(folder, text):
    path = folder / "own.csv"
    path.write_text(text)
    return str(path)


def table(rows, header="a,b,c"):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


WORDS = [["x", "p", "u"], ["y", "q", "v"], ["x", "q", "u"], ["y", "p", "v"], ["x", "p", "v"], ["z", "q", "u"]]
DOMAIN = "a: {levels: [x, y, z]}\nb: {levels: [q, p]}\nc: {levels: [u, v, never]}\n"


def load(folder, text, domain=""):
    if domain:
        (folder / "domain.yaml").write_text(domain)
        return csv_variables.load(folder, file=write(folder, text), domain=str(folder / "domain.yaml"))
    with pytest.warns(PrivacyLeakWarning):
        return csv_variables.load(folder, file=write(folder, text))


def test_levels_of_a_domain_have_its_order_and_those_that_nobody_has(tmp_path):
    records = load(tmp_path, table(WORDS), DOMAIN)
    assert (records.names, records.levels, records.bounds) == (("a", "b", "c"), (3, 2, 3), "public")
    np.testing.assert_array_equal(records.values[:, 1], [1, 0, 0, 1, 1, 0])
    np.testing.assert_array_equal(records.values[:, 2], [0, 1, 0, 1, 1, 0])


def test_without_a_domain_levels_are_read_from_the_data_with_a_warning(tmp_path):
    records = load(tmp_path, table(WORDS))
    assert (records.levels, records.bounds) == ((3, 2, 2), "data")


def test_numbers_of_a_domain_become_minus_one_to_one_and_are_cut_there(tmp_path):
    rows = [[0, -5, 1e9], [10, 5, -1e9], [5, 0, 0], [2.5, 2.5, 1]]
    domain = "a: {low: 0, high: 10}\nb: {low: -5, high: 5}\nc: {low: -1, high: 1}\n"
    records = load(tmp_path, table(rows), domain)
    np.testing.assert_allclose(records.values, [[-1, -1, 1], [1, 1, -1], [0, 0, 0], [-0.5, 0.5, 1]])
    assert (records.levels, records.bounds) == ((), "public")


def test_a_column_outside_the_domain_is_left_out(tmp_path):
    records = load(tmp_path, table([[*row, i] for i, row in enumerate(WORDS)], "a,b,c,id"), DOMAIN)
    assert records.names == ("a", "b", "c")


def test_a_few_real_numbers_are_numbers_and_not_categories(tmp_path):
    rows = np.random.default_rng(0).normal(size=(12, 3)).tolist()
    assert load(tmp_path, table(rows)).levels == ()


def test_few_whole_numbers_are_categories(tmp_path):
    rows = np.random.default_rng(0).integers(0, 3, (40, 3)).tolist()
    assert load(tmp_path, table(rows)).levels == (3, 3, 3)


def test_a_domain_is_public_so_that_no_table_inside_it_is_refused(tmp_path):
    """A private column that happens to be constant, one record: a refusal would tell them from their neighbours."""
    for rows in ([["x", "p", "u"], ["x", "q", "v"]] * 5, [["x", "p", "u"]]):
        assert load(tmp_path, table(rows), DOMAIN).levels == (3, 2, 3)


BAD = {
    "mixed": table([["x", 1.5, "u"], ["y", 2.25, "v"]] * 20 + [["x", k / 7, "u"] for k in range(30)]),
    "missing": table([*WORDS, ["x", "", "u"]]),
    "infinite": table([*np.random.default_rng(0).normal(size=(30, 3)).tolist(), ["inf", 0.5, 0.1]]),
    "constant": table([[row[0], "p", row[2]] for row in WORDS]),
    "empty": "a,b,c\n",
    "nothing": "",
    "ragged": "a,b\nx,y\nx,y,z,w\n",
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_table_is_a_mistake_in_one_line_without_numpys_warnings(bad, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        with pytest.raises(DpfairError, match=r"^[^\n]+$"):
            csv_variables.load(tmp_path, file=write(tmp_path, BAD[bad]))


def test_a_level_outside_the_domain_and_a_missing_column_are_named(tmp_path):
    with pytest.raises(DpfairError, match="'b' is 'new'"):
        load(tmp_path, table([*WORDS, ["x", "new", "u"]]), DOMAIN)
    with pytest.raises(DpfairError, match="'c'"):
        load(tmp_path, table([row[:2] for row in WORDS], "a,b"), DOMAIN)


def test_two_columns_of_one_name_are_refused(tmp_path):
    with pytest.raises(DpfairError, match="two columns 'a'"):
        csv_variables.load(tmp_path, file=write(tmp_path, table(WORDS, "a,b,a")))


def test_whole_numbers_are_in_their_own_order(tmp_path):
    records = load(tmp_path, table([[2, "x"], [10, "y"], [2, "y"], [1, "x"]], "a,b"))
    np.testing.assert_array_equal(records.values[:, 0], [1, 2, 1, 0])


@pytest.mark.parametrize("number", ["inf", "-1e200", "1e-300"])
def test_numbers_without_a_finite_deviation_are_refused_without_a_domain(number, tmp_path):
    rows = [[0, 0.5], [0, 0.25], [number, 0.125]]
    with pytest.warns(PrivacyLeakWarning), pytest.raises(DpfairError, match="column 'a'"):
        csv_variables.load(tmp_path, file=write(tmp_path, table(rows, "a,b")))
