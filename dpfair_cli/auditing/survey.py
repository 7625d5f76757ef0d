"""Every private method and every variant of it, audited: `dpfair audit --all`, and whether the
labels are borne out.

A variant is one parameter with another word in place of its default. Data are replicas and made
ones, which are the same everywhere; images are audited where torch is. What a label says is refuted
is looked for on ten times as many neighbours if need be.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import audit
from dpfair_cli.auditing.subjects import candidates, subject
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Status

NOWHERE = Path("there are no data here")  # so that replicas are taken
PAIRS = 40
MORE_PAIRS = 400  # where the label says refuted and few pairs did not show it
SMALL = {
    "nodes": 8,
    "most_levels": 2,
}  # of made data, whose tables grow with the number of variables
PICTURES = "mnist"
PICTURE_PAIRS = 4


@dataclass(frozen=True)
class Audited:
    """A row of the survey: a method with a variant on a data set, what it claims and what was
    found.
    """

    method: str
    variant: str
    data: str
    neighbours: str
    label: str
    claimed: str
    accounted: str
    found: str
    largest_move: str
    verdict: str

    @property
    def contradicts(self) -> bool:
        """Whether the audit says the opposite of the label."""
        refuted = self.verdict.startswith("refuted")
        return (
            refuted
            if self.label == Status.PROVED
            else (self.label == Status.REFUTED and self.verdict == "holds")
        )


@dataclass(frozen=True)
class Plan:
    """One audit of the survey."""

    method: str
    variant: Mapping[str, Any]
    datasets: tuple[str, ...]
    pairs: int


def plans() -> list[Plan]:
    """Every audit of the survey, in order."""
    return [
        plan
        for name in catalog.algorithms.names
        if catalog.algorithm(name).guarantee.is_private
        for plan in _plans(name)
    ]


def surveyed(plan: Plan, *, seed: int = 0) -> Audited:
    """The row of one audit, on the first of its data sets that the method takes."""
    reasons = []
    for name in plan.datasets:
        try:
            loading = {
                key: value
                for key, value in SMALL.items()
                if key in catalog.data_source(name).parameters
            }
            chosen = subject(plan.method, name, plan.variant, NOWHERE, loading=loading, seed=seed)
            found = audit(
                plan.method, chosen.data, params=chosen.params, neighbours=plan.pairs, seed=seed
            )
            if found.holds and _label(plan) == Status.REFUTED:
                found = audit(
                    plan.method, chosen.data, params=chosen.params, neighbours=MORE_PAIRS, seed=seed
                )
        except (ValueError, DpfairError, ImportError) as error:
            reasons.append(str(error))
            continue
        accounted, moved, largest = (
            f"{number:.4g}" for number in (found.accounted, found.found, found.largest_move)
        )
        delta = f", delta {found.delta:.3g}" if found.delta else ""
        verdict = "holds" if found.holds else "refuted: " + "; ".join(found.problems)
        return Audited(
            *_names(plan, name),
            f"epsilon {found.claimed:g}{delta}",
            accounted,
            moved,
            largest,
            verdict,
        )
    return Audited(*_names(plan, plan.datasets[0]), "", "", "", "", f"not run: {reasons[0]}")


def write(rows: Sequence[Audited], folder: Path) -> list[Path]:
    """audit.csv, which `check` reads, and audit.md."""
    folder.mkdir(parents=True, exist_ok=True)
    table, page = folder / "audit.csv", folder / "audit.md"
    header = [field.name for field in fields(Audited)]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, rows))
    cells = [header, ["---"] * len(header), *(list(asdict(row).values()) for row in rows)]
    lines = ["| " + " | ".join(cell.replace("_", " ") for cell in line) + " |" for line in cells]
    page.write_text(
        f"# Audit\n\n{' '.join((__doc__ or '').split())}\n\n" + "\n".join(lines) + "\n",
        encoding="utf-8",
    )
    return [table, page]


def read(folder: Path) -> list[Audited]:
    """The rows of audit.csv; none where there is no such file."""
    file = folder / "audit.csv"
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        return [Audited(**row) for row in csv.DictReader(lines)]


def _plans(method: str) -> Iterator[Plan]:
    here = candidates(method)
    for variant in ({}, *_variants(method)):
        yield Plan(method, variant, tuple(name for name in here if name != PICTURES), PAIRS)
    if PICTURES in here:
        yield Plan(method, {}, (PICTURES,), PICTURE_PAIRS)


def _variants(method: str) -> Iterator[dict[str, str]]:
    """One parameter with another word, for every word."""
    for name, parameter in catalog.algorithm(method).parameters.items():
        if get_origin(parameter.annotation) is Literal:
            yield from (
                {name: word} for word in get_args(parameter.annotation) if word != parameter.default
            )


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
