"""The leaderboard against journals and published values that are read here again."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
import scipy

from dpfair_cli.addons.referee import leaderboard
from dpfair_cli.addons.referee.standings import EPSILONS, has_standings, standings
from dpfair_cli.auditing import survey_rows
from dpfair_cli.reproduction.artefact import artefact_named
from dpfair_cli.reproduction.runs import RunOptions

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
NAMES = ("ghoukasian2024/table1", "lowy2023/table-parkinsons", "ding2020/table1")
AT = {"epsilon": 1.0, "trade_off": 0.5}  # of a line that is counted by hand


@pytest.fixture(scope="module")
def artefacts():
    """Three artefacts with their verdicts and numbers."""
    options = RunOptions(Path("nowhere"), RESULTS, collect=True)
    found = [artefact_named(name, options.reading) for name in NAMES]
    return [(one.verdicts(), one.numbers()) for one in found]


@pytest.fixture(scope="module")
def found(artefacts):
    return standings(artefacts, survey_rows.read(RESULTS))


def printed(metric):
    with (ROOT / "experiments/lowy2023/published.csv").open(encoding="utf-8") as lines:
        (one,) = (
            float(row["mean"])
            for row in csv.DictReader(lines)
            if (row["artefact"], row["metric"]) == ("table-parkinsons", metric)
            and row["method"] == "DP-FERMI"
            and all(float(row[name]) == value for name, value in AT.items())
        )
    return one


def test_a_line_has_the_mean_of_its_runs_and_the_published_values(found):
    journal = (RESULTS / "lowy2023/table-parkinsons/runs.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in journal.splitlines()]
    (line,) = (one for one in found if one.epsilon == 1 and one.method == "DP-FERMI, λ 0.5")
    own = [
        row["scores"]
        for row in rows
        if all(row["params"][name] == value for name, value in AT.items())
        and row["params"]["lipschitz"] == 5.0  # the default; its variant has 1
    ]
    accuracy, gap = (
        np.array([scores[name] for scores in own])
        for name in ("accuracy", "demographic_parity_difference")
    )
    assert line.runs == len(own)
    assert line.accuracy.value == pytest.approx(accuracy.mean())
    assert line.gap.value == pytest.approx(gap.mean())
    half = scipy.stats.t.interval(0.95, len(own) - 1, scale=scipy.stats.sem(gap))[1]
    assert line.gap.half_width == pytest.approx(half)
    assert line.printed_accuracy == pytest.approx(1 - printed("error"))
    assert line.printed_gap == printed("demographic_parity_difference")
    assert line.verdict == "not the paper's protocol"
    assert not line.is_proved


def test_lines_are_private_at_the_epsilons_and_no_variants(found):
    assert {one.epsilon for one in found} <= {*EPSILONS}
    assert {one.method for one in found if one.artefact == "ding2020/table1"} == {
        "PDFC",
        "ADFC",
        "PFLR*",
    }
    # US is no data of the leaderboard, and variants have commas
    assert {one.family for one in found} == {"Adult", "Parkinsons"}


def test_lines_are_in_the_order_of_data_epsilon_and_gap(found):
    keys = [(one.family, one.epsilon, one.gap.value) for one in found]
    assert keys == sorted(keys)


def test_equal_numbers_of_two_artefacts_are_one_line(artefacts, found):
    twice = standings([*artefacts, artefacts[1]], [])
    assert len(twice) == len(found)
    assert sum(one.artefact == ", ".join([NAMES[1]] * 2) for one in twice) == 12


def test_a_table_without_a_gap_has_no_lines():
    options = RunOptions(Path("nowhere"), RESULTS, collect=True)
    assert not has_standings(artefact_named("xian2024/table-law", options).verdicts())


def test_the_audit_of_the_method_is_quoted(found):
    rows = {row.method: row for row in survey_rows.read(RESULTS) if not row.variant}
    (line,) = (one for one in found if one.method == "ADFC")
    adfc = rows["adfc"]
    assert line.audit == f"{adfc.accounted} and {adfc.found} for epsilon 1: holds"
    assert line.is_proved


def test_a_line_says_what_is_unknown_by_nothing(found):
    cells = dict(zip(leaderboard.HEADINGS, leaderboard.cells(found[0]), strict=True))
    assert math.isnan(found[0].printed_accuracy) == (cells["accuracy, printed"] == "")
    assert all("nan" not in text for one in found for text in leaderboard.cells(one))


def test_the_committed_page_and_table_have_the_lines(found):
    page = (RESULTS / "leaderboard.md").read_text(encoding="utf-8")
    with (RESULTS / "leaderboard.csv").open(encoding="utf-8") as lines:
        table = [list(row.values()) for row in csv.DictReader(lines)]
    for one in found:
        assert leaderboard.cells(one) in table
    assert page.count("\n| ") == len(table) + 2  # headings
