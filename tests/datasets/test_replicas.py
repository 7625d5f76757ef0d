"""The script that makes the replicas: their form, their rules, and that bytes are reproducible."""

import gzip
import importlib.util
from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog, paths
from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.mechanisms.ledger import record

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


@pytest.mark.parametrize("way", ["synthetic", "made_up"])
def test_a_replica_has_the_form_of_the_table_and_spends_the_whole_budget(script, way):
    frame = table(np.random.default_rng(0), 200)
    with record() as tape:
        fake = getattr(script, way)(frame, SCHEMA, epsilon=1.0, rng=np.random.default_rng(1))
    assert list(fake) == list(frame)
    assert len(fake) == len(frame)
    assert privacy_loss(tape, [entry.sensitivity for entry in tape], 0.0) == pytest.approx(1.0)


def test_made_up_numbers_do_not_depend_on_the_numbers_of_the_table(script):
    schema = replace(SCHEMA, attributes={f"x{j}": Numeric(0, 1) for j in range(12)})
    frame = table(np.random.default_rng(0), 300)[["sex", "income"]].assign(
        **dict.fromkeys(schema.attributes, 0.0)
    )
    fakes = [
        script.made_up(frame.assign(x3=value), schema, epsilon=inf, rng=np.random.default_rng(1))
        for value in (0.0, 1.0)
    ]
    pd.testing.assert_frame_equal(*fakes)
    numbers = fakes[0][list(schema.attributes)].to_numpy()
    assert 0.25 <= numbers.min() <= numbers.max() <= 0.85
    lifts = {
        name: np.diff(fakes[0].groupby(by)[name].mean())[0]
        for name, by in (("x0", "income"), ("x5", "sex"))
    }
    assert lifts == pytest.approx(
        {"x0": 0.1, "x5": 0.1}, abs=0.07
    )  # 4 standard errors of 300 uniform halves


def test_without_noise_the_dependence_of_label_and_protected_survives(script):
    rng = np.random.default_rng(0)
    frame = table(rng, 4000)
    frame["income"] = np.where(rng.random(4000) < np.where(frame["sex"] == "f", 0.2, 0.6), "1", "0")
    fake = script.synthetic(frame, SCHEMA, epsilon=inf, rng=rng)
    gaps = [
        np.diff((data["income"] == "1").groupby(data["sex"]).mean())[0] for data in (frame, fake)
    ]
    assert gaps[1] == pytest.approx(gaps[0], abs=0.05)


def test_the_same_table_packs_to_the_same_bytes_and_fits(script, monkeypatch):
    frame = table(np.random.default_rng(0), 20_000)
    facts = {"name": "toy", "how": "toy", "epsilon": 1.0, "source": "toy", "seed": 0}
    monkeypatch.setattr(script, "MAX_BYTES", 30_000)
    packed = script.pack_what_fits(frame, **facts)
    assert packed == script.pack_what_fits(frame, **facts)
    assert 20_000 < len(packed) <= 30_000


def test_every_replica_that_the_script_makes_is_there_and_says_what_it_is(script):
    for name in (*script.NAMES, *script.TOO_WIDE):
        path = catalog.data_source(name).replica.path(script.REPLICAS)
        with gzip.open(path, "rt") as file:
            first, how = next(file), next(file)
        assert first.startswith(f"# SYNTHETIC replica of `{name}`: no row is a person.")
        assert how.startswith("# how: data/make_replicas.py: ")
