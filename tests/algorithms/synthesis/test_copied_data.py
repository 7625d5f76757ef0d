"""Copied data: what each way of shuffling keeps exactly, and what it breaks."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_cli.algorithms.synthesis import copied_data
from tests.algorithms.synthesis.made_tables import (
    deviation_of_risk_difference,
    people,
    risk_difference,
    rows,
)

WAYS = ("nothing", "protected", "label within groups", "label within cells")
every = pytest.mark.parametrize("shuffled", WAYS)
N = 2000


def fitted(data, seed=0, **options):
    return copied_data.fit(data, **options, rng=np.random.default_rng(seed))


def sample(data, n=N, seed=0, **options):
    return fitted(data, seed, **options).sample(n, rng=np.random.default_rng(seed + 100))


def mutual(codes, others):
    """Total variation between a joint table of two columns and the product of its marginals."""
    joint = np.histogram2d(codes, others, bins=(int(codes.max()) + 1, int(others.max()) + 1))[
        0
    ] / len(codes)
    return float(np.abs(joint - np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum() / 2)


def proxies(found):
    return found.X[:, :3].argmax(axis=1)


def test_with_nothing_shuffled_a_whole_sample_holds_every_record_once():
    data = people(N)
    assert rows(sample(data)) == rows(data)
    assert rows(sample(data, shuffled="nothing")) == rows(data)


@every
def test_a_sample_is_of_the_same_domain_and_holds_as_many_as_asked_for(shuffled):
    data = people(200)
    for n in (1, 50, 200):
        drawn = sample(data, n, shuffled=shuffled)
        assert len(drawn) == n
        assert drawn.domain == data.domain
        assert set(rows(drawn, y=False, protected=False)) <= set(
            rows(data, y=False, protected=False)
        )


@every
def test_a_whole_sample_has_the_same_columns(shuffled):
    data = people(N)
    drawn = sample(data, shuffled=shuffled)
    assert rows(drawn, y=False, protected=False) == rows(data, y=False, protected=False)
    assert drawn.y.sum() == data.y.sum()
    assert drawn.protected.sum() == data.protected.sum()


def test_shuffled_groups_are_independent_of_features_and_labels():
    data = people(N)
    drawn = sample(data, shuffled="protected")
    assert rows(drawn, protected=False) == rows(data, protected=False)
    assert abs(risk_difference(data.y, data.protected)) > 0.25
    assert abs(risk_difference(drawn.y, drawn.protected)) < 4 * deviation_of_risk_difference(drawn)
    assert mutual(proxies(data), data.protected) > 0.25
    assert mutual(proxies(drawn), drawn.protected) < 0.06


def test_labels_shuffled_within_groups_keep_the_risk_difference():
    data = people(N)
    drawn = sample(data, shuffled="label within groups")
    assert rows(drawn, y=False) == rows(data, y=False)
    before, after = (risk_difference(each.y, each.protected) for each in (data, drawn))
    assert after == pytest.approx(before, abs=1e-12)
    for group in (0, 1):
        before, after = (
            each.take(np.flatnonzero(each.protected == group)) for each in (data, drawn)
        )
        assert mutual(before.X[:, 3:6].argmax(axis=1), before.y) > 0.1
        assert mutual(after.X[:, 3:6].argmax(axis=1), after.y) < 0.06


def test_labels_shuffled_within_cells_forget_the_group():
    """Given the features, label and group are independent."""
    data = people(N)
    drawn = sample(data, shuffled="label within cells")
    assert rows(drawn, protected=False) == rows(data, protected=False)
    assert rows(drawn, y=False) == rows(data, y=False)
    assert rows(drawn) != rows(data)
    cells, places = np.unique(data.X, axis=0, return_inverse=True)
    rates = np.bincount(places.ravel(), weights=data.y) / np.bincount(
        places.ravel(), minlength=len(cells)
    )
    expected = risk_difference(rates[places.ravel()], data.protected)
    assert risk_difference(data.y, data.protected) - expected > 0.1
    found = risk_difference(drawn.y, drawn.protected)
    assert found == pytest.approx(expected, abs=4 * deviation_of_risk_difference(drawn))


@pytest.mark.parametrize("shuffled", ["nothing", "protected", "label within cells"])
def test_predictions_are_those_of_logistic_regression_on_the_copy(
    shuffled,
):
    """All three keep features with labels, so the classifier of the copy is that of the data."""
    data = people(N)
    rule = LogisticRegression(tol=1e-8, max_iter=1000).fit(data.X, data.y)
    clear = np.abs(rule.predict_proba(data.X)[:, 1] - 0.5) > 0.01
    output = fitted(data, shuffled=shuffled).predict(data)
    assert output.shape == (N,)
    assert set(output) == {0.0, 1.0}
    np.testing.assert_array_equal(output[clear], rule.predict(data.X)[clear])
    assert clear.mean() > 0.8


def test_predictions_of_a_shuffled_copy_are_fitted_to_the_shuffled_labels():
    """Within groups labels are independent of skill, so decisions follow the proxy of the group."""
    data = people(N)
    output = fitted(data, shuffled="label within groups").predict(data)
    assert mutual(data.X[:, 3:6].argmax(axis=1), output) < 0.05
    assert risk_difference(output, data.protected) > 0.2


def test_predictions_do_not_look_at_the_group_or_the_label():
    data = people(300)
    model = fitted(data)
    flipped = type(data)(data.X, 1 - data.y, 1 - data.protected, data.domain)
    np.testing.assert_array_equal(model.predict(flipped), model.predict(data))


@pytest.mark.parametrize("shuffled", WAYS[1:])
def test_a_seed_gives_the_same_copy_and_another_seed_another_one(shuffled):
    data = people(N)
    one, again, other = (sample(data, seed=seed, shuffled=shuffled) for seed in (0, 0, 1))
    for name in ("X", "y", "protected"):
        assert getattr(one, name).tobytes() == getattr(again, name).tobytes()
    assert rows(one) != rows(other)


def test_the_records_are_not_changed():
    data = people(200)
    before = data.fingerprint()
    for shuffled in WAYS:
        sample(data, 200, shuffled=shuffled)
    assert data.fingerprint() == before


def test_another_way_to_shuffle_is_refused_with_the_nearest_word():
    with pytest.raises(ValueError, match="did you mean 'protected'"):
        fitted(people(50), shuffled="protectd")


def test_it_does_without_torch():
    code = (
        "import sys; from dpfair_cli.algorithms.synthesis import copied_data; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
