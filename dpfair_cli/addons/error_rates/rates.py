"""Error rates of the rule of the verdicts, as tables with a line per kind of paper or setting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from dpfair_cli.addons.error_rates.judged_papers import JudgedPaper
from dpfair_cli.addons.error_rates.simulation import FEW_RUNS, PLAIN_KINDS, SHIFTS, PaperKind, Truth
from dpfair_cli.addons.error_rates.variants import Choice
from dpfair_cli.verdicts.cells.comparison import DIGITS, LEVEL, MARGIN
from dpfair_cli.verdicts.cells.verdict import CellVerdict

P_VALUES = (0.01, 0.05, 0.1, 0.25, 0.5)
NOT_SHARES = ("standard deviation of runs", "mean skill")  # columns of decimals
COMPARED = [verdict for verdict in CellVerdict if verdict.is_compared]

Cell = tuple[Truth, CellVerdict]


def verdict_shares(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of each verdict among the cells of each group, such as the shifted cells."""
    return _shares(_plain_groups(papers))


def other_verdict_shares(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The same for the groups of papers with few seeds, relative margins or chosen variants."""
    return _shares(_other_groups(papers))


def _shares(groups: Mapping[str, Sequence[Cell]]) -> pd.DataFrame:
    """The share of each verdict among the cells of each group that is not empty."""
    lines = []
    for name, cells in groups.items():
        if not cells:
            continue
        counts = Counter(verdict for _, verdict in cells)
        shares = {str(one): counts[one] / len(cells) for one in COMPARED}
        lines.append({"published value": name, "cells": len(cells)} | shares)
    return pd.DataFrame(lines)


def _cells_of(papers: Sequence[JudgedPaper]) -> dict[PaperKind, list[Cell]]:
    """The cells of the papers of each kind."""
    of_kind: dict[PaperKind, list[Cell]] = {kind: [] for kind in PaperKind}
    for paper in papers:
        of_kind[paper.kind] += paper.cells
    return of_kind


def _plain_groups(papers: Sequence[JudgedPaper]) -> dict[str, list[Cell]]:
    """The groups of cells of plain papers, from right to wrong published values."""
    of_kind = _cells_of(papers)
    exchanged = [cell for cell in of_kind[PaperKind.MIXED_UP] if cell[0].is_exchanged]
    shifted = of_kind[PaperKind.SHIFTED]
    groups = {
        "right": of_kind[PaperKind.TRUE],
        "right, but runs vary much": of_kind[PaperKind.NOISY],
        f"another method's, ≤ {MARGIN} away": _select(exchanged, _is_near),
        f"another method's, > {MARGIN} away": _select(exchanged, lambda truth: not _is_near(truth)),
    }
    for size in SHIFTS:
        groups[f"shifted by {size}"] = [cell for cell in shifted if _size(cell[0]) == size]
    return groups


def _other_groups(papers: Sequence[JudgedPaper]) -> dict[str, list[Cell]]:
    """The groups of cells of papers with few seeds, relative margins or chosen variants."""
    of_kind = _cells_of(papers)
    groups = _few_seeds(of_kind[PaperKind.FEW_SEEDS])
    groups |= _by_difference(of_kind[PaperKind.RELATIVE], "relative margin: ")
    for choice in Choice:
        own = [cell for cell in of_kind[PaperKind.CHOSEN] if cell[0].choice == choice]
        groups |= _by_difference(own, f"default {choice}: ")
    return groups


def _few_seeds(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """The cells of papers with few seeds, by the number of our seeds and by the difference."""
    groups: dict[str, list[Cell]] = {}
    for runs in sorted({*FEW_RUNS}, reverse=True):
        own = [cell for cell in cells if cell[0].our_runs == runs]
        groups |= _by_difference(own, f"{runs} seed{'s' * (runs > 1)}, published 1 run: ")
    return groups


def _by_difference(cells: Sequence[Cell], name: str) -> dict[str, list[Cell]]:
    """The cells whose expected means are equal, at most the margin apart, or further apart."""
    return {
        f"{name}right": [cell for cell in cells if not _size(cell[0])],
        f"{name}≤ {MARGIN} away": [cell for cell in cells if 0 < _size(cell[0]) <= MARGIN],
        f"{name}> {MARGIN} away": [cell for cell in cells if _size(cell[0]) > MARGIN],
    }


def _select(cells: Iterable[Cell], fits: Callable[[Truth], bool]) -> list[Cell]:
    return [cell for cell in cells if fits(cell[0])]


def _size(truth: Truth) -> float:
    """The absolute difference of the expected means."""
    return round(abs(truth.difference), DIGITS)


def _is_near(truth: Truth) -> bool:
    return _size(truth) <= MARGIN


def false_discovery_rates(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The wrong ones among the cells that agree, and among those that differ.

    The false discovery rate is the mean over papers of the share of wrong ones; the share is 0 for
    a paper without such a cell. A difference of exactly the margin is wrong both ways.
    """
    lines = []
    for kind in PaperKind:
        cells = [one.cells for one in papers if one.kind is kind]
        if not cells:
            continue
        agree = [[truth for truth, verdict in own if verdict.agrees] for own in cells]
        differs = [
            [truth for truth, verdict in own if verdict is CellVerdict.DIFFERS] for own in cells
        ]
        lines += [
            _discoveries(kind, "agree", agree, lambda truth: _size(truth) >= MARGIN),
            _discoveries(kind, "differ", differs, _is_near),
        ]
    return pd.DataFrame(lines)


def _discoveries(
    kind: PaperKind,
    name: str,
    found: Sequence[Sequence[Truth]],
    is_wrong: Callable[[Truth], bool],
) -> dict[str, object]:
    """One line of the false discovery rates; `found` has the cells of each paper."""
    wrong = [sum(map(is_wrong, own)) for own in found]
    shares = [count / max(len(own), 1) for count, own in zip(wrong, found, strict=True)]
    return {
        "papers": str(kind),
        "number of papers": len(found),
        "cells that": name,
        "cells": sum(map(len, found)),
        "of them wrong": sum(wrong),
        "false discovery rate": float(np.mean(shares)),
    }


def verdicts_by_difference(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of cells that differ, and that agree, by setting and planted difference.

    One line per spread, number of runs in a published mean, and difference.
    """
    right_or_shifted = [one for one in papers if one.kind in (PaperKind.TRUE, PaperKind.SHIFTED)]
    groups: dict[tuple[float, int, float], list[CellVerdict]] = {}
    for paper in right_or_shifted:
        for truth, verdict in paper.cells:
            key = truth.setting.spread, truth.setting.runs, _size(truth)
            groups.setdefault(key, []).append(verdict)
    lines = [
        {
            "spread": spread,
            "runs": runs,
            "difference": size,
            "differ": sum(one is CellVerdict.DIFFERS for one in found) / len(found),
            "agree": sum(one.agrees for one in found) / len(found),
        }
        for (spread, runs, size), found in sorted(groups.items())
    ]
    return pd.DataFrame(lines)


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
        tests = [test for one in papers if one.kind is kind for test in one.joint_tests]
        lines.append(_p_values(kind, "all", [p_value for _, p_value in tests]))
        for spread in sorted({spread for spread, _ in tests}):
            own = [p_value for one, p_value in tests if one == spread]
            lines.append(_p_values(kind, f"{spread:g}", own))
    return pd.DataFrame(lines)


def _p_values(kind: PaperKind, spread: str, found: Sequence[float]) -> dict[str, object]:
    """One line of the p-values of joint tests."""
    shares = {f"p ≤ {level:g}": float(np.mean(np.array(found) <= level)) for level in P_VALUES}
    line = {"papers": str(kind), "standard deviation of runs": spread, "joint tests": len(found)}
    return line | shares


def p_values_of(papers: Iterable[JudgedPaper], kind: PaperKind) -> list[float]:
    """The p-values of all joint tests in papers of a kind."""
    return [p_value for one in papers if one.kind is kind for _, p_value in one.joint_tests]


def skills(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The mean skill of tables, how many are told apart, and how many exchanges are right."""
    lines = []
    for kind in PLAIN_KINDS:
        found = [each for one in papers if one.kind is kind for each in one.skills]
        lines.append(
            {
                "papers": str(kind),
                "tables": len(found),
                "mean skill": round(float(np.mean([one.value for one, _ in found])), 2),
                "told apart": float(np.mean([one.is_told_apart for one, _ in found])),
                "right about an exchange": float(np.mean([is_right for _, is_right in found])),
            }
        )
    return pd.DataFrame(lines)


def explanations(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The share of differing cells that a variant explains, by how the default was chosen."""
    lines = []
    for choice in Choice:
        found = [each for one in papers for each in one.explanations if each.choice == choice]
        differs = sum(one.differs for one in found)
        explained = sum(one.explained for one in found)
        lines.append(
            {
                "default": str(choice),
                "cells that differ": differs,
                "agree under the best variant": sum(one.agrees for one in found) / max(differs, 1),
                "explained by the rule": explained / max(differs, 1),
                "wrong of those explained": sum(one.wrong for one in found) / max(explained, 1),
            }
        )
    return pd.DataFrame(lines)


def paper_lines(papers: Sequence[JudgedPaper]) -> pd.DataFrame:
    """The number of cells with each verdict, of tables and of tests, a line per paper."""
    lines = []
    for paper in papers:
        counts = Counter(verdict for _, verdict in paper.cells)
        lines.append(
            {"papers": str(paper.kind), "seed": paper.seed, "cells": len(paper.cells)}
            | {str(one): counts[one] for one in COMPARED}
            | {
                "tables": len(paper.skills),
                "told apart": sum(one.is_told_apart for one, _ in paper.skills),
                "joint tests": len(paper.joint_tests),
                "p ≤ 0.05": sum(p_value <= LEVEL for _, p_value in paper.joint_tests),
            }
        )
    return pd.DataFrame(lines)
