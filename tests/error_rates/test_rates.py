"""Error rates of judged papers, counted by hand."""

from __future__ import annotations

import pytest

from dpfair_cli.addons.error_rates import rates
from dpfair_cli.addons.error_rates.judged_papers import Explanation, JudgedPaper
from dpfair_cli.addons.error_rates.simulation import PaperKind, SimulatedSetting, Truth
from dpfair_cli.addons.error_rates.variants import Choice
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.whole_tables import ColumnVerdict, OrderVerdict

REPRODUCED, CONSISTENT, UNDECIDED, DIFFERS = rates.COMPARED
CONFIRMED, REVERSED, _ = OrderVerdict
AGREES, WRONG, UNDECIDED_COLUMN = ColumnVerdict
FEW = SimulatedSetting(0.02, 1, False)


def cell(verdict: CellVerdict, difference: float = 0.0, *, exchanged: bool = False) -> rates.Cell:
    return Truth(FEW, difference, exchanged), verdict


def paper(kind: PaperKind, *cells: rates.Cell) -> JudgedPaper:
    return JudgedPaper(kind, 0, [*cells], [], [])


TRUE = paper(PaperKind.TRUE, cell(REPRODUCED), cell(CONSISTENT), cell(UNDECIDED), cell(DIFFERS))
NOISY = paper(PaperKind.NOISY, cell(UNDECIDED))
MIXED_UP = paper(
    PaperKind.MIXED_UP,
    cell(REPRODUCED),
    cell(CONSISTENT, 0.01, exchanged=True),
    cell(DIFFERS, -0.3, exchanged=True),
)
SHIFTED = paper(
    PaperKind.SHIFTED,
    cell(REPRODUCED),
    cell(REPRODUCED, 0.02),
    cell(DIFFERS, 0.02),
    cell(DIFFERS, -0.05),
    cell(UNDECIDED, 0.05),
)
PAPERS = [TRUE, NOISY, MIXED_UP, SHIFTED]


def test_verdict_shares_have_a_line_for_each_group_of_cells() -> None:
    table = rates.verdict_shares(PAPERS).set_index("published value")
    assert table["cells"].to_dict() == {
        "right": 4,
        "right, but runs vary much": 1,
        "another method's, ≤ 0.02 away": 1,
        "another method's, > 0.02 away": 1,
        "shifted by 0.02": 2,
        "shifted by 0.05": 2,
    }
    assert list(table.loc["right", [*map(str, rates.COMPARED)]]) == [0.25] * 4
    assert table.loc["shifted by 0.05", "differs"] == 0.5


def test_false_discovery_rates_count_a_difference_of_the_margin_as_wrong_both_ways() -> None:
    table = rates.false_discovery_rates(PAPERS).set_index(["papers", "cells that"])
    assert table.loc[("true", "agree"), "of them wrong"] == 0
    assert table.loc[("true", "differ"), "of them wrong"] == 1
    assert table.loc[("shifted", "agree"), "of them wrong"] == 1
    assert table.loc[("shifted", "differ"), "of them wrong"] == 1
    assert table["false discovery rate"].tolist() == [0, 1, 0, 0, 0, 0, 0.5, 0.5]


def test_a_false_discovery_rate_is_the_mean_over_papers() -> None:
    right = paper(PaperKind.SHIFTED, cell(DIFFERS, 0.15))
    table = rates.false_discovery_rates([*PAPERS, right]).set_index(["papers", "cells that"])
    assert table.loc[("shifted", "differ"), "false discovery rate"] == 0.25  # 1/2 and 0
    assert table.loc[("shifted", "differ"), "number of papers"] == 2


def test_found_shifts_have_a_column_for_each_size() -> None:
    table = rates.found_shifts(PAPERS)
    assert table.to_dict("records") == [
        {
            "standard deviation of runs": 0.02,
            "runs in a published mean": 1,
            "not shifted": 0.2,  # of four cells of the true paper and one of the shifted paper
            "shifted by 0.02": 0.5,
            "shifted by 0.05": 0.5,
        }
    ]


def test_cells_that_agree_are_reproduced_or_consistent() -> None:
    table = rates.verdicts_by_difference(PAPERS).set_index("difference")
    assert table["agree"].to_dict() == {0.0: 0.6, 0.02: 0.5, 0.05: 0.0}


def test_orders_are_counted_by_kind_and_by_whether_they_are_right() -> None:
    found = paper(PaperKind.TRUE)
    found.orders.extend([(True, CONFIRMED), (True, REVERSED), (True, CONFIRMED), (False, REVERSED)])
    table = rates.order_shares([found, *PAPERS]).set_index("printed order")
    right, wrong = table.loc["that of our true means"], table.loc["the opposite"]
    assert list(right) == ["true", 3, pytest.approx(2 / 3), pytest.approx(1 / 3), 0]
    assert list(wrong) == ["true", 1, 0, 1, 0]


def test_columns_are_counted_by_their_true_distance() -> None:
    plain, at_margin, other = map(paper, (PaperKind.TRUE, PaperKind.AT_MARGIN, PaperKind.BEST))
    plain.columns.extend([(0.0, AGREES), (0.0, UNDECIDED_COLUMN), (2.5, WRONG)])
    at_margin.columns.extend([(1.0, AGREES), (1.5, WRONG)])
    other.columns.extend([(1.2, AGREES), (0.5, AGREES), (0.5, WRONG), (0.5, UNDECIDED_COLUMN)])
    table = rates.column_shares([plain, at_margin, other]).set_index("true distance in margins")
    assert table["columns"].to_dict() == {"0": 2, "1": 1, "above 1, at most 2": 1, "above 2": 1}
    assert table.loc["0", "agrees"] == 0.5
    assert table.loc["1", "agrees"] == 1.0
    (line,) = rates.other_column_shares([plain, at_margin, other]).to_dict("records")
    assert (line["papers"], line["columns"], line["decided"]) == ("best run", 4, 3)
    assert line["wrong of those"] == pytest.approx(2 / 3)


def test_other_groups_are_split_by_seeds_and_by_the_difference() -> None:
    few = paper(PaperKind.FEW_SEEDS)
    cells = [(Truth(FEW, size, our_runs=2), DIFFERS) for size in (0.0, 0.01, -0.03, 0.02)]
    own = JudgedPaper(few.kind, 0, cells, [], [])
    table = rates.other_verdict_shares([own]).set_index("published value")
    assert table["cells"].to_dict() == {
        "2 seeds, published 1 run: right": 1,
        "2 seeds, published 1 run: ≤ 0.02 away": 2,
        "2 seeds, published 1 run: > 0.02 away": 1,
    }


def test_explanations_are_shares_of_the_cells_that_differ() -> None:
    found = [
        Explanation(Choice.DRAWN, differs=6, agrees=3, explained=2, wrong=1),
        Explanation(Choice.DRAWN, differs=2, agrees=1, explained=0, wrong=0),
    ]
    table = rates.explanations([JudgedPaper(PaperKind.CHOSEN, 0, [], [], [], found)])
    assert list(table.set_index("default").loc["drawn, none right"]) == [8, 0.5, 0.25, 0.5]
