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

from collections.abc import Iterator
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
from dpfair_cli.contracts.arrays import Floats, Ints
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
    """Yields the tables of a chapter, whose methods have the same variants in all tables.

    The default variant of a method is chosen over the whole chapter, as an author would who looks
    at all tables before deciding what a paper leaves open.
    """
    offsets = _draw_offsets(rng)
    scores = np.array([*SCORES.values()])
    expected = scores + rng.normal(0, EFFECT, (TABLES, *SHAPE))
    theirs = [one[..., None] + draw_noise(setting.spread, setting.runs, rng) for one in expected]
    ours = np.empty((TABLES, VARIANTS, *SHAPE, OUR_RUNS))
    for table, k in np.ndindex(TABLES, VARIANTS):
        mean = expected[table] + offsets[:, k, None, :]
        ours[table, k] = mean[..., None] + draw_noise(setting.spread, OUR_RUNS, rng)
    orders = _choose_defaults(ours, np.array(theirs))
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


def _choose_defaults(ours: Floats, theirs: Floats) -> Ints:
    """The order of the variants of each method, the default variant first, (methods, variants).

    `ours` are (tables, variants, methods, epsilons, scores, runs), and `theirs` the same without
    variants.
    """
    apart = np.abs(ours.mean(axis=-1) - theirs.mean(axis=-1)[:, None])
    distances = apart.sum(axis=(0, 3, 4)).T  # of the means of a chapter, (methods, variants)
    is_nearest = np.isin([*CHOICES.values()], [Choice.NEAREST, Choice.RIGHT])
    nearest_first = np.argsort(distances, axis=1, kind="stable")
    return np.where(is_nearest[:, None], nearest_first, np.arange(VARIANTS))


def _variant(rank: int) -> str:
    """The name of the variant at a place of the order; empty for the default variant."""
    return f"variant {rank}" if rank else ""


def _rows(name: str, ours: Floats, orders: Ints) -> pd.DataFrame:
    """The rows of our runs under each variant; `ours` are those of one table."""
    parts = []
    for rank in range(VARIANTS):
        rows = rows_of(name, ours[orders[:, rank], np.arange(len(METHODS))])
        labels = [_label(method, rank) for method in rows["method"]]
        parts.append(rows.assign(method=labels))
    return pd.concat(parts, ignore_index=True)


def _label(method: str, rank: int) -> str:
    """The label of a method under the variant at a place of the order, as specs write it."""
    return f"{method}, {_variant(rank)}" if rank else method


def _spec(name: str, setting: SimulatedSetting) -> Spec:
    """The spec of a table, with all variants of its methods."""
    plain = spec_of(name, setting)
    pairs = product(range(VARIANTS), plain.methods)
    methods = [replace(method, label=_label(method.label, rank)) for rank, method in pairs]
    return replace(plain, methods=tuple(methods))
