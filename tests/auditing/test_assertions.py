"""Assertions of privacy: what a function gets, which audit it gets, and what its error says."""

import numpy as np
import pytest

from dpfair_cli.addons.foreign_audits.assertions import (
    NotPrivateError,
    assert_private,
    assert_zero_concentrated,
    summary,
)
from dpfair_cli.addons.foreign_audits.outcomes import OutcomeFinding
from dpfair_cli.auditing.finding import Finding

pytestmark = pytest.mark.usefixtures("fewer_runs")


def noisy_sum(X, epsilon, rng):
    return X.sum() + rng.laplace(scale=X.shape[1] / epsilon)


def twice_the_records(X, rng):
    return len(X) + rng.laplace()


def from_the_system(X, epsilon):
    return X[:, 0].sum() + np.random.default_rng().laplace(scale=1 / epsilon)


def test_a_function_gets_what_it_has_parameters_for():
    seen = []

    def by_name(X, labels, epsilon, rng, weight=3):
        seen.append((X.ndim, labels.ndim, epsilon, weight))
        return X.sum() + rng.laplace(scale=3 / epsilon)

    def by_keywords(X, **given):
        seen.append(sorted(given))
        return X.sum() + given["rng"].laplace(scale=3 / given["epsilon"])

    assert_private(by_name, epsilon=2.0, seconds=0)
    assert_private(by_keywords, epsilon=2.0, delta=1e-5, seconds=0)
    assert seen[0] == (2, 1, 2.0, 3)
    assert seen[-1] == ["delta", "epsilon", "rng"]


def test_noise_that_is_followed_is_audited_by_noise_and_other_noise_by_outcomes():
    assert isinstance(assert_private(noisy_sum, epsilon=1.0), Finding)
    assert isinstance(assert_private(from_the_system, epsilon=1.0, seconds=2), OutcomeFinding)
    by_outcomes = assert_private(noisy_sum, epsilon=1.0, by="outcomes", seconds=2)
    assert isinstance(by_outcomes, OutcomeFinding)
    with pytest.raises(ValueError, match="draw every random number from rng"):
        assert_private(from_the_system, epsilon=1.0, by="noise")


def test_a_release_that_is_kept_secret_counts_by_noise_and_not_by_outcomes():
    def secret(X, epsilon, rng):
        _ = X.sum() + rng.laplace(scale=0.01)
        return noisy_sum(X, epsilon, rng)

    with pytest.raises(NotPrivateError):
        assert_private(secret, epsilon=1.0)
    assert_private(secret, epsilon=1.0, by="outcomes", seconds=2)


def test_randomness_of_two_outcomes_from_elsewhere_is_no_leak():
    # two fits of the same data often agree by chance
    def answer(value):
        return value ^ int(np.random.default_rng().random() < 0.3)

    found = assert_private(answer, epsilon=1.0, neighbours=[(0, 1)])
    assert isinstance(found, OutcomeFinding)


def test_a_leak_beside_followed_noise_is_an_error_by_noise():
    def leaking(X, epsilon, rng):
        return noisy_sum(X, epsilon, rng), X.max()

    with pytest.raises(NotPrivateError, match="depends on the data without noise"):
        assert_private(leaking, epsilon=1.0)


def test_the_number_of_records_is_private_where_one_may_be_missing():
    assert_private(twice_the_records, epsilon=0.5)
    assert_private(twice_the_records, epsilon=1.0, neighbours="add-or-remove-one")
    with pytest.raises(NotPrivateError) as caught:
        assert_private(twice_the_records, epsilon=0.5, neighbours="add-or-remove-one")
    message = str(caught.value)
    assert "twice_the_records is not private: it claims epsilon 0.5 (add-or-remove-one)" in message
    assert "is in only one of them" in message
    assert "found: neighbours cost epsilon 1\n" in message


def test_given_pairs_are_followed_and_never_changed():
    def changing(scores, epsilon, rng):
        scores[0] += 1
        return np.array(scores) + rng.laplace(scale=2 / epsilon, size=2)

    pairs = [([0.0, 0.0], [1.0, 1.0])]
    found = assert_private(changing, epsilon=1.0, neighbours=pairs)
    assert found.found == pytest.approx(1)
    assert pairs == [([0.0, 0.0], [1.0, 1.0])]
    with pytest.raises(NotPrivateError, match=r"pair: \[0.0, 0.0\] and \[1.0, 1.0\]"):
        assert_private(
            lambda scores, rng: changing(scores, 2.0, rng), epsilon=1.0, neighbours=pairs
        )


def test_own_data_are_used():
    shapes = set()

    def noting(X, epsilon, rng):
        shapes.add(X.shape[1])
        return noisy_sum(X, epsilon, rng)

    assert_private(noting, epsilon=1.0, data=(np.full((30, 5), 0.5), np.zeros(30)), seconds=0)
    assert shapes == {5}
    with pytest.raises(ValueError, match="must be a matrix of numbers from 0 to 1"):
        assert_private(noisy_sum, epsilon=1.0, data=(np.full((30, 5), 2.0), np.zeros(30)))


def test_the_error_of_the_function_is_raised():
    def failing(X):
        raise KeyError("age")

    with pytest.raises(KeyError, match="age"):
        assert_private(failing, epsilon=1.0)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"epsilon": 0.0}, "epsilon must be a finite number above 0"),
        ({"epsilon": np.inf}, "epsilon must be a finite number above 0"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta a number from 0 to below 1"),
        ({"epsilon": 1.0, "neighbours": "one edge"}, "neighbours must be replace-one,"),
        ({"epsilon": 1.0, "neighbours": []}, "at least one pair"),
        (
            {"epsilon": 1.0, "by": "guess"},
            "by must be one of noise or outcomes, noise, density, outcomes",
        ),
    ],
)
def test_a_claim_that_cannot_be_audited_is_one_clear_error(settings, says):
    with pytest.raises(ValueError, match=says):
        assert_private(noisy_sum, **settings)


def test_rho_must_be_finite_and_above_0():
    with pytest.raises(ValueError, match="rho must be a finite number above 0"):
        assert_zero_concentrated(noisy_sum, rho=0.0)


def test_a_summary_says_what_is_claimed_and_found():
    found = assert_private(noisy_sum, epsilon=1.0)
    assert summary(found) == (
        "noisy_sum: claimed epsilon 1, found epsilon 1 on 100 pairs of neighbours"
    )
    counted = assert_private(noisy_sum, epsilon=1.0, by="outcomes", seconds=1)
    assert summary(counted).startswith("noisy_sum: claimed epsilon 1, epsilon of at least 0.")
