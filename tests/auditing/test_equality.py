"""Two objects are equal only if no observer of all their parts can distinguish them."""

from collections import OrderedDict, deque, namedtuple
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from dpfair_cli.auditing.equality import same

Pair = namedtuple("Pair", "left right")


@dataclass(frozen=True, slots=True)
class Slotted:
    values: Any
    __secret: Any = 0


@dataclass
class Node:
    value: Any
    next: Any = None
    unseen: Any = field(default=0, compare=False, repr=False)


class Hidden:
    """Equal to everything, and its attribute is behind a property."""

    def __init__(self, value):
        self._value = value

    def __eq__(self, other):
        return True

    __hash__ = None

    def __getstate__(self):
        return {}

    @property
    def value(self):
        return self._value


class Parent:
    __slots__ = ("__own",)

    def __init__(self, own):
        self.__own = own


class Child(Parent):
    __slots__ = ()


def closure(value):
    return lambda x: x + value


def method(value):
    return Hidden(value).__getstate__


def cyclic(value):
    node = Node(value)
    node.next = Node(0, node)
    return node


def tree(labels):
    return DecisionTreeClassifier(random_state=0).fit(np.arange(8)[:, None], labels)


def defaulted(value):
    def function(x, y=value, *, z=value):
        return x + y + z

    return function


def marked(value):
    def function():
        return 0

    function.mark = value
    return function


MAKERS = {
    "array": np.array,
    "a list of arrays": lambda value: [np.zeros(2), np.array(value)],
    "nested": lambda value: {"a": [({"b": np.array([value])},)]},
    "named tuple": lambda value: Pair(0, value),
    "object array": lambda value: np.array([{"a": value}, None], dtype=object),
    "complex": lambda value: np.array([complex(1, value)]),
    "number": float,
    "decimal": Decimal,
    "bytes": lambda value: bytes([int(value)]),
    "set": lambda value: {1, int(value) + 5},
    "deque": lambda value: deque([value]),
    "ordered": lambda value: OrderedDict(a=value),
    "slots": lambda value: Slotted(np.array([value])),
    "a hidden slot": lambda value: Slotted(0, value),
    "a parent's hidden slot": Child,
    "dataclass": lambda value: Node(np.array([1, value])),
    "a field that is left out of comparisons": lambda value: Node(1, unseen=value),
    "property": Hidden,
    "closure": closure,
    "a closure of a closure": lambda value: closure(closure(value)),
    "defaults": defaulted,
    "an attribute of a function": marked,
    "a bound method": method,
    "partial": lambda value: partial(max, value),
    "cyclic": cyclic,
    "frame": lambda value: pd.DataFrame({"a": [1.0, value]}),
    "series": lambda value: pd.Series(["x"], name=str(value)),
    "sparse": lambda value: sparse.csr_array(np.diag([1.0, value])),
    "estimator": lambda value: tree(np.arange(8) > 3 + value),
    "mask": lambda value: np.ma.masked_array([1, 2], mask=[False, value > 1]),
    "record array": lambda value: np.array([(1, value)], dtype=[("a", int), ("b", float)]),
    "text array": lambda value: np.array([str(value)]),
    "range": lambda value: range(int(value)),
    "generator": lambda value: np.random.default_rng(int(value)),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_what_holds_another_value_is_another_thing(make):
    assert same(make(1.0), make(1.0))
    assert not same(make(1.0), make(2.0))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.0, -0.0),
        (np.zeros(2), -np.zeros(2)),
        (1, 1.0),
        (True, 1),
        (np.zeros(2, dtype=np.float32), np.zeros(2)),
        (np.zeros(2), [0.0, 0.0]),
        (np.float64(1), 1.0),
        (np.zeros((2, 1)), np.zeros((1, 2))),
        ((1, 2), [1, 2]),
        ([1], [1, 1]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({1: 0}, {1.0: 0}),
        ("1", b"1"),
        (1.0, np.nextafter(1.0, 2)),
        (None, 0),
        (np.array([np.nan, 1.0]), np.array([1.0, np.nan])),
        (Node(1), Slotted(1)),
        (int, float),
    ],
)
def test_what_differs_in_kind_sign_order_or_last_digit_is_another_thing(one, other):
    assert not same(one, other)
    assert not same(other, one)


@pytest.mark.parametrize(
    "value", [np.nan, np.array([np.nan, -np.nan]), [np.nan], -0.0, None, (), {}, "", np.zeros(0)]
)
def test_everything_is_the_same_as_a_copy_of_itself(value):
    assert same(
        value,
        np.array(value)
        if isinstance(value, np.ndarray)
        else type(value)(value)
        if value
        else value,
    )


def test_a_cycle_of_another_length_is_another_thing():
    one, other = Node(0), Node(0)
    one.next, other.next = one, Node(0, other)
    assert same(one, one)
    assert same(cyclic(3), cyclic(3))
    assert not same(cyclic(3), cyclic(4))


def test_parts_that_are_made_when_asked_for_are_compared_each_time():
    """New objects can have the ids of deleted ones, and have not been compared."""

    class Fresh(Sequence):
        def __init__(self, last):
            self.last = last

        def __len__(self):
            return 2000

        def __getitem__(self, k):
            if k >= len(self):
                raise IndexError
            return [k if k < 1999 else self.last]

    assert same(Fresh(1), Fresh(1))
    assert not same(Fresh(1), Fresh(2))
