"""Report: one page with every artefact, safe against what labels contain."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.specs import Part, Spec
from dpfair_cli.reporting import report, tables
from dpfair_cli.reporting.layouts.lines import LinesLayout
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.reporting.report import Entry
from dpfair_cli.verdicts.claims import parts
from dpfair_cli.verdicts.decision import decide_artefact
from dpfair_cli.verdicts.published import Paper

SPEC = Spec(
    artefact="xu2021/table8.1",
    title="Accuracy <of> each method",
    source="Xu 2021, Table 8.1",
    task=Part("classification", {}),
    datasets=(Part("adult", {}),),
    algorithms=(Part("lr", {}, "LR", "LR"),),
    seeds=2,
    layout=TableLayout(("dataset", "method"), ("accuracy",)),
)
ROWS = pd.DataFrame({"dataset": "adult", "method": "LR", "algorithm": "lr", "seed": [0, 1], "accuracy": [0.8, 0.8]})
CELL = {"artefact": "table8.1", "dataset": "adult", "method": "LR", "metric": "accuracy", "mean": 0.81, "std": None}
CLAIM = {
    "id": "c",
    "artefact": "table8.1",
    "claim": "LR < 0.9",
    "quote": "below <nine> tenths",
    "place": "Section 8.4",
    "holds": [{"compare": ["LR", "<", 0.9], "metric": "accuracy"}],
}


def entry(spec: Spec, mean: float = 0.81, deviations: tuple[dict[str, str], ...] = (), **words: str) -> Entry:
    cells = pd.DataFrame([{**CELL, "mean": mean}]).astype({"std": float})
    paper = Paper(cells, list(parts([CLAIM | words])), [{"artefact": "table8.1", **entry} for entry in deviations])
    verdicts = decide_artefact(ROWS, spec, paper, standins={})
    return Entry(spec, tables.make(ROWS, spec, verdicts.cells, statuses={"lr": "proved"}), verdicts)


def test_the_page_shows_table_claim_and_verdicts() -> None:
    page = report.page([entry(SPEC)], papers={"xu2021": "Xu 2021: A dissertation"})
    for part in (
        "Xu 2021: A dissertation",
        "0.8000 ± 0.0000",
        "LR &lt; 0.9",
        "below &lt;nine&gt; tenths",
        "Section 8.4",
    ):
        assert part in page
    assert '<td class="reproduced">reproduced</td>' in page
    assert '<td class="holds">holds</td>' in page


def lines(page: str, title: str) -> list[list[str]]:
    """The cells of the table below a heading, the names of its columns first."""
    table = page.split(f"<h2>{title}</h2>")[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table, flags=re.DOTALL)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]


def test_the_page_begins_with_the_scoreboard_of_all_artefacts() -> None:
    other = replace(SPEC, artefact="ding2020/table8.1")
    page = report.page([entry(SPEC), entry(other, 0.9, ({"method": "LR", "kind": "open", "cause": "..."},))], papers={})
    assert lines(page, "Published cells") == [
        ["part", "data", "reproduced", "differs (open)", "in all"],
        ["ding2020, chapter 8", "the paper&#39;s data", "0", "1", "1"],
        ["xu2021, chapter 8", "the paper&#39;s data", "1", "0", "1"],
    ]
    assert [line[-2:] for line in lines(page, "Claims")] == [["holds", "in all"], ["1", "1"], ["1", "1"]]
    assert page.index("Published cells") < page.index('id="xu2021"')


def test_a_cell_that_differs_has_the_kind_of_its_deviation_and_an_entry_without_evidence_is_named() -> None:
    page = report.page([entry(SPEC, 0.9, ({"method": "LR", "kind": "data", "cause": "<other> data"},))], papers={})
    assert "differs (data)" in page
    assert "&lt;other&gt; data" in page
    assert "Deviations that their evidence does not bear" in page
    assert "Deviations that their evidence does not bear" not in report.page([entry(SPEC)], papers={})


def test_what_was_changed_in_or_added_to_a_claim_is_said() -> None:
    page = report.page([entry(SPEC, since="another score before", ours="to see")], papers={})
    assert "another score before" in page
    assert "Ours: to see" in page


def test_what_a_title_contains_is_escaped() -> None:
    assert "Accuracy &lt;of&gt; each method" in report.page([entry(SPEC)], papers={})


def test_a_figure_is_linked_relative_to_the_page() -> None:
    figure = replace(SPEC, artefact="xu2021/figure8.1", layout=LinesLayout("objective_share", ("accuracy",)))
    assert 'src="xu2021/figure8.1/figure.png"' in report.page([entry(figure)], papers={})


def test_the_page_needs_no_script_and_nothing_from_elsewhere(tmp_path: Path) -> None:
    text = report.write([entry(SPEC)], tmp_path / "report.html", papers={}).read_text(encoding="utf-8")
    assert "<script" not in text
    assert "http" not in text
    assert "prefers-color-scheme" in text
    assert "width=device-width" in text


def test_a_paper_is_cited_by_the_heading_of_its_readme(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Xu 2021: Title\n\nMore.\n", encoding="utf-8")
    assert report.citation(tmp_path) == "Xu 2021: Title"
