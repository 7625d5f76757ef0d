"""Words on an axis: a place for each, methods side by side, and no line between them."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.figure import Figure

from dpfair_cli.reporting.figures import panels

POINTS = pd.DataFrame({"method": ["a", "b", "a", "b"], "group": ["x", "x", "y", "y"], "mean": 1.0})


def test_methods_stand_side_by_side_around_the_place_of_a_word() -> None:
    placed, names = panels.with_words_placed(POINTS, "group", ["a", "b"])
    assert names == ["x", "y"]
    assert placed["group"].tolist() == pytest.approx([-0.3, 0.3, 0.7, 1.3])


def test_one_method_stands_at_the_place_itself() -> None:
    placed, _ = panels.with_words_placed(POINTS[POINTS["method"] == "a"], "group", ["a"])
    assert placed["group"].tolist() == [0, 1]


def test_numbers_stay_as_they_are() -> None:
    placed, names = panels.with_words_placed(POINTS, "mean", ["a", "b"])
    assert names == []
    assert placed is POINTS


def test_each_word_is_written_below_its_place() -> None:
    axes = Figure().subplots()
    panels.name_words(axes, ["x", "y"])
    assert [(label.get_position()[0], label.get_text()) for label in axes.get_xticklabels()] == [
        (0, "x"),
        (1, "y"),
    ]
