"""An artefact whose published cells have every verdict, by hand: the material of the pictures of
differences.

Ours has four runs: two at the mean less 0.001, two at the mean plus 0.001, so that two standard
errors are OURS. A published deviation of 0.002 over four runs gives two standard errors of 0.002.
The majority class has the accuracy 0.68.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.verdicts.deviations.deviation import parse_deviations
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.deciding import decide_artefact
from tests.toy_specs import data_set, method, task
from tests.verdicts.toy_paper import published_cell

OURS = 0.002 / 3**0.5  # 2 * sqrt(4 * 0.001^2 / 3) / sqrt(4)
MEANS = {  # (data set, method, epsilon): our accuracy; the norm is ten times that
    ("us", "LR", None): 0.80,
    ("us", "FM", 0.1): 0.70,
    ("us", "FM", 1.0): 0.70,
    ("adult", "LR", None): 0.80,
    ("adult", "FM", 0.1): 0.70,
    ("adult", "FM", 1.0): 0.70,
}
SPEC = Spec(
    artefact="xu2021/table8.2",
    title="Accuracy",
    source="Xu 2021, Table 8.2",
    task=task(unbounded=("norm",)),
    datasets=(data_set("us"), data_set("adult")),
    methods=(
        method("lr", {}, "LR", "LR"),
        *(method("fm", {"epsilon": e}, "FM", "FM") for e in (0.1, 1.0)),
    ),
    seeds=4,
    layout=TableLayout(("dataset", "epsilon", "method"), ("accuracy", "norm")),
    published_runs=4,
)
ROWS = pd.DataFrame(
    {
        "dataset": dataset,
        "method": method,
        "algorithm": method.lower(),
        "epsilon": epsilon,
        "seed": seed,
    }
    | {"accuracy": mean + side, "norm": 10 * (mean + side), "majority_accuracy": 0.68}
    for (dataset, method, epsilon), mean in MEANS.items()
    for seed, side in enumerate((-0.001, 0.001, -0.001, 0.001))
)


def cell(
    dataset: str,
    method: str,
    epsilon: float | None,
    mean: float,
    std: float | None = None,
    metric: str = "accuracy",
) -> dict[str, Any]:
    names = {
        "artefact": "table8.2",
        "dataset": dataset,
        "method": method,
        "epsilon": epsilon,
        "metric": metric,
    }
    return {**names, "mean": mean, "std": std}


REPRODUCED = cell("adult", "LR", None, 0.81, 0.002)  # ours less published: -0.01
CONSISTENT = cell("adult", "FM", 1.0, 0.69, 0.002)  # +0.01, and the majority class is 0.01 away
UNDECIDED = cell(
    "us", "FM", 1.0, 0.66, 0.06
)  # +0.04, two standard errors of the published mean alone 0.06
EXPLAINED = cell("us", "LR", None, 0.9)  # -0.1
DIFFERS = cell("adult", "FM", 0.1, 0.5)  # +0.2
ALL = (EXPLAINED, DIFFERS, REPRODUCED, CONSISTENT, UNDECIDED)
NORM = cell(
    "adult", "LR", None, 5.0, metric="norm"
)  # ours is 8: +0.6 in parts of the published value
DATA = {
    "artefact": "table8.2",
    "dataset": "us",
    "method": "LR",
    "kind": "data",
    "cause": "other data",
}
GUESS = {
    "artefact": "table8.2",
    "method": "FM",
    "epsilon": 0.1,
    "kind": "hypothesis",
    "cause": "a guess",
    "measured": "-",
    "unsettled": "...",
}


def verdicts(
    *cells: dict[str, Any],
    spec: Spec = SPEC,
    standins: dict[str, str] | None = None,
    rows: pd.DataFrame = ROWS,
) -> Verdicts:
    published = [published_cell(values | {"artefact": spec.name}) for values in cells]
    entries = [entry | {"artefact": spec.name} for entry in (DATA, GUESS)]
    paper = Paper(published, deviations=list(parse_deviations(entries)))
    return decide_artefact(rows, spec, paper, standins=standins or {})
