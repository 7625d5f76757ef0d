"""Claims: their parts, what all predicates and points say together, their reasons, and what is no
claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import TheoremEvidence
from dpfair_cli.verdicts.claims.claim import check_names, parse_claims
from dpfair_cli.verdicts.claims.judging import judge_claims
from dpfair_cli.verdicts.claims.verdict import ClaimLevels, worst
from tests.toy_specs import with_study
from tests.verdicts.toy_paper import EPSILONS, OPEN, ROWS, SPEC, claim, claimed, runs, verdicts

LOW = {"compare": ["PFLR", "<", "LR"], "metric": "accuracy"}  # holds
HIGH = {"compare": ["PFLR", ">", "LR"], "metric": "accuracy"}  # fails
NEAR = {
    "compare": ["PFLR*", ">", 0.7495],
    "metric": "accuracy",
    "where": {"epsilon": 1},
}  # 0.0005 of 2.92 standard errors, 0.001686: undecided


@pytest.mark.parametrize(
    ("predicate", "verdict"),
    [
        (
            {"compare": ["PFLR*", ">", "PFLR"]},
            "fails",
        ),  # 0.79 against 0.80 at epsilon 10, at every seed
        ({"compare": ["PFLR*", ">", "PFLR"], "over": "most"}, "holds"),  # 2 of 3
        ({"compare": ["PFLR*", ">", "PFLR"], "where": {"epsilon": [0.1, 1]}}, "holds"),
        (
            {"compare": ["PFLR*", ">", "PFLR"], "where": {"epsilon": 1}, "margin": 0.06},
            "fails",
        ),  # 0.05 apart
        ({"compare": ["PFLR*", "~", "PFLR"], "where": {"epsilon": 10}, "margin": 0.02}, "holds"),
        ({"compare": ["PFLR*", "<=", "LR"]}, "holds"),
        ({"compare": ["PFLR", "<=", "PFLR"]}, "holds"),
        ({"compare": ["PFLR", "<", "PFLR"]}, "fails"),
        ({"compare": ["PFLR*", ">", "PFLR"], "over": "some", "where": {"epsilon": 10}}, "fails"),
        ({"trend": {"of": ["PFLR", "PFLR*"], "along": "epsilon", "direction": "rises"}}, "holds"),
        (
            {"trend": {"of": "PFLR, shift", "along": "epsilon", "direction": "rises"}},
            "fails",
        ),  # it does not move
        ({"trend": {"of": "PFLR", "along": "epsilon", "direction": "falls"}}, "fails"),
        (
            {"spread": ["PFLR", "PFLR*"], "margin": 0.02, "over": "most"},
            "holds",
        ),  # 0.10, 0.05, 0.01
        ({"spread": ["PFLR", "PFLR*"], "margin": 0.02}, "fails"),
    ],
)
def test_a_predicate_holds_where_the_numbers_say_so(
    predicate: dict[str, Any], verdict: str
) -> None:
    assert claimed({"metric": "accuracy", **predicate})[0] == verdict


def levels(*means: float) -> pd.DataFrame:
    """One point for each mean, its runs 0.001 to either side: two standard errors are 0.0012."""
    return pd.DataFrame(
        [run for k, mean in enumerate(means) for run in runs("PFLR", float(k + 1), mean)]
    )


UP, ABOUT, DOWN = (
    0.6,
    0.5005,
    0.4,
)  # hold, are undecided (0.0005 of 0.0017) and fail where more than 0.5 is asked


@pytest.mark.parametrize(
    ("over", "means", "verdict"),
    [
        ("every", (UP, UP, UP), "holds"),
        ("every", (UP, ABOUT, UP), "undecided"),
        ("every", (UP, ABOUT, DOWN), "fails"),
        ("most", (UP, UP, DOWN), "holds"),
        ("most", (UP, UP, ABOUT, DOWN), "undecided"),  # 2 of 4 are not more than half, 3 might be
        ("most", (UP, UP, DOWN, DOWN), "fails"),
        ("most", (UP, ABOUT, DOWN, DOWN), "fails"),  # at most 2 of 4
        ("most", (ABOUT, ABOUT, DOWN), "undecided"),
        ("some", (DOWN, DOWN, UP), "holds"),
        ("some", (DOWN, DOWN, ABOUT), "undecided"),
        ("some", (DOWN, DOWN, DOWN), "fails"),
    ],
)
def test_what_the_points_say_together(over: str, means: tuple[float, ...], verdict: str) -> None:
    asked = {"compare": ["PFLR", ">", 0.5], "metric": "accuracy", "over": over}
    assert claimed(asked, rows=levels(*means))[0] == verdict


def test_all_predicates_of_a_claim_must_hold_and_the_worst_decides() -> None:
    assert claimed(LOW, LOW)[0] == "holds"
    assert claimed(LOW, NEAR)[0] == "undecided"
    assert claimed(NEAR, HIGH, LOW)[0] == "fails"


def test_a_reason_has_the_count_and_the_numbers_of_the_weakest_point() -> None:
    reason = claimed({"compare": ["PFLR*", ">", "PFLR"], "metric": "accuracy"})[1]
    point = "adult, epsilon 10: PFLR* 0.7900 > PFLR 0.8000"
    # the rows have no spread
    no_test = "no error rate: decided by signs, not by a test"
    assert reason == f"accuracy: holds at 2 of 3 points; weakest point {point}; {no_test}"


def test_a_reason_counts_undecided_points_and_gives_the_weakest() -> None:
    reason = claimed(
        {"compare": ["PFLR", ">", 0.5], "metric": "accuracy"}, rows=levels(UP, ABOUT, UP)
    )[1]
    assert reason.startswith(
        "accuracy: holds at 2 of 3 points (1 undecided); weakest point adult, epsilon 2: "
        "PFLR 0.5005"
    )
    # half of the 95 % interval: 4.30265 * 0.001 / sqrt(3); t = 0.866: p 0.239
    assert "(± 0.0025); p 0.24" in reason


def test_the_weakest_point_is_a_failing_one_if_there_is_one() -> None:
    """Also where another is nearer to its limit."""
    reason = claimed(
        {"compare": ["PFLR", ">", 0.5], "metric": "accuracy"}, rows=levels(UP, ABOUT, DOWN)
    )[1]
    assert "weakest point adult, epsilon 3: PFLR 0.4000" in reason


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
    assert claimed(LOW, standins={"adult": "REPLICA"}) == (
        "not tested",
        "the runs on adult used synthetic data in place of missing files: get the real data with "
        "`dpfair fetch-data adult`, and make the runs again",
    )


@pytest.mark.parametrize(
    "predicate",
    [
        {"compare": ["PFLR", ">", "LR"]},
        {"metric": "accuracy"},
        {"compare": ["PFLR", "=>", "LR"], "metric": "accuracy"},
        {"compare": ["PFLR", ">", "LR"], "metric": "accuracy", "ovr": "most"},
        {"compare": ["PFLR", ">", "LR"], "metric": "accuracy", "over": "all"},
        {"compare": ["PFLR", ">", "LR"], "metric": "accuracy", "test": "welch"},
        {"compare": ["PFLR", ">", "LR"], "spread": ["PFLR", "LR"], "metric": "accuracy"},
        {"trend": {"of": "PFLR", "along": "epsilon", "direction": "up"}, "metric": "accuracy"},
        {
            "trend": {"of": "PFLR", "along": "epsilon", "direction": "rises", "tolerance": 0.1},
            "metric": "accuracy",
        },
    ],
)
def test_a_malformed_predicate_is_refused_with_the_name_of_its_claim(
    predicate: dict[str, Any],
) -> None:
    with pytest.raises(DpfairError, match=r"claims\.yaml, c: "):
        claimed(predicate)


@pytest.mark.parametrize(
    ("predicate", "why"),
    [
        (LOW | {"compare": ["PFLR", "=>", "LR"]}, "unknown compare '=>': did you mean '>'?"),
        (LOW | {"compare": ["PFLR", ">"]}, "compare must be a list of 3 values, got ['PFLR', '>']"),
        (LOW | {"over": "all"}, "unknown over 'all': there are: every, most, some"),
        (LOW | {"ovr": "most"}, "unknown key 'ovr': did you mean 'over'?"),
        (LOW | {"where": "adult"}, "where must be a mapping, got 'adult'"),
        (
            {"trend": {"of": "PFLR", "along": "epsilon", "direction": "up"}, "metric": "accuracy"},
            "trend: unknown direction 'up': there are: falls, rises",
        ),
        (
            {"trend": "PFLR", "metric": "accuracy"},
            "trend: must be a mapping with no other keys than of, along, direction, got 'PFLR'",
        ),
        (
            {"metric": "accuracy"},
            (
                "holds must have one of the keys compare, trend, slope, spread, extreme, share, "
                "steeper, nearer, either, "
                "got {'metric': 'accuracy'}"
            ),
        ),
        (
            {"spread": ["PFLR"], "metric": "accuracy"},
            "spread must name at least two methods, got ['PFLR']",
        ),
        ("PFLR > LR", "holds must be a mapping, got 'PFLR > LR'"),
    ],
)
def test_the_refusal_of_a_predicate_says_what_it_should_be(predicate: Any, why: str) -> None:
    with pytest.raises(DpfairError) as refused:
        list(parse_claims([claim(predicate)]))
    assert str(refused.value) == f"claims.yaml, c: {why}"


KNOWN = with_study(SPEC, scores=("accuracy", "fpr"))


@pytest.mark.parametrize(
    ("predicate", "why"),
    [
        (
            LOW | {"compare": ["PFRL", "<", "LR"]},
            "unknown method 'PFRL' in table8.2: did you mean 'PFLR'?",
        ),
        (LOW | {"compare": ["PFLR", "<", "RL"]}, "unknown method 'RL' in table8.2: "),
        (
            {"spread": ["PFLR", "PFLR**"], "metric": "accuracy"},
            "unknown method 'PFLR**' in table8.2: did you mean 'PFLR*'?",
        ),
        (
            {
                "trend": {"of": ["PFLR", "FLR"], "along": "epsilon", "direction": "rises"},
                "metric": "accuracy",
            },
            "unknown method 'FLR' in table8.2: did you mean 'PFLR'?",
        ),
        (
            LOW | {"metric": "acuracy"},
            "unknown score 'acuracy' in table8.2: did you mean 'accuracy'?",
        ),
        (
            LOW | {"where": {"dataset": ["adlut"]}},
            "unknown data set 'adlut' in table8.2: did you mean 'adult'?",
        ),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(
    predicate: dict[str, Any], why: str
) -> None:
    with pytest.raises(DpfairError) as refused:
        check_names(list(parse_claims([claim(LOW), claim(predicate)])), KNOWN)
    assert str(refused.value).startswith(f"claims.yaml, c: {why}")


def test_names_of_the_artefact_are_no_mistake_and_a_number_is_no_method() -> None:
    both = [claim(LOW, HIGH, NEAR, {**HIGH, "metric": "fpr"}), WHOLE]
    check_names(list(parse_claims(both)), KNOWN)


def test_a_claim_without_an_artefact_is_refused() -> None:
    with pytest.raises(
        DpfairError, match=r"claims\.yaml, c: missing values: give a value for artefact"
    ):
        list(parse_claims([{"id": "c", "claim": "...", "holds": [LOW]}]))


def test_a_claim_that_fails_needs_a_deviation() -> None:
    assert verdicts(claims=(claim(HIGH),)).failures == ("c: fails",)
    found = verdicts(claims=(claim(HIGH),), deviations=({"claim": "c", **OPEN},))
    assert not found.failures
    assert (found.claims[0].kind, found.claims[0].cause) == ("open", OPEN["cause"])


@pytest.mark.parametrize(
    "predicate", [LOW, NEAR, {**HIGH, "metric": "fpr"}], ids=["holds", "undecided", "not tested"]
)
def test_a_claim_that_does_not_fail_needs_none(predicate: dict[str, Any]) -> None:
    assert not verdicts(claims=(claim(predicate),)).failures


# the parts of a claim
WHOLE = {
    "id": "xu2021-9-f",
    "claim": "epochs and noise",
    "quote": "the loss grows",
    "place": "Section 9.6",
    "parts": [
        {"part": "epochs", "artefact": "table8.2", "holds": [LOW]},
        {
            "part": "noise",
            "artefact": "figure9.6b",
            "holds": [LOW],
            "since": "the score was another",
        },
        {
            "part": "order",
            "artefact": "table8.2",
            "holds": [HIGH],
            "ours": "to see whether it is linear",
        },
        {"part": "seconds", "artefact": "table8.2", "not_testable": "no seconds of ours"},
    ],
}


def test_the_parts_of_a_claim_have_its_words_and_an_id_of_their_own() -> None:
    found = list(parse_claims([WHOLE, claim(LOW, quote="q")]))
    assert [(part.id, part.claim.id, part.claim.quote) for part in found] == [
        ("xu2021-9-f (epochs)", "xu2021-9-f", "the loss grows"),
        ("xu2021-9-f (noise)", "xu2021-9-f", "the loss grows"),
        ("xu2021-9-f (order)", "xu2021-9-f", "the loss grows"),
        ("xu2021-9-f (seconds)", "xu2021-9-f", "the loss grows"),
        ("c", "c", "q"),
    ]
    assert [(part.since, part.ours) for part in found] == [
        ("", ""),
        ("the score was another", ""),
        ("", "to see whether it is linear"),
        ("", ""),
        ("", ""),
    ]


def test_each_artefact_decides_its_own_parts() -> None:
    claims = verdicts(claims=(WHOLE,)).claims
    assert [(claim.part.id, claim.verdict) for claim in claims] == [
        ("xu2021-9-f (epochs)", "holds"),
        ("xu2021-9-f (order)", "fails"),
        ("xu2021-9-f (seconds)", "not testable here"),
    ]
    assert {claim.part.claim.claim for claim in claims} == {"epochs and noise"}
    assert {claim.part.claim.place for claim in claims} == {"Section 9.6"}
    assert [claim.part.ours for claim in claims] == ["", "to see whether it is linear", ""]
    assert claims[2].reason == "no seconds of ours"


def test_a_part_is_named_alone_in_a_deviation_and_fails_alone() -> None:
    parts = [
        {name: value for name, value in part.items() if name != "ours"} for part in WHOLE["parts"]
    ]
    whole = {**WHOLE, "parts": parts}
    assert verdicts(claims=(whole,)).failures == ("xu2021-9-f (order): fails",)
    assert not verdicts(
        claims=(whole,), deviations=({"claim": "xu2021-9-f (order)", **OPEN},)
    ).failures


def test_what_we_added_to_a_claim_may_fail_without_a_deviation() -> None:
    assert not verdicts(claims=(WHOLE,)).failures


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"hold": [LOW]}, "did you mean 'holds'?"),
        ({}, "exactly one of `holds`, `theorem`, `not_testable` and `undecided`"),
        (
            {"holds": [LOW], "not_testable": "why"},
            "exactly one of `holds`, `theorem`, `not_testable` and `undecided`",
        ),
        (
            {"holds": [LOW], "theorem": "pflr"},
            "exactly one of `holds`, `theorem`, `not_testable` and `undecided`",
        ),
        (
            {"holds": [LOW], "undecided": "why"},
            "exactly one of `holds`, `theorem`, `not_testable` and `undecided`",
        ),
        ({"holds": [LOW], "counts": [LOW]}, "`counts` needs the key `undecided`"),
        ({"holds": [{"either": [LOW]}]}, "either must have at least two predicates"),
        ({"holds": [LOW], "since_when": "..."}, "'since_when'"),
        ({"holds": [LOW], "test": "welch"}, "'test'"),
    ],
)
def test_a_part_that_says_too_much_or_too_little_is_refused(
    words: dict[str, Any], message: str
) -> None:
    with pytest.raises(DpfairError, match=r"^claims\.yaml, c: ") as refused:
        list(parse_claims([{"id": "c", "artefact": "table8.2", "claim": "...", **words}]))
    assert message in str(refused.value)
    with pytest.raises(DpfairError, match=r"^claims\.yaml, c \(one\): "):
        list(
            parse_claims(
                [
                    {
                        "id": "c",
                        "claim": "...",
                        "parts": [{"part": "one", "artefact": "table8.2", **words}],
                    }
                ]
            )
        )


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "undecided"], "undecided"),
        (["undecided", "fails", "holds"], "fails"),
        (["holds", "not tested"], "holds"),
        (["holds", "not testable here"], "not testable here"),
        (["fails", "not testable here"], "fails"),
        (["not testable here", "not tested"], "not testable here"),
        (["not testable here"], "not testable here"),
    ],
)
def test_a_whole_is_as_good_as_the_worst_of_its_parts_that_were_tested(
    verdicts: list[str], whole: str
) -> None:
    assert worst(verdicts) == worst(verdicts[::-1]) == whole


def slope(near: float, within: float) -> dict[str, Any]:
    return {
        "slope": {"of": "PFLR", "along": "epsilon", "near": near, "within": within},
        "metric": "accuracy",
    }


def test_a_slope_is_that_of_a_power_law_on_log_axes() -> None:
    # 0.7, 0.07, 0.007 at epsilon 0.1, 1, 10 falls as 1 / epsilon exactly
    power = pd.DataFrame(
        [run for e in EPSILONS for run in runs("PFLR", e, 0.07 / e, sides=(0.0, 0.0, 0.0))]
    )
    verdict, reason = claimed(slope(near=-1, within=1e-9), rows=power)
    assert verdict == "holds"
    assert "-1.000 from epsilon 0.1 to 10" in reason
    assert claimed(slope(near=-1.5, within=0.4), rows=power)[0] == "fails"


def test_a_slope_through_zero_is_not_tested() -> None:
    flat = pd.DataFrame([run for e in EPSILONS for run in runs("PFLR", e, 0.0)])
    verdict, reason = claimed(slope(near=-1, within=0.2), rows=flat)
    assert verdict == "not tested"
    assert "must be positive" in reason


def test_a_substitute_is_named_in_the_reason() -> None:
    verdict, reason = claimed(LOW, standins={"adult": "SUBSTITUTE"})
    assert verdict == "holds"
    assert reason.endswith("; SUBSTITUTE: adult")


def test_a_substitute_that_was_not_run_here_is_not_named_in_the_reason() -> None:
    assert "SUBSTITUTE" not in claimed(LOW, standins={"dutch": "SUBSTITUTE"})[1]


def test_a_claim_about_the_papers_data_set_names_no_substitute() -> None:
    rows = pd.concat([ROWS, ROWS.assign(dataset="dutch")])
    about = {**LOW, "where": {"dataset": "adult"}}
    assert "SUBSTITUTE" not in claimed(about, rows=rows, standins={"dutch": "SUBSTITUTE"})[1]


# theorems: decided by a proof or a counterexample
EVIDENCE = {
    "pflr": TheoremEvidence("40 pairs", proof="objective.py"),
    "dpm": TheoremEvidence("40 pairs", counterexample="epsilon 1.41 of 1"),
    "search": TheoremEvidence("all graphs of five nodes"),
}


def theorem(*names: str, evidence: Mapping[str, TheoremEvidence] = EVIDENCE) -> tuple[str, str]:
    """Verdict and reason of a theorem, given the names of its evidence."""
    entry = {"id": "c", "artefact": "table8.2", "claim": "...", "theorem": list(names)}
    parts = list(parse_claims([entry]))
    (judged,) = judge_claims(parts, ROWS, SPEC, {}, evidence)
    return judged.verdict, judged.reason


def test_a_theorem_holds_with_a_proof_and_fails_with_a_counterexample() -> None:
    assert theorem("pflr") == ("holds", "pflr: proof in objective.py; 40 pairs")
    assert theorem("dpm") == ("fails", "dpm: counterexample: epsilon 1.41 of 1")
    assert theorem("search") == (
        "undecided",
        "search: no proof here; all graphs of five nodes",
    )


def test_all_evidence_for_a_theorem_must_support_it() -> None:
    assert theorem("pflr", "search")[0] == "undecided"
    assert theorem("pflr", "search", "dpm")[0] == "fails"


def test_a_theorem_without_an_audit_is_not_tested() -> None:
    verdict, reason = theorem("pflr", "dpne")
    assert verdict == "not tested"
    assert reason == "no audit of dpne: run `dpfair audit --all` first"


def test_the_levels_of_a_paper_decide() -> None:
    """0.005 above 0.745 with three seeds: t = 0.866, p 0.239."""
    parts = list(parse_claims([claim(NEAR)]))
    (single,) = judge_claims(parts, ROWS, SPEC, {}, {})
    for level, verdict in ((0.23, "undecided"), (0.24, "holds")):
        judged = replace(single, levels=ClaimLevels(level, 0.0))
        assert judged.verdict == verdict
        assert judged.p_values.holds == pytest.approx(0.2389, abs=1e-4)


def test_failing_counts_all_tested_parts_of_a_claim() -> None:
    """At one of two parts p 0.02 is 0.04; the additions of ours do not count."""
    low = {**NEAR, "compare": ["PFLR*", ">", 0.752]}  # t = -3.464 with two degrees: p 0.0371
    one = {"part": "one", "artefact": "table8.2", "holds": [low]}
    parts = [one, {**one, "part": "two"}, {**one, "part": "three", "ours": "more"}]
    found = judge_claims(list(parse_claims([{"id": "c", "parts": parts}])), ROWS, SPEC, {}, {})
    assert [judged.p_values.fails for judged in found] == [pytest.approx(2 * 0.03709, abs=1e-4)] * 3
    assert found[0].verdict == "undecided"
    (alone,) = judge_claims(list(parse_claims([{"id": "c", "parts": [one]}])), ROWS, SPEC, {}, {})
    assert alone.verdict == "fails"


def test_one_alternative_of_an_or_suffices() -> None:
    assert claimed({"either": [HIGH, LOW]})[0] == "holds"
    assert claimed({"either": [HIGH, NEAR]})[0] == "undecided"
    assert claimed({"either": [HIGH, HIGH]})[0] == "fails"
    assert claimed(LOW, {"either": [HIGH, LOW]})[0] == "holds"
    reason = claimed({"either": [HIGH, LOW]})[1]
    assert reason.startswith("either accuracy: holds at 0 of 3 points")
    assert ", or accuracy: holds at 3 of 3 points" in reason


def test_the_word_or_of_a_quotation_must_be_explained() -> None:
    with pytest.raises(DpfairError, match="the quotation has the word 'or': give `or_means`"):
        list(parse_claims([claim(LOW, quote="gaps shrink or stay")]))
    list(parse_claims([claim(LOW, quote="gaps shrink for more records")]))  # no word of its own
    list(parse_claims([claim(LOW, quote="with epsilon 1 or more", or_means="every")]))
    with pytest.raises(DpfairError, match=r"or_means: any.*as \{either"):
        list(parse_claims([claim(LOW, HIGH, quote="gaps shrink or stay", or_means="any")]))
    either = {"either": [LOW, HIGH]}
    list(parse_claims([claim(either, quote="gaps shrink or stay", or_means="any")]))


def test_counted_predicates_give_no_verdict_and_do_not_change_the_levels() -> None:
    for predicate in (LOW, HIGH, NEAR):
        words = {"id": "c", "artefact": "table8.2", "undecided": "a count", "counts": [predicate]}
        (judged,) = judge_claims(list(parse_claims([words])), ROWS, SPEC, {}, {})
        assert judged.verdict == "undecided"
        assert judged.p_values is None
        assert judged.reason.startswith("a count; counted: accuracy: holds at ")
        assert not judged.is_unexplained


def test_an_undecided_part_is_not_among_the_tested_ones() -> None:
    one = {"part": "one", "artefact": "table8.2", "holds": [LOW]}
    two = {"part": "two", "artefact": "table8.2", "undecided": "why", "counts": [HIGH]}
    found = list(parse_claims([{"id": "c", "parts": [one, two]}]))
    assert [part.tested_parts for part in found] == [1, 1]
    assert verdicts(claims=({"id": "c", "claim": "...", "parts": [one, two]},)).failures == ()
