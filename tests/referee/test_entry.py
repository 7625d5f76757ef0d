"""Entries of contradictions.yaml: what they inherit, and one line for each mistake."""

from __future__ import annotations

import pytest
import yaml

from dpfair_cli.addons.referee.entry import Aspect, parse_entries, read_entries
from dpfair_cli.contracts.errors import DpfairError
from tests.referee.made_entries import CELL, ENTRY, changed


def parsed(entry):
    (found,) = parse_entries([entry])
    return found


def refusal(entry):
    with pytest.raises(DpfairError) as error:
        parsed(entry)
    text = str(error.value)
    assert text.startswith("contradictions.yaml, ")
    assert "\n" not in text
    return text


def test_runs_inherit_from_the_cell_and_from_the_step_before():
    entry = parsed(ENTRY)
    first, second, _ = entry.differences
    assert entry.a.runs.method == "ours"
    assert entry.a.runs.parameters == {"epsilon": 3}
    assert (first.runs.work, first.runs.method) == ("one2020", "ours, 3 epochs")
    assert (second.runs.work, second.runs.method) == ("two2021", "ours, 3 epochs")
    assert second.runs.parameters == {"epsilon": 4}


def test_null_removes_an_inherited_parameter():
    entry = parsed(changed(a={"cell": CELL, "runs": {"epsilon": None}}))
    assert entry.a.runs.parameters == {}


def test_steps_are_the_differences_with_runs():
    entry = parsed(ENTRY)
    assert [one.aspect for one in entry.steps] == [Aspect.TRAINING, Aspect.NOISE]
    assert entry.works == ("one2020", "two2021")


def test_a_claim_may_stand_alone():
    entry = parsed(changed(a={"claim": {"work": "one2020", "id": "x"}}, b=None, differences=[]))
    assert entry.is_about_claims
    assert not entry.has_two_sides
    assert entry.works == ("one2020",)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (changed(id=None), "entry 1: missing values: give a value for id"),
        (changed(id="Two words"), "id must be of small letters"),
        (changed(famly="C1"), "unknown key 'famly': did you mean 'family'?"),
        (changed(b=None), "give two numbers, two claims, or one claim as `a`"),
        (changed(a="text"), "a must be a mapping"),
        (changed(a={"cell": {"work": "one2020"}}), "a: cell: give a value for artefact"),
        (changed(a={"cell": "one2020"}), "a: cell must be a mapping such as"),
        (changed(a={}), "a: give a `cell`, `stated` or `runs`, or else a `claim`"),
        (changed(a={"cell": CELL, "claim": {"work": "one2020", "id": "x"}}), "or else a `claim`"),
        (changed(a={"claim": {"work": "one2020", "id": "x"}}, differences=[]), "give two numbers"),
        (changed(a={"cell": CELL, "parameter": "delta"}), "no value of the parameter 'delta'"),
        (
            changed(a={"cell": CELL, "stated": {"work": "x", "value": 1, "place": "p"}}),
            "give a `cell` or `stated`, not both",
        ),
        (changed(a={"cell": CELL, "accout": {}}), "did you mean 'account'?"),
        (changed(a={"cell": CELL, "account": {"steps": 3}}), "give a value for noise_multiplier"),
        (changed(a={"cell": CELL}), "give the runs of `a`, where the path begins"),
        (changed(differences={"aspect": "noise"}), "differences must be a list"),
        (changed(differences=["noise"]), "difference 1 must be a mapping"),
        (changed(quantity={"data": "Adult"}), "quantity: missing values"),
    ],
)
def test_a_wrong_entry_is_refused_in_one_line(entry, words):
    assert words in refusal(entry)


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        ({"aspect": "nois", "a": "1", "b": "2", "not_run": "x"}, "did you mean 'noise'?"),
        ({"aspect": "noise", "a": "1", "b": "2"}, "exactly one of `runs`, `cell` and `not_run`"),
        ({"aspect": "noise", "a": "1", "b": "2", "runs": {}, "not_run": "x"}, "exactly one of"),
        ({"aspect": "noise", "a": "1", "not_run": "x"}, "give a value for b"),
        ({"aspect": "noise", "a": "1", "b": "2", "cell": {}}, "needs the key `exact`"),
    ],
)
def test_a_wrong_difference_is_refused_in_one_line(difference, words):
    assert words in refusal(changed(differences=[difference]))


def test_a_file_that_is_no_list_or_repeats_an_id_is_refused(tmp_path):
    file = tmp_path / "contradictions.yaml"
    assert read_entries(file) == []
    file.write_text("id: toy\n")
    with pytest.raises(DpfairError, match="must be a list of entries"):
        read_entries(file)
    file.write_text(yaml.safe_dump([ENTRY, ENTRY]))
    with pytest.raises(DpfairError, match="two entries have the id 'toy'"):
        read_entries(file)
