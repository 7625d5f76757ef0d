"""Runs become the same bytes however they are run: one worker or many, killed and resumed, here or on a cluster."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.people import Records
from dpfair_cli.running import runner, sweeps
from dpfair_cli.artefacts import Artefact, How
from dpfair_cli.running.workers import Workers, default_jobs

DOMAIN = "age: {low: 18, high: 90}\nwork: {levels: [a, b, c]}\nsex: {levels: [f, m]}\n"
METHODS = ("functional_mechanism", "pflr_star", "logistic_regression")


def table(n=60, seed=0):
    """A small table in which the older are richer."""
    rng = np.random.default_rng(seed)
    lines = ["age,work,sex,rich"]
    for _ in range(n):
        age = rng.integers(18, 90)
        rich = "yes" if age + rng.normal(0, 15) > 50 else "no"
        lines.append(f"{age},{rng.choice(list('abc'))},{rng.choice(list('fm'))},{rich}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """own.csv and the file of its public domain."""
    place = tmp_path_factory.mktemp("own")
    (place / "own.csv").write_text(table())
    (place / "domain.yaml").write_text(DOMAIN)
    return place


def sweep(folder, methods=METHODS, epsilons=(0.1, 1.0, math.inf), seeds=4, **settings):
    options = {"file": str(folder / "own.csv"), "label": "rich", "protected": "sex"}
    options["domain"] = str(folder / "domain.yaml")
    return sweeps.spec("csv", options, methods=methods, epsilons=epsilons, settings=settings, seeds=seeds)


def artefact(spec, out, **how):
    return Artefact(spec, How(data_dir=out, out=out, **how))


def journal(out):
    return out / "sweeps" / "own" / "runs.jsonl"


def run(spec, out, tick=lambda count: None, jobs=1, cluster="", **how):
    """(the bytes of runs.jsonl, the failures)."""
    with Workers(jobs, cluster) as workers:
        failures = artefact(spec, out, workers=workers, **how).run(tick)
    return journal(out).read_bytes(), failures


def reasons(spec, out):
    return {pending.reason for pending in artefact(spec, out).planned}


@pytest.fixture(scope="module")
def expected(folder, tmp_path_factory):
    """The bytes of one worker without interruption."""
    content, failures = run(sweep(folder), tmp_path_factory.mktemp("expected"))
    assert not failures
    return content


def test_a_row_says_everything_that_makes_a_run_and_no_path(folder, expected):
    rows = [json.loads(line) for line in expected.splitlines()]
    assert len(rows) == (3 + 3 + 1) * 4
    assert list(rows[0]) == ["dataset", "options", "data", "task", "protocol", "algorithm", "version", "params", "seed",
                             "scores"]  # fmt: skip
    assert rows[0]["params"] == catalog.complete("algorithms", "functional_mechanism", {"epsilon": 0.1})
    assert rows[0]["options"] == {"label": "rich", "protected": "sex", "positive": "", "encoding": "one_hot"}
    assert rows[0]["protocol"] == {"test_fraction": 0.2}
    assert {tuple(row["scores"]) for row in rows} == {catalog.find("tasks", "classification").SCORES}
    assert str(folder) not in expected.decode()


def test_rows_stand_in_the_order_of_the_spec(folder, expected):
    rows = [json.loads(line) for line in expected.splitlines()]
    found = [(row["algorithm"], row["params"].get("epsilon"), row["seed"]) for row in rows]
    wanted = [(name, epsilon, seed) for name in METHODS[:2] for epsilon in (0.1, 1.0, "inf") for seed in range(4)]
    assert found == wanted + [("logistic_regression", None, seed) for seed in range(4)]


@pytest.mark.parametrize("jobs", [2, 3])
def test_more_workers_give_the_same_bytes(folder, expected, tmp_path, jobs):
    assert run(sweep(folder), tmp_path, jobs=jobs) == (expected, [])


def test_idle_workers_take_a_share_of_what_is_left_of_a_split(folder, tmp_path, monkeypatch):
    """Three workers and one split: after the first run the other two are no longer idle."""
    alone, _ = run(sweep(folder, seeds=1), tmp_path / "alone")
    sizes, work = [], runner.work
    monkeypatch.setattr(runner, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(runner, "work", lambda batch: sizes.append(len(batch.pending)) or work(batch))
    threads = ThreadPoolExecutor(3)
    monkeypatch.setattr(Workers, "executor", lambda self, runs: threads)
    assert run(sweep(folder, seeds=1), tmp_path, jobs=3) == (alone, [])
    assert sizes[0] == 7
    assert sizes[1:4] == [2, 2, 2]


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
    assert artefact(sweep(folder), tmp_path).misses == 28 - done
    assert run(sweep(folder), tmp_path) == (expected, [])


def test_a_journal_cut_in_the_middle_of_a_line_is_completed_to_the_same_bytes(folder, expected, tmp_path):
    journal(tmp_path).parent.mkdir(parents=True)
    journal(tmp_path).write_bytes(expected[: len(expected) // 2])
    assert run(sweep(folder), tmp_path) == (expected, [])


def test_a_smaller_sweep_first_gives_the_same_bytes_and_keeps_its_rows(folder, expected, tmp_path):
    run(sweep(folder, seeds=2, epsilons=(1.0,)), tmp_path)
    assert artefact(sweep(folder), tmp_path).misses == 28 - 2 * 3
    assert run(sweep(folder), tmp_path) == (expected, [])
    extra, _ = run(sweep(folder, seeds=1, epsilons=(5.0,)), tmp_path)
    assert len(extra.splitlines()) == 28 + 2
    assert set(expected.splitlines()) < set(extra.splitlines())


def test_a_sweep_killed_with_signal_9_resumes_to_the_bytes_of_one_that_was_not(folder, tmp_path):
    methods, points, seeds = sweeps.VIEWS["classification"].methods, (0.01, 0.1, 1.0, 10.0), 60
    total = len(methods) * len(points) * seeds
    arguments = ["sweep", "own.csv", "--label", "rich", "--protected", "sex", "--domain", "domain.yaml"]
    arguments += ["--runs", str(seeds), "--eps", "0.01..10", "--jobs", "1", "--out", str(tmp_path / "killed")]
    command = [sys.executable, "-c", "from dpfair_cli.commands import main; main()", *arguments]
    victim = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    file, deadline = journal(tmp_path / "killed"), time.monotonic() + 30
    while not (file.exists() and file.stat().st_size > 20_000) and time.monotonic() < deadline:
        assert victim.poll() is None, "the sweep ended before it could be killed"
        time.sleep(0.002)
    os.kill(victim.pid, signal.SIGKILL)
    assert victim.wait() == -signal.SIGKILL
    done = file.read_bytes().count(b"\n")
    assert 0 < done < total

    spec = sweep(folder, methods=methods, epsilons=points, seeds=seeds)
    executed = []
    resumed, failures = run(spec, tmp_path / "killed", tick=executed.append)
    assert failures == []
    assert sum(executed) == total - done
    assert resumed == run(spec, tmp_path / "whole")[0]


def test_a_second_run_is_all_hits_and_executes_nothing(folder, expected, tmp_path, monkeypatch):
    run(sweep(folder), tmp_path)

    def refuse(*args, **kwargs):
        raise AssertionError("something was run")

    monkeypatch.setattr(runner, "work", refuse)
    monkeypatch.setattr(runner, "_records", refuse)
    assert reasons(sweep(folder), tmp_path) == {""}
    assert run(sweep(folder), tmp_path) == (expected, [])


def test_a_fresh_run_keeps_the_old_journal_beside_the_new(folder, expected, tmp_path):
    run(sweep(folder), tmp_path)
    assert run(sweep(folder), tmp_path, fresh=True) == (expected, [])
    assert journal(tmp_path).with_name("runs.jsonl.old").read_bytes() == expected


def test_collecting_runs_nothing(folder, tmp_path):
    assert artefact(sweep(folder), tmp_path, collect=True).run(lambda count: None) == []
    assert not journal(tmp_path).exists()


def test_what_has_never_run_is_a_miss(folder, tmp_path):
    assert reasons(sweep(folder), tmp_path) == {"not run yet"}


def test_a_new_version_of_an_algorithm_is_a_miss_with_that_reason(folder, tmp_path, monkeypatch):
    run(sweep(folder), tmp_path)
    monkeypatch.setattr(catalog.find("algorithms", "pflr_star"), "VERSION", 99)
    assert reasons(sweep(folder), tmp_path) == {"", "pflr_star is a new version"}
    assert artefact(sweep(folder), tmp_path).misses == 12


def test_other_bytes_of_data_are_a_miss_with_that_reason(tmp_path):
    (tmp_path / "own.csv").write_text(table())
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    run(sweep(tmp_path), tmp_path)
    (tmp_path / "own.csv").write_text(table()[:-4] + "no\n")
    assert reasons(sweep(tmp_path), tmp_path) == {"the data are others"}


def test_another_public_domain_is_a_miss_too(tmp_path):
    (tmp_path / "own.csv").write_text(table())
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    run(sweep(tmp_path), tmp_path)
    (tmp_path / "domain.yaml").write_text(DOMAIN.replace("90", "99"))
    assert reasons(sweep(tmp_path), tmp_path) == {"the data are others"}


def test_any_changed_parameter_is_a_miss(folder, tmp_path):
    run(sweep(folder, seeds=1), tmp_path)
    changed = artefact(sweep(folder, seeds=1, regularisation=4.0), tmp_path)
    assert {pending.run.algorithm.name: pending.reason for pending in changed.planned} == {
        "functional_mechanism": "not run yet",
        "pflr_star": "not run yet",
        "logistic_regression": "",
    }


def test_a_file_of_the_same_bytes_elsewhere_is_a_hit(folder, tmp_path):
    run(sweep(folder), tmp_path)
    for name in ("own.csv", "domain.yaml"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    assert reasons(sweep(tmp_path), tmp_path) == {""}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_fails_is_named_with_its_cause_while_the_others_finish(folder, tmp_path, jobs):
    spec = sweep(folder, methods=("functional_mechanism", "pdfc"), epsilons=(1.0,), seeds=2, attribute="height")
    ended = []
    content, failures = run(spec, tmp_path, tick=ended.append, jobs=jobs)
    assert sum(ended) == 4
    assert [json.loads(line)["algorithm"] for line in content.splitlines()] == ["functional_mechanism"] * 2
    assert sorted(failure.split(": ")[0].split(", ")[-1] for failure in failures) == ["seed 0", "seed 1"]
    for failure in failures:
        assert failure.startswith("csv, pdfc(epsilon=1.0, attribute=height, ")
        assert failure.endswith("no attribute 'height': there are: age, work")
        assert "\n" not in failure
    assert artefact(spec, tmp_path).misses == 2


def test_a_worker_always_gets_on_however_slow_the_data_are_to_load(folder, tmp_path, monkeypatch):
    """Otherwise a load of more than REPORT_SECONDS, thrown out of the cache each time, would be repeated for ever."""
    planned = artefact(sweep(folder, seeds=1), tmp_path)
    batch = runner.Batch(next(iter(planned.located.values())), tuple(planned.planned))
    monkeypatch.setattr(runner, "REPORT_SECONDS", -1.0)
    answer = runner.work(batch)
    assert len(answer.rows) + len(answer.failures) >= 1
    assert len(answer.rows) + len(answer.failures) + len(answer.rest.pending) == len(batch.pending)


def test_data_that_cannot_be_read_stop_everything_before_the_first_run(tmp_path, monkeypatch):
    (tmp_path / "own.csv").write_text(table())
    (tmp_path / "domain.yaml").write_text(DOMAIN.replace("[a, b, c]", "[a, b]"))
    monkeypatch.setattr(runner, "work", lambda batch: pytest.fail("something was run"))
    with pytest.raises(DpfairError, match="column 'work' is 'c' in"):
        run(sweep(tmp_path), tmp_path)


def test_data_that_change_while_they_are_used_are_refused(tmp_path):
    (tmp_path / "own.csv").write_text(table())
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    begun = artefact(sweep(tmp_path), tmp_path)
    (tmp_path / "own.csv").write_text(table(seed=1))
    with pytest.raises(DpfairError, match="changed while it was used: run again"):
        begun.run(lambda count: None)


@pytest.fixture
def seen(monkeypatch):
    """What each fit is given: (seed of the split, training records, first number of its generator)."""
    given = []
    for name in METHODS:
        module = catalog.find("algorithms", name)

        def spy(records, *, fit=module.fit, rng, **params):
            given.append((records, rng.bit_generator.state["state"]["state"]))
            return fit(records, **params, rng=rng)

        catalog.parameters("algorithms", name)  # from the true signature, before it is hidden
        monkeypatch.setattr(module, "fit", spy)
    return given


def test_every_method_and_epsilon_gets_the_same_split_at_a_seed(folder, tmp_path, seen):
    run(sweep(folder, seeds=3), tmp_path)
    splits = {(records.X.tobytes(), records.y.tobytes(), records.protected.tobytes()) for records, _ in seen}
    assert len(seen) == 3 * 7
    assert len(splits) == 3
    assert len({generator for _, generator in seen}) == 3


def test_the_split_of_a_seed_does_not_depend_on_what_else_is_run(folder, tmp_path, seen):
    run(sweep(folder, seeds=3), tmp_path / "together")
    together = {records.X.tobytes() for records, _ in seen}
    seen.clear()
    for name in METHODS:
        run(sweep(folder, methods=(name,), epsilons=(2.0,), seeds=3), tmp_path / name)
    assert {records.X.tobytes() for records, _ in seen} == together


def test_what_a_fit_sees_is_four_fifths_and_never_a_held_out_record(folder, tmp_path):
    data = Records(np.arange(60.0)[:, None] / 60, np.arange(60) % 2, np.arange(60) // 30, two_groups(1))
    case = runner.split(data, next(sweep(folder).runs()))
    assert (len(case.train), len(case.test)) == (48, 12)
    assert not set(case.train.X.ravel()) & set(case.test.X.ravel())


def two_groups(d):
    from dpfair_cli.kinds.people import Domain

    return Domain(tuple(f"x{j}" for j in range(d)), {f"x{j}": (j,) for j in range(d)}, ("a", "b"))


class Counting(np.ndarray):
    """An array that counts the products X'X of which it is a part."""

    count = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        plain = [np.asarray(value) if isinstance(value, Counting) else value for value in inputs]
        options = {
            key: tuple(np.asarray(v) for v in value) if key == "out" else value for key, value in options.items()
        }
        if ufunc is np.matmul and [np.ndim(value) for value in plain] == [2, 2]:
            Counting.count += plain[0].shape == plain[1].shape[::-1]
        result = getattr(ufunc, method)(*plain, **options)
        return result.view(Counting) if isinstance(result, np.ndarray) and result.ndim == 2 else result


def test_the_product_of_the_features_is_computed_once_a_split_not_once_an_epsilon(folder, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.random((60, 5)).view(Counting)
    data = Records(X, rng.integers(0, 2, 60), rng.integers(0, 2, 60), two_groups(5))
    monkeypatch.setattr(runner, "_records", lambda located, options: data)
    monkeypatch.setattr(Counting, "count", 0)
    spec = sweep(
        folder, methods=sweeps.VIEWS["classification"].methods, epsilons=(0.01, 0.1, 1.0, 10.0, math.inf), seeds=3
    )
    content, failures = run(spec, tmp_path)
    assert failures == []
    assert len(content.splitlines()) == 4 * 5 * 3
    assert Counting.count == 3


def test_a_worker_uses_one_thread(folder, tmp_path, monkeypatch):
    from threadpoolctl import threadpool_info

    found = []
    module = catalog.find("algorithms", "logistic_regression")
    catalog.parameters("algorithms", "logistic_regression")

    def spy(records, *, fit=module.fit, rng, **params):
        found.extend(pool["num_threads"] for pool in threadpool_info())
        return fit(records, **params, rng=rng)

    monkeypatch.setattr(module, "fit", spy)
    run(sweep(folder, methods=("logistic_regression",), seeds=1), tmp_path)
    assert set(found) == {1}


def test_an_algorithm_leaves_the_global_generator_alone(folder, tmp_path):
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    run(sweep(folder, seeds=1), tmp_path)
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_bytes(folder, expected, tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'dpfair[cluster]'")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        found = run(sweep(folder), tmp_path, jobs=2, cluster=cluster.scheduler_address)
        left = distributed.client._get_global_client()
        if left is not None:
            left.close()
    assert found == (expected, [])
    assert left is None, "the runner left its connection to the cluster open"


def test_a_cluster_without_dask_says_what_to_install(folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(DpfairError, match=r"pip install 'dpfair\[cluster\]'"):
        run(sweep(folder), tmp_path, cluster="tcp://127.0.0.1:1")


def test_every_processor_that_may_be_used_is_used_by_default():
    assert 1 <= default_jobs() <= (os.cpu_count() or 1)


def test_workers_serve_all_artefacts_of_a_command_and_stop_with_it():
    with Workers(jobs=3) as workers:
        first = workers.executor(runs=1).submit(os.getpid).result()
        more = workers.executor(runs=2)
        found = {future.result() for future in [more.submit(_pid_after_a_while) for _ in range(4)]}
        assert first in found
        assert len(found) == 2
        assert workers.executor(runs=1).submit(os.getpid).result() in found
    for pid in found:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def _pid_after_a_while():
    time.sleep(0.3)
    return os.getpid()


def test_the_installed_command_is_the_function_that_is_tested():
    from importlib.metadata import entry_points

    (found,) = (entry for entry in entry_points(group="console_scripts") if entry.name == "dpfair")
    assert found.value == "dpfair_cli.commands:main"
    assert Path(found.load().callback.__code__.co_filename).name == "__init__.py"


def test_scores_that_name_the_points_of_an_axis_are_kept_as_they_are():
    assert runner._rounded(["total", "f"]) == ["total", "f"]
    assert runner._rounded([1 / 3, 2.0]) == [0.33333333, 2.0]
