"""Rows of runs in memory: with their setting, a row has the values that were given."""

from __future__ import annotations

import json
import math

import pytest

from dpfair_cli.running.rows import Row, SettingFields, line, read_line

SETTING = SettingFields({"dataset": "adult", "method": "pflr"})


def row(**scores):
    return Row(SETTING, 3, scores)


@pytest.mark.parametrize(
    "scores", [{"a": 0.1, "b": -0.0, "c": 1e308}, {"edges": 7, "error": 0.5}, {"edges": 2**70}, {}]
)
def test_scores_have_the_numbers_and_types_that_were_given(scores):
    found = row(**scores)["scores"]
    assert found == scores
    assert [*map(repr, found.values())] == [*map(repr, scores.values())]


def test_a_line_of_integers_and_of_nan_is_the_json_of_its_scores():
    text = json.loads(line(row(edges=7, error=math.nan)))
    assert text["scores"] == {"edges": 7, "error": None}
    assert '"edges": 7, ' in line(row(edges=7, error=0.5))


def test_a_line_that_is_read_gives_the_same_line():
    text = line(row(accuracy=0.1 + 0.2, gap=0.0))
    again = read_line(text.encode().rstrip(b"\n"), {}, "runs.jsonl", 1)
    assert line(again) == text
    assert dict(again) == dict(row(accuracy=0.1 + 0.2, gap=0.0))
