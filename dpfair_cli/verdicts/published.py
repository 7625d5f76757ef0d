"""What is known of a paper besides its specs: published.csv, claims.yaml and deviations.yaml of experiments/<paper>."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dpfair_cli.contracts import yaml_files
from dpfair_cli.verdicts.claims import Claim, parts

TEXT_COLUMNS = ("artefact", "dataset", "method", "metric", "printed", "place")  # the last two: the cell in the paper
LINE = "line"  # where a cell stands in its file; the file has no such column
FIXED_COLUMNS = (*TEXT_COLUMNS, "mean", "std", LINE)  # every other column is a parameter


@dataclass(frozen=True, eq=False)
class Paper:
    """The published cells of a paper, one a line, the parts of its claims, its known deviations, and its folder."""

    published: pd.DataFrame
    claims: list[Claim]
    deviations: list[dict[str, Any]]
    folder: Path = Path()

    def claims_of(self, artefact: str) -> list[Claim]:
        """The parts of its claims that are about one artefact."""
        return [claim for claim in self.claims if claim["artefact"] == artefact]


def read_paper(folder: Path) -> Paper:
    """The paper of a folder experiments/<paper>; a file that is not there holds nothing."""
    claims, deviations = (read_entries(folder / name) for name in ("claims.yaml", "deviations.yaml"))
    return Paper(read_published_cells(folder / "published.csv"), list(parts(claims)), deviations, folder)


def read_published_cells(file: Path) -> pd.DataFrame:
    """The published cells of a file, one a line; an empty parameter means that the cell names no value of it."""
    types = dict.fromkeys(TEXT_COLUMNS, str)
    if not file.exists():
        return pd.DataFrame({name: pd.Series(dtype=types.get(name, float)) for name in FIXED_COLUMNS})
    text = file.read_text(encoding="utf-8-sig")
    cells = pd.read_csv(io.StringIO(text), dtype=types, keep_default_na=False, na_values=[""])
    return cells.assign(**{LINE: list(_first_lines(text))})


def _first_lines(text: str) -> Iterator[int]:
    """The line in which each record of a CSV file begins, without that of the header; empty lines are no records."""
    reader = csv.reader(io.StringIO(text))
    begins = [(1, next(reader, []))]
    end = reader.line_num
    for record in reader:
        begins.append((end + 1, record))
        end = reader.line_num
    yield from [line for line, record in begins if record][1:]


def read_entries(file: Path) -> list[dict[str, Any]]:
    """The list in a YAML file, empty if there is no file."""
    return (yaml_files.read(file) or []) if file.exists() else []


def parameter_columns(published: pd.DataFrame) -> list[str]:
    """The parameters that at least one of the published cells names a value of."""
    return [str(name) for name in published if name not in FIXED_COLUMNS and published[name].notna().any()]
