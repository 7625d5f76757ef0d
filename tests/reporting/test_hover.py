"""The points of a picture: where they are in its pixels, what is said of them, and that they travel
in its file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from dpfair_cli.reporting.figures import pictures, style
from dpfair_cli.reporting.figures.panels import name_infinity, name_words
from dpfair_cli.reporting.figures.pictures import points_of
from dpfair_cli.reporting.figures.style import Heading, compose


def draw(figure: Figure) -> None:
    """Two panels: a line, a level and unnamed helpers; bars on the lower one."""
    figure.set_size_inches(6, 6)
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.set_title("Adult")
    upper.plot([0.1, 1.0, 10.0], [0.5, 0.6, 0.7], label="FM", marker="o", color="red")
    upper.plot([0.1, 1.0, 10.0], [0.55, 0.65, 0.75])
    upper.axhline(0.75, label="majority class")
    upper.set_ylabel("accuracy")
    lower.errorbar([1.0], [0.25], yerr=[0.1], fmt="s", label="published")
    lower.set_ylabel("gap")
    lower.set_xlabel(style.AXIS_NAMES["epsilon"])
    style.make_x_logarithmic(lower)


@pytest.fixture
def figure() -> Figure:
    return compose(draw, Heading("title", "explanation"))


def test_each_point_of_a_named_line_or_bar_says_panel_name_and_numbers(figure: Figure) -> None:
    assert [point.words for point in points_of(figure)] == [
        "Adult, FM: privacy loss ε 0.1, accuracy 0.5",
        "Adult, FM: privacy loss ε 1, accuracy 0.6",
        "Adult, FM: privacy loss ε 10, accuracy 0.7",
        "Adult, published: privacy loss ε 1, gap 0.25",
    ]


def test_a_point_is_where_its_mark_is_in_the_saved_picture(figure: Figure, tmp_path: Path) -> None:
    pictures.save_png(figure, tmp_path / "a.png", "digest")
    with Image.open(tmp_path / "a.png") as image:
        pixels = np.asarray(image.convert("RGB"), dtype=int)
    for point in points_of(figure)[:3]:
        y, x = round(point.y / 1000 * pixels.shape[0]), round(point.x / 1000 * pixels.shape[1])
        assert pixels[y, x].tolist() == [255, 0, 0]


def test_points_travel_in_the_file_beside_the_digest(figure: Figure, tmp_path: Path) -> None:
    pictures.save_png(figure, tmp_path / "a.png", "digest")
    with Image.open(tmp_path / "a.png") as image:
        assert image.info["Description"] == "digest"
        assert pictures.points_in(image.info) == points_of(figure)
    assert pictures.points_in({}) == []


def test_a_point_outside_its_panel_is_not_there() -> None:
    def cut(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([1, 2, 3, 4], [1, 2, np.nan, 40], label="a")
        axes.set_ylim(1.5, 3)

    assert [point.words for point in points_of(compose(cut, Heading("t", "e")))] == ["a: x 2, y 2"]


def test_some_points_speak_for_a_long_line_and_none_for_a_cloud() -> None:
    def long(figure: Figure) -> None:
        axes, many = figure.subplots(), np.arange(pictures.MANY_POINTS + 1)
        axes.plot(many, many, label="line")
        axes.plot(many, many, "o", label="cloud")

    words = [point.words for point in points_of(compose(long, Heading("t", "e")))]
    assert words == [f"line: x {k}, y {k}" for k in range(0, pictures.MANY_POINTS + 1, 2)]


def test_words_and_infinity_are_said_as_the_ticks_say_them() -> None:
    def classes(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([0.1, 0.9], [1, 2], label="a")
        name_words(axes, ["class2", "class8"])

    def endless(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([1, 10, 100], [1, 2, 3], label="a")
        style.make_x_logarithmic(axes)
        name_infinity(axes, pd.DataFrame({"x": [1, 10], "beyond": False}), "x", 100)

    words = [
        point.words
        for drawn in (classes, endless)
        for point in points_of(compose(drawn, Heading("t", "e")))
    ]
    assert words == [
        "a: x class2, y 1",
        "a: x class8, y 2",
        "a: x 1, y 1",
        "a: x 10, y 2",
        "a: x ∞, y 3",
    ]
