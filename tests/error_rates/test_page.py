"""The page of the error rates, its picture, and that the committed page belongs to the rule."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from dpfair_cli.addons.error_rates import page, rates
from dpfair_cli.addons.error_rates.judged_papers import JudgedPaper, judge_paper
from dpfair_cli.addons.error_rates.simulation import OTHER_PROTOCOLS, PaperKind

RESULTS = Path(__file__).resolve().parents[2] / "results"
MAKE = "run `make error-rates`, and look at what has changed"


@pytest.fixture(scope="module")
def papers() -> list[JudgedPaper]:
    """The first paper of each kind."""
    return [judge_paper(kind, 0) for kind in PaperKind]


def test_committed_error_rates_are_those_of_the_present_rule(papers: list[JudgedPaper]) -> None:
    committed = pd.read_csv(RESULTS / "error-rates.csv")
    now = rates.paper_lines(papers)
    assert committed[committed["seed"] == 0].reset_index(drop=True).equals(now), MAKE


def test_the_committed_page_and_the_committed_table_are_of_the_same_papers() -> None:
    table = pd.read_csv(RESULTS / "error-rates.csv").groupby("papers").sum()
    text = (RESULTS / "error-rates.md").read_text(encoding="utf-8")
    for kind, name in (("true", "right"), ("noisy", "right, but runs vary much")):
        line = table.loc[kind]
        shares = [f"{100 * line[str(one)] / line['cells']:.1f} %" for one in rates.COMPARED]
        assert f"| {name} | {line['cells']:,} | {' | '.join(shares)} |" in text, MAKE


def test_few_cells_with_right_values_differ(papers: list[JudgedPaper]) -> None:
    for paper in papers:
        if paper.kind in OTHER_PROTOCOLS:  # whose runs are not like ours
            continue
        wrong = [
            verdict
            for truth, verdict in paper.cells
            if not truth.difference and str(verdict) == "differs"
        ]
        assert len(wrong) <= 0.01 * len(paper.cells)


def test_no_value_of_a_method_that_is_far_counts_as_reproduced(papers: list[JudgedPaper]) -> None:
    passed = [
        truth
        for paper in papers
        for truth, verdict in paper.cells
        if abs(truth.difference) >= 0.05 and verdict.agrees
    ]
    assert passed == []


def test_equal_papers_give_files_with_equal_bytes(
    papers: list[JudgedPaper], tmp_path: Path
) -> None:
    first, second = (page.write(papers, tmp_path / name) for name in ("one", "other"))
    assert [file.name for file in first] == [
        "error-rates.md",
        "error-rates.csv",
        "error-rates.png",
    ]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    with Image.open(first[2]) as image:
        assert image.width > image.height > 500


def test_the_page_has_every_table_in_percent(papers: list[JudgedPaper]) -> None:
    text = page.text(papers)
    assert f"{len(papers)} simulated papers" in text
    assert text.count("\n| --- |") == 8
    assert "nan" not in text
