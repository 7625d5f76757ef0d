"""The bars of whole commands: sweeps, Table 9.5 of xu2021, the start of `dpfair`.

A command with two workers is measured in yards of two threads at once.
"""

from __future__ import annotations

import itertools
import resource
import subprocess
import sys
from pathlib import Path

from bench_data import adult, here
from bench_ratio import Bar, Seconds, in_yards, stopwatch, yard_bar, yardstick

ROOT = Path(__file__).resolve().parent.parent
DPFAIR = Path(sys.executable).parent / "dpfair"
METHODS = ("functional_mechanism", "relaxed_functional_mechanism", "pflr", "pflr_star")
FITS = 20 * 100 * len(METHODS)
SWEEP = ("sweep", "adult", "--eps", "0.01..10:20", "--runs", "100")
WORKERS = 2
STARTS = 7  # of --help, which is short


def command_bars(folder: Path) -> list[Bar]:
    """8,000 private fits and their scores, the same cached, a table of 360 trainings, and the help."""
    return [*sweep_bars(folder), *table_bars(folder), *help_bars()]


def sweep_bars(folder: Path) -> list[Bar]:
    """Three sweeps, each into a folder of its own; then the last one again and again."""
    load, folders = stopwatch(adult), places(folder / "sweeps")
    sweep = command(folders, *SWEEP, "--jobs", str(WORKERS))
    cold = in_yards(lambda: sweep() - load(), yardstick(WORKERS))
    memory = largest_process()
    again = command(itertools.repeat(folder / "sweeps" / "0"), *SWEEP, "--jobs", str(WORKERS))
    return [
        yard_bar(f"sweep of {FITS} private fits, after loading", cold, 10, WORKERS),
        ("  its largest process", f"{memory:.2f} GB", "<= 1 GB", memory <= 1),
        yard_bar("  again, fully cached", in_yards(again, yardstick()), 2),
    ]


def table_bars(folder: Path) -> list[Bar]:
    """The whole of Table 9.5 of xu2021 (360 training runs), on the replicas if the data are not here."""
    quick = [] if here("adult") and here("dutch") else ["--quick"]
    table = command(places(folder / "tables"), "table", "xu2021/table9.5", *quick, "--jobs", str(WORKERS))
    what = "xu2021/table9.5" + (" (quick)" if quick else "")
    return [yard_bar(what, in_yards(table, yardstick(WORKERS)), 60, WORKERS)]


def help_bars() -> list[Bar]:
    """Several starts."""
    start = stopwatch(lambda: run([str(DPFAIR), "--help"]))
    return [yard_bar("dpfair --help", in_yards(start, yardstick(), STARTS), 0.15)]


def places(folder: Path):
    """Folders in which nothing has been computed yet."""
    return (folder / str(number) for number in itertools.count())


def command(folders, *words: str) -> Seconds:
    """Turns of a command, each with the next folder for what it makes."""
    return stopwatch(lambda: run([str(DPFAIR), *words, "--out", str(next(folders))]))


def run(words: list[str]) -> None:
    """A command to its end."""
    subprocess.run(words, check=True, capture_output=True, cwd=ROOT)


def largest_process() -> float:
    """GB of the largest process of all commands so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
