"""The bars of whole commands: sweeps, Table 9.5 of xu2021, the start of `dpfair`.

A command with two workers is measured in yards of two threads at once. Two bars are on a part of
their command; the duration of the whole is printed too. The bar of a sweep is on its private fits:
a sweep of the non-private baseline alone, whose fits take 150 times as long, is timed in turn and
subtracted, and with it the start and the picture that both have. The bar of Table 9.5 is on one of
its runs.
"""

from __future__ import annotations

import itertools
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.data import here
from benchmarks.ratio import Bar, Seconds, in_words, in_yards, stopwatch, yard_bar, yardstick

ROOT = Path(__file__).resolve().parent.parent
DPFAIR = Path(sys.executable).parent / "dpfair"
METHODS = ("functional_mechanism", "relaxed_functional_mechanism", "pflr", "pflr_star")
FITS = 20 * 100 * len(METHODS)
SWEEP = ("sweep", "adult", "--eps", "0.01..10:20", "--runs", "100")
BASELINE = ("sweep", "adult", "--eps", "1", "--runs", "100", "--method", "logistic_regression")
TABLE = "xu2021/table9.5"
TABLE_RUNS, TABLE_LIMIT = 360, 60  # the bar of a run is that of this many runs in so many seconds
WORKERS = 2
STARTS = 7  # rounds of --help, which is short


def command_bars(folder: Path) -> list[Bar]:
    """A sweep of 8,000 private fits, the same cached, a table of trainings, and the help."""
    return [*sweep_bars(folder), *table_bars(folder), *help_bars()]


def sweep_bars(folder: Path) -> list[Bar]:
    """Three sweeps into separate folders, three of the baseline, and three cached ones."""
    if not here("adult"):
        return []
    sweep = command(places(folder / "sweeps"), *SWEEP, "--jobs", str(WORKERS))
    baseline = command(places(folder / "baselines"), *BASELINE, "--jobs", str(WORKERS))
    cold = in_yards(sweep, yardstick(WORKERS))
    memory = largest_process()
    private = in_yards(lambda: sweep() - baseline(), yardstick(WORKERS))
    again = command(itertools.repeat(folder / "sweeps" / "0"), *SWEEP, "--jobs", str(WORKERS))
    return [
        (f"sweep of {FITS} private fits and 100 of the baseline", in_words(cold), "no bar", True),
        yard_bar("  less one of the baseline alone", private, 10, WORKERS),
        ("  its largest process", f"{memory:.2f} GB", "<= 1 GB", memory <= 1),
        yard_bar("  again, fully cached", in_yards(again, yardstick()), 2),
    ]


def table_bars(folder: Path) -> list[Bar]:
    """A run of Table 9.5 of xu2021, on the replicas if the data are missing."""
    quick = [] if here("adult") and here("dutch") else ["--quick"]
    table = command(places(folder / "tables"), "table", TABLE, *quick, "--jobs", str(WORKERS))
    whole = in_yards(table, yardstick(WORKERS))
    (journal, *_) = (folder / "tables" / "0").rglob("runs.jsonl")
    runs = len(journal.read_bytes().splitlines())
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


def largest_process() -> float:
    """The peak memory of the largest process of all commands so far, in GB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
