"""Estimates the processor time of all runs of each artefact: benchmarks/run-times.csv.

    python -m benchmarks.run_times

One run of each method on each data set of an artefact is made: the first setting of the spec, with
the first seed. The time of an artefact is the sum over its runs, each with the time of the run that
stands for it: a split, a fit and its scores on one thread, without reading the data. Runs that
train a network, and runs whose library or data are not here, are not measured. A run that takes
longer than LIMIT seconds is stopped and counts as LIMIT seconds. In both cases, the time of the
artefact is a lower bound.

Rows that the table has are kept: delete a row to measure its artefact again. At the end, the script
prints the table of run-times.md, which has one line for each part of a paper.
"""

from __future__ import annotations

import multiprocessing.connection
import resource
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import dpfair_cli  # noqa: F401  # settles the arithmetic  # isort: split
from dpfair_cli import data_access, paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.specs import Run
from dpfair_cli.running import artefact_names, runner, spec
from dpfair_cli.verdicts.paper_rule import part_of

FILE = Path(__file__).resolve().parent / "run-times.csv"
HEADER = "artefact,runs,measured,minutes,at_least"
NETWORKS = "torch"  # the library of methods that train for minutes or hours
LIMIT = 3  # processor seconds of a sampled run
LIBRARIES = (
    "clarabel",
    "lightgbm",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.linear_model",
    "torch",
)
FREE = {"epsilon", "delta"}  # parameters that hardly change the time of a fit

Answer = multiprocessing.connection.Connection


@dataclass(frozen=True)
class RunTime:
    """The estimated processor time of all runs of an artefact."""

    artefact: str
    """The artefact."""

    runs: int
    """The number of its runs."""

    measured: int
    """The number of the runs for which a measured run stands."""

    minutes: float
    """Minutes of one thread for the measured runs."""

    at_least: bool
    """Whether the time is a lower bound."""

    @property
    def line(self) -> str:
        """The line of the table."""
        digits = f"{self.minutes:.1f}" if self.minutes < 10 else f"{self.minutes:.2g}"
        bound = "yes" if self.at_least else "no"
        return f"{self.artefact},{self.runs},{self.measured},{float(digits):g},{bound}"


class Stopwatch:
    """Measures runs, each kind of run once, in separate processes."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.known: dict[tuple[object, ...], float | None] = {}
        self.data: dict[object, object] = {}

    def seconds(self, run: Run) -> float | None:
        """The processor seconds of a run; LIMIT for a longer one, None if it cannot be made."""
        params = {key: value for key, value in run.method.params.items() if key not in FREE}
        key = (
            run.task.name,
            repr(run.task.protocol),
            run.dataset.name,
            repr(run.dataset.options),
            run.method.name,
            repr(params),
        )
        if key not in self.known:
            needs = {run.method.algorithm.needs, run.dataset.source.needs}
            self.known[key] = None if NETWORKS in needs else self._measured(run)
        return self.known[key]

    def _measured(self, run: Run) -> float | None:
        try:
            data = self._loaded(run)
        except (DpfairError, ImportError):
            return None
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_timed, args=(run, data, theirs))
        process.start()
        theirs.close()
        try:
            found: float | None = ours.recv()
        except EOFError:  # stopped at the limit
            found = float(LIMIT)
        process.join()
        return found

    def _loaded(self, run: Run) -> object:
        """The data of a run; those of the last data set are kept."""
        key = (run.dataset.name, repr(run.dataset.options))
        if key not in self.data:
            located = data_access.locate(run.dataset, data_dir=self.data_dir)
            self.data = {key: data_access.load(located)}
        return self.data[key]


def _timed(run: Run, data: object, answer: Answer) -> None:
    """Sends the processor seconds of a run, or None if a library of the run is missing."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, 2 * LIMIT))
    began = time.process_time()
    try:
        case = runner.split(data, run.dataset, run.task, run.seed)
        runner.fit_and_score(case, run)
    except (ImportError, DpfairError):
        answer.send(None)
    else:
        answer.send(time.process_time() - began)


def measure(name: str, watch: Stopwatch) -> RunTime:
    """The time of the runs of an artefact."""
    known = spec.load(name)
    groups: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in known.first_runs():
        groups[run.dataset.name, run.method.name].append(run)
    total, runs, measured, stopped = 0.0, 0, 0, False
    for first_runs in groups.values():
        number = sum(known.seeds_of(run.method) for run in first_runs)
        seconds = watch.seconds(first_runs[0])
        runs += number
        if seconds is not None:
            measured += number
            total += number * seconds
            stopped |= seconds >= LIMIT
    return RunTime(name, runs, measured, total / 60, stopped or measured < runs)


def summary(rows: Sequence[RunTime]) -> str:
    """The sums over the artefacts of each part of a paper, as a table in Markdown."""
    parts: dict[str, list[RunTime]] = defaultdict(list)
    for row in rows:
        parts[part_of(spec.load(row.artefact))].append(row)
    headings = ("part", "artefacts", "runs", "minutes of one processor", "runs not measured")
    lines = [f"| {' | '.join(headings)} |", "|---|---|---|---|---|"]
    for part, own in sorted(parts.items()):
        runs, measured = sum(row.runs for row in own), sum(row.measured for row in own)
        minutes = in_words(sum(row.minutes for row in own), any(row.at_least for row in own))
        lines.append(f"| {part} | {len(own)} | {runs} | {minutes} | {runs - measured or ''} |")
    return "\n".join(lines) + "\n"


def in_words(minutes: float, at_least: bool) -> str:
    """A time for the table, to two digits."""
    digits = f"{float(f'{minutes:.2g}'):g}"
    if at_least:
        return f"at least {digits}" if minutes else "not measured"
    return digits if minutes >= 1 else "less than 1"


def read() -> list[RunTime]:
    """The rows of the table."""
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines()[1:]:
        artefact, runs, measured, minutes, bound = line.split(",")
        found.append(RunTime(artefact, int(runs), int(measured), float(minutes), bound == "yes"))
    return found


def import_libraries() -> None:
    """Imports what fits import, so that no sampled run pays for an import."""
    for name in LIBRARIES:
        if find_spec(name.partition(".")[0]):
            import_module(name)


def main() -> None:
    """Adds the missing rows to the table, and prints them."""
    kept = FILE.read_text(encoding="utf-8").splitlines()[1:] if FILE.is_file() else []
    rows = {line.partition(",")[0]: line for line in kept}
    import_libraries()
    watch = Stopwatch(paths.data_folder())
    for name in artefact_names.artefacts():
        if name not in rows:
            rows[name] = measure(name, watch).line
            print(rows[name], flush=True)
            write_text(FILE, "\n".join([HEADER, *sorted(rows.values())]) + "\n")
    print(summary(read()))


if __name__ == "__main__":
    main()
