"""The standings of the leaderboard: a private method of a work at one epsilon, printed and ours.

A standing is a setting of a method in an artefact in which its work publishes gaps of selection
rates. The method may be one without published numbers. Variants of methods have no standing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from dpfair_cli.addons.referee.entry import ACCURACY, ERROR
from dpfair_cli.addons.referee.evidence import is_of
from dpfair_cli.addons.referee.numbers import Interval
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.contracts.declarations import Method
from dpfair_cli.contracts.guarantees import Status
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.references import Numbers
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.wording import describe_parameters, label

# the beginning of the name of a data set -> the data as they are known
FAMILIES = {
    "adult": "Adult",
    "credit_card": "Credit-Card",
    "parkinsons": "Parkinsons",
    "acs_": "ACS",
}
EPSILONS = (0.5, 1.0, 3.0)
GAPS = ("demographic_parity_difference", "selection_gap")  # the second has a sign
EPSILON = "epsilon"


@dataclass(frozen=True)
class Standing:
    """A setting of a private method at one epsilon."""

    family: str  # the data as they are known, such as "Adult"
    epsilon: float  # the claimed one
    name: str  # of the method, as the work names it without the value of a setting
    method: str  # with the values that tell its settings apart
    artefact: str  # such as lowy2023/table-adult; several if they have the same numbers
    data: str  # as the work prepares them
    neighbours: str  # between which data the guarantee hides the difference
    status: str  # of the guarantee
    audit: str  # accounted and found epsilon of the stored audit, in words; empty without one
    printed_accuracy: float  # NaN without
    printed_gap: float  # NaN without
    accuracy: Interval  # of our runs
    gap: Interval  # of our runs
    runs: int  # of ours
    verdict: str  # on the printed numbers; empty without

    @property
    def is_proved(self) -> bool:
        """Whether the claimed epsilon is proved for the code that was run."""
        return self.status == Status.PROVED


def standings(
    reported: Iterable[tuple[Verdicts, Numbers]], audits: Sequence[Audited]
) -> list[Standing]:
    """The standings in the given artefacts, by data and epsilon, those with small gaps first.

    Equal numbers of several artefacts are one standing.
    """
    found: dict[Any, Standing] = {}
    for verdicts, numbers in reported:
        for one in _of_artefact(verdicts, numbers, audits):
            same = (one.family, one.epsilon, one.method, one.printed_gap, one.accuracy, one.gap)
            before = f"{found[same].artefact}, " if same in found else ""
            found[same] = replace(one, artefact=before + one.artefact)
    order = list(FAMILIES.values())
    return sorted(
        found.values(), key=lambda one: (order.index(one.family), one.epsilon, one.gap.value)
    )


def has_standings(verdicts: Verdicts) -> bool:
    """Whether an artefact publishes a gap of a method that may have a standing."""
    return any(
        cell.default and cell.published.metric in GAPS and _is_asked(cell)
        for cell in verdicts.cells
    )


def _is_asked(cell: JudgedCell) -> bool:
    return bool(family_of(cell.published.dataset)) and cell.parameters.get(EPSILON) in EPSILONS


def family_of(dataset: str) -> str:
    """The data as they are known; empty for data that the leaderboard does not have."""
    return next((name for start, name in FAMILIES.items() if dataset.startswith(start)), "")


def _of_artefact(
    verdicts: Verdicts, numbers: Numbers, audits: Sequence[Audited]
) -> Iterator[Standing]:
    """The standings in one artefact."""
    spec, rows = verdicts.spec, numbers.rows
    gap = next(name for name in GAPS if name in rows)
    rows = rows[rows[EPSILON].isin(EPSILONS) & rows["dataset"].map(family_of).astype(bool)]
    own = {one.label: one for one in spec.methods if one.is_private and one.label == one.published}
    rows = rows[rows["method"].isin(own)]
    axes = [axis for axis in spec.layout.axes if axis in rows and axis != EPSILON]
    for key, found in rows.groupby(["dataset", "method", EPSILON, *axes], dropna=False):
        dataset, name, epsilon, *values = cast("tuple[Any, ...]", key)
        settings = {
            label(axis, spec): value
            for axis, value in zip(axes, values, strict=True)
            if not pd.isna(value)
        }
        guarantee = own[name].algorithm.guarantee
        cells = _cells(verdicts, {*found.index})
        yield Standing(
            family=family_of(dataset),
            epsilon=float(epsilon),
            name=re.split(r" \(|, ", name)[0],
            method=", ".join(filter(None, (name, describe_parameters(settings)))),
            artefact=spec.artefact,
            data=label(dataset, spec),
            neighbours=guarantee.relation,
            status=str(guarantee.status_with(_params(own[name], found))),
            audit=_audit(own[name], _params(own[name], found), audits),
            printed_accuracy=_printed_accuracy(cells),
            printed_gap=abs(cells[gap].sample.mean) if gap in cells else math.nan,
            accuracy=_interval(found[ACCURACY]),
            gap=_interval(found[gap].abs()),
            runs=len(found),
            verdict=_verdict(cells.get(name) for name in (ACCURACY, ERROR, gap)),
        )


def _params(method: Method, rows: pd.DataFrame) -> Mapping[str, Any]:
    """The parameters of the runs of one setting."""
    first = rows.iloc[0]
    return {name: first.get(name, value) for name, value in method.params.items()}


def _cells(verdicts: Verdicts, rows: set[int]) -> dict[str, JudgedCell]:
    """The published cells with which a setting is compared, by their score."""
    return {
        cell.published.metric: cell
        for cell in verdicts.cells
        if cell.default and rows.issuperset(cell.default.rows)
    }


def _printed_accuracy(cells: Mapping[str, JudgedCell]) -> float:
    """The published accuracy, or one minus the published error; NaN without."""
    if ACCURACY in cells:
        return cells[ACCURACY].sample.mean
    return 1 - cells[ERROR].sample.mean if ERROR in cells else math.nan


def _verdict(cells: Iterable[JudgedCell | None]) -> str:
    """The worst verdict on some cells; empty without cells."""
    verdicts = [cell.verdict for cell in cells if cell]
    return str(max(verdicts, key=lambda one: one.rank)) if verdicts else ""


def _interval(scores: pd.Series[Any]) -> Interval:
    """The mean of a score over runs, with its standard error."""
    found = scores.to_numpy(dtype=float)
    error = found.std(ddof=1) / math.sqrt(len(found)) if len(found) > 1 else math.nan
    return Interval(float(np.mean(found)), error, max(len(found) - 1, 1))


def _audit(method: Method, params: Mapping[str, Any], audits: Sequence[Audited]) -> str:
    """What the stored audit of a method says, such as "1 and 0.98 for epsilon 1: holds"."""
    # a word is another form of the method; other numbers are audited with few neighbours
    words = {name: value for name, value in params.items() if isinstance(value, str)}
    own = [row for row in audits if row.method == method.name and row.accounted]
    fitting = [row for row in own if is_of(row.variant, words)]
    for row in sorted(fitting, key=lambda one: not one.variant)[:1]:  # else that of the defaults
        verdict = row.verdict.partition(":")[0]
        return f"{row.accounted} and {row.found} for {row.claimed.partition(',')[0]}: {verdict}"
    return ""
