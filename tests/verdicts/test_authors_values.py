"""The authors' program: authors.yaml and authors.csv are read, and their values are judged."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.authors import (
    AuthorsProgram,
    AuthorsValue,
    NotRun,
    read_authors_values,
    unknown_name,
)
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.paper import Paper, read_paper
from tests.deciding import decide_artefact
from tests.verdicts.toy_paper import ROWS, SPEC, published, published_cell

COMMIT = "0123456789abcdef0123456789abcdef01234567"
YAML = f"""
repository: https://example.org/scores
commit: "{COMMIT}"
licence: MIT
command: python table1.py
versions: {{python: 3.11.7}}
data: [adult.data]
changes: [another solver]
not_run: [{{what: table 2, reason: the data are not public}}]
"""
HEADER = "artefact,dataset,method,epsilon,metric,value,deviation,runs\n"
LINE = "table8.2,adult,PFLR*,1,accuracy,0.75,0.001,10\n"
PROGRAM = AuthorsProgram(
    "https://example.org/scores",
    COMMIT,
    "MIT",
    "python table1.py",
    {"python": "3.11.7"},
    ("adult.data",),
    ("another solver",),
    (NotRun("table 2", "the data are not public"),),
)


def write(folder: Path, values: str = HEADER + LINE, program: str = YAML) -> None:
    (folder / "authors.csv").write_text(values, encoding="utf-8")
    (folder / "authors.yaml").write_text(program, encoding="utf-8")


def value(method: str, epsilon: float | None, mean: float, std: float, runs: int) -> AuthorsValue:
    cell = published_cell(published(method, epsilon, mean, std))
    return AuthorsValue(PROGRAM, replace(cell, runs=runs))


def test_the_program_and_its_values_are_read_as_objects(tmp_path: Path) -> None:
    write(tmp_path, HEADER + LINE + "table8.2,adult,LR,,accuracy,0.84,,1\n")
    first, second = read_authors_values(tmp_path)
    assert first.program == PROGRAM
    assert first.program.short_commit == "0123456"
    assert (first.cell.mean, first.cell.std, first.cell.runs, first.cell.line) == (
        0.75,
        0.001,
        10,
        2,
    )
    assert first.cell.parameters == {"epsilon": 1.0}
    assert second.cell.parameters == {}
    assert math.isnan(second.cell.std)
    assert len(read_paper(tmp_path).authors) == 2


def test_a_work_without_the_files_has_no_values(tmp_path: Path) -> None:
    assert read_authors_values(tmp_path) == ()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("table8.2,adult,LR,,accuracy,inf,,1\n", "line 2: the value must be a finite number"),
        ("table8.2,adult,LR,,accuracy,0.8,nan,1\n", "line 2: the deviation must be a finite"),
        ("table8.2,adult,LR,,accuracy,0.8,-1,1\n", "line 2: the deviation must be a finite"),
        ("table8.2,adult,LR,,accuracy,0.8,,0\n", "line 2: runs must be a positive integer"),
        ("table8.2,,LR,,accuracy,0.8,,1\n", "line 2: the column dataset must not be empty"),
        (LINE + LINE, "line 3: the same cell as in line 2"),
        ("table8.2,adult\n", "line 2: the line has 2 fields, but the header has 8"),
    ],
)
def test_a_line_that_is_no_value_is_refused(tmp_path: Path, lines: str, message: str) -> None:
    write(tmp_path, HEADER + lines)
    with pytest.raises(DpfairError, match=f"authors.csv, {message}"):
        read_authors_values(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (COMMIT, COMMIT[:7], "commit must have 40 hexadecimal digits, got '0123456'"),
        (COMMIT, COMMIT.upper(), "commit must have 40 hexadecimal digits"),
        ("licence: MIT\n", "", "missing values: give a value for licence"),
        ("licence: MIT", 'licence: ""', "licence must not be empty"),
        ("licence", "license", "unknown key 'license': did you mean 'licence'"),
    ],
)
def test_a_program_that_is_not_named_exactly_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    write(tmp_path, program=YAML.replace(old, new))
    with pytest.raises(DpfairError, match=message):
        read_authors_values(tmp_path)


@pytest.mark.parametrize("missing", ["authors.csv", "authors.yaml"])
def test_one_file_without_the_other_is_refused(tmp_path: Path, missing: str) -> None:
    write(tmp_path)
    (tmp_path / missing).unlink()
    with pytest.raises(DpfairError, match=f"needs the file {missing} next to it"):
        read_authors_values(tmp_path)


def test_a_value_is_compared_with_ours_and_with_print() -> None:
    # ours is 0.75 at epsilon 1. The program gives 0.752, and print 0.9: 0.148 is above 0.02
    paper = Paper(
        [published_cell(published("PFLR*", 1, 0.9, 0.001))],
        authors=(value("PFLR*", 1, 0.752, 0.001, 10), value("LR", None, 0.84, 0.001, 10)),
    )
    found = decide_artefact(ROWS, SPEC, paper, standins={})
    first, second = found.authors
    assert (first.judged.verdict, first.verdict_on_print) == ("reproduced", "differs")
    assert first.printed is not None
    assert first.printed.mean == 0.9
    assert first.judged.sample.runs == 10
    assert (second.judged.verdict, second.verdict_on_print) == ("reproduced", "")
    assert [str(one.verdict) for one in found.cells] == ["differs"]


def test_values_of_another_artefact_are_left_out() -> None:
    other = value("PFLR*", 1, 0.75, 0.001, 10)
    moved = replace(other, cell=replace(other.cell, artefact="table8.1"))
    assert decide_artefact(ROWS, SPEC, Paper(authors=(moved,)), standins={}).authors == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, ""),
        ({"dataset": "adlut"}, "unknown data set 'adlut'"),
        ({"method": "PFRL*"}, "unknown method 'PFRL*'"),
        ({"metric": "acuracy"}, "unknown score 'acuracy'"),
        ({"parameters": {"epsilno": 1.0}}, "unknown parameter 'epsilno'"),
        ({"parameters": {"epsilon": 7.0}}, "no run has epsilon 7: there are: 0.1, 1, 10"),
    ],
)
def test_a_name_that_no_run_has_is_found(change: dict[str, object], message: str) -> None:
    cell = PublishedCell("table8.2", "adult", "PFLR*", "accuracy", 0.75, parameters={"epsilon": 1})
    found = unknown_name(replace(cell, **change), SPEC)  # type: ignore[arg-type]
    assert found.startswith(message)
    assert bool(found) == bool(message)
