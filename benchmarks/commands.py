"""The bars of whole commands: sweeps, Table 9.5 of xu2021, a check, the start of `dpfair`.

A command with two workers is measured in yards of two threads at once. Two bars are on a part of
their command; the duration of the whole is printed too. The bar of a sweep is on its private fits:
a sweep of the non-private baseline alone, whose fits take 150 times as long, is timed in turn and
subtracted, and with it the start and the picture that both have. The bar of Table 9.5 is on one of
its runs; those of most seeds are the committed ones.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.data import here
from benchmarks.process import PEAK
from benchmarks.ratio import (
    Bar,
    Cost,
    Seconds,
    in_words,
    in_yards,
    of_commands,
    rival_bar,
    spread,
    stopwatch,
    times_faster,
    yard_bar,
    yardstick,
)

ROOT = Path(__file__).resolve().parent.parent
DPFAIR = Path(sys.executable).parent / "dpfair"
METHODS = ("functional_mechanism", "relaxed_functional_mechanism", "pflr", "pflr_star")
CHOSEN = tuple(word for name in METHODS for word in ("--method", name))
FITS = 20 * 100 * len(METHODS)
SWEEP = ("sweep", "adult", "--eps", "0.01..10:20", "--runs", "100", *CHOSEN)
BASELINE = ("sweep", "adult", "--eps", "1", "--runs", "100", "--method", "logistic_regression")
SHORT = ("sweep", "adult", "--eps", "0.01..10", *CHOSEN)
SHORT_LIMIT = 3.2  # processor seconds of SHORT
# Python that reads, decides and writes is timed against loading libraries, work of the same kind: a
# yard becomes a third shorter on another day or processor, and these commands do not.
LOADING = "import pandas, scipy.stats, matplotlib.pyplot"
OVER_LOADING = 0.85  # times as long
# one and a half times what commit 0c15f45b took without the answers that it kept, in turns
CHECK_OVER_LOADING = 7
LIBRARIES = "import numpy, scipy, pandas, matplotlib, click, yaml, jinja2"  # which a table needs
COMMITTED, TABLE_OVER_LIBRARIES = ("table", "ding2020/table1"), 2.5  # times as long
COLLECT = ("reproduce", "--collect")
COLLECT_WAIT, COLLECT_LIMIT = 15.5, 34  # likewise; seconds of waiting, and of both processors
NOT_SLOWER = 1.05  # times as long as one process, at most, takes the default number of processes
TABLE = "xu2021/table9.5"
# the bar of a run is TABLE_LIMIT seconds for TABLE_RUNS runs
TABLE_RUNS, TABLE_LIMIT = 360, 60
TABLE_SEEDS = 2  # of the 20; the runs of the others are the committed ones
WORKERS = 2
STARTS = 7  # rounds of what is short


def command_bars(folder: Path) -> list[Bar]:
    """8,000 private fits, the same finished, a table of trainings, and short commands."""
    return [*sweep_bars(folder), *table_bars(folder), *waiting_bars(folder), *help_bars()]


def sweep_bars(folder: Path) -> list[Bar]:
    """Three sweeps into separate folders, each less a sweep of the baseline, and finished ones."""
    if not here("adult"):
        return []
    folders, whole, peaks = places(folder / "sweeps"), [], []
    baseline = command(places(folder / "baselines"), *BASELINE, "--jobs", str(WORKERS))

    def measured() -> None:
        words = [*SWEEP, "--jobs", str(WORKERS), "--out", str(next(folders))]
        peaks.append(largest_process(words))

    sweep = stopwatch(measured)

    def less_baseline() -> float:
        whole.append(sweep())
        return whole[-1] - baseline()

    private = in_yards(less_baseline, yardstick(WORKERS))
    again = command(itertools.repeat(folder / "sweeps" / "0"), *SWEEP, "--jobs", str(WORKERS))
    memory = max(peaks)
    return [
        (
            f"sweep of {FITS} private fits and 100 of the baseline",
            spread(whole, "s"),
            "no bar",
            True,
        ),
        yard_bar("  less one of the baseline alone", private, 10, WORKERS),
        ("  its largest process", f"{memory:.2f} GB", "<= 1 GB", memory <= 1),
        yard_bar("  again, all runs finished", in_yards(again, yardstick()), 2),
    ]


def table_bars(folder: Path) -> list[Bar]:
    """A run of Table 9.5 of xu2021, on the replicas if the data are missing."""
    is_real = here("adult") and here("dutch")
    rows = (ROOT / "results" / TABLE / "runs.jsonl").read_bytes().splitlines(keepends=True)
    kept = [row for row in rows if is_real and json.loads(row)["seed"] >= TABLE_SEEDS]
    quick = [] if is_real else ["--quick"]
    begun = tables_with(kept, folder / "tables")
    table = command(begun, "table", TABLE, *quick, "--jobs", str(WORKERS))
    whole = in_yards(table, yardstick(WORKERS))
    (journal, *_) = (folder / "tables" / "0").rglob("runs.jsonl")
    runs = len(journal.read_bytes().splitlines()) - len(kept)
    what = TABLE + (" (quick)" if quick else "")
    return [
        (f"{what}, {runs} runs", in_words(whole), "no bar", True),
        yard_bar(
            "  one of them",
            [cost * (1 / runs) for cost in whole],
            TABLE_LIMIT / TABLE_RUNS,
            WORKERS,
        ),
    ]


def tables_with(rows: list[bytes], folder: Path) -> Iterator[Path]:
    """Yields new folders below `folder` with the table of these finished runs."""
    for place in places(folder):
        (place / TABLE).mkdir(parents=True)
        (place / TABLE / "runs.jsonl").write_bytes(b"".join(rows))
        yield place


def waiting_bars(folder: Path) -> list[Bar]:
    """A short sweep with two processes and with one, a check, and a table."""
    two, one = (
        command(places(folder / f"short{jobs}"), *SHORT, "--jobs", str(jobs)) for jobs in (2, 1)
    )
    sweep = processor_cost([*SHORT, "--jobs", "1"], places(folder / "short"))
    return [
        yard_bar("sweep adult --eps 0.01..10, four methods, processor", sweep, SHORT_LIMIT),
        rival_bar("  two processes, over one", times_faster(two, one), 1 / NOT_SLOWER),
        made_again_bar(folder / "short" / "0"),
        check_bar(),
        committed_bar(),
        *collect_bars(),
    ]


def made_again_bar(finished: Path) -> Bar:
    """The files of a sweep in the folder `finished` made again, over loading libraries."""
    words = [str(DPFAIR), *SHORT, "--out", str(finished)]
    made = stopwatch(lambda: run(words), of_commands)
    made()  # the first one also compiles
    what = "  finished, its files made again, against loading libraries"
    return rival_bar(what, times_faster(made, loading(of_commands), STARTS), 1 / OVER_LOADING)


def committed_bar() -> Bar:
    """A table from its committed runs, over loading the libraries that it needs."""
    made = stopwatch(lambda: run([str(DPFAIR), *COMMITTED]), of_commands)
    made()  # the first one also compiles
    ratios = times_faster(made, loading(of_commands, LIBRARIES), STARTS)
    what = "table of committed runs, against loading its libraries"
    return rival_bar(what, ratios, 1 / TABLE_OVER_LIBRARIES)


def loading(clock: Seconds, program: str = LOADING) -> Seconds:
    """A function that loads libraries in a new process and returns the seconds of the clock."""
    turn = stopwatch(lambda: run([sys.executable, "-c", program]), clock)
    turn()  # the first one also compiles
    return turn


def collect_bars() -> list[Bar]:
    """All tables, figures and pages of finished runs."""
    words = [str(DPFAIR), *COLLECT, "--jobs", str(WORKERS)]
    made = stopwatch(lambda: run(words))
    spent = stopwatch(lambda: run(words), of_commands)
    waited = in_yards(made, yardstick(WORKERS))
    costs = in_yards(spent, yardstick(clock=time.process_time))
    return [
        yard_bar("reproduce --collect, two processes", waited, COLLECT_WAIT, WORKERS),
        yard_bar("  its processor time", costs, COLLECT_LIMIT),
    ]


def check_bar() -> Bar:
    """A check of all papers, over loading libraries."""
    check = stopwatch(lambda: run([str(DPFAIR), "check", "--all", "--jobs", str(WORKERS)]))
    check()  # the first one also compiles
    ratios = times_faster(check, loading(time.perf_counter))
    return rival_bar("check --all against loading libraries", ratios, 1 / CHECK_OVER_LOADING)


def processor_cost(words: Sequence[str], folders: Iterator[Path]) -> list[Cost]:
    """The processor time of a command, each time into the next of the folders."""

    def once() -> None:
        run([str(DPFAIR), *words, "--out", str(next(folders))])

    once()  # the first one also compiles
    return in_yards(stopwatch(once, of_commands), yardstick(clock=time.process_time))


def help_bars() -> list[Bar]:
    """The start of a command."""
    start = stopwatch(lambda: run([str(DPFAIR), "--help"]))
    return [yard_bar("dpfair --help", in_yards(start, yardstick(), STARTS), 0.15)]


def places(folder: Path):
    """New folders below `folder`, one after another."""
    return (folder / str(number) for number in itertools.count())


def command(folders, *words: str) -> Seconds:
    """A function that times a run of the command, each into the next of the folders."""
    return stopwatch(lambda: run([str(DPFAIR), *words, "--out", str(next(folders))]))


def run(words: list[str]) -> None:
    """Runs a command to its end."""
    subprocess.run(words, check=True, capture_output=True, cwd=ROOT)


def largest_process(words: Sequence[str]) -> float:
    """The peak memory of the largest process of a command, in GB; no earlier command counts."""
    measured = [sys.executable, "-c", PEAK, str(DPFAIR), *words]
    done = subprocess.run(measured, check=True, capture_output=True, text=True, cwd=ROOT)
    return float(done.stderr.split()[-1])
