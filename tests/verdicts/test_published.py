"""What is read of a paper: published cells under the specs' names of parameters, claims and deviations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dpfair_cli.verdicts.decision import decide_artefact
from dpfair_cli.verdicts.published import parameter_columns, read_paper, read_published_cells
from tests.verdicts.toy_paper import ROWS, SPEC


def test_parameters_have_the_names_of_the_specs_and_an_empty_one_is_missing(tmp_path: Path) -> None:
    (tmp_path / "published.csv").write_text(
        "artefact,dataset,method,epsilon,delta,records,metric,mean,std\ntable1,adult,LR,,,10000,accuracy,0.8,\n",
        encoding="utf-8",
    )
    cells = read_published_cells(tmp_path / "published.csv")
    assert parameter_columns(cells) == ["records"]
    assert cells["records"].item() == 10000
    assert cells["std"].isna().item()


def test_a_paper_without_files_has_nothing_to_compare(tmp_path: Path) -> None:
    paper = read_paper(tmp_path)
    assert (paper.claims, paper.deviations) == ([], [])
    found = decide_artefact(ROWS, replace(SPEC, artefact="new/table1"), paper, standins={})
    assert not len(found.cells)
    assert not found.failures


def test_a_cell_knows_its_line_also_behind_empty_lines_and_quoted_line_ends(tmp_path: Path) -> None:
    text = (
        "artefact,dataset,method,metric,mean,std,place\n"
        'table1,adult,LR,accuracy,0.8,,"Table 1,\nthe first row"\n'
        "\n"
        "table1,adult,FM,accuracy,0.7,,Table 1\n"
    )
    (tmp_path / "published.csv").write_text(text, encoding="utf-8")
    assert list(read_published_cells(tmp_path / "published.csv")["line"]) == [2, 5]
