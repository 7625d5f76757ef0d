"""Rows + published values + claims -> verdicts: which published cells and statements our runs bear out.

A cell agrees when |ours - published| <= 0.02 + 2 sqrt(s_pub^2 / R_pub + s_ours^2 / R_ours); where it does not,
deviations.yaml must say why. Rows of a replica are never compared with anything that was published.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dpfair_cli.claims import evaluate
from dpfair_cli.contracts import DpfairError
from dpfair_cli.deviations import door, entries, excuse, explain, of, stale
from dpfair_cli.spec import Spec
from dpfair_cli.summary import axes, heading, label, matches, number, plus_minus, records, with_axes
from dpfair_cli.templates import fill

TOLERANCE = 0.02  # of rates and accuracies, in their own unit
DIGITS = 12  # of a difference; the others are rounding
RELATIVE_TOLERANCE = 0.1  # of counts, chi2 and norms, in parts of the published value
UNBOUNDED = ("chi2", "edges", "sample_size", "average_gradient_norm", "seconds")
FIXED = ("artefact", "dataset", "method", "metric", "mean", "std")  # columns of published.csv that are no parameter
STATISTICS = ("mean", "std", "runs")
AXES = {"n": "records", "p": "nodes", "s": "sparseness"}  # a published parameter -> its name here
TIMES = ("seconds",)  # of another machine: shown beside ours by `make bench`, never in a result


@dataclass(frozen=True, eq=False)
class Paper:
    """What is known of a paper besides its specs: its published cells, its claims, and where we deviate and why."""

    published: pd.DataFrame
    claims: list[dict[str, Any]]
    deviations: list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What came out: `cells` (one line per published cell and reading), `claims`, and deviations nobody needs."""

    title: str
    notes: tuple[str, ...]
    cells: pd.DataFrame
    claims: pd.DataFrame
    stale: tuple[str, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """What makes `check` exit with 1: cells that differ or are missing, claims that fail, without a cause."""
        cells = self.cells[self.cells["default"].astype(bool) & self.cells["verdict"].isin(["differs", "missing"])]
        claims = self.claims[(self.claims["verdict"] == "fails") & (self.claims["cause"] == "")]
        return (*(cells["where"] + ": " + cells["verdict"]), *(claims["id"] + ": fails"))

    @property
    def tally(self) -> dict[str, int]:
        """How many cells got each verdict (the default reading of each)."""
        return Counter(self.cells.loc[self.cells["default"].astype(bool), "verdict"])


def published(folder: Path) -> pd.DataFrame:
    """The published cells of a paper; a parameter left empty is any."""
    file = folder / "published.csv"
    text = {"artefact": str, "dataset": str, "method": str, "metric": str}
    if not file.exists():
        return pd.DataFrame({name: pd.Series(dtype=text.get(name, float)) for name in FIXED})
    return pd.read_csv(file, dtype=text, keep_default_na=False, na_values=[""]).rename(columns=AXES)


def read(folder: Path) -> Paper:
    """Everything below experiments/<paper> that `check` needs."""
    return Paper(published(folder), entries(folder / "claims.yaml"), entries(folder / "deviations.yaml"))


def check(spec: Spec, rows: pd.DataFrame, paper: Paper, *, standins: Mapping[str, str]) -> Verdicts:
    """`standins` says of a data set in the rows that it is a "REPLICA" or a "SUBSTITUTE" of the paper's."""
    artefact = spec.artefact.split("/")[-1]
    deviations = of(artefact, paper.deviations)
    cells = compare(rows, spec, paper.published, standins=standins)
    door(deviations, set(cells.columns.astype(str)))
    cells = explain(cells, deviations)
    claims = [claim for claim in paper.claims if claim["artefact"] == artefact]
    decided = excuse(evaluate(claims, rows, spec, standins), deviations)
    notes = tuple(f"{word}: {name}" for name, word in standins.items())
    return Verdicts(heading(spec, notes), notes, cells, decided, stale(deviations, cells, decided))


def readings(spec: Spec) -> dict[str, str]:
    """Method -> the published method it is compared with."""
    return {part.method: part.published or part.method for part in spec.algorithms}


def parameters(table: pd.DataFrame) -> list[str]:
    """The parameters that published cells name."""
    return [str(name) for name in table if name not in FIXED and table[name].notna().any()]


def compare(rows: pd.DataFrame, spec: Spec, table: pd.DataFrame, *, standins: Mapping[str, str]) -> pd.DataFrame:
    """Each published cell of the artefact beside each of our readings of its method."""
    table = table[table["artefact"] == spec.artefact.split("/")[-1]]
    keys = list(dict.fromkeys([*axes(spec), *parameters(table)]))
    runs = with_axes(rows, spec)
    runs = runs.assign(reads=runs["method"].map(readings(spec)))
    lines = [line for cell in records(table) for line in beside(cell, runs, keys, spec, standins)]
    names = ["dataset", "method", *keys, "metric", "reads", *STATISTICS, "published_mean", "published_std"]
    return pd.DataFrame(lines, columns=[*names, "allowed", "verdict", "default", "nearest", "where", "cause"])


def beside(
    cell: dict[str, Any], runs: pd.DataFrame, keys: list[str], spec: Spec, standins: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One line for each of our methods that reads the published one, its own name first; one at least."""
    asked = {key: cell[key] for key in keys if pd.notna(cell.get(key))}
    line = {"dataset": cell["dataset"], "metric": cell["metric"], "reads": cell["method"], "cause": "", "nearest": ""}
    line |= {"where": place(cell, asked, spec), "published_mean": cell["mean"], "published_std": cell["std"]}
    if standins.get(cell["dataset"]) == "REPLICA" or cell["metric"] in TIMES:
        return [line | asked | {"method": cell["method"], "default": True, "verdict": "not compared"}]
    found = runs[matches(runs, {"dataset": cell["dataset"], "reads": cell["method"], **asked})]
    found = found[found[cell["metric"]].notna()] if cell["metric"] in found else found[:0]
    if not len(found):
        return [line | asked | {"method": cell["method"], "default": True, "verdict": "missing"}]
    return judged([line | asked | ours for ours in summaries(found, keys, cell["metric"])], spec)


def place(cell: Mapping[str, Any], asked: Mapping[str, Any], spec: Spec) -> str:
    """A published cell in words."""
    named = ", ".join(f"{name} {number(value)}" for name, value in asked.items())
    return ", ".join(filter(None, (cell["dataset"], cell["method"], named, label(cell["metric"], spec))))


def summaries(runs: pd.DataFrame, keys: list[str], metric: str) -> list[dict[str, Any]]:
    """Mean, deviation and number of runs of each method among the runs."""
    if runs.duplicated(["method", "seed"]).any():
        raise DpfairError(f"a published cell fits several settings of {runs['method'].iloc[0]}: pin its parameters")
    groups = runs.groupby("method", sort=False)
    return [
        {"method": method, "mean": part[metric].mean(), "std": part[metric].std(), "runs": len(part)}
        | {key: part[key].iloc[0] for key in keys if key in part and part[key].notna().any()}
        for method, part in groups
    ]


def judged(lines: list[dict[str, Any]], spec: Spec) -> list[dict[str, Any]]:
    """The lines of one published cell with tolerance, verdict, and which reading comes nearest."""
    lines = sorted(lines, key=lambda line: line["method"] != line["reads"])
    gaps = [round(abs(line["mean"] - line["published_mean"]), DIGITS) for line in lines]
    closest = lines[gaps.index(min(gaps))]["method"] if len(lines) > 1 else ""
    for i, (line, gap) in enumerate(zip(lines, gaps, strict=True)):
        bound = allowed(line, published_runs=spec.published_runs)
        verdict = "agrees" if gap <= round(bound, DIGITS) else "differs"
        line |= {"allowed": bound, "verdict": verdict, "default": i == 0, "nearest": closest}
    return lines


def allowed(line: Mapping[str, Any], *, published_runs: int) -> float:
    """The largest difference that still agrees; a deviation that is not known counts as 0."""
    unbounded = line["metric"] in UNBOUNDED
    slack = RELATIVE_TOLERANCE * abs(line["published_mean"]) if unbounded else TOLERANCE
    variances = ((line["published_std"], published_runs), (line["std"], line["runs"]))
    return slack + 2 * math.sqrt(sum(std**2 / runs for std, runs in variances if pd.notna(std)))


def voted(cells: pd.DataFrame) -> pd.DataFrame:
    """How many published cells of each method come nearest to each of our readings of it."""
    several = cells[cells["default"].astype(bool) & (cells["nearest"] != "")]
    return several.groupby(["dataset", "reads", "metric", "nearest"]).size().reset_index(name="cells")


def lines(verdicts: Verdicts) -> list[dict[str, Any]]:
    """The default reading of each published cell, with ours, theirs and the difference as text."""
    cells = verdicts.cells[verdicts.cells["default"].astype(bool)]
    return [
        cell
        | {"ours": plus_minus(cell["mean"], cell["std"])}
        | {"theirs": plus_minus(cell["published_mean"], cell["published_std"])}
        | {"off": "" if pd.isna(cell["mean"]) else f"{cell['mean'] - cell['published_mean']:+.4f}"}
        | {"bound": "" if pd.isna(cell["allowed"]) else f"{cell['allowed']:.4f}"}
        for cell in records(cells)
    ]


def report(verdicts: Verdicts) -> str:
    """check.md: the tally, every published cell beside ours, the nearest readings, the claims, stale deviations."""
    votes = records(voted(verdicts.cells))
    return fill("check.md.j2", verdicts=verdicts, cells=lines(verdicts), votes=votes)


def write(verdicts: Verdicts, folder: Path) -> Path:
    """check.md in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "check.md").write_text(report(verdicts), encoding="utf-8", newline="\n")
    return folder / "check.md"
