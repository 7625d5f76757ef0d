"""Finds the numbers, cells and claims that changed between two results, with causes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from dpfair_cli.diff.causes import Causes
from dpfair_cli.diff.difference import Changed
from dpfair_cli.diff.results import NO_CLAIMS, ComparedNumber, Results

SAME = 1e-12  # largest relative difference of equal means: sums in another order differ by less


def changed_numbers(
    before: Mapping[str, ComparedNumber], after: Mapping[str, ComparedNumber], causes: Causes
) -> Iterator[Changed]:
    """Yields each number or published cell that differs between `before` and `after`.

    The order is that of `after`; numbers that exist only in `before` come last.
    """
    for name in dict.fromkeys([*after, *before]):
        old, new = before.get(name), after.get(name)
        if old is None or new is None or not _equal(old, new):
            yield Changed(name, _without_runs(old), _without_runs(new), _why(old, new, causes))


def changed_claims(before: Results, after: Results, causes: Causes) -> Iterator[Changed]:
    """Yields each claim whose verdict, or reason of the verdict, differs before and after."""
    names = dict.fromkeys([*after.claims, *before.claims])
    pairs = [(name, before.claims.get(name), after.claims.get(name)) for name in names]
    moved = any(old and new and old.reason != new.reason for _, old, new in pairs)
    why = causes.of(before.runs, after.runs) if moved else ()
    for name, old, new in pairs:
        if old is None or new is None:
            lacking, when = (before, "new in") if old is None else (after, "gone from")
            readable = not any(remark.startswith(NO_CLAIMS) for remark in lacking.remarks)
            reason = f"{when} claims.yaml" if readable else "claims.yaml cannot be read there"
            yield Changed(name, old, new, (reason,))
        elif (old.full_verdict, old.reason) != (new.full_verdict, new.reason):
            written = ("claims.yaml",) if old.part != new.part else ()
            yield Changed(name, old, new, (*written, *why) or ("deviations.yaml or spec",))


def _why(old: ComparedNumber | None, new: ComparedNumber | None, causes: Causes) -> tuple[str, ...]:
    """The causes of a changed number or verdict: differences of the runs or the paper's files."""
    if old is None or new is None:
        there = old or new
        if there and math.isnan(there.published):
            return (f"no runs {'before' if old is None else 'after'}",)
        return ("new in published.csv",) if old is None else ("gone from published.csv",)
    found = causes.of(old.under, new.under)
    if not _same_number(old.published, new.published):
        found += (f"published.csv: {old.published:g} -> {new.published:g}",)
    if not found and old.full_verdict != new.full_verdict:
        found += ("deviations.yaml or spec",)
    return found


def _without_runs(number: ComparedNumber | None) -> ComparedNumber | None:
    """The same number without the list of its runs."""
    return number._replace(under=()) if number else None


def _equal(old: ComparedNumber, new: ComparedNumber) -> bool:
    """Whether two numbers have equal values and equal verdicts."""
    pairs = ((old.mean, new.mean), (old.std, new.std), (old.published, new.published))
    return (old.runs, old.full_verdict) == (new.runs, new.full_verdict) and all(
        _same_number(*pair) for pair in pairs
    )


def _same_number(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(
        one, other, rel_tol=SAME, abs_tol=SAME
    )
