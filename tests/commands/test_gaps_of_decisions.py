"""dpfair gaps, predict --truth and train: rates by group, with intervals and verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.invoking import mistake, works
from tests.commands.material import PUBLIC, changed, people, write

COLUMNS = ("--label", "hired", "--decision", "decided", "--protected", "sex")
HEADING = ("sex", "hired", "decided")
# female: 3 of 4 selected, 1 of 2 right among yes; male: 1 of 4 selected
ROWS = [
    *[["female", "yes", "yes"], ["female", "no", "yes"], ["female", "no", "yes"]],
    *[["female", "yes", "no"], ["male", "yes", "yes"], ["male", "no", "no"]],
    *[["male", "no", "no"], ["male", "no", "no"]],
]


def rates(*more):
    return json.loads(works("gaps", "d.csv", *COLUMNS, *more, "--json").stdout)["rates"]


def values(found):
    return [group["value"] for group in found["groups"]]


@pytest.mark.usefixtures("place")
def test_the_rates_are_those_worked_by_hand():
    write("d.csv", ROWS, HEADING)
    found = rates()
    assert values(found["selection rate"]) == [0.75, 0.25]
    assert values(found["true positive rate"]) == [0.5, 1.0]
    assert values(found["false positive rate"]) == [1.0, 0.0]
    assert values(found["accuracy"]) == [0.25, 1.0]
    assert [group["records"] for group in found["true positive rate"]["groups"]] == [2, 1]
    assert found["selection rate"]["gap"]["verdict"] == "undecided"


@pytest.mark.usefixtures("place")
def test_eight_records_decide_nothing_and_the_text_says_so():
    write("d.csv", ROWS, HEADING)
    lines = works("gaps", "d.csv", *COLUMNS).stdout.splitlines()
    assert "not private" in lines[0]
    assert next(line for line in lines if line.startswith("gap") and "selection" in line).endswith(
        "undecided"
    )
    assert lines[-1].startswith("undecided: the interval holds 0 and also gaps above 0.05")


@pytest.mark.usefixtures("place")
def test_two_hundred_records_of_a_clear_rule_show_a_gap():
    many = [["female", "no", "no"]] * 100 + [["male", "no", "yes"]] * 100
    write("d.csv", [*many, ["male", "yes", "yes"]], HEADING)
    found = rates()
    assert found["selection rate"]["gap"]["verdict"] == "a gap"
    assert found["true positive rate"]["gap"]["verdict"] == "not measurable"  # of women


@pytest.mark.usefixtures("place")
def test_three_women_among_224_people_decide_nothing():
    """The intervals are those of scipy.stats.binomtest; the gap is 0.3861 and seems large."""
    women = [["female", "yes", "yes"], *[["female", "no", "no"]] * 2]
    men = [["male", "yes", "yes"]] * 159 + [["male", "no", "no"]] * 62
    write("d.csv", women + men, HEADING)
    found = rates()
    few, many = found["selection rate"]["groups"]
    assert (few["low"], few["high"]) == pytest.approx((0.0615, 0.7923), abs=5e-5)
    assert (many["low"], many["high"]) == pytest.approx((0.6569, 0.7746), abs=5e-5)
    assert found["selection rate"]["gap"]["value"] == pytest.approx(0.3861, abs=5e-5)
    assert {one["gap"]["verdict"] for one in found.values()} == {"undecided"}


@pytest.mark.usefixtures("place")
def test_five_people_and_women_without_a_favourable_label():
    women = [["female", "yes", "yes"], ["female", "no", "no"]]
    write("d.csv", [*women, *[["male", "no", "no"]] * 3], HEADING)
    assert rates()["true positive rate"]["gap"]["verdict"] == "not measurable"
    assert rates()["selection rate"]["gap"]["verdict"] == "undecided"  # 0.5


@pytest.mark.usefixtures("place")
def test_empty_groups_are_a_group_and_probabilities_are_expected_decisions():
    write("d.csv", [["", "yes", "0.5"], ["m", "no", "0.25"], ["m", "yes", "1"]], HEADING)
    found = rates()["selection rate"]
    assert [group["group"] for group in found["groups"]] == ["(empty)", "m"]
    assert values(found) == [0.5, 0.625]


@pytest.mark.usefixtures("place")
def test_other_values_need_the_favourable_one():
    write("d.csv", [["f", "good", "bad"], ["m", "bad", "good"]], HEADING)
    assert "good: give the favourable one by --positive" in mistake("gaps", "d.csv", *COLUMNS)
    assert values(rates("--positive", "good")["selection rate"]) == [0, 1]
    assert "no cell of hired is 'god'" in mistake("gaps", "d.csv", *COLUMNS, "--positive", "god")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("row", "words"),
    [
        (["f", "", "yes"], "1 of 9 rows of d.csv have no hired"),
        (["f", "yes", "?"], "1 of 9 rows of d.csv have no decided"),
        (["f", "yes", "perhaps"], "every cell of decided must be a value of the label"),
        (["f", "yes", "1.5"], "or a probability from 0 to 1, got '1.5'"),
    ],
)
def test_a_row_that_says_nothing_is_refused_and_not_left_out(row, words):
    write("d.csv", [*ROWS, row], HEADING)
    assert words in mistake("gaps", "d.csv", *COLUMNS)


@pytest.mark.usefixtures("place")
def test_a_column_of_ages_is_no_column_of_groups():
    write("d.csv", [[str(age), "yes", "no"] for age in range(20, 40)] + ROWS, HEADING)
    assert "sex must have at most 10 values, got 22" in mistake("gaps", "d.csv", *COLUMNS)
    assert "lacks the column 'sexx'" in mistake("gaps", "d.csv", *COLUMNS[:-1], "sexx")


@pytest.mark.usefixtures("own")
def test_train_and_predict_print_the_same_table():
    works("train", "own.csv", *PUBLIC, "--method", "majority_class", "--save", "m.json")
    shown = works("train", "own.csv", *PUBLIC, "--method", "majority_class", "--json", "--seed", 1)
    trained = json.loads(shown.stdout)
    gap = trained["rates"]["selection rate"]["gap"]
    assert gap["value"] == trained["scores"]["demographic_parity_difference"]
    assert gap["verdict"] == "undecided"  # a fifth of 60 records
    told = json.loads(works("predict", "m.json", "own.csv", "--truth", "--json").stdout)
    assert sum(one["records"] for one in told["rates"]["accuracy"]["groups"]) == len(people())
    text = works("predict", "m.json", "own.csv", "--truth", "--out", "d.csv").stdout
    assert "95 % interval" in text
    assert len(Path("d.csv").read_text().splitlines()) == len(people()) + 1


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("decision", ["rich", "probability of yes"])
def test_gaps_reads_the_file_that_predict_writes(decision):
    works("train", "own.csv", *PUBLIC, "--method", "logistic_regression", "--save", "m.json")
    told = works("predict", "m.json", "own.csv", "--truth", "--out", "d.csv").stdout
    columns = ("--label", "true rich", "--decision", decision, "--protected", "sex")
    assert works("gaps", "d.csv", *columns).stdout == told


@pytest.mark.usefixtures("own")
def test_gaps_reads_decisions_about_a_data_set():
    here = ("--data-dir", "none", "--seed", 1)
    works("train", "adult", "--method", "majority_class", *here, "--save", "m.json")
    works("predict", "m.json", "adult", *here, "--truth", "--out", "d.csv")
    columns = ("--label", "true decision", "--decision", "decision", "--protected", "group")
    told = works("predict", "m.json", "adult", *here, "--truth").stdout
    assert works("gaps", "d.csv", *columns).stdout == told


@pytest.mark.usefixtures("own")
def test_truth_needs_a_known_label_and_replaces_groups_as_train_does():
    write("own.csv", changed(2, "", every=7))
    trained = works("train", "own.csv", *PUBLIC, "--method", "majority_class", "--save", "m.json")
    assert "9 cells, such as '', of the protected column sex become the group 'm'" in trained.stderr
    told = works("predict", "m.json", "own.csv", "--truth", "--out", "d.csv")
    assert "are replaced: 9 of 60 in sex, such as ''" in told.stderr
    groups = [line.rpartition(",")[2] for line in Path("d.csv").read_text().splitlines()[1:]]
    assert groups == [line[2] or "m" for line in changed(2, "", every=7)]
    write("others.csv", changed(3, "", every=60))
    words = "1 of 60 rows of others.csv have no rich that the model knows"
    assert words in mistake("predict", "m.json", "others.csv", "--truth")
