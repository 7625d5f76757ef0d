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
from dpfair_cli.contracts.errors import DpfairError
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


# The codes of a table, and a table from codes.

SMALL_SCHEMA = Schema(
    attributes={"age": Numeric(0, 40), "work": Categorical(("a", "b", "c"))},
    label="income",
    positive=">50K",
    protected="sex",
    groups=("f", "m"),
)
SMALL = pd.DataFrame(
    {
        "work": ["c", "a", "b"],
        "income": [">50K", "<=50K", ">50K"],
        "age": [0, 21, 40],
        "sex": ["m", "f", "m"],
    }
)


def test_bins_cover_the_public_range_without_overlap(script):
    found = script.bins(Numeric(17, 90))
    assert len(found) == 16
    assert (found[0, 0], found[-1, 1]) == (17, 90)
    np.testing.assert_array_equal(found[1:, 0], found[:-1, 1] + 1)


def test_given_bins_begin_at_the_given_numbers(script):
    assert script.bins(Numeric(0, 9), (0, 1, 5)).tolist() == [[0, 0], [1, 4], [5, 9]]


def test_codes_by_hand(script):
    values = script.public_values(SMALL, SMALL_SCHEMA, {"age": (0, 20, 30)})
    found = script.discretise(SMALL, values)
    assert found.names == ("age", "work", "sex", "income")
    assert found.levels == (3, 3, 2, 2)
    # the positive label is the last
    assert found.values.tolist() == [[0, 2, 1, 1], [1, 0, 0, 0], [2, 1, 1, 1]]


def test_decoding_undoes_coding_up_to_the_bin(script):
    values = script.public_values(SMALL, SMALL_SCHEMA, {})
    codes = script.discretise(SMALL, values)
    again = script.values_from_codes(codes, values, list(SMALL), rng=np.random.default_rng(0))
    assert list(again) == list(SMALL)
    assert (again[["work", "income", "sex"]] == SMALL[["work", "income", "sex"]]).all(axis=None)
    np.testing.assert_array_equal(script.discretise(again, values).values, codes.values)


def test_a_level_that_is_not_public_is_refused(script):
    values = script.public_values(SMALL, SMALL_SCHEMA, {})
    with pytest.raises(DpfairError, match="column 'work' has the unknown level 'd' in 1 rows"):
        script.discretise(SMALL.assign(work=["d", "a", "b"]), values)
