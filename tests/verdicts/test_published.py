"""What is read of a paper: published cells under the specs' names of parameters, claims and
deviations.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.cells.published import parameter_names, read_published_cells
from dpfair_cli.verdicts.paper import read_paper
from tests.deciding import decide_artefact
from tests.verdicts.toy_paper import ROWS, SPEC

HEADER = "artefact,dataset,method,metric,mean,std"


def test_parameters_have_names_of_specs_and_empty_ones_are_missing(tmp_path: Path) -> None:
    (tmp_path / "published.csv").write_text(
        "artefact,dataset,method,epsilon,delta,records,metric,mean,std\ntable1,adult,LR,,,10000,accuracy,0.8,\n",
        encoding="utf-8",
    )
    cells = read_published_cells(tmp_path / "published.csv")
    assert parameter_names(cells) == ["records"]
    assert cells[0].parameters == {"records": 10000}
    assert math.isnan(cells[0].std)


def test_a_paper_without_files_has_nothing_to_compare(tmp_path: Path) -> None:
    paper = read_paper(tmp_path)
    assert (paper.claims, paper.deviations) == ([], [])
    found = decide_artefact(ROWS, replace(SPEC, artefact="new/table1"), paper, standins={})
    assert not found.cells
    assert not found.failures


def test_a_cell_has_its_line_also_after_empty_and_quoted_lines(tmp_path: Path) -> None:
    text = (
        "artefact,dataset,method,metric,mean,std,place\n"
        'table1,adult,LR,accuracy,0.8,,"Table 1,\nthe first row"\n'
        "\n"
        "table1,adult,FM,accuracy,0.7,,Table 1\n"
    )
    (tmp_path / "published.csv").write_text(text, encoding="utf-8")
    assert [cell.line for cell in read_published_cells(tmp_path / "published.csv")] == [2, 5]


@pytest.mark.parametrize(
    ("printed", "mean"),
    [
        ("0.84", "0.844"),
        ("84.46%", "0.8446"),
        ("15.54", "0.8446"),
        ("15.54 ± 0.3", "0.1554"),
        ("0.1554", "0.8446"),
        ("-0.28", "-0.281"),
        ("31 edges", "7"),
        ("", "7"),
        ("45,222", "45222"),
        ("one third", "0.3333"),
        ("84", "0.8446"),
    ],
)
def test_a_mean_is_the_printed_number_or_its_percentage_or_complement(
    tmp_path: Path, printed: str, mean: str
) -> None:
    (tmp_path / "published.csv").write_text(
        f'{HEADER},printed\ntable1,adult,LR,accuracy,{mean},,"{printed}"\n'
    )
    assert [cell.mean for cell in read_published_cells(tmp_path / "published.csv")] == [float(mean)]


@pytest.mark.parametrize(
    ("printed", "mean"), [("0.84", "0.854"), ("84.46%", "0.8464"), ("15.54", "0.8464"), ("7", "70")]
)
def test_a_mean_that_is_not_as_printed_is_refused(tmp_path: Path, printed: str, mean: str) -> None:
    (tmp_path / "published.csv").write_text(
        f"{HEADER},printed\ntable1,adult,LR,accuracy,{mean},,{printed}\n"
    )
    with pytest.raises(DpfairError, match=f"line 2: the mean {mean} is not as printed, {printed}"):
        read_published_cells(tmp_path / "published.csv")
