"""The cost of private training for each group: by hand, and equal in tables and along epochs."""

from dataclasses import replace
from functools import wraps

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import majority_class
from dpfair_cli.algorithms.training import dpsgd, dpsgd_f, sgd
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon
from dpfair_cli.metrics.groups import by_group, sizes
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.tasks import private_training, training_curves

OPTIONS = {"epochs": 3, "batch_size": 50}


def crowd(n=400, groups=2, seed=0):
    rng = np.random.default_rng(seed)
    protected = rng.integers(0, groups, n)
    X = rng.random((n, 3))
    names = tuple(f"g{k}" for k in range(groups))
    domain = Domain(("a", "b", "c"), {"a": (0,), "b": (1,), "c": (2,)}, names)
    return Records(X, (X[:, 0] > 0.4 + 0.2 * protected).astype(np.int64), protected, domain)


def case_of(records, **options):
    return private_training.split(records, **options, rng=np.random.default_rng(0))


def study(task, module, case, **given):
    fit = BoundFit(module.__name__.split(".")[-1], module.ALGORITHM, given)
    outcome = task.study(fit, case, rng=np.random.default_rng(7))
    return {**outcome.scores, **outcome.curves}


def test_means_by_group_have_the_total_first_and_nan_for_an_empty_group():
    found = by_group(np.array([1.0, 0.0, 0.5]), np.array([2, 0, 2]), 3)
    np.testing.assert_allclose(found, [0.5, 0.0, np.nan, 0.75])
    assert sizes(np.array([2, 0, 2]), 3).tolist() == [3, 1, 0, 2]


def test_a_run_has_every_score_one_value_a_group():
    scores = study(private_training, dpsgd, case_of(crowd(groups=3)), **OPTIONS)
    assert set(scores) == set(private_training.SCORES)
    assert scores["group"] == ["total", "g0", "g1", "g2"]
    assert all(len(value) == 4 for value in scores.values() if isinstance(value, list))
    assert scores["sample_size"] == [400, *np.bincount(crowd(groups=3).protected)]


def test_accuracy_is_the_share_of_right_decisions_of_each_group():
    case = case_of(crowd())
    rule = LinearClassifier(np.array([1.0, 0.0, 0.0]), -0.5)
    correct = (case.test.X[:, 0] > 0.5) == case.test.y
    first, second = correct[case.test.protected == 0], correct[case.test.protected == 1]
    expected = [correct.mean(), first.mean(), second.mean()]
    assert private_training.accuracies(rule, case).tolist() == pytest.approx(expected)


def test_sgd_has_change_zero_and_the_majority_class_none():
    case = case_of(crowd())
    assert study(private_training, sgd, case, **OPTIONS)["accuracy_change"] == [0, 0, 0]
    majority = study(private_training, majority_class, case)
    assert majority["accuracy"] == majority["majority_accuracy"]
    assert np.isnan(
        [*majority["accuracy_change"], *majority["average_loss"], majority["epsilon_pld"]]
    ).all()


def test_the_change_is_against_sgd_with_the_same_settings_and_batches():
    case = case_of(crowd())
    scores = study(private_training, dpsgd, case, **OPTIONS, learning_rate=3.0)
    alone = sgd.fit(case.train, **OPTIONS, learning_rate=3.0, rng=np.random.default_rng(7))
    change = np.array(scores["accuracy"]) - private_training.accuracies(alone, case)
    assert scores["accuracy_change"] == pytest.approx(change.tolist())
    assert scores["accuracy_change_difference"] == pytest.approx(abs(change[2] - change[1]))
    assert scores["accuracy_change_gap"] == pytest.approx(change[2] - change[1])


def test_sgd_is_computed_once_per_split_and_settings(monkeypatch):
    calls = []
    counted = wraps(sgd.fit)(
        lambda *a, _fit=sgd.fit, **k: calls.append(k["epochs"]) or _fit(*a, **k)
    )
    monkeypatch.setattr(sgd, "ALGORITHM", replace(sgd.ALGORITHM, fit=counted))
    case = case_of(crowd())
    for epochs, module in ((3, dpsgd), (3, dpsgd_f), (4, dpsgd)):
        study(private_training, module, case, **OPTIONS | {"epochs": epochs})
    assert calls == [3, 4]


def test_only_the_groups_that_are_compared_count_for_the_difference():
    records = crowd(n=900, groups=3)
    whole, two = case_of(records), case_of(records, compared=("g2", "g0"))
    first, second = (study(private_training, dpsgd, case, **OPTIONS) for case in (whole, two))
    change = first["accuracy_change"]
    assert first["accuracy_change_difference"] == pytest.approx(max(change[1:]) - min(change[1:]))
    assert second["accuracy_change_gap"] == pytest.approx(change[1] - change[3])
    found = case_of(records, compared=("class8", "g2", "class2"))
    assert found.compared.tolist() == [2]  # the other names are for other data
    with pytest.raises(ValueError, match="unknown group 'g7' in `compared`: did you mean 'g"):
        case_of(records, compared=("g7",))


def test_the_norm_of_the_mean_gradient_is_no_mean_of_norms():
    """After one step on all records, from the definition, on each group's training records."""
    case = case_of(crowd())
    options = {"epochs": 1, "batch_size": len(case.train), "intercept": "without"}
    scores = study(private_training, sgd, case, **options)
    w = sgd.fit(case.train, **options, rng=np.random.default_rng(7)).weights
    for k in (0, 1):
        mine = case.train.take(np.flatnonzero(case.train.protected == k))
        gradients = (1 / (1 + np.exp(-mine.X @ w)) - mine.y)[:, None] * mine.X
        assert scores["average_gradient_norm"][1 + k] == pytest.approx(
            np.linalg.norm(gradients.mean(axis=0))
        )
        assert scores["record_gradient_norm"][1 + k] == pytest.approx(
            np.linalg.norm(gradients, axis=1).mean()
        )


def test_norms_over_batches_are_means_of_norms_of_batch_means():
    """If each batch holds all records, both norms are equal; smaller batches have larger norms."""
    case = case_of(crowd(), norms_over="batches")
    whole = {"epochs": 1, "batch_size": len(case.train)}
    over_records = study(private_training, sgd, case_of(crowd()), **whole)
    over_batches = study(private_training, sgd, case, **whole)
    for name in ("average_loss", "record_gradient_norm", "accuracy"):
        assert over_batches[name] == over_records[name]
    assert over_batches["average_gradient_norm"] == pytest.approx(
        over_records["average_gradient_norm"]
    )


def test_norms_over_small_batches_are_those_of_the_definition():
    """Mean squared norm of a mean of m of n gradients drawn at random is |g|^2 + (s^2 - |g|^2) / m.

    s^2 is the mean squared norm of a gradient. The mean norm is at most the root of this number.
    """
    records, options = crowd(n=4000), {"epochs": 1, "batch_size": 40}
    case = case_of(records, norms_over="batches")
    scores = study(private_training, sgd, case, **options, intercept="without")
    w = sgd.fit(case.train, **options, intercept="without", rng=np.random.default_rng(7)).weights
    gradients = (1 / (1 + np.exp(-case.train.X @ w)) - case.train.y)[:, None] * case.train.X
    mean, square = np.linalg.norm(gradients.mean(axis=0)), (gradients**2).sum(axis=1).mean()
    largest = np.sqrt(mean**2 + (square - mean**2) / 40)
    assert mean < scores["average_gradient_norm"][0] < 1.05 * largest
    assert scores["average_gradient_norm"][0] == pytest.approx(largest, rel=0.15)


def test_the_accountants_agree_with_the_steps_that_were_taken():
    case = case_of(crowd())
    scores = study(
        private_training, dpsgd, case, **OPTIONS, epsilon=20.0, calibration="given", delta=1e-5
    )
    part = NoisySteps(1.0, 50 / 320, 20)  # ceil(3 * 320 / 50)
    for name, accountant in (("moments", "moments"), ("rdp", "rdp"), ("pld", "pld")):
        assert scores[f"epsilon_{name}"] == pytest.approx(
            spent_epsilon([part], 1e-5, accountant=accountant)
        )
    assert np.isnan(study(private_training, dpsgd, case, **OPTIONS, epsilon=np.inf)["epsilon_pld"])


def test_train_size_limits_what_is_trained_on_and_what_is_tested_on():
    whole, small = case_of(crowd()), case_of(crowd(), train_size=60)
    assert np.array_equal(small.train.X, whole.train.X[:60])
    assert np.array_equal(small.test.X, whole.test.X[:60])
    assert len(case_of(crowd(), train_size=100).test) == len(whole.test) == 80


@pytest.mark.parametrize("size", [0, 1])
def test_a_group_without_training_or_test_records_is_named(size):
    whole = crowd()
    protected = np.zeros(400, dtype=int)
    protected[:size] = 1
    with pytest.raises(ValueError, match=f"group 'g1' has {size}$"):
        case_of(Records(whole.X, whole.y, protected, whole.domain))


def test_the_last_point_of_a_curve_is_the_table():
    case = case_of(crowd())
    table = study(private_training, dpsgd_f, case, **OPTIONS)
    curve = study(training_curves, dpsgd_f, case_of(crowd()), **OPTIONS)
    assert curve["epoch"] == [1.0, 2.0, 3.0]
    assert set(curve) <= set(training_curves.SCORES)
    for measure in training_curves.MEASURES:
        assert [curve[f"{measure}_{k}"][-1] for k in (0, 1)] == pytest.approx(
            table[measure][1:], abs=1e-12
        )
    assert curve["epsilon_moments"][-1] == pytest.approx(table["epsilon_moments"])
    assert curve["epsilon_moments"] == sorted(curve["epsilon_moments"])


def test_a_curves_changes_are_against_sgd_after_as_many_epochs():
    case = case_of(crowd())
    curve = study(training_curves, dpsgd, case, **OPTIONS)
    for epochs in (1, 2, 3):
        alone = private_training.accuracies(
            sgd.fit(case.train, epochs=epochs, batch_size=50, rng=np.random.default_rng(7)), case
        )
        if (
            epochs != 2
        ):  # two passes over 320 records in batches of 50 end within a step that three passes share
            assert curve["accuracy_0"][epochs - 1] - curve["accuracy_change_0"][
                epochs - 1
            ] == pytest.approx(alone[1])
