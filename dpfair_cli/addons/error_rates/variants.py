"""Simulated chapters whose methods have three variants each.

The mean of a variant differs from that of the paper by a constant for each score, which is 0 for a
right variant. All tables of a chapter have the same constants. The four methods of a chapter differ
in how their default variant is chosen, and in whether a variant is right:

drawn, none right     the default is any variant
nearest, none right   the default is the variant that is nearest to the cells of the chapter
nearest, one right    the same
wrong, another right  the default is a wrong variant, and another one is right
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import product

import numpy as np
import pandas as pd

from dpfair_cli.addons.error_rates.simulation import (
    EFFECT,
    METHODS,
    OUR_RUNS,
    SCORES,
    SHAPE,
    SPREADS,
    PaperKind,
    SimulatedSetting,
    SimulatedTable,
    Truth,
    draw_noise,
    published_cell,
    rows_of,
    settings_of,
    spec_of,
)
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.specs import Spec

VARIANTS = 3
TABLES = 2  # of a chapter


class Choice(StrEnum):
    """How the default variant of a method is chosen, and whether a variant is right."""

    DRAWN = "drawn, none right"
    NEAREST = "nearest, none right"
    RIGHT = "nearest, one right"
    WRONG = "wrong, another right"


CHOICES = dict(zip(METHODS, Choice, strict=True))


def simulate_chapters(seed: int) -> list[SimulatedTable]:
    """The tables of a simulated paper: a chapter for each setting without printed deviations."""
    rng = np.random.default_rng([seed, list(PaperKind).index(PaperKind.CHOSEN)])
    settings = [one for one in settings_of(SPREADS) if not one.has_std]
    tables: list[SimulatedTable] = []
    for number, setting in enumerate(settings, 1):
        tables += _simulate_chapter(number, setting, rng)
    return tables


def _simulate_chapter(
    chapter: int, setting: SimulatedSetting, rng: np.random.Generator
) -> Iterator[SimulatedTable]:
    """Yields the tables of a chapter."""
    offsets = _draw_offsets(rng)
    scores = np.array([*SCORES.values()])
    expected = scores + rng.normal(0, EFFECT, (TABLES, *SHAPE))
    theirs = [one[..., None] + draw_noise(setting.spread, setting.runs, rng) for one in expected]
    ours = []
    for one in expected:
        of_variants = [(one + offsets[:, k, None, :])[..., None] for k in range(VARIANTS)]
        ours.append([mean + draw_noise(setting.spread, OUR_RUNS, rng) for mean in of_variants])
    orders = _choose_defaults(ours, theirs)
    for table in range(TABLES):
        name = f"{chapter}.{table + 1}"
        truths = {}
        for place in np.ndindex(SHAPE):
            method, _, score = place
            under = {
                _variant(rank): float(offsets[method, k, score])
                for rank, k in enumerate(orders[method])
            }
            truth = Truth(setting, under[""], choice=CHOICES[METHODS[method]], under=under)
            truths[published_cell(name, place, theirs[table][place], setting)] = truth
        yield SimulatedTable(
            setting, _spec(name, setting), _rows(name, ours[table], orders), truths
        )


def _draw_offsets(rng: np.random.Generator) -> Floats:
    """The differences of each variant from the paper, (methods, variants, scores)."""
    offsets = rng.normal(0, EFFECT, (len(METHODS), VARIANTS, len(SCORES)))
    for k, choice in enumerate(CHOICES.values()):
        if choice in (Choice.RIGHT, Choice.WRONG):
            offsets[k, 1] = 0
    return offsets


def _choose_defaults(ours: Sequence[Sequence[Floats]], theirs: Sequence[Floats]) -> list[list[int]]:
    """The order of the variants of each method, the default variant first."""
    orders = []
    for method, choice in enumerate(CHOICES.values()):
        order = list(range(VARIANTS))
        if choice in (Choice.NEAREST, Choice.RIGHT):
            apart = _distances(ours, theirs, method)
            order.sort(key=lambda variant: apart[variant])
        orders.append(order)
    return orders


def _distances(
    ours: Sequence[Sequence[Floats]], theirs: Sequence[Floats], method: int
) -> list[float]:
    """The sum of the absolute differences of means from those of the paper, for each variant."""
    found = [0.0] * VARIANTS
    for own, published in zip(ours, theirs, strict=True):
        mean = published[method].mean(axis=-1)
        for variant in range(VARIANTS):
            found[variant] += float(np.abs(own[variant][method].mean(axis=-1) - mean).sum())
    return found


def _variant(rank: int) -> str:
    """The name of the variant at a place of the order; empty for the default variant."""
    return f"variant {rank}" if rank else ""


def _rows(name: str, ours: Sequence[Floats], orders: Sequence[Sequence[int]]) -> pd.DataFrame:
    """The rows of our runs under each variant."""
    parts = []
    for rank in range(VARIANTS):
        scores = np.stack([ours[order[rank]][k] for k, order in enumerate(orders)])
        rows = rows_of(name, scores)
        parts.append(rows.assign(method=rows["method"].map(lambda one, r=rank: _label(one, r))))
    return pd.concat(parts, ignore_index=True)


def _label(method: str, rank: int) -> str:
    return f"{method}, {_variant(rank)}" if rank else method


def _spec(name: str, setting: SimulatedSetting) -> Spec:
    """The spec of a table, with all variants of its methods."""
    plain = spec_of(name, setting)
    pairs = product(range(VARIANTS), plain.methods)
    methods = [replace(method, label=_label(method.label, rank)) for rank, method in pairs]
    return replace(plain, methods=tuple(methods))
