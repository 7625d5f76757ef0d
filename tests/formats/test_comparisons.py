"""A favourable label can be a comparison, such as >15, which numbers satisfy or not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.formats.comparisons import LabelComparison, as_labels
from dpfair_cli.formats.decisions import read_decisions
from dpfair_cli.formats.user_records import read_user_records

POINTS = ["3", "15", "15.0", "16", "20", "-4"]
ROLES = {"label": "points", "protected": "sex"}
DOMAIN = "age: {low: 0, high: 99}\nsex: {levels: [f, m]}\n"


@pytest.fixture
def file(tmp_path):
    rows = [f"{20 + k},{'fm'[k % 2]},{points}\n" for k, points in enumerate(POINTS)]
    (tmp_path / "own.csv").write_text("age,sex,points\n" + "".join(rows))
    return str(tmp_path / "own.csv")


@pytest.fixture
def domain(tmp_path):
    def written(entry: str) -> str:
        (tmp_path / "own.yaml").write_text(DOMAIN + (f"points: {entry}\n" if entry else ""))
        return str(tmp_path / "own.yaml")

    return written


def labels(file, positive, domain=""):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        table = read_user_records(file, **ROLES, positive=positive, domain=domain)
        return table.known.schema.labels, table.encoded("one_hot").y.tolist()


@pytest.mark.parametrize(
    ("text", "other"), [(">15", "<=15"), (">= 1e3", "<1e3"), ("< -2", ">=-2"), ("<=.5", ">.5")]
)
def test_a_comparison_and_its_opposite(text, other):
    found = LabelComparison.of(text)
    assert str(found) == text.replace(" ", "")
    assert str(found.opposite) == other
    assert found.opposite.opposite == found


@pytest.mark.parametrize("text", ["", "15", "yes", ">50K", ">", "=5", "==5", ">nan", "<inf", "a>5"])
def test_another_value_is_no_comparison(text):
    assert LabelComparison.of(text) is None


def test_a_number_stands_for_the_comparison_that_it_satisfies():
    cells = ["15", "15.5", "a", "", "nan", "inf", ">15", "<=15"]
    found = ["<=15", ">15", None, None, None, ">15", ">15", "<=15"]
    assert as_labels(cells, ["<=15", ">15"]) == found
    assert as_labels(["3", "b"], ["a", "b"]) == [None, "b"]
    assert as_labels(["7", "12"], ["<10", ">5"]) == [">5", ">5"]  # the last one wins


@pytest.mark.parametrize(
    ("positive", "entry"),
    [
        (">15", ""),
        (">15", "{low: -20, high: 20}"),
        (">15", "{levels: [3, 15, 16, 20, -4]}"),
        (">15", "{levels: ['<=15', '>15']}"),
        ("> 15", "{levels: ['>15', '<=15']}"),
        ("", "{levels: ['<=15', '>15']}"),
    ],
)
def test_numbers_above_a_limit_are_favourable(file, domain, positive, entry):
    assert labels(file, positive, domain(entry)) == (("<=15", ">15"), [0, 0, 0, 1, 1, 0])


@pytest.mark.parametrize("positive", [">15", "> 15"])
def test_without_a_domain_file_they_are_too(file, positive):
    assert labels(file, positive) == (("<=15", ">15"), [0, 0, 0, 1, 1, 0])
    assert labels(file, "<=15") == ((">15", "<=15"), [1, 1, 1, 0, 0, 1])


def test_with_a_domain_file_a_label_depends_on_its_cell_alone(file, domain, tmp_path):
    content = (tmp_path / "own.csv").read_text()
    for cell in ("99", "-99", "word", "", "nan", ">15"):
        (tmp_path / "own.csv").write_text(content.replace(",20\n", f",{cell}\n"))
        names, y = labels(file, ">15", domain("{low: -20, high: 20}"))
        assert names == ("<=15", ">15")
        assert y == [0, 0, 0, 1, cell in ("99", ">15"), 0]


@pytest.mark.parametrize(
    ("positive", "entry", "message"),
    [
        (">20", "{low: -20, high: 20}", r"'points' are from -20 to 20, so that none is >20"),
        (">=-20", "{low: -20, high: 20}", r"from -20 to 20, so that each is >=-20"),
        (">5", "{levels: [1, 2]}", r"from 1 to 2, so that none is >5"),
        (">5", "{levels: [low, high]}", r"the label 'points' has no value '>5'"),
        (">5", "{levels: ['<=15', '>15']}", r"has no value '>5': did you mean '>15'"),
    ],
)
def test_a_comparison_that_the_domain_file_excludes_is_named(
    file, domain, positive, entry, message
):
    with pytest.raises(DpfairError, match=message):
        labels(file, positive, domain(entry))


def test_a_comparison_that_the_table_excludes_is_named(file, tmp_path):
    with pytest.raises(DpfairError, match=r"from -4 to 20, so that none is >20: give another"):
        labels(file, ">20")
    with pytest.raises(DpfairError, match=r"from -4 to 20, so that each is <99"):
        labels(file, "<99")
    content = (tmp_path / "own.csv").read_text()
    (tmp_path / "own.csv").write_text(content.replace(",16\n", ",many\n"))
    with pytest.raises(DpfairError, match=r"every label 'points' must be a number .* got 'many'"):
        labels(file, ">15")


def test_many_numbers_without_a_comparison_are_pointed_to_one(file):
    with pytest.raises(DpfairError, match=r"got 6: .*; for numbers, give a comparison, such as"):
        labels(file, "")
    with pytest.raises(DpfairError, match=r"no cell of the label 'points' is '7'"):
        labels(file, "7")


def test_a_level_for_empty_cells_is_not_found_by_chance(file, domain):
    with pytest.raises(DpfairError, match=r"has no value '7'"):
        labels(file, "7", domain("{levels: [1, missing]}"))
    both = (("<=15", ">15"), [0, 0, 0, 1, 1, 0])
    assert labels(file, ">15", domain("{levels: [3, 20, missing]}")) == both


def test_an_empty_label_is_a_problem_as_always(file, tmp_path):
    content = (tmp_path / "own.csv").read_text()
    (tmp_path / "own.csv").write_text(content.replace(",16\n", ",?\n"))
    with pytest.raises(DpfairError, match=r"label 'points' has an empty cell in 1 of 6 rows"):
        labels(file, ">15")


def test_a_text_that_occurs_is_no_comparison(file, tmp_path):
    content = (tmp_path / "own.csv").read_text()
    for old, new in ((",16\n", ",>15\n"), (",20\n", ",>15\n")):
        content = content.replace(old, new)
    for low in ("3", "15", "15.0", "-4"):
        content = content.replace(f",{low}\n", ",less\n")
    (tmp_path / "own.csv").write_text(content)
    assert labels(file, ">15") == (("less", ">15"), [0, 0, 0, 1, 1, 0])


@pytest.mark.parametrize(
    ("decided", "expected"),
    [
        (["<=15", ">15", ">15", "<=15"], [0, 1, 1, 0]),
        (["0", "1", "1", "0"], [0, 1, 1, 0]),
        (["0.2", "0.9", "1", "0"], [0.2, 0.9, 1, 0]),
        (["1", "19", "16.5", "15"], [0, 1, 1, 0]),
    ],
    ids=["values", "decisions", "probabilities", "numbers"],
)
def test_decisions_about_numbers(tmp_path, decided, expected):
    rows = zip("fmfm", ["0", "20", "15", "16"], decided, strict=True)
    (tmp_path / "d.csv").write_text(
        "sex,points,decided\n" + "".join(map("{0[0]},{0[1]},{0[2]}\n".format, rows))
    )
    found = read_decisions(str(tmp_path / "d.csv"), **ROLES, decision="decided", positive="> 15")
    assert found.y.tolist() == [0, 1, 0, 1]
    assert found.positive == ">15"
    assert np.array_equal(found.decision, expected)


def test_decisions_that_are_no_numbers_are_named(tmp_path):
    (tmp_path / "d.csv").write_text("sex,points,decided\nf,1,maybe\nm,20,19\n")
    with pytest.raises(DpfairError, match=r"of the label \(<=15, >15\) or a .* got 'maybe'"):
        read_decisions(str(tmp_path / "d.csv"), **ROLES, decision="decided", positive=">15")
    with pytest.raises(DpfairError, match=r"'points' are from 1 to 20, so that none is >50"):
        read_decisions(str(tmp_path / "d.csv"), **ROLES, decision="decided", positive=">50")
