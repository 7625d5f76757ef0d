"""Makes the runs that the journal lacks, on this machine or a cluster, and appends their rows.

The unit of work is a batch: missing runs on one split of one data set. Within a batch, values that
depend on neither epsilon nor noise are computed once. A row depends only on its run, not on the
worker, the batch or earlier runs.

A worker returns what it has of a batch after a fraction of a second, together with the rest. The
rows go to the journal, and the rest to the front of the queue, divided if other workers are idle.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, as_completed, wait
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import BoundFit, DataSet, Study, Task
from dpfair_cli.contracts.errors import DataWarning, DpfairError, RunsFailedError, nearest
from dpfair_cli.contracts.results import Outcome, ScoredTogether
from dpfair_cli.contracts.specs import Run
from dpfair_cli.contracts.training_context import NO_CONTEXT, Device, TrainingContext
from dpfair_cli.data_access import Located, load
from dpfair_cli.provenance import arithmetic
from dpfair_cli.running import checkpoints
from dpfair_cli.running.checkpoints import Checkpoints
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.plan import EndedRun, PlannedRun
from dpfair_cli.running.pool import Workers, is_death
from dpfair_cli.running.progress import EpochBar
from dpfair_cli.running.rows import Row, SettingFields, device_of

# A process reports after about this time, and so much is lost if it is killed. A cluster is asked
# less often: it may give the rest of a batch to another machine, which splits the data again.
REPORT_SECONDS, CLUSTER_REPORT_SECONDS = 0.2, 2.0
DECIMALS = 8  # decimals of a score in a row
SPLIT, FIT = 0, 1  # the children of a seed

KILLED = (
    "its process was killed, probably because memory ran out: close other programs, "
    "or use fewer rows"
)


@dataclass(frozen=True)
class RunBatch:
    """Runs to make that share one split of one data set, and a device; the work of a process.

    Attributes:
        located: the data.
        planned: the runs.
        checkpoints: the folder for the checkpoints of long runs.
    """

    located: Located
    planned: tuple[PlannedRun, ...]
    checkpoints: Path

    @property
    def is_scored_together(self) -> bool:
        """Whether the models of the runs are scored together, since the data are read in parts."""
        together = isinstance(self.planned[0].run.task.study.study, ScoredTogether)
        return together and matching.is_in_parts(self.located.dataset.source)


class FailedRun(NamedTuple):
    """A run that raised an error, or whose worker process died.

    Attributes:
        run: the run.
        cause: the error, in one line.
    """

    run: Run
    cause: str

    def __str__(self) -> str:
        """The failed run with its parameters, and the error."""
        given = ", ".join(f"{name}={value}" for name, value in self.run.method.params.items())
        called = f"{self.run.dataset.name}, {self.run.method.name}({given})"
        return f"{called}, seed {self.run.seed}: {self.cause}"


@dataclass(frozen=True)
class BatchResult:
    """The finished rows, failed runs and remaining runs that a worker returns for a batch.

    Attributes:
        rows: finished rows.
        failures: failed runs.
        ended: the finished and the failed runs, with their times.
        rest: the runs that were not begun.
        unsettled: the difference of the worker's arithmetic from the chosen one; empty if equal.
    """

    rows: list[Row]
    failures: list[FailedRun]
    ended: list[EndedRun]
    rest: RunBatch
    unsettled: str


Waiting = dict[Future[BatchResult], RunBatch]


def execute(
    planned: Iterable[PlannedRun],
    located: Mapping[DataSet, Located],
    journal: Journal,
    *,
    workers: Workers,
    tick: Callable[[Sequence[EndedRun]], Any] = lambda ended: None,
) -> list[FailedRun]:
    """Makes the runs that are not in the journal and appends their rows; returns the failed runs.

    The rows of a batch are in the file of the journal when the next batch is handed out. `tick` is
    called with the runs that have ended.
    """
    misses = [one for one in planned if one.reason]
    # checkpoints are shared by the artefacts of a paper
    batches = _batches(misses, located, journal.path.parent.parent / checkpoints.FOLDER)
    # an unreadable data set stops the command here, and forks have the data
    for dataset in {one.run.dataset.name: one.run.dataset for one in misses}.values():
        _load_data(located[dataset])
    failures: list[FailedRun] = []
    with closing(_results(batches, workers)) as results:
        for result in results:
            arithmetic.warn(result.unsettled)  # a worker of a cluster may have another processor
            journal.append(result.rows)
            failures += result.failures
            tick(result.ended)
    return failures


def work(batch: RunBatch, seconds: float = inf) -> BatchResult:
    """Makes runs of a batch for about `seconds`; returns the results and the remaining runs."""
    began, rest = time.monotonic(), list(batch.planned)
    rows: list[Row] = []
    failures: list[FailedRun] = []
    ended: list[EndedRun] = []
    located, first = batch.located, batch.planned[0].run
    device = device_of(batch.planned[0].setting.values)
    with _threads(len(sys.modules)).limit(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # already shown by the parent process
        device.require()  # a worker of a cluster may lack it
        case = _split_case(located, first.task, first.seed, device)
        store = Checkpoints(batch.checkpoints, located.sha256, case.train)
        if batch.is_scored_together:
            rows, failures = _made_together(case, rest)
            ended = list(map(EndedRun.of, rest))
            rest = []  # they read the test records once, and cannot be divided
        while rest:
            planned, start = rest.pop(0), time.monotonic()
            bar = EpochBar(f"{located.dataset.name}, {planned.run.label}")
            context = TrainingContext(checkpoints=store, progress=bar, device=device)
            try:
                outcome = fit_and_score(case, planned.run, context)
                rows.append(row_of(planned.run, planned.setting, outcome))
            except Exception as error:  # a failed run must not end the other runs
                failures.append(FailedRun(planned.run, str(error)))
            ended.append(EndedRun.of(planned, time.monotonic() - start))
            # never before the first run, because loading can take longer
            if time.monotonic() - began > seconds:
                break
    remaining = replace(batch, planned=tuple(rest))
    return BatchResult(rows, failures, ended, remaining, arithmetic.unsettled())


@lru_cache(maxsize=1)
def _threads(modules: int) -> ThreadpoolController:
    """The libraries with threads of their own, which only an import of further modules adds to."""
    return ThreadpoolController()


def _made_together(case: Any, planned: Sequence[PlannedRun]) -> tuple[list[Row], list[FailedRun]]:
    """The rows and failures of runs on a split, whose models read the test records together."""
    fitted: list[tuple[PlannedRun, Any]] = []
    failures: list[FailedRun] = []
    study = planned[0].run.task.study
    together = study.study
    assert isinstance(together, ScoredTogether)
    for one in planned:
        try:
            model = _bound(one.run, NO_CONTEXT)(case.train, rng=_generator(one.run.seed, FIT))
            fitted.append((one, model))
        except Exception as error:  # a failed run must not end the other runs
            failures.append(FailedRun(one.run, str(error)))
    try:
        outcomes = together.outcomes([model for _, model in fitted], case) if fitted else ()
        pairs = zip(fitted, outcomes, strict=True)
        return [
            row_of(one.run, one.setting, _declared(outcome, study)) for (one, _), outcome in pairs
        ], failures
    except Exception as error:
        return [], failures + [FailedRun(one.run, str(error)) for one, _ in fitted]


def row_of(run: Run, setting: SettingFields, outcome: Outcome) -> Row:
    """The row of a finished run, whose `setting` other seeds share."""
    results = as_results(outcome)
    return Row(setting, run.seed, results.pop("scores"), results)


def fit_and_score(case: Any, run: Run, context: TrainingContext = NO_CONTEXT) -> Outcome:
    """The outcome of a run on the split data `case`: a fitted model with its scores.

    The random generator of the fit is the second child of the seed and equal for all runs on a
    split.
    """
    study = run.task.study
    outcome = study.study(_bound(run, context), case, rng=_generator(run.seed, FIT))
    return _declared(outcome, study)


def _bound(run: Run, context: TrainingContext) -> BoundFit:
    """The algorithm of a run with its parameters."""
    method = run.method
    return BoundFit(method.name, method.algorithm, method.params, context)


def _declared(outcome: Outcome, study: Study) -> Outcome:
    """The outcome of a study.

    Raises:
        DpfairError: the study does not declare a score of the outcome.
    """
    for score in outcome.scores:
        if score not in study.scores:
            hint = nearest(score, study.scores)
            raise DpfairError(
                f"the task {study.name} returned an undeclared score {score!r}: {hint}"
            )
    return outcome


def as_results(outcome: Outcome) -> dict[str, Any]:
    """The results of a run for its row in the journal, rounded: scores, curves and outputs."""
    more = {"curves": outcome.curves, "outputs": outcome.outputs}
    found = {"scores": outcome.scores} | {
        name: results for name, results in more.items() if results
    }
    return {name: _rounded(results) for name, results in found.items()}


def _rounded(value: Any) -> Any:
    """A result with all its numbers rounded, so that a journal has no digit that is noise."""
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
        return task.study.split(data, **task.protocol, rng=_generator(seed, SPLIT))
    except ValueError as error:
        raise DpfairError(f"{dataset.name}: {error}") from error


_load_data = lru_cache(maxsize=2)(load)  # kept for the next batch of the process
_last_case: dict[Hashable, Any] = {}  # at most one


def _split_case(located: Located, task: Task, seed: int, device: Device) -> Any:
    """The split of a data set, kept in this process with the values computed on the split.

    Values that were computed on a device are used by runs on this device only.
    """
    key = (located, task, seed, device)
    if key not in _last_case:
        _last_case.clear()  # before the next split is made: two may not fit into memory
        _last_case[key] = split(_load_data(located), located.dataset, task, seed)
    return _last_case[key]


def _generator(seed: int, child: int) -> np.random.Generator:
    """The random generator of the split or of the fit: `default_rng(seed).spawn(2)[child]`."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(child,)))


def _batches(
    misses: Iterable[PlannedRun], located: Mapping[DataSet, Located], checkpoints: Path
) -> list[RunBatch]:
    """The runs on the same split and device, together."""
    alike: dict[Hashable, list[PlannedRun]] = {}
    for one in misses:
        task, dataset, _, seed = one.run
        # the worker that has split the data keeps them
        alike.setdefault((task, dataset, seed, device_of(one.setting.values)), []).append(one)
    return [
        RunBatch(located[own[0].run.dataset], tuple(own), checkpoints) for own in alike.values()
    ]


def _results(batches: Sequence[RunBatch], workers: Workers) -> Generator[BatchResult, None, None]:
    """Yields the results of the batches; one job, and a single run, need no process."""
    queue = deque(batches)  # what remains of a batch goes back to its front
    runs = sum(len(batch.planned) for batch in batches)
    # a fork takes longer than one short run
    needs_processes = workers.cluster or (workers.jobs > 1 and runs > 1)
    if needs_processes and workers.begin(runs):
        yield from _results_of_workers(queue, workers)
        return
    while queue:
        result = work(queue.popleft(), REPORT_SECONDS)
        queue.extendleft(_shares(result.rest, 1))
        yield result


def _results_of_workers(queue: deque[RunBatch], workers: Workers) -> Iterator[BatchResult]:
    """Yields the results of the batches, which worker processes make."""
    waiting: Waiting = {}
    try:
        while queue or waiting:
            while queue and len(waiting) < workers.at_once:
                waiting[_submitted(queue[0], workers)] = queue[0]
                queue.popleft()
            batch = waiting.pop(future := next(as_completed(waiting)))
            for result in _outcomes(future, batch, waiting, workers):
                idle = workers.idle(busy=len(waiting) + len(queue))
                # first in the queue: the worker that returned the batch has the split in memory
                queue.extendleft(_shares(result.rest, idle))
                yield result
    finally:  # otherwise, after an interrupt, stopping the workers would wait for all batches
        for future in waiting:
            future.cancel()


def _submitted(batch: RunBatch, workers: Workers) -> Future[BatchResult]:
    """The future of a batch that was given to the processes."""
    seconds = CLUSTER_REPORT_SECONDS if workers.cluster else REPORT_SECONDS
    return workers.submit(work, batch, seconds)


def _outcomes(
    future: Future[BatchResult], batch: RunBatch, waiting: Waiting, workers: Workers
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
        # a dask cluster restarts the other batches on other workers
        done = [] if workers.cluster else wait(waiting).done
        failed = [other for other in done if other.exception()]
        for lost in [batch, *map(waiting.pop, failed)]:
            yield _alone(lost, workers)


def _alone(batch: RunBatch, workers: Workers) -> BatchResult:
    """The result of a batch in a separate process; if the process dies, of its first run.

    If the worker dies again, the first run counts as failed.
    """
    try:
        return _submitted(batch, workers).result()
    except Exception as error:
        if not is_death(error):
            raise
    first, *others = batch.planned
    rest = replace(batch, planned=tuple(others))
    if not others:
        return BatchResult([], [FailedRun(first.run, KILLED)], [EndedRun.of(first)], rest, "")
    return replace(_alone(replace(batch, planned=(first,)), workers), rest=rest)


def _shares(batch: RunBatch, workers: int) -> list[RunBatch]:
    """The remaining runs of a batch, divided into batches for `workers` idle processes."""
    shares = [batch.planned[worker::workers] for worker in range(workers)]
    return [replace(batch, planned=share) for share in shares if share]
