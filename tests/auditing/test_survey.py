"""The survey has every private method and variant once, and contradicts wrong labels."""

from dataclasses import fields
from functools import cache
from typing import Literal, get_args, get_origin

import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing import survey
from dpfair_cli.auditing.attainable import Attainable
from dpfair_cli.auditing.finding import Finding
from dpfair_cli.auditing.survey import (
    MORE_PAIRS,
    NOWHERE,
    OTHER_VALUES,
    PAIRS,
    PICTURES,
    SEVERAL_GROUPS,
    Plan,
    load_data,
    other_value,
    plans,
    surveyed,
)
from dpfair_cli.auditing.survey_rows import Audited, read, write
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.errors import DpfairError

every_plan = cache(plans)
PRIVATE = [
    name for name in catalog.algorithms.names if catalog.algorithm(name).guarantee.is_private
]


def row(**given):
    """A row whose cells are the names of their columns, unless they are given."""
    return Audited(**{field.name: given.get(field.name, field.name) for field in fields(Audited)})


def finding(**given):
    cells = {
        "claimed": 1.0,
        "delta": 0.0,
        "accounted": 1.0,
        "found": 0.5,
        "largest_move": 0.25,
        "leaks": (),
        "noise": (),
    }
    return Finding("toy", **(cells | given), pairs=3)


def words(method, name):
    """The words of a parameter that are not its default."""
    parameter = catalog.algorithm(method).parameters[name]
    return set(get_args(parameter.annotation)) - {parameter.default}


def test_every_private_method_is_audited_as_it_comes_and_no_other_one():
    special = ((PICTURES,), (SEVERAL_GROUPS,))
    plain = [
        plan.method for plan in every_plan() if not plan.variant and plan.datasets not in special
    ]
    assert plain == PRIVATE


def test_methods_that_depend_on_groups_are_audited_with_several():
    several = {plan.method for plan in every_plan() if plan.datasets == (SEVERAL_GROUPS,)}
    assert several >= {"dp_oracle_learner", "dp_postprocessing", "dpsgd_f", "naive_dpsgd"}
    assert several >= {"dp_fair_descent", "raco_dp", "dp_finite_learner"}
    assert not several & {"pflr", "dpsgd", "priv_pc"}  # two groups only, no groups, no records
    assert all(catalog.algorithm(method).uses_groups for method in several)
    assert (
        len(load_data(catalog.data_set(SEVERAL_GROUPS, {}), NOWHERE, seed=0)[1].domain.groups) > 2
    )


def test_bounds_and_thresholds_have_a_value_that_is_not_the_default():
    for name in OTHER_VALUES:
        owners = [method for method in PRIVATE if name in catalog.algorithm(method).parameters]
        assert owners
        for method in owners:
            default = catalog.algorithm(method).parameters[name].default
            assert other_value(method, name) != default
            assert default != OTHER_VALUES[name] or other_value(method, name) == default / 2


@pytest.mark.parametrize("method", PRIVATE)
def test_every_word_of_every_parameter_is_a_variant_once(method):
    found = [
        next(iter(plan.variant.items()))
        for plan in every_plan()
        if plan.method == method and plan.variant and plan.pairs == PAIRS
    ]
    choices = [
        name
        for name, each in catalog.algorithm(method).parameters.items()
        if get_origin(each.annotation) is Literal
    ]
    expected = {(name, word) for name in choices for word in words(method, name)}
    others = set(OTHER_VALUES) & set(catalog.algorithm(method).parameters)
    expected |= {(name, other_value(method, name)) for name in others}
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert all(len(plan.variant) <= 1 for plan in every_plan())


@pytest.mark.parametrize("method", PRIVATE)
def test_every_number_has_two_further_values(method):
    parameters = catalog.algorithm(method).parameters
    numbers = [name for name in parameters if isinstance(parameters[name].default, int | float)]
    assert {"epsilon"} <= set(numbers)
    for name in numbers:
        tried = [
            plan.variant[name]
            for plan in every_plan()
            if plan.method == method and name in plan.variant
        ]
        assert len(set(tried)) == len(tried) >= 2  # each once
        assert parameters[name].default not in tried


def test_pictures_are_an_audit_of_their_own_with_fewer_pairs():
    for plan in every_plan():
        assert (PICTURES in plan.datasets) == (plan.datasets == (PICTURES,))
        assert plan.pairs == PAIRS or plan.variant or plan.datasets == (PICTURES,)
        assert plan.datasets
    pictured = {plan.method for plan in every_plan() if plan.datasets == (PICTURES,)}
    assert pictured == {
        name
        for name in PRIVATE
        if matching.can_fit(catalog.algorithm(name), catalog.data_source(PICTURES))
    }


@pytest.mark.parametrize(
    ("label", "verdict", "contradicts"),
    [
        ("proved", "holds", False),
        ("proved", "refuted: neighbours cost epsilon 2", True),
        ("proved", "not run: no torch", False),
        ("refuted", "holds", True),
        ("refuted", "refuted: neighbours cost epsilon 2", False),
        ("refuted", "not run: no torch", False),
        ("conditional", "holds", False),
        ("conditional", "refuted: neighbours cost epsilon 2", False),
        ("as-published", "refuted: neighbours cost epsilon 2", False),
    ],
)
def test_a_label_is_contradicted_by_the_opposite_alone(label, verdict, contradicts):
    assert row(label=label, verdict=verdict).contradicts == contradicts


def test_what_is_written_is_read_again(tmp_path):
    rows = [row(), row(verdict='refuted: "a, b"; neighbours cost epsilon inf', variant="")]
    table, page = write(rows, tmp_path / "new")
    assert read(tmp_path / "new") == rows
    assert (table.name, page.name) == ("audit.csv", "audit.md")
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Audit"
    head, _, *cells = [line for line in lines if line.startswith("|")]
    assert head.startswith("| method | variant | data | neighbours | label |")
    assert len(cells) == len(rows)


def test_the_same_rows_give_the_same_bytes(tmp_path):
    first, second = (write([row()], tmp_path / name) for name in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert b"\r" not in first[0].read_bytes()


def test_a_folder_without_an_audit_has_no_rows(tmp_path):
    assert read(tmp_path) == []


@pytest.fixture
def audits(monkeypatch):
    """Replaces `audit` by given results or errors for each data set, and returns its arguments."""
    called = []

    def told(**answers):
        def audit(method, data, *, params, neighbours, seed):
            called.append((method, data, params, neighbours, seed))
            if isinstance(answers[data], Exception):
                raise answers[data]
            return answers[data]

        def completed(method, dataset, variant):
            return {"epsilon": 1.0} | dict(variant)

        monkeypatch.setattr(survey, "audit", audit)
        monkeypatch.setattr(survey, "completed", completed)
        monkeypatch.setattr(survey, "_loaded", lambda dataset, seed: dataset.name)
        return called

    return told


def test_a_row_says_what_was_claimed_and_found(audits):
    called = audits(adult=finding(delta=1e-6, found=0.123456, largest_move=1.0))
    found = surveyed(Plan("dpsgd_f", {"weights": "exact"}, ("adult",), 7), seed=3)
    assert called[0] == ("dpsgd_f", "adult", {"epsilon": 1.0, "weights": "exact"}, 7, 3)
    assert (found.method, found.variant, found.data) == ("dpsgd_f", "weights exact", "adult")
    assert (found.claimed, found.accounted, found.found) == (
        "epsilon 1, delta 1e-06",
        "1",
        "0.1235",
    )
    assert (found.label, found.verdict, found.contradicts) == ("refuted", "holds", True)


def test_a_row_says_how_much_of_the_largest_possible_move_was_found(audits):
    audits(adult=finding(largest_move=0.48, attainable=Attainable(0.5, "a published formula")))
    found = surveyed(Plan("pflr", {}, ("adult",), 7))
    assert (found.largest_move, found.attainable, found.tightness) == ("0.48", "0.5", "0.96")


def test_only_labels_that_say_refuted_get_more_pairs(audits):
    called = audits(adult=finding())
    surveyed(Plan("dpsgd_f", {"weights": "exact"}, ("adult",), 7))
    surveyed(Plan("pflr", {}, ("adult",), 7))
    assert [neighbours for _, _, _, neighbours, _ in called] == [7, MORE_PAIRS, 7]


def test_a_broken_claim_is_refuted_in_all_its_words(audits):
    audits(adult=finding(found=2.0, leaks=("the fitted model",)))
    found = surveyed(Plan("pflr", {}, ("adult",), 7))
    assert found.verdict == (
        "refuted: neighbours cost epsilon 2; the fitted model depends on the data without noise"
    )
    assert found.contradicts


@pytest.mark.parametrize(
    "error", [ValueError("too few"), DpfairError("not here"), ImportError("no torch")]
)
def test_the_next_data_set_serves_where_one_cannot_be_used(audits, error):
    audits(adult=error, dutch=finding())
    assert surveyed(Plan("pflr", {}, ("adult", "dutch"), 7)).data == "dutch"


def test_without_usable_data_the_first_reason_is_the_verdict(audits):
    audits(adult=ValueError("too few"), dutch=ValueError("too many"))
    found = surveyed(Plan("pflr", {}, ("adult", "dutch"), 7))
    assert (found.data, found.verdict, found.claimed, found.contradicts) == (
        "adult",
        "not run: too few",
        "",
        False,
    )


def test_any_other_error_is_a_fault_and_no_row(audits):
    audits(adult=ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        surveyed(Plan("pflr", {}, ("adult",), 7))


def test_an_audit_of_the_survey_runs_on_replicas():
    found = surveyed(Plan("output_perturbation_released_code", {}, ("adult",), 12))
    assert found.label == "refuted"
    assert found.verdict.startswith("refuted: ")
    assert not found.contradicts
