"""Output perturbation: sigma by hand, epsilon = infinity, and the variant that is not private."""

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import output_perturbation, output_perturbation_released_code
from dpfair_cli.auditing.audit import audit
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.models.regression.logistic import minimise


def released(algorithm, people, seed=0, **options):
    with record() as tape:
        model = algorithm.fit(people, rng=np.random.default_rng(seed), **options)
    return tape[0], model


def test_sigma_is_the_papers_by_hand(crowd):
    # n = 100, delta = 1e-4: 6 sqrt(8 log(12500)) / (100 * 2 * 0.5) = 6 sqrt(75.4682...) / 100
    entry, _ = released(
        output_perturbation,
        crowd(n=100),
        mu=2.0,
        clip_norm=6.0,
        epsilon=0.5,
        delta=0.5,
        calibration="classical",
    )
    assert entry.scale == pytest.approx(6 * np.sqrt(8 * np.log(1.25 / 1e-4)) / 100)
    assert entry.sensitivity == pytest.approx(2 * 6 / (2 * 100))


def test_delta_is_the_smaller_of_one_over_n_squared_and_what_is_asked(crowd):
    scales = [
        released(output_perturbation, crowd(n=100), delta=delta)[0].scale
        for delta in (0.5, 1e-4, 1e-9)
    ]
    assert scales[0] == scales[1] < scales[2]


def test_without_noise_the_weights_are_the_optimum(crowd):
    people = crowd()
    _, model = released(output_perturbation, people, epsilon=np.inf)
    np.testing.assert_allclose(model.weights, minimise(people.X, people.y, ridge=1.0), atol=1e-9)
    _, other = released(output_perturbation_released_code, people, epsilon=np.inf)
    np.testing.assert_allclose(
        other.weights, minimise(people.X, people.y, ridge=1 / len(people) ** 2), atol=1e-6
    )


def test_what_is_released_is_the_optimum_before_the_noise(crowd):
    people = crowd()
    entry, _ = released(output_perturbation, people, epsilon=0.1)
    np.testing.assert_allclose(entry.value, minimise(people.X, people.y, ridge=1.0), atol=1e-9)


def test_the_projection_holds_the_optimum_and_shortens_the_distance(crowd):
    people, radius = crowd(n=30), np.sqrt(2 * np.log(2))
    _, best = released(output_perturbation, people, epsilon=np.inf, projection="ball")
    _, plain = released(output_perturbation, people, epsilon=np.inf)
    np.testing.assert_array_equal(best.weights, plain.weights)
    for seed in range(20):
        free, inside = (
            released(output_perturbation, people, seed, epsilon=0.5, projection=name)[1]
            for name in ("none", "ball")
        )
        assert np.linalg.norm(inside.weights) <= radius * (1 + 1e-12)
        apart = [np.linalg.norm(model.weights - best.weights) for model in (inside, free)]
        assert apart[0] <= apart[1] * (1 + 1e-12)


def test_the_train_size_is_at_most_the_number_of_records(crowd):
    few, all_of_them = (
        released(output_perturbation, crowd(n=50), train_size=n)[0] for n in (10, 10**9)
    )
    assert few.sensitivity == pytest.approx(2 * 3 / 10)
    assert all_of_them.sensitivity == pytest.approx(2 * 3 / 50)


def test_the_classical_sigma_is_refused_where_it_is_not_private(crowd):
    with pytest.raises(ValueError, match="must be at most 1 for the classical"):
        released(output_perturbation, crowd(), epsilon=10.0, calibration="classical")


def test_the_audit_finds_nothing_against_output_perturbation(crowd):
    params = {"epsilon": 1.0, "delta": 1e-3, "calibration": "classical"}
    assert audit("output_perturbation", crowd(), params=params, neighbours=80).holds


def test_the_audit_refutes_the_released_code(crowd):
    """With penalty mu / n^2 one of n records moves the minimiser far beyond the sensitivity."""
    found = audit(
        "output_perturbation_released_code",
        crowd(),
        params={"epsilon": 1.0, "delta": 1e-3},
        neighbours=80,
    )
    assert not found.holds
    assert found.largest_move > 1.5
