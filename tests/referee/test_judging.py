"""Entries judged by works that are made by hand, and the hint for each unknown name."""

from __future__ import annotations

import math
import re

import pytest

from dpfair_cli.addons.referee.entry import parse_entries
from dpfair_cli.addons.referee.judging import half_digit, judge
from dpfair_cli.addons.referee.rule import State
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.cells.comparison import Sample
from tests.referee.made_entries import CELL, ENTRY, changed
from tests.referee.made_evidence import FAILS, HOLDS, MadeEvidence, cell, claim

WITHOUT_STEPS = {"a": {"cell": CELL}, "differences": []}


def evidence(**changes):
    """Two works that print 0.81 and 0.78, and runs that go from 0.812 over 0.79 to 0.781."""
    found = {
        "cells": {
            "one2020": [cell("DP", 0.81, printed="0.810", epsilon=3.0), cell("LR", 0.85)],
            "two2021": [cell("DP", 0.78, 0.01, "0.78", epsilon=3.0), cell("DP", 0.79, epsilon=9.0)],
        },
        "means": {
            "ours": Sample(0.812, 0.004, 20),
            "ours, 3 epochs": Sample(0.781, 0.004, 20),
        },
        "verdicts": {"three2022": [claim("x", HOLDS), claim("y", FAILS)]},
    }
    return MadeEvidence(**found | changes)


def judged(entry=ENTRY, **changes):
    (parsed,) = parse_entries([entry])
    return judge(parsed, evidence(**changes))


def test_a_printed_deviation_is_the_noise_and_ours_stands_in():
    found = judged()
    assert found.b.number.std == 0.01
    assert (found.a.number.std, found.a.number.std_runs) == (0.004, 20)
    assert found.a.number.runs == 10


def test_without_any_deviation_the_entry_is_undecided():
    found = judged(changed(**WITHOUT_STEPS))
    assert math.isnan(found.a.number.std)
    assert found.ruling.state is State.UNDECIDED


def test_the_steps_and_the_last_runs_are_those_of_the_entry():
    found = judged()
    assert [one.change.value for one in found.steps] == pytest.approx([-0.031, 0.0])
    assert found.gap.whole.value == pytest.approx(-0.03)
    assert found.ruling.state is State.SETTLED
    assert found.b.ours == Sample(0.781, 0.004, 20)
    assert found.a.method.neighbours == "replace-one"


def test_numbers_without_chance_have_only_their_rounding():
    found = judged(changed(exact="computed from one file", **WITHOUT_STEPS))
    assert found.gap.whole.half_width == pytest.approx(0.0005 + 0.005)


def test_another_model_makes_another_quantity():
    other = {"aspect": "model", "a": "linear", "b": "network", "not_run": "another model"}
    assert judged(changed(**WITHOUT_STEPS | {"differences": [other]})).ruling.state is State.NOT_ONE


def test_an_error_is_compared_with_an_accuracy_as_one_minus_it():
    cells = {"one2020": [cell("DP", 0.19, metric="error", epsilon=3.0)]}
    cells |= {"two2021": [cell("DP", 0.78, 0.01, epsilon=3.0)]}
    side = {"cell": CELL | {"metric": "error"}, "runs": {"method": "ours"}}
    found = judged(changed(a=side, differences=[]), cells=cells)
    assert found.a.number.value == pytest.approx(0.81)
    assert found.a.ours.mean == pytest.approx(0.188)
    assert found.gap.whole.value == pytest.approx(-0.03)


def test_the_cost_is_that_of_the_account():
    account = {"noise_multiplier": 1, "sampling_rate": 0.1, "steps": 2000, "delta": 1.0e-5}
    found = judged(changed(a={"cell": CELL, "account": account}, differences=[]))
    assert found.a.epsilon == 2.0
    assert math.isnan(found.b.epsilon)


def test_two_claims_are_judged_by_their_verdicts():
    sides = [{"claim": {"work": "three2022", "id": name}} for name in ("x", "y")]
    found = judged(changed(a=sides[0], b=sides[1], differences=[]))
    assert found.ruling.state is State.SETTLED
    assert [one.verdict for one in found.sides] == ["holds", "fails"]
    assert judged(changed(a=sides[0], b=None, differences=[])).b is None


def test_a_parameter_is_compared_with_the_rounding_of_its_digits():
    side = {"cell": CELL, "parameter": "epsilon", "runs": {"method": "ours"}}
    found = judged(changed(a=side, b={"runs": {"method": "ours"}}, differences=[], exact="yes"))
    assert (found.a.number.value, found.a.number.rounding) == (3.0, 0.5)
    assert found.a.verdict == ""
    assert found.gap.whole.value == pytest.approx(0.812 - 3)


def test_a_number_of_a_work_without_a_folder_has_no_noise():
    side = {"stated": {"work": "four2019", "value": 0.8, "place": "Table 1"}}
    found = judged(changed(a=side, differences=[]))
    assert (found.a.work, found.a.place) == ("four2019", "Table 1")
    assert found.ruling.state is State.UNDECIDED


def test_a_part_that_we_added_to_a_claim_does_not_count():
    parts = [claim("x", HOLDS), claim("x", FAILS, ours="our addition")]
    side = {"claim": {"work": "three2022", "id": "x"}}
    found = judged(changed(a=side, b=None, differences=[]), verdicts={"three2022": parts})
    assert found.a.verdict == "holds"
    assert len(found.a.claims) == 2


@pytest.mark.parametrize(
    ("printed", "mean", "half"),
    [
        ("0.812", 0.812, 0.0005),
        ("0.81 ± 0.02", 0.81, 0.005),
        ("81.2%", 0.812, 0.0005),
        ("18.8", 0.812, 0.0005),
        ("0.188", 0.812, 0.0005),
        ("12", 12, 0.5),
        ("", 0.812, 0),
    ],
)
def test_half_a_digit_is_in_the_unit_of_the_mean(printed, mean, half):
    assert half_digit(cell("DP", mean, printed=printed)) == pytest.approx(half)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"work": "one2002"}, "unknown work 'one2002': did you mean 'one2020'?"),
        ({"artefact": "table2"}, "prints no cell with the artefact 'table2': did you mean"),
        ({"dataset": "adlt"}, "prints no cell with the data set 'adlt': did you mean 'adult'?"),
        ({"method": "DPP"}, "prints no cell with the method 'DPP': did you mean 'DP'?"),
        (
            {"metric": "acuracy"},
            "prints no cell with the score 'acuracy': did you mean 'accuracy'?",
        ),
        ({"epsilon": 4}, "prints no cell with epsilon 4 there: there are 3.0"),
        ({"epsilon": None, "epsilom": 3}, "no parameter 'epsilom' there: did you mean 'epsilon'?"),
    ],
)
def test_an_unknown_name_of_a_cell_gets_the_nearest(own, words):
    entry = changed(a={"cell": {k: v for k, v in (CELL | own).items() if v}}, differences=[])
    with pytest.raises(DpfairError, match=f"^contradictions.yaml, toy: .*{re.escape(words)}"):
        judged(entry)


def test_several_cells_need_a_parameter():
    entry = changed(**WITHOUT_STEPS)
    entry["b"] = {"cell": {k: v for k, v in entry["b"]["cell"].items() if k != "epsilon"}}
    with pytest.raises(DpfairError, match="2 cells of two2021 fit: give a value of epsilon"):
        judged(entry)


def test_unknown_claims_and_runs_are_refused():
    side = {"claim": {"work": "three2022", "id": "xx"}}
    with pytest.raises(DpfairError, match="has no claim 'xx': did you mean 'x'"):
        judged(changed(a=side, b=None, differences=[]))
    side = {"claim": {"work": "three2022", "id": "x", "part": "z"}}
    with pytest.raises(DpfairError, match="the claim x has no part 'z'"):
        judged(changed(a=side, b=None, differences=[]))
    with pytest.raises(DpfairError, match=r"contradictions\.yaml, toy: no finished run matches"):
        judged(changed(a={"cell": CELL, "runs": {"method": "theirs"}}))
