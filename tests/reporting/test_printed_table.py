"""Published cells in the shape in which the paper prints them, worked by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import PrintedShape, Spec
from dpfair_cli.reporting import markup, printed_table, shown, tables
from dpfair_cli.reporting.printed_table import PrintedTable
from dpfair_cli.reporting.shown import ReportedArtefact
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.deviations.deviation import parse_deviations
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.deciding import decide_artefact
from tests.reporting import pages
from tests.reporting.compared_paper import DATA, GUESS, ROWS, SPEC, cell
from tests.verdicts.toy_paper import published_cell

SHAPE = PrintedShape(("dataset", "epsilon"), ("method", "metric"))
CELLS = (
    cell("us", "FM", 0.1, 0.71),  # reproduced
    cell("us", "FM", 0.1, 9.0, metric="norm"),  # ours is 7
    cell("us", "FM", 1.0, 0.9),  # ours is 0.7
    cell("adult", "FM", 0.1, 0.5),  # ours is 0.7
    cell("adult", "FM", 1.0, 0.71, 0.002),
    cell("adult", "FM", 10.0, 0.71),  # not run
)
TWO_METHODS = (cell("us", "LR", None, 0.8), cell("us", "FM", 1, 0.7))


def decided(*cells: dict[str, Any], deviations: tuple[dict[str, Any], ...] = ()) -> Verdicts:
    paper = Paper(
        [published_cell(one) for one in cells], deviations=list(parse_deviations(deviations))
    )
    return decide_artefact(ROWS, SPEC, paper, standins={})


def shaped(shape: PrintedShape, verdicts: Verdicts) -> PrintedTable:
    return printed_table.make(verdicts.cells, replace(SPEC, printed=shape))


def text(verdicts: Verdicts, shape: PrintedShape = SHAPE) -> list[str]:
    return markup.render(
        "printed_table.md.j2", printed=shaped(shape, verdicts), check=""
    ).splitlines()


def test_a_table_has_the_rows_and_columns_of_its_shape() -> None:
    assert text(decided(*CELLS, deviations=(GUESS,))) == [
        "Ours, with the published value below it in brackets. ✓ reproduced; "
        "✗ differs, not explained; ! missing.",
        "",
        "| data | epsilon | FM, accuracy | FM, norm |",
        "| --- | --- | --- | --- |",
        "| us | 0.1 | ✓ 0.7000<br>(0.7100) | ✗ 7.0000<br>(9.0000) [[1]](#deviation-table8.2-fm) |",
        "|  | 1 | ✗ 0.7000<br>(0.9000) |  |",
        "| adult | 0.1 | ✗ 0.7000<br>(0.5000) [[1]](#deviation-table8.2-fm) |  |",
        "|  | 1 | ✓ 0.7000 ± 0.0012<br>(0.7100 ± 0.0020) |  |",
        "|  | 10 | ! (0.7100) |  |",
        "",
        "1. hypothesis: a guess ([details](#deviation-table8.2-fm))",
    ]


def test_rows_and_columns_begin_with_equal_words_together() -> None:
    made = shaped(SHAPE, decided(*CELLS))
    assert made.row_spans == [
        [("us", 2), ("0.1", 1)],
        [("1", 1)],
        [("adult", 3), ("0.1", 1)],
        [("1", 1)],
        [("10", 1)],
    ]
    assert made.column_spans == [[("FM", 2)], [("accuracy", 1), ("norm", 1)]]


def test_each_deviation_is_one_footnote_in_the_order_of_reading() -> None:
    cells = (cell("adult", "FM", 0.1, 0.5), cell("us", "LR", None, 0.9), cell("us", "FM", 0.1, 0.5))
    made = shaped(
        PrintedShape(("dataset",), ("method",)), decided(*cells, deviations=(DATA, GUESS))
    )
    assert [one.cause for one in made.footnotes] == ["a guess", "other data"]
    numbers = [one.footnote if one else None for row in made.rows for one in row.cells]
    assert numbers == [1, None, 1, 2]


def test_deviations_without_a_footnote_are_numbered_after_the_others() -> None:
    found = decided(cell("adult", "FM", 0.1, 0.5), deviations=(DATA, GUESS))
    numbers = printed_table.number_deviations(shaped(SHAPE, found), found.deviations)
    assert numbers == {"table8.2-fm": 1, "table8.2-lr": 2}


def test_a_cell_that_nothing_leads_stands_outside_the_rows() -> None:
    cells = (cell("us", "FM", 0.1, 0.71), cell("us", "LR", None, 0.81))
    made = text(decided(*cells), PrintedShape(("epsilon",), ("dataset", "method")))
    assert "| epsilon | us, FM |" in made
    assert "Outside the rows of the table: us, LR ✓ 0.8000 (0.8100)." in made


def test_a_shape_that_gives_two_cells_one_place_is_refused() -> None:
    with pytest.raises(DpfairError, match=r"`printed` .* one place, add epsilon to .*: us, FM"):
        shaped(PrintedShape(("dataset", "metric"), ("method",)), decided(*CELLS))


@pytest.mark.parametrize(
    ("cells", "shape"),
    [
        (CELLS, PrintedShape(("dataset", "epsilon"), ("metric",))),
        (CELLS[:1] + CELLS[2:3], PrintedShape(("epsilon",), ("method",))),
        (TWO_METHODS, PrintedShape(("metric",), ("method",))),
    ],
)
def test_the_default_shape_names_what_tells_cells_apart(
    cells: tuple[dict[str, Any], ...], shape: PrintedShape
) -> None:
    spec = replace(SPEC, printed=PrintedShape())
    found = decided(*cells).cells
    assert printed_table.make(found, spec) == printed_table.make(
        found, replace(spec, printed=shape)
    )


@pytest.mark.parametrize(
    ("printed", "mean", "shown"),
    [
        ("0.71", 0.71, ("0.70", "0.71")),
        ("0.710±0.020", 0.71, ("0.700", "0.710")),
        ("71%", 0.71, ("0.7000", "0.7100")),
        ("about 0.7", 0.7, ("0.7000", "0.7000")),
    ],
)
def test_ours_has_the_decimals_of_the_printed_value(
    printed: str, mean: float, shown: tuple[str, str]
) -> None:
    own = replace(published_cell(cell("us", "FM", 0.1, mean)), printed=printed)
    found = decide_artefact(ROWS, SPEC, Paper([own]), standins={})
    ((only,),) = (row.cells for row in shaped(SHAPE, found).rows)
    assert only
    assert (only.ours, only.published) == shown


def test_without_cells_the_table_is_empty() -> None:
    made = shaped(PrintedShape(), decided())
    assert (made.rows, made.columns, made.footnotes, made.outside) == ((), (), (), ())


def test_every_verdict_has_its_own_symbol() -> None:
    assert set(shown.CELL_LOOKS) == set(CellVerdict)
    symbols = {look.symbol for look in shown.LOOKS} - {""}
    assert len(symbols) == len(shown.LOOKS) == len(CellVerdict) + 1  # one for an explanation


def reported(spec: Spec, verdicts: Verdicts) -> ReportedArtefact:
    made = tables.make(ROWS, spec, verdicts.cells)
    return ReportedArtefact(replace(verdicts, spec=spec), made)


def test_the_report_colours_cells_and_links_their_footnotes() -> None:
    spec = replace(SPEC, printed=SHAPE)
    page = pages.page([reported(spec, decided(*CELLS, deviations=(GUESS,)))], papers={})
    table = page.split('<table class="printed">')[1].split("</table>")[0]
    assert re.findall(r'<td class="(\w*)"', table) == ["good", "bad", "bad", "bad", "good", "bad"]
    assert '<th scope="row" rowspan="3">adult</th>' in table
    assert '<th colspan="2">FM</th>' in table
    targets = {target for target in re.findall(r'href="#([^"]*)"', page) if "table8-2" in target}
    assert "xu2021-table8-2-note-1" in targets
    assert targets <= set(re.findall(r'id="([^"]*)"', page))
    assert page.count('<li id="xu2021-table8-2-note-1">hypothesis: a guess</li>') == 1


def test_every_committed_deviation_has_a_written_id() -> None:
    for file in sorted((Path(__file__).parents[2] / "experiments").glob("*/deviations.yaml")):
        content = file.read_text(encoding="utf-8")
        entries = re.findall(r"^- .*", content, flags=re.MULTILINE)
        ids = re.findall(r"^- id: ([a-z0-9.-]+)$", content, flags=re.MULTILINE)
        assert len(entries) == len(ids) == len(set(ids))
