"""dp_whitened_descent: its releases and their cost, and what it learns without noise."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_cli import catalog
from dpfair_cli.mechanisms.sensitivity.second_moment import l2_second_moment
from dpfair_cli.models.regression import whitened_descent
from dpfair_cli.models.regression.additive import AdditiveDesign
from tests.algorithms import mixed_people
from tests.algorithms.mixed_people import EXTREME, fitted, mixed, parted, replaced
from tests.example_data import state

METHOD = catalog.algorithm("dp_whitened_descent")
LARGE = {"epsilon": math.inf, "inputs": "linear", "clip_norm": 1e6}
every_encoding = pytest.mark.parametrize("encoding", ["additive", "linear"])


def inputs(people, encoding="linear"):
    return AdditiveDesign(people.domain, encoding).inputs(people.X)


@every_encoding
def test_one_second_moment_is_released_and_then_a_sum_for_each_step(encoding):
    """Four attributes and the constant: |z|^2 is at most 5."""
    people = mixed()
    _, tape = fitted(METHOD, people, inputs=encoding, steps=7, clip_norm=1.5)
    p = inputs(people, encoding).shape[1]
    assert [entry.mechanism for entry in tape] == ["gaussian"] * 8
    assert np.size(tape[0].value) == p * (p + 1) / 2
    assert [np.size(entry.value) for entry in tape[1:]] == [p] * 7
    assert [entry.sensitivity for entry in tape] == [l2_second_moment(5)] + [1.5] * 7
    moment = inputs(people, encoding).T @ inputs(people, encoding)
    expected = np.sort(moment[np.tril_indices(p)])
    np.testing.assert_allclose(np.sort(tape[0].value), expected, atol=1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (4.0, 1e-3)])
def test_all_releases_cost_epsilon_by_dp_accounting(epsilon, delta):
    _, tape = fitted(METHOD, mixed(), epsilon=epsilon, delta=delta, moment_share=0.2, steps=9)
    found = [entry.scale / entry.sensitivity for entry in tape]
    whole, moment, steps = (
        mixed_people.joint(some) ** -2 for some in (found, found[:1], found[1:])
    )
    assert moment / whole == pytest.approx(0.2)
    assert steps / whole == pytest.approx(0.8)
    assert mixed_people.cost_by_dp_accounting(found, delta) == pytest.approx(epsilon, rel=1e-3)


def test_the_noise_has_its_declared_deviation():
    tapes = [fitted(METHOD, mixed(), seed, steps=20)[1] for seed in range(3)]
    noise = np.concatenate([mixed_people.noise_in_deviations(tape) for tape in tapes])
    assert noise.mean() == pytest.approx(0, abs=4 / np.sqrt(len(noise)))
    assert noise.std() == pytest.approx(1, abs=4 / np.sqrt(2 * len(noise)))


@every_encoding
@pytest.mark.parametrize("x", EXTREME.values(), ids=EXTREME)
def test_a_record_is_read_by_its_releases_alone(encoding, x):
    people = replaced(mixed(), 7, x)
    options = {"inputs": encoding, "steps": 5, "clip_norm": 0.1}
    moves = mixed_people.check_that_releases_are_all(METHOD, people, 7, **options)
    assert moves[0] > 0
    assert max(moves[1:]) == pytest.approx(1)  # a gradient longer than the clipping bound


def test_an_ordinary_record_is_read_by_its_releases_alone():
    moves = mixed_people.check_that_releases_are_all(METHOD, mixed(), 30, epsilon=8.0, steps=10)
    assert min(moves) > 0


def test_an_infinite_epsilon_adds_no_noise():
    _, tape = fitted(METHOD, mixed(), epsilon=math.inf, steps=3)
    for entry in tape:
        assert entry.scale == 0
        np.testing.assert_array_equal(entry.output, entry.value)


def test_without_noise_it_decides_like_logistic_regression():
    people, others = mixed(2000), mixed(2000, seed=1)
    model, _ = fitted(METHOD, people, **LARGE, steps=200)
    theirs = LogisticRegression(C=1e6, max_iter=1000).fit(people.X, people.y)
    agree = model.predict(others) == theirs.predict(others.X)
    assert agree.mean() > 0.99
    majority = max(others.y.mean(), 1 - others.y.mean())
    assert (model.predict(others) == others.y).mean() > majority + 0.1


def test_whitened_steps_are_the_same_for_inputs_in_other_units():
    """1 - age, or a half of hours, is a linear map of the inputs, which whitening undoes."""
    people = mixed(300)
    X = people.X.copy()
    X[:, 3], X[:, 5] = 1 - X[:, 3], X[:, 5] / 2
    other = type(people)(X, people.y, people.protected, people.domain)
    models = [fitted(METHOD, some, **LARGE, steps=10)[0] for some in (people, other)]
    scores = [
        some.X @ model.weights + model.intercept
        for some, model in zip((people, other), models, strict=True)
    ]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-6)


@pytest.mark.parametrize("epsilon", [1.0, math.inf])
@every_encoding
def test_partitions_give_the_model_of_one_table(epsilon, encoding):
    people, options = mixed(70), {"epsilon": epsilon, "inputs": encoding, "steps": 6}
    whole, tape = fitted(METHOD, people, **options)
    parts, again = fitted(METHOD, parted(people, 40, 0, 1, 29), **options)
    for one, other in zip(tape, again, strict=True):
        np.testing.assert_allclose(one.value, other.value, atol=1e-9)
    np.testing.assert_allclose(state(whole), state(parts), atol=1e-9)


@every_encoding
def test_a_gradient_is_that_of_inputs_that_are_whitened_first(encoding):
    people, rng = mixed(50), np.random.default_rng(0)
    Z, design = inputs(people, encoding), AdditiveDesign(people.domain, encoding)
    P, w = rng.normal(size=(design.size, design.size)), rng.normal(size=design.size)
    each = (1 / (1 + np.exp(-(Z @ P) @ w)) - people.y)[:, None] * (Z @ P)
    expected = each * np.minimum(1, 1.5 / np.linalg.norm(each, axis=1))[:, None]
    whitened = whitened_descent.WhitenedRecords(people, design, P)
    found = whitened.gradient(w, pulls=np.zeros((2, 2)), clip_norm=1.5)
    np.testing.assert_allclose(found, expected.sum(axis=0), atol=1e-9)


def test_inputs_that_are_not_kept_and_small_blocks_change_nothing(monkeypatch):
    people, options = mixed(70), {"steps": 6}
    kept, _ = fitted(METHOD, people, **options)
    monkeypatch.setattr(whitened_descent, "BLOCK", 16)
    blocks, _ = fitted(METHOD, people, **options)
    monkeypatch.setattr(whitened_descent, "MOST_KEPT", 0)
    again, _ = fitted(METHOD, people, **options)
    for model in (blocks, again):
        np.testing.assert_allclose(state(kept), state(model), atol=1e-9)


def test_a_seed_gives_the_same_model_and_another_seed_another():
    one, again, other = (state(fitted(METHOD, mixed(), seed)[0]) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_one_record_or_one_label_or_one_group_is_enough(epsilon):
    people = mixed(40)
    same = type(people)(people.X, np.ones(40, int), np.zeros(40, int), people.domain)
    for some in (same, people.take(np.array([3]))):
        assert np.isfinite(state(fitted(METHOD, some, epsilon=epsilon)[0])).all()
