"""One training on canaries: a tenth of the stated noise is noticed, correct noise is not."""

import numpy as np
import pytest
from click.testing import CliRunner

from dpfair_cli import catalog
from dpfair_cli.auditing import one_run as module
from dpfair_cli.auditing.one_run import FEATURES, one_run
from dpfair_cli.commands.audit import command
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms import gaussian
from dpfair_cli.mechanisms.noise import Noisy, add_normal
from dpfair_cli.models.regression.linear import LinearClassifier
from tests.auditing.subjects import toy_guarantee

METHODS = {
    "dpsgd": 500,
    "dpsgd_f": 500,
    "naive_dpsgd": 500,
    "output_perturbation": 200,
}  # and how many canaries


@pytest.fixture
def a_tenth_of_the_noise(monkeypatch):
    """Draw it, and state all of it."""

    def add(values, sigma, l2_sensitivity, source):
        return Noisy(add_normal(values, sigma / 10, l2_sensitivity, source).values, sigma)

    monkeypatch.setattr(gaussian, "add_normal", add)


@pytest.fixture
def toy(monkeypatch):
    """Audit a fit with these neighbours as if it were a method, on a hundred canaries."""

    def attempt(fit, relation=Neighbours.REPLACE_ONE, seed=0):
        algorithm = Algorithm(fit, guarantee=toy_guarantee(relation))
        monkeypatch.setattr(catalog, "algorithm", lambda name: algorithm)
        return one_run("toy", params={"epsilon": 1.0}, canaries=100, seed=seed)

    return attempt


def trained(method, seed=0, **given):
    params = catalog.algorithm(method).complete({"epsilon": 1.0} | given)
    return one_run(method, params=params, canaries=METHODS[method], seed=seed)


@pytest.mark.parametrize("method", METHODS)
def test_a_sound_training_shows_no_more_than_is_claimed(method):
    found = trained(method)
    assert found.holds
    assert found.shown.epsilon <= found.claimed == 1.0
    assert found.shown.trials == METHODS[method]


@pytest.mark.parametrize("method", METHODS)
def test_a_tenth_of_the_stated_noise_is_caught_by_one_training(a_tenth_of_the_noise, method):
    assert not trained(method).holds


def test_little_noise_shows_most_of_what_so_many_guesses_can():
    """150 of 150 correct guesses have probability q^150 = 5 %, q = e^epsilon / (e^epsilon + 1)."""
    q = 0.05 ** (1 / 150)
    shown = trained("dpsgd", calibration="given", noise_multiplier=0.3, epsilon=1e6).shown.epsilon
    assert 0.5 * np.log(q / (1 - q)) < shown < np.log(q / (1 - q))


def test_scores_that_know_nothing_seldom_show_anything(toy):
    def fit(records, *, epsilon, rng):
        return LinearClassifier(rng.random(records.X.shape[1]))

    shown = [toy(fit, seed=seed).shown.epsilon for seed in range(60)]
    assert (
        sum(epsilon > 0 for epsilon in shown) <= 9
    )  # 5 % of them by chance: more than 9 has probability 0.2 %


@pytest.mark.parametrize("relation", [Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE])
def test_a_label_read_without_noise_is_found_for_replace_one(toy, relation):
    """For add-or-remove-one an absent record is in the data all the same, and only in no batch."""

    def fit(records, *, epsilon, rng):
        return LinearClassifier(records.X.T @ (2.0 * records.y - 1))

    found = toy(fit, relation)
    assert found.holds == (relation is Neighbours.ADD_OR_REMOVE_ONE)


def test_a_canary_has_features_that_no_other_has_and_groups_take_turns():
    records = module._canaries(np.array([True, False, True, True, False]))
    assert (FEATURES * np.eye(5) == records.X @ records.X.T).all()
    assert records.y.tolist() == [1, 0, 1, 1, 0]
    assert records.protected.tolist() == [0, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("logistic_regression", "has no privacy guarantee that can be audited"),
        (
            "dp_postprocessing",
            "cannot be audited with --one-run, because its neighbours are one protected attribute",
        ),
        ("dpm", "cannot be audited with --one-run, because its neighbours are one edge"),
    ],
)
def test_what_cannot_be_audited_by_one_run_says_why(method, says):
    with pytest.raises(DpfairError, match=says):
        one_run(method, params={"epsilon": 1.0}, canaries=10)


def test_a_result_without_a_weight_for_each_feature_is_one_clear_error(toy):
    with pytest.raises(DpfairError, match="its model does not have one weight for each feature"):
        toy(lambda records, *, epsilon, rng: LinearClassifier(np.ones(3)))


def test_the_command_prints_what_is_shown_and_what_is_claimed(a_tenth_of_the_noise):
    answer = CliRunner().invoke(command, ["dpsgd", "--one-run", "--trials", "250", "--eps", "1"])
    assert answer.exit_code == 1
    assert "claimed     epsilon 1, delta 1e-06" in answer.output
    assert "at least, with 95 % confidence (one training, " in answer.output
    assert " of 250 canaries guessed, by scores)" in answer.output
    assert "power       epsilon below " in answer.output
    assert "refuted: the bound exceeds the claim" in answer.output


def test_the_command_passes_what_is_sound_and_takes_no_function():
    answer = CliRunner().invoke(command, ["dpsgd", "--one-run", "--trials", "100"])
    assert answer.exit_code == 0
    assert "not refuted: nothing that was tried" in answer.output
    error = CliRunner().invoke(command, ["theirs:fit", "--one-run"]).exception
    assert str(error) == (
        "--one-run can only be given with a method of dpfair: audit MODULE:FUNCTION without it"
    )
