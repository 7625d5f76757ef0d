"""A published table and a table of ours: numbers by hand, and the verdicts of `dpfair check`."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import paths
from dpfair_cli.addons.error_rates.simulation import (
    PLAIN_KINDS,
    PaperKind,
    SimulatedTable,
    simulate_paper,
)
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reproduction.artefact import artefact_of
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running.spec import load
from dpfair_cli.verdicts.cells.comparison import MARGIN, CellVerdict
from dpfair_cli.verdicts.cells.judging import JudgedCell, at_levels, judge_cells
from dpfair_cli.verdicts.paper_rule import rule_of
from dpfair_cli.verdicts.two_tables import (
    JudgedTables,
    NotReproducedError,
    assert_reproduced,
    judge,
)
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.whole_tables import OrderVerdict

REPRODUCED, CONSISTENT, UNDECIDED, DIFFERS, *_ = CellVerdict
# the plain kinds, and those with few runs of ours and with scores that are no rates; in the others,
# what a paper says of its runs is not true
KINDS = (*PLAIN_KINDS, PaperKind.FEW_SEEDS, PaperKind.RELATIVE)
Rows = list[dict[str, Any]]


def runs(method: str, values: Iterable[float], **names: Any) -> Rows:
    return [{"method": method, "seed": k, "value": one, **names} for k, one in enumerate(values)]


def mean(method: str, mean: float, std: float | str = "", runs: int = 10, **names: Any) -> Rows:
    return [{"method": method, "mean": mean, "std": std, "runs": runs, **names}]


def verdicts(published: Rows, ours: Rows) -> list[CellVerdict]:
    return [one.verdict for one in judge(published, ours).cells]


# means 0.8 and 0.81, both with deviation 0.01 over 10 runs: the standard error is
# 0.01 * sqrt(2 / 10) = 0.004472, and 18 degrees of freedom; the margin of 0.02 is
# (0.02 - 0.01) / 0.004472 = 2.236 standard errors away, whose tail is 0.0191
def test_the_p_value_of_two_means_is_that_by_hand():
    (cell,) = judge(mean("A", 0.8, 0.01), mean("A", 0.81, 0.01)).cells
    compared = cell.variants[0].comparison
    assert compared.standard_error == pytest.approx(0.0044721, abs=1e-7)
    assert compared.degrees_of_freedom == pytest.approx(18)
    assert compared.p_equivalent == pytest.approx(0.0191, abs=1e-4)
    assert cell.verdict is REPRODUCED


def test_means_and_the_runs_that_they_are_of_have_one_verdict():
    scores = np.random.default_rng(0).normal(0.8, 0.02, 7)
    by_runs, by_means = (
        judge(mean("A", 0.81, 0.02), ours).cells[0].variants[0].comparison
        for ours in (runs("A", scores), mean("A", scores.mean(), scores.std(ddof=1), 7))
    )
    assert by_means.p_equivalent == pytest.approx(by_runs.p_equivalent, rel=1e-9)
    assert by_means.ours.runs == by_runs.ours.runs == 7


# the differences by seed are 0.0300 and 0.0302; unpaired, they drown in the noise of the seeds
def test_only_runs_with_seeds_are_paired():
    published = mean("A", 0.83) + mean("B", 0.80)
    low, high = np.array([0.5, 0.8, 0.9]), np.array([0.5300, 0.8302, 0.9300])
    paired = judge(published, runs("A", high) + runs("B", low))
    means = mean("A", high.mean(), high.std(ddof=1), 3) + mean("B", low.mean(), low.std(ddof=1), 3)
    assert [one.verdict for one in paired.orders] == [OrderVerdict.CONFIRMED]
    unpaired = judge(published, means)
    assert [one.verdict for one in unpaired.orders] == [OrderVerdict.UNDECIDED]


def test_a_reversed_order_and_a_cell_that_differs_are_named():
    published = mean("A", 0.9, 0.01) + mean("B", 0.8, 0.01)
    found = judge(published, mean("A", 0.7, 0.01) + mean("B", 0.8, 0.01))
    assert [line.split(":")[0] for line in found.differences] == ["order reversed", "cell differs"]
    assert "A, score is published 0.1 above B, and is 0.1 below it in ours" in found.differences[0]


def test_a_mean_without_deviation_is_one_run_and_decides_nothing():
    assert verdicts(mean("A", 0.8), mean("A", 0.8)) == [UNDECIDED]


def test_a_published_method_without_ours_is_a_rival():
    published, ours = mean("A", 0.8, 0.01), mean("A", 0.81, 0.001)
    assert verdicts(published, ours) == [REPRODUCED]
    found = judge([*published, *mean("majority class", 0.815)], ours)
    assert [one.verdict for one in found.cells] == [CONSISTENT]
    assert "published, line 2: majority class, score: not in ours" in found.remarks


@pytest.mark.parametrize(
    ("margin", "verdict"),
    [("2", REPRODUCED), ("0.5", DIFFERS), ("1%", DIFFERS), ("3%", REPRODUCED)],
)
def test_a_margin_is_stated_in_the_unit_of_the_score_or_in_percent(margin, verdict):
    published = mean("A", 80.0, 0.1, margin=margin)
    assert verdicts(published, mean("A", 81.2, 0.1)) == [verdict]


def test_a_score_beyond_one_needs_a_stated_margin():
    with pytest.raises(DpfairError, match="state it in a column margin, such as 2"):
        judge(mean("A", 80.0), mean("A", 81.2))


def test_rows_match_by_all_names_of_both_tables():
    published = mean("A", 0.8, 0.01, data="x", year=1.0) + mean("A", 0.6, 0.01, data="y", year=1.0)
    ours = mean("A", 0.6, 0.01, data="y", year="1") + mean("A", 0.8, 0.01, data="xx", year="1")
    found = judge(published, ours)
    assert [one.description for one in found.cells] == ["A, data y, year 1, score"]
    assert found.remarks[1:] == (
        "published, line 1: A, data x, year 1, score: not in ours: did you mean "
        "'A, data xx, year 1, score'?",
        "ours: A, data xx, year 1, score: not in published",
    )


def test_times_and_numbers_of_records_are_not_compared():
    tables = mean("A", 0.8, 0.01, metric="error") + mean("A", 0.9, 0.01, metric="seconds")
    tables += mean("A", 0.9, 0.01, metric="sample_size")
    found = judge(tables, tables)
    assert [one.published.metric for one in found.cells] == ["error"]
    assert sum("not compared, because" in line for line in found.remarks) == 2


def test_a_column_of_one_table_is_ignored_and_named():
    found = judge(mean("A", 0.8, 0.01, page=3), mean("A", 0.8, 0.01))
    assert "the column 'page' is ignored: ours lacks it" in found.remarks


@pytest.mark.parametrize(
    ("published", "ours", "message"),
    [
        ([{"method": "A"}], mean("A", 0.8), "published must have a column 'mean'"),
        ([{"name": "A", "mean": 1}], mean("A", 0.8), "'method', .* its columns: 'name', 'mean'"),
        ([], mean("A", 0.8), "'method', in a header with commas; its columns: none"),
        (mean("A", 0.8), [{"method": "A", "value": 1}], "ours has no column 'seed'"),
        (mean("A", 0.8) * 2, mean("A", 0.8), "line 2: the same names as in line 1"),
        (mean("A", 0.8), mean("B", 0.8), "no number was compared"),
        (mean("A", 0.8), runs("A", [0.8]) * 2, "line 2: a second run with seed 0"),
        (mean("A", 0.8), mean("A", 0.8, 0.1, 1), "a std needs 2 runs or more"),
        (mean("A", "many"), mean("A", 0.8), "mean must be a number, got 'many'"),
        (mean("A", 0.8, -1), mean("A", 0.8), "std must be at least 0"),
        (mean("A", 0.8, runs=0), mean("A", 0.8), "runs must be a whole number from 1 on"),
        (mean("A", 0.8, margin="-1"), mean("A", 0.8), "margin must be a number above 0"),
        (mean("A", 0.8, metric="seed"), mean("A", 0.8, metric="seed"), "rename the score 'seed'"),
        (mean("A", 0.8, algorithm=1), mean("A", 0.8, algorithm=1), "rename the column 'algorithm'"),
        (
            mean("A", 0.8, eps=1.0) + mean("A", 0.7, eps=""),
            mean("A", 0.8, 0.1, eps=1.0) + mean("A", 0.8, 0.1, eps=2.0),
            r"line 2: fits several rows of ours \(A, eps 1, score; A, eps 2, score\)",
        ),
    ],
)
def test_a_wrong_table_is_refused_in_one_line(published, ours, message):
    with pytest.raises(DpfairError, match=message):
        judge(published, ours)


def test_a_frame_a_list_and_a_file_have_the_same_verdicts(tmp_path):
    published, ours = mean("A", 0.8, 0.01) + mean("B", 0.7), mean("A", 0.81, 0.01)
    files = written(tmp_path, published, ours)
    frames = [pd.DataFrame(rows) for rows in (published, ours)]
    levels = [judge(*given).verdicts.cells[0] for given in ((published, ours), frames, files)]
    assert {one.variants[0].decision.reason for one in levels} == {
        "the difference is 0.0100 ± 0.0078 (90 % interval) and the margin is 0.0200: equivalent, "
        "and the nearest other value is 0.1000 away"
    }


def test_the_assertion_fails_with_what_differs_and_else_gives_the_verdicts():
    published = mean("A", 0.8, 0.01)
    assert assert_reproduced(published, mean("A", 0.8, 0.01)).cells[0].verdict is REPRODUCED
    with pytest.raises(
        NotReproducedError, match=r"1 difference\n  cell differs: A, score: the diff"
    ):
        assert_reproduced(published, mean("A", 0.7, 0.01))


# ---- the same verdicts as those of whole papers


def written(folder: Path, *tables: Rows) -> list[Path]:
    files = []
    for name, rows in zip(("published.csv", "ours.csv"), tables, strict=True):
        columns = dict.fromkeys(column for row in rows for column in row)
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*columns], restval="")
            writer.writeheader()
            writer.writerows(rows)
        files.append(folder / name)
    return files


def exported(cells: Sequence[JudgedCell], folder: Path) -> list[Path]:
    """Judged cells with their rivals as two CSV files; the runs have seeds."""
    published: Rows = []
    ours: Rows = []
    constants: dict[str, dict[str, Any]] = {}
    for cell in cells:
        names, one = cell.published.named, cell.variants[0]
        margin = "10%" if one.comparison.relative else MARGIN
        std = "" if math.isnan(cell.sample.std) else cell.sample.std
        row = {**names, "mean": cell.sample.mean, "std": std, "margin": margin}
        published.append({**row, "runs": cell.sample.runs})
        ours += [{**names, "seed": seed, "value": value} for seed, value in one.scores.items()]
        if cell.published.metric.startswith("accuracy"):  # the last rival is the majority class
            constant = {**row, "method": "majority class", "mean": cell.rivals[-1], "runs": 1}
            constants[repr({**constant, "std": ""})] = constant
    return written(folder, [*published, *constants.values()], ours)


def key(cell: JudgedCell) -> str:
    return repr(sorted(cell.published.named.items()))


def outcome(judged: Verdicts | JudgedTables) -> dict[str, list[Any]]:
    """All verdicts and p-values, in an order that does not depend on that of the rows."""
    cells = [one for one in judged.cells if one.verdict.is_compared]
    return {
        "cells": sorted((key(one), one.verdict, p_values_of(one)) for one in cells),
        "orders": sorted(
            (key(one.higher), key(one.lower), one.verdict, rounded(one.p_values))
            for one in judged.orders
        ),
        "columns": sorted(
            (one.method, one.metric, one.verdict, rounded(one.p_values)) for one in judged.columns
        ),
    }


def p_values_of(cell: JudgedCell) -> tuple[float, ...]:
    compared = cell.variants[0].comparison
    return rounded((compared.p_equivalent, compared.p_different))


def rounded(numbers: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(number, 9) for number in numbers)


def by_check(judged: Verdicts) -> Verdicts:
    """The verdicts by the rule of a paper with this artefact alone."""
    rule = rule_of([judged])
    return replace(
        judged,
        cells=tuple(at_levels(one, rule.levels) for one in judged.compared),
        order_levels=rule.order_levels,
        column_levels=rule.column_levels,
    )


@pytest.mark.parametrize("name", ["xu2021/table8.1", "xu2021/table9.4", "lowy2023/table-adult"])
def test_an_artefact_as_two_files_has_the_verdicts_of_check(name, tmp_path):
    options = RunOptions(Path("nowhere"), paths.shipped("results"), collect=True)
    checked = by_check(artefact_of(load(name), options).judged)
    found = judge(*exported(checked.cells, tmp_path))
    assert len(found.cells) == len(checked.cells) > 15
    assert outcome(found) == outcome(checked)


def simulated() -> Iterator[tuple[PaperKind, SimulatedTable]]:
    for seed, kind in product(range(9), KINDS):
        for table in simulate_paper(kind, seed):
            yield kind, table


# the rates of results/error-rates.md are those of papers, whose levels all their tables share
def test_40_simulated_tables_have_the_verdicts_of_check_and_few_wrong_ones(tmp_path):
    wrong: Counter[str] = Counter()
    of_all: Counter[str] = Counter()
    for _, table in islice(simulated(), 40):
        cells = judge_cells(table.rows, table.spec, [*table.truths], standins={})
        checked = by_check(Verdicts(table.spec, tuple(cells)))
        found = judge(*exported(checked.cells, tmp_path))
        assert outcome(found) == outcome(checked)
        truths = {repr(sorted(one.named.items())): truth for one, truth in table.truths.items()}
        for cell in found.cells:
            apart = abs(truths[key(cell)].difference)
            of_all[cell.verdict] += 1
            wrong["agrees"] += cell.verdict.agrees and apart > MARGIN
            wrong["differs"] += cell.verdict is DIFFERS and apart <= MARGIN
        for order in found.orders:
            higher, lower = (truths[key(one)].expected for one in (order.higher, order.lower))
            if math.isnan(higher):  # of scores that are no rates, the true means are not known
                continue
            of_all[f"order {order.verdict}"] += 1
            wrong["confirmed"] += order.verdict is OrderVerdict.CONFIRMED and higher < lower
            wrong["reversed"] += order.verdict is OrderVerdict.REVERSED and higher > lower
    agreeing = of_all[REPRODUCED] + of_all[CONSISTENT]
    assert sum(of_all.values()) > 2_000
    assert wrong["agrees"] <= 0.05 * agreeing
    assert wrong["differs"] <= 0.05 * of_all[DIFFERS]
    assert wrong["confirmed"] <= 0.05 * of_all["order confirmed"]
    assert wrong["reversed"] <= 0.05 * of_all["order reversed"]
