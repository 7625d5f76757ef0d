"""The numbers on docs/checking.md are those of the committed results.

Each block of the page between two comments is computed from the journals.
`python -m tests.docs.test_checking_page` writes the blocks into the page.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd

from dpfair_cli.reporting import markup, shown
from dpfair_cli.reporting.shown import CELL_COLUMNS
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.verdicts.cells.judging import JudgedCell, at_levels, judge_cells
from dpfair_cli.verdicts.paper import read_paper
from dpfair_cli.verdicts.paper_rule import rule_of
from dpfair_cli.verdicts.verdicts import Verdicts

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
PAGE = ROOT / "docs" / "checking.md"
PAPER, TABLE = "xu2021", "table8.1"
WORKED_CELL = "dutch, LR, accuracy"
WORKED_TABLE = (
    WORKED_CELL,
    "adult, FairLR, RD",
    "adult, PrivLR, epsilon 1, accuracy",
    "adult, LR, RD",
    "dutch, PFLR*, epsilon 1, accuracy",
)


def markdown(*lines: tuple[str, ...]) -> str:
    heading, *rest = lines
    return "".join(
        f"| {' | '.join(line)} |\n" for line in (heading, ("---",) * len(heading), *rest)
    )


@cache
def judged() -> dict[str, tuple[pd.DataFrame, Verdicts]]:
    """The rows and verdicts of the artefacts of the paper, at the levels of the whole paper."""
    paper = read_paper(ROOT / "experiments" / PAPER)
    options = RunOptions(data_dir=Path("nowhere"), out=RESULTS, collect=True)
    found = {}
    for name in artefact_names.artefacts():
        artefact = Artefact(spec.load(name), options) if name.startswith(f"{PAPER}/") else None
        if artefact and artefact.runs.number:
            rows, own = artefact.runs.rows(), artefact.spec
            standins = artefact.runs.standins
            cells = judge_cells(rows, own, paper.cells_of(own), standins=standins)
            found[own.name] = rows, Verdicts(own, tuple(cells))
    rule = rule_of([one for _, one in found.values()])
    return {
        name: (
            rows,
            Verdicts(
                one.spec,
                tuple(at_levels(cell, rule.levels) for cell in one.cells),
                order_levels=rule.order_levels,
                column_levels=rule.column_levels,
            ),
        )
        for name, (rows, one) in found.items()
    }


def decided() -> Verdicts:
    _, verdicts = judged()[TABLE]
    return verdicts


def cell(description: str) -> JudgedCell:
    return next(one for one in decided().cells if one.description == description)


def columns(one: JudgedCell) -> dict[str, str]:
    return {column.heading: column.of(one) for column in CELL_COLUMNS}


def rival(one: JudgedCell) -> float:
    assert one.default
    nearest = one.default.decision.nearest_rival
    assert nearest is not None
    return nearest


def worked_cell() -> str:
    one = cell(WORKED_CELL)
    assert one.default
    shown, compared = columns(one), one.default.comparison
    cells = decided().cells
    (method,) = {other.published.method for other in cells if other.sample.mean == rival(one)}
    difference = f"{shown['difference']} ± {shown['± of the 90 % interval']}"
    gap = one.default.decision.gap
    nearest = f"{rival(one):.4f}, which is {gap:.4f} away"
    return markdown(
        ("quantity", "value"),
        (f"our mean ± standard deviation, {one.default.ours.runs} runs", shown["ours"]),
        (f"published mean ± standard deviation, {one.sample.runs} runs", shown["published"]),
        ("difference of the means ± half the width of its 90 % interval", difference),
        ("margin", f"{compared.margin:.4f}"),
        (f"nearest published value of another method, {method}", nearest),
        ("half of this distance", f"{gap / 2:.4f}"),
        ("verdict", str(one.verdict)),
    )


def worked_table() -> str:
    names = ("ours", "published", "difference", "± of the 90 % interval")
    lines: list[tuple[str, ...]] = [("cell", *names, "nearest rival value", "verdict")]
    for description in WORKED_TABLE:
        one = cell(description)
        shown = columns(one)
        values = [shown[name] for name in names]
        name = description.replace("*", r"\*")
        lines.append((name, *values, f"{rival(one):.4f}", str(one.verdict)))
    return markdown(*lines)


def worked_orders() -> str:
    found = shown.orders_table(decided().orders)
    return markup.rows(found.columns, found.itertuples(index=False)) + "\n"


def worked_columns() -> str:
    one = decided()
    chosen = [column for column in one.columns if column.metric == "accuracy"]
    found = shown.columns_table(chosen, one.spec)
    return markup.rows(found.columns, found.itertuples(index=False)) + "\n"


def worked_claim() -> str:
    rows, _ = judged()[TABLE]
    lines: list[tuple[str, ...]] = [("mean accuracy at epsilon = 1", r"PFLR\*", "PFLR")]
    for dataset in ("adult", "dutch"):
        means = rows[rows["dataset"] == dataset].groupby("method")["accuracy"].mean()
        lines.append((dataset, *(f"{means[method]:.4f}" for method in ("PFLR*", "PFLR"))))
    return markdown(*lines)


BLOCKS: dict[str, Callable[[], str]] = {
    "worked cell": worked_cell,
    "worked table": worked_table,
    "worked orders": worked_orders,
    "worked columns": worked_columns,
    "worked claim": worked_claim,
}


def with_blocks(page: str) -> str:
    """The text of the page with the present content of each block."""
    for name, content in BLOCKS.items():
        before, comment, after = page.partition(f"<!-- {name} -->\n")
        assert comment, name
        page = before + comment + content() + after[after.index("<!-- end -->") :]
    return page


def test_the_numbers_of_the_page_are_those_of_the_results() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_blocks(page), "run `python -m tests.docs.test_checking_page`"


if __name__ == "__main__":
    text = with_blocks(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8", newline="\n")
