"""Every score that a task may give has a declared range, and every committed row lies in it."""

import json
from math import inf
from pathlib import Path

import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.results import ANY, range_of

JOURNALS = sorted((Path(__file__).parents[2] / "results").glob("*/*/runs.jsonl"))


@pytest.mark.parametrize("task", catalog.studies.names)
def test_every_score_has_a_range(task):
    declared = catalog.study(task)
    unknown = [score for score, found in declared.score_ranges.items() if found == ANY]
    assert set(unknown) - {*declared.ranges, declared.axis} == set()


@pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_every_committed_value_lies_in_its_range(journal):
    for row in map(json.loads, journal.read_text(encoding="utf-8").splitlines()):
        values = [(name, value) for name, value in row["scores"].items()]
        values += [
            (name, value) for name, curve in row.get("curves", {}).items() for value in curve
        ]
        ranges = catalog.study(row["task"]).score_ranges
        for name, value in values:
            low, high = ranges.get(name) or range_of(name)
            assert value is None or isinstance(value, str) or low <= value <= high, (name, value)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ("accuracy", (0, 1)),
        ("majority_accuracy", (0, 1)),
        ("accuracy_change", (-1, 1)),
        ("accuracy_change_8", (-1, 1)),
        ("accuracy_change_difference", (0, 2)),
        ("demographic_parity_difference", (0, 1)),
        ("total_effect", (-1, 1)),
        ("average_gradient_norm_2", (0, inf)),
        ("accuracy_parity_bound", (0, inf)),
        ("accuracy_parity_gap", (0, 1)),
        ("chi2", (0, inf)),
        ("a score of another package", (-inf, inf)),
    ],
)
def test_the_range_goes_by_the_name(score, expected):
    assert range_of(score) == expected
