"""Sentences above the tables of cells and of claims, on check.md and in the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import LEVEL
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.wording import label

CLAIMS_READING = (
    "A reason counts the points at which the predicate of the claim holds, and then shows its "
    "*weakest point*: the point with the worst verdict or, among those, with the least clear one. "
    "Behind ± stands half the width of a 95 % interval, *~* means equal up to the number in the "
    "column *read as*, and a *fitted rise* is that of the least-squares line through the values, "
    "from its first to its last place. *p* is the p-value for or against the whole claim, "
    "whichever is smaller."
)


def describe_rule(compared: Sequence[JudgedCell], spec: Spec) -> str:
    """The levels and the numbers of runs on which the verdicts rely; empty without cells."""
    decisions = [cell.default.decision for cell in compared if cell.default]
    if not decisions:
        return ""
    levels = decisions[0].levels
    theirs = _numbers(one.comparison.published.runs for one in decisions)
    ours = _numbers(one.comparison.ours.runs for one in decisions)
    by = f" ({spec.published_runs_by})" if spec.published_runs_by else ""
    return (
        f"Two means are equivalent if the p-value is at most {levels.equivalent:.4f}, and "
        f"different if it is at most {levels.different:.4f}: the level {LEVEL}, lowered for the "
        "many cells of the paper. An equivalent cell is reproduced if the difference is smaller "
        "than half the distance from the published value to the nearest rival. "
        f"Runs in a published mean: {theirs}{by}. Runs in a mean of ours: {ours}."
    )


def _numbers(values: Iterable[int]) -> str:
    """The distinct numbers in ascending order, "1 or 10"."""
    *first, last = map(str, sorted({*values}))
    return f"{', '.join(first)} or {last}" if first else last


def describe_chosen(compared: Sequence[JudgedCell], spec: Spec) -> str:
    """The cells by which a default variant was chosen, and how many agree; empty without any."""
    chosen = [
        cell
        for cell in compared
        if spec.chose_default(cell.published.method, cell.published.dataset)
    ]
    if not chosen:
        return ""
    places = dict.fromkeys(
        f"{cell.published.method} on {label(cell.published.dataset, spec)}" for cell in chosen
    )
    agreeing = [cell for cell in compared if cell.verdict.agrees]
    among = sum(cell in chosen for cell in agreeing)
    return (
        f"The default variant was chosen by these cells: {', '.join(places)}. Of the "
        f"{len(agreeing)} cells that agree, {among} are among them; their agreement says nothing "
        "about the method."
    )
