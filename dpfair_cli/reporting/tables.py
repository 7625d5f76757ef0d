"""Rows -> a table: ours beside the published value, with the verdict and the privacy status of every method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.layouts import Table
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.templates import fill
from dpfair_cli.verdicts.means import key_columns, shown_scores, summarise_scores
from dpfair_cli.verdicts.wording import (
    describe_average,
    describe_seeds,
    describe_shared_parameters,
    format_mean,
    format_number,
    heading,
    label,
)

STATISTICS = ["mean", "std", "runs", "published_mean", "published_std", "verdict"]


def make(
    rows: pd.DataFrame,
    spec: Spec,
    cells: pd.DataFrame,
    *,
    notes: Sequence[str] = (),
    statuses: Mapping[str, str],
) -> Table:
    """The table of a spec.

    `cells` are those of `compare_cells`, `statuses` the privacy status of every method, or of its algorithm.
    """
    wide = raw(summarise_scores(rows, spec), spec, cells)
    pairs = zip(wide["method"], wide.pop("algorithm"), strict=True)
    wide["privacy"] = [statuses.get(method, statuses.get(algorithm, "")) for method, algorithm in pairs]
    spread = f"{describe_average('Mean ± standard deviation', describe_seeds(rows))}."
    below = [note for note in (*notes, spread, describe_shared_parameters(spec)) if note]
    return Table(heading(spec, notes), tuple(below), wide, shown(wide, spec))


def raw(summary: pd.DataFrame, spec: Spec, cells: pd.DataFrame) -> pd.DataFrame:
    """One line per point and method, as numbers: six columns a score (`accuracy_mean`, `accuracy_runs` ...)."""
    keys = key_columns(spec)
    on = [*keys, "metric"]
    beside = cells[[*on, "published_mean", "published_std", "verdict"]].astype(dict(summary.dtypes[on]))
    long = summary.merge(beside, on=on, how="left")
    wide = long[[*keys, "algorithm"]].drop_duplicates()
    for metric in shown_scores(spec):
        part = long[long["metric"] == metric][[*keys, *STATISTICS]]
        wide = wide.merge(part.rename(columns={name: f"{metric}_{name}" for name in STATISTICS}), on=keys, how="left")
    return wide.dropna(axis="columns", how="all").reset_index(drop=True)


def shown(wide: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The same lines as text, under the labels of the spec."""
    keys = [name for name in key_columns(spec) if name in wide]
    columns = {
        label(key, spec): [label(v, spec) if key == "dataset" else format_number(v) for v in wide[key]] for key in keys
    }
    for metric in shown_scores(spec):
        columns |= score_columns(wide, metric, label(metric, spec))
    return pd.DataFrame(columns | {"privacy": list(wide["privacy"])})


def score_columns(wide: pd.DataFrame, metric: str, name: str) -> dict[str, list[str]]:
    """Ours and, where something was published, the published value and the verdict; a line without runs says so."""
    empty = pd.Series(float("nan"), index=wide.index)
    ran = (wide.filter(regex="_runs$") > 0).any(axis="columns")  # a method need not have every score
    mean, std, published, published_std = (
        wide.get(f"{metric}_{statistic}", empty) for statistic in STATISTICS if statistic not in ("runs", "verdict")
    )
    whole = counts(pd.concat([mean, std, published, published_std]))
    ours = [format_mean(*pair, whole=whole) for pair in zip(mean, std, strict=True)]
    columns = {name: [value if had else "no run" for value, had in zip(ours, ran, strict=True)]}
    if published.notna().any():
        theirs = zip(published, published_std, strict=True)
        columns[f"{name} published"] = [format_mean(*pair, whole=whole) for pair in theirs]
        columns[f"{name} verdict"] = list(wide[f"{metric}_verdict"].fillna(""))
    return columns


def counts(numbers: pd.Series[float]) -> bool:
    """Whether a column holds counts: whole numbers, and not shares that happen to be 0 and 1."""
    numbers = numbers.dropna()
    return bool((numbers == numbers.round()).all() and (numbers > 1).any())


def text(table: Table) -> str:
    """The table for a terminal."""
    grid = [table.columns, *table.lines]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in grid]
    return "\n".join((table.title, *table.notes, "", *lines, ""))


def write(table: Table, folder: Path) -> list[Path]:
    """table.md, table.csv and table.tex in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "table.md": fill("table.md.j2", table=table),
        "table.csv": table.raw.to_csv(index=False, lineterminator="\n"),
        "table.tex": fill("table.tex.j2", table=table),
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
    return [folder / name for name in files]
