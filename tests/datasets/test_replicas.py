"""The privacy of the replicas: each release against its declared sensitivity, and the budget that they spend."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import paths
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.mechanisms.ledger import record, replay

SCHEMA = Schema(
    attributes={
        "age": Numeric(0, 40),
        "work": Categorical(("a", "b", "c")),
        "home": Categorical(("x", "y")),
        "rare": Categorical(("p", "q", "r", "s")),
    },
    label="income",
    positive="1",
    protected="sex",
    groups=("f", "m"),
)
LEVELS = {"work": "abc", "home": "xy", "rare": "pqrs", "sex": "fm", "income": "01"}


@pytest.fixture(scope="module")
def script():
    path = paths.folder("data") / "make_replicas.py"
    spec = importlib.util.spec_from_file_location("make_replicas", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    columns = {name: rng.choice(list(levels), rows) for name, levels in LEVELS.items()}
    return pd.DataFrame({"age": rng.integers(0, 41, rows), **columns})


def coded(script, frame):
    values = script.public_values(frame, SCHEMA)
    return {name: script.Column(script.code(frame[name], kind), len(kind)) for name, kind in values.items()}


def test_the_budget_adds_up(script):
    frame = table(np.random.default_rng(0), 200)
    with record() as tape:
        script.replica(frame, SCHEMA, epsilon=1.0, rng=np.random.default_rng(1))
    spent = [entry.sensitivity / entry.scale * (2 if entry.mechanism == "exponential" else 1) for entry in tape]
    assert math.isclose(sum(spent), 1.0)


@pytest.mark.parametrize("seed", range(20))
def test_no_release_moves_more_than_its_sensitivity(script, seed):
    rng = np.random.default_rng(seed)
    frame = table(rng, int(rng.integers(4, 60)))
    neighbour = pd.concat([table(rng, 1), frame.iloc[1:]], ignore_index=True)
    if neighbour["income"].nunique() < 2:
        pytest.skip("the label names are public: both must occur in a table this small")
    with record() as tape:
        script.fit(coded(script, frame), SCHEMA, epsilon=1.0, rng=np.random.default_rng(1))
    with replay(tape) as again:
        script.fit(coded(script, neighbour), SCHEMA, epsilon=1.0, rng=np.random.default_rng(1))
    assert len(again) == len(tape)
    for before, after in zip(tape, again, strict=True):
        change = np.abs(np.asarray(before.value) - np.asarray(after.value))
        moved = change.max() if before.mechanism == "exponential" else change.sum()
        assert moved <= before.sensitivity + 1e-9


def test_dependence_by_hand(script):
    assert script.dependence(np.array([[25.0, 25], [25, 25]])) == 0
    assert script.dependence(np.array([[50.0, 0], [0, 50]])) == 4 * 25
    assert script.dependence(np.array([[49.0, 1], [0, 50]])) == 4 * 24.5


def test_without_noise_the_dependence_of_label_and_protected_survives(script):
    rng = np.random.default_rng(0)
    frame = table(rng, 4000)
    frame["income"] = np.where(rng.random(4000) < np.where(frame["sex"] == "f", 0.2, 0.6), "1", "0")
    fake = script.replica(frame, SCHEMA, epsilon=math.inf, rng=rng)
    gaps = [np.diff((data["income"] == "1").groupby(data["sex"]).mean())[0] for data in (frame, fake)]
    assert abs(gaps[0] - gaps[1]) < 0.05


def test_bins_cover_the_public_range_without_overlap(script):
    bins = script.bins(Numeric(17, 90), "age")
    assert bins[0, 0] == 17
    assert bins[-1, 1] == 90
    np.testing.assert_array_equal(bins[1:, 0], bins[:-1, 1] + 1)


def test_decoding_undoes_coding_up_to_the_bin(script):
    values = script.bins(Numeric(0, 40), "age")
    codes = np.arange(len(values))
    numbers = pd.Series(script.decode(codes, values, np.random.default_rng(0)))
    np.testing.assert_array_equal(script.code(numbers, values), codes)


def test_the_same_table_packs_to_the_same_bytes_and_fits(script, monkeypatch):
    frame = table(np.random.default_rng(0), 20_000)
    facts = {"name": "toy", "how": "toy", "epsilon": 1.0, "source": "toy", "seed": 0}
    monkeypatch.setattr(script, "MAX_BYTES", 30_000)
    packed = script.pack_what_fits(frame, **facts)
    assert packed == script.pack_what_fits(frame, **facts)
    assert 20_000 < len(packed) <= 30_000
