"""Judges values of the authors' program by the rule for published cells.

A value is compared twice: our mean with the value, and the value with the number that the paper
prints in the same place. The margins, the tests, the levels of the paper and the values of other
methods are those of the rule in `cells/rule.py`. In the first comparison, the values that the
program gives for other methods are the rival values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.authors.values import AuthorsProgram, AuthorsValue
from dpfair_cli.verdicts.cells.comparison import Comparison
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.judging import judge_cells
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.cells.rule import Decision, Levels
from dpfair_cli.verdicts.means import is_equal


@dataclass(frozen=True, eq=False)
class PrintedNumber:
    """The number that the paper prints in the place of a value of the authors' program."""

    cell: PublishedCell
    decision: Decision  # of the program's value and the published value


@dataclass(frozen=True, eq=False)
class JudgedAuthorsValue:
    """A value of the authors' program, compared with ours and with the published value."""

    program: AuthorsProgram
    judged: JudgedCell  # in the form of a published cell, compared with our runs
    printed: PrintedNumber | None = None  # in the same place; None if the paper prints none

    @property
    def cell(self) -> PublishedCell:
        """The value in the form of a published cell."""
        return self.judged.published

    @property
    def verdict_on_print(self) -> str:
        """The verdict on the program's value and the published value; empty without the latter."""
        return str(self.printed.decision.verdict) if self.printed else ""


def judge_authors_values(
    values: Sequence[AuthorsValue],
    rows: pd.DataFrame,
    spec: Spec,
    cells: Sequence[JudgedCell],
    *,
    standins: Mapping[str, str],
    levels: Levels,
) -> tuple[JudgedAuthorsValue, ...]:
    """The verdict on each value of an artefact by the rows of our runs.

    `cells` are the published cells of the artefact with their verdicts.

    Raises:
        DpfairError: a value fits several settings of a method.
    """
    own = [one for one in values if one.cell.artefact == spec.name]
    programs = {one.cell: one.program for one in own}
    judged = judge_cells(rows, spec, [one.cell for one in own], standins=standins, levels=levels)
    return tuple(
        JudgedAuthorsValue(programs[one.published], one, _printed(one, cells, spec, levels))
        for one in judged
    )


def values_in_place(
    values: Sequence[JudgedAuthorsValue], cell: PublishedCell
) -> tuple[JudgedAuthorsValue, ...]:
    """The value of the authors' program in the place of a published cell; empty without one."""
    return tuple(one for one in values if _is_one_place(one.cell, cell))


def _printed(
    value: JudgedCell, cells: Sequence[JudgedCell], spec: Spec, levels: Levels
) -> PrintedNumber | None:
    """The published number in the place of a value, with the verdict on both."""
    for one in cells:
        if _is_one_place(value.published, one.published):
            relative = value.published.metric in spec.task.study.unbounded
            compared = Comparison(value.sample, one.sample, relative=relative)
            return PrintedNumber(one.published, Decision(compared, tuple(one.rivals), levels))
    return None


def _is_one_place(one: PublishedCell, other: PublishedCell) -> bool:
    """Whether two cells have the same artefact, data set, method, score and parameters."""
    return _names(one) == _names(other) and _are_equal(one.parameters, other.parameters)


def _names(cell: PublishedCell) -> tuple[str, ...]:
    return cell.artefact, cell.dataset, cell.method, cell.metric


def _are_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one.keys() == other.keys() and all(is_equal(one[name], other[name]) for name in one)
