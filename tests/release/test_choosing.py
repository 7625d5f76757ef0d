"""A private choice: its budget adds up, and all that it learns of the table goes through noise."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Definition, Neighbours
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.release import choosing, model_files
from dpfair_cli.release.choosing import budget_of_try, delta_of_choice, in_a_try, promise_of
from tests.commands.material import DOMAIN, people, write


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The path of a table with a domain file, and known random numbers in place of secret ones."""
    monkeypatch.setattr(choosing, "SecureGenerator", lambda: np.random.default_rng(0))
    write(tmp_path / "own.csv", people())
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    return tmp_path / "own.csv"


PURE = ("pflr", "functional_mechanism")
WITH_DELTA = ("dp_whitened_descent", "dp_fair_descent")


def chosen(table, mean_tries=6, names=PURE):
    """The choice between two methods at epsilon 3."""
    options = {
        "file": str(table),
        "domain": str(table.with_name("domain.yaml")),
        "label": "rich",
        "protected": "sex",
    }
    methods = [catalog.method(name, {"epsilon": budget_of_try(Decimal(3))[0]}) for name in names]
    return choosing.choose(
        catalog.data_set("csv", options),
        methods,
        epsilon=Decimal(3),
        mean_tries=mean_tries,
        data_dir=Path(),
        before_fit=lambda broken: None,
    )


def test_three_fits_and_three_counts_never_cost_more_than_the_choice():
    rng = np.random.default_rng(0)
    for number in 10.0 ** rng.uniform(-6, 3, size=500):
        fit, count = map(Fraction, map(repr, budget_of_try(Decimal(repr(float(number))))))
        total = Fraction(repr(float(number)))
        assert total * (1 - Fraction(1, 10**10)) < 3 * (fit + count) <= total


def test_a_fit_and_a_count_have_four_fifths_and_one_fifth_of_a_third():
    assert budget_of_try(Decimal("7.5")) == (2.0, 0.5)


@pytest.mark.parametrize("names", [PURE, WITH_DELTA], ids=["pure", "with a delta"])
def test_a_choice_of_a_neighbour_with_the_same_releases_is_the_same(table, names):
    with record() as tape:
        first = chosen(table, names=names)
    for place in range(len(people())):  # of training and held-out records
        lines = people()
        other = {"no": "yes", "yes": "no"}[lines[place][3]]
        lines[place] = ["18", "a", "f", other]
        write(table, lines)
        with replay(tape) as again:
            second = chosen(table, names=names)
        assert len(again) == len(tape)
        assert model_files.content(second.model, second.origin) == model_files.content(
            first.model, first.origin
        )
        assert (second.method.name, second.accuracy) == (first.method.name, first.accuracy)


def test_the_counts_have_the_noise_of_their_epsilon_and_no_noise_twice(table):
    with record() as tape:
        chosen(table, mean_tries=20)
    counts = [entry for entry in tape if np.ndim(entry.value) == 0]
    assert len(counts) > 5
    assert {(entry.sensitivity, entry.scale) for entry in counts} == {(1.0, 1 / 0.2)}
    noise = [float(entry.output - entry.value) for entry in counts]
    assert len(set(noise)) == len(noise)


@pytest.mark.parametrize("failing", [1, 2, 5])
def test_a_fit_that_fails_ends_the_choice_and_is_not_made_again(table, monkeypatch, failing):
    fits = []

    class Failing(choosing.BoundFit):
        def __call__(self, data, *, rng):
            fits.append(self)
            if len(fits) == failing:
                raise ValueError("a failed fit")
            return super().__call__(data, rng=rng)

    monkeypatch.setattr(choosing, "BoundFit", Failing)
    with pytest.raises(DpfairError, match="a failed fit"):
        chosen(table, mean_tries=50)
    assert len(fits) == failing


def test_the_best_noisy_count_wins(table):
    with record() as tape:
        found = chosen(table, mean_tries=20)
    counts = [float(entry.output) for entry in tape if np.ndim(entry.value) == 0]
    assert found.accuracy == pytest.approx(max(counts) / 12)


def test_the_file_states_the_epsilon_of_the_choice_and_not_the_tries(table):
    found = chosen(table)
    words = found.origin.guarantee.in_words()
    assert (words["status"], words["epsilon"], words["neighbours"]) == (
        "proved",
        "3",
        "replace-one",
    )
    assert "tries" not in model_files.content(found.model, found.origin)


def test_the_deltas_of_all_tries_add_up_to_at_most_that_of_the_choice():
    for delta in (1e-6, 1e-5, 3.3e-7):
        for mean_tries in (1, 3, 7, 20):
            method = catalog.method("dp_whitened_descent", {"delta": delta})
            one = in_a_try(method, delta=delta, mean_tries=mean_tries).params["delta"]
            total = Fraction(repr(one)) * mean_tries
            assert Fraction(repr(delta)) * (1 - Fraction(1, 10**10)) < total
            assert total <= Fraction(repr(delta))


def test_a_method_without_a_delta_stays_as_it_is():
    method = catalog.method("pflr", {})
    assert in_a_try(method, delta=1e-6, mean_tries=5) is method
    assert delta_of_choice([method]) == 0


def test_every_fit_of_a_choice_has_the_delta_of_one_try(table):
    found = chosen(table, mean_tries=10, names=WITH_DELTA)
    assert found.origin.params["delta"] == 1e-7
    assert found.origin.guarantee.delta == "1e-06"
    assert "(epsilon, delta)" in found.origin.guarantee.promise
    assert found.origin.guarantee.neighbours == "add-or-remove-one"


def test_the_promise_is_about_the_neighbours_of_all_methods():
    pure = promise_of([catalog.method(name, {}) for name in PURE])
    assert (pure.definition, pure.neighbours) == (Definition.PURE, Neighbours.REPLACE_ONE)
    other = promise_of([catalog.method(name, {}) for name in WITH_DELTA])
    assert other.definition is Definition.APPROXIMATE
    assert other.neighbours is Neighbours.ADD_OR_REMOVE_ONE
    for mixed in (("pflr", "adfc"), ("adfc", "pflr")):
        both = promise_of([catalog.method(name, {}) for name in mixed])
        assert both.definition is Definition.APPROXIMATE
    with pytest.raises(DpfairError, match=r"pflr \(replace-one\), dpsgd \(add-or-remove-one\)"):
        promise_of([catalog.method("pflr", {}), catalog.method("dpsgd", {})])


@pytest.mark.parametrize(
    "name",
    ["dp_postprocessing", "logistic_regression", "dp_fermi", "output_perturbation"],
    ids=["attribute", "no guarantee", "not proved for a record", "another delta"],
)
def test_a_method_without_proved_privacy_of_records_is_no_candidate(name):
    with pytest.raises(DpfairError, match=f"{name} cannot be a candidate"):
        promise_of([catalog.method(name, {})])


def test_a_setting_whose_guarantee_is_refuted_is_no_candidate():
    with pytest.raises(DpfairError, match="pflr_star cannot be a candidate"):
        promise_of([catalog.method("pflr_star", {"noise": "quadratic"})])


def test_a_method_without_noise_is_no_candidate():
    with pytest.raises(DpfairError, match="cannot be a candidate"):
        promise_of([catalog.method("pflr", {"epsilon": float("inf")})])
