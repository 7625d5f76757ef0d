"""Every sweep has a folder of its own: a second one replaces nothing, and takes over the runs that
there are.
"""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path

import pytest

from dpfair_cli.running.folder_lock import locked
from tests.commands.invoking import mistake, snapshot, works
from tests.commands.material import DOMAIN, PUBLIC, people, write

SMALL = ("--runs", "1", "--jobs", "1", "--out", "out")
pytestmark = pytest.mark.usefixtures("own")


def sweep(*arguments, file="own.csv"):
    """The name of the folder that a sweep of one method writes."""
    result = works("sweep", file, *PUBLIC, "--method", "pflr", *arguments, *SMALL)
    return next(Path(line).name for line in result.stderr.splitlines() if line.startswith("out/"))


@pytest.mark.parametrize(
    "other",
    [
        ("--eps", "0.1,1"),
        ("--runs", "2"),
        ("--set", "fairness=drift"),
    ],
    ids=" ".join,
)
def test_another_sweep_of_the_same_table_replaces_nothing(other):
    sweep("--eps", "1")
    before = snapshot("out")
    name, value = other
    changed = {"--eps": "1", "--runs": "1", "--jobs": "1", "--out": "out"} | {name: value}
    given = chain.from_iterable(changed.items())
    works("sweep", "own.csv", *PUBLIC, "--method", "pflr", *given)
    assert before.items() < snapshot("out").items()


def test_a_sweep_of_one_more_method_replaces_nothing():
    sweep("--eps", "1")
    before = snapshot("out")
    sweep("--eps", "1", "--method", "functional_mechanism")
    assert before.items() < snapshot("out").items()


def test_another_table_of_the_same_name_replaces_nothing():
    first = sweep("--eps", "1")
    before = snapshot("out")
    Path("elsewhere").mkdir()
    write("elsewhere/own.csv", people(50))
    assert sweep("--eps", "1", file="elsewhere/own.csv") != first
    assert before.items() < snapshot("out").items()


def test_a_folder_has_the_data_and_the_methods_in_its_name():
    assert sweep("--eps", "1").startswith("own-pflr-")
    assert sweep("--eps", "1", "--method", "functional_mechanism").startswith(
        "own-pflr+functional_mechanism-"
    )
    works("sweep", "own.csv", *PUBLIC, "--eps", "1", *SMALL)  # the methods of every sweep
    assert len(list(Path("out/sweeps").glob("own-dp_whitened_descent+dp_fair_descent-*"))) == 1


def test_the_same_table_by_another_path_is_the_same_sweep():
    assert sweep("--eps", "1") == sweep("--eps", "1", file=Path("own.csv").absolute())


def test_runs_of_an_earlier_sweep_are_taken_over(monkeypatch):
    sweep("--eps", "1")
    sweep("--eps", "1,10")
    monkeypatch.setattr("dpfair_cli.running.runner.work", None)  # nothing can run now
    sweep("--eps", "10")
    with pytest.raises(AssertionError, match="not callable"):
        sweep("--eps", "100")


@pytest.mark.parametrize("head", ["", "---\n", "confirmed: yes\n---\n"])
def test_a_budget_makes_no_run_again_and_another_range_does(monkeypatch, head):
    domain = Path("domain.yaml")
    domain.write_text(f"{head}{DOMAIN}")
    first = sweep("--eps", "1")
    works("budget", "init", "--eps", "3", "domain.yaml")
    monkeypatch.setattr("dpfair_cli.running.runner.work", None)  # nothing can run now
    assert sweep("--eps", "1") == first
    Path("domain.yaml.ledger").unlink()
    domain.write_text(f"{head}{DOMAIN.replace('90', '91')}")
    with pytest.raises(AssertionError, match="not callable"):
        sweep("--eps", "1")


def test_a_damaged_journal_of_another_sweep_is_in_nobodys_way():
    first = sweep("--eps", "1")
    Path("out/sweeps", first, "runs.jsonl").write_text("no run\n")
    assert sweep("--eps", "10") != first
    assert Path("out/sweeps", first, "runs.jsonl").read_text() == "no run\n"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("p" * 240 + ".csv", "p" * 48), ("people.2020.csv", "people_2020"), ("人.csv", "人")],
)
def test_any_name_that_a_file_can_have_makes_a_folder(name, shown):
    Path("own.csv").rename(name)
    assert sweep("--eps", "1", file=name).startswith(f"{shown}-pflr-")


def test_a_sweep_that_another_process_makes_is_refused_with_its_number():
    folder = Path("out/sweeps", sweep())
    command = ("sweep", "own.csv", *PUBLIC, "--method", "pflr", *SMALL)
    before = snapshot(folder)
    with locked(folder):
        message = mistake(*command)
        assert mistake(*command, "--fresh") == message
    assert message == (
        f"process {os.getpid()} makes runs in {folder}: "
        "wait until it ends, or give --out another folder"
    )
    assert snapshot(folder) == before
    works(*command)
