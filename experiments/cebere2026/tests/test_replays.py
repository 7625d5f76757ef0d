"""Replays of dpmm: counts by hand, and the committed lines."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli.papers.cebere2026.data import dpmm_replays
from dpfair_cli.papers.cebere2026.methods.replayed_model import fit
from dpfair_cli.papers.cebere2026.models.replays import Replays
from dpfair_cli.papers.cebere2026.tasks import replay_outcomes

RNG = np.random.default_rng(0)
# model, seed, outcome, scale
LINES = [
    ("AIM", "0", "passes", "equal"),
    ("AIM", "1", "cast error", "equal"),
    ("PrivBayes", "0", "passes", "differs"),
    ("PrivBayes", "1", "domain", "equal"),
]


def made_up():
    keys = ("model", "seed", "outcome", "scale")
    lines = [dict(zip(keys, line, strict=True)) | {"neighbours": "remove"} for line in LINES]
    return Replays(tuple(lines))


def scores(model):
    case = replay_outcomes.split(made_up(), rng=RNG)
    return replay_outcomes.score(fit(case.train, model=model, rng=RNG), case)


def test_outcomes_are_counted_per_seed():
    found = scores("all")
    assert found["cast_errors"] == found["domain_differences"] == found["scale_differences"] == 0.5
    assert (found["passed"], found["failed"]) == (1.0, 1.0)


def test_another_scale_is_counted_apart():
    assert (scores("PrivBayes")["failed"], scores("PrivBayes")["failed_or_scale"]) == (0.5, 1.0)
    assert (scores("AIM")["failed"], scores("AIM")["failed_or_scale"]) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("levels", "compression"), [*product(["from data", "given"], ["on", "off"])]
)
def test_each_test_is_replayed_with_each_seed(levels, compression):
    replays = dpmm_replays.load(Path(), levels=levels, compression=compression)
    found = {(one["model"], one["neighbours"], one["seed"]) for one in replays.lines}
    assert len(found) == len(replays) == 2 * 9 * 10
    assert {one["version"] for one in replays.lines} == {"dpmm 0.1.9"}


def test_a_distance_is_above_the_sensitivity_where_it_is_the_outcome():
    for one in dpmm_replays.load(Path()).lines:
        if one["outcome"] in ("distance", "passes"):
            is_above = float(one["distance"]) > float(one["sensitivity"])
            assert is_above == (one["outcome"] == "distance")
