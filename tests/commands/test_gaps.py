"""A gap that cannot be measured is not 0: it is named in the preview, in tables and by train."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from tests.commands.invoking import preview_of, works
from tests.commands.material import PUBLIC, journal, people, swept, write

SWEEP = ("sweep", "own.csv", *PUBLIC, "--jobs", "1", "--eps", "1", "--out", "out")


def with_women(count, rich=""):
    """The people, of whom the first `count` are the only women, all with the label `rich`."""
    return [
        [*line[:2], "f", rich or line[3]] if k < count else [*line[:2], "m", line[3]]
        for k, line in enumerate(people())
    ]


@pytest.mark.usefixtures("own")
def test_a_gap_is_averaged_over_the_runs_that_have_one():
    write("own.csv", with_women(3))
    result = works(*SWEEP, "--runs", "6", "--method", "majority_class")
    gaps = [
        json.loads(line)["scores"]["demographic_parity_difference"]
        for line in journal().read_text().splitlines()
        if '"algorithm": "majority_class"' in line
    ]
    measured = sum(gap is not None for gap in gaps)
    assert 0 < measured < 6 == len(gaps)
    found = re.search(
        r"^Measured: risk difference in (\d) of 6 runs; ", result.stdout, re.MULTILINE
    )
    assert found
    assert int(found[1]) == measured
    table = pd.read_csv(swept() / "table.csv")
    assert set(table["demographic_parity_difference_runs"]) == {measured}


@pytest.mark.usefixtures("own")
def test_a_gap_that_no_run_has_is_not_measurable():
    write("own.csv", with_women(0))
    lines = works(*SWEEP, "--runs", "2", "--method", "majority_class").stdout.splitlines()
    assert "not measurable" in next(line for line in lines if line.startswith("majority_class"))


@pytest.mark.usefixtures("own")
def test_methods_that_change_nothing_are_named():
    rich = ["no" if k % 7 == 0 else "yes" for k in range(60)]
    write("own.csv", [[*line[:3], label] for line, label in zip(people(), rich, strict=True)])
    methods = ("--method", "majority_class", "--method", "logistic_regression")
    text = works(*SWEEP, "--runs", "2", *methods, "--set", "l2=1e9").stdout
    pair = "majority_class and logistic_regression"
    assert f"The same scores in every run: {pair}." in text
    write("own.csv", people())
    text = works(*SWEEP[:-1], "other", "--runs", "2", *methods).stdout
    assert "The same scores" not in text


@pytest.mark.usefixtures("own")
def test_the_preview_names_the_groups_and_train_says_not_measurable():
    write("own.csv", with_women(3, "no"))
    result = works("train", "own.csv", *PUBLIC, "--method", "majority_class", "--seed", "1")
    questions = [line for line in preview_of(result.stderr) if line.startswith("  ? ")]
    assert questions == [
        "  ? the group sex = f has no favourable label: its rates given this label cannot be "
        "measured",
        "  ? the group sex = f has 3 rows, of which a fifth is tested: too few people to tell how "
        "fair a method is to them",
    ]
    scores = dict(line.split(None, 1) for line in result.stdout.splitlines() if line)
    assert scores["equal_opportunity_difference"] == "not measurable"
    assert scores["equalized_odds_difference"] == "not measurable"
