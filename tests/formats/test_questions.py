"""What looks wrong in a table is asked about: telling columns, and unfitting domain files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric, Schema
from dpfair_cli.formats.questions import questions_of_domain_fit, questions_of_telling_columns
from dpfair_cli.formats.user_records import RecordsSchema
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.models.tabular.outside_values import as_levels, distinct_texts, texts_of_columns

RNG = np.random.default_rng(0)
LABELS = RNG.integers(2, size=200)
WORK = RNG.choice(list("abc"), 200).tolist()
NOISE = np.where(RNG.random(200) < 0.02, 1 - LABELS, LABELS)


@pytest.mark.parametrize(
    ("cells", "share"),
    [
        (LABELS.astype(str), "every row"),
        ((1 - LABELS).astype(str), "every row"),
        (np.where(LABELS, "A", "B"), "every row"),
        (np.where(LABELS, "yes", WORK), "every row"),
        ((LABELS * 50 + RNG.integers(0, 40, 200)).astype(str), "every row"),
        ((-7.5 * LABELS + RNG.random(200)).astype(str), "every row"),
        (NOISE.astype(str), f"{np.mean(NOISE == LABELS):.2%} of the rows"),
    ],
)
def test_a_column_that_tells_the_label_is_named(cells, share: str) -> None:
    columns = {"work": distinct_texts(WORK), "after": distinct_texts(list(cells))}
    (question,) = questions_of_telling_columns(columns, LABELS)
    assert question.startswith(f"after alone tells the label of {share}: ")


@pytest.mark.parametrize(
    "cells",
    [
        [str(k) for k in range(200)],
        [f"name {k}" for k in range(200)],
        np.where(RNG.random(200) < 0.2, 1 - LABELS, LABELS).astype(str).tolist(),
        (LABELS + RNG.normal(0, 1, 200)).astype(str).tolist(),
    ],
)
def test_an_honest_column_is_no_question(cells: list[str]) -> None:
    assert not [*questions_of_telling_columns({"work": distinct_texts(cells)}, LABELS)]


@pytest.mark.parametrize("labels", [np.zeros(200, dtype=np.int64), np.ones(200, dtype=np.int64)])
def test_a_table_with_one_label_has_nothing_to_tell(labels) -> None:
    assert not [*questions_of_telling_columns({"work": distinct_texts(WORK)}, labels)]


AGE, SEX = Numeric(18, 90), Categorical(("f", "m"))


def questions(
    age_type: ColumnType = AGE, sex_type: ColumnType = SEX, labels=("no", "yes"), **cells: list[str]
) -> list[str]:
    """The questions about a domain file and a table of 60 people, in which `cells` are replaced."""
    table = {
        "age": [str(20 + k) for k in range(60)],
        "sex": ["f", "m"] * 30,
        "rich": ["no", "no", "yes"] * 20,
    }
    schema = Schema(
        {"age": age_type}, "rich", labels[-1], "sex", ("f", "m"), "public", tuple(labels)
    )
    known = RecordsSchema(schema, sex_type, TableForm())
    return [*questions_of_domain_fit(texts_of_columns(pd.DataFrame(table | cells)), known)]


def test_a_domain_file_that_fits_is_no_question() -> None:
    assert questions() == []
    assert questions(age=["500", *(str(20 + k) for k in range(59))]) == []


@pytest.mark.parametrize(
    ("changed", "beginning"),
    [
        ({"labels": ("no", "Yes")}, "no row of the label rich is 'Yes': "),
        ({"labels": ("no", "Yes")}, "20 cells, such as 'yes', of the label rich count as unfav"),
        ({"rich": ["yes"] * 60}, "no row of the label rich is 'no': "),
        ({"sex_type": Categorical(("f", "m", "x"))}, "no row of the protected column sex is 'x': "),
        ({"sex": ["f"] * 60}, "no row of the protected column sex is 'm': "),
        (
            {"sex_type": Categorical(("f", "male"))},
            "30 cells, such as 'm', of the protected column sex become the group 'male': ",
        ),
        ({"age": ["$25,000"] * 60}, "60 cells, such as '$25,000', of age become the middle"),
        ({"age": ["25,5"] * 20 + ["30"] * 40}, "20 cells, such as '25,5', of age become the"),
        (
            {"age_type": Numeric(1700, 9000)},
            "60 cells, such as '20', of age become the nearest end",
        ),
        (
            {"age_type": Numeric(0, 9000)},
            "age goes from 20 to 79, a small part of the range from 0",
        ),
        (
            {"age_type": Categorical(("young", "old"))},
            "60 cells, such as '20', of age become the level",
        ),
    ],
)
def test_a_domain_file_that_does_not_fit_is_asked_about(changed, beginning: str) -> None:
    assert any(question.startswith(beginning) for question in questions(**changed)), changed


@pytest.mark.parametrize(
    ("cells", "levels", "expected"),
    [
        (["0.0", "1.0"], ["0", "1"], ["0", "1"]),
        (["0", "1"], ["0.0", "1.0"], ["0.0", "1.0"]),
        (["1e0", "01", "2"], ["1"], ["1", "1", None]),
        (["01", "1", "1.0"], ["1", "01"], ["01", "1", None]),  # such as codes of places
        (["nan", "", "yes"], ["nan", "no"], ["nan", None, None]),
    ],
)
def test_a_number_may_be_spelt_in_two_ways(cells, levels, expected) -> None:
    assert as_levels(cells, levels) == expected
