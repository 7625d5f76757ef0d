"""A worker that is killed, as where memory runs out: the run goes on, or ends with what to do."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError, RunsFailedError
from dpfair_cli.running import pool, runner
from tests.running.own_sweeps import journal, run, sweep
from tests.running.test_pool import children


def workers(before=frozenset()):
    """The worker processes of this process that have begun after those in `before`."""
    begun = children() - before
    return [int(pid) for pid in begun if b"resource_tracker" not in command_of(pid)]


def command_of(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


class Deadly:
    """In place of the runs of a batch: kills the process that receives them, before any import."""

    def __reduce__(self):
        return exec, ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)",)


@pytest.mark.usefixtures("executor")
def test_a_worker_that_is_killed_once_changes_no_byte(folder, expected, tmp_path):
    killed, before = [], children()

    def tick(count):
        if not killed:
            killed.append(workers(before)[-1])
            os.kill(killed[0], signal.SIGKILL)

    assert run(sweep(folder), tmp_path, jobs=2, tick=tick) == (expected, [])
    assert killed


@pytest.mark.usefixtures("without_forks")
def test_runs_whose_process_is_always_killed_fail_with_advice(folder, tmp_path, monkeypatch):
    spec = sweep(folder, methods=("pflr_star",), epsilons=(0.1, 1.0), seeds=1)
    begin = pool._local  # one process: another one would have nothing to do with a single split
    monkeypatch.setattr(pool, "_local", lambda size, shared: begin(1, shared))
    with monkeypatch.context() as patch:
        patch.setattr(runner, "work", Deadly())
        content, failures = run(spec, tmp_path, jobs=2)
    assert content == b""
    assert sorted(failure.run.method.params["epsilon"] for failure in failures) == [0.1, 1.0]
    causes = {failure.cause.partition(":")[0] for failure in failures}
    assert causes == {"its process was killed, probably because memory ran out"}
    assert len(run(spec, tmp_path, jobs=2)[0].splitlines()) == 2  # nothing of it is left behind


def test_a_cluster_at_no_address_is_one_line(folder, tmp_path):
    pytest.importorskip("distributed", reason="dask is not installed: pip install distributed")
    for address in ("nonsense", "ftp://a:1", "tcp://127.0.0.1:1"):
        with pytest.raises(
            DpfairError, match=f"^no dask cluster answers at '{address}': "
        ) as refused:
            run(sweep(folder), tmp_path, cluster=address)
        assert "\n" not in str(refused.value)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(folder, expected, tmp_path):
    distributed = pytest.importorskip(
        "distributed", reason="dask is not installed: pip install distributed"
    )
    killed = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:

        def tick(count):
            if not killed:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)

        found = run(sweep(folder), tmp_path, cluster=cluster.scheduler_address, tick=tick)
    assert killed
    assert found == (expected, [])


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_goes_away_ends_the_command_with_what_to_do(folder, tmp_path):
    distributed = pytest.importorskip(
        "distributed", reason="dask is not installed: pip install distributed"
    )
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address=None,
    ) as cluster:
        with pytest.raises(
            RunsFailedError,
            match=r"^the cluster tcp://.* does not answer any more: the finished runs are kept",
        ):
            run(
                sweep(folder, seeds=40),
                tmp_path,
                cluster=cluster.scheduler_address,
                tick=lambda _: cluster.close(),
            )
        assert journal(tmp_path).read_bytes()
