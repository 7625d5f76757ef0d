"""The lines of `published.csv` and `examined.csv` that are gaps of single runs of the authors."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ..models.stored_gaps import Gap, Learner

FOLDER = Path(__file__).parents[1]
METRICS: dict[Gap, str] = {
    "demographic parity": "demographic_parity_difference",
    "equalized odds": "equalized_odds_difference",
}


def lines() -> Iterator[dict[str, str]]:
    """The lines of both files: runs without privacy in the first, those of seeds in the second."""
    for name in ("published.csv", "examined.csv"):
        with (FOLDER / name).open(encoding="utf-8") as file:
            yield from csv.DictReader(file)


def stored(learner: Learner, gap: Gap) -> dict[tuple[str, str, str], float]:
    """The gap of each run, by epsilon, seed (both empty without privacy) and method."""
    return {
        (line["epsilon"], line.get("random_seed", ""), line["method"]): float(line["mean"])
        for line in lines()
        if line["learner"] == learner and line["metric"] == METRICS[gap]
    }
