"""Works that are judged from printed values: counts by an oracle that reads the files alone.

The oracle uses SciPy's tests on the lines of published.csv and shares no code with the rules.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.reproduction import runs
from dpfair_cli.running.spec import load

ROOT = Path(__file__).parent.parent.parent
STEPS = {
    "SGD to re-used settings": ("SGD, tuned", "DP-SGD, settings of SGD"),
    "re-used to tuned settings": ("DP-SGD, settings of SGD", "DP-SGD, tuned"),
    "SGD to tuned settings": ("SGD, tuned", "DP-SGD, tuned"),
}
# lower means, lower, higher, Holm lower, Holm higher, equivalent at 0.05, at 0.1: by hand
COUNTS = {
    "SGD to re-used settings": (8, 3, 5, 0, 1, 2, 4),
    "re-used to tuned settings": (16, 10, 0, 2, 0, 3, 6),
    "SGD to tuned settings": (15, 10, 1, 4, 0, 1, 9),
    "SGD to tuned settings, notions of the abstract": (12, 9, 0, 4, 0, 0, 5),
}


def lines(work: str) -> list[dict[str, str]]:
    with (ROOT / "experiments" / work / "published.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows(artefact: str) -> Iterator[dict[str, Any]]:
    for line in (ROOT / "results" / artefact / "runs.jsonl").read_text().splitlines():
        yield json.loads(line)


@cache
def compared(artefact: str) -> list[dict[str, Any]]:
    """The options and scores of each line of a re-analysis."""
    found = runs.compared(load(artefact), ROOT / "experiments" / artefact.split("/")[0])
    return found.to_dict("records")


def scores(first: str, second: str, count: int, rule: dict[str, Any]) -> dict[str, float]:
    """The scores of the line of table-retest on these methods with so many counted comparisons."""
    wanted = {"first": first, "second": second, "comparisons": count, **rule}
    found = [one for one in compared("demelius2025/table-retest") if wanted.items() <= one.items()]
    assert len(found) == 1
    return found[0]


def welch_p(first: str, second: str, with_auc: bool, notions: int) -> tuple[Any, Any, Any]:
    """The two-sided p-values, the largest one-sided p at a margin, and which are counted."""
    cells: dict[Any, dict[str, tuple[float, float]]] = defaultdict(dict)
    for line in lines("demelius2025"):
        cells[line["dataset"], line["metric"]][line["method"]] = (
            float(line["mean"]),
            float(line["std"]),
        )
    wanted = [key for key in cells if with_auc or not key[1].startswith("roc")]
    counted = np.array([key[1] != "roc_auc" for key in wanted])
    one, two = (np.array([cells[key][name] for key in wanted]) for name in (first, second))
    assert counted.sum() == notions

    def test(shift: float, side: str) -> Any:
        return stats.ttest_ind_from_stats(
            two[:, 0] + shift, two[:, 1], 5, one[:, 0], one[:, 1], 5, False, side
        )

    both = test(0.0, "two-sided")
    equivalence = {
        margin: np.maximum(test(margin, "greater").pvalue, test(-margin, "less").pvalue)
        for margin in (0.05, 0.1)
    }
    return both, equivalence, counted


def holm(p: Any) -> Any:
    """Holm's rule by its definition: each p-value in turn, until one is too large."""
    decided = np.zeros(len(p), dtype=bool)
    for k, place in enumerate(np.argsort(p)):
        if p[place] >= 0.05 / (len(p) - k):
            break
        decided[place] = True
    return decided


@pytest.mark.parametrize("step", COUNTS)
def test_the_counts_of_a_step_are_those_of_scipy_and_by_hand(step: str) -> None:
    first, second = STEPS[step.partition(",")[0]]
    with_auc = "notions" not in step
    notions = 20 if with_auc else 15
    both, equivalence, counted = welch_p(first, second, with_auc, notions)
    lower = both.statistic < 0
    significant, corrected = both.pvalue < 0.05, holm(both.pvalue)
    oracle = [
        lower, significant & lower, significant & ~lower, corrected & lower, corrected & ~lower,
        equivalence[0.05] < 0.05, equivalence[0.1] < 0.05,
    ]  # fmt: skip
    assert tuple(int(one[counted].sum()) for one in oracle) == COUNTS[step]
    small = {"algorithm": "welch_test", "correction": "none", "margin": 0.05}
    plain = scores(first, second, notions, small)
    large = scores(first, second, notions, small | {"margin": 0.1})
    together = scores(first, second, notions, small | {"correction": "holm"})
    ours = [plain[name] for name in ("lower_means", "lower", "higher")]
    ours += [together["lower"], together["higher"], plain["equivalent"], large["equivalent"]]
    assert tuple(ours) == COUNTS[step]


def test_the_mistyped_pair_is_the_area_itself() -> None:
    typed = {
        (line["method"], line["metric"]): line["printed"]
        for line in lines("demelius2025")
        if line["dataset"] == "lsac"
    }
    later = typed["DP-SGD, tuned, as typed in the later blocks", "roc_auc_difference"]
    assert later == typed["DP-SGD, tuned", "roc_auc"] == "0.7962±0.0077"
    assert typed["DP-SGD, tuned", "roc_auc_difference"] == "0.0575±0.0128"


@pytest.mark.parametrize("score", ["auc", "accuracy"])
@pytest.mark.parametrize(("grid", "name"), [("table-grid-sgd", "sgd"), ("table-grid", "dpsgd")])
def test_tuned_settings_are_the_best_on_the_validation_part(
    grid: str, name: str, score: str
) -> None:
    found = defaultdict(list)
    for row in rows(f"demelius2025/{grid}"):
        assert row["protocol"]["part"] == "validation"
        setting = (row["params"]["epochs"], row["params"]["learning_rate"])
        found[(*setting, row["params"].get("clip_norm"))].append(row["scores"][score])
    best = max(found, key=lambda setting: np.mean(found[setting]))
    used = {
        (row["params"]["epochs"], row["params"]["learning_rate"], row["params"].get("clip_norm"))
        for row in rows("demelius2025/table-adult")
        if row["algorithm"] == name
    }
    assert best in used


def test_fifteen_of_the_accuracy_parities_of_pujol_are_impossible() -> None:
    parities = [line for line in lines("pujol2023") if line["metric"] == "accuracy_parity"]
    above = [line for line in parities if float(line["mean"]) > 1]
    assert (len(parities), len(above)) == (76, 15)
    assert {line["learner"] for line in above} == {"linear regression", "random forest"}
    found = {one["comparisons"]: one for one in compared("pujol2023/table-impossible")}
    assert found[76]["higher"] == 15


def test_privbayes_prints_one_distance_at_five_epsilons() -> None:
    found = defaultdict(set)
    for line in lines("pujol2023"):
        if line["metric"] in ("tv_distance_1way", "tv_distance_2way"):
            found[line["dataset"], line["method"], line["metric"]].add(line["printed"])
    repeated = {method for (_, method, _), values in found.items() if len(values) == 1}
    assert repeated == {"PrivBayes", "fair PrivBayes (greedy)"}


def tradeoff(accuracy: float, gap: float) -> float:
    return float(np.sqrt(((1 - accuracy) ** 2 + gap**2) / 2))


def test_post_processing_wins_no_seed_of_the_block() -> None:
    """The best trade-off of each stage at every seed, from the lines alone."""
    values = {
        (line["random_seed"], line["epsilon"], line["method"], line["metric"]): float(line["mean"])
        for line in lines("verona2026")
        if line["artefact"] == "table-not-run"
        and line["random_seed"]
        and line["epsilon"] in ("2", "3")
    }
    stages = {
        "pre": ("reweighing", "disparate-impact remover", "learned fair representation"),
        "in": ("exponentiated gradient", "grid search"),
        "post": ("reject option", "equalized odds"),
    }
    settings = {(key[0], key[1]) for key in values}
    assert len(settings) == 40
    for (seed, epsilon), gap in ((one, gap) for one in settings for gap in ("eod", "spd")):
        best = {
            stage: min(
                tradeoff(values[seed, epsilon, one, "accuracy"], values[seed, epsilon, one, gap])
                for one in methods
                if (seed, epsilon, one, gap) in values
            )
            for stage, methods in stages.items()
        }
        assert best["post"] > max(best["pre"], best["in"])
    found = compared("verona2026/table-stages")
    assert [(one["lower"], one["higher"]) for one in found] == [(0, 20)] * 8
    assert {one["smallest_p"] for one in found} == {round(0.5**20, 8)}


def test_both_documents_of_cebere_print_73_tests() -> None:
    totals = defaultdict(float)
    for line in lines("cebere2026"):
        if line["dataset"] == "total" and line["metric"] in ("audit_pass", "audit_fail"):
            totals[line["method"]] += float(line["mean"])
    assert totals == {"appendix": 73, "harness README": 73}
