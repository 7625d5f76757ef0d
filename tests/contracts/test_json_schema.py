"""The schema of an annotation accepts what the converter accepts, worked by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest

from dpfair_cli.contracts.annotations import schema_of
from dpfair_cli.contracts.conversion import ONE_OR_MORE, convert
from dpfair_cli.contracts.parameters import Above, AtLeast, AtMost, Below, Between
from tests.receipts.schema_rules import mistake


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Dot:
    """A dot."""

    x: float
    """The place,
    from the left."""

    name: str = ""
    """The name."""


@dataclass(frozen=True)
class Line:
    """A line."""

    ends: tuple[float, float]
    """Both ends."""


CASES = [
    (float, [1, 0.5, "inf"], ["1e-5", True, None]),
    (int, [3], [3.5, "3", True]),
    (bool, [True], [1, "yes"]),
    (str, ["a"], [1]),
    (Literal["a", "b"], ["a"], ["c"]),
    (Colour, ["red"], ["blue"]),
    (Annotated[float, Above(0), AtMost(1)], [0.5, 1], [0, 1.5]),
    (Annotated[float, Between(0, 1)], [0.5], [0, 1]),
    (Annotated[int, AtLeast(2)], [2], [1]),
    (Annotated[float, Below(3)], [2.9], [3]),
    (tuple[str, ...], [["a"], []], ["a", [1]]),
    (tuple[float, ...], [[1, 2], 1, "0.1..10"], [["a"]]),
    (Annotated[tuple[str, ...], ONE_OR_MORE], ["a", ["a", "b"]], [1]),
    (tuple[str, float], [["a", 1]], [["a"], [1, "a"], ["a", 1, 2]]),
    (Mapping[str, int], [{"a": 1}], [{"a": "b"}, 1]),
    (str | float, ["a", 1], [[]]),
    (Dot, [{"x": 1}, {"x": 1, "name": "p"}], [{}, {"x": 1, "y": 2}, {"x": "a"}]),
    (Dot | Line, [{"x": 1}, {"ends": [0, 1]}], [{"z": 1}, {"ends": [0]}]),
]


@pytest.mark.parametrize(("annotation", "good", "bad"), CASES)
def test_a_schema_accepts_what_is_converted(annotation, good, bad):
    schema = schema_of(annotation)
    for value in good:
        convert("key", value, annotation)
        assert mistake(value, schema) == ""
    for value in bad:
        with pytest.raises(ValueError, match=r"\w"):
            convert("key", value, annotation)
        assert mistake(value, schema)


def test_what_is_not_checked_has_no_rules():
    assert schema_of(Any) == {}
    assert schema_of(object) == {}


def test_a_field_is_described_by_its_docstring():
    properties = schema_of(Dot)["properties"]
    assert properties["x"]["description"] == "The place, from the left."
    assert properties["name"]["description"] == "The name."
