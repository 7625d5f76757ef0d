"""A private choice: its budget adds up, and all that it learns of the table goes through noise."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.release import choosing, model_files
from dpfair_cli.release.choosing import budget_of_try, require_candidate
from tests.commands.material import DOMAIN, people, write


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The path of a table with a domain file, and known random numbers in place of secret ones."""
    monkeypatch.setattr(choosing, "SecureGenerator", lambda: np.random.default_rng(0))
    write(tmp_path / "own.csv", people())
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    return tmp_path / "own.csv"


def chosen(table, mean_tries=6):
    """The choice between two methods at epsilon 3."""
    options = {
        "file": str(table),
        "domain": str(table.with_name("domain.yaml")),
        "label": "rich",
        "protected": "sex",
    }
    methods = [
        catalog.method(name, {"epsilon": budget_of_try(Decimal(3))[0]})
        for name in ("pflr", "functional_mechanism")
    ]
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


def test_a_choice_of_a_neighbour_with_the_same_releases_is_the_same(table):
    with record() as tape:
        first = chosen(table)
    for place in range(len(people())):  # of training and held-out records
        lines = people()
        other = {"no": "yes", "yes": "no"}[lines[place][3]]
        lines[place] = ["18", "a", "f", other]
        write(table, lines)
        with replay(tape) as again:
            second = chosen(table)
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


@pytest.mark.parametrize(
    "name",
    ["output_perturbation", "dp_postprocessing", "logistic_regression", "dpsgd"],
    ids=["delta", "attribute", "no guarantee", "removed"],
)
def test_a_method_without_pure_privacy_of_records_is_no_candidate(name):
    with pytest.raises(DpfairError, match=f"{name} cannot be a candidate"):
        require_candidate(catalog.method(name, {}))


def test_a_method_without_noise_is_no_candidate():
    with pytest.raises(DpfairError, match="cannot be a candidate"):
        require_candidate(catalog.method("pflr", {"epsilon": float("inf")}))
