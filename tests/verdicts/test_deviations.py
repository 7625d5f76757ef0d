"""Deviations: which cells they explain, when they are stale, and what was declared as not run."""

from __future__ import annotations

from typing import Any

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts import deviations
from tests.verdicts.toy_paper import WHY, published, verdicts


def test_a_deviation_with_a_cause_explains_the_cells_it_names_and_no_others() -> None:
    cells = (published("PFLR", 0.1, 0.9), published("PFLR", 1, 0.9))
    found = verdicts(*cells, deviations=({"method": "PFLR", "epsilon": 0.1, **WHY},))
    assert found.cell_counts == {"explained": 1, "differs": 1}
    assert found.failures == ("adult, PFLR, epsilon 1, accuracy: differs",)


def test_a_deviation_may_list_several_values() -> None:
    cells = (published("PFLR", 0.1, 0.9), published("PFLR", 1, 0.9))
    assert not verdicts(*cells, deviations=({"epsilon": [0.1, 1], **WHY},)).failures


def test_a_deviation_that_nobody_needs_is_stale() -> None:
    entries = ({"method": "PFLR*", **WHY}, {"method": "PFRL", **WHY}, {"claim": "gone", **WHY})
    assert len(verdicts(published("PFLR*", 1, 0.75), deviations=entries).stale_deviations) == 3


def test_a_deviation_of_cells_that_were_not_compared_is_not_stale() -> None:
    found = verdicts(published("PFLR*", 1, 0), deviations=({"method": "PFLR*", **WHY},), standins={"adult": "REPLICA"})
    assert not found.stale_deviations


@pytest.mark.parametrize("entry", [{"method": "PFLR", "cause": "no number"}, {"methd": "PFLR", **WHY}])
def test_a_deviation_without_a_measured_cause_or_with_an_unknown_word_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(DpfairError, match=r"deviations\.yaml"):
        verdicts(published("PFLR*", 1, 0.75), deviations=(entry,))


def test_a_cell_that_is_declared_as_not_run_is_no_failure_and_others_still_are() -> None:
    """Nothing ran on a second data set, and an entry says why."""
    cells = [published("PFLR", 1, 0.7), *({**published("PFLR", e, 0.7), "dataset": "dutch"} for e in (0.1, 1))]
    entry = {"dataset": "dutch", "not_run": "takes days", **WHY}
    found = verdicts(*cells, deviations=(entry,))
    assert found.cell_counts == {"agrees": 1, "not run": 2}
    assert (found.failures, found.stale_deviations) == ((), ())
    assert len(verdicts(*cells, deviations=({"dataset": "dutch", **WHY},)).failures) == 2  # without `not_run`
    assert verdicts(published("PFLR", 1, 0.9), deviations=({**entry, "dataset": "adult"},)).cell_counts == {
        "differs": 1
    }


def test_the_data_sets_that_were_not_run_are_named_with_the_reason() -> None:
    entries = [{"artefact": ["a", "b"], "dataset": ["x", "y"], "not_run": "long", **WHY}, {"artefact": "a", **WHY}]
    assert deviations.datasets_not_run("a", entries) == {"x": "long", "y": "long"}
    assert deviations.datasets_not_run("c", entries) == {}
