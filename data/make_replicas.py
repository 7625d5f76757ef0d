"""Draw the replicas: synthetic stand-ins for the real data sets, so that everything runs without a download.

    python data/make_replicas.py --data-dir data

Source: a spanning tree chosen as in MST (McKenna, Miklau and Sheldon 2021), measured and sampled as a Bayesian network
    as in PrivBayes (Zhang et al. 2017); the label is a parent of every attribute.
Privacy: (epsilon, 0). Public are: n, the attributes with their bins and levels, the two label names.
Neighbours: replace-one.
Status: conditional (the noise must be secret, see Differs).
Differs: the seed of the noise is published, so that the same command gives the same bytes. That is fine only because
    the real data are public: whoever needs the guarantee for other data draws with a secret seed.
"""

from __future__ import annotations

import argparse
import gzip
import io
import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli import catalog
from dpfair_cli.algorithms.regression import logistic_regression
from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.schemas import Numeric, Schema
from dpfair_cli.data_access import download
from dpfair_cli.kinds.people import Records
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.models.tabular.encoding import encode

NAMES = ("adult", "dutch", "us", "acs_income", "celeba")
TOO_WIDE = ("communities",)  # 121 columns for 1,994 rows: only label and group are measured, the rest is made up
EPSILON = 1.0
SEED = 0
MAX_BYTES = 1_000_000
REPLICAS = Path(__file__).parent / "replicas"
SENSITIVITY_COUNTS = 2  # one replaced record leaves one cell and enters another
SENSITIVITY_SCORE = 6  # ... and moves the product of the marginals by at most 4 (see `dependence`)

BINS = 16  # of a number without bins of its own
FIRSTS = {  # public choice: the first number of each bin
    "capital-gain": (0, 1, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 99_999),
    "capital-loss": (0, 1, 1_500, 1_800, 2_000, 2_500),
    "hours-per-week": (1, 10, 20, 30, 35, 40, 41, 45, 50, 55, 60, 70),
}
MADE_UP = "noisy counts of label and protected; every other column is made up, no value was read"
MEASURED = "noisy counts along a privately chosen tree, label and protected kept as an edge"
HEADER = """\
# SYNTHETIC replica of `{name}`: no row is a person. Never compare what comes from it with a published number.
# how: data/make_replicas.py: {how}
# epsilon: {epsilon} (pure), neighbours: replace-one, n = {n} taken as public, rows drawn: {rows}
# source: {source}
# seed: {seed}, published so that the bytes can be made again; the source is public data
"""

Values = Ints | tuple[str, ...]  # bins (k, 2) of a number, or levels


class Column(NamedTuple):
    """A coded column: codes (n,) in 0 .. size - 1."""

    codes: Ints
    size: int


class Step(NamedTuple):
    """One column of the network: its probabilities given label and parent, (labels, parent's size, its size)."""

    child: str
    parent: str
    probabilities: Floats


def bins(kind: Numeric, name: str) -> Ints:
    """First and last whole number of each public bin, (bins, 2)."""
    even = np.linspace(kind.low, kind.high + 1, BINS + 1)[:-1].astype(int)
    firsts = np.unique(FIRSTS.get(name, even))
    return np.column_stack([firsts, np.append(firsts[1:] - 1, int(kind.high))])


def public_values(frame: pd.DataFrame, schema: Schema) -> dict[str, Values]:
    """Each column's bins or levels; code k of a column is the k-th of them."""
    attributes = {
        name: bins(kind, name) if isinstance(kind, Numeric) else kind.levels for name, kind in schema.attributes.items()
    }
    labels = tuple(sorted(frame[schema.label].unique(), key=lambda value: value == schema.positive))
    return {**attributes, schema.protected: schema.groups, schema.label: labels}


def code(column: pd.Series, values: Values) -> Ints:
    """The place of each entry in `values`, (n,)."""
    if isinstance(values, tuple):
        return pd.Index(values).get_indexer(pd.Index(column.astype(str))).astype(np.int64)
    return np.asarray(np.searchsorted(values[:, 0], column.to_numpy(dtype=int), side="right") - 1)


def decode(codes: Ints, values: Values, rng: np.random.Generator) -> NDArray[Any]:
    """An entry for each code, (n,): a level, or any whole number of the bin."""
    if isinstance(values, tuple):
        return np.asarray(values)[codes]
    return np.asarray(rng.integers(values[codes, 0], values[codes, 1] + 1))


def count(*columns: Column) -> Floats:
    """The contingency table of coded columns with their sizes."""
    codes, sizes = zip(*columns, strict=True)
    flat = np.ravel_multi_index(codes, sizes)
    return np.bincount(flat, minlength=int(np.prod(sizes))).reshape(sizes).astype(float)


def dependence(table: Floats) -> float:
    """L1 distance between a two-way table and the product a b' / n of its marginals.

    Replacing a record moves the table by 2, and a b' / n by (|da| |b| + |a| |db|) / n <= (2 n + 2 n) / n = 4.
    """
    product = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(np.abs(table - product).sum())


def choose_tree(
    coded: dict[str, Column], root: str, *, noise: float, epsilon: float, rng: np.random.Generator
) -> list[tuple[str, str]]:
    """Edges (child, parent) of a spanning tree grown from `root`; `noise` is what a measured cell will cost."""
    scores = {
        (child, parent): dependence(count(coded[child], coded[parent])) - noise * coded[child].size * coded[parent].size
        for child, parent in itertools.permutations(coded, 2)
    }
    inside, edges = {root}, []
    for _ in range(len(coded) - 1):
        open_edges = [(child, parent) for child, parent in scores if parent in inside and child not in inside]
        chosen = exponential(
            [scores[edge] for edge in open_edges],
            sensitivity=SENSITIVITY_SCORE,
            epsilon=epsilon / (len(coded) - 1),
            rng=rng,
        )
        edges.append(open_edges[chosen])
        inside.add(edges[-1][0])
    return edges


def measure(*columns: Column, epsilon: float, rng: np.random.Generator) -> Floats:
    """Noisy counts; those below the noise's scale, mostly empty cells, become 0."""
    noisy = laplace(count(*columns), l1_sensitivity=SENSITIVITY_COUNTS, epsilon=epsilon, rng=rng)
    return np.where(noisy > SENSITIVITY_COUNTS / epsilon, noisy, 0)


def conditional(table: Floats) -> Floats:
    """Counts to probabilities along the last axis; uniform where nothing was counted."""
    total = table.sum(axis=-1, keepdims=True)
    return np.where(total > 0, table / np.where(total > 0, total, 1), 1 / table.shape[-1])


def fit(
    coded: dict[str, Column], schema: Schema, *, epsilon: float, rng: np.random.Generator
) -> tuple[Floats, list[Step]]:
    """The joint probabilities of label and protected, and the steps that lead to all other columns."""
    label = coded[schema.label]
    others = {name: column for name, column in coded.items() if name != schema.label}
    epsilon_select, epsilon_measure = 0.2 * epsilon, 0.8 * epsilon
    epsilon_table = epsilon_measure / len(others)  # one table a column; the protected one is the root's
    noise = label.size * SENSITIVITY_COUNTS / epsilon_table  # expected absolute noise in both labels' cells
    tree = choose_tree(others, schema.protected, noise=noise, epsilon=epsilon_select, rng=rng)
    root = measure(label, others[schema.protected], epsilon=epsilon_table, rng=rng)
    tables = [measure(label, others[parent], others[child], epsilon=epsilon_table, rng=rng) for child, parent in tree]
    steps = [Step(*edge, conditional(table)) for edge, table in zip(tree, tables, strict=True)]
    return root / root.sum(), steps


def draw(root: Floats, steps: list[Step], schema: Schema, *, rows: int, rng: np.random.Generator) -> dict[str, Ints]:
    """Codes of `rows` synthetic records, column by column down the tree."""
    label, protected = np.unravel_index(rng.choice(root.size, size=rows, p=root.ravel()), root.shape)
    codes: dict[str, Ints] = {schema.label: label, schema.protected: protected}
    for child, parent, probabilities in steps:
        reached = probabilities.cumsum(axis=-1)[label, codes[parent], :-1]  # (rows, size - 1)
        codes[child] = (rng.random((rows, 1)) > reached).sum(axis=1)
    return codes


def replica(frame: pd.DataFrame, schema: Schema, *, epsilon: float, rng: np.random.Generator) -> pd.DataFrame:
    """A synthetic table of the form and length of `frame`."""
    values = public_values(frame, schema)
    coded = {name: Column(code(frame[name], levels), len(levels)) for name, levels in values.items()}
    root, steps = fit(coded, schema, epsilon=epsilon, rng=rng)
    codes = draw(root, steps, schema, rows=len(frame), rng=rng)
    return pd.DataFrame({name: decode(codes[name], values[name], rng) for name in map(str, frame)})


def made_up(frame: pd.DataFrame, schema: Schema, *, epsilon: float, rng: np.random.Generator) -> pd.DataFrame:
    """A table of the form of `frame`: label and protected from noisy counts, numbers in hundredths from a fixed rule.

    Column j is 1/4 + u/2 for a uniform u; every tenth one rises with the label, every tenth other one with the group.
    """
    values = public_values(frame, schema)
    names = (schema.label, schema.protected)
    columns = [Column(code(frame[name], values[name]), len(values[name])) for name in names]
    table = np.maximum(measure(*columns, epsilon=epsilon, rng=rng), 0)
    cells = rng.choice(table.size, size=len(frame), p=table.ravel() / table.sum())
    label, group = np.unravel_index(cells, table.shape)
    lifts = {0: label, 5: group}
    made = {name: 0.25 + 0.5 * rng.random(len(frame)) + 0.1 * lifts.get(j % 10, 0)
            for j, name in enumerate(schema.attributes)}  # fmt: skip
    ends = {name: decode(codes, values[name], rng) for name, codes in zip(names, (label, group), strict=True)}
    return pd.DataFrame({name: np.round(column, 2) for name, column in made.items()} | ends)[list(frame)]


def pack(frame: pd.DataFrame, header: str) -> bytes:
    """Header and table as csv.gz, without a date."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(header.encode())
        file.write(frame.to_csv(index=False, lineterminator="\n").encode())
    return buffer.getvalue()


def pack_what_fits(frame: pd.DataFrame, **facts: object) -> bytes:
    """As many of the rows as stay below MAX_BYTES."""
    rows = len(frame)
    while True:
        packed = pack(frame.head(rows), HEADER.format(rows=rows, n=len(frame), **facts))
        if len(packed) <= MAX_BYTES:
            return packed
        rows = int(rows * 0.99 * MAX_BYTES / len(packed)) // 1000 * 1000


def describe(title: str, records: Records, test: Records) -> str:
    """Base rate, risk difference, and accuracy on `test` of a logistic regression fitted to `records`."""
    shares = [records.y[records.protected == group].mean() for group in (0, 1)]
    model = logistic_regression.fit(records, rng=np.random.default_rng(SEED))
    accuracy = float(((model.predict(test) > 0.5) == test.y).mean())
    return f"{title:<14}{len(records):>8}{records.y.mean():>10.4f}{shares[1] - shares[0]:>10.4f}{accuracy:>10.4f}"


def make(name: str, data_dir: Path) -> None:
    """Write one replica and print how it compares with the real data."""
    module = catalog.find("datasets", name)
    real = download.load(download.locate(name, {}, data_dir=data_dir), {})
    draw_one, how = (made_up, MADE_UP) if name in TOO_WIDE else (replica, MEASURED)
    frame = draw_one(module.read(data_dir), module.DOMAIN, epsilon=EPSILON, rng=np.random.default_rng(SEED))
    source = ", ".join(f"{file.path} (SHA-256 {file.sha256[:16]})" for file in module.FILES)
    packed = pack_what_fits(frame, name=name, how=how, epsilon=EPSILON, source=source, seed=SEED)
    (REPLICAS / f"{name}.csv.gz").write_bytes(packed)
    fake = encode(pd.read_csv(io.BytesIO(packed), compression="gzip", comment="#", dtype=str), module.DOMAIN)
    print(describe(name, real, real), describe("  replica", fake, fake), sep="\n")
    print(describe("  tested real", fake, real))


def main() -> None:
    """Make all replicas."""
    parser = argparse.ArgumentParser(description="Draw the replicas in data/replicas.")
    parser.add_argument("--data-dir", type=Path, default=Path("data"), help="where the real data are")
    data_dir = parser.parse_args().data_dir
    print(f"{'':<14}{'rows':>8}{'positive':>10}{'RD':>10}{'accuracy':>10}")
    for name in (*NAMES, *TOO_WIDE):
        make(name, data_dir)


if __name__ == "__main__":
    main()
