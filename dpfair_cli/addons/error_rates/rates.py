"""Error rates of the rule of the verdicts, as tables with a line per kind of paper or setting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

import pandas as pd

from dpfair_cli.addons.error_rates.judged_papers import JudgedPaper
from dpfair_cli.addons.error_rates.simulation import (
    FEW_RUNS,
    OTHER_PROTOCOLS,
    PLAIN_KINDS,
    SHIFTS,
    PaperKind,
    Truth,
)
from dpfair_cli.addons.error_rates.variants import Choice
from dpfair_cli.verdicts.cells.comparison import DIGITS, MARGIN, CellVerdict
from dpfair_cli.verdicts.whole_tables import ColumnVerdict, OrderVerdict

NOT_SHARES = ("standard deviation of runs",)  # columns of decimals
LIKE_OURS = (*PLAIN_KINDS, PaperKind.AT_MARGIN)  # kinds of papers whose runs are like ours
DISTANCES = {  # the least and the largest true distance of columns, in margins, with their name
    (0, 0): "0",
    (1e-9, 0.99): "below 1",
    (1, 1): "1",
    (1.01, 2): "above 1, at most 2",
    (2.01, math.inf): "above 2",
}
COMPARED = [verdict for verdict in CellVerdict if verdict.is_compared]

Cell = tuple[Truth, CellVerdict]
Mask = pd.Series  # of cells, one truth value each


def cells_of(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """One line for each cell of the papers: what is known about it, and its verdict.

    Columns: the place of the paper in `papers`, its kind, the setting of its table (spread, runs),
    the absolute difference of the expected means, is_exchanged, our_runs, choice, and the verdict
    with whether it agrees and whether it differs.
    """
    lines = []
    for number, paper in enumerate(papers):
        for truth, verdict in paper.cells:
            line = {
                "paper": number,
                "kind": str(paper.kind),
                "spread": truth.setting.spread,
                "runs": truth.setting.runs,
                # rounded, so that a shift of 0.02 is one of exactly the margin
                "difference": round(abs(truth.difference), DIGITS),
                "is_exchanged": truth.is_exchanged,
                "our_runs": truth.our_runs,
                "choice": str(truth.choice),
                "verdict": str(verdict),
                "agree": verdict.agrees,
                "differ": verdict is CellVerdict.DIFFERS,
            }
            lines.append(line)
    return pd.DataFrame(lines)


def verdict_shares(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of each verdict among the cells of plain papers, from right to wrong values."""
    cells = cells_of(papers)
    kind, difference = cells["kind"], cells["difference"]
    exchanged = (kind == PaperKind.MIXED_UP) & cells["is_exchanged"]
    groups = {
        "right": kind == PaperKind.TRUE,
        "right, but runs vary much": kind == PaperKind.NOISY,
        f"another method's, ≤ {MARGIN} away": exchanged & (difference <= MARGIN),
        f"another method's, > {MARGIN} away": exchanged & (difference > MARGIN),
    }
    for size in SHIFTS:
        groups[f"shifted by {size}"] = (kind == PaperKind.SHIFTED) & (difference == size)
    return _shares(cells, groups)


def other_verdict_shares(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The same for papers with few seeds, relative margins or chosen variants."""
    cells = cells_of(papers)
    kind = cells["kind"]
    groups: dict[str, Mask] = {}
    for runs in sorted({*FEW_RUNS}, reverse=True):
        own = (kind == PaperKind.FEW_SEEDS) & (cells["our_runs"] == runs)
        name = f"{runs} seed{'s' * (runs > 1)}, published 1 run: "
        groups |= _by_difference(cells, own, name)
    groups |= _by_difference(cells, kind == PaperKind.RELATIVE, "relative margin: ")
    for choice in Choice:
        own = (kind == PaperKind.CHOSEN) & (cells["choice"] == choice)
        groups |= _by_difference(cells, own, f"default {choice}: ")
    return _shares(cells, groups)


def _by_difference(cells: pd.DataFrame, own: Mask, name: str) -> dict[str, Mask]:
    """The cells whose expected means are equal, at most the margin apart, or further apart."""
    difference = cells["difference"]
    return {
        f"{name}right": own & (difference == 0),
        f"{name}≤ {MARGIN} away": own & (difference > 0) & (difference <= MARGIN),
        f"{name}> {MARGIN} away": own & (difference > MARGIN),
    }


def _shares(cells: pd.DataFrame, groups: Mapping[str, Mask]) -> pd.DataFrame:
    """The share of each verdict among the cells of each group that is not empty."""
    lines = []
    for name, chosen in groups.items():
        verdicts = cells.loc[chosen, "verdict"]
        if len(verdicts):
            shares = {str(one): float((verdicts == str(one)).mean()) for one in COMPARED}
            lines.append({"published value": name, "cells": len(verdicts)} | shares)
    return pd.DataFrame(lines)


def false_discovery_rates(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The wrong ones among the cells that agree, and among those that differ.

    The false discovery rate is the mean over papers of the share of wrong ones; the share is 0 for
    a paper without such a cell. A difference of exactly the margin is wrong both ways.
    """
    every, lines = cells_of(papers), []
    for kind in PaperKind:
        cells = every[every["kind"] == kind]
        if cells.empty:
            continue
        far, near = cells["difference"] >= MARGIN, cells["difference"] <= MARGIN
        for name, is_wrong in (("agree", far), ("differ", near)):
            found = cells[name].groupby(cells["paper"]).sum()
            wrong = (cells[name] & is_wrong).groupby(cells["paper"]).sum()
            line = {
                "papers": str(kind),
                "number of papers": len(found),
                "cells that": name,
                "cells": int(found.sum()),
                "of them wrong": int(wrong.sum()),
                "false discovery rate": float((wrong / found.clip(lower=1)).mean()),
            }
            lines.append(line)
    return pd.DataFrame(lines)


def verdicts_by_difference(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of cells that differ, and that agree, by setting and planted difference.

    One line per spread, number of runs in a published mean, and difference.
    """
    cells = cells_of(papers)
    own = cells[cells["kind"].isin([PaperKind.TRUE, PaperKind.SHIFTED])]
    groups = own.groupby(["spread", "runs", "difference"])
    return groups[["differ", "agree"]].mean().reset_index()


def found_shifts(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of shifted cells that differ: a line per setting, a column per size."""
    table = verdicts_by_difference(papers)
    wide = table.pivot(index=["spread", "runs"], columns="difference", values="differ")
    wide = wide.rename(
        columns={size: f"shifted by {size:g}" if size else "not shifted" for size in wide}
    )
    wide = wide.reset_index()
    names = {"spread": "standard deviation of runs", "runs": "runs in a published mean"}
    return wide.rename(columns=names).rename_axis(columns=None)


def order_shares(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of each verdict on orders that are right, or wrong, by kind of paper."""
    lines = []
    for kind in PaperKind:
        found = [*chain.from_iterable(one.orders for one in papers if one.kind is kind)]
        for is_right, name in ((True, "that of our true means"), (False, "the opposite")):
            own = [verdict for right, verdict in found if right is is_right]
            if own:
                shares = {str(one): own.count(one) / len(own) for one in OrderVerdict}
                line = {"papers": str(kind), "printed order": name, "pairs": len(own)}
                lines.append(line | shares)
    return pd.DataFrame(lines)


def column_shares(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of each verdict on columns by their true distance, in margins."""
    found = [*chain.from_iterable(one.columns for one in papers if one.kind in LIKE_OURS)]
    lines = []
    for (low, high), name in DISTANCES.items():
        own = [verdict for distance, verdict in found if low <= round(distance, DIGITS) <= high]
        if own:
            shares = {str(one): own.count(one) / len(own) for one in ColumnVerdict}
            lines.append({"true distance in margins": name, "columns": len(own)} | shares)
    return pd.DataFrame(lines)


def other_column_shares(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The same for papers whose runs are not like ours: columns of right and of wrong verdicts."""
    lines = []
    for kind in OTHER_PROTOCOLS:
        found = [*chain.from_iterable(one.columns for one in papers if one.kind is kind)]
        wrong = [
            distance >= 1 if verdict is ColumnVerdict.AGREES else distance <= 1
            for distance, verdict in found
            if verdict is not ColumnVerdict.UNDECIDED
        ]
        if found:
            line = {"papers": str(kind), "columns": len(found), "decided": len(wrong)}
            lines.append(line | {"wrong of those": sum(wrong) / max(len(wrong), 1)})
    return pd.DataFrame(lines)


def explanations(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of differing cells that a variant explains, by how the default was chosen."""
    every = [*chain.from_iterable(one.explanations for one in papers)]
    lines = []
    for choice in Choice:
        found = [one for one in every if one.choice == choice]
        differs = sum(one.differs for one in found)
        explained = sum(one.explained for one in found)
        line = {
            "default": str(choice),
            "cells that differ": differs,
            "agree under the best variant": sum(one.agrees for one in found) / max(differs, 1),
            "explained by the rule": explained / max(differs, 1),
            "wrong of those explained": sum(one.wrong for one in found) / max(explained, 1),
        }
        lines.append(line)
    return pd.DataFrame(lines)


def paper_lines(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The number of cells with each verdict, of tables and of tests, a line per paper."""
    lines = []
    for paper in papers:
        verdicts = [verdict for _, verdict in paper.cells]
        line = {"papers": str(paper.kind), "seed": paper.seed, "cells": len(verdicts)}
        line |= {str(one): verdicts.count(one) for one in COMPARED}
        line |= {
            **{f"order {one}": _count(paper.orders, one) for one in OrderVerdict},
            **{f"column {one}": _count(paper.columns, one) for one in ColumnVerdict},
        }
        lines.append(line)
    return pd.DataFrame(lines)


def _count(judged: Sequence[tuple[object, str]], verdict: str) -> int:
    """The number of orders or columns with a verdict."""
    return sum(one == verdict for _, one in judged)
