"""Makes the runs that the journal lacks, on this machine or a cluster, and appends their rows.

The unit of work is a batch: missing runs on one split of one data set. Within a batch, values that
depend on neither epsilon nor noise are computed once. A row depends only on its run, not on the
worker, the batch or earlier runs.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, as_completed, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.contracts.devices import Device
from dpfair_cli.contracts.errors import DataWarning, DpfairError, RunsFailedError, nearest
from dpfair_cli.contracts.resolved import DataSet, Task
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.contracts.specs import Run
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.data_access.loading import load
from dpfair_cli.data_access.locating import Located
from dpfair_cli.provenance import arithmetic
from dpfair_cli.running import checkpoints
from dpfair_cli.running.checkpoints import Checkpoints
from dpfair_cli.running.journal import Journal, Row, device_of, key
from dpfair_cli.running.plan import PlannedRun
from dpfair_cli.running.progress import EpochBar
from dpfair_cli.running.workers import Workers, is_death, shielded

# a worker reports after about this time, so that little is lost if it is killed
REPORT_SECONDS = 2.0
DECIMALS = 8  # decimals of a score in a row

KILLED = (
    "its process was killed, probably because memory ran out: close other programs, "
    "or use fewer rows"
)


@dataclass(frozen=True)
class Batch:
    """Runs to make that share one split of one data set, and a device; the work of a process."""

    located: Located
    """The data."""

    planned: tuple[PlannedRun, ...]
    """The runs."""

    checkpoints: Path
    """The folder for the checkpoints of long runs."""


class FailedRun(NamedTuple):
    """A run that raised an error, or whose worker process died."""

    run: Run
    """The run."""

    cause: str
    """The error, in one line."""

    def __str__(self) -> str:
        """The failed run with its parameters, and the error."""
        given = ", ".join(f"{name}={value}" for name, value in self.run.method.params.items())
        called = f"{self.run.dataset.name}, {self.run.method.name}({given})"
        return f"{called}, seed {self.run.seed}: {self.cause}"


@dataclass(frozen=True)
class BatchResult:
    """The finished rows, failed runs and remaining runs that a worker returns for a batch."""

    rows: list[Row]
    """Finished rows."""

    failures: list[FailedRun]
    """Failed runs."""

    rest: Batch
    """The runs that were not begun."""

    unsettled: str
    """The difference of the worker's arithmetic from the chosen one; empty if equal."""


Waiting = dict[Future[BatchResult], Batch]


def execute(
    planned: Iterable[PlannedRun],
    located: Mapping[DataSet, Located],
    journal: Journal,
    *,
    workers: Workers,
    tick: Callable[[int], None] = lambda count: None,
) -> list[FailedRun]:
    """Makes the runs that are not in the journal and appends their rows; returns the failed runs.

    All finished rows are on disk when the next batch is handed out. `tick` is called with the
    number of runs that have ended.
    """
    misses = [one for one in planned if one.reason]
    folder = journal.path.parent.parent / checkpoints.FOLDER
    batches = [Batch(located[runs[0].run.dataset], runs, folder) for runs in _by_split(misses)]
    for dataset in {one.run.dataset.name: one.run.dataset for one in misses}.values():
        _load_data(located[dataset])  # an unreadable data set stops the command here
    failures: list[FailedRun] = []
    for result in _results(batches, workers):
        arithmetic.warn(result.unsettled)
        journal.append(result.rows)
        failures += result.failures
        tick(len(result.rows) + len(result.failures))
    return failures


def work(batch: Batch) -> BatchResult:
    """Makes runs of a batch for some seconds; returns the results and the remaining runs."""
    began, rest = time.monotonic(), list(batch.planned)
    rows: list[Row] = []
    failures: list[FailedRun] = []
    located, (first, row, *_) = batch.located, batch.planned[0]
    device = device_of(row)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # already shown by the parent process
        device.require()
        case = _split_case(located, first.task, first.seed, device)
        store = Checkpoints(batch.checkpoints, located.sha256, case.train)
        while rest:
            planned = rest.pop(0)
            bar = EpochBar(f"{located.dataset.name}, {planned.run.label}")
            context = TrainingContext(checkpoints=store, progress=bar, device=device)
            try:
                outcome = fit_and_score(case, planned.run, context)
                rows.append(planned.row | as_results(outcome))
            except Exception as error:  # a failed run must not end the other runs
                failures.append(FailedRun(planned.run, str(error)))
            # never before the first run, because loading can take longer
            if time.monotonic() - began > REPORT_SECONDS:
                break
    remaining = replace(batch, planned=tuple(rest))
    return BatchResult(rows, failures, remaining, arithmetic.unsettled())


def fit_and_score(case: Any, run: Run, context: TrainingContext = NO_CONTEXT) -> Outcome:
    """The outcome of a run on the split data `case`: a fitted model with its scores.

    The random generator of the fit is the second child of the seed and equal for all runs on a
    split.
    """
    study, method = run.task.study, run.method
    fit = BoundFit(method.name, method.algorithm, method.params, context)
    outcome = study.study(fit, case, rng=_generators(run.seed)[1])
    for score in outcome.scores:
        if score not in study.scores:
            hint = nearest(score, study.scores)
            raise DpfairError(
                f"the task {study.name} returned an undeclared score {score!r}: {hint}"
            )
    return outcome


def as_results(outcome: Outcome) -> Row:
    """The results of a run for its row in the journal, rounded: scores, curves and outputs."""
    more = {"curves": outcome.curves, "outputs": outcome.outputs}
    found = {"scores": outcome.scores} | {
        name: results for name, results in more.items() if results
    }
    return {name: _rounded(results) for name, results in found.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return round(value, DECIMALS) if isinstance(value, float) else value


def split(data: Any, dataset: DataSet, task: Task, seed: int) -> Any:
    """The data split into the part that a fit sees and the part that only scoring sees.

    The random generator of the split is the first child of the seed.

    Raises:
        DpfairError: the data cannot be split by this protocol.
    """
    try:
        return task.study.split(data, **task.protocol, rng=_generators(seed)[0])
    except ValueError as error:
        raise DpfairError(f"{dataset.name}: {error}") from error


@lru_cache(maxsize=1)
def _split_case(located: Located, task: Task, seed: int, device: Device) -> Any:
    """The split of a data set, cached in this process with the values computed on the split.

    Values that were computed on a device are used by runs on this device only.
    """
    return split(_load_data(located), located.dataset, task, seed)


def _generators(seed: int) -> list[np.random.Generator]:
    """Two random generators: one for the split and one for the fit."""
    return np.random.default_rng(seed).spawn(2)


_load_data = lru_cache(maxsize=2)(load)


def _by_split(misses: list[PlannedRun]) -> Iterator[tuple[PlannedRun, ...]]:
    for _, group in groupby(sorted(misses, key=_split_key), key=_split_key):
        yield tuple(group)


def _split_key(planned: PlannedRun) -> tuple[str, int]:
    """The key of the split that a run uses: data set, task and device, and the seed."""
    parts = ("dataset", "options", "data", "task", "protocol", "device")
    own = {name: planned.row[name] for name in parts if name in planned.row}
    return key(own), int(planned.row["seed"])


def _results(batches: list[Batch], workers: Workers) -> Iterator[BatchResult]:
    if not batches:
        return
    if workers.alone:
        yield from _serial(batches)
        return
    queue, most = deque(batches), sum(len(batch.planned) for batch in batches)
    waiting: Waiting = {}
    try:
        while queue or waiting:
            waiting |= _handed_out(queue, workers.at_once - len(waiting), workers.executor(most))
            if not waiting:
                continue
            batch = waiting.pop(future := next(as_completed(waiting)))
            for result in _outcomes(future, batch, waiting, workers):
                idle = workers.idle(busy=len(waiting) + len(queue))
                # first in the queue: the worker that returned the batch has the split in memory
                queue.extendleft(_shares(result.rest, idle))
                yield result
    finally:  # otherwise, after an interrupt, stopping the workers would wait for all batches
        for future in waiting:
            future.cancel()


def _handed_out(queue: deque[Batch], count: int, executor: Executor) -> Waiting:
    """The futures of at most `count` batches, taken from the queue and given to the processes."""
    given: Waiting = {}
    # an executor whose idle worker died is broken: the next call gets a new one
    with shielded(), suppress(BrokenExecutor):
        while queue and len(given) < count:
            given[executor.submit(work, queue[0])] = queue[0]
            queue.popleft()
    return given


def _outcomes(
    future: Future[BatchResult], batch: Batch, waiting: Waiting, workers: Workers
) -> Iterator[BatchResult]:
    """Yields the result of a finished batch; if its process died, of all batches lost with it.

    Since any of the lost batches may have used too much memory, each of them is run again alone.
    The lost batches are removed from `waiting`.

    Raises:
        RunsFailedError: the cluster does not answer any more.
    """
    try:
        yield future.result()
    except CancelledError as error:
        raise RunsFailedError(
            f"the cluster {workers.cluster} does not answer any more: the finished runs are "
            "kept, run the command again for the others"
        ) from error
    except Exception as error:
        if not is_death(error):
            raise
        for lost in [batch, *map(waiting.pop, _lost_too(waiting, workers))]:
            yield _alone(lost, workers)


def _lost_too(waiting: Waiting, workers: Workers) -> list[Future[BatchResult]]:
    """The futures of other batches that failed because a worker process died.

    The list is empty for a dask cluster, which restarts lost batches on other workers.
    """
    if workers.cluster:
        return []
    return [future for future in wait(waiting).done if future.exception()]


def _alone(batch: Batch, workers: Workers) -> BatchResult:
    """The result of a batch in a process of its own; if the process dies, of its first run.

    If the worker dies again, the first run counts as failed.
    """
    try:
        return workers.executor(1).submit(work, batch).result()
    except Exception as error:
        if not is_death(error):
            raise
    first, *others = batch.planned
    rest = replace(batch, planned=tuple(others))
    if not others:
        return BatchResult([], [FailedRun(first.run, KILLED)], rest, "")
    return replace(_alone(replace(batch, planned=(first,)), workers), rest=rest)


def _shares(batch: Batch, workers: int) -> list[Batch]:
    """The remaining runs of a batch, divided into batches for `workers` idle processes."""
    shares = [batch.planned[worker::workers] for worker in range(workers)]
    return [replace(batch, planned=share) for share in shares if share]


def _serial(batches: list[Batch]) -> Iterator[BatchResult]:
    for batch in batches:
        while batch.planned:
            result = work(batch)
            yield result
            batch = result.rest
