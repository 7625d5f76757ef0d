"""Options of whatever makes artefacts: --dry-run and --collect run nothing, and --fresh loses
nothing.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpfair_cli import catalog
from dpfair_cli.running import runner
from tests.commands.invoking import dpfair, mistake, snapshot, works
from tests.commands.material import COMMON, PLACE, people, write


@pytest.mark.usefixtures("project")
def test_a_dry_run_says_miss_and_why_then_hit_and_executes_nothing(monkeypatch):
    before = works("table", "toy2020/table1", "--dry-run", *COMMON).stdout.splitlines()
    assert len(before) == 9
    assert before[0].startswith("toy2020/table1 csv functional_mechanism epsilon=1.0 ")
    assert all(line.endswith(": miss (not run yet)") for line in before)
    works("table", "toy2020/table1", *COMMON)
    monkeypatch.setattr(runner, "work", lambda batch: pytest.fail("something was run"))
    after = works("table", "toy2020/table1", "--dry-run", *COMMON).stdout.splitlines()
    assert [line.rsplit(": ", 1)[1] for line in after] == ["hit"] * 9
    newer = replace(catalog.algorithm("logistic_regression"), version=99)
    monkeypatch.setattr(catalog.algorithms.module("logistic_regression"), "ALGORITHM", newer)
    after = works("table", "toy2020/table1", "--dry-run", *COMMON).stdout.splitlines()
    assert [line.rsplit(": ", 1)[1] for line in after] == ["hit"] * 6 + [
        "miss (logistic_regression has a new version)"
    ] * 3


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    "also", [(), ("--fresh",), ("--quick",), ("--collect",), ("--fresh", "--quick")]
)
def test_a_dry_run_changes_no_file(also):
    works("table", "toy2020/table1", *COMMON)
    before = snapshot(".")
    works("table", "toy2020/table1", "--dry-run", *also, *COMMON)
    assert snapshot(".") == before


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", [("table", "--dry-run"), ("table", "--collect"), ("check",)])
def test_looking_at_a_journal_with_half_a_line_does_not_write_to_it(command):
    works("table", "toy2020/table1", *COMMON)
    with (PLACE / "runs.jsonl").open("a") as file:
        file.write('{"half": ')
    before = (PLACE / "runs.jsonl").read_bytes()
    dpfair(command[0], "toy2020/table1", *command[1:], "--out", "out")
    assert (PLACE / "runs.jsonl").read_bytes() == before


@pytest.mark.usefixtures("project")
def test_fresh_runs_everything_again_and_keeps_the_old_journal():
    works("table", "toy2020/table1", *COMMON)
    journal = (PLACE / "runs.jsonl").read_bytes()
    (PLACE / "runs.jsonl").write_bytes(b"".join(journal.splitlines(keepends=True)[:4]))
    works("table", "toy2020/table1", "--fresh", *COMMON)
    assert (PLACE / "runs.jsonl").read_bytes() == journal
    assert (PLACE / "runs.jsonl.old").read_bytes() == b"".join(
        journal.splitlines(keepends=True)[:4]
    )


@pytest.mark.usefixtures("project")
def test_a_damaged_journal_can_be_left_behind_with_fresh():
    works("table", "toy2020/table1", *COMMON)
    journal = (PLACE / "runs.jsonl").read_bytes()
    (PLACE / "runs.jsonl").write_bytes(b"damaged\n" + journal)
    assert "line 1 is not a valid run" in mistake("table", "toy2020/table1", *COMMON)
    works("table", "toy2020/table1", "--fresh", *COMMON)
    assert (PLACE / "runs.jsonl").read_bytes() == journal


@pytest.mark.usefixtures("project")
def test_collect_renders_what_the_journal_holds_and_runs_nothing(monkeypatch):
    works("table", "toy2020/table1", *COMMON)
    lines = (PLACE / "runs.jsonl").read_text().splitlines(keepends=True)
    kept = "".join(lines[:3])
    (PLACE / "runs.jsonl").write_text(kept)
    monkeypatch.setattr(runner, "work", lambda batch: pytest.fail("something was run"))
    result = works("table", "toy2020/table1", "--collect", *COMMON)
    assert "FM" in result.stdout
    assert (PLACE / "runs.jsonl").read_text() == kept


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    "command", [("table", "toy2020/table1"), ("plot", "toy2020/figure2"), ("reproduce",)]
)
def test_collecting_from_nothing_says_so_instead_of_succeeding_in_silence(command):
    result = dpfair(*command, "--collect", *COMMON)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.usefixtures("project")
def test_collecting_from_runs_of_other_data_only_says_so():
    works("table", "toy2020/table1", *COMMON)
    write("own.csv", people(50))
    result = dpfair("table", "toy2020/table1", "--collect", *COMMON)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.usefixtures("project")
def test_fresh_and_collect_together_are_refused_and_keep_the_journal():
    """One runs everything again, the other nothing: with both the journal must not be lost."""
    works("table", "toy2020/table1", *COMMON)
    before = (PLACE / "runs.jsonl").read_bytes()
    dpfair("table", "toy2020/table1", "--fresh", "--collect", *COMMON)
    assert (PLACE / "runs.jsonl").exists()
    assert (PLACE / "runs.jsonl").read_bytes() == before


@pytest.mark.usefixtures("project")
def test_the_plan_of_several_artefacts_is_a_line_for_each():
    lines = works("reproduce", "--dry-run", *COMMON).stdout.splitlines()
    ours = (
        "6 misses (csv functional_mechanism, not run yet); 3 misses (csv logistic_regression, "
        "not run yet)"
    )
    assert lines == [f"toy2020/figure2: 0 hits; {ours}", f"toy2020/table1: 0 hits; {ours}"]
    works("table", "toy2020/table1", *COMMON)
    assert (
        works("reproduce", "--dry-run", *COMMON).stdout.splitlines()[1] == "toy2020/table1: 9 hits"
    )
