"""Replays of the models of dpmm, which `python -m benchmarks.replay_dpmm` makes.

They are the lines of replays.csv. benchmarks/there_dpmm.py says what a replay is.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal

import dpfair_cli.plugin as dp

from ..models.replays import TESTS, Replays

FILE = Path(__file__).parents[1] / "replays.csv"


@dp.checked
def load(
    folder: Path,
    *,
    levels: Literal["from data", "given"] = "from data",
    compression: Literal["on", "off"] = "on",
) -> Replays:
    """The replays with these options of dpmm; no file in the data folder `folder` is read.

    `levels` says whether a model is given the numbers of levels, the domain, or reads them from the
    data.

    The defaults are those of the classes AIMGM and PrivBayesGM of dpmm 0.1.9.
    """
    with FILE.open(encoding="utf-8") as file:
        lines = [*csv.DictReader(file)]
    options = (levels, compression)
    return Replays(tuple(one for one in lines if (one["domain"], one["compression"]) == options))


DATASET = dp.DataSource(
    load=load,
    note="outcomes of our replays of AIM and PrivBayes of dpmm 0.1.9",
    task="replay_outcomes",
    expected={"rows": 180, "columns": TESTS},
)
