"""The scikit-learn adapter obeys scikit-learn's own checks, and its models leave and come back as
they were.
"""

import json
import pickle
import warnings
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.estimator import DpfairClassifier
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.gaussian import analytic_sigma
from dpfair_cli.mechanisms.ledger import Usage, record, replay
from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.release import guarantee, model_files
from tests.example_data import state

GROUPED = (
    {"method": "dp_postprocessing"},
    {"method": "optimal_fair_mixture", "params": {"features": "aware"}},
)
CLASSIFIERS = [
    name
    for name in catalog.algorithms.names
    if matching.can_score(catalog.study("classification"), catalog.algorithm(name))
]
# generators take tables of levels, and networks hours for scikit-learn's checks: their own tests
# use the estimator
OTHERS = {
    name
    for name in CLASSIFIERS
    if catalog.algorithm(name).data_options or catalog.algorithm(name).needs
}
EVERY = [name for name in CLASSIFIERS if name not in OTHERS]
PUBLIC = {"low": 0, "high": 10, "classes": ("poor", "rich"), "groups": (0, 1)}
# on the few dozen records of scikit-learn's checks, the noise of any useful epsilon drowns what
# there is to learn
NOISY = {
    "check_classifiers_train": "asks for an accuracy of 0.83 on 300 records, which a private "
    "fit does not have"
}
# without a known seed two fits to the same data differ, and scikit-learn compares fits in spite of
# its tag for that
SECRET = dict.fromkeys(
    ("check_classifier_data_not_an_array", "check_fit_idempotent", "check_supervised_y_2d"),
    "no two fits share noise",
)

# the checks have as few as ten records, and features that fill a tenth of their range: many small
# steps get there
SMALL_BATCHES = {"batch_size": 5, "epochs": 30, "learning_rate": 5.0}


def params_of(method):
    known = catalog.algorithm(method).parameters
    params = {"delta": 1e-4} if "delta" in known else {}
    params |= {"components": 10, "steps": 10} if "components" in known else {}
    return params | (SMALL_BATCHES if "batch_size" in known else {})


def without_noise(method, **given):
    """The method as its public self: scikit-learn's checks of accuracy are then met too."""
    params = {"epsilon": np.inf} if catalog.algorithm(method).guarantee.is_private else {}
    params |= params_of(method)
    return AlternatingGroups(method=method, params=params, low=-10.0, high=10.0, **given)


class AlternatingGroups(DpfairClassifier):
    """The classifier with a group of each record, which scikit-learn's checks do not hand over."""

    def fit(self, X, y):
        return super().fit(X, y, alternating(X))

    def predict(self, X):
        return super().predict(X, alternating(X))

    def predict_proba(self, X):
        return super().predict_proba(X, alternating(X))


def alternating(X):
    """Group 0 or 1 by a record's own content, so that a part of X has the groups that it had in the
    whole.
    """
    table = np.atleast_2d(np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=object))
    return [crc32(" ".join(map(str, row)).encode()) // 7 % 2 for row in table.tolist()]


NOT_PASSED = {  # method -> check of scikit-learn -> the reason why the method cannot pass it
    "pfairdp": {
        "check_methods_subset_invariance": (
            "the published remover is fitted to the records that are decided, all at once"
        )
    }
}


def failures(tested, expected=None):
    results = check_estimator(tested, expected_failed_checks=expected, on_fail=None, on_skip=None)
    assert len(results) > 40
    return {
        result["check_name"]: str(result["exception"])
        for result in results
        if result["status"] == "failed"
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", EVERY)
def test_every_method_without_noise_passes_all_checks_of_scikit_learn(method):
    assert failures(without_noise(method, seed=0), NOT_PASSED.get(method)) == {}


@pytest.mark.filterwarnings("ignore")
def test_the_classifier_as_it_comes_passes_all_checks_that_noise_permits():
    assert failures(DpfairClassifier(seed=0), NOISY) == {}
    assert failures(DpfairClassifier(), NOISY | SECRET) == {}


@pytest.fixture(scope="module")
def people():
    """X (200, 3) in [0, 10], labels that follow the first feature, two groups."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, (200, 3))
    return X, np.where(X[:, 0] + rng.normal(0, 1, 200) > 5, "rich", "poor"), rng.integers(0, 2, 200)


@pytest.mark.parametrize("method", EVERY)
def test_it_is_the_same_fit_as_that_of_the_method(method, people):
    X, y, protected = people
    names = ("x0", "x1", "x2")
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("0", "1"))
    groups = protected if catalog.algorithm(method).uses_groups else np.zeros(200, dtype=np.int64)
    records = Records(X / 10, (y == "rich").astype(np.int64), groups, domain)
    params = params_of(method)
    options = {"low": 0.0, "high": 10.0, "classes": ["poor", "rich"], "groups": ["0", "1"]}
    names = {"dataset": "arrays", "options": options, "algorithm": method}
    names |= {
        "params": catalog.algorithm(method).complete(params),
        "data": records.fingerprint(),
    }
    wanted = catalog.algorithm(method).fit(
        records, **params, rng=model_files.release_generator(7, names)
    )
    found = DpfairClassifier(method, params, low=0, high=10, seed=7).fit(X, y, protected)
    np.testing.assert_array_equal(state(found.model_), state(wanted))
    np.testing.assert_array_equal(
        found.predict(X, protected) == "rich", wanted.predict(records) > 0.5
    )


def test_it_learns_what_there_is_to_learn(people):
    X, y, _ = people
    assert DpfairClassifier("logistic_regression", low=0, high=10).fit(X, y).score(X, y) > 0.9


def test_classes_may_be_any_two_values_in_their_own_order(people):
    X, y, _ = people
    model = DpfairClassifier("logistic_regression", low=0, high=10)
    words = model.fit(X, y).predict(X)
    assert list(model.classes_) == ["poor", "rich"]
    np.testing.assert_array_equal(
        model.fit(X, np.where(y == "rich", 7, -7)).predict(X) == 7, words == "rich"
    )


def test_classes_in_falling_order_are_sorted_with_a_warning(people):
    X, y, _ = people
    options = {"low": 0, "high": 10}
    with pytest.warns(DataWarning, match="sorted: rich is the decision 1"):
        found = DpfairClassifier("logistic_regression", **options, classes=["rich", "poor"]).fit(
            X, y
        )
    assert list(found.classes_) == ["poor", "rich"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        DpfairClassifier("logistic_regression", **options, classes=["poor", "rich"]).fit(X, y)


@pytest.mark.parametrize("count", [1, 3])
def test_anything_but_two_classes_is_refused(people, count):
    X = people[0]
    with pytest.raises(ValueError, match=f"got {count} class"):
        DpfairClassifier().fit(X, np.arange(200) % count)


def test_values_outside_the_public_bounds_count_as_the_bound(people):
    X, y, _ = people
    wild = np.where(X > 9, 1e6, X)
    tame = np.where(X > 9, 9.0, X)
    models = [
        DpfairClassifier("output_perturbation", low=0, high=9.0, seed=0).fit(features, y)
        for features in (wild, tame)
    ]
    np.testing.assert_array_equal(models[0].model_.weights, models[1].model_.weights)
    np.testing.assert_array_equal(models[0].predict(wild), models[1].predict(tame))


def test_bounds_may_differ_from_feature_to_feature(people):
    X, y, _ = people
    factors, shift = np.array([1.0, 100.0, 0.01]), np.array([0.0, -3.0, 5.0])
    exact = {"epsilon": np.inf}  # other bounds are another fit, with other noise
    groups = people[2]
    one = DpfairClassifier("pflr", exact, low=0, high=10).fit(X, y, groups)
    other = DpfairClassifier("pflr", exact, low=shift, high=10 * factors + shift).fit(
        X * factors + shift, y, groups
    )
    np.testing.assert_allclose(one.model_.weights, other.model_.weights, rtol=1e-9)


@pytest.mark.parametrize(
    ("low", "high"), [(1.0, 1.0), (1.0, 0.0), ([0, 0, 0], [1, 0, 1]), (0.0, np.nan)]
)
def test_bounds_that_do_not_rise_are_refused_as_such(people, low, high):
    X, y, _ = people
    with pytest.raises(ValueError, match=r"low|high|bound"):
        DpfairClassifier(low=low, high=high).fit(X, y)


def test_groups_reach_the_methods_that_use_them_and_no_others(people):
    X, y, protected = people
    for method, moved in (("pflr", True), ("functional_mechanism", False)):
        models = [
            DpfairClassifier(method, {"epsilon": np.inf}, low=0, high=10).fit(X, y, groups).model_
            for groups in (protected, 1 - protected, y == "rich")
        ]
        assert (not np.array_equal(models[0].weights, models[2].weights)) == moved


@pytest.mark.parametrize("groups", [[0, 1], [["f", "m"]], np.full(200, 2), ["f"] * 200], ids=str)
def test_groups_that_do_not_fit_are_refused(people, groups):
    X, y, _ = people
    with pytest.raises(
        ValueError,
        match=r"one group for each of 200 records|must be fitted to at least two groups, got 1",
    ):
        DpfairClassifier("pflr", low=0, high=10).fit(X, y, groups)


@pytest.mark.parametrize("method", EVERY)
def test_a_method_needs_groups_just_where_they_move_its_fit(people, method):
    X, y, protected = people
    exact = params_of(method) | (
        {"epsilon": np.inf} if catalog.algorithm(method).guarantee.is_private else {}
    )
    states = []
    for groups in (protected, np.roll(protected, 7), (X[:, 0] > 6).astype(int)):
        fitted = DpfairClassifier(method, exact, low=0, high=10, seed=0).fit(X, y, groups)
        states.append([np.ravel(value).tolist() for value in fitted.model_.state().values()])
    assert (states[0] != states[1] or states[0] != states[2]) == catalog.algorithm(
        method
    ).uses_groups
    if catalog.algorithm(method).uses_groups:
        with pytest.raises(DpfairError, match=f"{method} needs the protected attribute: call fit"):
            DpfairClassifier(method, exact, low=0, high=10).fit(X, y)


def test_groups_may_have_any_names_as_in_fairlearn(people):
    X, y, protected = people
    exact = {"epsilon": np.inf}
    words = np.where(protected == 1, "male", "female")
    table = pd.DataFrame({"sex": words})
    fits = [
        DpfairClassifier("pflr", exact, low=0, high=10).fit(X, y, sensitive_features=groups)
        for groups in (protected, words, list(words), pd.Series(words), table)
    ]
    for fitted in fits[1:]:
        assert fitted.groups_ == ("female", "male")
        np.testing.assert_array_equal(fitted.model_.weights, fits[0].model_.weights)
    both = DpfairClassifier("reweighing", low=0, high=10).fit(
        X, y, table.assign(age=np.where(X[:, 2] > 5, "old", "young"))
    )
    assert both.groups_ == ("female, old", "female, young", "male, old", "male, young")


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("pflt", None, "unknown method 'pflt': did you mean 'pflr'?"),
        ("pflr", {"epsilom": 1}, "unknown parameter 'epsilom': did you mean 'epsilon'?"),
        ("pflr", {"epsilon": 0}, "epsilon must be positive"),
        ("pflr", {"epsilon": np.nan}, "epsilon must be positive, got nan"),
    ],
)
def test_a_wrong_method_or_parameter_is_refused_with_the_nearest_word(
    people, method, params, message
):
    X, y, _ = people
    with pytest.raises(DpfairError) as refused:
        DpfairClassifier(method, params).fit(X, y, people[2])
    assert message in str(refused.value)


def test_a_seed_gives_the_same_model_and_another_seed_another(people):
    X, y, _ = people
    one, two, other = (
        DpfairClassifier("output_perturbation", low=0, high=10, seed=seed).fit(X, y).model_.weights
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_default_noise_is_in_no_other_fit_and_not_that_of_a_seed(people):
    X, y, _ = people
    secret = [
        DpfairClassifier("output_perturbation", low=0, high=10).fit(X, y).model_.weights
        for _ in "abc"
    ]
    known = [
        DpfairClassifier("output_perturbation", low=0, high=10, seed=s).fit(X, y).model_.weights
        for s in range(20)
    ]
    assert len(set(np.ravel([*secret, *known]))) == 23 * 3


@pytest.mark.parametrize("seed", [None, 5])
def test_a_search_over_epsilon_has_fits_that_share_no_noise(people, seed):
    """Were w_i = optimum + sigma_i z with one z, (s_2 w_1 - s_1 w_2) / (s_2 - s_1) were the
    optimum.
    """
    X, y, _ = people
    epsilons, n = (0.5, 2.0), len(X)
    s = [
        analytic_sigma(l2_minimiser(n, clip_norm=3.0, mu=1.0), epsilon, 1 / n**2)
        for epsilon in epsilons
    ]
    one, two, optimum = (
        DpfairClassifier("output_perturbation", {"epsilon": epsilon}, low=0, high=10, seed=seed)
        .fit(X, y)
        .model_.weights
        for epsilon in (*epsilons, np.inf)
    )
    assert np.abs((s[1] * one - s[0] * two) / (s[1] - s[0]) - optimum).max() > 1e-3


def test_it_can_be_cloned_and_searched(people):
    X, y, _ = people
    grid = {"params": [{"epsilon": 0.01}, {"epsilon": np.inf}], "method": ["functional_mechanism"]}
    search = GridSearchCV(DpfairClassifier(low=0, high=10, seed=0), grid, cv=3).fit(X, y)
    assert search.best_params_["params"] == {"epsilon": np.inf}
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


SIZE_FOLLOWS_NOISE = {"dp_marginal_records"}  # the number of bins follows noisy counts


@pytest.mark.parametrize("method", EVERY)
def test_a_fitted_classifier_keeps_no_training_data(people, method):
    given = params_of(method)
    few, more = (
        pickle.dumps(
            DpfairClassifier(method, given, low=0, high=10).fit(*(part[:n] for part in people))
        )
        for n in (100, 200)
    )
    if method in SIZE_FOLLOWS_NOISE:
        assert not any(value.tobytes() in more for value in np.ravel(people[0]) / 10)
    else:
        assert abs(len(more) - len(few)) < 100  # a hundred people more take no more room


# --- model files


MODEL = LinearClassifier(np.array([0.1, -2.0, 1e-300, 1 / 3]), 0.7)
STATED = guarantee.of_fit(
    catalog.method("pflr"), bounds="nowhere", used=Usage(), seed=None, records=10
)
ORIGIN = model_files.Origin("toy", {}, "pflr", {}, {}, ("a", "b", "c", "d"), STATED)


def test_a_classifier_leaves_by_the_same_door_and_says_what_it_promises(people, tmp_path):
    X, y, protected = people
    for seed, status in ((None, "proved"), (4, "void: known seed 4")):
        fitted = DpfairClassifier("pflr", {"epsilon": 2.0}, **PUBLIC, seed=seed).fit(
            X, y, protected
        )
        fitted.set_params(
            params={"epsilon": 0.1}, low=-5
        )  # after the fit: of no concern to what was fitted
        fitted.save(tmp_path / "model.json", force=True)
        found = json.loads((tmp_path / "model.json").read_text())
        assert found["guarantee"]["status"] == status
        assert found["guarantee"]["epsilon"] == "2"
        assert "low, high, classes and groups, by the caller's word" in found["guarantee"]["public"]
        assert found["options"] == {
            "low": 0.0,
            "high": 10.0,
            "classes": ["poor", "rich"],
            "groups": ["0", "1"],
        }
        assert found["columns"] == ["x0", "x1", "x2"]
        np.testing.assert_array_equal(
            model_files.load(tmp_path / "model.json").weights, fitted.model_.weights
        )


def test_neighbours_that_release_the_same_give_the_same_classifier_bytes(
    people, tmp_path, monkeypatch
):
    X, y, protected = people
    monkeypatch.setattr(
        "dpfair_cli.estimator.release_generator", lambda seed, names: np.random.default_rng(0)
    )
    with record() as tape:
        DpfairClassifier("pflr", low=0, high=10).fit(X, y, protected).save(tmp_path / "one.json")
    X, protected = np.vstack([[9.9, 0.1, 5.0], X[1:]]), np.r_[1 - protected[0], protected[1:]]
    with replay(tape) as again:
        DpfairClassifier("pflr", low=0, high=10).fit(X, y, protected).save(tmp_path / "two.json")
    assert any(
        np.any(before.value != after.value) for before, after in zip(tape, again, strict=True)
    )
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_nothing_is_saved_before_a_fit(tmp_path):
    with pytest.raises(NotFittedError):
        DpfairClassifier().save(tmp_path / "model.json")


def test_a_model_comes_back_as_it_was_to_the_last_bit(tmp_path):
    model_files.write(tmp_path / "model.json", MODEL, ORIGIN)
    for path in (tmp_path / "model.json", str(tmp_path / "model.json")):
        found = model_files.load(path)
        np.testing.assert_array_equal(found.weights, MODEL.weights)
        assert found.intercept == MODEL.intercept


@pytest.mark.deep
def test_a_network_comes_back_and_decides_as_before(tmp_path):
    cnn = pytest.importorskip(
        "dpfair_cli.models.training.cnn", reason="torch is not here: pip install torch"
    )
    rng, names = np.random.default_rng(0), tuple(f"class{k}" for k in range(10))
    zeros = np.zeros(20, dtype=np.int64)
    X = rng.integers(0, 256, (20, 784)).astype(np.uint8)
    images = Images(X, zeros, zeros, zeros.astype(bool), (28, 28), names, Domain((), {}, names))
    model = cnn.CnnClassifier(rng.normal(scale=0.05, size=431_080))
    model_files.write(tmp_path / "model.json", model, ORIGIN)
    found = model_files.load(tmp_path / "model.json")
    np.testing.assert_array_equal(found.parameters, model.parameters.astype(np.float32))
    np.testing.assert_array_equal(found.predict(images), model.predict(images))
    assert len(set(found.predict(images))) > 1


NO_JSON = ["", "no JSON"]
NO_FILE_OF_OURS = ["[]", "1", "null", "{}", '{"format": 4}', '{"format": 4, "model": null}']
NO_MODEL = [
    '{"format": 5, "model": {"form": "linear", "weights": [1], "intercept": 0}}',
    '{"format": 4, "model": {"form": "linear", "weights": [1]}}',
    '{"format": 4, "model": {"form": "linear", "weights": ["a"], "intercept": 0}}',
    '{"format": 4, "model": {"form": "linear", "weights": [1], "intercept": null}}',
    '{"format": 4, "model": {"form": "linear", "weights": [[1, 2], [3, 4]], "intercept": 0}}',
    '{"format": 4, "model": {"form": "linear", "weights": 3, "intercept": 0}}',
    '{"format": 4, "model": {"form": "linear", "weights": [NaN], "intercept": 0}}',
    '{"format": 4, "model": {"form": "../linear", "weights": [1], "intercept": 0}}',
    '{"format": 4, "model": {"form": "quadratic", "weights": [1], "intercept": 0}}',
]


@pytest.mark.parametrize("content", [*NO_JSON, *NO_FILE_OF_OURS, *NO_MODEL])
def test_a_file_that_is_no_model_is_refused_in_one_line(tmp_path, content):
    (tmp_path / "model.json").write_text(content)
    with pytest.raises(
        DpfairError, match=r"model\.json must be a dpfair model of format 4"
    ) as refused:
        model_files.load(tmp_path / "model.json")
    assert "\n" not in str(refused.value)


def test_a_file_of_an_older_format_is_refused_with_what_to_do(tmp_path):
    (tmp_path / "model.json").write_text(
        '{"format": 2, "model": {"form": "linear", "weights": [1], "intercept": 0}}'
    )
    with pytest.raises(DpfairError, match="of format 4: train the model again if an older version"):
        model_files.load(tmp_path / "model.json")


def test_bytes_that_are_no_text_are_refused_and_a_missing_file_is_named(tmp_path):
    (tmp_path / "model.json").write_bytes(b"\x80\x04\x95\xff")
    with pytest.raises(DpfairError, match="must be a dpfair model"):
        model_files.load(tmp_path / "model.json")
    with pytest.raises((DpfairError, FileNotFoundError), match=r"gone\.json"):
        model_files.load(tmp_path / "gone.json")


@pytest.mark.parametrize("given", GROUPED, ids=lambda given: given["method"])
def test_a_rule_that_decides_by_the_group_needs_it_to_predict(people, given):
    X, y, protected = people
    words = np.where(protected == 1, "male", "female")
    model = DpfairClassifier(**given, low=0, high=10, seed=0).fit(X, y, words)
    with pytest.raises(DpfairError, match="needs the protected attribute to predict: call predict"):
        model.predict(X)
    with pytest.warns(DataWarning, match="200 of 200 .*'nobody': they count as "):
        others = model.predict(X, sensitive_features=["nobody"] * 200)
    last = model.predict(X, sensitive_features=["male"] * 200)
    np.testing.assert_array_equal(others, last)
    proba = model.predict_proba(X, sensitive_features=words)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(
        model.predict(X, sensitive_features=words) == "rich", proba[:, 1] > 0.5
    )
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "decision_function")


SPELLINGS = {
    "floats": lambda group: group.astype(float),
    "truths": lambda group: group.astype(bool),
    "text": lambda group: group.astype(float).astype(str),
    "nullable": lambda group: pd.Series(group, dtype="Int64"),
}


@pytest.mark.parametrize("spelt", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("given", GROUPED, ids=lambda given: given["method"])
def test_groups_and_labels_are_compared_as_numbers(people, given, spelt):
    X, y, protected = people
    options = {"low": 0, "high": 10, "classes": [0, 1], "groups": [0, 1], "seed": 0}
    labels = (y == "rich").astype(int)
    plain = DpfairClassifier(**given, **options).fit(X, labels, protected)
    other = DpfairClassifier(**given, **options).fit(X, labels.astype(float), spelt(protected))
    expected = plain.predict_proba(X, sensitive_features=protected)
    found = other.predict_proba(X, sensitive_features=spelt(protected))
    np.testing.assert_array_equal(found, expected)
    assert 0 < expected[:, 1].mean() < 1


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=str)
def test_a_missing_group_is_refused_in_fit_and_predict(people, missing):
    X, y, protected = people
    holed = pd.Series(protected, dtype=object)
    holed[3] = missing
    model = DpfairClassifier("dp_postprocessing", low=0, high=10, seed=0)
    with pytest.raises(ValueError, match="lacks the group of 1 of 200 records, such as record 3"):
        model.fit(X, y, holed)
    model.fit(X, y, protected)
    with pytest.raises(ValueError, match="lacks the group of 1 of 200"):
        model.predict(X, sensitive_features=holed)


def test_a_value_that_is_not_listed_is_counted_in_a_warning(people):
    X, y, protected = people
    groups = np.where(protected == 1, "m", "f").tolist()
    options = {"low": 0, "high": 10, "classes": ["poor", "rich"], "groups": ["f", "m"], "seed": 0}
    model = DpfairClassifier("dp_postprocessing", **options)
    with pytest.warns(DataWarning, match="1 of 200 values of sensitive_features .*'x': they count"):
        model.fit(X, y, ["x", *groups[1:]])
    with pytest.warns(DataWarning, match="1 of 200 values of the labels .*'RICH': they count as p"):
        model.fit(X, ["RICH", *y[1:]], groups)


def test_epsilon_is_an_argument_and_a_key_of_a_grid(people):
    X, y, _ = people
    options = {"low": 0, "high": 10, "classes": ["poor", "rich"]}
    named = DpfairClassifier("functional_mechanism", {"epsilon": 7.0}, epsilon=2.0, **options)
    assert clone(named).get_params()["epsilon"] == 2.0
    assert clone(named).fit(X, y).origin_.params["epsilon"] == 2.0
    assert named.set_params(epsilon=3.0).fit(X, y).origin_.params["epsilon"] == 3.0
    search = GridSearchCV(named, {"epsilon": [1e-9, np.inf]}, cv=3, error_score="raise")
    assert search.fit(X, y).best_params_ == {"epsilon": np.inf}


def test_random_state_is_the_seed(people):
    X, y, _ = people
    options = {"method": "output_perturbation", "classes": ["poor", "rich"]}
    options |= {"low": 0, "high": 10}
    seeded = DpfairClassifier(seed=5, **options).fit(X, y)
    for given in (5, np.int64(5)):
        other = DpfairClassifier(random_state=given, **options).fit(X, y)
        np.testing.assert_array_equal(other.coef_, seeded.coef_)
        assert other.origin_.guarantee.status == "void: known seed 5"
    one, two = (
        DpfairClassifier(random_state=np.random.RandomState(1), **options).fit(X, y).coef_
        for _ in range(2)
    )
    np.testing.assert_array_equal(one, two)
    drawn = DpfairClassifier(random_state=np.random.RandomState(1), **options).fit(X, y)
    assert drawn.origin_.guarantee.status.startswith("void: known seed ")
    both = DpfairClassifier(seed=1, random_state=5, **options).fit(X, y)  # as in an ensemble
    np.testing.assert_array_equal(both.coef_, seeded.coef_)


def test_a_rule_that_uses_groups_is_scored_and_cross_validated(people):
    X, y, protected = people
    model = DpfairClassifier("dp_postprocessing", epsilon=1e6, low=0, high=10, seed=0)
    model.set_params(classes=["poor", "rich"], groups=[0, 1])
    fitted = clone(model).fit(X, y, protected)
    accuracy = np.mean(fitted.predict(X, sensitive_features=protected) == y)
    assert fitted.score(X, y, sensitive_features=protected) == pytest.approx(accuracy)
    weights = np.zeros(200)
    weights[7] = 2.0
    right = fitted.predict(X, sensitive_features=protected)[7] == y[7]
    assert fitted.score(X, y, weights, sensitive_features=protected) == float(right)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(sensitive_features=True).set_score_request(sensitive_features=True)
        given = {"sensitive_features": protected}
        scores = cross_val_score(model, X, y, params=given, cv=3, error_score="raise")
    assert scores.shape == (3,)
    assert scores.mean() > 0.5
