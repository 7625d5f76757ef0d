"""The bars of a user's table: reading it against pandas.read_csv, growth, regression and memory.

The table has 12 columns of numbers, one of them with a different number in nearly every row, six
columns of categories, a group and a label.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

from benchmarks.ratio import Bar, spread, stopwatch, times_faster

ROWS, GROWTH = 200_000, 10
READING_BAR = 3.2  # times pandas, which neither checks nor encodes the cells
REGRESSION_BAR = 1.5  # times as fast as Newton's method from zero with all records at once
MANY_ROWS, MEMORY_BAR = 1_000_000, 1.25
GIGABYTES = 0.8  # of `train` on MANY_ROWS rows, whose features take 0.2, and again once split
RECORDS, FEATURES = 1_000_000, 27
GROWTH_BAR = 1.3 * GROWTH
LEVELS = (2, 3, 4, 5, 3, 4)


def user_table_bars(folder: Path) -> list[Bar]:
    """Reading with a domain file over pandas.read_csv, and ten times the rows over the rows."""
    import pandas as pd

    from dpfair_cli.formats import user_records

    domain = write_domain(folder / "domain.yaml")
    small, large = (write_table(folder / f"{n}.csv", n) for n in (ROWS // GROWTH, ROWS))

    def read(file: str) -> None:
        user_records._encoded_last.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = user_records.read_user_records(file, "hired", "sex", "", domain)
            table.encoded("one_hot")

    clock = time.process_time
    read(small)  # the first one also imports
    ours, few = (stopwatch(lambda file=file: read(file), clock) for file in (large, small))
    slower = times_faster(stopwatch(lambda: pd.read_csv(large), clock), ours)
    longer = times_faster(few, ours)
    what = f"reading and encoding a table of {ROWS:,} rows, over pandas.read_csv"
    return [
        (what, spread(slower, "times"), f"<= {READING_BAR:g} times", middle(slower) <= READING_BAR),
        (
            f"  over one of {ROWS // GROWTH:,} rows",
            spread(longer, "times"),
            f"<= {GROWTH_BAR:g} times",
            middle(longer) <= GROWTH_BAR,
        ),
        _regression_bar(),
        *_memory_bars(folder),
    ]


def _memory_bars(folder: Path) -> list[Bar]:
    """The memory of one `train`, and that of a sweep of two runs for each method over it."""
    from benchmarks.growth import measure

    costs = {one.command: one for one in measure(folder / "growth", MANY_ROWS)}
    ratio = costs["sweep"].gigabytes / costs["train"].gigabytes
    size = costs["train"].gigabytes
    return [
        (
            f"memory of train on {MANY_ROWS:,} rows",
            f"{size:.2f} GB",
            f"<= {GIGABYTES:g} GB",
            size <= GIGABYTES,
        ),
        (
            "  largest process of a sweep, over it",
            f"{ratio:.2f} times",
            f"<= {MEMORY_BAR:g} times",
            ratio <= MEMORY_BAR,
        ),
    ]


def _regression_bar() -> Bar:
    """Logistic regression of many records, over Newton's method from zero in one block."""
    import numpy as np

    from dpfair_cli.kinds.records import Domain, Records
    from dpfair_cli.models.regression.logistic import (
        LogisticLoss,
        SignedRecords,
        minimum,
        weighted_logistic,
    )

    rng = np.random.default_rng(0)
    X, weights = rng.random((RECORDS, FEATURES)), rng.normal(size=FEATURES)
    y = ((X - 0.5) @ weights + rng.logistic(size=RECORDS) > 0).astype(np.int64)
    domain = Domain(tuple(map(str, range(FEATURES))), {}, ("all",))
    records = Records(X, y, np.zeros(RECORDS, dtype=np.int64), domain)
    ones, clock = np.ones(RECORDS), time.process_time

    def in_one_block() -> None:
        signed = np.column_stack([X, ones]) * (2.0 * y - 1)[:, None]  # (n, d + 1)
        penalties = np.append(np.full(FEATURES, 1 / RECORDS), 0)
        minimum(LogisticLoss((SignedRecords(signed, ones),), RECORDS, penalties))

    ours = stopwatch(lambda: weighted_logistic(records, ones, l2=1.0), clock)
    faster = times_faster(ours, stopwatch(in_one_block, clock))
    what = f"logistic regression of {RECORDS:,} records, over one block from zero"
    met = middle(faster) >= REGRESSION_BAR
    return what, spread(faster, "times"), f">= {REGRESSION_BAR:g} times", met


def middle(ratios: list[float]) -> float:
    """The median of an odd number of ratios."""
    return sorted(ratios)[len(ratios) // 2]


def write_table(file: Path, rows: int) -> str:
    """Writes a random table and returns its path."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    columns = {f"whole{k}": rng.integers(0, 101, rows) for k in range(6)}
    columns |= {f"real{k}": rng.normal(size=rows).clip(-4, 4).round(2) for k in range(5)}
    columns["fine"] = rng.normal(size=rows).clip(-4, 4).round(6)
    for k, count in enumerate(LEVELS):
        columns[f"kind{k}"] = np.char.add("level", rng.integers(0, count, rows).astype(str))
    columns["sex"] = rng.choice(["female", "male"], rows)
    columns["hired"] = rng.choice(["no", "yes"], rows)
    pd.DataFrame(columns).to_csv(file, index=False)
    return str(file)


def write_domain(file: Path) -> str:
    """Writes the domain file of the random tables and returns its path."""
    lines = [f"whole{k}: {{low: 0, high: 100}}" for k in range(6)]
    lines += [f"{name}: {{low: -4, high: 4}}" for name in (*(f"real{k}" for k in range(5)), "fine")]
    for k, count in enumerate(LEVELS):
        levels = ", ".join(f"level{level}" for level in range(count))
        lines.append(f"kind{k}: {{levels: [{levels}]}}")
    lines += ["sex: {levels: [female, male]}", "hired: {levels: [no, yes]}"]
    file.write_text("\n".join(lines) + "\n")
    return str(file)
