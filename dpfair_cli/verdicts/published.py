"""What is known of a paper besides its specs: published.csv, claims.yaml and deviations.yaml of experiments/<paper>."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from dpfair_cli.verdicts.claims import Claim, parts

TEXT_COLUMNS = ("artefact", "dataset", "method", "metric", "printed", "place")  # the last two: the cell in the paper
FIXED_COLUMNS = (*TEXT_COLUMNS, "mean", "std")  # every other column is a parameter


@dataclass(frozen=True, eq=False)
class Paper:
    """The published cells of a paper, one a line, the parts of its claims, its known deviations, and its folder."""

    published: pd.DataFrame
    claims: list[Claim]
    deviations: list[dict[str, Any]]
    folder: Path = Path()


def read_paper(folder: Path) -> Paper:
    """The paper of a folder experiments/<paper>; a file that is not there holds nothing."""
    claims, deviations = (read_entries(folder / name) for name in ("claims.yaml", "deviations.yaml"))
    return Paper(read_published_cells(folder / "published.csv"), list(parts(claims)), deviations, folder)


def read_published_cells(file: Path) -> pd.DataFrame:
    """The published cells of a file, one a line; an empty parameter means that the cell names no value of it."""
    text = dict.fromkeys(TEXT_COLUMNS, str)
    if not file.exists():
        return pd.DataFrame({name: pd.Series(dtype=text.get(name, float)) for name in FIXED_COLUMNS})
    return pd.read_csv(file, dtype=text, keep_default_na=False, na_values=[""])


def read_entries(file: Path) -> list[dict[str, Any]]:
    """The list in a YAML file, empty if there is no file."""
    return (yaml.safe_load(file.read_text(encoding="utf-8")) or []) if file.exists() else []


def parameter_columns(published: pd.DataFrame) -> list[str]:
    """The parameters that at least one of the published cells names a value of."""
    return [str(name) for name in published if name not in FIXED_COLUMNS and published[name].notna().any()]
