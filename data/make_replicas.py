"""Makes the replicas: synthetic tables with which everything runs without a download.

    python data/make_replicas.py --data-dir data

Each is a sample of the method `tree_augmented_network` (epsilon = 1, replace-one); of a table that
is too wide for it, only label and protected column are. Public are n, the columns with their bins
and levels, and the two names of the label. The seed of the noise is published, so that the same
command gives the same bytes. This is fine only because the real data are public: for private data,
draw with a secret seed.
"""

from __future__ import annotations

import argparse
import gzip
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli import catalog
from dpfair_cli.algorithms.regression import logistic_regression
from dpfair_cli.algorithms.synthesis import tree_augmented_network
from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.schemas import Numeric, Schema
from dpfair_cli.data_access import load, locate
from dpfair_cli.kinds.records import Records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.tabular.encoding import codes, encode

NAMES = ("adult", "dutch", "us", "acs_income", "celeba", "credit_card")
OF_LATER_WORKS = (
    *("lsac", "acs_coverage_tx", "adult_reconstructed", "law_school"),
    "bank_marketing",
    "compas",
)
# 121 columns for 1,994 rows, 19 for 5,875, 20 for 1,000 and 31 for 395: all but label and group
# are made up
TOO_WIDE = ("communities", "parkinsons", "german_credit", "student_mathematics")
EPSILON = 1.0
SEED = 0
MAX_BYTES = 700_000
# bytes of the replica of a data set of a later work: all replicas are in the wheel
SMALLER = dict.fromkeys((*OF_LATER_WORKS, *TOO_WIDE[1:], "credit_card"), 120_000)
REPLICAS = Path(__file__).parent / "replicas"

BINS = 16  # bins of a numeric column for which FIRSTS has none
FIRSTS = {  # public choice: the first number of each bin
    "capital-gain": (0, 1, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 99_999),
    "capital-loss": (0, 1, 1_500, 1_800, 2_000, 2_500),
    "hours-per-week": (1, 10, 20, 30, 35, 40, 41, 45, 50, 55, 60, 70),
    "limit": (10_000, 50_000, 100_000, 200_000, 400_000),
    **{f"paid-{k}": (0, 1, 1_000, 5_000, 20_000) for k in range(1, 7)},
}
MADE_UP = "noisy counts of label and protected; every other column is made up, no value was read"
MEASURED = "noisy counts along a privately chosen tree, label and protected kept as an edge"
HEADER = """\
# SYNTHETIC replica of `{name}`: no row is a person. \
Never compare what comes from it with a published number.
# how: data/make_replicas.py: {how}
# epsilon: {epsilon} (pure), neighbours: replace-one, n = {n} taken as public, rows drawn: {rows}
# source: {source}
# seed: {seed}, published so that the bytes can be made again; the source is public data
"""

Values = Ints | tuple[str, ...]
"""The meaning of the codes 0, 1, ..., as levels or as (first, last) integers of bins, (bins, 2)."""


def public_values(
    frame: pd.DataFrame, schema: Schema, firsts: Mapping[str, Sequence[int]]
) -> dict[str, Values]:
    """The bins or levels of each column: attributes, protected column, label.

    The two values of the label are read from `frame` and assumed to be public. `firsts` has the
    first integers of the bins of numeric columns; other numeric columns get BINS even bins.
    """
    values: dict[str, Values] = {}
    for name, kind in schema.attributes.items():
        if isinstance(kind, Numeric):
            values[name] = bins(kind, firsts.get(name, ()))
        else:
            values[name] = kind.levels
    labels = sorted(frame[schema.label].unique(), key=lambda value: value == schema.positive)
    return {**values, schema.protected: schema.groups, schema.label: tuple(labels)}


def bins(kind: Numeric, firsts: Sequence[int] = ()) -> Ints:
    """The first and the last integer of each public bin of a numeric column, (bins, 2).

    `firsts` are the first integers of the bins; without them, the bins have equal width.
    """
    even = np.linspace(kind.low, kind.high + 1, BINS + 1)[:-1].astype(int)
    starts = np.unique(np.array(firsts) if len(firsts) else even)
    return np.column_stack([starts, np.append(starts[1:] - 1, int(kind.high))])


def discretise(frame: pd.DataFrame, values: Mapping[str, Values]) -> Observations:
    """The columns of `frame` that are keys of `values`, as codes of their bins or levels.

    Raises:
        DpfairError: a column has a level that is not in `values`.
    """
    columns = [_column_codes(frame[name], known) for name, known in values.items()]
    return Observations(np.column_stack(columns), tuple(values), tuple(map(len, values.values())))


def values_from_codes(
    observations: Observations,
    values: Mapping[str, Values],
    columns: Sequence[str],
    *,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """A table with these columns, in which codes are replaced by values.

    A code is replaced by its level, or by a random integer of its bin.
    """
    column_codes = dict(zip(observations.names, observations.values.T, strict=True))
    return pd.DataFrame(
        {name: _column_values(column_codes[name], values[name], rng) for name in columns}
    )


def _column_codes(column: pd.Series, values: Values) -> Ints:
    if isinstance(values, tuple):
        return codes(column, values)
    return np.asarray(np.searchsorted(values[:, 0], column.to_numpy(dtype=int), side="right") - 1)


def _column_values(
    column_codes: Ints, values: Values, rng: np.random.Generator
) -> NDArray[np.generic]:
    if isinstance(values, tuple):
        return np.asarray(values)[column_codes]
    return np.asarray(rng.integers(values[column_codes, 0], values[column_codes, 1] + 1))


def synthetic(
    frame: pd.DataFrame, schema: Schema, *, epsilon: float, rng: np.random.Generator
) -> pd.DataFrame:
    """A synthetic table with the columns of `schema` and the length of `frame`."""
    values = public_values(frame, schema, FIRSTS)
    roles = {"label": schema.label, "protected": schema.protected}
    network = tree_augmented_network.fit(
        discretise(frame, values), epsilon=epsilon, **roles, rng=rng
    )
    columns = [name for name in map(str, frame) if name in values]
    return values_from_codes(network.sample(len(frame), rng=rng), values, columns, rng=rng)


def made_up(
    frame: pd.DataFrame, schema: Schema, *, epsilon: float, rng: np.random.Generator
) -> pd.DataFrame:
    """A table of the form of `frame`: label and group from noisy counts, numbers from a fixed rule.

    Column j is 1/4 + u/2 of its range for a uniform u, rounded to hundredths. Columns 0, 10, 20,
    ... are 0.1 larger for label 1, columns 5, 15, 25, ... for other groups than group 0. A level is
    chosen in the same way; the protected column is not made up.
    """
    drawn = synthetic(frame, replace(schema, attributes={}), epsilon=epsilon, rng=rng)
    label = np.asarray(drawn[schema.label] == schema.positive, dtype=np.int64)
    lifts = {0: label, 5: codes(drawn[schema.protected], schema.groups)}
    made = {}
    for j, (name, kind) in enumerate(schema.attributes.items()):
        column = 0.25 + 0.5 * rng.random(len(frame)) + 0.1 * np.minimum(lifts.get(j % 10, 0), 1)
        if isinstance(kind, Numeric):
            made[name] = kind.low + (kind.high - kind.low) * np.round(column, 2)
        elif name != schema.protected:
            places = (column - 0.25) / 0.6 * len(kind.levels)  # from [0.25, 0.85] to all levels
            chosen = places.astype(int).clip(max=len(kind.levels) - 1)
            made[name] = np.asarray(kind.levels)[chosen]
    return pd.DataFrame(made).join(drawn)[list(frame)]


def coarse(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """The table with two significant digits of each number, which takes less room."""
    numbers = [name for name, kind in schema.attributes.items() if isinstance(kind, Numeric)]
    rounded = {name: [float(f"{value:.2g}") for value in frame[name]] for name in numbers}
    return frame.assign(**rounded)


def pack(frame: pd.DataFrame, header: str) -> bytes:
    """Header and table as csv.gz, without a timestamp."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(header.encode())
        file.write(frame.to_csv(index=False, lineterminator="\n").encode())
    return buffer.getvalue()


def pack_what_fits(frame: pd.DataFrame, **facts: object) -> bytes:
    """The table as csv.gz, cut to as many rows as fit; `facts` fill the header.

    The limit is that of SMALLER for the replica `facts["name"]`, or else MAX_BYTES.
    """
    rows, limit = len(frame), SMALLER.get(str(facts["name"]), MAX_BYTES)
    while True:
        packed = pack(frame.head(rows), HEADER.format(rows=rows, n=len(frame), **facts))
        if len(packed) <= limit:
            return packed
        step = 1000 if rows > 10_000 else 100
        rows = int(rows * 0.99 * limit / len(packed)) // step * step


def describe(title: str, records: Records, test: Records) -> str:
    """Base rate and risk difference, and the accuracy on `test` of a logistic regression.

    The regression is fitted to `records`.
    """
    shares = [records.y[records.protected == group].mean() for group in (0, 1)]
    model = logistic_regression.fit(records, rng=np.random.default_rng(SEED))
    accuracy = float(((model.predict(test) > 0.5) == test.y).mean())
    numbers = (records.y.mean(), shares[1] - shares[0], accuracy)
    return f"{title:<14}{len(records):>8}" + "".join(f"{number:>10.4f}" for number in numbers)


def make(name: str, *, data_dir: Path, out: Path) -> None:
    """Writes one replica and prints how it compares with the real data."""
    module = catalog.data_sources.module(name)
    loaded = load(locate(catalog.data_set(name), data_dir=data_dir))
    table = module.read(data_dir)
    real = (
        loaded if isinstance(loaded, Records) else encode(table, module.DOMAIN, encoding="one_hot")
    )
    draw_one, how = (made_up, MADE_UP) if name in TOO_WIDE else (synthetic, MEASURED)
    frame = draw_one(table, module.DOMAIN, epsilon=EPSILON, rng=np.random.default_rng(SEED))
    if name in SMALLER:
        frame = coarse(frame, module.DOMAIN)
    source = ", ".join(f"{file.path} (SHA-256 {file.sha256[:16]})" for file in module.FILES)
    packed = pack_what_fits(frame, name=name, how=how, epsilon=EPSILON, source=source, seed=SEED)
    path = out / f"{name}.csv.gz"
    path.write_bytes(packed)
    replica = catalog.data_source(name).replica
    if replica and isinstance(loaded, Records):
        fake = replica.load(path)
    else:
        drawn = pd.read_csv(path, comment="#", dtype=str)
        fake = encode(drawn, module.DOMAIN, encoding="one_hot")
    print(describe(name, real, real), describe("  replica", fake, fake), sep="\n")
    print(describe("  tested real", fake, real), flush=True)


def main() -> None:
    """Makes all replicas."""
    parser = argparse.ArgumentParser(description="Make the replicas.")
    parser.add_argument(
        "--data-dir", type=Path, default=Path("data"), help="where the real data are"
    )
    parser.add_argument("--out", type=Path, default=REPLICAS, help="the folder to write to")
    given = parser.parse_args()
    print(f"{'':<14}{'rows':>8}{'positive':>10}{'RD':>10}{'accuracy':>10}")
    for name in (*NAMES, *TOO_WIDE, *OF_LATER_WORKS):
        make(name, data_dir=given.data_dir, out=given.out)


if __name__ == "__main__":
    main()
