"""Check: tolerance, readings, deviations, replicas, and the predicates of claims, each with numbers worked by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running.spec import Part, Spec, TableLayout
from dpfair_cli.verdicts import check, deviations
from dpfair_cli.verdicts.check import Paper, Verdicts

EPSILONS = (0.1, 1.0, 10.0)
METHODS = {"PFLR": ("pflr", "PFLR"), "PFLR, shift": ("pflr", "PFLR"), "PFLR*": ("pflr_star", "PFLR*")}
MEANS = {"PFLR": (0.60, 0.70, 0.80), "PFLR, shift": (0.66, 0.66, 0.66), "PFLR*": (0.70, 0.75, 0.79), "LR": (0.84,) * 3}
SPEC = Spec(
    artefact="xu2021/table8.2",
    title="Accuracy",
    source="Xu 2021, Table 8.2",
    task=Part("classification", {}),
    datasets=(Part("adult", {}),),
    algorithms=(
        Part("lr", {}, "LR", "LR"),
        *(Part(name, {"epsilon": e}, m, reads) for m, (name, reads) in METHODS.items() for e in EPSILONS),
    ),
    seeds=2,
    layout=TableLayout(("dataset", "epsilon", "method"), ("accuracy",)),
)


def runs(method: str, epsilon: float, mean: float) -> list[dict[str, Any]]:
    """Two runs 0.01 to either side of the mean: deviation 0.01414."""
    name = METHODS.get(method, ("lr", ""))[0]
    fixed = {"dataset": "adult", "method": method, "algorithm": name, "epsilon": None if name == "lr" else epsilon}
    return [fixed | {"seed": seed, "accuracy": mean + side} for seed, side in enumerate((-0.01, 0.01))]


ROWS = pd.DataFrame(
    [run for m in METHODS for e, mean in zip(EPSILONS, MEANS[m], strict=True) for run in runs(m, e, mean)]
    + runs("LR", 0, 0.84)
)


def published(
    method: str, epsilon: float | None, mean: float, std: float | None = None, metric: str = "accuracy"
) -> dict[str, Any]:
    cell = {"artefact": "table8.2", "dataset": "adult", "method": method, "epsilon": epsilon}
    return cell | {"metric": metric, "mean": mean, "std": std}


def verdicts(
    *cells: dict[str, Any],
    claims: tuple[dict[str, Any], ...] = (),
    deviations: tuple[dict[str, Any], ...] = (),
    standins: dict[str, str] | None = None,
) -> Verdicts:
    table = pd.DataFrame(cells or [published("other", 1, 0)]).astype({"epsilon": float, "std": float})
    table = table if cells else table[:0]
    paper = Paper(table, list(claims), [{"artefact": "table8.2", **entry} for entry in deviations])
    return check.check(SPEC, ROWS, paper, standins=standins or {})


def claimed(*predicates: dict[str, Any], **more: Any) -> tuple[str, str]:
    """Verdict and reason of one claim with these predicates."""
    found = verdicts(claims=({"id": "c", "artefact": "table8.2", "claim": "...", "holds": list(predicates)},), **more)
    return found.claims["verdict"].item(), found.claims["reason"].item()


WHY = {"cause": "another reading", "measured": "shift gives 0.66"}


def test_the_tolerance_is_the_one_worked_by_hand() -> None:
    # 0.02 + 2 sqrt(0.03^2 / 10 + 0.0002 / 2) = 0.02 + 2 sqrt(0.00009 + 0.0001) = 0.02 + 2 * 0.0137840 = 0.0475681
    cell = verdicts(published("PFLR*", 1, 0.79, 0.03)).cells.iloc[0]
    assert cell["allowed"] == pytest.approx(0.0475681, abs=1e-7)
    assert cell["verdict"] == "agrees"  # 0.04 away


def test_a_missing_published_deviation_counts_as_zero() -> None:
    # 0.02 + 2 sqrt(0.0001) = 0.04
    assert verdicts(published("PFLR*", 1, 0.7899)).cells["verdict"].item() == "agrees"
    assert verdicts(published("PFLR*", 1, 0.7901)).cells["verdict"].item() == "differs"


def test_counts_and_distances_may_be_ten_percent_off() -> None:
    line = {"metric": "chi2", "published_mean": 500.0, "published_std": float("nan"), "std": float("nan"), "runs": 1}
    assert check.allowed(line, published_runs=10) == pytest.approx(50)


def test_an_empty_parameter_fits_every_setting_and_a_baseline_every_epsilon() -> None:
    assert verdicts(published("LR", 0.1, 0.84), published("LR", None, 0.84)).tally == {"agrees": 2}


def test_a_published_cell_that_fits_two_settings_is_refused() -> None:
    with pytest.raises(DpfairError, match="pin its parameters"):
        verdicts(published("PFLR*", None, 0.7))


def test_each_reading_stands_beside_the_cell_and_the_nearest_is_named() -> None:
    cells = verdicts(published("PFLR", 0.1, 0.66)).cells
    assert list(cells["method"]) == ["PFLR", "PFLR, shift"]
    assert list(cells["default"]) == [True, False]
    assert list(cells["verdict"]) == ["differs", "agrees"]
    assert set(cells["nearest"]) == {"PFLR, shift"}
    assert verdicts(published("PFLR", 0.1, 0.66)).failures == ("adult, PFLR, epsilon 0.1, accuracy: differs",)


def test_a_cell_without_rows_is_missing_and_fails() -> None:
    found = verdicts(published("PFLR*", 100, 0.8), published("PFLR*", 1, 0.8, metric="fpr"))
    assert found.tally == {"missing": 2}
    assert len(found.failures) == 2


def test_a_replica_is_never_compared() -> None:
    found = verdicts(published("PFLR*", 1, 0.0), standins={"adult": "REPLICA"})
    assert found.tally == {"not compared": 1}
    assert found.cells["mean"].isna().all()
    assert not found.failures
    assert "REPLICA" in found.title


def test_a_substitute_is_compared_and_labelled() -> None:
    found = verdicts(published("PFLR*", 1, 0.75), standins={"adult": "SUBSTITUTE"})
    assert found.tally == {"agrees": 1}
    assert "SUBSTITUTE" in check.report(found)


def test_a_deviation_with_a_cause_explains_the_cells_it_names_and_no_others() -> None:
    cells = (published("PFLR", 0.1, 0.9), published("PFLR", 1, 0.9))
    found = verdicts(*cells, deviations=({"method": "PFLR", "epsilon": 0.1, **WHY},))
    assert found.tally == {"explained": 1, "differs": 1}
    assert found.failures == ("adult, PFLR, epsilon 1, accuracy: differs",)


def test_a_deviation_may_list_several_values() -> None:
    cells = (published("PFLR", 0.1, 0.9), published("PFLR", 1, 0.9))
    assert not verdicts(*cells, deviations=({"epsilon": [0.1, 1], **WHY},)).failures


def test_a_deviation_that_nobody_needs_is_stale() -> None:
    entries = ({"method": "PFLR*", **WHY}, {"method": "PFRL", **WHY}, {"claim": "gone", **WHY})
    assert len(verdicts(published("PFLR*", 1, 0.75), deviations=entries).stale) == 3


def test_a_deviation_of_cells_that_were_not_compared_is_not_stale() -> None:
    found = verdicts(published("PFLR*", 1, 0), deviations=({"method": "PFLR*", **WHY},), standins={"adult": "REPLICA"})
    assert not found.stale


@pytest.mark.parametrize("entry", [{"method": "PFLR", "cause": "no number"}, {"methd": "PFLR", **WHY}])
def test_a_deviation_without_a_measured_cause_or_with_an_unknown_word_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(DpfairError, match=r"deviations\.yaml"):
        verdicts(published("PFLR*", 1, 0.75), deviations=(entry,))


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


def test_a_cell_that_is_declared_as_not_run_is_no_failure_and_others_still_are() -> None:
    """Nothing ran on a second data set, and an entry says why."""
    cells = [published("PFLR", 1, 0.7), *({**published("PFLR", e, 0.7), "dataset": "dutch"} for e in (0.1, 1))]
    entry = {"dataset": "dutch", "not_run": "takes days", **WHY}
    found = verdicts(*cells, deviations=(entry,))
    assert found.tally == {"agrees": 1, "not run": 2}
    assert (found.failures, found.stale) == ((), ())
    assert len(verdicts(*cells, deviations=({"dataset": "dutch", **WHY},)).failures) == 2  # without `not_run`
    assert verdicts(published("PFLR", 1, 0.9), deviations=({**entry, "dataset": "adult"},)).tally == {"differs": 1}


def test_the_data_sets_that_were_not_run_are_named_with_the_reason() -> None:
    entries = [{"artefact": ["a", "b"], "dataset": ["x", "y"], "not_run": "long", **WHY}, {"artefact": "a", **WHY}]
    assert deviations.not_run("a", entries) == {"x": "long", "y": "long"}
    assert deviations.not_run("c", entries) == {}


def test_the_file_shows_cells_readings_claims_and_stale_entries(tmp_path: Path) -> None:
    claim = {
        "id": "c",
        "artefact": "table8.2",
        "claim": "all|any",
        "holds": [{"compare": ["PFLR", "<", "LR"], "metric": "accuracy"}],
    }
    entry = {"method": "PFLR*", **WHY}
    found = verdicts(
        published("PFLR", 0.1, 0.66, 0.01), published("PFLR*", 1, 0.75), claims=(claim,), deviations=(entry,)
    )
    text = check.write(found, tmp_path).read_text(encoding="utf-8")
    assert "differs: 1, agrees: 1 (of 2 published cells)." in text
    assert "| adult, PFLR, epsilon 0.1, accuracy | 0.6000 ± 0.0141 | 0.6600 ± 0.0100 | -0.0600 |" in text
    assert "| adult | PFLR | accuracy | PFLR, shift | 1 |" in text
    assert r"all\|any | holds |" in text
    assert "method PFLR*" in text.split("Stale deviations")[1]


def test_a_paper_without_files_has_nothing_to_compare(tmp_path: Path) -> None:
    found = check.check(replace(SPEC, artefact="new/table1"), ROWS, check.read(tmp_path), standins={})
    assert not len(found.cells)
    assert not found.failures
    assert "No published numbers" in check.report(found)


def test_a_slope_is_that_of_a_power_law_on_log_axes() -> None:
    # 0.7 / 10^0, 10^-1, 10^-2 at epsilon 0.1, 1, 10 falls as 1 / epsilon exactly
    power = pd.DataFrame([run for e in EPSILONS for run in runs("PFLR", e, 0.07 / e)])
    asked = {"slope": {"of": "PFLR", "along": "epsilon", "near": -1, "within": 1e-9}, "metric": "accuracy"}
    claim = {"id": "c", "artefact": "table8.2", "claim": "...", "holds": [asked]}
    paper = Paper(pd.DataFrame(columns=list(published("x", 1, 0))), [claim], [])
    found = check.check(SPEC, power, paper, standins={}).claims
    assert found["verdict"].item() == "holds"
    assert "-1.000 from epsilon 0.1 to 10" in found["reason"].item()
    steeper = {**asked, "slope": {**asked["slope"], "near": -1.5, "within": 0.4}}
    paper = replace(paper, claims=[{**claim, "holds": [steeper]}])
    assert check.check(SPEC, power, paper, standins={}).claims["verdict"].item() == "fails"


def test_a_slope_through_zero_is_not_tested() -> None:
    flat = pd.DataFrame([run for e in EPSILONS for run in runs("PFLR", e, 0.0)])
    asked = {"slope": {"of": "PFLR", "along": "epsilon", "near": -1, "within": 0.2}, "metric": "accuracy"}
    paper = Paper(
        pd.DataFrame(columns=list(published("x", 1, 0))),
        [{"id": "c", "artefact": "table8.2", "claim": "...", "holds": [asked]}],
        [],
    )
    found = check.check(SPEC, flat, paper, standins={}).claims
    assert found["verdict"].item() == "not tested"
    assert "all positive" in found["reason"].item()
