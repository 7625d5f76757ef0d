"""Predicates of claims, each with numbers worked by hand, and what is no predicate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.predicates import p_value
from tests.verdicts.toy_paper import EPSILONS, WHY, claimed, runs, verdicts


@pytest.mark.parametrize(
    ("predicate", "verdict"),
    [
        ({"compare": ["PFLR*", ">", "PFLR"]}, "fails"),  # 0.79 against 0.80 at epsilon 10
        ({"compare": ["PFLR*", ">", "PFLR"], "over": "most"}, "holds"),  # 2 of 3
        ({"compare": ["PFLR*", ">", "PFLR"], "where": {"epsilon": [0.1, 1]}}, "holds"),
        ({"compare": ["PFLR*", ">", "PFLR"], "where": {"epsilon": 1}, "margin": 0.06}, "fails"),  # 0.05 apart
        ({"compare": ["PFLR*", "~", "PFLR"], "where": {"epsilon": 10}, "margin": 0.02}, "holds"),
        ({"compare": ["PFLR*", "<=", "LR"]}, "holds"),
        ({"compare": ["PFLR", "<", 0.8]}, "fails"),  # 0.80 is not below 0.8
        ({"compare": ["PFLR", "<=", 0.8]}, "holds"),
        ({"compare": ["PFLR*", ">", "PFLR"], "over": "some", "where": {"epsilon": 10}}, "fails"),
        ({"trend": {"of": ["PFLR", "PFLR*"], "along": "epsilon", "direction": "rises"}}, "holds"),
        ({"trend": {"of": "PFLR, shift", "along": "epsilon", "direction": "rises"}}, "fails"),
        ({"trend": {"of": "PFLR", "along": "epsilon", "direction": "falls"}}, "fails"),
        ({"trend": {"of": "PFLR", "along": "epsilon", "direction": "falls", "tolerance": 0.2}}, "fails"),  # ends higher
        ({"trend": {"of": ["LR", "PFLR, shift"], "along": "epsilon", "direction": "constant"}}, "holds"),
        ({"spread": ["PFLR", "PFLR*"], "margin": 0.02, "over": "most"}, "holds"),  # 0.10, 0.05, 0.01
        ({"spread": ["PFLR", "PFLR*"], "margin": 0.02}, "fails"),
    ],
)
def test_a_predicate_holds_where_the_numbers_say_so(predicate: dict[str, Any], verdict: str) -> None:
    assert claimed({"metric": "accuracy", **predicate})[0] == verdict


def test_the_welch_test_agrees_with_its_formula() -> None:
    # means 0.05 apart, each variance 0.0002 of two runs: t = 0.05 / sqrt(0.0002) = 3.5355 with 2 degrees of freedom;
    # the two-sided p of Student's t with 2 degrees is 1 - t / sqrt(2 + t^2) = 0.0715
    asked = {"compare": ["PFLR*", ">", "PFLR"], "metric": "accuracy", "where": {"epsilon": 1}, "test": "welch"}
    verdict, reason = claimed(asked)
    assert verdict == "fails"
    assert "welch p = 0.072" in reason
    assert claimed({**asked, "p": 0.08})[0] == "holds"


def test_all_predicates_of_a_claim_must_hold() -> None:
    good = {"compare": ["PFLR*", "<", "LR"], "metric": "accuracy"}
    bad = {"compare": ["PFLR*", ">", "LR"], "metric": "accuracy"}
    assert claimed(good, good)[0] == "holds"
    assert claimed(good, bad)[0] == "fails"


def test_a_reason_has_the_count_and_the_numbers_of_the_tightest_point() -> None:
    reason = claimed({"compare": ["PFLR*", ">", "PFLR"], "metric": "accuracy"})[1]
    assert reason == "accuracy: 2 of 3, tightest adult, epsilon 10: PFLR* 0.7900 > PFLR 0.8000"


@pytest.mark.parametrize(
    "predicate",
    [
        {"compare": ["PFLR*", ">", "FairLR"], "metric": "accuracy"},
        {"compare": ["PFLR*", ">", "PFLR"], "metric": "accuracy", "where": {"epsilon": [1, 100]}},
        {"compare": ["PFLR*", ">", "PFLR"], "metric": "accuracy", "where": {"dataset": "dutch"}},
        {"compare": ["PFLR*", ">", "PFLR"], "metric": "fpr"},
    ],
)
def test_a_claim_about_what_was_not_run_is_not_tested(predicate: dict[str, Any]) -> None:
    assert claimed(predicate)[0] == "not tested"


def test_a_claim_is_not_tested_on_a_replica() -> None:
    asked = {"compare": ["PFLR*", "<", "LR"], "metric": "accuracy"}
    assert claimed(asked, standins={"adult": "REPLICA"}) == ("not tested", "REPLICA rows of adult")


@pytest.mark.parametrize(
    "predicate",
    [
        {"compare": ["PFLR", ">", "LR"]},
        {"metric": "accuracy"},
        {"compare": ["PFLR", "=>", "LR"], "metric": "accuracy"},
        {"compare": ["PFLR", ">", "LR"], "metric": "accuracy", "ovr": "most"},
        {"trend": {"of": "PFLR", "along": "epsilon", "direction": "up"}, "metric": "accuracy"},
    ],
)
def test_a_malformed_predicate_is_refused_with_the_name_of_its_claim(predicate: dict[str, Any]) -> None:
    with pytest.raises(DpfairError, match=r"claims\.yaml, c: "):
        claimed(predicate)


def test_a_claim_that_fails_needs_a_deviation() -> None:
    claim = {
        "id": "c",
        "artefact": "table8.2",
        "claim": "...",
        "holds": [{"compare": ["PFLR", ">", "LR"], "metric": "accuracy"}],
    }
    assert verdicts(claims=(claim,)).failures == ("c: fails",)
    assert not verdicts(claims=(claim,), deviations=({"claim": "c", **WHY},)).failures


def slope(near: float, within: float) -> dict[str, Any]:
    return {"slope": {"of": "PFLR", "along": "epsilon", "near": near, "within": within}, "metric": "accuracy"}


def test_a_slope_is_that_of_a_power_law_on_log_axes() -> None:
    # 0.7, 0.07, 0.007 at epsilon 0.1, 1, 10 falls as 1 / epsilon exactly
    power = pd.DataFrame([run for e in EPSILONS for run in runs("PFLR", e, 0.07 / e)])
    verdict, reason = claimed(slope(near=-1, within=1e-9), rows=power)
    assert verdict == "holds"
    assert "-1.000 from epsilon 0.1 to 10" in reason
    assert claimed(slope(near=-1.5, within=0.4), rows=power)[0] == "fails"


def test_a_slope_through_zero_is_not_tested() -> None:
    flat = pd.DataFrame([run for e in EPSILONS for run in runs("PFLR", e, 0.0)])
    verdict, reason = claimed(slope(near=-1, within=0.2), rows=flat)
    assert verdict == "not tested"
    assert "all positive" in reason


def test_the_right_side_may_be_multiplied_and_taken_from_another_data_set() -> None:
    # PFLR* has 0.75 on adult and 0.40 on dutch at epsilon 1: below 2 * 0.40, not below 1.8 * 0.40 = 0.72
    rows = pd.DataFrame(runs("PFLR*", 1, 0.75) + [{**run, "dataset": "dutch"} for run in runs("PFLR*", 1, 0.40)])
    asked = {"compare": ["PFLR*", "<", "PFLR*"], "metric": "accuracy", "where": {"dataset": "adult"}, "across": "dutch"}
    assert claimed({**asked, "times": 2}, rows=rows)[0] == "holds"
    assert claimed({**asked, "times": 1.8}, rows=rows) == (
        "fails",
        "accuracy: 0 of 1, tightest adult, epsilon 1: PFLR* 0.7500 < 1.8 times PFLR* 0.7200",
    )


def test_a_substitute_is_named_in_the_reason() -> None:
    asked = {"compare": ["PFLR*", "<", "LR"], "metric": "accuracy"}
    verdict, reason = claimed(asked, standins={"adult": "SUBSTITUTE"})
    assert verdict == "holds"
    assert reason.endswith("; SUBSTITUTE: adult")


def test_samples_that_do_not_vary_are_equal_or_are_not() -> None:
    assert p_value("anova", [np.full(3, 0.5), np.full(2, 0.5)]) == 1
    assert p_value("anova", [np.full(3, 0.5), np.full(2, 0.6)]) == 0
