"""Pairs of neighbouring inputs in words: the record in which they differ."""

from __future__ import annotations

from typing import Any

from dpfair_cli.kinds.records import Records

LONGEST = 200  # characters of an input


def pair_in_words(left: Any, right: Any) -> str:
    """The record in which two data sets differ, or both inputs if they are not records."""
    if isinstance(left, Records) and isinstance(right, Records):
        if len(left) != len(right):
            few, many = sorted((left, right), key=len)
            gone = next(k for k in range(len(many)) if k == len(few) or _unlike(few, many, k))
            sizes = f"a data set of {len(many)} and the same without one"
            return f"{sizes}; record {gone}, {_record(many, gone)}, is in only one of them"
        row = int([*left.differing_rows(right), 0][0])
        return (
            f"two data sets of {len(left)}; record {row} is {_record(left, row)} in the first, and "
            f"{_record(right, row)} in the second"
        )
    return f"{_short(left)} and {_short(right)}"


def _unlike(few: Records, many: Records, row: int) -> bool:
    return bool((few.X[row] != many.X[row]).any() or few.y[row] != many.y[row])


def _record(records: Records, row: int) -> str:
    features = ", ".join(f"{value:.3g}" for value in records.X[row])
    return _cut(f"X = [{features}], y = {records.y[row]}")


def _short(one: Any) -> str:
    return _cut(repr(getattr(one, "value", one)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
