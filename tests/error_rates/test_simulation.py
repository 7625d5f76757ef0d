"""Simulated papers are what their kind says, and the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpfair_cli.addons.error_rates.simulation import (
    EPSILONS,
    METHODS,
    NORMS,
    OUR_RUNS,
    PAPER_RUNS,
    PLAIN_KINDS,
    SCORES,
    SHIFTS,
    SPREADS,
    PaperKind,
    SimulatedTable,
    simulate_paper,
)
from dpfair_cli.addons.error_rates.variants import CHOICES, VARIANTS, Choice, simulate_chapters
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.paper_rule import part_of

every_kind = pytest.mark.parametrize("kind", PLAIN_KINDS)


def our_mean(table: SimulatedTable, cell: PublishedCell) -> float:
    rows = table.rows
    own = rows[(rows["method"] == cell.method) & (rows["epsilon"] == cell.parameters["epsilon"])]
    assert len(own) == OUR_RUNS
    return float(own[cell.metric].mean())


@every_kind
def test_a_seed_gives_one_paper(kind: PaperKind) -> None:
    first, second, other = (simulate_paper(kind, seed) for seed in (3, 3, 4))
    for one, same, another in zip(first, second, other, strict=True):
        assert one.rows.equals(same.rows)
        assert [cell.mean for cell in one.truths] == [cell.mean for cell in same.truths]
        assert not one.rows.equals(another.rows)


@every_kind
def test_a_paper_has_hundreds_of_cells_in_places_with_several_methods(kind: PaperKind) -> None:
    tables = simulate_paper(kind, 0)
    cells = len(METHODS) * len(EPSILONS) * len(SCORES)
    assert [len(table.truths) for table in tables] == [cells] * len(tables)
    assert cells * len(tables) > 300


def test_tables_have_each_setting_and_no_deviation_of_one_run() -> None:
    settings = [one.setting for table in simulate_paper(PaperKind.TRUE, 0)
                for one in [*table.truths.values()][:1]]  # fmt: skip
    expected = {
        (spread, runs, has_std)
        for spread in SPREADS
        for runs in PAPER_RUNS
        for has_std in ((False, True) if runs > 1 else (False,))
    }
    assert len(settings) == len(expected)
    assert set(settings) == expected


@every_kind
def test_a_deviation_is_printed_where_the_setting_says_so(kind: PaperKind) -> None:
    for table in simulate_paper(kind, 1):
        for cell, truth in table.truths.items():
            assert math.isnan(cell.std) != truth.setting.has_std
        assert table.spec.published_runs == truth.setting.runs


@pytest.mark.parametrize("kind", [PaperKind.TRUE, PaperKind.NOISY])
def test_published_values_of_true_and_noisy_papers_are_right(kind: PaperKind) -> None:
    truths = [one for table in simulate_paper(kind, 0) for one in table.truths.values()]
    assert {one.difference for one in truths} == {0.0}
    assert not any(one.is_exchanged for one in truths)


def test_runs_of_noisy_papers_vary_more() -> None:
    smallest = min(
        truth.setting.spread
        for table in simulate_paper(PaperKind.NOISY, 0)
        for truth in table.truths.values()
    )
    assert smallest > max(SPREADS)


def test_a_mixed_up_paper_exchanges_two_methods_in_each_table() -> None:
    for table in simulate_paper(PaperKind.MIXED_UP, 0):
        exchanged = {cell.method for cell, truth in table.truths.items() if truth.is_exchanged}
        assert len(exchanged) == 2
        assert all(truth.is_exchanged or truth.difference == 0.0 for truth in table.truths.values())


def test_half_of_the_cells_of_a_shifted_paper_have_a_shift_of_each_size_and_sign() -> None:
    found = [one.difference for table in simulate_paper(PaperKind.SHIFTED, 0)
             for one in table.truths.values()]  # fmt: skip
    sizes = {round(size, 12) for size in found}
    assert sizes == {0.0, *SHIFTS, *(-size for size in SHIFTS)}
    shifted = np.mean(np.array(found) != 0)
    assert abs(shifted - 0.5) < 4 * math.sqrt(0.25 / len(found))  # four standard errors


@every_kind
def test_ours_less_published_is_the_stated_difference_within_noise(kind: PaperKind) -> None:
    for table in simulate_paper(kind, 2):
        for cell, truth in table.truths.items():
            error = truth.setting.spread * math.sqrt(1 / OUR_RUNS + 1 / truth.setting.runs)
            apart = our_mean(table, cell) - cell.mean - truth.difference
            assert abs(apart) < 5 * error  # five standard errors


def test_a_paper_with_few_seeds_has_three_two_and_one() -> None:
    for table in simulate_paper(PaperKind.FEW_SEEDS, 0):
        assert table.spec.published_runs == 1
        seeds = table.rows.groupby("method")["seed"].nunique()
        assert seeds.to_dict() == {"A": 3, "B": 3, "C": 2, "D": 1}
        assert {(cell.method, truth.our_runs) for cell, truth in table.truths.items()} == {
            *seeds.to_dict().items()
        }


def test_ours_less_published_of_a_norm_is_the_difference_in_parts_of_the_value() -> None:
    for table in simulate_paper(PaperKind.RELATIVE, 2):
        assert {*table.spec.task.study.unbounded} == {*NORMS}
        if table.setting.spread > 0.005:
            continue
        for cell, truth in table.truths.items():
            error = 5 * truth.setting.spread * math.sqrt(1 / OUR_RUNS + 1 / truth.setting.runs)
            ratio = our_mean(table, cell) / cell.mean / (1 + 5 * truth.difference)
            rounding = 1 / cell.mean if cell.metric == "edges" else 0
            assert abs(ratio - 1) < 5 * error + rounding  # five standard errors


def test_counts_are_whole_numbers() -> None:
    for table in simulate_paper(PaperKind.RELATIVE, 0):
        assert (table.rows["edges"] % 1 == 0).all()


def test_a_right_variant_of_a_chapter_is_the_nearest_or_another_one() -> None:
    tables = simulate_chapters(0)
    for table in tables:
        for cell, truth in table.truths.items():
            assert len(truth.under) == VARIANTS
            assert truth.difference == truth.under[""]
            has_right = 0.0 in truth.under.values()
            assert has_right == (CHOICES[cell.method] in (Choice.RIGHT, Choice.WRONG))
            assert truth.choice != Choice.WRONG or truth.difference != 0
    shares = [
        truth.difference == 0
        for table in tables
        for truth in table.truths.values()
        if truth.choice == Choice.RIGHT
    ]
    assert np.mean(shares) > 0.5


def test_tables_of_a_chapter_have_the_same_differences() -> None:
    first, second = simulate_chapters(1)[:2]
    known = {(cell.method, cell.metric): truth.under for cell, truth in first.truths.items()}
    assert part_of(first.spec) == part_of(second.spec)
    for cell, truth in second.truths.items():
        assert truth.under == known[cell.method, cell.metric]
