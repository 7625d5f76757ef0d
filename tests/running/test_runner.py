"""Runs become the same bytes however they are run: one worker or many, killed and resumed, here or
on a cluster.
"""

import json
import os
import signal
import sys

import pytest

from dpfair_cli import catalog
from dpfair_cli.commands import main
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.running import pool, runner
from dpfair_cli.running.journal import Journal
from tests.forking import begun, exit_code
from tests.running.own_sweeps import METHODS, Threads, artefact, journal, named_sweep, run, sweep


def test_a_row_says_everything_that_makes_a_run_and_no_path(folder, expected):
    rows = [json.loads(line) for line in expected.splitlines()]
    assert len(rows) == (3 + 3 + 1) * 4
    identity = [
        "dataset",
        "options",
        "data",
        "task",
        "protocol",
        "algorithm",
        "params",
        "versions",
        "seed",
    ]
    assert list(rows[0]) == [*identity, "scores", "crc32"]
    assert rows[0]["params"] == catalog.algorithm("functional_mechanism").complete({"epsilon": 0.1})
    assert rows[0]["options"] == {
        "label": "rich",
        "protected": "sex",
        "positive": "",
        "encoding": "one_hot",
    }
    assert rows[0]["protocol"] == {"test_fraction": 0.2}
    assert {tuple(row["scores"]) for row in rows} == {catalog.study("classification").scores}
    assert str(folder) not in expected.decode()


def test_rows_stand_in_the_order_of_the_spec(folder, expected):
    rows = [json.loads(line) for line in expected.splitlines()]
    found = [(row["algorithm"], row["params"].get("epsilon"), row["seed"]) for row in rows]
    wanted = [
        (name, epsilon, seed)
        for name in METHODS[:2]
        for epsilon in (0.1, 1.0, "inf")
        for seed in range(4)
    ]
    assert found == wanted + [("logistic_regression", None, seed) for seed in range(4)]


@pytest.mark.usefixtures("executor")
def test_more_workers_give_the_same_bytes(folder, expected, tmp_path):
    assert run(sweep(folder), tmp_path, jobs=2) == (expected, [])


def test_idle_workers_take_a_share_of_what_is_left_of_a_split(folder, tmp_path, monkeypatch):
    """Three workers and one split: after the first run the other two are no longer idle."""
    alone, _ = run(sweep(folder, seeds=1), tmp_path / "alone")
    sizes, work = [], runner.work
    monkeypatch.setattr(runner, "REPORT_SECONDS", 0.0)

    def noted(batch, seconds):
        sizes.append(len(batch.planned))
        return work(batch, seconds)

    monkeypatch.setattr(runner, "work", noted)
    monkeypatch.setattr(pool, "_local", Threads)
    assert run(sweep(folder, seeds=1), tmp_path, jobs=3) == (alone, [])
    assert sizes[0] == 7
    assert sizes[1:4] == [2, 2, 2]


def test_a_split_is_finished_before_the_next_one_is_begun(folder, expected, tmp_path, monkeypatch):
    """Two workers are never at more than two splits: what they remember of one would be lost
    between two reports.
    """
    left, work = [], runner.work

    def spy(batch, seconds):
        answer = work(batch, seconds)
        left.append((batch.planned[0].run.seed, len(answer.rest.planned)))
        return answer

    monkeypatch.setattr(runner, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(runner, "work", spy)
    monkeypatch.setattr(pool, "_local", Threads)
    assert run(sweep(folder), tmp_path, jobs=2) == (expected, [])
    under_way = set()
    for seed, rest in left:
        under_way = under_way | {seed} if rest else under_way - {seed}
        assert len(under_way) <= 2


def test_reporting_often_gives_the_same_bytes(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "REPORT_SECONDS", 0.005)
    assert run(sweep(folder), tmp_path) == (expected, [])


@pytest.mark.parametrize("after", [1, 3])
def test_an_interrupted_and_resumed_sweep_gives_the_same_bytes(folder, expected, tmp_path, after):
    ticks = []

    def interrupt(count):
        ticks.append(count)
        if len(ticks) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(sweep(folder), tmp_path, tick=interrupt)
    done = len(journal(tmp_path).read_text().splitlines())
    assert 0 < done < 28
    assert artefact(sweep(folder), tmp_path).runs.runs_to_make == 28 - done
    assert run(sweep(folder), tmp_path) == (expected, [])


def test_a_truncated_journal_is_completed_to_the_same_bytes(folder, expected, tmp_path):
    journal(tmp_path).parent.mkdir(parents=True)
    journal(tmp_path).write_bytes(expected[: len(expected) // 2])
    assert run(sweep(folder), tmp_path) == (expected, [])


def test_a_smaller_sweep_first_gives_the_same_bytes_and_keeps_its_rows(folder, expected, tmp_path):
    run(sweep(folder, seeds=2, epsilons=(1.0,)), tmp_path)
    assert artefact(sweep(folder), tmp_path).runs.runs_to_make == 28 - 2 * 3
    assert run(sweep(folder), tmp_path) == (expected, [])
    extra, _ = run(sweep(folder, seeds=1, epsilons=(5.0,)), tmp_path)
    assert len(extra.splitlines()) == 28 + 2
    assert set(expected.splitlines()) < set(extra.splitlines())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes can be forked on this system")
def test_a_sweep_killed_with_signal_9_resumes_to_the_same_bytes(folder, tmp_path, monkeypatch):
    methods, points, seeds = (
        catalog.study("classification").sweep.methods,
        (0.01, 0.1, 1.0, 10.0),
        20,
    )
    total = (len(methods) * len(points) + 2) * seeds  # and two baselines without epsilon
    command = "sweep own.csv --label rich --protected sex --domain domain.yaml --eps 0.01..10"
    options = ["--runs", str(seeds), "--jobs", "1", "--out", str(tmp_path / "killed")]
    append = Journal.append

    def append_and_die(self, rows):
        append(self, rows)
        if self.path.stat().st_size > 20_000:
            os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(Journal, "append", append_and_die)
        patch.setattr(runner, "REPORT_SECONDS", 0.0)  # rows are appended before all are made
        assert exit_code(begun(lambda: main([*command.split(), *options]))) == -signal.SIGKILL
    spec = named_sweep(folder, methods=methods, epsilons=points, seeds=seeds)
    file = tmp_path / "killed" / spec.artefact / "runs.jsonl"
    done = file.read_bytes().count(b"\n")
    assert 0 < done < total

    executed = []
    resumed, failures = run(spec, tmp_path / "killed", tick=executed.extend)
    assert failures == []
    assert len(executed) == total - done
    assert resumed == run(spec, tmp_path / "whole")[0]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_fails_is_named_with_its_cause_while_the_others_finish(
    folder, tmp_path, jobs, monkeypatch
):
    monkeypatch.setattr(pool, "NOT_FORKED", set())  # another test may have imported torch
    spec = sweep(
        folder,
        methods=("functional_mechanism", "pdfc"),
        epsilons=(1.0,),
        seeds=2,
        attribute="height",
    )
    ended = []
    content, failures = run(spec, tmp_path, tick=ended.extend, jobs=jobs)
    assert len(ended) == 4
    assert [json.loads(line)["algorithm"] for line in content.splitlines()] == [
        "functional_mechanism"
    ] * 2
    assert sorted(str(failure).split(": ")[0].split(", ")[-1] for failure in failures) == [
        "seed 0",
        "seed 1",
    ]
    for failure in map(str, failures):
        assert failure.startswith("csv, pdfc(epsilon=1.0, attribute=height, ")
        assert failure.endswith("unknown attribute 'height': there are: age, work")
        assert "\n" not in failure
    assert artefact(spec, tmp_path).runs.runs_to_make == 2


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_bytes(folder, expected, tmp_path):
    distributed = pytest.importorskip(
        "distributed", reason="dask is not installed: pip install distributed"
    )
    before = set(
        distributed.Client._instances
    )  # one that found no cluster, in another test, may be there yet
    with distributed.LocalCluster(  # workers in other processes: test_deaths.py
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address=None,
    ) as cluster:
        found = run(sweep(folder), tmp_path, jobs=2, cluster=cluster.scheduler_address)
        left = [
            client
            for client in set(distributed.Client._instances) - before
            if client.status != "closed"
        ]
        for client in left:
            client.close()
    assert found == (expected, [])
    assert not left, "the runner left its connection to the cluster open"


def test_a_cluster_without_dask_says_what_to_install(folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(DpfairError, match="pip install distributed"):
        run(sweep(folder), tmp_path, cluster="tcp://127.0.0.1:1")


def test_scores_that_name_the_points_of_an_axis_are_kept_as_they_are():
    outcome = Outcome(
        None, {"a": 1 / 3}, curves={"group": ["total", "f"], "accuracy": [1 / 3, 2.0]}
    )
    curves = {"group": ["total", "f"], "accuracy": [0.33333333, 2.0]}
    assert runner.as_results(outcome) == {"scores": {"a": 0.33333333}, "curves": curves}


def test_nested_numbers_of_an_output_are_rounded_like_scores():
    outcome = Outcome(None, {}, outputs={"projection": {"points": [[1 / 3, 2], [True, "a"]]}})
    expected = {"projection": {"points": [[0.33333333, 2], [True, "a"]]}}
    assert runner.as_results(outcome) == {"scores": {}, "outputs": expected}
