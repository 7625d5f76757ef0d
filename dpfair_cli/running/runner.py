"""Runs -> rows: skip what the journal has, run the rest on this machine or a cluster, append.

The unit of work is a batch: all pending runs on one split of one data set, so that what depends on
neither epsilon nor noise is computed once. A row depends on its run alone, never on the worker, the
batch or what ran before.
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
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.contracts.errors import DataWarning, DpfairError, RunsFailedError, nearest
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.contracts.specs import Part, Run
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.data_access.loading import load
from dpfair_cli.data_access.locating import Located
from dpfair_cli.provenance import arithmetic
from dpfair_cli.running import checkpoints
from dpfair_cli.running.checkpoints import Checkpoints
from dpfair_cli.running.journal import Journal, Row, key
from dpfair_cli.running.plan import Pending
from dpfair_cli.running.progress import EpochBar
from dpfair_cli.running.workers import Workers, is_death

# a worker reports after about this many seconds, so that a kill loses little and the progress bar
# moves
REPORT_SECONDS = 2.0
DECIMALS = 8  # of a score in a row

KILLED = "its process was killed, as happens where memory runs out: close other programs, or take fewer rows"

Frozen = tuple[tuple[str, Any], ...]  # parameters that a cache can take as a key


@dataclass(frozen=True)
class Batch:
    """Pending runs on one split of one data set, and where long ones leave checkpoints."""

    located: Located
    pending: tuple[Pending, ...]
    checkpoints: Path


@dataclass(frozen=True)
class BatchResult:
    """What a worker gives back: finished rows, failures in words, the runs not begun, how its
    arithmetic is foreign.
    """

    rows: list[Row]
    failures: list[str]
    rest: Batch
    unsettled: str


Waiting = dict[Future[BatchResult], Batch]


def execute(
    planned: Iterable[Pending],
    located: Mapping[Part, Located],
    journal: Journal,
    *,
    workers: Workers,
    tick: Callable[[int], None] = lambda count: None,
) -> list[str]:
    """Run what the journal does not have and append it; returns the failures, each with its cause.

    Every finished row is on disk when the next batch is handed out. `tick` is told how many runs
    have ended.
    """
    misses = [pending for pending in planned if pending.reason]
    folder = journal.path.parent.parent / checkpoints.FOLDER
    batches = [
        Batch(located[pending[0].run.dataset], tuple(pending), folder)
        for pending in _by_split(misses)
    ]
    for dataset in {pending.run.dataset.name: pending.run.dataset for pending in misses}.values():
        _load_data(
            located[dataset], _frozen(dataset.params)
        )  # a data set that cannot be read stops everything here
    failures: list[str] = []
    for result in _results(batches, workers):
        arithmetic.warn(result.unsettled)
        journal.append(result.rows)
        failures += result.failures
        tick(len(result.rows) + len(result.failures))
    return failures


def work(batch: Batch) -> BatchResult:
    """Run a batch for about REPORT_SECONDS; what is left over comes back."""
    began, rows, failures, rest = time.monotonic(), [], [], list(batch.pending)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DataWarning
        )  # said once, by the process that hands out the batches
        first = batch.pending[0].run
        options, protocol = _frozen(first.dataset.params), _frozen(first.task.params)
        case = _split_case(batch.located, options, protocol, first.task.name, first.seed)
        store = Checkpoints(batch.checkpoints, batch.located.sha256, case.train)
        while rest:
            pending = rest.pop(0)
            try:
                bar = EpochBar(f"{batch.located.name}, {pending.run.method}")
                outcome = fit_and_score(
                    case, pending.run, TrainingContext(checkpoints=store, progress=bar)
                )
                rows.append(pending.row | as_results(outcome))
            except Exception as error:  # one run that fails must not take the others with it
                failures.append(f"{_described(pending.run)}: {error}")
            if (
                time.monotonic() - began > REPORT_SECONDS
            ):  # never before the first run: loading alone may take longer
                break
    return BatchResult(rows, failures, replace(batch, pending=tuple(rest)), arithmetic.unsettled())


def fit_and_score(case: Any, run: Run, context: TrainingContext = NO_CONTEXT) -> Outcome:
    """A fitted model and its scores; its generator is the second child of the seed, one for all
    runs on a split.
    """
    name, params = run.algorithm.name, run.algorithm.params
    fit = BoundFit(name, catalog.algorithm(name), params, context)
    task = catalog.task(run.task.name)
    outcome = task.study(fit, case, rng=_generators(run.seed)[1])
    for score in outcome.scores:
        if score not in task.scores:
            raise DpfairError(
                f"the task {run.task.name} scored {score!r}: {nearest(score, task.scores)}"
            )
    return outcome


def as_results(outcome: Outcome) -> Row:
    """What a row says of an outcome, rounded: scores, and curves and outputs where there are any."""
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


def split(data: Any, run: Run) -> Any:
    """The task's case: what a fit may see and what only scoring sees.

    Raises:
        DpfairError: the data cannot be split so.
    """
    try:
        return catalog.task(run.task.name).split(
            data, **run.task.params, rng=_generators(run.seed)[0]
        )
    except ValueError as error:
        raise DpfairError(f"{run.dataset.name}: {error}") from error


@lru_cache(maxsize=1)
def _split_case(located: Located, options: Frozen, protocol: Frozen, task: str, seed: int) -> Any:
    """The split that a worker is at: what was computed once on it outlives a report."""
    run = Run(Part(task, dict(protocol)), Part(located.name, dict(options)), Part("", {}), seed)
    return split(_load_data(located, options), run)


def _generators(seed: int) -> list[np.random.Generator]:
    """One generator for the split, one for the fit."""
    return np.random.default_rng(seed).spawn(2)


@lru_cache(maxsize=2)
def _load_data(located: Located, options: Frozen) -> Any:
    return load(located, dict(options))


def _frozen(params: Mapping[str, Any]) -> Frozen:
    return tuple(params.items())


def _by_split(misses: list[Pending]) -> Iterator[list[Pending]]:
    for _, group in groupby(sorted(misses, key=_split_key), key=_split_key):
        yield list(group)


def _split_key(pending: Pending) -> tuple[str, int]:
    """The split that a run is on."""
    row = pending.row
    return key(
        {name: row[name] for name in ("dataset", "options", "data", "task", "protocol")}
    ), int(row["seed"])


def _results(batches: list[Batch], workers: Workers) -> Iterator[BatchResult]:
    if not batches:
        return
    if workers.alone:
        yield from _serial(batches)
        return
    queue, most = deque(batches), sum(len(batch.pending) for batch in batches)
    waiting: Waiting = {}
    try:
        while queue or waiting:
            waiting |= _handed_out(queue, workers.at_once - len(waiting), workers.executor(most))
            if not waiting:
                continue
            batch = waiting.pop(future := next(as_completed(waiting)))
            for result in _outcomes(future, batch, waiting, workers):
                idle = workers.idle(busy=len(waiting) + len(queue))
                queue.extendleft(
                    _shares(result.rest, idle)
                )  # next: its worker has the split and what it remembers
                yield result
    finally:  # after an interrupt, the end of the workers would wait for all of them
        for future in waiting:
            future.cancel()


def _handed_out(queue: deque[Batch], count: int, executor: Executor) -> Waiting:
    """The first batches of the queue, so many at most, as they leave it for the workers."""
    given: Waiting = {}
    with suppress(
        BrokenExecutor
    ):  # a worker died while nobody waited for it: the next executor is a new one
        while queue and len(given) < count:
            given[executor.submit(work, queue[0])] = queue[0]
            queue.popleft()
    return given


def _outcomes(
    future: Future[BatchResult], batch: Batch, waiting: Waiting, workers: Workers
) -> Iterator[BatchResult]:
    """The result of a batch that has ended; if its worker died, those of all batches that were lost
    with it.

    Nobody knows which batch was too much, so each of them runs alone. They are taken out of
    `waiting`.

    Raises:
        RunsFailedError: the cluster is gone.
    """
    try:
        yield future.result()
    except CancelledError as error:
        raise RunsFailedError(
            f"the cluster {workers.cluster} is gone: what was computed is kept, run again"
        ) from error
    except Exception as error:
        if not is_death(error):
            raise
        for lost in [batch, *map(waiting.pop, _lost_too(waiting, workers))]:
            yield _alone(lost, workers)


def _lost_too(waiting: Waiting, workers: Workers) -> list[Future[BatchResult]]:
    """The futures that the death of a worker has broken: none on a cluster, which does their work
    elsewhere.
    """
    return (
        [] if workers.cluster else [future for future in wait(waiting).done if future.exception()]
    )


def _alone(batch: Batch, workers: Workers) -> BatchResult:
    """The result of a batch while no other runs; if its worker dies, of its first run, which fails
    if it dies again.
    """
    try:
        return workers.executor(1).submit(work, batch).result()
    except Exception as error:
        if not is_death(error):
            raise
    first, *others = batch.pending
    rest = replace(batch, pending=tuple(others))
    if not others:
        return BatchResult([], [f"{_described(first.run)}: {KILLED}"], rest, "")
    return replace(_alone(replace(batch, pending=(first,)), workers), rest=rest)


def _shares(batch: Batch, workers: int) -> list[Batch]:
    """What is left of a batch, for the workers that are idle: each has to load and split the data
    for itself.
    """
    shares = [batch.pending[worker::workers] for worker in range(workers)]
    return [replace(batch, pending=share) for share in shares if share]


def _serial(batches: list[Batch]) -> Iterator[BatchResult]:
    for batch in batches:
        while batch.pending:
            result = work(batch)
            yield result
            batch = result.rest


def _described(run: Run) -> str:
    given = ", ".join(f"{name}={value}" for name, value in run.algorithm.params.items())
    return f"{run.dataset.name}, {run.algorithm.name}({given}), seed {run.seed}"
