"""A reference means one number of a journal or of the paper, and what leads nowhere is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.deviations.deviation import parse_deviations
from dpfair_cli.verdicts.references import Numbers, Reference, Statistic, measured_references
from tests.verdicts.toy_paper import ROWS, SPEC, published, published_cell

CELLS = [published_cell(published("PFLR", 1, 0.75)), published_cell(published("LR", None, 0.85))]
NUMBERS = Numbers(SPEC, ROWS, CELLS)  # three runs at 0.699, 0.700, 0.701 of PFLR at epsilon 1


def reference(statistic: Statistic = Statistic.MEAN, **words: Any) -> Reference:
    own = {"artefact": "table8.2", "dataset": "adult", "method": "PFLR", "metric": "accuracy"}
    own |= {name: words.pop(name) for name in own.keys() & words.keys()}
    return Reference(**own, parameters=tuple(words.items()), statistic=statistic)


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        (Statistic.MEAN, 0.70),
        (Statistic.DEVIATION, 0.001),
        (Statistic.LOWEST, 0.699),
        (Statistic.HIGHEST, 0.701),
        (Statistic.RUNS, 3),
        (Statistic.PUBLISHED, 0.75),
        (Statistic.DIFFERENCE, -0.05),
    ],
)
def test_a_reference_means_a_statistic_of_its_runs(statistic: Statistic, value: float) -> None:
    assert NUMBERS.value(reference(statistic, epsilon=1)) == pytest.approx(value)


def test_a_variant_has_its_own_runs_and_the_published_value_of_its_method() -> None:
    assert NUMBERS.value(reference(method="PFLR, shift", epsilon=1)) == pytest.approx(0.66)
    theirs = reference(Statistic.PUBLISHED, method="PFLR, shift", epsilon=1)
    assert NUMBERS.value(theirs) == 0.75


def test_a_parameter_that_a_method_does_not_have_fits_any_value() -> None:
    for epsilon in (0.1, 1):
        assert NUMBERS.value(reference(method="LR", epsilon=epsilon)) == pytest.approx(0.84)
    assert NUMBERS.is_published(reference(method="LR", epsilon=1))


def test_a_data_set_need_not_be_named_where_there_is_one() -> None:
    assert NUMBERS.value(reference(dataset="", epsilon=1)) == pytest.approx(0.70)
    two = pd.concat([ROWS, ROWS.assign(dataset="dutch")])
    with pytest.raises(DpfairError, match="several data sets: name one"):
        Numbers(SPEC, two, CELLS).value(reference(dataset="", epsilon=1))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"epsilon": 2}, "no finished run matches the reference"),
        ({}, "give a value of epsilon"),
        (
            {"epsilon": 1, "method": "PFLRR"},
            "the journal has no method 'PFLRR', did you mean 'PFLR'",
        ),
        ({"epsilon": 1, "metric": "acuracy"}, "no score 'acuracy'.*did you mean 'accuracy'"),
        (
            {"epsilon": 1, "dataset": "adlut"},
            "no data set 'adlut'.*did you mean 'adult'",
        ),
        ({"epsilno": 1}, "no parameter 'epsilno'.*did you mean 'epsilon'"),
    ],
)
def test_a_reference_that_leads_nowhere_is_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(DpfairError, match=message):
        NUMBERS.value(reference(**words))


def test_a_score_without_any_value_is_refused() -> None:
    empty = Numbers(SPEC, ROWS.assign(accuracy=float("nan")), CELLS)
    with pytest.raises(DpfairError, match="has no value"):
        empty.value(reference(epsilon=1))


def test_a_published_value_that_is_not_printed_is_refused() -> None:
    missing = reference(Statistic.PUBLISHED, epsilon=10)
    assert not NUMBERS.is_published(missing)
    with pytest.raises(DpfairError, match="no published cell matches"):
        NUMBERS.value(missing)


ENTRY = {
    "artefact": "table8.2",
    "dataset": "adult",
    "method": "PFLR",
    "epsilon": [0.1, 1],
    "kind": "hypothesis",
    "cause": "...",
    "unsettled": "...",
}


def measured(items: Any) -> list[list[Reference]]:
    """The references of a deviation that has measured these."""
    (deviation,) = parse_deviations([{**ENTRY, "measured": items}])
    return measured_references(deviation, "table8.2")


def test_a_list_stands_for_one_reference_for_each_of_its_values() -> None:
    items = [{"metric": "accuracy", "method": ["PFLR", "LR"]}, {"metric": "accuracy", "epsilon": 1}]
    first, second = measured(items)
    assert [(one.parameters, one.method) for one in first] == [
        ((("epsilon", epsilon),), method) for epsilon in (0.1, 1) for method in ("PFLR", "LR")
    ]
    assert second == [reference(epsilon=1)]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("PFLR has 0.66", "`measured` must be a list of references"),
        (["PFLR has 0.66"], "a reference must be a mapping"),
        ([{"epsilon": 1}], "must name metric"),
    ],
)
def test_what_is_no_list_of_references_is_refused(items: Any, message: str) -> None:
    with pytest.raises(DpfairError, match=message):
        measured(items)
