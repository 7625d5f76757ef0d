"""Runs -> rows: skip what the journal has, run the rest on this machine or a cluster, append.

The unit of work is a batch: all pending runs on one split of one data set, so that what depends on neither epsilon nor
noise is computed once. A row depends on its run alone, never on the worker, the batch or what ran before.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dpfair_cli import arithmetic, catalog, checkpoints, download
from dpfair_cli.checkpoints import Checkpoints
from dpfair_cli.contracts import DpfairError, PrivacyLeakWarning, Score
from dpfair_cli.download import Located
from dpfair_cli.journal import Journal, Row, key
from dpfair_cli.models.descent import kept
from dpfair_cli.progress import EpochBar
from dpfair_cli.spec import Part, Run, Spec
from dpfair_cli.workers import Workers

# a worker reports after about this many seconds, so that a kill loses little and the progress bar moves
REPORT_SECONDS = 2.0

Frozen = tuple[tuple[str, Any], ...]  # parameters that a cache can take as a key


class Pending(NamedTuple):
    """A run, its row without scores, that row's key, and why the journal does not have it ("" if it has)."""

    run: Run
    row: Row
    key: str
    reason: str


@dataclass(frozen=True)
class Batch:
    """Pending runs on one split of one data set, and where long ones leave checkpoints."""

    located: Located
    pending: tuple[Pending, ...]
    checkpoints: Path = Path()


@dataclass(frozen=True)
class Answer:
    """What a worker gives back: finished rows, failures in words, the runs not begun, how its arithmetic is foreign."""

    rows: list[Row]
    failures: list[str]
    rest: Batch
    unsettled: str


def plan(spec: Spec, journal: Journal, located: Mapping[Part, Located]) -> list[Pending]:
    """Every run of a spec with the key it has in the journal, in order."""
    parts = {part: as_json(part.params) for part in (spec.task, *spec.datasets, *spec.algorithms)}
    rows = [(run, identity(run, located[run.dataset], parts)) for run in spec.runs()]
    keyed = [(run, row, key(row)) for run, row in rows]
    complete = all(name in journal.rows for _, _, name in keyed)
    known = {} if complete else {_without_versions(row): row for row in journal.rows.values()}
    return [Pending(run, row, name, "" if name in journal.rows else _reason(row, known)) for run, row, name in keyed]


def as_json(params: Mapping[str, Any]) -> Row:
    """Parameters as JSON values: infinity is text."""
    return {name: "inf" if isinstance(value, float) and np.isinf(value) else value for name, value in params.items()}


def identity(run: Run, located: Located, plain: Mapping[Part, Row]) -> Row:
    """What makes a run this run: names, every parameter, the data's SHA-256, the algorithm's version, the seed.

    `plain` holds the parameters of each part as JSON values. The path of a user's file is no part of it.
    """
    options = {name: value for name, value in plain[run.dataset].items() if name not in download.PATHS}
    return {
        "dataset": run.dataset.name,
        "options": options,
        "data": located.sha256,
        "task": run.task.name,
        "protocol": plain[run.task],
        "algorithm": run.algorithm.name,
        "version": catalog.find("algorithms", run.algorithm.name).VERSION,
        "params": plain[run.algorithm],
        "seed": run.seed,
    }


def execute(
    planned: Iterable[Pending],
    located: Mapping[Part, Located],
    journal: Journal,
    *,
    workers: Workers,
    tick: Callable[[int], None] = lambda count: None,
) -> list[str]:
    """Run what the journal does not have and append it; returns the failures, each with its cause.

    Every finished row is on disk when the next batch is handed out. `tick` is told how many runs have ended.
    """
    misses = [pending for pending in planned if pending.reason]
    folder = journal.path.parent.parent / checkpoints.FOLDER
    batches = [Batch(located[pending[0].run.dataset], tuple(pending), folder) for pending in _by_split(misses)]
    for dataset in {pending.run.dataset.name: pending.run.dataset for pending in misses}.values():
        _records(located[dataset], _frozen(dataset.params))  # a data set that cannot be read stops everything here
    failures: list[str] = []
    for answer in _answers(batches, workers):
        arithmetic.warn(answer.unsettled)
        journal.append(answer.rows)
        failures += answer.failures
        tick(len(answer.rows) + len(answer.failures))
    return failures


def work(batch: Batch) -> Answer:
    """Run a batch for about REPORT_SECONDS; what is left over comes back."""
    began, rows, failures, rest = time.monotonic(), [], [], list(batch.pending)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # said once, by the process that hands out the batches
        first = batch.pending[0].run
        options, protocol = _frozen(first.dataset.params), _frozen(first.task.params)
        case = _case(batch.located, options, protocol, first.task.name, first.seed)
        while rest:
            pending = rest.pop(0)
            try:
                checkpoint = Checkpoints(batch.checkpoints, batch.located.sha256, case.train)
                with kept(EpochBar(f"{batch.located.name}, {pending.run.algorithm.method}", checkpoint)):
                    rows.append({**pending.row, "scores": fit_and_score(case, pending.run)[1]})
            except Exception as error:  # one run that fails must not take the others with it
                failures.append(f"{_described(pending.run)}: {error}")
            if time.monotonic() - began > REPORT_SECONDS:  # never before the first run: loading alone may take longer
                break
    return Answer(rows, failures, replace(batch, pending=tuple(rest)), arithmetic.unsettled())


def fit_and_score(case: Any, run: Run) -> tuple[Any, dict[str, Score]]:
    """A fitted model and its scores; its generator is the second child of the seed, one for all runs on a split.

    A task that looks at more than one fit has a `study` in place of a `score`.
    """
    fit = partial(catalog.find("algorithms", run.algorithm.name).fit, **run.algorithm.params)
    task, rng = catalog.find("tasks", run.task.name), _generators(run.seed)[1]
    if hasattr(task, "study"):
        model, scores = task.study(fit, case, rng=rng)
    else:
        model = fit(case.train, rng=rng)
        scores = task.score(model, case)
    return model, {name: _rounded(value) for name, value in scores.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(point) for point in value]
    return value if isinstance(value, str) else round(value, 8)


def split(data: Any, run: Run) -> Any:
    """The task's case: what a fit may see and what only scoring sees.

    Raises:
        DpfairError: the data cannot be split so.
    """
    try:
        return catalog.find("tasks", run.task.name).split(data, **run.task.params, rng=_generators(run.seed)[0])
    except ValueError as error:
        raise DpfairError(f"{run.dataset.name}: {error}") from error


@lru_cache(maxsize=1)
def _case(located: Located, options: Frozen, protocol: Frozen, task: str, seed: int) -> Any:
    """The split that a worker is at: what was computed once on it outlives a report."""
    run = Run(Part(task, dict(protocol)), Part(located.name, dict(options)), Part("", {}), seed)
    return split(_records(located, options), run)


def _generators(seed: int) -> list[np.random.Generator]:
    """One generator for the split, one for the fit."""
    return np.random.default_rng(seed).spawn(2)


@lru_cache(maxsize=2)
def _records(located: Located, options: Frozen) -> Any:
    return download.load(located, dict(options))


def _frozen(params: Mapping[str, Any]) -> Frozen:
    return tuple(params.items())


def _by_split(misses: list[Pending]) -> Iterator[list[Pending]]:
    for _, group in groupby(sorted(misses, key=_place), key=_place):
        yield list(group)


def _place(pending: Pending) -> tuple[str, int]:
    """The split that a run is on."""
    row = pending.row
    return key({name: row[name] for name in ("dataset", "options", "data", "task", "protocol")}), int(row["seed"])


def _answers(batches: list[Batch], workers: Workers) -> Iterator[Answer]:
    if not batches:
        return
    if workers.alone:
        yield from _serial(batches)
        return
    executor = workers.executor(sum(len(batch.pending) for batch in batches))
    waiting: set[Future[Answer]] = {executor.submit(work, batch) for batch in batches}
    try:
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                answer = future.result()
                idle = workers.idle(busy=len(waiting))
                waiting |= {executor.submit(work, batch) for batch in _shares(answer.rest, idle)}
                yield answer
    finally:  # after an interrupt, the end of the workers would wait for all of them
        for future in waiting:
            future.cancel()


def _shares(batch: Batch, workers: int) -> list[Batch]:
    """What is left of a batch, for the workers that are idle: each has to load and split the data for itself."""
    shares = [batch.pending[worker::workers] for worker in range(workers)]
    return [replace(batch, pending=share) for share in shares if share]


def _serial(batches: list[Batch]) -> Iterator[Answer]:
    for batch in batches:
        while batch.pending:
            answer = work(batch)
            yield answer
            batch = answer.rest


def _without_versions(row: Row) -> str:
    return key({name: value for name, value in row.items() if name not in ("data", "version")})


def _reason(row: Row, known: Mapping[str, Row]) -> str:
    """Why a run is a miss."""
    old = known.get(_without_versions(row))
    if old is None:
        return "not run yet"
    return "the data are others" if old["data"] != row["data"] else f"{row['algorithm']} is a new version"


def _described(run: Run) -> str:
    given = ", ".join(f"{name}={value}" for name, value in run.algorithm.params.items())
    return f"{run.dataset.name}, {run.algorithm.name}({given}), seed {run.seed}"
