"""Workers: how many, with one thread each, for all artefacts of a command, and that they always get
on.
"""

import os
import subprocess
import sys
from dataclasses import replace
from functools import wraps
from pathlib import Path

import pytest

from dpfair_cli import catalog
from dpfair_cli.running import runner
from dpfair_cli.running.pool import Workers, default_jobs
from dpfair_cli.running.runner import RunBatch
from tests.running.own_sweeps import artefact, run, sweep
from tests.waiting import wait_until


def test_a_worker_always_gets_on_however_slow_the_data_are_to_load(folder, tmp_path):
    """Otherwise a load of more than REPORT_SECONDS, thrown out of the cache each time, would be
    repeated for ever.
    """
    planned = artefact(sweep(folder, seeds=1), tmp_path)
    batch = RunBatch(
        next(iter(planned.runs.located.values())), tuple(planned.runs.planned), tmp_path
    )
    answer = runner.work(batch, -1.0)
    assert len(answer.rows) + len(answer.failures) >= 1
    assert len(answer.rows) + len(answer.failures) + len(answer.rest.planned) == len(batch.planned)


def test_a_worker_uses_one_thread(folder, tmp_path, monkeypatch):
    from threadpoolctl import threadpool_info

    found = []
    module = catalog.algorithms.module("logistic_regression")

    @wraps(module.fit)
    def spy(records, *, fit=module.fit, rng, **params):
        found.extend(pool["num_threads"] for pool in threadpool_info())
        return fit(records, **params, rng=rng)

    monkeypatch.setattr(module, "ALGORITHM", replace(module.ALGORITHM, fit=spy))
    run(sweep(folder, methods=("logistic_regression",), seeds=1), tmp_path)
    assert set(found) == {1}


def test_every_processor_that_may_be_used_is_used_by_default():
    assert 1 <= default_jobs() <= (os.cpu_count() or 1)


@pytest.mark.usefixtures("executor")
def test_workers_serve_all_artefacts_of_a_command_and_stop_with_it():
    with Workers(jobs=3) as workers:
        assert workers.begin(1)
        first = workers.submit(os.getpid).result()
        assert workers.begin(2)
        found = {workers.submit(os.getpid).result() for _ in range(9)}
        assert workers.begin(1)
        # the system decides which of the two processes gets a call
        found.add(workers.submit(os.getpid).result())
        assert len(found) <= 2
    for pid in {first, *found}:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


ORPHANS = """
import os, time
from dpfair_cli.running.pool import Workers
with Workers(2) as workers:
    pids = [workers.submit(os.getpid).result()]
    tasks = [workers.submit(time.sleep, 60) for _ in range(2)]
    print(*pids, flush=True)
    time.sleep(60)
"""


def test_workers_end_soon_after_a_killed_parent():
    parent = subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, text=True)
    (worker,) = map(int, parent.stdout.readline().split())
    parent.kill()
    parent.wait()
    wait_until(lambda: not is_running(worker))


def is_running(pid):
    """Whether there is such a process, and it is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
