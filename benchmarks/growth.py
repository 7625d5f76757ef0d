"""Measures how time and memory of commands grow with the rows of a user's table: growth.csv.

    python -m benchmarks.growth measure FOLDER ROWS...
    python -m benchmarks.growth draw

The first command writes random tables of benchmarks/user_table.py into a folder, measures `domain`,
`train`, `predict` and `sweep` on them, each in a separate process, and deletes the tables. A
table of more than MOST_MADE rows repeats the rows of a smaller one. Time is processor time. The
second command draws growth.png from growth.csv. Rows of growth.csv for the same command and number
of rows are replaced.
"""

from __future__ import annotations

import csv
import io
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from benchmarks.user_table import write_domain, write_table
from dpfair_cli.contracts.files import write_text

HERE = Path(__file__).resolve().parent
TABLE, PICTURE = HERE / "growth.csv", HERE / "growth.png"
HEADER = ("command", "rows", "seconds", "gigabytes")
MOST_MADE = 1_000_000
METHOD = ("--method", "functional_mechanism", "--eps", "1")
SWEPT = ("functional_mechanism", "relaxed_functional_mechanism", "pflr", "pflr_star")
UNIT = 1 << 20  # kB of a GB, in which the system counts the peak memory on Linux


@dataclass(frozen=True)
class Cost:
    """The cost of a command on a table."""

    command: str
    """The name of the command."""

    rows: int
    """The rows of the table."""

    seconds: float
    """Processor time, user and system."""

    gigabytes: float
    """The peak memory of the process."""


def commands(folder: Path, rows: int) -> dict[str, list[str]]:
    """The arguments of each command on the table with this number of rows in a folder."""
    table, model = str(folder / f"{rows}.csv"), str(folder / "model.json")
    own = ["--label", "hired", "--protected", "sex", "--domain", str(folder / "domain.yaml")]
    swept = [word for method in SWEPT for word in ("--method", method)]
    made = [str(folder / name) for name in ("draft.yaml", "decisions.csv", "results")]
    return {
        "domain": ["domain", table, "--out", made[0], "--force"],
        "train": ["train", table, *own, *METHOD, "--save", model, "--force"],
        "predict": ["predict", model, table, "--out", made[1], "--force"],
        "sweep": ["sweep", table, *own, *swept, "--runs", "2", "--jobs", "1", "--out", made[2]],
    }


def measure(folder: Path, rows: int) -> Iterator[Cost]:
    """Yields the cost of each command on a table with this number of rows."""
    folder.mkdir(parents=True, exist_ok=True)
    write_domain(folder / "domain.yaml")
    table = folder / f"{rows}.csv"
    # Linux counts the peak memory of the process that starts a command as that of the command, so
    # each one is started by a new process
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as apart:
        apart.apply(_write_table, (table, rows))
        for name, arguments in commands(folder, rows).items():
            yield apart.apply(_cost, (name, rows, arguments))
    table.unlink()
    shutil.rmtree(folder / "results")


def _write_table(table: Path, rows: int) -> None:
    """Writes a table with this number of rows, those of a smaller table again and again."""
    made = min(rows, MOST_MADE)
    write_table(table, made)
    with table.open("rb+") as file:
        file.readline()
        content = file.read()
        for _ in range(1, rows // made):
            file.write(content)


def _cost(name: str, rows: int, arguments: Sequence[str]) -> Cost:
    """The cost of a command of dpfair.

    Raises:
        RuntimeError: the command failed.
    """
    command = [sys.executable, "-m", "dpfair_cli", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} failed: {said.decode()}")
    return Cost(name, rows, used.ru_utime + used.ru_stime, used.ru_maxrss / UNIT)


def read() -> list[Cost]:
    """The costs in growth.csv."""
    if not TABLE.exists():
        return []
    lines = csv.DictReader(io.StringIO(TABLE.read_text(encoding="utf-8")))
    return [
        Cost(row["command"], int(row["rows"]), float(row["seconds"]), float(row["gigabytes"]))
        for row in lines
    ]


def note(cost: Cost) -> None:
    """Adds a cost to growth.csv, in place of that of the same command and number of rows."""
    kept = {(one.command, one.rows): one for one in [*read(), cost]}
    ordered = sorted(kept.values(), key=lambda one: (one.command, one.rows))
    lines = [f"{one.command},{one.rows},{one.seconds:.2f},{one.gigabytes:.2f}" for one in ordered]
    write_text(TABLE, "\n".join([",".join(HEADER), *lines, ""]))


def slope(costs: Sequence[Cost]) -> float:
    """The exponent of the growth of time between the two largest tables."""
    few, many = sorted(costs, key=lambda cost: cost.rows)[-2:]
    return log(many.seconds / few.seconds) / log(many.rows / few.rows)


def draw() -> None:
    """Draws growth.png from growth.csv."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    costs = read()
    figure, (time, memory) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for name, marker in zip(("sweep", "train", "predict", "domain"), "osD^", strict=True):
        own = sorted((one for one in costs if one.command == name), key=lambda one: one.rows)
        rows = [one.rows for one in own]
        label = f"{name}, slope {slope(own):.2f}"
        time.plot(rows, [one.seconds for one in own], marker=marker, label=label)
        memory.plot(rows, [one.gigabytes for one in own], marker=marker, label=name)
    time.set(ylabel="processor seconds")
    memory.set(ylabel="peak memory, GB")
    memory.axhline(8, color="grey", linestyle=":", linewidth=1)
    memory.text(0.02, 8, "8 GB", transform=memory.get_yaxis_transform(), va="bottom", fontsize=8)
    for panel in (time, memory):
        panel.set(xlabel="rows of the table", xscale="log", yscale="log")
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_formatter("")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8)
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})


def main(asked: Sequence[str]) -> None:
    """Measures, or draws."""
    if asked[0] == "draw":
        draw()
        return
    for rows in map(int, asked[2:]):
        for cost in measure(Path(asked[1]), rows):
            note(cost)
            print(cost, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
