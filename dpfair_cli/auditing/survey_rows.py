"""The results of the audits of all methods: the rows of audit.csv and audit.md."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.guarantees import Status

INTRODUCTION = (
    "The audit of every private method and every variant of it (`dpfair audit --all`). A variant "
    "is one parameter with another of its allowed words, or one number with another value (most "
    "numbers with few neighbours). Data are replicas and synthetic data, which are the same "
    "everywhere; image "
    "methods are audited if torch is installed, and methods for several groups also on data with "
    "several. Released scores, and one try of a private choice, have a line each. For a variant "
    "whose label says refuted, more neighbours are tried if a few do not "
    "refute it. Tightness is the largest move divided by the largest attainable one: a sensitivity "
    "that is too small by a factor above 1 / tightness would have been refuted."
)


@dataclass(frozen=True)
class Audited:
    """One line of the table of the audits of all private methods, with texts as cells."""

    method: str  # the name of the method
    variant: str  # the parameter that differs from its default, with its value
    data: str  # the name of the data set
    neighbours: str  # which data are neighbours
    label: str  # the status of the guarantee that the method declares
    claimed: str  # the claimed epsilon and delta
    accounted: str  # the epsilon of the declared sensitivities
    found: str  # the epsilon of the changes of the queries
    largest_move: str  # the largest change of a query divided by its sensitivity
    attainable: str
    """An upper bound of the largest move; below 1 if no neighbours reach the sensitivity."""
    tightness: str  # the largest move divided by its upper bound
    verdict: str  # "holds", or "refuted: " and why, or "not run: " and why

    @property
    def contradicts(self) -> bool:
        """Whether the result of the audit contradicts the status of the guarantee."""
        if self.label == Status.PROVED:
            return self.verdict.startswith("refuted")
        return self.label == Status.REFUTED and self.verdict == "holds"


def write(rows: Sequence[Audited], folder: Path) -> list[Path]:
    """Writes the table of audits as audit.csv and audit.md; returns the two paths.

    The command `check` reads audit.csv.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table, page = folder / "audit.csv", folder / "audit.md"
    header = [field.name for field in fields(Audited)]
    lines_of_table = io.StringIO()
    writer = csv.DictWriter(lines_of_table, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, rows))
    write_text(table, lines_of_table.getvalue())
    cells = [header, ["---"] * len(header)]
    cells += [list(asdict(row).values()) for row in rows]
    lines = ["| " + " | ".join(line).replace("_", " ") + " |" for line in cells]
    text = "\n".join(["# Audit", "", INTRODUCTION, "", *lines, ""])
    write_text(page, text)
    return [table, page]


def read(folder: Path) -> list[Audited]:
    """The lines of the table of audits in audit.csv; empty if there is no such file."""
    file = folder / "audit.csv"
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        return [Audited(**row) for row in csv.DictReader(lines)]
