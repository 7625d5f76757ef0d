"""UCI Adult as 11 two-valued variables with a causal graph, 65,123 rows (xu2021, Section 7.3.1).

The dissertation has 65,123 samples: the 32,561 rows of adult.data once and the 16,281 rows of
adult.test twice. The published effects in the real data are those of these 65,123 rows, not those
of the 48,842 records (adult_binary_once).

The dissertation shows its causal graph only as a drawing. `graph` "pc" has the edges that our PC
finds at significance 0.01, "all" has every edge that the order of causes allows, and "lab" is a
graph of seven of the variables, published by the same laboratory. The order of causes (TIERS) is
public knowledge: variables given at birth, then marriage and school, then work and household, then
income. Within a tier the order is that of the list, which is our choice. With a finite
`graph_epsilon` methods use another graph, which PrivPC finds for each seed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import DataSource, Replica
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.contracts.schemas import Categorical, Schema
from dpfair_cli.datasets import adult
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.binary_records import causal_records

LEVELS = {
    "age": ("up to 37", "above 37"),
    "workclass": ("Private", "other"),
    "education-num": ("up to 9", "above 9"),
    "marital-status": ("other", "Married-civ-spouse"),
    "occupation": ("other", "Craft-repair"),
    "relationship": ("other", "Not-in-family"),
    "race": ("other", "White"),
    "hours-per-week": ("up to 40", "above 40"),
    "native-country": ("other", "United-States"),
}
DOMAIN = Schema(
    attributes={name: Categorical(levels) for name, levels in LEVELS.items()},
    label="income",
    positive=">50K",
    protected="sex",
    groups=("Female", "Male"),
)
TIERS = (
    ("age", "sex", "race", "native-country"),
    ("marital-status", "education-num"),
    ("workclass", "occupation", "relationship", "hours-per-week"),
    ("income",),
)
THROUGH = ("marital-status",)  # R of xu2021, Section 7.2.1: effects through it cannot be justified
CONTEXT = ("race", "native-country")  # O: the contexts of counterfactual fairness
# effect -> causes, in the same laboratory's graph of Adult; the other four variables are isolated
LAB = {
    "education-num": ("age",),
    "marital-status": ("age", "sex", "education-num"),
    "workclass": ("age", "education-num", "marital-status"),
    "hours-per-week": ("age", "sex", "education-num", "marital-status", "workclass"),
    "income": ("age", "sex", "education-num", "marital-status", "workclass", "hours-per-week"),
}
Graph = Literal["pc", "all", "lab"]


def read(folder: Path) -> pd.DataFrame:
    """The 48,842 rows of Adult, with two levels in each column.

    The rows of the file adult.data come first, those of adult.test second.
    """
    return binary(adult.read_raw(folder))


def binary(raw: pd.DataFrame) -> pd.DataFrame:
    """The table `raw` of Adult with two levels in each column.

    A missing value counts as different from the value that a level names.
    """
    above = {
        "age": raw["age"].astype(int) > 37,
        "workclass": raw["workclass"] != "Private",
        "education-num": raw["education-num"].astype(int) > 9,
        "marital-status": raw["marital-status"] == "Married-civ-spouse",
        "occupation": raw["occupation"] == "Craft-repair",
        "relationship": raw["relationship"] == "Not-in-family",
        "race": raw["race"] == "White",
        "hours-per-week": raw["hours-per-week"].astype(int) > 40,
        "native-country": raw["native-country"] == "United-States",
    }
    # the condition is true for the second level, and np.where takes the value for true first
    words = {name: np.where(column, *LEVELS[name][::-1]) for name, column in above.items()}
    return pd.DataFrame(words).assign(sex=raw["sex"], income=raw["income"])


@checked
def load(folder: Path, *, graph: Graph = "pc", graph_epsilon: Epsilon = math.inf) -> CausalRecords:
    """The records of Adult with a causal graph; the rows of the file adult.test occur twice.

    The files are below `folder`.
    """
    frame = read(folder)
    # the 65,123 samples of the dissertation
    twice = pd.concat([frame, frame.iloc[TRAINING_ROWS:]], ignore_index=True)
    return replace(records(twice, graph), graph_epsilon=graph_epsilon)


def records(frame: pd.DataFrame, graph: Graph) -> CausalRecords:
    """The rows of the table `frame` as records, with the causal graph that `graph` names."""
    skeleton = "pc" if graph == "pc" else "all"  # "lab" replaces the arrows below
    found = causal_records(frame, DOMAIN, TIERS, skeleton, through=THROUGH, context=CONTEXT)
    if graph != "lab":
        return found
    names = found.graph.names
    arrows = np.array([[cause in LAB.get(effect, ()) for effect in names] for cause in names])
    return replace(found, graph=replace(found.graph, arrows=arrows))


def load_replica(
    path: Path, *, graph: Graph = "pc", graph_epsilon: float = math.inf
) -> CausalRecords:
    """The records of the synthetic replica of Adult in the file `path`."""
    frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    return replace(records(binary(frame), graph), graph_epsilon=graph_epsilon)


REPLICA = Replica(path=lambda folder: folder / "adult.csv.gz", load=load_replica)
TRAINING_ROWS = 32_561  # of adult.data
DATASET = DataSource(
    load=load,
    note="UCI Adult as 11 two-valued variables, adult.test counted twice, with a causal graph; "
    "CC BY 4.0",
    task="causal_fairness",
    files=adult.FILES,
    replica=REPLICA,
    expected={"rows": 65_123, "columns": 18, "groups": (21_613, 43_510), "base_rate": 0.2385},
)
