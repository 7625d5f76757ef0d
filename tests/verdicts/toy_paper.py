"""Rows of a small experiment, published cells and claims about it, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.claims.claim import parse_claims
from dpfair_cli.verdicts.deviations.deviation import Recorded, parse_deviations, with_recorded
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import PaperRule
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.deciding import decide_artefact
from tests.toy_specs import data_set, method, task

EPSILONS = (0.1, 1.0, 10.0)
METHODS = {
    "PFLR": ("pflr", "PFLR"),
    "PFLR, shift": ("pflr", "PFLR"),
    "PFLR*": ("pflr_star", "PFLR*"),
}
MEANS = {
    "PFLR": (0.60, 0.70, 0.80),
    "PFLR, shift": (0.66, 0.66, 0.66),
    "PFLR*": (0.70, 0.75, 0.79),
    "LR": (0.84,) * 3,
}
SPEC = Spec(
    artefact="xu2021/table8.2",
    title="Accuracy",
    source="Xu 2021, Table 8.2",
    task=task(),
    datasets=(data_set("adult"),),
    methods=(
        method("lr", {}, "LR", "LR"),
        *(
            method(name, {"epsilon": e}, m, published_method)
            for m, (name, published_method) in METHODS.items()
            for e in EPSILONS
        ),
    ),
    seeds=3,
    layout=TableLayout(("dataset", "epsilon", "method"), ("accuracy",)),
)


SIDES = (-0.001, 0.0, 0.001)


def runs(
    method: str, epsilon: float, mean: float, sides: Sequence[float] = SIDES
) -> list[dict[str, Any]]:
    """Three runs, at the mean and 0.001 to either side of it, so that their deviation is 0.001; or
    one for each side.

    A published mean without a deviation, of ten runs, then has a 90 % interval of +- 0.0019.
    """
    name = METHODS.get(method, ("lr", ""))[0]
    fixed = {
        "dataset": "adult",
        "method": method,
        "algorithm": name,
        "epsilon": None if name == "lr" else epsilon,
    }
    return [fixed | {"seed": seed, "accuracy": mean + side} for seed, side in enumerate(sides)]


ROWS = pd.DataFrame(
    [
        run
        for m in METHODS
        for e, mean in zip(EPSILONS, MEANS[m], strict=True)
        for run in runs(m, e, mean)
    ]
    + runs("LR", 0, 0.84)
)


def published(
    method: str,
    epsilon: float | None,
    mean: float,
    std: float | None = None,
    metric: str = "accuracy",
) -> dict[str, Any]:
    cell = {"artefact": "table8.2", "dataset": "adult", "method": method, "epsilon": epsilon}
    return cell | {"metric": metric, "mean": mean, "std": std}


CHOSEN = PaperRule(chosen={"table8.2": {"PFLR": ["shift"]}})  # by tables that are not shown
FIXED = ("artefact", "dataset", "method", "metric", "mean", "std")


def published_cell(values: dict[str, Any]) -> PublishedCell:
    """A published cell from the columns of its line; None is an empty column."""
    given = {name: value for name, value in values.items() if value is not None}
    parameters = {name: value for name, value in given.items() if name not in FIXED}
    fixed = {name: value for name, value in given.items() if name in FIXED}
    return PublishedCell(**fixed, parameters=parameters)


def verdicts(
    *cells: dict[str, Any],
    claims: tuple[dict[str, Any], ...] = (),
    deviations: tuple[dict[str, Any], ...] = (),
    standins: dict[str, str] | None = None,
    unpublished: dict[str, str] | None = None,
    folder: Path = Path("nowhere"),
    rows: pd.DataFrame = ROWS,
    spec: Spec = SPEC,
    rule: PaperRule = CHOSEN,
    recorded: Recorded | None = None,
) -> Verdicts:
    entries = [{"artefact": "table8.2", **entry} for entry in deviations]
    paper = Paper(
        [published_cell(cell) for cell in cells],
        list(parse_claims(claims)),
        with_recorded(parse_deviations(entries), recorded),
        folder,
    )
    return decide_artefact(
        rows, spec, paper, standins=standins or {}, unpublished=unpublished, rule=rule
    )


def claimed(*predicates: dict[str, Any], **more: Any) -> tuple[str, str]:
    """Verdict and reason of one claim with these predicates."""
    found = verdicts(claims=(claim(*predicates),), **more)
    (judged,) = found.claims
    return judged.verdict, judged.reason


def claim(*predicates: dict[str, Any], **words: Any) -> dict[str, Any]:
    """A claim in one piece, as it stands in claims.yaml."""
    return {"id": "c", "artefact": "table8.2", "claim": "...", "holds": list(predicates), **words}


OPEN = {"kind": "open", "cause": "not known"}
HYPOTHESIS = {
    "kind": "hypothesis",
    "cause": "another term",
    "measured": "alpha 2 gives 0.66",
    "unsettled": "no alpha is printed.",
}
SHIFT = {"kind": "variant", "variant": "shift", "cause": "the term shifts the noise"}
