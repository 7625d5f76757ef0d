"""A user's table for causal discovery: public levels and ranges, or those of the data; errors."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.datasets import csv_variables

HERE = Path()
MANY_WORDS = "a,b\n" + "".join(f"t{k},{k % 2}\n" for k in range(30))
NUMBERS_AND_CODES = "a,b\n" + "".join(f"{k},{k % 2}\n" for k in range(30))


def own(tmp_path: Path, text: str) -> str:
    file = tmp_path / "own.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def domain(tmp_path: Path, text: str) -> str:
    file = tmp_path / "domain.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_users_table_of_categories_and_its_public_levels(tmp_path: Path) -> None:
    file = own(tmp_path, "a,b,c\nx,1,u\ny,2,v\nx,1,u\n")
    levels = domain(tmp_path, "b: {levels: ['1', '2', '3']}\na: {levels: [y, x]}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        observations = csv_variables.load(HERE, file=file, domain=levels)
    assert (observations.names, observations.levels, observations.bounds) == (
        ("b", "a"),
        (3, 2),
        "public",
    )
    assert observations.values.tolist() == [[0, 1], [1, 0], [0, 1]]


def write(folder, text):
    path = folder / "own.csv"
    path.write_text(text)
    return str(path)


def table(rows, header="a,b,c"):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


WORDS = [
    ["x", "p", "u"],
    ["y", "q", "v"],
    ["x", "q", "u"],
    ["y", "p", "v"],
    ["x", "p", "v"],
    ["z", "q", "u"],
]
DOMAIN = "a: {levels: [x, y, z]}\nb: {levels: [q, p]}\nc: {levels: [u, v, never]}\n"


def load(folder, text, domain=""):
    if domain:
        (folder / "domain.yaml").write_text(domain)
        return csv_variables.load(
            folder, file=write(folder, text), domain=str(folder / "domain.yaml")
        )
    with pytest.warns(PrivacyLeakWarning):
        return csv_variables.load(folder, file=write(folder, text))


def test_without_a_domain_levels_are_read_from_the_data_with_a_warning(tmp_path):
    records = load(tmp_path, table(WORDS))
    assert (records.levels, records.bounds) == ((3, 2, 2), "data")


def test_numbers_of_a_domain_become_minus_one_to_one_and_are_cut_there(tmp_path):
    rows = [[0, -5, 1e9], [10, 5, -1e9], [5, 0, 0], [2.5, 2.5, 1]]
    domain = "a: {low: 0, high: 10}\nb: {low: -5, high: 5}\nc: {low: -1, high: 1}\n"
    records = load(tmp_path, table(rows), domain)
    np.testing.assert_allclose(records.values, [[-1, -1, 1], [1, 1, -1], [0, 0, 0], [-0.5, 0.5, 1]])
    assert (records.levels, records.bounds) == ((), "public")


def test_what_is_no_number_is_the_middle_of_its_range(tmp_path):
    domain = "a: {low: 0, high: 10}\nb: {low: -5, high: 5}\n"
    records = load(tmp_path, table([["old", ""], ["nan", "?"], ["inf", "-1e400"]], "a,b"), domain)
    assert records.values.tolist() == [[0, 0], [0, 0], [1, -1]]


@pytest.mark.filterwarnings("ignore::dpfair_cli.contracts.errors.PrivacyLeakWarning")
def test_numbers_without_a_domain_are_standardised(tmp_path: Path) -> None:
    rows = "\n".join(f"{k},{k * k}" for k in range(40))
    observations = csv_variables.load(HERE, file=own(tmp_path, f"a,b\n{rows}\n"))
    np.testing.assert_allclose(observations.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(observations.values.std(axis=0, ddof=1), 1)


def test_a_few_real_numbers_are_numbers_and_not_categories(tmp_path):
    rows = np.random.default_rng(0).normal(size=(12, 3)).tolist()
    assert load(tmp_path, table(rows)).levels == ()


def test_few_whole_numbers_are_categories(tmp_path):
    rows = np.random.default_rng(0).integers(0, 3, (40, 3)).tolist()
    assert load(tmp_path, table(rows)).levels == (3, 3, 3)


def test_whole_numbers_are_in_their_own_order(tmp_path):
    records = load(tmp_path, table([[2, "x"], [10, "y"], [2, "y"], [1, "x"]], "a,b"))
    np.testing.assert_array_equal(records.values[:, 0], [1, 2, 1, 0])


def test_no_table_inside_a_public_domain_is_refused(tmp_path):
    """A constant column and a single record: an error would tell them from their neighbours."""
    for rows in ([["x", "p", "u"], ["x", "q", "v"]] * 5, [["x", "p", "u"]]):
        assert load(tmp_path, table(rows), DOMAIN).levels == (3, 2, 3)


@pytest.mark.filterwarnings("ignore::dpfair_cli.contracts.errors.PrivacyLeakWarning")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nx,1\nx,2\n", "column 'a' has the same value in all 2 rows: delete the column"),
        ("a,b\nx,1\n,2\n", "column 'a' has an empty cell in 1 of 2 rows: fill in the cells"),
        (MANY_WORDS, "column 'a' has 30 different values"),
        (NUMBERS_AND_CODES, "all categorical or all numerical"),
    ],
)  # fmt: skip
def test_a_table_that_nothing_can_be_found_in_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(DpfairError, match=message):
        csv_variables.load(HERE, file=own(tmp_path, text))


BAD = {
    "mixed": table(
        [["x", 1.5, "u"], ["y", 2.25, "v"]] * 20 + [["x", k / 7, "u"] for k in range(30)]
    ),
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


def test_an_unlisted_level_becomes_the_last_and_a_missing_column_is_named(tmp_path):
    records = load(tmp_path, table([*WORDS, ["x", "new", ""]]), DOMAIN)
    assert records.values[-1].tolist() == [0, 1, 2]
    with pytest.raises(DpfairError, match="'c'"):
        load(tmp_path, table([row[:2] for row in WORDS], "a,b"), DOMAIN)


@pytest.mark.filterwarnings("ignore::dpfair_cli.contracts.errors.PrivacyLeakWarning")
def test_columns_of_one_name_are_numbered(tmp_path):
    assert csv_variables.load(tmp_path, file=write(tmp_path, table(WORDS, "a,b,a"))).names == (
        "a",
        "b",
        "a_2",
    )


@pytest.mark.parametrize("number", ["inf", "-1e200", "1e-300"])
def test_numbers_without_a_finite_deviation_are_refused_without_a_domain(number, tmp_path):
    rows = [[0, 0.5], [0, 0.25], [number, 0.125]]
    with pytest.warns(PrivacyLeakWarning), pytest.raises(DpfairError, match="column 'a'"):
        csv_variables.load(tmp_path, file=write(tmp_path, table(rows, "a,b")))
