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
from sklearn.utils.validation import has_fit_parameter

from dpfair_cli import estimator
from dpfair_cli.contracts.errors import DataWarning, DpfairError, PrivacyLeakWarning
from dpfair_cli.estimator import DpfairClassifier, load

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


def test_an_entry_of_params_is_set_by_its_name_also_in_a_search(people):
    X, y, _ = people
    given = {"epsilon": 1.0}
    classifier = DpfairClassifier(params=given, **PUBLIC)
    assert classifier.set_params(params__epsilon=2.0, seed=3).params == {"epsilon": 2.0}
    assert given == {"epsilon": 1.0}  # the dictionary of a clone
    assert classifier.get_params()["params__epsilon"] == 2.0
    assert "params__epsilon" not in classifier.get_params(deep=False)
    grid = {"dpfairclassifier__params__epsilon": [0.01, np.inf]}
    search = GridSearchCV(make_pipeline(MinMaxScaler((0, 10)), classifier), grid, cv=2).fit(X, y)
    assert search.best_params_ == {"dpfairclassifier__params__epsilon": np.inf}
    with pytest.raises(DpfairError, match="did you mean 'epsilon'"):
        DpfairClassifier(**PUBLIC).set_params(params__epsilom=1.0).fit(X, y)
    with pytest.raises(ValueError, match="Invalid parameter 'methud'"):
        classifier.set_params(methud="pflr")


def test_weights_of_records_are_refused_with_the_reason(people):
    X, y, groups = people
    with pytest.raises(TypeError, match="sample_weight is not possible: the noise"):
        DpfairClassifier(**PUBLIC).fit(X, y, sample_weight=np.ones(len(X)))
    with pytest.raises(TypeError, match="unexpected keyword argument 'group'"):
        DpfairClassifier(**PUBLIC).fit(X, y, group=groups)
    assert DpfairClassifier(**PUBLIC).fit(X, y, sample_weight=None).classes_.size == 2
    assert not has_fit_parameter(DpfairClassifier(), "sample_weight")


def test_two_columns_of_groups_are_told_before_the_fit(people):
    X, y, groups = people
    table = pd.DataFrame({"sex": groups, "age": np.where(X[:, 2] > 5, "old", "young")})
    with pytest.warns(DataWarning, match="the columns sex and age: each combination is a group"):
        DpfairClassifier("reweighing", low=0, high=10).fit(X, y, table)
    with pytest.raises(ValueError, match="got `groups` with 'f': name combinations"):
        DpfairClassifier("pflr", EXACT, **PUBLIC).fit(X, y, table)


def test_clipped_values_and_nan_are_told_with_the_first_of_them(people):
    X, y, _ = people
    odd = X.copy()
    odd[3:5, 1] = 11.5, -2
    odd[7, 2] = np.nan
    with pytest.warns(DataWarning) as told:
        fitted = DpfairClassifier(**PUBLIC).fit(odd, y)
    words = " ".join(str(one.message) for one in told)
    assert "2 of 1200 values of X lie outside [low, high] and are clipped, such as 11.5" in words
    assert "1 of 1200 values of X are NaN and become the middle of [low, high]" in words
    with pytest.warns(DataWarning, match="such as -2 in x1"):
        fitted.predict(odd[4:5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.predict(X * (1 + 1e-15))  # rounding is no clipping


def test_equal_warnings_of_a_search_are_one(people, monkeypatch):
    X, y, _ = people
    monkeypatch.setattr(estimator, "_said", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        cross_val_predict(DpfairClassifier(seed=1), X, y, cv=10)
        DpfairClassifier(low=0, high=10).fit(X, y)
    leaks = [str(one.message) for one in caught if one.category is PrivacyLeakWarning]
    assert [words.partition(":")[0] for words in leaks] == [
        "bounds from data, classes from data",
        "classes from data",
    ]


def test_a_warning_names_the_line_that_called(people):
    X, y, _ = people
    with pytest.warns(PrivacyLeakWarning) as told:
        DpfairClassifier(low=0, high=10).fit(X, y)
    assert told[0].filename == __file__


def test_raw_columns_name_the_domain_file(people):
    X, y, _ = people
    frame = pd.DataFrame(X, columns=["age", "hours", "x"]).assign(work="private")
    with pytest.raises(ValueError, match=r"columns of texts, such as 'work': give domain=FILE"):
        DpfairClassifier().fit(frame, y)


def test_bounds_of_a_wrong_length_are_told_in_words(people):
    X, y, _ = people
    with pytest.raises(ValueError, match="`high` must be one number, or one for each of the 3"):
        DpfairClassifier(low=[0, 0, 0], high=[1, 1]).fit(X, y)


def test_rows_in_another_order_are_refused(people):
    X, y, groups = people
    frame, labels = pd.DataFrame(X), pd.Series(y)
    mixed = labels.sample(frac=1, random_state=0)
    classifier = DpfairClassifier("pflr", EXACT, **PUBLIC)
    with pytest.raises(ValueError, match=r"y has the index of X in another order.*y.loc\[X.index"):
        classifier.fit(frame, mixed, groups)
    others = pd.Series(groups)[::-1]
    with pytest.raises(ValueError, match="sensitive_features has the index of X in another order"):
        classifier.fit(frame, labels, others)
    fitted = classifier.fit(frame, mixed.loc[frame.index], groups)
    np.testing.assert_array_equal(
        fitted.model_.weights, classifier.fit(frame, mixed.sort_index(), groups).model_.weights
    )
    classifier.fit(frame, labels.set_axis(range(400, 800)), groups)  # another table's: by order
    with pytest.raises(ValueError, match="sensitive_features has the index of X"):
        DpfairClassifier("dp_postprocessing", EXACT, **PUBLIC).fit(X, y, groups).predict(
            frame, others
        )


def test_save_overwrites_a_file_only_with_force(people, tmp_path):
    X, y, _ = people
    fitted = DpfairClassifier(**PUBLIC).fit(X, y)
    table = tmp_path / "people.csv"
    table.write_text("age,rich\n")
    with pytest.raises(DpfairError, match=r"people.csv exists already: give another file"):
        fitted.save(table)
    assert table.read_text() == "age,rich\n"
    fitted.save(str(table), force=True)
    assert load(table).model_.values.tolist() == fitted.model_.values.tolist()
    with pytest.raises(DpfairError, match="the name of a privacy ledger"):
        fitted.save(tmp_path / "domain.yaml.ledger", force=True)


@pytest.mark.parametrize("method", ["functional_mechanism", "dp_postprocessing"])
def test_a_loaded_classifier_is_the_saved_one(people, tmp_path, method):
    X, y, groups = people
    fitted = DpfairClassifier(method, EXACT, **PUBLIC).fit(X, y, groups)
    fitted.save(tmp_path / "model.json")
    found = load(tmp_path / "model.json")
    for name in ("predict", "predict_proba"):
        np.testing.assert_array_equal(
            getattr(found, name)(X, groups), getattr(fitted, name)(X, groups)
        )
    assert found.origin_.guarantee == fitted.origin_.guarantee
    assert found.groups_ == fitted.groups_
    assert hasattr(found, "coef_") == hasattr(fitted, "coef_")
    if hasattr(found, "coef_"):
        np.testing.assert_array_equal(found.coef_, fitted.coef_)
    found.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_a_loaded_classifier_keeps_the_names_and_the_type_of_the_labels(people, tmp_path):
    X, y, _ = people
    frame = pd.DataFrame(X, columns=["age", "hours", "children"])
    fitted = DpfairClassifier(low=0, high=10, classes=[0, 1]).fit(frame, (y == "rich").astype(int))
    fitted.save(tmp_path / "model.json")
    found = load(tmp_path / "model.json")
    assert found.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(found.predict(frame), fitted.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        found.predict(frame[["hours", "age", "children"]])
