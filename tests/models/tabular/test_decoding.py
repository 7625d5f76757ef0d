"""Decoding returns the encoded table: levels exactly, numbers somewhere in their bin."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.tabular.encoding import decode, encode

SCHEMA = Schema(
    attributes={
        "age": Numeric(10, 20, bins=((10, 12), (13, 15), (16, 20))),
        "work": Categorical(("private", "public", "none")),
        "share": Numeric(0, 1, bins=((0.0, 0.25), (0.25, 1.0))),
        "house": Categorical(("10", "9")),
    },
    label="income",
    positive="high",
    protected="sex",
    groups=("male", "female"),
)


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(10, 21, n),
            "work": rng.choice(["private", "public", "none"], n),
            "share": rng.random(n),
            "house": rng.choice(["10", "9"], n),
            "sex": rng.choice(["female", "male"], n),
            "income": rng.choice(["low", "high"], n),
        }
    )


def decoded(records, seed=0):
    return decode(records, rng=np.random.default_rng(seed))


def test_levels_groups_and_labels_come_back_exactly_as_text():
    before = table()
    after = decoded(encode(before, SCHEMA, encoding="binned"))
    for name in ("work", "house", "sex", "income"):
        assert after[name].tolist() == before[name].tolist(), name
        assert all(isinstance(value, str) for value in after[name]), name


def test_the_decoded_columns_are_attributes_protected_column_and_label():
    shuffled = table()[["income", "house", "age", "sex", "work", "share"]]
    after = decoded(encode(shuffled, SCHEMA, encoding="binned"))
    assert list(after) == ["age", "work", "share", "house", "sex", "income"]
    assert len(after) == 300


def test_label_one_is_the_positive_value_also_if_it_sorts_first():
    records = encode(table(), SCHEMA, encoding="binned")
    for positive, label in (("high", 1), ("low", 0)):
        assert set(np.flatnonzero(decoded(records)["income"] == positive)) == set(
            np.flatnonzero(records.y == label)
        )


def test_encoding_undoes_decoding():
    records = encode(table(), SCHEMA, encoding="binned")
    again = encode(decoded(records, seed=5), SCHEMA, encoding="binned")
    np.testing.assert_array_equal(again.X, records.X)
    np.testing.assert_array_equal(again.y, records.y)
    np.testing.assert_array_equal(again.protected, records.protected)


def test_a_whole_number_of_the_bin_is_drawn_and_each_is_as_likely():
    """13, 14 and 15 for 3000 records of the second bin: 1000 each, up to 5 deviations."""
    frame = table(3000).assign(age=[13] * 2998 + [10, 20])
    age = decoded(encode(frame, SCHEMA, encoding="binned"))["age"].to_numpy(dtype=float)[:2998]
    assert set(age) == {13.0, 14.0, 15.0}
    counts = np.bincount(age.astype(int))[13:]
    np.testing.assert_allclose(counts, 2998 / 3, atol=5 * np.sqrt(2998 * 2 / 9))


def test_whole_numbers_are_written_without_a_point():
    text = decoded(encode(table(), SCHEMA, encoding="binned")).to_csv(index=False)
    for line in text.splitlines()[1:]:
        assert line.split(",")[0].isdigit(), line


def test_a_bin_whose_ends_are_not_whole_gives_any_number_between_them():
    """Uniform between 1/4 and 1: mean 5/8, deviation 3/4 / sqrt(12)."""
    frame = table(3000).assign(share=[0.5] * 2999 + [0.1])
    share = decoded(encode(frame, SCHEMA, encoding="binned"))["share"].to_numpy(dtype=float)
    assert 0 <= share[-1] <= 0.25
    inside = share[:-1]
    assert inside.min() >= 0.25
    assert inside.max() <= 1
    assert len(set(inside)) > 2900
    deviation = 0.75 / np.sqrt(12)
    assert inside.mean() == pytest.approx(0.625, abs=5 * deviation / np.sqrt(2999))
    assert inside.std() == pytest.approx(deviation, rel=0.05)


def test_a_seed_gives_the_same_table_and_another_seed_other_numbers():
    records = encode(table(), SCHEMA, encoding="binned")
    pd.testing.assert_frame_equal(decoded(records, seed=1), decoded(records, seed=1))
    one, other = decoded(records, seed=1), decoded(records, seed=2)
    assert (one["age"] != other["age"]).any()
    assert (one["work"] == other["work"]).all()


def test_a_number_in_default_bins_stays_in_range_and_returns_to_its_bin():
    schema = Schema(
        {"age": Numeric(17, 90), "work": SCHEMA.attributes["work"]},
        "income",
        "high",
        "sex",
        SCHEMA.groups,
    )
    frame = table(2000).assign(age=np.random.default_rng(3).integers(17, 91, 2000))
    records = encode(frame, schema, encoding="binned")
    after = decoded(records)
    assert after["age"].between(17, 90).all()
    np.testing.assert_array_equal(encode(after, schema, encoding="binned").X, records.X)


def test_records_that_do_not_say_what_they_stand_for_cannot_be_decoded():
    zeros = np.zeros(2, dtype=np.int64)
    with pytest.raises((ValueError, DpfairError)):
        decoded(
            Records(np.eye(2), zeros, zeros, Domain(("a", "b"), {"a": (0,), "b": (1,)}, ("f", "m")))
        )
