"""Sound made-up papers raise no fact; each planted forgery is found where digits can show it."""

from dataclasses import replace

import pytest

from dpfair_cli.addons.forensics.examining import examine
from dpfair_cli.addons.forensics.finding import Grade
from dpfair_cli.addons.forensics.rates import MEANT
from dpfair_cli.addons.forensics.simulation import (
    ACCURACY,
    EPSILONS,
    METHODS,
    PUBLIC,
    Forgery,
    MadeUpSetting,
    Mistake,
    settings,
    simulate_paper,
)

CLEAR = MadeUpSetting(runs=10, digits=6, records=16_281)


def test_sound_papers_raise_no_fact():
    for setting in settings():
        assert not examine(simulate_paper(setting, Forgery.NONE, 100)).findings


@pytest.mark.parametrize("mistake", [Mistake.DEDUCED, Mistake.INHERITED])
def test_the_wrong_declarations_that_happened_raise_no_fact(mistake):
    for setting in settings():
        found = examine(simulate_paper(setting, Forgery.NONE, 100, mistake)).findings
        assert not [one for one in found if one.grade is Grade.FACT]


def test_a_wrong_number_of_test_records_accuses_a_sound_paper():
    found = examine(simulate_paper(CLEAR, Forgery.NONE, 0, Mistake.RECORDS))
    assert found.of(Grade.FACT)


@pytest.mark.parametrize("forgery", [one for one in Forgery if one is not Forgery.NONE])
def test_a_forgery_in_a_precise_table_is_found(forgery):
    papers = [examine(simulate_paper(CLEAR, forgery, seed)) for seed in range(5)]
    kinds = [{one.kind for one in paper.findings} for paper in papers]
    assert sum(bool(own & {*MEANT[forgery]}) for own in kinds) >= 4


def test_a_paper_differs_from_its_forgery_in_few_cells():
    assert len(simulate_paper(CLEAR, Forgery.NONE, 0).cells) == 2 * 5 * (len(METHODS) + 1)
    forged = simulate_paper(CLEAR, Forgery.RANGE, 0)
    assert sum(one.mean.value > 1 for one in forged.cells) == 1


def test_a_method_without_privacy_prints_one_value():
    cells = simulate_paper(CLEAR, Forgery.NONE, 0).cells
    public = [one for one in cells if one.published.method == PUBLIC]
    accuracies = {one.mean.value for one in public if one.published.metric == ACCURACY}
    assert len(public) == 2 * len(EPSILONS)
    assert len(accuracies) == 1
    assert not any(one.uses_epsilon for one in public)


def test_the_same_seed_gives_the_same_paper():
    one, other = (simulate_paper(CLEAR, Forgery.COUNTS, 3) for _ in range(2))
    assert [cell.mean for cell in one.cells] == [cell.mean for cell in other.cells]
    changed = simulate_paper(replace(CLEAR, runs=5), Forgery.COUNTS, 3)
    assert [cell.mean for cell in one.cells] != [cell.mean for cell in changed.cells]


def test_a_fact_needs_no_chance():
    findings = examine(simulate_paper(CLEAR, Forgery.BUDGET, 0)).findings
    assert [one.grade for one in findings] == [Grade.FACT]
    assert findings[0].chance == 0
