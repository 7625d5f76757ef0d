"""Variants of the task: their runs and labels, and their cells count over all methods alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.specs import Spec, TaskVariant
from dpfair_cli.verdicts.deviations.deviation import parse_deviations
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import PaperRule, rule_of
from dpfair_cli.verdicts.scoreboard import count_variants
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.deciding import SINGLE, decide_artefact
from tests.toy_specs import data_set, method, task
from tests.verdicts.toy_paper import SPEC, published, published_cell

KEPT = "edges kept"
PLAIN = method("pflr", {}, "PFLR", "PFLR")
STAR = method("pflr_star", {}, "PFLR*", "PFLR*")
SHIFT = method("pflr", {}, "PFLR, shift", "PFLR")
LR = method("logistic_regression", {}, "LR", "LR")
METHODS = (PLAIN, SHIFT, STAR, LR)
UNDER = tuple(replace(one, label=f"{one.label}, {KEPT}", seeds=2) for one in (PLAIN, STAR))


def spec(name: str, methods: tuple[Any, ...] = METHODS, **more: Any) -> Spec:
    """A spec with a variant of its task, over the methods without variants."""
    variant = TaskVariant(KEPT, task(), UNDER)
    own = {"methods": methods, "task_variants": (variant,), **more}
    return replace(SPEC, artefact=f"xu2021/{name}", **own)


def rows(means: Mapping[str, float]) -> pd.DataFrame:
    """Six runs of each method, 0.001 to either side of its mean."""
    found = []
    for label, mean in means.items():
        name = "pflr_star" if label.startswith("PFLR*") else "pflr"
        for seed in range(6):
            one = {"dataset": "adult", "method": label, "algorithm": name, "seed": seed}
            found.append({**one, "accuracy": mean + 0.001 * (-1) ** seed})
    return pd.DataFrame(found)


def test_a_variant_of_the_task_runs_after_the_default_on_the_default_data() -> None:
    data = (data_set("adult"), data_set("adult", variant="coarse"))
    found = list(spec("table1", datasets=data).runs())
    default = 2 * 4 * 3  # data sets, methods, seeds
    assert [run.label for run in found[default:]] == [
        *[f"PFLR, {KEPT}"] * 2,
        *[f"PFLR*, {KEPT}"] * 2,
    ]
    assert not any(run.dataset.variant for run in found[default:])


def test_labels_of_a_variant_of_the_task_have_the_published_name() -> None:
    labels = spec("table1").published_labels
    assert labels[f"PFLR*, {KEPT}"] == "PFLR*"
    assert f"PFLR, shift, {KEPT}" not in labels
    assert spec("table1").shared_variants == {KEPT}


def verdicts(
    own: Spec,
    means: Mapping[str, float],
    printed: Mapping[str, float],
    *deviations: Mapping[str, Any],
    rule: PaperRule = SINGLE,
) -> Verdicts:
    """The verdicts on our means, given the printed value of each method."""
    cells = [
        published_cell({**published(name, None, mean, 0.001), "artefact": own.name})
        for name, mean in printed.items()
    ]
    paper = Paper(cells, [], list(parse_deviations(deviations)), Path("nowhere"))
    return decide_artefact(rows(means), own, paper, standins={}, rule=rule)


DEFAULT = {"PFLR": 0.6, "PFLR*": 0.7, "LR": 0.5}


@pytest.mark.parametrize(
    ("star", "chosen"),
    [(0.9, {"PFLR": [KEPT], "PFLR*": [KEPT]}), (0.7, {"PFLR": [KEPT, "shift"], "PFLR*": [KEPT]})],
)
def test_cells_of_all_methods_count_for_a_variant_of_the_task(
    star: float, chosen: Mapping[str, list[str]]
) -> None:
    """In the other table, more cells agree under the variant of the task: of one method or two.

    Under `shift`, the cell of PFLR agrees.
    """
    under = {f"PFLR, {KEPT}": 0.8, f"PFLR*, {KEPT}": star}
    means = {**DEFAULT, "PFLR, shift": 0.8, **under}
    judged = []
    for name, more in (("table5.1", 0.0), ("table5.2", 0.001)):
        ours = {label: mean + more for label, mean in means.items()}
        printed = {"PFLR": 0.8 + more, "PFLR*": star + more, "LR": 0.51 + more}  # LR agrees
        judged.append(verdicts(spec(name), ours, printed))
    assert rule_of(judged).variants_of("table5.1") == chosen


def test_a_deviation_may_name_a_variant_of_the_task_that_helps_another_method() -> None:
    """It makes both cells agree, and counts for each method with the cells of both."""
    means = {**DEFAULT, f"PFLR, {KEPT}": 0.8, f"PFLR*, {KEPT}": 0.9}
    own, printed = spec("table8.2"), {"PFLR": 0.8, "PFLR*": 0.9}
    deviation = {"artefact": "table8.2", "method": "PFLR*", "kind": "variant", "variant": KEPT}
    deviation["cause"] = "The paper prints no protocol."
    rule = PaperRule(chosen={"table8.2": {"PFLR*": [KEPT]}})
    found = verdicts(own, means, printed, deviation, rule=rule)
    assert found.unsupported_deviations == ()
    assert [cell.full_verdict for cell in found.cells] == ["differs", "differs (variant)"]
    (why,) = verdicts(own, means, printed, deviation).unsupported_deviations
    assert "the other artefacts of the chapter would not choose" in why


def test_the_counts_say_why_the_default_task_was_chosen() -> None:
    means = {**DEFAULT, f"PFLR, {KEPT}": 0.8, f"PFLR*, {KEPT}": 0.9}
    own = spec("table8.2", task_chosen_by="the text")
    cells = verdicts(own, means, {"PFLR": 0.8}).cells
    found = {one.variant: one.chosen_by for one in count_variants(cells, own)}
    assert found == {"": "the text", KEPT: ""}
