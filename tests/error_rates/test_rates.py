"""Error rates of judged papers, counted by hand."""

from __future__ import annotations

import pytest

from dpfair_cli.addons.error_rates import rates
from dpfair_cli.addons.error_rates.judged_papers import Explanation, JudgedPaper
from dpfair_cli.addons.error_rates.simulation import PLAIN_KINDS, PaperKind, SimulatedSetting, Truth
from dpfair_cli.addons.error_rates.variants import Choice
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.score.trust import Skill

REPRODUCED, CONSISTENT, UNDECIDED, DIFFERS = rates.COMPARED
FEW = SimulatedSetting(0.02, 1, False)


def cell(verdict: CellVerdict, difference: float = 0.0, *, exchanged: bool = False) -> rates.Cell:
    return Truth(FEW, difference, exchanged), verdict


def paper(kind: PaperKind, *cells: rates.Cell, p_values: tuple[float, ...] = ()) -> JudgedPaper:
    table = Skill(value=0.5, p_value=0.01, cells=4, near=2, near_without_runs=1)
    other = Skill(value=0.1, p_value=0.40, cells=4, near=2, near_without_runs=1)
    tests = [(FEW.spread, p_value) for p_value in p_values]
    return JudgedPaper(kind, 0, cells, [(table, True), (other, False)], tests)


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


def test_joint_p_values_are_counted_up_to_each_level() -> None:
    found = paper(PaperKind.TRUE, p_values=(0.01, 0.04, 0.3, 0.9))  # all with the spread 0.02
    others = [paper(kind, p_values=(1.0,)) for kind in PLAIN_KINDS if kind is not PaperKind.TRUE]
    table = rates.joint_p_values([found, *others])
    true = table[table["papers"] == "true"].set_index("standard deviation of runs")
    for spread in ("all", "0.02"):
        assert list(true.loc[spread])[1:] == [4, 0.25, 0.5, 0.5, 0.5, 0.75]
    assert len(true) == 2


def test_skills_are_averaged_over_tables() -> None:
    table = rates.skills(PAPERS).set_index("papers")
    assert table.loc["true", "mean skill"] == pytest.approx(0.3)
    assert table.loc["true", "told apart"] == 0.5
    assert table.loc["true", "right about an exchange"] == 0.5


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
