"""Columns that are read as numbers become the same records as when they are read as text."""

import warnings

import numpy as np
import pytest

from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.formats.questions import questions_of_domain_fit
from dpfair_cli.formats.user_records import RecordsSchema, encode_cells
from dpfair_cli.formats.user_table import TableForm, read_columns
from dpfair_cli.models.tabular.outside_values import count_outside, texts_of_columns

TYPES = {"age": Numeric(0, 100), "work": Categorical(("a", "b")), "sex": Categorical(("f", "m"))}
SCHEMA = Schema(
    attributes={name: TYPES[name] for name in ("age", "work")},
    label="hired",
    positive="yes",
    protected="sex",
    groups=("f", "m"),
    labels=("no", "yes"),
)
KNOWN = RecordsSchema(SCHEMA, TYPES["sex"], TableForm())
ALLOWED = ["0", "1", "1.0", "+2", "  3 ", "4e0", '"5"', "100", "-0", "0.1", "1_0", "\u0663"]
OTHERS = ["", "?", "NA", "nan", "inf", "-1", "100.5", "1e400", "x", "True", "0x1", "1,5", "9" * 30]


def written(folder, cells):
    rows = [f"{cell},{'ab'[k % 2]},{'fm'[k % 2]},no" for k, cell in enumerate(cells)]
    file = folder / "own.csv"
    file.write_text("\n".join(["age,work,sex,hired", *rows, ""]), encoding="utf-8")
    return str(file)


def both(file):
    names = {**TYPES, "hired": None}
    texts = read_columns(file, dict.fromkeys(names), KNOWN.form)
    return texts, read_columns(file, names, KNOWN.form)


@pytest.mark.parametrize("other", ["7", *OTHERS])
def test_numbers_become_the_records_that_their_texts_become(tmp_path, other):
    texts, typed = both(written(tmp_path, [*ALLOWED, f'"{other}"', "8"]))
    left, right = (encode_cells(cells, KNOWN, encoding="one_hot") for cells in (texts, typed))
    assert left.fingerprint() == right.fingerprint()
    left, right = texts_of_columns(texts), texts_of_columns(typed)
    assert count_outside(left, TYPES) == count_outside(right, TYPES)
    asked = [list(questions_of_domain_fit(columns, KNOWN)) for columns in (left, right)]
    assert asked[0] == asked[1]


@pytest.mark.parametrize("other", OTHERS)
def test_a_column_with_a_cell_outside_its_range_stays_text(tmp_path, other):
    texts, typed = both(written(tmp_path, ["1", "2", f'"{other}"']))
    assert typed["age"].tolist() == texts["age"].tolist() == ["1", "2", other]


@pytest.mark.parametrize("first", ["a", "1", "01", "1.0", "", "?"])
@pytest.mark.parametrize("later", ["b", "2", "01", ""])
def test_levels_are_the_same_texts_as_in_any_column(tmp_path, first, later):
    file = tmp_path / "own.csv"  # pandas reads more than one part of it, and guesses for each part
    file.write_text("work,sex\n" + f'"{first}",f\n' * 20 + f'"{later}",m\n' * 20)
    typed = read_columns(str(file), {"work": TYPES["work"]}, TableForm())["work"]
    texts = read_columns(str(file), {"work": None}, TableForm())["work"]
    assert typed.cat.categories.tolist() == texts.cat.categories.tolist()
    assert typed.cat.codes.tolist() == texts.cat.codes.tolist()


def test_a_column_of_numbers_and_then_texts_is_read_as_text(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("work,age\n" + "01,1\n" * 100_000 + "b,x\n" * 100_000)
    types = {"work": TYPES["work"], "age": TYPES["age"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        typed = read_columns(str(file), types, TableForm())
    assert typed["work"].cat.categories.tolist() == ["01", "b"]
    assert typed["age"].cat.categories.tolist() == ["1", "x"]


@pytest.mark.parametrize("other", ["True", "false"])
def test_a_column_of_truth_values_stays_text(tmp_path, other):
    _, typed = both(written(tmp_path, [other, other]))
    assert typed["age"].tolist() == [other, other]


def test_a_blank_line_is_a_row_of_empty_cells(tmp_path):
    file = written(tmp_path, ["1", "2"])
    with open(file, "a") as table:
        table.write("\n3,a,f,no\n")
    _, typed = both(file)
    assert typed["age"].tolist() == ["1", "2", "", "3"]


def test_numbers_are_those_of_float(tmp_path):
    rng = np.random.default_rng(0)
    digits = [f"{x:.{k}g}" for x in rng.random(200) * 100 for k in (1, 7, 16, 17, 25)]
    texts, typed = both(written(tmp_path, digits))
    assert typed["age"].dtype == float
    assert typed["age"].tolist() == [float(text) for text in texts["age"]]


def test_large_whole_numbers_are_those_of_float(tmp_path):
    file = written(tmp_path, ["9007199254740993", "18446744073709551615", "123456789012345678"])
    types = {"age": Numeric(0, 1e300)}
    found = read_columns(file, types, TableForm())["age"].tolist()
    assert found == [9007199254740992.0, 18446744073709551616.0, 123456789012345680.0]


def test_a_table_with_decimal_commas_is_read_as_text(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("age;work\n1,5;a\n2;b\n")
    form = TableForm(";", decimal=",")
    assert read_columns(str(file), {"age": Numeric(0, 9)}, form)["age"].tolist() == [
        "1.5",
        "2",
    ]


def test_many_short_first_rows_without_a_heading_are_rows(tmp_path):
    names = (*(f"c{k}" for k in range(150)), "sex")  # pandas would read parts of 4,096 rows
    form, types = TableForm(header=names), dict.fromkeys(names[1:]) | {"c0": Numeric(0, 9)}
    file = tmp_path / "wide.csv"
    file.write_text("1\n" * 4200 + ",".join(["2"] * 151) + "\n")
    found = read_columns(str(file), types, form)
    assert found["c0"].tolist() == [1.0] * 4200 + [2.0]
    assert found["sex"].tolist() == [""] * 4200 + ["2"]


def test_a_zero_with_a_sign_is_called_zero(tmp_path):
    texts, _ = both(written(tmp_path, ["-0", "1", *["0.5"] * 20]))
    questions = questions_of_domain_fit(texts_of_columns(texts), KNOWN)
    assert any(question.startswith("age goes from 0 to 1,") for question in questions)
