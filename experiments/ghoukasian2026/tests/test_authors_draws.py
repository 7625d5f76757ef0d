"""The splits and reports of the authors' script, against a plain reading of the script."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.papers.ghoukasian2026.methods import authors_script
from dpfair_cli.papers.ghoukasian2026.models import authors_draws
from dpfair_cli.papers.ghoukasian2026.tasks import script_scores


@pytest.fixture(scope="module")
def pupils(tmp_path_factory):
    located = data_access.locate(
        catalog.data_set("student_mathematics"),
        data_dir=tmp_path_factory.mktemp("none"),
        replica_ok=True,
    )
    return data_access.load(located)


def plain_splits(records, count):
    """What the script does with a data frame, with the global generator of NumPy."""
    groups = {}
    for row in range(len(records)):
        groups.setdefault((records.protected[row], records.y[row]), []).append(row)
    np.random.seed(1)  # noqa: NPY002
    for _ in range(count):
        test, train = [], []
        for rows in groups.values():
            held = list(np.random.choice(rows, int(len(rows) * 0.3), replace=False))  # noqa: NPY002
            test.extend(held)
            train.extend(set(rows) - set(held))
        yield train, test


def test_each_treatment_goes_on_where_the_one_before_it_ended(pupils):
    wanted = [test for _, test in plain_splits(pupils, 90)]
    for number, treatment in enumerate(authors_draws.TREATMENTS):
        found = list(authors_draws.splits(pupils, treatment))
        assert len(found) == 30
        for (train, test), rows in zip(found, wanted[30 * number :], strict=False):
            np.testing.assert_array_equal(test.X, pupils.X[rows])
            assert len(train) + len(test) == len(pupils)


def test_training_rows_have_the_order_of_the_script(pupils):
    (train, _), *_ = authors_draws.splits(pupils, "None")
    rows, _ = next(plain_splits(pupils, 1))
    np.testing.assert_array_equal(train.y, pupils.y[rows])
    np.testing.assert_array_equal(train.X, pupils.X[rows])


def test_reports_of_the_script(pupils):
    """The rarer level is kept with probability 1 - exp(-1) / 2, the other with 1/2."""
    columns = list(pupils.domain.attributes["sex"])
    level = pupils.X[:, columns].argmax(axis=1)
    rarer = 0 if (level == 0).sum() < (level == 1).sum() else 1
    drawn = np.random.RandomState(4).rand(len(level))
    limit = [1 - np.exp(-1) / 2 if value == rarer else 0.5 for value in level]
    wanted = [
        value if u <= most else 1 - value
        for value, u, most in zip(level, drawn, limit, strict=True)
    ]
    reported = authors_draws.with_reports(pupils, repeat=4)
    np.testing.assert_array_equal(reported.X[:, columns].argmax(axis=1), wanted)
    others = np.setdiff1d(np.arange(pupils.X.shape[1]), columns)
    np.testing.assert_array_equal(reported.X[:, others], pupils.X[:, others])


def test_half_widths_are_those_of_a_t_interval(pupils, monkeypatch):
    repeats = authors_script.fit(pupils, treatment="FairBalance", rng=np.random.default_rng(0))
    values = iter(np.linspace(0, 1, 30))
    monkeypatch.setattr(
        script_scores,
        "rates",
        lambda rule, test: dict.fromkeys(script_scores.PRINTED, next(values)),
    )
    found = script_scores.score(repeats, None)
    assert found["auc"] == 0.5
    # standard deviation of 0, 1/29, ..., 1 is 0.3036; t with 29 degrees of freedom is 2.0452
    assert found["auc_halfwidth"] == pytest.approx(2.0452 * 0.3036 / 30**0.5, abs=5e-4)
