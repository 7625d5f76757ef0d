"""Scores of decisions, averaged over the ten stored tables of a kind, as the notebooks do.

A run is one call of a function of the notebooks: a regression is fitted to each of the ten tables,
and the scores of all ten are averaged. So runs with other seeds differ by the randomness of the
regressions alone, as the printed average does. The scores are in `models/notebook_scores.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import dpfair_cli.plugin as dp

from ..methods.stored_classifier import RoundedRegression
from ..models.stored_tables import TABLES, StoredTables
from . import stored_decisions
from .stored_distances import NumberedTables


@dataclass(frozen=True, eq=False)
class FirstTables:
    """The stored tables, and how many of each kind a run reads."""

    train: StoredTables
    tables: int


@dp.checked
def split(
    tables: StoredTables, *, number: dp.Count = TABLES, rng: np.random.Generator
) -> FirstTables:
    """The stored tables, of which a run reads those with the numbers 0 to `number` - 1.

    `rng` is not used.
    """
    return FirstTables(tables, number)


def study(
    fit: Callable[..., RoundedRegression], case: FirstTables, *, rng: np.random.Generator
) -> dp.Outcome:
    """The last regression, and the averages of the scores of all."""
    found = []
    for number in range(case.tables):
        numbered = NumberedTables(replace(case.train, number=number))
        model = fit(numbered.train, rng=rng)
        found.append(stored_decisions.score(model, numbered))
    averages = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    return dp.Outcome(model, averages)


TASK = replace(stored_decisions.TASK, split=split, study=study)
