"""Error rates of the rule of the verdicts, as tables with a line per kind of paper or setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.addons.error_rates.judged_papers import JudgedPaper
from dpfair_cli.addons.error_rates.simulation import FEW_RUNS, PLAIN_KINDS, SHIFTS, PaperKind, Truth
from dpfair_cli.addons.error_rates.variants import Choice
from dpfair_cli.verdicts.cells.comparison import DIGITS, LEVEL, MARGIN, CellVerdict

P_VALUES = (0.01, 0.05, 0.1, 0.25, 0.5)
NOT_SHARES = ("standard deviation of runs", "mean skill")  # columns of decimals
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


def joint_p_values(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of joint tests with a p-value of at most some levels, by kind of paper and spread.

    The first line of a kind has the tests of all spreads.
    """
    lines = []
    for kind in PLAIN_KINDS:
        tests = np.array(_joint_tests(papers, kind)).reshape(-1, 2)  # (tests, spread and p-value)
        spreads, p_values = tests.T
        groups = {"all": p_values}
        groups |= {f"{one:g}": p_values[spreads == one] for one in np.unique(spreads)}
        lines += [_p_values(kind, name, own) for name, own in groups.items()]
    return pd.DataFrame(lines)


def _joint_tests(papers: Sequence[JudgedPaper], kind: PaperKind) -> list[tuple[float, float]]:
    """The joint tests of all papers of a kind: the spread of the table, and the p-value."""
    return [*chain.from_iterable(one.joint_tests for one in papers if one.kind is kind)]


def _p_values(kind: PaperKind, spread: str, found: Any) -> dict[str, object]:
    """One line of the p-values of joint tests."""
    shares = {f"p ≤ {level:g}": float(np.mean(found <= level)) for level in P_VALUES}
    line = {"papers": str(kind), "standard deviation of runs": spread, "joint tests": len(found)}
    return line | shares


def p_values_of(papers: Sequence[JudgedPaper], kind: PaperKind) -> list[float]:
    """The p-values of all joint tests in papers of a kind."""
    return [p_value for _, p_value in _joint_tests(papers, kind)]


def skills(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The mean skill of tables, how many are told apart, and how many exchanges are right."""
    lines = []
    for kind in PLAIN_KINDS:
        found = [*chain.from_iterable(one.skills for one in papers if one.kind is kind)]
        line = {
            "papers": str(kind),
            "tables": len(found),
            "mean skill": round(float(np.mean([one.value for one, _ in found])), 2),
            "told apart": float(np.mean([one.is_told_apart for one, _ in found])),
            "right about an exchange": float(np.mean([is_right for _, is_right in found])),
        }
        lines.append(line)
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
            "tables": len(paper.skills),
            "told apart": sum(one.is_told_apart for one, _ in paper.skills),
            "joint tests": len(paper.joint_tests),
            "p ≤ 0.05": sum(p_value <= LEVEL for _, p_value in paper.joint_tests),
        }
        lines.append(line)
    return pd.DataFrame(lines)
