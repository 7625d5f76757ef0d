"""Writes error-rates.md, error-rates.csv and the picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dpfair_cli.addons.error_rates import picture, rates, simulation
from dpfair_cli.addons.error_rates.judged_papers import JudgedPaper
from dpfair_cli.addons.error_rates.variants import VARIANTS
from dpfair_cli.contracts.files import write_text
from dpfair_cli.reporting import markup
from dpfair_cli.verdicts.cells.comparison import LEVEL, MARGIN

NAME = "error-rates"


def write(papers: Sequence[JudgedPaper], folder: Path) -> list[Path]:
    """Writes the error rates of the rule on simulated papers; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    page, table = folder / f"{NAME}.md", folder / f"{NAME}.csv"
    write_text(page, text(papers))
    lines: str = rates.paper_lines(papers).to_csv(index=False, lineterminator="\n")
    write_text(table, lines)
    return [page, table, picture.write(papers, folder)]


def text(papers: Sequence[JudgedPaper]) -> str:
    """The error rates as Markdown."""
    tables = {
        "verdicts": rates.verdict_shares(papers),
        "other": rates.other_verdict_shares(papers),
        "explanations": rates.explanations(papers),
        "discoveries": rates.false_discovery_rates(papers),
        "shifts": rates.found_shifts(papers),
        "orders": rates.order_shares(papers),
        "columns": rates.column_shares(papers),
        "other_columns": rates.other_column_shares(papers),
    }
    return markup.render(
        "error_rates.md.j2",
        package=__package__,
        papers=len(papers),
        cells=len(papers[0].cells),
        methods=len(simulation.METHODS),
        effect=simulation.EFFECT,
        spreads=_either(simulation.SPREADS),
        large_spreads=_either(simulation.LARGE_SPREADS),
        our_runs=simulation.OUR_RUNS,
        few_runs=_either(sorted({*simulation.FEW_RUNS})),
        variants=VARIANTS,
        paper_runs=_either(simulation.PAPER_RUNS),
        shared=_percent(simulation.SHARED, 0),
        margin=MARGIN,
        level=_percent(LEVEL, 0),
        tables={name: _markdown(table) for name, table in tables.items()},
    )


def _either(values: Sequence[float]) -> str:
    """Numbers as text, "1, 2 or 3"."""
    *first, last = map(str, values)
    return f"{', '.join(first)} or {last}"


def _percent(share: float, decimals: int) -> str:
    """A share in percent, such as "4.5 %" for 0.045 and one decimal."""
    return f"{100 * share:.{decimals}f} %"


def _markdown(table: pd.DataFrame) -> str:
    """A table in Markdown; a share is printed in percent."""
    headings = list(map(str, table.columns))
    # by line as tuples, because an array of numbers would turn whole numbers into decimals
    lines = table.itertuples(index=False)
    return markup.of_cells(headings, (map(_cell, headings, line) for line in lines))


def _cell(name: str, value: object) -> str:
    """A value of the column `name`: a share in percent, a dash for a share of nothing."""
    if isinstance(value, float) and name not in rates.NOT_SHARES:
        return "–" if pd.isna(value) else _percent(value, 1)
    return f"{value:,}" if isinstance(value, int) else str(value)
