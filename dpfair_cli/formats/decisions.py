"""Reads a table of decisions that were made elsewhere: truth, decision and group of each record."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.formats.comparisons import LabelComparison, named_labels, require_numbers
from dpfair_cli.formats.domain_draft import MOST_GROUPS
from dpfair_cli.formats.questions import PLAIN_PAIRS, in_short
from dpfair_cli.formats.user_records import ordered
from dpfair_cli.formats.user_table import find_form, heading_with, read_table
from dpfair_cli.models.tabular.outside_values import as_levels, as_numbers

EMPTY = "(empty)"  # the group of the records whose protected cell is empty


class Decisions(NamedTuple):
    """The decisions about n records of a table."""

    decision: Floats  # the probability of the favourable decision, (n,)
    y: Ints  # the label, 0 or 1, (n,)
    protected: Ints  # the number of the group, (n,)
    groups: tuple[str, ...]
    positive: str  # the favourable value


def read_decisions(
    file: str, *, label: str, decision: str, protected: str, positive: str
) -> Decisions:
    """The decisions in a table, of which no row is left out.

    The cells of `decision` are values of the label, or probabilities of the favourable decision.
    `positive` is the favourable value; an empty text stands for the larger value of an evident
    pair, such as no and yes.

    Raises:
        DpfairError: the file is no table or lacks a column, a label or decision is empty, or the
            values cannot be understood.
    """
    form = find_form(file)
    heading_with((label, decision, protected), file, form)
    cells = read_table(file, form)
    for name in (label, decision):
        empty = int(cells[name].isna().sum())
        if empty:
            raise DpfairError(
                f"{empty:,} of {len(cells):,} rows of {file} have no {name}: complete or delete "
                "these rows"
            )
    levels = ordered(cells[label])
    comparison = LabelComparison.of(positive)
    if comparison and positive not in levels:
        require_numbers(comparison, label, levels)
        levels = comparison.labels
        cells = cells.assign(**{label: named_labels(cells[label], levels)})
        cells = cells.assign(**{decision: _compared(cells[decision], levels)})
        positive = levels[-1]
    favourable = _favourable(label, levels, positive)
    # blank cells are a group, so that no record leaves the rates unnoticed
    of_group = cells[protected].astype(object).fillna(EMPTY)
    groups = ordered(of_group)
    if len(groups) > MOST_GROUPS:
        raise DpfairError(
            f"{protected} must have at most {MOST_GROUPS} values, got {len(groups)}: give a "
            "column of groups"
        )
    return Decisions(
        _probabilities(cells[decision], decision, levels, favourable),
        np.array(cells[label] == favourable, dtype=int),
        pd.Categorical(of_group, categories=groups).codes.astype(int),
        groups,
        favourable,
    )


def _compared(decided: pd.Series, levels: tuple[str, ...]) -> pd.Series | pd.Categorical:
    """The decisions as `levels`, if they are numbers of which one is no probability."""
    numbers = as_numbers(decided.tolist())
    # 0 and 1 are decisions, and not numbers that are compared with a limit
    if not ((numbers < 0) | (numbers > 1)).any():
        return decided
    return named_labels(decided, levels)


def _favourable(label: str, levels: tuple[str, ...], positive: str) -> str:
    """The favourable value of the label, which has the values `levels`.

    Raises:
        DpfairError: the value does not occur, or none is given and none is evident.
    """
    if positive:
        (found,) = as_levels([positive], levels)
        if found is None:
            raise DpfairError(f"no cell of {label} is {positive!r}: {nearest(positive, levels)}")
        return found
    if {level.lower() for level in levels} not in PLAIN_PAIRS:
        raise DpfairError(
            f"the values of {label} are {in_short(levels)}: give the favourable one by --positive"
        )
    return levels[-1]


def _probabilities(cells: pd.Series, name: str, levels: tuple[str, ...], favourable: str) -> Floats:
    """The probability of the favourable decision about each record, (n,).

    Raises:
        DpfairError: a cell is neither a value of the label nor a probability.
    """
    found = as_levels(cells.tolist(), levels)
    if None not in found:
        return np.array([level == favourable for level in found], dtype=float)
    numbers = as_numbers(cells.tolist())
    outside = ~((numbers >= 0) & (numbers <= 1))
    if outside.any():
        # the cells of neither kind come first in the message
        unknown = outside & np.array([level is None for level in found])
        strange = np.flatnonzero(unknown if unknown.any() else outside)
        raise DpfairError(
            f"every cell of {name} must be a value of the label ({', '.join(levels)}) or a "
            f"probability from 0 to 1, got {cells.iloc[strange[0]]!r}"
        )
    return numbers
