"""`dpfair check --forensics`: what it prints, and how it refuses mistakes."""

import json

import pytest

from tests.commands.invoking import mistake, works

PUBLISHED = """artefact,dataset,method,epsilon,metric,mean,std,printed,place
table1,adult,PFLR,1,demographic_parity_difference,0.003,0.034,0.003±0.034,Table 1
table1,adult,PFLR,10,demographic_parity_difference,0.011,0.034,0.011±0.034,Table 1
"""
SPEC = """title: A table
source: Somebody 2024, Table 1
task: classification
datasets: [adult]
algorithms:
  - {method: PFLR, name: pflr, epsilon: [1, 10], chosen_by: convention}
seeds: 2
published_runs: 10
table: {rows: [dataset, epsilon, method], values: [demographic_parity_difference]}
"""


def a_paper(folder, facts=""):
    """A project with one paper; its runs are not made."""
    paper = folder / "experiments" / "somebody2024"
    paper.mkdir(parents=True)
    (paper / "table1.yaml").write_text(SPEC, encoding="utf-8")
    (paper / "published.csv").write_text(PUBLISHED, encoding="utf-8")
    if facts:
        (paper / "forensics.yaml").write_text(facts, encoding="utf-8")


def test_a_fact_needs_no_run(tmp_path, monkeypatch):
    a_paper(tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = works("check", "--forensics", "somebody2024").stdout.splitlines()
    assert lines[0].startswith("somebody2024: 2 cells, ")
    assert lines[0].endswith(": 1 fact, 0 hints")
    assert lines[1].startswith("fact: deviation too large for its mean: 0.003 ± 0.034 cannot be")
    assert "    place: Table 1" in lines
    assert [*tmp_path.iterdir()] == [tmp_path / "experiments"]  # no file is written


def test_all_papers_and_one_artefact_are_examined(tmp_path, monkeypatch):
    a_paper(tmp_path)
    monkeypatch.chdir(tmp_path)
    whole = works("check", "--forensics", "--all").stdout
    assert works("check", "--forensics", "somebody2024/table1").stdout == whole


def test_quiet_prints_the_summary_alone(tmp_path, monkeypatch):
    a_paper(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert len(works("check", "--forensics", "--all", "-q").stdout.splitlines()) == 1


def test_json_has_the_place_of_each_cell(tmp_path, monkeypatch):
    a_paper(tmp_path)
    monkeypatch.chdir(tmp_path)
    content = json.loads(works("check", "--forensics", "--all", "--json").stdout)
    [finding] = content["papers"][0]["findings"]
    assert content["limit"] == 0.01
    assert finding["grade"] == "fact"
    assert finding["cells"][0]["line"] == 2


def test_a_declared_fact_changes_a_finding(tmp_path, monkeypatch):
    facts = "range: [{low: -1, high: 1, place: 'Section 2, a signed difference'}]\n"
    a_paper(tmp_path, facts)
    monkeypatch.chdir(tmp_path)
    assert ": 0 facts, 0 hints" in works("check", "--forensics", "--all").stdout


def test_a_mistake_in_the_declaration_is_one_line(tmp_path, monkeypatch):
    a_paper(tmp_path, "runs: [{value: 10, method: PFRL, place: here}]\n")
    monkeypatch.chdir(tmp_path)
    assert mistake("check", "--forensics", "--all") == (
        "somebody2024/forensics.yaml, runs, entry 1: no cell has the method 'PFRL': "
        "did you mean 'PFLR'?"
    )


def test_an_unknown_paper_is_refused_with_the_nearest(tmp_path, monkeypatch):
    a_paper(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert "did you mean 'somebody2024'?" in mistake("check", "--forensics", "somebody2023")


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--record", "--record"),
        ("--update-checksums", "--update-checksums"),
        ("--against=HEAD", "--against"),
        ("--format=github", "--format"),
    ],
)
def test_an_option_about_runs_is_refused(tmp_path, monkeypatch, option, told):
    a_paper(tmp_path)
    monkeypatch.chdir(tmp_path)
    said = mistake("check", "--forensics", "--all", option)
    assert said.endswith(f"{told} cannot be given with --forensics")
