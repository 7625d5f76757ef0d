"""The committed run times: every artefact, its number of runs, and the sums of run-times.md."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli.running import artefact_names, spec

ROOT = Path(__file__).resolve().parents[2]
ROWS = list(csv.DictReader((ROOT / "benchmarks" / "run-times.csv").open(encoding="utf-8")))
PAGE = (ROOT / "benchmarks" / "run-times.md").read_text(encoding="utf-8")


def test_every_row_is_an_artefact_once_and_in_order():
    """A paper whose times nobody has measured yet has no rows."""
    names = [row["artefact"] for row in ROWS]
    assert names == sorted({*names} & {*artefact_names.artefacts()})


def test_a_row_has_the_runs_of_its_spec():
    for row in ROWS:
        runs = sum(1 for _ in spec.load(row["artefact"]).runs())
        assert int(row["runs"]) == runs, row["artefact"]


def test_a_time_is_a_lower_bound_if_runs_were_left_out():
    for row in ROWS:
        assert 0 <= int(row["measured"]) <= int(row["runs"]), row["artefact"]
        assert float(row["minutes"]) >= 0, row["artefact"]
        assert row["at_least"] == "yes" or row["measured"] == row["runs"], row["artefact"]


def test_the_page_has_the_sums_of_the_table():
    table = [line for line in PAGE.splitlines() if line.startswith("|")]
    lines = [line.strip("| ").split(" | ") for line in table[2:]]
    assert sum(int(line[1]) for line in lines) == len(ROWS)
    assert sum(int(line[2]) for line in lines) == sum(int(row["runs"]) for row in ROWS)
    by_paper = {row["artefact"].partition("/")[0]: 0.0 for row in ROWS}
    for row in ROWS:
        by_paper[row["artefact"].partition("/")[0]] += float(row["minutes"])
    for line in lines:
        if line[0] in by_paper and "at least" not in line[3] and line[3][0].isdigit():
            assert float(line[3]) == pytest.approx(by_paper[line[0]], rel=0.1)


def test_a_time_is_printed_with_two_digits_and_its_bound():
    times = "[f(123.4, False), f(0.2, False), f(0.26, True), f(0.0, True)]"
    script = f"from benchmarks.run_times import in_words as f; print(*{times}, sep='; ')"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "120; less than 1; at least 0.26; not measured\n"
