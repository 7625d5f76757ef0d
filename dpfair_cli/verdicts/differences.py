"""Ours less published, cell by cell, in units in which 0.02 is near: what the pictures of
differences show.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.comparison import comparison
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.levels import Level
from dpfair_cli.verdicts.means import to_records
from dpfair_cli.verdicts.scoreboard import Decided, data_of, is_repeated, part_of

NUMBERS = ("difference", "our_noise", "published_noise", "noise")


def signed_differences(verdicts: Verdicts, spec: Spec) -> pd.DataFrame:
    """The compared cells of an artefact under their default variants, as lines of `compare_cells`
    with other NUMBERS.

    `difference` is ours less published; `our_noise`, `published_noise` and `noise` are two standard
    errors of our mean, of the published one and of their difference. All are in units of the score,
    or of five times the published value of a score that is no rate: a tenth of it is then 0.02.
    """
    cells = verdicts.default_cells.assign(data=data_of(verdicts))
    cells = cells[cells["verdict"].isin(list(Level))]
    found = [comparison(line, spec) for line in to_records(cells)]
    lines = [
        (one.ours.mean - one.published.mean, one.our_noise, one.published_noise, one.noise)
        for one in found
    ]
    numbers = pd.DataFrame(lines, columns=list(NUMBERS), index=cells.index, dtype=float)
    scale = pd.Series([one.scale for one in found], index=cells.index, dtype=float)
    return cells.assign(**{name: numbers[name] / scale for name in NUMBERS})


def distinct_differences(decided: Sequence[Decided]) -> pd.DataFrame:
    """Those of all artefacts with `part` and `data` as in the scoreboard, each number once.

    They are sorted by their difference within each part, those on a substitute of the data after
    the others.
    """
    parts = [
        signed_differences(verdicts, spec).assign(part=part_of(spec)) for spec, verdicts in decided
    ]
    every = pd.concat([cells for cells in parts if len(cells)] or parts, ignore_index=True)
    distinct = every[~is_repeated(every)]
    order = ["part", "data", "difference", "cell"]
    return distinct.sort_values(order, ascending=[True, False, True, True]).reset_index(drop=True)
