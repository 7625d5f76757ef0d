"""The audit of every private method and every variant of it: `dpfair audit --all`.

A variant is one parameter with another of its allowed words. Data are replicas and synthetic data,
which are the same everywhere; image methods are audited if torch is installed. For a variant whose
label says refuted, more neighbours are tried if a few do not refute it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import Finding, audit
from dpfair_cli.auditing.subjects import candidates, subject
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Status

INTRODUCTION = (
    "The audit of every private method and every variant of it (`dpfair audit --all`). A variant "
    "is one parameter with another of its allowed words. Data are replicas and synthetic data, "
    "which are the same everywhere; image methods are audited if torch is installed. For a variant "
    "whose label says refuted, more neighbours are tried if a few do not refute it."
)
NOWHERE = Path("there are no data here")  # a folder without data, so that replicas are taken
PAIRS = 40
MORE_PAIRS = 400  # if the label says refuted and PAIRS pairs do not refute it
# options of synthetic data, whose tables grow with the number of variables
SMALL = {"nodes": 8, "most_levels": 2}
PICTURES = "mnist"
PICTURE_PAIRS = 4


@dataclass(frozen=True)
class Audited:
    """One row of the survey of audits, as texts."""

    method: str
    """The name of the method."""
    variant: str
    """The parameter that differs from its default, with its value."""
    data: str
    """The name of the data set."""
    neighbours: str
    """Which data are neighbours."""
    label: str
    """The status of the guarantee that the method declares."""
    claimed: str
    """The claimed epsilon and delta."""
    accounted: str
    """The epsilon of the declared sensitivities."""
    found: str
    """The epsilon of the changes of the queries."""
    largest_move: str
    """The largest change of a query divided by its sensitivity."""
    verdict: str
    """"holds", or "refuted: " and why, or "not run: " and why."""

    @property
    def contradicts(self) -> bool:
        """Whether the result of the audit contradicts the status of the guarantee."""
        if self.label == Status.PROVED:
            return self.verdict.startswith("refuted")
        return self.label == Status.REFUTED and self.verdict == "holds"


@dataclass(frozen=True)
class Plan:
    """A planned audit of the survey."""

    method: str
    """The name of the method."""
    variant: Mapping[str, Any]
    """Parameters that differ from their defaults."""
    datasets: tuple[str, ...]
    """Data sets to try, in order."""
    pairs: int
    """How many pairs of neighbours are tried."""


def plans() -> list[Plan]:
    """The planned audits of all private methods, in the order of the survey."""
    found: list[Plan] = []
    for name in catalog.algorithms.names:
        if catalog.algorithm(name).guarantee.is_private:
            found += _plans(name)
    return found


def surveyed(plan: Plan, *, seed: int = 0) -> Audited:
    """The row of one planned audit, on the first of its data sets that fits the method."""
    reasons = []
    for name in plan.datasets:
        try:
            return _row(plan, name, _finding(plan, name, seed))
        except (ValueError, DpfairError, ImportError) as error:
            reasons.append(str(error))
    return Audited(*_names(plan, plan.datasets[0]), "", "", "", "", f"not run: {reasons[0]}")


def _finding(plan: Plan, dataset: str, seed: int) -> Finding:
    """The result of one planned audit.

    If a guarantee with the status refuted is not contradicted, the audit is repeated with more
    pairs.
    """
    options = catalog.data_source(dataset).parameters
    loading = {key: value for key, value in SMALL.items() if key in options}
    chosen = subject(plan.method, dataset, plan.variant, NOWHERE, loading=loading, seed=seed)
    audited = partial(audit, plan.method, chosen.data, params=chosen.params, seed=seed)
    found = audited(neighbours=plan.pairs)
    if found.holds and _label(plan) == Status.REFUTED:
        found = audited(neighbours=MORE_PAIRS)
    return found


def _row(plan: Plan, dataset: str, found: Finding) -> Audited:
    """The row of the survey for the result of an audit."""
    delta = f", delta {found.delta:.3g}" if found.delta else ""
    return Audited(
        *_names(plan, dataset),
        claimed=f"epsilon {found.claimed:g}{delta}",
        accounted=f"{found.accounted:.4g}",
        found=f"{found.found:.4g}",
        largest_move=f"{found.largest_move:.4g}",
        verdict="holds" if found.holds else "refuted: " + "; ".join(found.problems),
    )


def write(rows: Sequence[Audited], folder: Path) -> list[Path]:
    """Writes audit.csv, which `check` reads, and audit.md; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    table, page = folder / "audit.csv", folder / "audit.md"
    header = [field.name for field in fields(Audited)]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, rows))
    cells = [header, ["---"] * len(header)]
    cells += [list(asdict(row).values()) for row in rows]
    lines = ["| " + " | ".join(line).replace("_", " ") + " |" for line in cells]
    text = "\n".join(["# Audit", "", INTRODUCTION, "", *lines, ""])
    page.write_text(text, encoding="utf-8")
    return [table, page]


def read(folder: Path) -> list[Audited]:
    """The rows of audit.csv; empty if there is no such file."""
    file = folder / "audit.csv"
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        return [Audited(**row) for row in csv.DictReader(lines)]


def _plans(method: str) -> Iterator[Plan]:
    here = candidates(method)
    tables = tuple(name for name in here if name != PICTURES)
    for variant in ({}, *_variants(method)):
        yield Plan(method, variant, tables, PAIRS)
    if PICTURES in here:
        yield Plan(method, {}, (PICTURES,), PICTURE_PAIRS)


def _variants(method: str) -> Iterator[dict[str, str]]:
    """The variants of a method: each sets one textual parameter to another allowed word."""
    for name, parameter in catalog.algorithm(method).parameters.items():
        if get_origin(parameter.annotation) is not Literal:
            continue
        for word in get_args(parameter.annotation):
            if word != parameter.default:
                yield {name: word}


def _names(plan: Plan, dataset: str) -> tuple[str, str, str, str, str]:
    variant = ", ".join(f"{name} {word}" for name, word in plan.variant.items())
    return (
        plan.method,
        variant,
        dataset,
        str(catalog.algorithm(plan.method).guarantee.neighbours),
        str(_label(plan)),
    )


def _label(plan: Plan) -> Status:
    algorithm = catalog.algorithm(plan.method)
    return algorithm.guarantee.status_with(algorithm.complete(plan.variant))
