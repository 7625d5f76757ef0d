"""`dpfair check` with authors.csv and authors.yaml: the third value, and mistakes in the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.invoking import dpfair, mistake, works
from tests.diff.toy_project import NAME, rows, write_project

PAPER = Path("experiments/toy2020")
CHECK = ("check", NAME)
HEADER = "artefact,dataset,method,epsilon,metric,value,deviation,runs\n"
LINE = "table1,adult,LR,,accuracy,0.8,0.001,10\n"
YAML = """
repository: https://example.org/scores
commit: 0123456789abcdef0123456789abcdef01234567
licence: not stated
command: python table1.py
versions: {python: 3.11.7}
data: [adult.data]
"""


@pytest.fixture(autouse=True)
def project(place):
    """A project whose journal is complete, with a value of the authors' program."""
    write_project(place, rows())
    write(HEADER + LINE)
    return place


def write(values, program=YAML):
    (PAPER / "authors.csv").write_text(values, encoding="utf-8")
    (PAPER / "authors.yaml").write_text(program, encoding="utf-8")


def test_the_summary_counts_the_values_of_the_program():
    assert "1 value of the authors' program: next to ours 1 reproduced" in works(*CHECK).stdout
    (found,) = json.loads(works(*CHECK, "--json").stdout)["artefacts"]
    (value,) = found["authors' program"]
    assert (value["authors_mean"], value["authors_runs"]) == (0.8, 10)


def test_a_work_without_the_files_has_no_such_line():
    for name in ("authors.csv", "authors.yaml"):
        (PAPER / name).unlink()
    assert "authors" not in works(*CHECK).stdout
    assert "authors" not in works(*CHECK, "--json").stdout


def test_the_table_has_the_third_column(project):
    write(HEADER + "table1,adult,FM,1,accuracy,0.7,0.001,10\n")
    works("reproduce", "toy2020", "--collect")
    text = (project / "results" / NAME / "table.md").read_text(encoding="utf-8")
    assert "| accuracy authors' program |" in text
    assert "0.7000 ± 0.0010" in text
    assert "at commit 0123456, run once by us. Changed to run it: nothing." in text


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (LINE.replace("LR", "LF"), "line 2: unknown method 'LF': "),
        (LINE.replace("adult", "adlut"), "line 2: unknown data set 'adlut': "),
        (LINE.replace("table1", "tabel1"), "line 2: unknown artefact 'tabel1': did you mean"),
        (LINE.replace("accuracy", "acuracy"), "line 2: unknown score 'acuracy': did you mean"),
        (LINE.replace("0.8,", "80,"), "line 2: accuracy 80 is not in 0 to 1: is this a percent"),
        (LINE.replace("0.8,", "nan,"), "line 2: the value must be a finite number, got 'nan'"),
    ],
)
def test_a_value_that_no_run_can_have_is_one_line(line, why):
    write(HEADER + line)
    assert mistake(*CHECK).removeprefix("toy2020/").startswith(f"authors.csv, {why}")


def test_a_short_commit_is_refused():
    write(HEADER + LINE, YAML.replace("0123456789abcdef0123456789abcdef01234567", '"0123456"'))
    assert "commit must have 40 hexadecimal digits, got '0123456'" in mistake(*CHECK)


def test_a_changed_value_breaks_the_checksums():
    works(*CHECK, "--update-checksums")
    recorded = json.loads((PAPER / "checksums.json").read_text())
    assert recorded["authors.csv"]["rows"] == 1
    write(HEADER + LINE.replace("0.8,", "0.801,"))
    result = dpfair(*CHECK)
    assert result.exit_code == 1
    assert "toy2020/authors.csv: its content differs from the checksum manifest" in result.stdout
