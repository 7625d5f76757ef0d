"""Simulated papers: runs of ours and published values of which the right verdicts are known.

The scores of a run are normally distributed around the mean of its method. Half of the variance is
that of the split, which all methods and epsilons share for one seed. There are four kinds of
plain papers. In all of them our runs come from the true means:

true      each published value is the mean of a few runs like ours
noisy     the same, but the runs vary much
mixed up  in each table, the published rows of two methods are exchanged
shifted   a constant is added to half of the published values

Three more kinds have what real papers have, too. Half of their published values are shifted:

few seeds        three, two or one runs of ours, and published values of single runs
relative margin  scores that are not rates: a norm and a number of edges
chosen variants  methods with several variants (`variants.py`)

In five kinds the published runs are not like ours, and the rule cannot know it. Half of the values
are shifted, too, and no deviation is printed:

one split              all runs of a table share their split
twice or thrice wider  the standard deviation of a published run is two or three times ours
best run               each published value is that of the best of several runs
guessed runs           the paper has made fewer or more runs than is assumed

In a paper *at the margin*, every value is moved by the margin: up or down at random, or all values
of a table to one side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm, DataSet, DataSource, Method, Study, Task
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.verdicts.cells.comparison import MARGIN, RELATIVE_MARGIN
from dpfair_cli.verdicts.cells.published import PublishedCell

METHODS = ("A", "B", "C", "D")
EPSILONS = (0.1, 1.0, 10.0, 100.0)
SCORES = {"accuracy": 0.8, "demographic_parity_difference": 0.2}  # with the mean over methods
MAJORITY = 0.75  # accuracy of the majority class
EFFECT = 0.05  # standard deviation of the means of methods
SHARED = 0.5  # share of the variance that runs with one seed share
SPREADS = (0.005, 0.02, 0.06)  # standard deviations over runs
LARGE_SPREADS = (0.1, 0.2)  # of noisy papers
PAPER_RUNS = (1, 5, 10)  # runs in a published mean
OUR_RUNS = 20
SHIFTS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15)
PRINTED_DIGITS = 4
FEW_RUNS = (3, 3, 2, 1)  # of ours, of each method of a paper with few seeds
NORMS = {"norm": 5.0, "edges": 40.0}  # scores that are not rates, with a typical mean
COUNT = "edges"  # the score that is a whole number

SHAPE = (len(METHODS), len(EPSILONS), len(SCORES))


class PaperKind(StrEnum):
    """The kinds of simulated papers."""

    TRUE = "true"
    NOISY = "noisy"
    MIXED_UP = "mixed up"
    SHIFTED = "shifted"
    FEW_SEEDS = "few seeds"
    RELATIVE = "relative margin"
    CHOSEN = "chosen variants"
    ONE_SPLIT = "one split"
    TWICE = "runs vary twice as much"
    THRICE = "runs vary three times as much"
    BEST = "best run"
    GUESSED = "guessed number of runs"
    AT_MARGIN = "at the margin"


PLAIN_KINDS = (PaperKind.TRUE, PaperKind.NOISY, PaperKind.MIXED_UP, PaperKind.SHIFTED)
WIDER = {PaperKind.TWICE: 2.0, PaperKind.THRICE: 3.0}
OTHER_PROTOCOLS = (PaperKind.ONE_SPLIT, *WIDER, PaperKind.BEST, PaperKind.GUESSED)
SHIFTED_KINDS = (PaperKind.SHIFTED, PaperKind.FEW_SEEDS, *OTHER_PROTOCOLS)


class SimulatedSetting(NamedTuple):
    """What distinguishes the tables of a simulated paper."""

    spread: float  # the standard deviation of a score over runs
    runs: int  # the number of runs in a published mean
    has_std: bool  # whether the paper prints the standard deviations


class Truth(NamedTuple):
    """What is known about a simulated cell."""

    setting: SimulatedSetting  # the setting of its table
    # the expectation of our mean minus that of the published mean, in units in which the margin of
    # a rate is 0.02
    difference: float
    is_exchanged: bool = False  # whether the published value is that of another method
    our_runs: int = OUR_RUNS  # the number of our runs
    expected: float = math.nan  # expectation of our mean; NaN if the order of methods is not judged
    # how the default variant of the method was chosen; empty for a method without variants
    choice: str = ""
    # name of a variant -> the difference under this variant
    under: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class SimulatedTable:
    """A table of a simulated paper."""

    setting: SimulatedSetting  # the setting of the table
    spec: Spec  # the methods, the data set and the number of runs of the paper
    rows: pd.DataFrame  # our runs
    truths: Mapping[PublishedCell, Truth]  # the published cells, with what is known about each


def simulate_paper(kind: PaperKind, seed: int) -> list[SimulatedTable]:
    """The tables of a simulated paper: one for each setting."""
    rng = np.random.default_rng([seed, list(PaperKind).index(kind)])
    spreads = LARGE_SPREADS if kind is PaperKind.NOISY else SPREADS
    settings = list(settings_of(spreads))
    if kind is PaperKind.FEW_SEEDS:
        settings = [SimulatedSetting(spread, 1, has_std=False) for spread in spreads]
    if kind in OTHER_PROTOCOLS:
        settings = [one for one in settings if not one.has_std]
    simulate = _simulate_relative_table if kind is PaperKind.RELATIVE else _simulate_table
    return [simulate(kind, number, setting, rng) for number, setting in enumerate(settings, 1)]


def settings_of(spreads: Sequence[float]) -> Iterator[SimulatedSetting]:
    """Yields each setting; a paper prints no standard deviation of a single run."""
    for spread, runs, has_std in product(spreads, PAPER_RUNS, (False, True)):
        if runs > 1 or not has_std:
            yield SimulatedSetting(spread, runs, has_std)


def _simulate_table(
    kind: PaperKind, number: int, setting: SimulatedSetting, rng: np.random.Generator
) -> SimulatedTable:
    """One table of a simulated paper whose scores are an accuracy and a gap of groups.

    The published values of a mixed up paper are those of the true means in another order of
    methods, and those of a shifted paper are moved by a constant. Our runs are always of the true
    means.
    """
    effects = rng.normal(0, EFFECT, SHAPE)
    true = np.array([*SCORES.values()]) + effects  # (methods, epsilons, scores)
    ours = true[..., None] + draw_noise(setting.spread, OUR_RUNS, rng)
    order = np.arange(len(METHODS))
    if kind is PaperKind.MIXED_UP:
        pair = rng.choice(len(METHODS), 2, replace=False)
        # two methods change places in all epsilons and scores, as two columns of a table would
        order[pair] = pair[::-1]
    expected = true[order]
    if kind in SHIFTED_KINDS:
        expected = expected + _draw_shifts(rng)
    if kind is PaperKind.AT_MARGIN:
        is_one_sided = number % 2
        expected = expected + MARGIN * (1 if is_one_sided else rng.choice([-1, 1], SHAPE))
    # from other runs than ours, as those of the authors are
    theirs = expected[..., None] + _published_noise(kind, setting, rng)
    moved = np.flatnonzero(order != np.arange(len(METHODS)))
    runs = FEW_RUNS if kind is PaperKind.FEW_SEEDS else (OUR_RUNS,) * len(METHODS)
    truths = {}
    for place in np.ndindex(SHAPE):
        difference = float(true[place] - expected[place])
        truth = Truth(setting, difference, place[0] in moved, runs[place[0]], float(true[place]))
        truths[published_cell(number, place, theirs[place], setting)] = truth
    rows = rows_of(number, ours)
    rows = rows[rows["seed"] < rows["method"].map(dict(zip(METHODS, runs, strict=True)))]
    return SimulatedTable(setting, spec_of(number, setting), rows, truths)


def _simulate_relative_table(
    _: PaperKind, number: int, setting: SimulatedSetting, rng: np.random.Generator
) -> SimulatedTable:
    """One table of a simulated paper whose scores are a norm and a number of edges.

    Effects, noise and shifts are those of rates times five, as parts of the values: the margin of
    these scores, a tenth, is five times that of rates.
    """
    part = RELATIVE_MARGIN / MARGIN
    true = np.array([*NORMS.values()]) * np.exp(part * rng.normal(0, EFFECT, SHAPE))
    shifts = _draw_shifts(rng)
    expected = true / (1 + part * shifts)
    ours, theirs = (
        means[..., None] * (1 + part * draw_noise(setting.spread, runs, rng))
        for means, runs in ((true, OUR_RUNS), (expected, setting.runs))
    )
    for scores in (ours, theirs):
        count = [*NORMS].index(COUNT)
        scores[:, :, count] = np.round(scores[:, :, count])
    names = [*NORMS]
    truths = {
        published_cell(number, place, theirs[place], setting, names): Truth(
            setting, float(shifts[place])
        )
        for place in np.ndindex(SHAPE)
    }
    spec = spec_of(number, setting, names)
    return SimulatedTable(setting, spec, rows_of(number, ours, names), truths)


def draw_noise(spread: float, runs: int, rng: np.random.Generator) -> Floats:
    """The differences of runs from their means, (methods, epsilons, scores, runs).

    The part of the variance that is shared is drawn once for a run and a score, as that of a split
    on which all methods are scored.
    """
    shared = rng.normal(0, spread * SHARED**0.5, (1, 1, len(SCORES), runs))
    own = rng.normal(0, spread * (1 - SHARED) ** 0.5, (*SHAPE, runs))
    return shared + own


def _published_noise(
    kind: PaperKind, setting: SimulatedSetting, rng: np.random.Generator
) -> Floats:
    """The differences of published runs from their means, (methods, epsilons, scores, runs)."""
    spread = setting.spread * WIDER.get(kind, 1.0)
    runs = setting.runs
    if kind is PaperKind.GUESSED:
        runs = int(rng.choice(PAPER_RUNS))  # and not the number that the setting tells the rule
    noise = draw_noise(spread, runs, rng)
    if kind is PaperKind.ONE_SPLIT:
        # the shared part is that of one run, however many there are
        own = rng.normal(0, spread * (1 - SHARED) ** 0.5, noise.shape)
        noise = own + rng.normal(0, spread * SHARED**0.5, (1, 1, len(SCORES), 1))
    if kind is PaperKind.BEST:
        best = noise[:, :, :1].argmax(axis=-1, keepdims=True)  # by the first score
        noise = np.take_along_axis(noise, np.broadcast_to(best, (*SHAPE, 1)), axis=-1)
    return noise


def _draw_shifts(rng: np.random.Generator) -> Floats:
    """A shift for half of the cells, and 0 for the others, (methods, epsilons, scores)."""
    sizes = rng.choice(SHIFTS, SHAPE) * rng.choice([-1, 1], SHAPE)
    return np.asarray(sizes * rng.choice([0, 1], SHAPE))


def published_cell(
    number: int | str,
    place: tuple[int, ...],
    scores: Floats,
    setting: SimulatedSetting,
    names: Sequence[str] = (*SCORES,),
) -> PublishedCell:
    """The cell of a method, epsilon and score, as a paper prints it.

    Args:
        number: The number of the table.
        place: The indices of the method, the epsilon and the score.
        scores: The scores of the runs of the paper, (runs,).
        setting: Whether the paper prints deviations.
        names: The names of the scores.
    """
    method, epsilon, score = place
    std = float(scores.std(ddof=1)) if setting.has_std else float("nan")
    return PublishedCell(
        artefact=f"table{number}",
        dataset=f"data{number}",
        method=METHODS[method],
        metric=names[score],
        mean=round(float(scores.mean()), PRINTED_DIGITS),
        std=round(std, PRINTED_DIGITS),
        parameters={"epsilon": EPSILONS[epsilon]},
    )


def rows_of(number: int | str, scores: Floats, names: Sequence[str] = (*SCORES,)) -> pd.DataFrame:
    """The rows of our runs, one for each method, epsilon and seed, as a journal has them.

    Args:
        number: The number of the table.
        scores: The scores, (methods, epsilons, scores, runs).
        names: The names of the scores.
    """
    lines = []
    for method, epsilon, seed in np.ndindex(len(METHODS), len(EPSILONS), OUR_RUNS):
        line = {
            "dataset": f"data{number}",
            "method": METHODS[method],
            "algorithm": METHODS[method].lower(),
            "epsilon": EPSILONS[epsilon],
            "seed": seed,
            "majority_accuracy": MAJORITY,
        }
        lines.append(line | dict(zip(names, scores[method, epsilon, :, seed], strict=True)))
    return pd.DataFrame(lines)


def spec_of(
    number: int | str, setting: SimulatedSetting, names: Sequence[str] = (*SCORES,)
) -> Spec:
    """The spec of a table, whose declarations cannot be run."""
    methods = [(Algorithm(_no_runs).registered(name.lower(), ""), name) for name in METHODS]
    unbounded = tuple(name for name in names if name in NORMS)
    study = Study(_no_runs, _no_runs, (*names,), unbounded=unbounded)
    return Spec(
        artefact=f"simulated/table{number}",
        title="A simulated table",
        source="",
        task=Task(study.registered("simulated", ""), {}),
        datasets=(DataSet(DataSource(_no_runs, note="").registered(f"data{number}", ""), {}),),
        methods=tuple(
            Method(algorithm, {"epsilon": epsilon}, name, name)
            for (algorithm, name), epsilon in product(methods, EPSILONS)
        ),
        seeds=OUR_RUNS,
        layout=TableLayout(("dataset", "epsilon", "method"), (*names,)),
        published_runs=setting.runs,
    )


def _no_runs(*_: object, **__: object) -> Outcome:
    """What the declarations of a simulated spec have in place of a fit, a loader and a study."""
    raise NotImplementedError("a simulated paper has no code that can run")
