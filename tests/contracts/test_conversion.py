"""A mapping of a YAML file becomes a frozen dataclass, or is refused with the nearest key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import pytest

from dpfair_cli.contracts.conversion import ONE_OR_MORE, from_mapping


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@dataclass(frozen=True)
class Circle:
    radius: float
    colour: Colour = Colour.RED


@dataclass(frozen=True)
class Square:
    side: float
    colour: Colour = Colour.RED


@dataclass(frozen=True)
class Picture:
    title: str
    shapes: tuple[Circle | Square, ...] = ()
    frame: Circle = Circle(1.0)
    authors: Annotated[tuple[str, ...], ONE_OR_MORE] = ()
    corner: tuple[str, float] = ("left", 0.0)
    price: str | float = ""
    anything: Any = None


def test_a_nested_dataclass_is_read_from_its_mapping() -> None:
    found = from_mapping(Picture, {"title": "one", "frame": {"radius": 2, "colour": "green"}})
    assert found.frame == Circle(2.0, Colour.GREEN)


def test_a_dataclass_of_several_is_chosen_by_the_key_that_others_lack() -> None:
    shapes = [{"side": 3}, {"colour": "red", "radius": 1}]
    found = from_mapping(Picture, {"title": "two", "shapes": shapes})
    assert found.shapes == (Square(3.0), Circle(1.0))


def test_a_dataclass_that_is_built_already_stays_as_it_is() -> None:
    circle = Circle(5.0)
    assert from_mapping(Picture, {"title": "x", "frame": circle}).frame is circle


def test_one_value_stands_for_a_list_of_one_where_that_is_allowed() -> None:
    assert from_mapping(Picture, {"title": "x", "authors": "Xu"}).authors == ("Xu",)
    assert from_mapping(Picture, {"title": "x", "authors": ["Xu", "Wu"]}).authors == ("Xu", "Wu")


@pytest.mark.parametrize(("given", "price"), [("free", "free"), (3, 3.0)])
def test_text_and_numbers_both_fit_a_union_of_them(given: Any, price: str | float) -> None:
    assert from_mapping(Picture, {"title": "x", "price": given}).price == price


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"titel": "x"}, "unknown key 'titel': did you mean 'title'?"),
        ({}, "missing values: give a value for title"),
        (
            {"frame": {"radius": 1, "colour": "gren"}},
            "frame: unknown colour 'gren': did you mean 'green'?",
        ),
        ({"frame": {"radios": 1}}, "frame: unknown key 'radios': did you mean 'radius'?"),
        ({"shapes": [{"sides": 3}]}, "unknown key 'sides': did you mean 'side'?"),
        (
            {"shapes": [{"colour": "red"}]},
            "shapes must have one of the keys radius, side, got {'colour': 'red'}",
        ),
        ({"shapes": [{"side": 1, "radius": 2}]}, "shapes must have one of the keys radius, side"),
        ({"shapes": ["round"]}, "shapes must be a mapping, got 'round'"),
        ({"corner": ["left"]}, "corner must be a list of 2 values, got ['left']"),
        ({"corner": ["left", "far"]}, "corner must be a number, got 'far'"),
    ],
)
def test_a_mapping_with_a_mistake_is_refused_with_its_place(given: Any, why: str) -> None:
    whole = given if "titel" in given or not given else {"title": "x", **given}
    with pytest.raises(ValueError, match=f"^{re.escape(why)}"):
        from_mapping(Picture, whole)
