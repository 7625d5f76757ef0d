"""The bars of the runner and of the journal: many short runs, and many finished runs.

The rival of the runner is the same work by hand, without journal: split, fit and score.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.commands import CHOSEN, METHODS
from benchmarks.process import PEAK
from benchmarks.ratio import (
    Bar,
    digits,
    in_yards,
    of_commands,
    rival_bar,
    stopwatch,
    times_faster,
    yard_bar,
    yardstick,
)
from benchmarks.user_table import write_domain, write_table

RECORDS, SHORT_RUNS = 200, 1_000
BY_HAND = 2.0  # times as long as by hand, at most, takes the runner
# 41 epsilons of four methods and two baselines, 600 seeds each
FINISHED = ("sweep", "adult", "--eps", "0.01..10:41", "--runs", "600", "--jobs", "1", *CHOSEN)
ROWS = 99_600
SECONDS = 4.0  # of the sweep, all of whose runs are finished
MEMORY = 0.3  # in GB


def run_bars(folder: Path) -> list[Bar]:
    """Short runs over the same by hand, and a sweep of which all runs are finished."""
    return [short_bar(folder), *finished_bars(folder)]


def short_bar(folder: Path) -> Bar:
    """Runs of a private method on a small table, one seed a split."""
    from threadpoolctl import threadpool_limits

    options = {"label": "hired", "protected": "sex"}
    options["file"] = write_table(folder / "small.csv", RECORDS)
    options["domain"] = write_domain(folder / "domain.yaml")
    places = (folder / str(number) for number in itertools.count())
    first = artefact("csv", options, ["pflr"], [1.0], SHORT_RUNS, next(places))

    def run() -> None:
        artefact("csv", options, ["pflr"], [1.0], SHORT_RUNS, next(places)).run(lambda count: None)

    def by_hand() -> None:
        from dpfair_cli.running import runner

        (located,) = first.runs.located.values()
        data = runner._load_data(located)
        for planned in first.runs.planned:
            one = planned.run
            runner.fit_and_score(runner.split(data, located.dataset, one.task, one.seed), one)

    clock = time.process_time
    run()  # the first one also imports
    what = f"{SHORT_RUNS:,} short runs, over split, fit and score by hand"
    with threadpool_limits(1):  # as the runner has it
        ratios = times_faster(stopwatch(run, clock), stopwatch(by_hand, clock))
    return rival_bar(what, ratios, 1 / BY_HAND)


def finished_bars(folder: Path) -> list[Bar]:
    """The duration and the memory of a sweep with a journal of ROWS rows."""
    write_finished(folder / "finished")
    command = [sys.executable, "-m", "dpfair_cli", *FINISHED, "--out", str(folder / "finished")]
    peaks = []

    def sweep() -> None:
        measured = [sys.executable, "-c", PEAK, *command]
        done = subprocess.run(measured, check=True, capture_output=True, text=True)
        peaks.append(float(done.stderr.split()[-1]))

    clock = time.process_time
    sweep()  # writes the files
    made = in_yards(stopwatch(sweep, of_commands), yardstick(clock=clock))
    memory = max(peaks)
    return [
        yard_bar(f"sweep of {ROWS:,} finished runs, processor", made, SECONDS),
        ("  its memory", f"{digits(memory)} GB", f"<= {MEMORY:g} GB", memory <= MEMORY),
    ]


def write_finished(out: Path) -> None:
    """Writes the journal of FINISHED with scores that no run gave."""
    import numpy as np

    from dpfair_cli.contracts.conversion import parse_epsilons
    from dpfair_cli.running.rows import Row

    found = artefact("adult", {}, METHODS, parse_epsilons("0.01..10:41"), 600, out)
    assert len(found.runs.planned) == ROWS
    names = found.spec.task.study.scores
    numbers = np.random.default_rng(0).uniform(0.5, 0.8, (ROWS, len(names))).round(8).tolist()
    found.folder.mkdir(parents=True)
    found.runs.journal.append(
        Row(one.setting, one.run.seed, dict(zip(names, scores, strict=True)))
        for one, scores in zip(found.runs.planned, numbers, strict=True)
    )


def artefact(name, options, methods, epsilons, seeds, out):
    """The artefact of a sweep of methods into the folder `out`."""
    from dpfair_cli import catalog, paths
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.reproduction.runs import RunOptions
    from dpfair_cli.running import sweeps

    request = sweeps.request(catalog.data_set(name, options), methods)
    spec = request.spec(request.methods(epsilons, {}), seeds=seeds, refused={})
    return Artefact(spec, RunOptions(paths.data_folder(), out, replicas=True))
