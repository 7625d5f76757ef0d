"""Errors planted in the published cells of the committed results: a wrong number does not pass for
a reproduced one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.verdicts.cells.judging import JudgedCell, judge_cells
from dpfair_cli.verdicts.cells.published import PublishedCell, read_published_cells
from dpfair_cli.verdicts.trust import share, wrong_pairings

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
PASSING = ("reproduced", "consistent")
SHIFT, SMALL_SHIFT = (
    0.15,
    0.05,
)  # seven times the margin of a rate; more than twice the margin
LARGEST_SHARE = 0.05  # of the far wrong pairings may pass


@cache
def cells_of_paper(paper: str) -> list[PublishedCell]:
    return read_published_cells(ROOT / "experiments" / paper / "published.csv")


def published_cells(artefact: str) -> list[PublishedCell]:
    paper, name = artefact.split("/")
    return [cell for cell in cells_of_paper(paper) if cell.artefact == name]


def has_published_cells(artefact: str) -> bool:
    return bool(published_cells(artefact)) and (RESULTS / artefact / "runs.jsonl").is_file()


ARTEFACTS = [name for name in artefact_names.artefacts() if has_published_cells(name)]
pytestmark = pytest.mark.skipif(
    not ARTEFACTS, reason="there are no committed results: run `dpfair reproduce`"
)


class Compared(NamedTuple):
    """An artefact with its rows and its judged cells."""

    spec: Spec
    rows: pd.DataFrame
    cells: list[JudgedCell]

    def judge(self, published: list[PublishedCell]) -> list[JudgedCell]:
        """Published cells next to the committed rows; each is decided for itself."""
        return judge_cells(self.rows, self.spec, published, standins={})


@cache
def compared(artefact: str) -> Compared:
    """The comparison with the runs that the journal has; no data are read."""
    found = spec.load(artefact)
    options = RunOptions(data_dir=Path("nowhere"), out=RESULTS, collect=True)
    rows = Artefact(found, options).runs.rows()
    published = published_cells(artefact) if len(rows) else []
    cells = judge_cells(rows, found, published, standins={})
    assert [cell.published for cell in cells] == published
    return Compared(found, rows, cells)


def shifted(found: Compared, verdicts: tuple[str, ...], shift: float) -> list[PublishedCell]:
    """The published cells with one of these verdicts, each as much higher and, below them, as much
    lower.

    Of a score that is no rate a tenth counts as 0.02; a tenth of a published 0, the data's distance
    from themselves, is no error to plant.
    """
    planted = []
    for sign in (1, -1):
        for cell in found.cells:
            relative = cell.default is not None and cell.default.comparison.relative
            step = shift * (5 * abs(cell.published.mean) if relative else 1.0)
            if cell.verdict in verdicts and step > 0:
                mean = cell.published.mean + sign * step
                planted.append(replace(cell.published, mean=mean))
    return planted


every_artefact = pytest.mark.parametrize("artefact", ARTEFACTS)


@every_artefact
def test_no_passing_cell_passes_with_an_error_of_fifteen_hundredths(
    artefact: str,
) -> None:
    found = compared(artefact)
    planted = shifted(found, PASSING, SHIFT)
    if not planted:
        pytest.skip("no cell passes")
    cells = found.judge(planted)
    assert len(cells) == len(planted)
    assert not [cell.description for cell in cells if cell.verdict in PASSING]


@every_artefact
def test_no_reproduced_cell_stays_so_with_an_error_of_five_hundredths(
    artefact: str,
) -> None:
    found = compared(artefact)
    planted = shifted(found, ("reproduced",), SMALL_SHIFT)
    if not planted:
        pytest.skip("no cell is reproduced")
    cells = found.judge(planted)
    assert len(cells) == len(planted)
    assert not [cell.description for cell in cells if cell.verdict == "reproduced"]


def test_there_are_passing_cells_to_plant_errors_in() -> None:
    assert sum(len(shifted(compared(name), PASSING, SHIFT)) for name in ARTEFACTS) > 0


def test_at_most_one_in_twenty_far_wrong_pairings_passes() -> None:
    """Ours beside the published value of another method, more than 0.05 from its own."""
    pairings = [one for name in ARTEFACTS for one in wrong_pairings(compared(name).cells)]
    far = share(one for one in pairings if one.is_far)
    assert far.pairings > 200
    assert far.matched <= LARGEST_SHARE * far.pairings, str(far)
