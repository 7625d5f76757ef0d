"""Committed runs made again: what a processor, a kernel or a version changes in them.

    python tests/committed_sample.py OUT REPLICAS ARTEFACT...

prints as JSON what this process gives for a fixed sample of each artefact: its rows, the committed
ones, the verdicts of `check` before and after, and how the arithmetic is foreign. With REPLICAS
"yes" nothing committed is compared.
"""

import csv
import json
import sys
from functools import cache
from pathlib import Path

from dpfair_cli import paths
from dpfair_cli.provenance import arithmetic
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.proof import committed_row, difference, make_again
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.verdicts.paper import read_paper
from tests.deciding import decide_artefact

ROWS = 3  # of each artefact are run again
LONG = 0.6  # processor seconds of a run: of an artefact with longer ones, one row is run again
# PFairDP on all records takes a minute; ficiu2023/table-networks runs the same code in seconds
TOO_LONG = (
    "ficiu2023/figure-record",
    "ficiu2023/table-experiment2",
    "ficiu2023/table-experiment2-star",
)
RUN_TIMES = Path(__file__).resolve().parent.parent / "benchmarks" / "run-times.csv"


@cache
def seconds_of_a_run(artefact):
    """The mean time of a run in the committed table of run times; 0 for an artefact that it
    lacks.
    """
    with RUN_TIMES.open(encoding="utf-8") as file:
        rows = {row["artefact"]: row for row in csv.DictReader(file)}
    row = rows.get(artefact, {"minutes": 0, "runs": 1})
    return 60 * float(row["minutes"]) / int(row["runs"])


@cache
def quickest():
    """The artefact with the shortest runs of each algorithm, by the name of the algorithm."""
    names = [name for name in artefact_names.artefacts() if name not in TOO_LONG]
    made = [one for one in map(spec.load, names) if not one.is_reanalysis]
    made.sort(key=lambda one: seconds_of_a_run(one.artefact), reverse=True)
    return {method.name: one.artefact for one in made for method in one.methods}


def sample(found):
    """Runs spread evenly over an artefact, without what needs a module of its own: networks take
    hours. An artefact of long runs has none if each of its algorithms has shorter ones elsewhere.
    One without its data has none either.
    """
    name = found.spec.artefact
    is_long = seconds_of_a_run(name) > LONG
    if name in TOO_LONG or (
        is_long and name not in {quickest()[method.name] for method in found.spec.methods}
    ):
        return []
    rows = 1 if is_long else ROWS
    short = [
        each
        for each in found.runs.planned
        if not (each.run.dataset.source.needs or each.run.method.algorithm.needs)
        and is_here(found.runs.located[each.run.dataset])
    ]
    step = max(len(short) // rows, 1)
    return short[step // 2 :: step][:rows]


def is_here(located):
    """Whether the files of located data, or of their replica, are here."""
    files = located.dataset.source.files
    return located.replica or all((located.folder / one.path).is_file() for one in files)


def run_again(found):
    """{key: row} of the sample, run here, from no checkpoint."""
    return {
        planned.key: dict(make_again(planned, found.runs.located[planned.run.dataset]))
        for planned in sample(found)
    }


def committed_rows(found):
    """{key: row} of the sample, as committed, with the present names of its scores."""
    return {planned.key: committed_row(found, planned) for planned in sample(found)}


def gaps_above_tolerance(rows, committed):
    """The differences above the tolerance."""
    gaps = [difference(*pair) for pair in zip(rows, committed, strict=True)]
    print("differences:", *gaps)
    return [gap for gap in gaps if gap > arithmetic.TOLERANCE]


def is_graph(row):
    """A graph follows its tests: where one verdict turns, all its scores jump."""
    return "structural_hamming_distance" in row["scores"]


def verdicts(found):
    """[cell or claim, verdict] of everything that was published of an artefact."""
    paper = read_paper(paths.folder("experiments") / found.spec.paper)
    decided = decide_artefact(found.runs.rows(), found.spec, paper, standins=found.runs.standins)
    cells = [
        [cell.description, variant.verdict] for cell in decided.cells for variant in cell.variants
    ]
    return [*cells, *([claim.part.id, claim.verdict] for claim in decided.claims)]


def compared(found):
    """Rows, committed rows, and the verdicts with the former in the place of the latter."""
    rows, before = run_again(found), verdicts(found)
    committed = {key: dict(row) for key, row in committed_rows(found).items()}
    found.runs.journal.rows |= rows
    return {
        "rows": [*rows.values()],
        "committed": [*committed.values()],
        "verdicts": [before, verdicts(found)],
    }


def main(out, replicas, *names):
    quick = replicas == "yes"
    data = Path(out) if quick else paths.data_folder()
    options = RunOptions(data_dir=data, out=Path(out), quick=quick, collect=not quick)
    artefacts = {name: Artefact(spec.load(name, quick=quick), options) for name in names}
    found = {
        name: {"rows": [*run_again(one).values()]} if quick else compared(one)
        for name, one in artefacts.items()
    }
    print(json.dumps({"unsettled": arithmetic.unsettled(), "artefacts": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
