"""Each mistake in a table is asked about by the same function, and a clean column is not."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.formats.questions import (
    question_of_rare_label,
    questions_of_columns,
    questions_of_persons,
    questions_of_rows,
)
from dpfair_cli.models.tabular.outside_values import distinct_texts

RNG = np.random.default_rng(0)
N = 400
AGES = RNG.integers(17, 91, N)
CHILDREN = RNG.poisson(2, N)
PAY = np.exp(RNG.normal(10, 1, N)).astype(int)
LABELS = (RNG.random(N) < 0.4).astype(np.int64)


def with_codes(numbers, *codes):
    """The numbers with each of the codes in two percent of the cells."""
    cells = list(map(str, numbers))
    for k, code in enumerate(codes):
        for row in range(k, N, 50):
            cells[row] = str(code)
    return cells


def asked(cells, separator=","):
    """The questions about a column x with these cells."""
    columns = {"x": distinct_texts(list(map(str, cells)))}
    return [*questions_of_columns(columns, separator=separator)]


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        (with_codes(AGES, -999), "-999"),
        (with_codes(AGES, 999), "999"),
        (with_codes(AGES, 9999), "9999"),
        (with_codes(AGES, 99), "99"),
        (with_codes(AGES, -1), "-1"),
        (with_codes(AGES, 998, 999), "998 or 999"),
        (with_codes(CHILDREN, 99), "99"),
        (with_codes(CHILDREN, -9), "-9"),
        (with_codes(PAY, 99999999), "99999999"),
    ],
)
def test_a_code_for_a_missing_value_is_asked_about_once(cells, codes):
    (question,) = asked(cells)
    assert f" cells of x are {codes}, and the others are " in question


@pytest.mark.parametrize(
    "cells",
    [
        AGES,
        CHILDREN,
        PAY,
        RNG.integers(-1, 2, N),  # a scale
        RNG.integers(0, 2, N),
        RNG.integers(1, 100, N),  # 99 among others
        RNG.normal(0, 1, N).round(3),
        np.where(RNG.random(N) < 0.9, 0, RNG.integers(1, 9000, N)),
        with_codes(AGES, 999)[:1] + list(AGES[1:]),  # once
        [f"{x:.3f}" for x in RNG.random(N)],
        [f"{k % 12 + 1}th" for k in range(N)],
        [("private", "public", "a b", "É")[k % 4] for k in range(N)],
        [("18-24", "25-34", "35+")[k % 3] for k in range(N)],
    ],
)
def test_a_clean_column_is_not_asked_about(cells):
    assert asked(cells) == []


@pytest.mark.parametrize(
    ("cells", "separator", "beginning"),
    [
        ([f"{150 + k % 50} cm" for k in range(N)], ",", "x holds amounts such as '150 cm': "),
        ([f"{k % 70}kg" for k in range(N)], ",", "x holds amounts such as '0kg': "),
        (
            [f"{pay:,}".replace(",", ".") for pay in [5, *PAY]],
            ",",
            "x has numbers such as ",
        ),
        ([f"{k % 90 + 10}.500" for k in range(N)], ";", "x has numbers such as '10.500': "),
    ],
)
def test_numbers_that_are_no_plain_numbers_are_asked_about(cells, separator, beginning):
    (question,) = asked(cells, separator)
    assert question.startswith(beginning)
    assert "write plain numbers" in question


@pytest.mark.parametrize(
    ("levels", "shown"),
    [
        (["caf\u00e9", "cafe\u0301"], r"'cafe\u0301' and 'caf\xe9'"),
        (["ab", "a\u200bb"], r"'ab' and 'a\u200bb'"),
        (["port", "p\u043ert"], r"'port' and 'p\u043ert'"),
        (["MAN", "\u039cAN"], r"'MAN' and '\u039cAN'"),
        (["a b", "a\u00a0b"], r"'a b' and 'a\xa0b'"),
        (["f", "F"], "'F' and 'f'"),
    ],
)
def test_levels_that_look_alike_are_asked_about(levels, shown):
    assert asked([*levels, "other"] * 20) == [
        f"x has the levels {shown}: if these are one level, correct the file"
    ]


def rows(**columns):
    """The questions about the rows of a table with these columns, of which sex is protected."""
    table = {name: distinct_texts(list(map(str, cells))) for name, cells in columns.items()}
    labels = LABELS[np.arange(len(next(iter(columns.values())))) % N]
    return [*questions_of_rows(table, labels, "sex")]


WORK, SEX = RNG.choice(list("abc"), N), RNG.choice(list("fm"), N)


def test_rows_that_are_alike_by_chance_are_not_asked_about():
    assert rows(work=WORK, sex=SEX) == []
    assert rows(work=WORK, sex=SEX, age=AGES) == []
    assert rows(work=WORK, sex=SEX, pay=PAY) == []


@pytest.mark.parametrize("times", [2, 3])
def test_copied_rows_are_asked_about(times):
    (question,) = rows(
        **{
            name: np.tile(cells, times)
            for name, cells in {"work": WORK, "sex": SEX, "age": AGES}.items()
        }
    )
    assert question.startswith(f"{times * N:,} of {times * N:,} rows occur more than once")


def test_a_column_equal_to_the_protected_one_is_named():
    (question,) = rows(gender=SEX, sex=SEX, pay=PAY)
    assert question.startswith("gender is equal to the protected column sex: ")


def test_a_rare_favourable_label_is_asked_about():
    (question,) = question_of_rare_label("rich", ("0", "1"), 12, 988)
    assert question.startswith("rich: only 12 of 1,000 rows have '1', which is taken as favourable")
    assert question_of_rare_label("rich", ("0", "1"), 240, 760) == []


def persons(**columns):
    """The columns that seem to name persons, of a table in which sex is protected."""
    table = {name: distinct_texts(list(map(str, cells))) for name, cells in columns.items()}
    found = list(questions_of_persons(table, protected="sex", label="hired"))
    assert [one for one in found if "write `person: " not in one] == []
    return [question.partition(" has ")[0] for question in found]


FIVE_EACH = RNG.permutation(np.repeat(np.arange(100211, 100291), 5))  # 80 in 400 rows
RANDOM = RNG.integers(120, size=N)  # persons with 3 rows on average
SEX_OF = RNG.choice(list("fm"), 120)


@pytest.mark.parametrize(
    "cells",
    [
        FIVE_EACH,
        [f"P{k}" for k in FIVE_EACH],
        np.where(RNG.random(N) < 0.03, 100500 + FIVE_EACH, FIVE_EACH),  # some have fewer rows
        np.repeat(np.arange(100), 4),
        RNG.permutation(np.repeat(np.arange(133), RNG.integers(2, 5, 133)))[:N],
    ],
)
def test_a_column_with_values_in_equally_many_rows_is_asked_about(cells):
    others = {"sex": SEX[: len(cells)], "age": AGES[: len(cells)], "hired": LABELS[: len(cells)]}
    assert persons(patient=cells, **others) == ["patient"]
    assert persons(patient=cells, sex=others["sex"]) == ["patient"]


def test_a_column_whose_values_have_one_group_each_is_asked_about():
    assert persons(patient=RANDOM, sex=SEX_OF[RANDOM], age=AGES) == ["patient"]
    assert persons(patient=RANDOM, sex=SEX, age=AGES) == []


def test_the_question_of_persons_names_the_key():
    table = {"patient": FIVE_EACH, "age": AGES}
    columns = {name: distinct_texts(list(map(str, cells))) for name, cells in table.items()}
    (question,) = questions_of_persons(columns, protected="")
    assert question.startswith("patient has 80 different values in 400 rows: ")
    assert "write `person: patient` above the line `---`" in question
    columns["id: 1"] = columns.pop("patient")
    (question,) = questions_of_persons(columns, protected="")
    assert "write `person: 'id: 1'` above the line `---`" in question


@pytest.mark.parametrize(
    "cells",
    [
        AGES,
        CHILDREN,
        PAY,
        RNG.integers(1, 200, N),
        RNG.normal(50, 20, N).round().clip(0),
        (PAY // 1000) * 1000,  # rounded
        RNG.normal(0, 1, N).round(2),
        np.repeat(RNG.random(80).round(6), 5),  # decimals name nobody
        np.repeat(np.arange(8), 50),  # a balanced design
        np.arange(N),
        [f"word {k}" for k in RNG.zipf(1.5, N)],
    ],
)
def test_a_column_that_names_nobody_is_not_asked_about(cells):
    assert persons(x=cells, sex=SEX, hired=LABELS) == []
    assert persons(x=cells) == []


@pytest.mark.parametrize("times", [2, 3])
def test_copies_of_rows_are_not_persons(times):
    table = {"pay": PAY, "age": AGES, "number": np.arange(N), "sex": SEX, "work": WORK}
    assert persons(**{name: np.tile(cells, times) for name, cells in table.items()}) == []


def test_rows_that_are_drawn_with_replacement_are_not_persons():
    drawn = RNG.integers(N, size=N)
    assert persons(pay=PAY[drawn], number=drawn, sex=SEX[drawn], work=WORK[drawn]) == []
