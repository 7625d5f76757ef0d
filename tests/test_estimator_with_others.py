"""The classifier among scikit-learn's and fairlearn's tools, and what is public of it."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from dpfair_cli.contracts.errors import DataWarning, PrivacyLeakWarning
from dpfair_cli.estimator import DpfairClassifier

EXACT = {"epsilon": np.inf}
PUBLIC = {"low": 0, "high": 10, "classes": ("poor", "rich"), "groups": ("f", "m")}


@pytest.fixture(scope="module")
def people():
    """X (400, 3) in [0, 10], labels that follow the first feature, two groups, which the second
    feature knows.
    """
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, (400, 3))
    groups = np.where(X[:, 1] + rng.normal(0, 2, 400) > 5, "m", "f")
    return X, np.where(X[:, 0] + X[:, 1] / 2 + rng.normal(0, 1, 400) > 7, "rich", "poor"), groups


def status(fitted):
    return fitted.origin_.guarantee.status


def leaks(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = fit()
    return fitted, [str(entry.message) for entry in caught if entry.category is PrivacyLeakWarning]


def test_what_is_not_said_is_read_from_the_data_warned_about_and_void(people):
    X, y, groups = people
    fitted, said = leaks(lambda: DpfairClassifier("pflr", **PUBLIC).fit(X, y, groups))
    assert (status(fitted), said) == ("proved", [])
    for missing, words in (
        (("classes",), "void: classes from data"),
        (("groups",), "void: groups from data"),
        (("low", "high"), "not private: bounds from data"),
        (
            ("low", "high", "classes", "groups"),
            "not private: bounds from data, classes from data, groups from data",
        ),
    ):
        given = {name: value for name, value in PUBLIC.items() if name not in missing}
        fitted, said = leaks(
            lambda given=given: DpfairClassifier("pflr", **given).fit(X, y, groups)
        )
        assert status(fitted) == words
        (warned,) = said
        assert warned.startswith(
            f"{words.partition(': ')[2]}: no privacy guarantee applies: give public values"
        )


def test_a_method_without_groups_or_without_privacy_asks_for_less(people):
    X, y, _ = people
    given = {name: PUBLIC[name] for name in ("low", "high", "classes")}
    assert status(DpfairClassifier("functional_mechanism", **given).fit(X, y)) == "proved"
    fitted, said = leaks(lambda: DpfairClassifier("logistic_regression").fit(X, y))
    assert (status(fitted), said) == ("not private", [])


def test_raw_features_are_scaled_and_not_clipped_to_the_unit_interval(people):
    X, y, _ = people
    raw = X * [1, 100, 1e4] - [0, 5, 1e4]
    fitted = DpfairClassifier("logistic_regression").fit(raw, y)
    assert fitted.score(raw, y) > 0.85
    assert fitted.score(raw, y) == DpfairClassifier(
        "logistic_regression", low=X.min(0), high=X.max(0)
    ).fit(X, y).score(X, y)
    with pytest.raises(ValueError, match="must be given together"):
        DpfairClassifier(low=0).fit(X, y)


def test_public_classes_and_groups_do_not_depend_on_who_is_there(people):
    """The fit to a table in which one record alone is rich must not be told from its neighbour by a
    refusal.
    """
    X, y, groups = people
    for labels in (
        np.full(400, "poor"),
        np.where(np.arange(400) == 0, "rich", "poor"),
        np.full(400, "perhaps"),
    ):
        fitted = DpfairClassifier("pflr", EXACT, **PUBLIC).fit(X, labels, np.full(400, "f"))
        assert fitted.classes_.tolist() == ["poor", "rich"]
        assert fitted.groups_ == ("f", "m")
    odd = np.where(np.arange(400) == 0, "x", groups)
    last = np.where(np.arange(400) == 0, "m", groups)
    models = [
        DpfairClassifier("pflr", EXACT, **PUBLIC).fit(X, y, one).model_.weights
        for one in (odd, last)
    ]
    np.testing.assert_array_equal(*models)  # a group that is not listed counts as the last one
    with pytest.warns(DataWarning, match="400 of 400 values of the labels are not listed"):
        DpfairClassifier("pflr", EXACT, **{**PUBLIC, "classes": (0, 1)}).fit(X, y, groups)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_no_number_of_a_record_refuses_the_fit(people, value):
    X, y, groups = people
    odd = X.copy()
    odd[0, 0] = value
    end = {np.inf: 1e6, -np.inf: -1e6, 1e300: 1e6}.get(value)
    classifier = DpfairClassifier("pflr", EXACT, **PUBLIC)
    known = X.copy()
    low, high = (np.broadcast_to(PUBLIC[name], 3)[0] for name in ("low", "high"))
    known[0, 0] = (low + high) / 2 if end is None else end
    fitted = classifier.fit(odd, y, groups).model_.weights
    np.testing.assert_array_equal(fitted, classifier.fit(known, y, groups).model_.weights)
    assert classifier.predict(odd[:1]).shape == (1,)


@pytest.mark.parametrize("value", [np.nan, None, 3, "other"])
def test_no_label_of_a_record_refuses_the_fit(people, value):
    X, y, groups = people
    labels = [value, *y.tolist()[1:]]
    fitted = DpfairClassifier("pflr", EXACT, **PUBLIC).fit(X, labels, groups)
    usual = ["poor", *y.tolist()[1:]]
    same = DpfairClassifier("pflr", EXACT, **PUBLIC).fit(X, usual, groups)
    np.testing.assert_array_equal(fitted.model_.weights, same.model_.weights)


def test_coefficients_are_in_the_units_of_the_features(people):
    X, y, _ = people
    fitted = DpfairClassifier("logistic_regression", low=[0, -5, 0], high=[10, 20, 40]).fit(X, y)
    margin = X @ fitted.coef_[0] + fitted.intercept_
    np.testing.assert_allclose(margin, fitted.decision_function(X), atol=1e-9)
    assert fitted.coef_.shape == (1, 3)
    own = LogisticRegression(tol=1e-10).fit((X - [0, -5, 0]) / [10, 25, 40], y)
    np.testing.assert_allclose(
        fitted.predict_proba(X), own.predict_proba((X - [0, -5, 0]) / [10, 25, 40]), atol=1e-6
    )
    np.testing.assert_array_equal(fitted.predict(X), own.predict((X - [0, -5, 0]) / [10, 25, 40]))


def test_a_constant_has_no_coefficients_and_is_sure(people):
    X, y, _ = people
    fitted = DpfairClassifier("majority_class").fit(X, y)
    assert not hasattr(fitted, "coef_")
    assert set(np.ravel(fitted.predict_proba(X))) == {0.0, 1.0}


def test_it_works_in_a_pipeline_and_in_a_search_with_groups(people):
    X, y, groups = people
    pipeline = make_pipeline(MinMaxScaler(), DpfairClassifier("pflr", EXACT, low=0, high=1))
    pipeline.fit(X, y, dpfairclassifier__sensitive_features=groups)
    assert pipeline.score(X, y) > 0.7
    grid = {"method": ["fair_logistic_regression", "logistic_regression"]}
    search = GridSearchCV(DpfairClassifier(low=0, high=10), grid, cv=3).fit(
        X, y, sensitive_features=groups
    )
    assert search.best_params_ == {"method": "logistic_regression"}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    found = cross_val_predict(
        DpfairClassifier("fair_logistic_regression", low=0, high=10),
        X,
        y,
        params={"sensitive_features": groups},
        method="predict_proba",
    )
    assert found.shape == (400, 2)


def test_fairlearn_measures_it_and_a_fair_method_is_fairer(people):
    metrics = pytest.importorskip(
        "fairlearn.metrics", reason="fairlearn is not here: pip install fairlearn"
    )
    X, y, groups = people
    gaps = []
    for method in ("logistic_regression", "fair_logistic_regression", "dp_postprocessing"):
        params = {"epsilon": np.inf} if method == "dp_postprocessing" else {}
        fitted = DpfairClassifier(method, params, low=0, high=10).fit(
            X, y, sensitive_features=groups
        )
        frame = metrics.MetricFrame(
            metrics={"rate": metrics.selection_rate},
            y_true=y == "rich",
            y_pred=fitted.predict(X, sensitive_features=groups) == "rich",
            sensitive_features=groups,
        )
        assert set(frame.by_group.index) == {"f", "m"}
        gaps.append(frame.difference()["rate"])
    assert gaps[1] < gaps[0] / 2


def test_the_names_of_a_frame_are_the_columns_of_the_model(people, tmp_path):
    X, y, _ = people
    frame = pd.DataFrame(X, columns=["age", "hours", "children"])
    fitted = DpfairClassifier("functional_mechanism", **{**PUBLIC, "groups": None}).fit(frame, y)
    fitted.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["columns"] == [
        "age",
        "hours",
        "children",
    ]
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["hours", "age", "children"]])
