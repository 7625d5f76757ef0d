"""The committed pages, and the text of findings."""

from pathlib import Path

import pandas as pd
import pytest

from dpfair_cli import paths
from dpfair_cli.addons.forensics import page, text
from dpfair_cli.addons.forensics.examining import examine
from dpfair_cli.addons.forensics.finding import Grade
from dpfair_cli.addons.forensics.papers import examine_paper, papers_named
from dpfair_cli.addons.forensics.rates import FORGED_SEEDS
from dpfair_cli.addons.forensics.simulation import DIGITS, Mistake, settings
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.reproduction.whole_paper import page_functions
from tests.forensics.material import cell, paper

RESULTS = Path(__file__).resolve().parents[2] / "results"
MAKE = "run `make forensics`, and look at what has changed"
GAP = "demographic_parity_difference"


@pytest.fixture(scope="module")
def committed():
    """The examinations of all works, beside the committed runs."""
    options = RunOptions(paths.data_folder(), RESULTS, collect=True)
    return [examine_paper(name, options) for name in papers_named([])]


def test_the_committed_findings_are_those_of_the_files(committed):
    on_page = (RESULTS / "forensics.md").read_text(encoding="utf-8")
    # a work that somebody adds comes onto the page with the next `make forensics`
    examinations = [one for one in committed if f"| {one.paper.name} |" in on_page]
    assert page.findings_text(examinations) == on_page, (
        "run `python -m dpfair_cli.addons.forensics findings`, and look at what has changed"
    )


def test_no_hint_stands_beside_numbers_that_our_runs_give(committed):
    options = RunOptions(paths.data_folder(), RESULTS, collect=True)
    for one in committed:
        functions = page_functions(one.paper.name, options)
        for hint in one.of(Grade.HINT):
            verdicts = [
                judged.verdict
                for cell in hint.cells
                if (RESULTS / one.paper.name / cell.published.artefact / "runs.jsonl").exists()
                for judged in functions.verdicts_of(cell.published.artefact).cells
                if judged.published.line == cell.published.line
            ]
            assert not verdicts or not all(verdict.agrees for verdict in verdicts), str(hint.cells)


def test_no_committed_fact_rests_on_a_number_deduced_from_digits(committed):
    for one in committed:
        for fact in one.of(Grade.FACT):
            assert not any(cell.is_deduced for cell in fact.cells)


def test_the_page_counts_the_false_alarms_of_wrong_declarations():
    on_page = (RESULTS / "forensics-rates.md").read_text(encoding="utf-8")
    for mistake in Mistake:
        assert f"| {mistake} | " in on_page, MAKE


def test_the_committed_rates_are_of_all_settings():
    table = pd.read_csv(RESULTS / "forensics-rates.csv")
    assert {*table["papers"]} == {FORGED_SEEDS * len([*settings()])}, MAKE
    shares = table[[f"{digits} decimals" for digits in DIGITS]]
    assert ((shares >= 0) & (shares <= 1)).all(axis=None)


def test_the_committed_page_prints_the_committed_rates():
    committed = (RESULTS / "forensics-rates.md").read_text(encoding="utf-8")
    for line in pd.read_csv(RESULTS / "forensics-rates.csv").to_dict("records"):
        shares = [f"{line[f'{digits} decimals']:.0%}" for digits in DIGITS]
        assert f"| {line['planted']} | {line['papers']} | {' | '.join(shares)} |" in committed


def test_findings_of_one_kind_are_printed_together():
    cells = [cell("1.2", epsilon=1.0), cell("1.3", epsilon=2.0), cell("0.5", epsilon=3.0)]
    found = [*text.lines(examine(paper(cells)))]
    assert found[:3] == [
        "paper: 3 cells, 3 checks: 2 facts, 0 hints",
        "fact: score outside its range: 1.2 is not in 0 to 1 (and 1 more)",
        "    table1, data, A, epsilon 1, accuracy: 1.2",
    ]
    assert "    by chance: impossible" in found


def test_a_hint_prints_its_chance_and_limit():
    facts = {"runs": {"value": 4}, "majority": {"value": 0.75}}
    found = "\n".join(text.lines(examine(paper([cell("0.700 ± 0.002")], **facts))))
    assert "by chance: at most 1.8e-05, after correction for the number of tests 1.8e-05" in found
    assert "possible causes: the noise is strong" in found


def test_json_has_every_finding():
    facts = {"runs": {"value": 10}}
    data = text.as_data([examine(paper([cell("0.003 ± 0.034", GAP)], **facts))])
    [finding] = data["papers"][0]["findings"]
    assert (finding["grade"], finding["chance"]) == ("fact", None)
    assert finding["cells"][0]["printed"] == "0.003 ± 0.034"
    assert finding["cells"][0]["epsilon"] == 1.0
