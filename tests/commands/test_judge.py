"""dpfair judge: two tables of another field as files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.commands.invoking import ROOT, dpfair, mistake, works

PUBLISHED = "method,mean,std,runs\nA,0.8,0.01,10\nB,0.7,0.01,10\n"
OURS = "method,mean,std,runs\nA,0.805,0.01,10\nB,0.6,0.01,10\n"
FILES = ("published.csv", "ours.csv")
EXAMPLE = ROOT / "examples" / "graph-networks"


@pytest.fixture
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in zip(FILES, (PUBLISHED, OURS), strict=True):
        Path(name).write_text(text)


@pytest.mark.usefixtures("_files")
def test_it_prints_three_levels_and_exits_with_1_if_a_number_differs():
    found = dpfair("judge", *FILES)
    assert found.exit_code == 1
    lines = found.stdout.splitlines()
    assert lines[:3] == [
        "orders   1 confirmed",
        "columns  none",
        "numbers  1 reproduced, 1 differs",
    ]
    row = next(line for line in lines if line.startswith("B, score"))
    assert " ".join(row.split()) == "B, score 0.6000 ± 0.0100 0.7000 ± 0.0100 differs"
    assert "  margin of score: 0.02" in lines
    assert any(line.startswith("  cell differs: B, score: ") for line in lines)
    assert any(line.startswith("  false matches: 0 of 2 means") for line in lines)


@pytest.mark.usefixtures("_files")
def test_json_has_the_numbers_and_what_would_decide():
    Path("ours.csv").write_text(OURS.replace("0.805,0.01,10", "0.81,0.03,10"))
    found = json.loads(dpfair("judge", *FILES, "--json").stdout)
    one, other = found["cells"]
    assert (one["verdict"], other["verdict"]) == ("undecided", "differs")
    assert one["would decide"].endswith(" seeds would decide")
    assert found["orders"][0]["verdict"] == "confirmed"
    assert found["differences"][0].startswith("cell differs: B")


@pytest.mark.usefixtures("_files")
def test_tables_without_a_difference_exit_with_0():
    Path("ours.csv").write_text(PUBLISHED)
    assert "numbers  2 reproduced" in works("judge", *FILES).stdout


@pytest.mark.usefixtures("_files")
def test_tables_without_a_common_name_are_a_mistake_that_proposes_the_nearest():
    Path("published.csv").write_text("method,mean\nNet A,0.8\n")
    Path("ours.csv").write_text("method,mean\nNet-A,0.8\n")
    said = mistake("judge", *FILES)
    assert "no number was compared" in said
    assert "published.csv, line 2: Net A, score: not in ours.csv: did you mean 'Net-A, " in said


# The order of GAT and GCN on Citeseer: Velickovic et al. 2018 print 0.725 above 0.703 of Kipf and
# Welling 2017, and the re-run has 0.700 below 0.710
def test_the_example_reverses_one_order_and_nothing_else():
    found = dpfair("judge", EXAMPLE / "published.csv", EXAMPLE / "ours.csv", "--json")
    assert found.exit_code == 1
    (line,) = json.loads(found.stdout)["differences"]
    assert line.startswith("order reversed: citeseer, GAT, accuracy is published 0.022 above GCN")


def test_the_page_prints_what_the_command_prints():
    page = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```text\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    printed = dpfair("judge", EXAMPLE / "published.csv", EXAMPLE / "ours.csv").stdout.splitlines()
    shown = [line for line in block.splitlines() if line != "..."]
    assert len(shown) > 8
    assert [line for line in shown if line not in printed] == []
