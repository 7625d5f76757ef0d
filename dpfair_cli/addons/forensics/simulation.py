"""Made-up papers: sound ones, whose tables come from samples, and ones with a planted forgery.

A paper has one table with two scores of four methods at five epsilons, and a fifth method that does
not use epsilon. A sound paper may come with a declared fact that is wrong, as our reading of a
paper may be. The counts of test records with a correct answer are drawn for each run, with noise
that the methods share (the splits) and noise of their own. The table prints mean and standard
deviation over the runs. In half of the papers, the expected accuracies do not depend on epsilon.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from dpfair_cli.addons.forensics.declaration import parse_declaration
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper, Rounded, describe
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.accounting.accountant import noise_multiplier_for
from dpfair_cli.verdicts.cells.published import PublishedCell

RUNS = (3, 5, 10)
DIGITS = (2, 3, 4, 6)
RECORDS = (100, 1_000, 16_281)
METHODS = ("plain", "fair", "post-processed", "adversarial")
SINGLE = METHODS[-1]  # the method of one run, if the mistake is that of an inherited point
PUBLIC = "not private"
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0)
ACCURACY, GAP = "accuracy", "demographic_parity_difference"
MAJORITY = 0.7
TOP = 0.85  # accuracy without privacy
SHARED = 0.5  # of the variance over runs
GROUP = 1 / 3  # of the test records, the smaller group
STEPS, RATE, DELTA = 1_000, 0.01, 1e-5
FLAT = (1.0, 1.0, 0.0, 0.0)  # by seed: whether the expected accuracy depends on epsilon
UNDERSTATED = 1.1  # the true epsilon of a forged budget, as a multiple of the stated one

Place = tuple[str, float, str]  # method, epsilon and score of a cell


class Forgery(StrEnum):
    """What is planted in a made-up paper."""

    NONE = "none"
    RANGE = "a gap above 1"
    DEVIATION = "a deviation 1.2 times the largest possible one"
    COUNTS = "an accuracy between two counts"
    BUDGET = "a budget understated by a tenth"
    REPEATED = "a cell copied from the next epsilon"
    REPEATED_LIST = "one cell copied to all epsilons"
    UNCHANGED = "an intervention that changes nothing"
    FUNCTION = "deviations of the form c / epsilon"
    MAJORITY = "an accuracy of 0.05 below the majority class"


class Mistake(StrEnum):
    """What is wrong with the declared facts of a sound paper."""

    NONE = "nothing: the declared facts are right"
    RUNS = "a number of runs that is another one"
    DEDUCED = "one run in place of several, declared as deduced from the accuracy"
    INHERITED = "one run, for a method whose point at one epsilon is that of another method"
    RECORDS = "a number of test records that is another one"
    MAJORITY = "a share of the majority class that is 0.1 too high"
    EPSILON = "a method without epsilon that counts as one with epsilon"


# the places of forgeries that copy numbers, each with the place from which they are copied
COPIES: Mapping[Forgery, Mapping[Place, Place]] = {
    Forgery.REPEATED: {("fair", 1.0, ACCURACY): ("fair", 2.0, ACCURACY)},
    Forgery.REPEATED_LIST: {
        ("fair", epsilon, ACCURACY): ("fair", EPSILONS[0], ACCURACY) for epsilon in EPSILONS
    },
    # the numbers of the baseline are printed for an intervention
    Forgery.UNCHANGED: {
        ("fair", *rest): ("plain", *rest) for rest in product(EPSILONS, (ACCURACY, GAP))
    },
}


@dataclass(frozen=True)
class MadeUpSetting:
    """What the tables of a made-up paper have in common."""

    runs: int  # the runs of each mean
    digits: int  # the printed decimals
    records: int  # the test records


def settings() -> list[MadeUpSetting]:
    """Every combination of runs, digits and test records."""
    return [MadeUpSetting(*one) for one in product(RUNS, DIGITS, RECORDS)]


def simulate_paper(
    setting: MadeUpSetting, forgery: Forgery, seed: int, mistake: Mistake = Mistake.NONE
) -> PrintedPaper:
    """A made-up paper with a planted forgery, or a sound one, whose declared facts may be wrong.

    Args:
        setting: The number of runs, of printed decimals and of test records.
        forgery: What is planted.
        seed: The seed of the numbers. It also decides whether accuracies depend on epsilon, and
            whether deviations divide by k or by k - 1.
        mistake: What is wrong with the declared facts, for a sound paper.
    """
    which = [list(Forgery).index(forgery), setting.runs, setting.digits, setting.records]
    rng = np.random.default_rng([seed, *which])
    spread = float(rng.choice([0.003, 0.01, 0.03]))
    facts = _facts(setting, UNDERSTATED if forgery is Forgery.BUDGET else 1.0)
    declaration = parse_declaration(_with_mistake(facts, setting, mistake))
    scores = _draw_scores(setting, spread, FLAT[seed % 4], rng)
    cells: dict[Place, PrintedCell] = {}
    for (method, epsilon, metric), values in scores.items():
        published = PublishedCell(
            "table1", "data", method, metric, 0.0, 0.0, {"epsilon": epsilon}, place="made up"
        )
        if mistake is Mistake.INHERITED and method == SINGLE:
            is_shared = epsilon == EPSILONS[0]
            values = scores[METHODS[0], epsilon, metric] if is_shared else values[:1]
        # half of the papers divide by k, half by k - 1
        numbers = _printed(values, setting.digits, ddof=seed % 2)
        cells[method, epsilon, metric] = describe(published, numbers, declaration)
    cells |= _forged(forgery, cells, setting, rng)
    return PrintedPaper(f"{forgery}-{seed}", [*cells.values()], declaration)


def _facts(setting: MadeUpSetting, factor: float) -> dict[str, list[dict[str, Any]]]:
    """The facts of a made-up paper, by key; its noise costs `factor` times epsilon 1."""
    everywhere = {"place": "made up"}
    noise = {
        "method": "plain",
        "epsilon": 1.0,
        "sigma": _sigma(factor),
        "sampling_rate": RATE,
        "steps": STEPS,
        "delta": DELTA,
    }
    return {
        "runs": [{"value": setting.runs, **everywhere}],
        "test_records": [{"value": setting.records, **everywhere}],
        "majority": [{"value": MAJORITY, **everywhere}],
        "without_epsilon": [{"method": PUBLIC, **everywhere}],
        "baseline": [{"method": [*METHODS[1:]], "of": METHODS[0], **everywhere}],
        "noise": [{**noise, **everywhere}],
    }


def _with_mistake(
    facts: dict[str, list[dict[str, Any]]], setting: MadeUpSetting, mistake: Mistake
) -> dict[str, list[dict[str, Any]]]:
    """The facts of a made-up paper with one that is wrong."""
    changed = copy.deepcopy(facts)
    match mistake:
        case Mistake.RUNS:
            changed["runs"][0]["value"] = _next(RUNS, setting.runs)
        case Mistake.DEDUCED:
            changed["runs"][0] |= {"value": 1, "deduced_from": ACCURACY}
        case Mistake.INHERITED:
            changed["runs"].append({"value": 1, "method": SINGLE, "place": "made up"})
        case Mistake.RECORDS:
            changed["test_records"][0]["value"] = round(0.9 * setting.records)
        case Mistake.MAJORITY:
            changed["majority"][0]["value"] = MAJORITY + 0.1
        case Mistake.EPSILON:
            changed["without_epsilon"] = []
    return changed


def _next(values: Sequence[int], value: int) -> int:
    """The value that comes after one of some values; the first one after the last."""
    return values[(values.index(value) + 1) % len(values)]


@cache
def _sigma(epsilon: float) -> float:
    """The noise multiplier for an epsilon, rounded up to three digits."""
    found = noise_multiplier_for(epsilon, DELTA, sampling_rate=RATE, steps=STEPS)
    return float(np.ceil(found * 1000) / 1000)


def _draw_scores(
    setting: MadeUpSetting, spread: float, slope: float, rng: np.random.Generator
) -> Mapping[Place, Floats]:
    """The scores of the runs, by method, epsilon and score.

    The accuracy lost to noise is `slope` times one that falls with epsilon, and a constant.
    """
    gaps = dict(zip((*METHODS, PUBLIC), (0.15, 0.01, 0.0, 0.05, 0.18), strict=True))
    common = rng.normal(0, spread * SHARED**0.5, setting.runs)  # (runs,)
    found = {}
    for method, gap in gaps.items():
        draws = common + _draw_runs(setting, spread, rng)
        for epsilon in EPSILONS:
            if method != PUBLIC:
                draws = common + _draw_runs(setting, spread, rng)
            lost = 0.05 + slope * ((TOP - MAJORITY - 0.02) / (1 + 2 * epsilon) - 0.05)
            loss = 0.0 if method == PUBLIC else lost
            found[method, epsilon, ACCURACY] = _shares(TOP - loss + draws[0], setting.records)
            one = _shares(0.25 + draws[1], round(setting.records * GROUP))
            other = _shares(0.25 + gap + draws[2], round(setting.records * (1 - GROUP)))
            found[method, epsilon, GAP] = np.abs(one - other)
    return found


def _draw_runs(setting: MadeUpSetting, spread: float, rng: np.random.Generator) -> Floats:
    """The differences of the runs from their means that are not shared, (scores, runs)."""
    return rng.normal(0, spread * (1 - SHARED) ** 0.5, (3, setting.runs))


def _shares(expected: Floats, records: int) -> Floats:
    """Expected shares, rounded to whole records."""
    return np.asarray(np.round(np.clip(expected, 0, 1) * records) / records)


def _printed(values: Floats, digits: int, ddof: int) -> tuple[Rounded, Rounded | None]:
    """Mean and standard deviation of scores, rounded to a number of digits.

    A single score has no deviation.
    """
    half = 0.5 * 10.0**-digits
    if len(values) == 1:
        return Rounded(round(float(values[0]), digits), half), None
    mean, std = float(values.mean()), float(values.std(ddof=ddof))
    return Rounded(round(mean, digits), half), Rounded(round(std, digits), half)


def _forged(
    forgery: Forgery,
    cells: Mapping[Place, PrintedCell],
    setting: MadeUpSetting,
    rng: np.random.Generator,
) -> dict[Place, PrintedCell]:
    """The cells that a forgery changes, as they are then printed."""
    if forgery in COPIES:
        copies = COPIES[forgery].items()
        return {place: _like(cells[place], cells[source]) for place, source in copies}
    fair, gap = ("fair", 1.0, ACCURACY), ("fair", 1.0, GAP)
    match forgery:
        case Forgery.RANGE:
            return {gap: _with(cells[gap], mean=1 + float(rng.choice([0.02, 0.1, 0.3])))}
        case Forgery.DEVIATION:  # a gap varies at most by sqrt(k) times its mean
            most = setting.runs**0.5 * cells[gap].mean.value
            return {gap: _with(cells[gap], std=1.2 * most)}
        case Forgery.COUNTS:
            plain = ("plain", 1.0, ACCURACY)
            return {plain: _with(cells[plain], mean=float(rng.uniform(0.75, 0.85)))}
        case Forgery.FUNCTION:
            scale = float(rng.uniform(0.03, 0.06))
            places = product(["plain"], EPSILONS, [ACCURACY])
            return {place: _with(cells[place], std=scale / place[1]) for place in places}
        case Forgery.MAJORITY:
            return {fair: _with(cells[fair], mean=MAJORITY - 0.05)}
    return {}  # nothing, or a budget, which is declared and not printed


def _with(cell: PrintedCell, *, mean: float | None = None, std: float | None = None) -> PrintedCell:
    """The cell with another mean or deviation, rounded to the digits of its mean."""
    digits = round(-math.log10(2 * cell.mean.half))
    if mean is not None:
        cell = replace(cell, mean=replace(cell.mean, value=round(mean, digits)))
    if std is not None and cell.std:
        cell = replace(cell, std=replace(cell.std, value=round(std, digits)))
    return cell


def _like(cell: PrintedCell, source: PrintedCell) -> PrintedCell:
    """The cell with the numbers of another one."""
    return replace(cell, mean=source.mean, std=source.std)
