"""Inputs of additive models, and classifiers that are sums of piecewise linear functions."""

import json

import numpy as np
import pytest

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression.additive import AdditiveClassifier, AdditiveDesign, restore
from dpfair_cli.models.regression.linear import LinearClassifier

KNOTS = [0, 1 / 256, 1 / 64, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 1]
AGE = Domain(("age",), {"age": (0,)}, ("a", "b"))
# attributes and features have other orders, so that a mistake shows; `sex` is one level of two
MIXED = Domain(
    ("job=a", "job=b", "job=c", "age", "sex=f", "hours"),
    {"hours": (5,), "job": (0, 1, 2), "sex": (4,), "age": (3,)},
    ("a", "b"),
)
every_encoding = pytest.mark.parametrize("encoding", ["additive", "linear"])


def records(n=50, domain=MIXED, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, len(domain.columns)))
    X[0], X[1] = 0.0, 1.0
    return Records(X, np.arange(n) % 2, np.arange(n) % 2, domain)


def fitted(encoding="additive", seed=1):
    """A design of mixed features, random weights and their classifier."""
    design = AdditiveDesign(MIXED, encoding)
    weights = np.random.default_rng(seed).normal(size=design.size)
    return design, weights, design.classifier(weights)


def test_a_number_has_a_weight_at_each_knot_but_the_first():
    """3/8 is half way from 1/4 to 1/2; 1/512 half way from 0 to 1/256; 13/16 a quarter to 1."""
    X = np.array([[0.0], [1 / 512], [3 / 8], [13 / 16], [1.0]])
    rows = np.zeros((5, 8))
    rows[:, 7] = 1.0  # the constant
    rows[1, 0] = rows[2, 3] = rows[2, 4] = 0.5
    rows[3, 5:7] = 0.75, 0.25
    rows[4, 6] = 1.0
    np.testing.assert_allclose(AdditiveDesign(AGE, "additive").inputs(X), rows, atol=1e-12)


def test_at_a_knot_the_input_of_this_knot_is_one():
    found = AdditiveDesign(AGE, "additive").inputs(np.array(KNOTS)[:, None])
    np.testing.assert_allclose(found[:, :-1], np.eye(8)[:, 1:], atol=1e-12)


def test_a_linear_design_has_each_number_as_it_is():
    found = AdditiveDesign(AGE, "linear").inputs(np.array([[0.0], [0.3], [1.0]]))
    np.testing.assert_allclose(found, [[0, 1], [0.3, 1], [1, 1]], atol=1e-12)


def test_size_and_number_of_attributes_with_the_constant():
    """Two numbers of 7 inputs, 3 + 1 indicators and the constant; four attributes and it."""
    additive, linear = AdditiveDesign(MIXED, "additive"), AdditiveDesign(MIXED, "linear")
    assert (additive.size, linear.size) == (2 * 7 + 4 + 1, 2 + 4 + 1)
    assert additive.attributes == linear.attributes == 5
    assert additive.inputs(records().X).shape == (50, 19)


@pytest.mark.parametrize(("numbers", "inputs"), [(142, 142 * 7 + 1), (143, 143 + 1)])
def test_a_design_of_more_than_a_thousand_inputs_is_linear(numbers, inputs):
    names = tuple(f"x{k}" for k in range(numbers))
    domain = Domain(names, {name: (k,) for k, name in enumerate(names)}, ("a", "b"))
    design = AdditiveDesign(domain, "additive")
    assert design.size == inputs
    found = design.classifier(np.arange(inputs, dtype=float))
    assert isinstance(found, LinearClassifier) is (numbers == 143)


@every_encoding
def test_inputs_are_in_the_unit_box_with_one_per_attribute(encoding):
    """A record with one level per attribute: each attribute adds at most 1 to sum and square."""
    X = np.array(records(300).X)
    X[:, :3] = np.eye(3)[np.arange(300) % 3]
    X[:, 4] = np.arange(300) % 2
    Z = AdditiveDesign(MIXED, encoding).inputs(X)
    assert ((Z >= 0) & (Z <= 1)).all()
    assert (Z.sum(axis=1) <= 5 + 1e-9).all()
    assert (np.square(Z).sum(axis=1) <= 5 + 1e-9).all()
    assert (Z[:, -1] == 1).all()


def test_scores_of_one_number_are_those_of_interpolation():
    """`numpy.interp` draws straight lines between the weights at the knots."""
    weights, x = np.random.default_rng(2).normal(size=8), np.linspace(0, 1, 999)
    expected = np.interp(x, KNOTS, [0.0, *weights[:-1]]) + weights[-1]
    design = AdditiveDesign(AGE, "additive")
    np.testing.assert_allclose(design.inputs(x[:, None]) @ weights, expected, atol=1e-12)
    some = Records(x[:, None], np.zeros(999, int), np.zeros(999, int), AGE)
    np.testing.assert_allclose(design.classifier(weights).scores(some), expected, atol=1e-12)


def test_an_additive_classifier_has_the_scores_of_its_inputs():
    design, weights, model = fitted()
    some, expected = records(), design.inputs(records().X) @ weights
    assert isinstance(model, AdditiveClassifier)
    assert not model.reads_group
    np.testing.assert_allclose(model.knots, KNOTS)
    assert model.values.shape == (6, 8)
    np.testing.assert_allclose(model.scores(some), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(some), (expected > 0).astype(float))


def test_a_linear_design_gives_a_linear_classifier():
    design, weights, model = fitted("linear")
    some = records()
    assert isinstance(model, LinearClassifier)
    np.testing.assert_allclose(
        some.X @ model.weights + model.intercept, design.inputs(some.X) @ weights, atol=1e-12
    )


def test_a_score_of_zero_is_decision_zero():
    design = AdditiveDesign(MIXED, "additive")
    assert not design.classifier(np.zeros(design.size)).predict(records()).any()


def test_a_saved_classifier_decides_as_before():
    _, _, model = fitted()
    again = restore(json.loads(json.dumps(model.saved())))
    assert model.saved()["form"] == "additive"
    np.testing.assert_array_equal(again.scores(records()), model.scores(records()))
    np.testing.assert_array_equal(again.predict(records()), model.predict(records()))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("intercept", float("nan")),
        ("knots", [0.0, float("nan"), *KNOTS[2:]]),
        ("knots", KNOTS[::-1]),
        ("knots", KNOTS[:-1]),
        ("values", [0.0] * 8),
        ("values", [[0.0] * 7] * 6),
        ("values", [[float("inf")] * 8] * 6),
        ("values", [["many"] * 8] * 6),
    ],
)
def test_a_damaged_field_is_refused(field, value):
    _, _, model = fitted()
    with pytest.raises(ValueError):  # noqa: PT011 - each field has a message of its own
        restore(model.saved() | {field: value})
