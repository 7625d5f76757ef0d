"""dpfair audit: what was claimed, accounted and found; exit code 1 where a claim breaks."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from dataclasses import replace
from math import log
from types import SimpleNamespace

import numpy as np
import pytest

from dpfair_cli.auditing import survey
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression import perturbation
from dpfair_cli.running import pool, progress
from tests.commands.invoking import dpfair, mistake, works


@pytest.fixture
def small(monkeypatch):
    """Every data set is one of 300 records of eight features."""
    rng = np.random.default_rng(0)
    names = tuple(f"x{j}" for j in range(8))
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b"))
    records = Records(
        rng.random((300, 8)), rng.integers(0, 2, 300), rng.integers(0, 2, 300), domain
    )
    located = SimpleNamespace(replica="")
    monkeypatch.setattr("dpfair_cli.auditing.survey.locate", lambda *args, **kwargs: located)
    monkeypatch.setattr("dpfair_cli.auditing.survey.load", lambda *args, **kwargs: records)


@pytest.mark.usefixtures("small")
def test_the_command_prints_what_was_claimed_accounted_and_found():
    result = dpfair("audit", "pflr", "--eps", log(2), "--neighbours", 12)
    assert result.exit_code == 0, result.output
    lines = {line.split()[0]: line for line in result.stdout.splitlines() if line[0] != " "}
    assert list(lines) == [
        *[
            "data",
            "claimed",
            "accounted",
            "found",
            "queries",
            "otherwise",
            "noise",
            "unchecked",
            "verdict",
        ]
    ]
    assert lines["claimed"].endswith("epsilon 0.693147")
    assert lines["found"].endswith("on 12 pairs of neighbours")
    assert lines["verdict"].split(maxsplit=1)[1].startswith("not refuted: nothing that was tried")


@pytest.mark.usefixtures("small")
def test_the_command_says_delta_where_there_is_one():
    assert "epsilon 1, delta 0.001" in dpfair("audit", "adfc", "--neighbours", 4).stdout


@pytest.mark.usefixtures("small")
def test_the_command_exits_with_1_when_a_claim_breaks(monkeypatch):
    monkeypatch.setattr(perturbation, "l1_fair_objective", lambda *args, **kwargs: 1.0)
    result = dpfair("audit", "pflr", "--neighbours", 12)
    assert result.exit_code == 1
    assert "verdict     refuted: neighbours cost epsilon" in result.stdout


@pytest.mark.usefixtures("variables")
def test_an_audit_replays_on_neighbouring_observations():
    text = works("audit", "priv_pc_star", "synthetic_gaussian", "--neighbours", "6").stdout
    assert "not refuted: nothing that was tried" in text


def test_an_audit_passes_the_default_and_refutes_the_published_score(networks):
    text = works("audit", "priv_pc", "asia", "--neighbours", 20, *networks).stdout
    assert "verdict     not refuted" in text
    result = dpfair(
        "audit", "priv_pc", "asia", "--neighbours", 40, "--set", "score=published", *networks
    )
    assert result.exit_code == 1, result.output


@pytest.mark.usefixtures("variables")
def test_a_method_of_another_kind_is_refused():
    assert "priv_pc cannot be fitted to the data set adult: choose one of" in mistake(
        "audit", "priv_pc", "adult"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("audit", "pflr", "--eps", "0"), "epsilon must be positive"),
        (("audit", "pflr", "--eps", "nan"), "epsilon must be positive, got nan"),
        (("audit", "pflt"), "unknown method 'pflt': did you mean 'pflr'?"),
        (("audit", "logistic_regression"), "has no privacy guarantee that can be audited"),
        (("audit", "pflr", "adlut"), "unknown data set 'adlut': did you mean 'adult'?"),
        (("audit", "pflr", "--set", "alhpa=1"), "unknown parameter 'alhpa': did you mean 'alpha'?"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("own")
def test_a_wrong_name_or_number_is_one_line_that_says_what_would_be_right(arguments, message):
    assert message in mistake(*arguments)


@pytest.mark.usefixtures("own")
def test_a_value_that_only_the_method_can_judge_is_refused_in_one_line_too():
    result = dpfair("audit", "pflr", "--set", "alpha=-1", "--neighbours", "1")
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.usefixtures("small")
def test_an_audit_takes_the_first_data_set_that_fits_the_method(
    monkeypatch,
):
    monkeypatch.setattr("dpfair_cli.auditing.survey.FIRST", ("synthetic_categorical",))
    assert "not refuted: nothing that was tried" in works("audit", "pflr", "--neighbours", 6).stdout


def test_a_method_without_a_task_is_audited_on_data_of_its_kind():
    text = works("audit", "tree_augmented_network", "--neighbours", "6").stdout
    assert "not refuted: nothing that was tried" in text


@pytest.mark.usefixtures("own")
def test_an_audit_runs_on_a_table_of_the_user_and_names_it():
    facts = ["--label", "rich", "--protected", "sex", "--domain", "domain.yaml"]
    text = works("audit", "pflr", "own.csv", *facts, "--neighbours", 6).stdout
    assert text.startswith("data        own.csv\n")
    assert "not refuted: nothing that was tried" in text


def test_one_run_refuses_a_method_that_needs_binned_records():
    result = dpfair("audit", "tree_augmented_records", "--one-run")
    assert result.exit_code == 2
    assert result.stderr.strip().endswith("audit the method without --one-run")


class AtOnce(Executor):
    """An executor that makes each call when it is submitted.

    In a thread beside it, the progress lines would be taken for what the audited fits print.
    """

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        future.set_result(function(*args, **kwargs))
        return future

    def shutdown(self, kill_workers=False):
        """No process has to end."""


@pytest.fixture
def small_survey(monkeypatch, tmp_path):
    """A survey of two audits, made in this process."""
    first = [
        plan
        for plan in survey.plans()
        if plan.method in ("output_perturbation", "dp_postprocessing")
    ]
    chosen = [replace(plan, pairs=2) for plan in first if not plan.variant]
    monkeypatch.setattr(survey, "plans", lambda: chosen)
    monkeypatch.setattr(survey, "PUBLISHED", {})
    monkeypatch.setattr(pool, "_local", lambda size, shared: AtOnce())
    return ("audit", "--all", "--out", tmp_path / "out")


def test_the_survey_shows_progress_in_plain_lines_without_a_terminal(small_survey, monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    result = works(*small_survey)
    lines = [
        line.partition(", about")[0]  # so many minutes more, on a busy machine
        for line in result.stderr.splitlines()
        if line.startswith("every method and variant: ")
    ]
    assert lines == [f"every method and variant: {k} of 3 audits" for k in (1, 2, 3)]
    assert result.stdout == "3 audits: 3 holds; 0 against their label\n"


def test_the_survey_is_a_bar_in_a_terminal_and_its_rows_are_there_as_json(
    small_survey, monkeypatch
):
    shown = []
    monkeypatch.setattr(
        progress, "bar", lambda **look: nullcontext(shown.append(look) or progress.Lines(**look))
    )
    rows = json.loads(works(*small_survey, "--json").stdout)
    assert {row["method"] for row in rows} == {"dp_postprocessing", "output_perturbation"}
    assert {row["verdict"] for row in rows} == {"holds"}
    assert shown[0]["total"] == 3


def test_the_remaining_time_is_said_once_if_above_a_minute(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "time", lambda: now[0])
    lines = progress.Lines(total=40, desc="toy", unit="audit")
    for _ in range(3):
        now[0] += 5
        progress.advance(lines, 1, "stop at any time")
    assert capsys.readouterr().err == "about 3 minutes more; stop at any time\n"
