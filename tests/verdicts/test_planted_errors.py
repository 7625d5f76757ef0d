"""Errors planted in the published cells of the committed results: a wrong number does not pass for
a reproduced one.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reproduction.artefact import Artefact, RunOptions
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.verdicts.comparison import compare_cells
from dpfair_cli.verdicts.discrimination import pair_wrongly, share_of_wrong_pairings
from dpfair_cli.verdicts.published import read_published_cells

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
PASSING = ("reproduced", "within noise")
SHIFT, SMALL_SHIFT = (
    0.15,
    0.05,
)  # three times what can pass of a rate; more than twice what is reproduced
LARGEST_SHARE = 0.05  # of the far wrong pairings may pass


def published_cells(artefact: str) -> pd.DataFrame:
    paper, name = artefact.split("/")
    cells = read_published_cells(ROOT / "experiments" / paper / "published.csv")
    return cells[cells["artefact"] == name].reset_index(drop=True)


def has_published_cells(artefact: str) -> bool:
    return len(published_cells(artefact)) > 0 and (RESULTS / artefact / "runs.jsonl").is_file()


ARTEFACTS = [name for name in artefact_names.artefacts() if has_published_cells(name)]
pytestmark = pytest.mark.skipif(
    not ARTEFACTS, reason="there are no committed results: run `dpfair reproduce`"
)


class Compared(NamedTuple):
    """An artefact with its rows, its published cells and their default lines, in one order, and all
    wrong pairings.
    """

    spec: Spec
    rows: pd.DataFrame
    published: pd.DataFrame
    lines: pd.DataFrame
    pairings: pd.DataFrame

    def lines_of(self, published: pd.DataFrame) -> pd.DataFrame:
        """The default lines of published cells beside the committed rows; each is decided for
        itself.
        """
        return default_lines(compare_cells(self.rows, self.spec, published, standins={}))


def default_lines(cells: pd.DataFrame) -> pd.DataFrame:
    return cells[cells["is_default"].astype(bool)].reset_index(drop=True)


@cache
def compared(artefact: str) -> Compared:
    """The comparison with whatever runs the journal has; no data are read."""
    found = spec.load(artefact)
    rows = Artefact(found, RunOptions(data_dir=Path("nowhere"), out=RESULTS, collect=True)).rows()
    published = published_cells(artefact)
    if not len(rows):
        return Compared(found, rows, published, pd.DataFrame({"verdict": []}), pd.DataFrame())
    cells = compare_cells(rows, found, published, standins={})
    lines = default_lines(cells)
    assert list(lines["published_mean"]) == list(published["mean"])
    return Compared(found, rows, published, lines, pair_wrongly(cells, found))


def shifted(found: Compared, verdicts: tuple[str, ...], shift: float) -> pd.DataFrame:
    """The published cells with one of these verdicts, each as much higher and, below them, as much
    lower.

    Of a score that is no rate a tenth counts as 0.02; a tenth of a published 0, the data's distance
    from themselves, is no error to plant.
    """
    cells = found.published[found.lines["verdict"].isin(verdicts)]
    is_rate = ~cells["metric"].isin(found.spec.task.study.unbounded)
    steps = shift * pd.Series(1.0, index=cells.index).where(is_rate, 5 * cells["mean"].abs())
    cells, steps = cells[steps > 0], steps[steps > 0]
    return pd.concat(
        [cells.assign(mean=cells["mean"] + sign * steps) for sign in (1, -1)], ignore_index=True
    )


every_artefact = pytest.mark.parametrize("artefact", ARTEFACTS)


@every_artefact
def test_no_passing_cell_passes_beside_a_number_that_is_fifteen_hundredths_off(
    artefact: str,
) -> None:
    found = compared(artefact)
    planted = shifted(found, PASSING, SHIFT)
    if not len(planted):
        pytest.skip("no cell passes")
    lines = found.lines_of(planted)
    assert len(lines) == len(planted)
    assert not list(lines.loc[lines["verdict"].isin(PASSING), "cell"])


@every_artefact
def test_no_reproduced_cell_is_reproduced_beside_a_number_that_is_five_hundredths_off(
    artefact: str,
) -> None:
    found = compared(artefact)
    planted = shifted(found, ("reproduced",), SMALL_SHIFT)
    if not len(planted):
        pytest.skip("no cell is reproduced")
    lines = found.lines_of(planted)
    assert len(lines) == len(planted)
    assert not list(lines.loc[lines["verdict"] == "reproduced", "cell"])


def test_there_are_passing_cells_to_plant_errors_in() -> None:
    assert sum(len(shifted(compared(name), PASSING, SHIFT)) for name in ARTEFACTS) > 0


def test_at_most_one_in_twenty_far_wrong_pairings_passes() -> None:
    """Ours beside the published value of another method, more than 0.05 from its own."""
    pairings = pd.concat(
        [compared(name).pairings for name in ARTEFACTS if len(compared(name).rows)]
    )
    share = share_of_wrong_pairings(pairings, far_only=True)
    assert share.pairings > 200
    assert share.passed <= LARGEST_SHARE * share.pairings, str(share)
