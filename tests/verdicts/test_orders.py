"""Orders of methods: which pairs have one, and when our runs confirm or reverse it."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.claims.verdict import ClaimLevels
from dpfair_cli.verdicts.whole_tables import JudgedOrder, OrderVerdict, judge_orders
from tests.verdicts.judged_cells import judged_cell

LEVELS = ClaimLevels()
CONFIRMED, REVERSED, UNDECIDED = OrderVerdict
HIGH, LOW = (0.80, 0.81, 0.82), (0.70, 0.71, 0.73)


def only_order(*cells: object) -> JudgedOrder:
    (found,) = judge_orders(cells, LEVELS)  # type: ignore[arg-type]
    return found


def test_our_runs_confirm_the_printed_order_or_reverse_it() -> None:
    found = only_order(judged_cell("A", LOW, 0.70), judged_cell("B", HIGH, 0.80))
    assert (found.higher.published.method, found.lower.published.method) == ("B", "A")
    assert found.verdict is CONFIRMED
    assert found.difference == pytest.approx(np.mean(HIGH) - np.mean(LOW))
    assert only_order(judged_cell("A", LOW, 0.80), judged_cell("B", HIGH, 0.70)).verdict is REVERSED


def test_the_p_value_is_that_of_a_paired_t_test() -> None:
    from scipy.stats import ttest_rel

    one, other = (0.80, 0.86, 0.79, 0.83), (0.79, 0.84, 0.80, 0.80)
    found = only_order(judged_cell("A", one, 0.80), judged_cell("B", other, 0.70))
    assert found.p_values.holds == pytest.approx(
        ttest_rel(one, other, alternative="greater").pvalue
    )
    assert found.p_values.fails == pytest.approx(ttest_rel(one, other, alternative="less").pvalue)
    assert found.verdict is UNDECIDED


def test_runs_with_other_seeds_are_compared_by_the_test_of_welch() -> None:
    from scipy.stats import ttest_ind

    one, other = (0.80, 0.86, 0.79, 0.83), (0.79, 0.80, 0.84)
    found = only_order(judged_cell("A", one, 0.80), judged_cell("B", other, 0.70))
    theirs = ttest_ind(one, other, equal_var=False, alternative="greater").pvalue
    assert found.p_values.holds == pytest.approx(theirs)


def test_values_that_are_a_margin_apart_or_less_have_no_order() -> None:
    assert not judge_orders([judged_cell("A", HIGH, 0.80), judged_cell("B", LOW, 0.781)], LEVELS)
    # of norms: a tenth of the larger value, 10
    near = judged_cell("A", HIGH, 100.0, relative=True), judged_cell("B", LOW, 90.5, relative=True)
    assert not judge_orders(near, LEVELS)
    far = judged_cell("A", HIGH, 100.0, relative=True), judged_cell("B", LOW, 89.5, relative=True)
    assert len(judge_orders(far, LEVELS)) == 1


def test_cells_in_other_places_or_without_runs_have_no_order() -> None:
    other_place = judged_cell("B", LOW, 0.5, dataset="dutch")
    other_epsilon = judged_cell("B", LOW, 0.5, epsilon=1.0)
    missing = judged_cell("B", LOW, 0.5, verdict=CellVerdict.MISSING)
    own = judged_cell("A", HIGH, 0.8, epsilon=0.1)
    assert not judge_orders([own, other_place], LEVELS)
    assert not judge_orders([own, other_epsilon], LEVELS)
    assert not judge_orders([own, missing], LEVELS)
    # a baseline without epsilon is in the place of every epsilon
    baseline = judged_cell("LR", HIGH, 0.9)
    assert len(judge_orders([own, other_epsilon, baseline], LEVELS)) == 2


def test_equal_means_that_do_not_vary_decide_no_order() -> None:
    same = (0.8, 0.8, 0.8)
    cells = judged_cell("A", same, 0.8), judged_cell("B", same, 0.7)
    assert only_order(*cells).verdict is UNDECIDED


def test_levels_decide() -> None:
    cells = judged_cell("A", HIGH, 0.8), judged_cell("B", LOW, 0.7)
    (found,) = judge_orders(cells, ClaimLevels(holds=0.0, fails=0.0))
    assert found.verdict is UNDECIDED
