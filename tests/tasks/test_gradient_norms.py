"""Norms of gradients before and after clipping: by hand, and against private_training."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import majority_class
from dpfair_cli.algorithms.training import dpsgd, dpsgd_f, dpsgd_global_adapt, naive_dpsgd, sgd
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.contracts.training_context import NO_CONTEXT
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.training.descent import LogisticDescent
from dpfair_cli.running.checkpoints import Checkpoints
from dpfair_cli.tasks import gradient_norms, private_training

OPTIONS = {"epochs": 3, "batch_size": 40, "clip_norm": 0.2}


def records_of(X, y, protected):
    names = tuple("abc"[: X.shape[1]])
    domain = Domain(names, {name: (k,) for k, name in enumerate(names)}, ("g0", "g1"))
    return Records(np.array(X, dtype=float), np.array(y), np.array(protected), domain)


def crowd(n=300):
    rng = np.random.default_rng(0)
    X, protected = rng.random((n, 3)), (rng.random(n) < 0.2).astype(np.int64)
    return records_of(X, (X[:, 0] > 0.4 + 0.2 * protected).astype(np.int64), protected)


def study(task, module, case, context=NO_CONTEXT, **given):
    name = module.__name__.split(".")[-1]
    fit = BoundFit(name, module.ALGORITHM, OPTIONS | given, context)
    return task.study(fit, case, rng=np.random.default_rng(7)).curves


@pytest.fixture
def case():
    return private_training.split(crowd(), rng=np.random.default_rng(0))


def at_the_start(records, bounds):
    """The scores of logistic regression at w = 0, where a record's gradient is (1/2 - y) x."""
    model = LogisticDescent(records, intercept="without")
    descent = SimpleNamespace(model=model, parameters=np.zeros(records.X.shape[1]))
    return gradient_norms.norms_by_group(descent, np.array(bounds))


def test_norms_of_six_records_by_hand():
    """Gradients (4, 0), (0, 3), (-1, 0), (0, 0.5) of g0, clipped to 2, and (6, 8), (0, 1) of g1.

    Those of g1 are clipped to 5.
    """
    X = np.array([[8, 0], [0, 6], [2, 0], [0, 1], [12, 16], [0, 2]])
    found = at_the_start(records_of(X, [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1]), [2.0, 5.0])
    assert found["record_gradient_norm"] == pytest.approx([19.5 / 6, 8.5 / 4, 5.5])
    assert found["clipped_record_gradient_norm"] == pytest.approx([11.5 / 6, 5.5 / 4, 3])
    assert found["average_gradient_norm"] == pytest.approx(
        [np.hypot(9, 12.5) / 6, np.hypot(3, 3.5) / 4, np.hypot(3, 4.5)]
    )
    clipped = [np.hypot(1, 2.5) / 4, np.hypot(1.5, 2.5)]  # (2 - 1, 2 + 0.5) / 4 and (3, 4 + 1) / 2
    assert found["clipped_average_gradient_norm"] == pytest.approx([np.hypot(4, 7.5) / 6, *clipped])
    whole = np.hypot(0.25 + 1.5, 0.625 + 2.5) / 2  # both groups alike
    assert found["weighted_average_gradient_norm"] == pytest.approx(
        [whole, 0.75 * clipped[0], 1.5 * clipped[1]]
    )
    assert found["clipping_bound"].tolist() == [5, 2, 5]


def test_without_bounds_clipping_changes_nothing_and_zero_stays_zero():
    found = at_the_start(
        records_of(np.array([[0, 0], [2, 0], [0, 4]]), [0, 0, 1], [0, 0, 1]), [np.inf, np.inf]
    )
    assert found["clipped_record_gradient_norm"].tolist() == found["record_gradient_norm"].tolist()
    assert found["clipped_average_gradient_norm"] == pytest.approx(found["average_gradient_norm"])
    assert np.isnan(found["clipping_bound"]).all()


@pytest.mark.parametrize("module", [dpsgd, naive_dpsgd, dpsgd_f])
def test_the_norms_before_clipping_are_those_of_private_training(module, case):
    ours, theirs = (study(task, module, case) for task in (gradient_norms, private_training))
    for name in ("record_gradient_norm", "average_gradient_norm"):
        assert ours[name] == pytest.approx(theirs[name])
    assert set(ours) == set(gradient_norms.SCORES)
    assert ours["group"] == ["total", "g0", "g1"]


def test_a_method_clips_to_its_own_bounds(case):
    for module in (dpsgd, naive_dpsgd):  # what Naive clips is weighted afterwards
        assert study(gradient_norms, module, case)["clipping_bound"] == pytest.approx(
            [0.2, 0.2, 0.2]
        )
    adaptive = study(gradient_norms, dpsgd_f, case)
    assert adaptive["clipping_bound"] == study(private_training, dpsgd_f, case)["clipping_bound"]
    for name in ("clipped_record_gradient_norm", "clipped_average_gradient_norm"):
        assert (np.array(adaptive[name]) <= np.array(adaptive["clipping_bound"]) + 1e-12).all()
    free = BoundFit("sgd", sgd.ALGORITHM, {"epochs": 3, "batch_size": 40})
    unbounded = gradient_norms.study(free, case, rng=np.random.default_rng(7)).curves
    assert np.isnan(unbounded["clipping_bound"]).all()


@pytest.mark.parametrize("weights", ["exact", "noisy"])
def test_weighted_records_are_clipped_to_the_bounds_of_exact_counts(case, weights):
    found = study(gradient_norms, dpsgd_f, case, weights=weights, clip_norm=0.6)
    name, options = "dpsgd_f", {"epochs": 3, "batch_size": 40, "clip_norm": 0.6, "weights": weights}
    fit = BoundFit(name, dpsgd_f.ALGORITHM, options, NO_CONTEXT)
    _, finished = private_training.fit_and_measure(fit, case, np.random.default_rng(7))
    long = gradient_norms.record_norms(finished[-1].last) > 0.6
    share = np.array([long[case.train.protected == k].mean() for k in (0, 1)])
    assert 0 < long.mean() < 1
    assert np.ptp(share) > 0
    expected = 0.6 * (1 + share / long.mean())
    assert found["clipping_bound"] == pytest.approx([expected.max(), *expected])
    assert (
        found["average_gradient_norm"]
        == study(private_training, dpsgd_f, case, **options)["average_gradient_norm"]
    )


def test_a_run_that_private_training_has_kept_is_not_trained_again(case, tmp_path, monkeypatch):
    monkeypatch.setattr("dpfair_cli.running.checkpoints.LONG_SECONDS", 0.0)
    context = replace(NO_CONTEXT, checkpoints=Checkpoints(tmp_path, "source", case.train))
    study(private_training, dpsgd, case, context)
    kept = sorted(tmp_path.iterdir())
    found = study(gradient_norms, dpsgd, case, context)
    assert sorted(tmp_path.iterdir()) == kept
    assert found == study(gradient_norms, dpsgd, case)


def test_what_does_not_clip_to_a_bound_of_each_group_is_refused(case):
    for module in (majority_class, dpsgd_global_adapt):
        with pytest.raises(ValueError, match="cannot compute clipping bounds for"):
            study(gradient_norms, module, case)
