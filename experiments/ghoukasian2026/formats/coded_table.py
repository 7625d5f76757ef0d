"""The tables of codes that the authors take from the repository of arcolezi2023."""

from __future__ import annotations

import pandas as pd

import dpfair_cli.plugin as dp

REPOSITORY = (
    "https://raw.githubusercontent.com/hharcolezi/ldp-fairness-impact/"
    "512752136637f8478b37acaaaf9d87f06685270c/datasets/"
)


def coded_file(folder: str, name: str, *, sha256: str, size: int) -> dp.File:
    """A file of the repository of arcolezi2023, in a folder below a data folder."""
    urls = (REPOSITORY + name,)
    return dp.File(f"{folder}/{name}", sha256=sha256, size=size, urls=urls, licence="MIT")


def coded(sizes: dict[str, int]) -> dict[str, dp.Categorical]:
    """The attributes of a table of codes: attribute `name` has the levels 0 to sizes[name] - 1."""
    return {name: dp.Categorical(tuple(map(str, range(size)))) for name, size in sizes.items()}


def texts(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with its codes as texts, because a code is a level and not a number."""
    return frame.astype(str)
