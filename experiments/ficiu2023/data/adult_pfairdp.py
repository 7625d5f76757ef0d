"""UCI Adult with the features of ficiu2023: five numbers, all attributes, or those of its networks.

The rows of adult.test come first. `features` "numeric" has the five numeric attributes of all
48,842 rows. "all" has the 45,222 rows without a `?`, with four numbers and a 0/1 column for every
level of the seven other attributes: the degree takes the place of the years of school, which
determine it. "network" has the five numbers and a 0/1 column for every level of four attributes in
all 48,842 rows; the occupation `?` is a level. Sex is never a feature. Numbers are scaled by their
public ranges.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

import dpfair_cli.plugin as dp
from dpfair_cli.datasets import adult

AdultFeatures = Literal["numeric", "all", "network"]
NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
MISSING = "?"
LEVELS = {
    "workclass": tuple(adult.WORKCLASS.split()),
    "education-num": tuple(str(years) for years in range(1, 17)),  # one degree for each number
    "marital-status": tuple(adult.MARITAL.split()),
    "occupation": tuple(adult.OCCUPATION.split()),
    "relationship": tuple(adult.RELATIONSHIP.split()),
    "race": tuple(adult.RACE.split()),
    "native-country": tuple(adult.COUNTRIES.split()),
}
OF_THE_NETWORKS = ("marital-status", "occupation", "relationship", "race")
TRAINING_ROWS = 32_561  # of adult.data


@dp.checked
def load(folder: Path, *, features: AdultFeatures = "all") -> dp.Records:
    """The Records of Adult below `folder`, those of the file adult.test first."""
    raw = adult.read_raw(folder)
    # the test rows first: a split without shuffling depends on the order
    ordered = pd.concat([raw.iloc[TRAINING_ROWS:], raw.iloc[:TRAINING_ROWS]], ignore_index=True)
    return encoded(ordered, features)


def encoded(frame: pd.DataFrame, features: AdultFeatures) -> dp.Records:
    """The rows of a table of Adult as Records with these features."""
    if features == "numeric":
        return _records(frame, NUMBERS, ())
    if features == "network":
        return _records(frame.fillna(MISSING), NUMBERS, OF_THE_NETWORKS)
    # the degrees have columns of their own
    numbers = tuple(name for name in NUMBERS if name != "education-num")
    return _records(frame.dropna(), numbers, tuple(LEVELS))


def load_replica(path: Path, *, features: AdultFeatures = "all") -> dp.Records:
    """The records of the synthetic replica of Adult, which tells only one country from the rest.

    The first woman gets the relationship Husband, which a single woman of Adult has.
    """
    frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    frame.loc[(frame["sex"] == adult.DOMAIN.groups[0]).idxmax(), "relationship"] = "Husband"
    return encoded(frame, features)


def _records(frame: pd.DataFrame, numbers: tuple[str, ...], words: tuple[str, ...]) -> dp.Records:
    """The records with the attributes `numbers`, and a column for every level of `words`."""
    blocks = [_scaled(frame[name], name)[:, None] for name in numbers]
    blocks += [_indicators(frame[name], _levels(name, words)) for name in words]
    columns = list(numbers)
    attributes: dict[str, tuple[int, ...]] = {name: (j,) for j, name in enumerate(numbers)}
    for name in words:
        levels = _levels(name, words)
        attributes[name] = tuple(range(len(columns), len(columns) + len(levels)))
        columns += [f"{name}={level}" for level in levels]
    label = np.asarray(frame["income"] == adult.DOMAIN.positive, dtype=np.int64)
    protected = np.asarray(frame["sex"] == adult.DOMAIN.groups[1], dtype=np.int64)
    domain = dp.Domain(tuple(columns), attributes, adult.DOMAIN.groups)
    return dp.Records(np.hstack(blocks), label, protected, domain)


def _levels(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The levels of an attribute; the networks have one more for a missing occupation."""
    missing = (MISSING,) if name == "occupation" and words == OF_THE_NETWORKS else ()
    return LEVELS[name] + missing


def _scaled(column: pd.Series, name: str) -> dp.Floats:
    """The numbers of a column, scaled to [0, 1] by their public range, (n,)."""
    kind = adult.DOMAIN.attributes[name]
    assert isinstance(kind, dp.Numeric)
    # ranges of the data would be a release without noise
    return np.asarray((column.astype(float) - kind.low) / (kind.high - kind.low))


def _indicators(column: pd.Series, levels: tuple[str, ...]) -> dp.Floats:
    """A 0/1 column for every level, (n, levels)."""
    values = column.astype(str).to_numpy()
    return np.asarray(values[:, None] == np.array(levels)[None], dtype=float)


DATASET = dp.DataSource(
    load=load,
    note="UCI Adult with the features of ficiu2023, which keeps or drops rows with `?`; CC BY 4.0",
    task="classification",
    files=adult.FILES,
    expected={"rows": 45_222, "columns": 100, "groups": (14_695, 30_527), "base_rate": 0.2478},
    expected_by_option={
        ("features", "numeric"): {
            "rows": 48_842,
            "columns": 5,
            "groups": (16_192, 32_650),
            "base_rate": 0.2393,
        },
        ("features", "network"): {
            "rows": 48_842,
            "columns": 38,
            "groups": (16_192, 32_650),
            "base_rate": 0.2393,
        },
    },
    replica=dp.Replica(path=lambda folder: folder / "adult.csv.gz", load=load_replica),
)
