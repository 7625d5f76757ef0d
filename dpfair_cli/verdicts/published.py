"""What is known of a paper besides its specs: published.csv, claims.yaml and deviations.yaml of
experiments/<paper>.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.claims import Claim, parts

TEXT_COLUMNS = (
    "artefact",
    "dataset",
    "method",
    "metric",
    "printed",
    "place",
)  # the last two: the cell in the paper
LINE = "line"  # where a cell stands in its file; the file has no such column
NEEDED = ("artefact", "dataset", "method", "metric", "mean", "std")
VALUES = ("mean", "std", "printed", "place")  # what a cell says; all else is which cell it is
PRINTED = re.compile(
    r"([-+]?\d+(?:\.(\d*))?)\s*%?(?:\s*(?:±|\+-|\+/-|\().*)?"
)  # its deviation may follow
ROUNDING = 1e-6  # of half a digit: numbers with a decimal point are not exact
FIXED_COLUMNS = (*TEXT_COLUMNS, "mean", "std", LINE)  # every other column is a parameter


@dataclass(frozen=True, eq=False)
class Paper:
    """The published cells of a paper, one a line, the parts of its claims, its known deviations,
    and its folder.
    """

    published: pd.DataFrame
    claims: list[Claim]
    deviations: list[dict[str, Any]]
    folder: Path = Path()

    def claims_of(self, artefact: str) -> list[Claim]:
        """The parts of its claims that are about one artefact."""
        return [claim for claim in self.claims if claim["artefact"] == artefact]


def read_paper(folder: Path) -> Paper:
    """The paper of a folder experiments/<paper>; a file that is not there holds nothing."""
    claims = list(parts(read_entries(folder / "claims.yaml")))
    deviations = [
        _with_artefact(entry, claims) for entry in read_entries(folder / "deviations.yaml")
    ]
    return Paper(read_published_cells(folder / "published.csv"), claims, deviations, folder)


def _with_artefact(entry: Any, claims: Sequence[Claim]) -> Any:
    """An entry of deviations.yaml about a claim with the artefact that the claim is about, unless
    it names one.
    """
    if not isinstance(entry, dict) or "claim" not in entry or "artefact" in entry:
        return entry
    return {
        **entry,
        "artefact": [claim["artefact"] for claim in claims if claim["id"] == entry["claim"]],
    }


def read_published_cells(file: Path) -> pd.DataFrame:
    """The published cells of a file, one a line; an empty parameter means that the cell names no
    value of it.

    Raises:
        DpfairError: a line that is no cell, or the same cell as another: one line with the file and
            the line. A cell that cannot be read would vanish from every count.
    """
    types = dict.fromkeys(TEXT_COLUMNS, str)
    if not file.exists():
        return pd.DataFrame(
            {name: pd.Series(dtype=types.get(name, float)) for name in FIXED_COLUMNS}
        )
    text = file.read_text(encoding="utf-8-sig")
    lines = list(_check_records(text, file.name))
    cells = pd.read_csv(io.StringIO(text), dtype=types, keep_default_na=False, na_values=[""])
    return cells.assign(**{LINE: lines})


def _check_records(text: str, name: str) -> Iterator[int]:
    """The line in which each record of a CSV file begins, without that of the header; empty lines
    are no records.
    """
    reader = csv.reader(io.StringIO(text))
    header = next(reader, [])
    lacking = [column for column in NEEDED if column not in header]
    if lacking:
        raise DpfairError(f"{name} has no column {lacking[0]!r}")
    seen: dict[tuple[str, ...], int] = {}
    line = reader.line_num + 1
    for record in reader:
        if record:
            mistake = _mistake(header, record)
            identity = tuple(
                value for column, value in zip(header, record, strict=False) if column not in VALUES
            )
            twice = seen.setdefault(identity, line)
            if mistake or twice != line:
                raise DpfairError(
                    f"{name}, line {line}: {mistake or f'the same cell as in line {twice}'}"
                )
            yield line
        line = reader.line_num + 1


def _mistake(header: Sequence[str], record: Sequence[str]) -> str:
    """Why a record is no published cell, empty if it is one."""
    if len(record) != len(header):
        return f"{len(record)} fields, and the header has {len(header)}"
    cell = dict(zip(header, record, strict=True))
    empty = [name for name in NEEDED if name != "std" and not cell[name].strip()]
    if empty:
        return f"{empty[0]} is empty"
    if not _is_number(cell["mean"]):
        return f"the mean is no number: {cell['mean']!r}"
    if cell["std"] and not _is_number(cell["std"]):
        return f"the std is no number: {cell['std']!r}"
    return (
        ""
        if _says(cell.get("printed", ""), float(cell["mean"]))
        else f"the mean {cell['mean']} is not as printed, {cell['printed']}"
    )


def _says(printed: str, mean: float) -> bool:
    """Whether a text such as 15.54 or 84.5% says a mean, in percent or not, of the opposite or not,
    to its last digit.

    What does not begin with a number, or goes on in words, may say anything.
    """
    number = PRINTED.fullmatch(printed.strip())
    if not number:
        return True
    value, half = float(number[1]), 0.5 * 10.0 ** -len(number[2] or "")
    forms = (
        (value, half),
        (1 - value, half),
        (value / 100, half / 100),
        (1 - value / 100, half / 100),
    )
    return any(abs(form - mean) <= room * (1 + ROUNDING) for form, room in forms)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read_entries(file: Path) -> list[dict[str, Any]]:
    """The list in a YAML file, empty if there is no file."""
    return (yaml_files.read(file) or []) if file.exists() else []


def parameter_columns(published: pd.DataFrame) -> list[str]:
    """The parameters that at least one of the published cells names a value of."""
    return [
        str(name)
        for name in published
        if name not in FIXED_COLUMNS and published[name].notna().any()
    ]
