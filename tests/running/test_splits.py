"""What a fit is given: the split of a seed, never a held-out record, and what is computed once a
split.
"""

import math
from dataclasses import replace
from functools import wraps

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.kinds.records import Records
from dpfair_cli.running import runner
from tests.running.own_sweeps import METHODS, run, sweep


@pytest.fixture
def seen(monkeypatch):
    """(seed of the split, training records, first number of its generator) of each fit."""
    given = []
    for name in METHODS:
        module = catalog.algorithms.module(name)

        @wraps(module.fit)
        def spy(records, *, fit=module.fit, rng, **params):
            given.append((records, rng.bit_generator.state["state"]["state"]))
            return fit(records, **params, rng=rng)

        monkeypatch.setattr(module, "ALGORITHM", replace(module.ALGORITHM, fit=spy))
    return given


def test_every_method_and_epsilon_gets_the_same_split_at_a_seed(folder, tmp_path, seen):
    run(sweep(folder, seeds=3), tmp_path)
    splits = {
        (records.X.tobytes(), records.y.tobytes(), records.protected.tobytes())
        for records, _ in seen
    }
    assert len(seen) == 3 * 7
    assert len(splits) == 3
    assert len({generator for _, generator in seen}) == 3


def test_the_split_of_a_seed_does_not_depend_on_what_else_is_run(folder, tmp_path, seen):
    run(sweep(folder, seeds=3), tmp_path / "together")
    together = {records.X.tobytes() for records, _ in seen}
    seen.clear()
    for name in METHODS:
        run(sweep(folder, methods=(name,), epsilons=(2.0,), seeds=3), tmp_path / name)
    assert {records.X.tobytes() for records, _ in seen} == together


def test_what_a_fit_sees_is_four_fifths_and_never_a_held_out_record(folder, tmp_path):
    X = np.arange(60.0)[:, None] / 60
    data = Records(X, np.arange(60) % 2, np.arange(60) // 30, two_groups(1))
    run = next(sweep(folder).runs())
    case = runner.split(data, run.dataset, run.task, run.seed)
    assert (len(case.train), len(case.test)) == (48, 12)
    assert not set(case.train.X.ravel()) & set(case.test.X.ravel())


def two_groups(d):
    from dpfair_cli.kinds.records import Domain

    return Domain(tuple(f"x{j}" for j in range(d)), {f"x{j}": (j,) for j in range(d)}, ("a", "b"))


class Counting(np.ndarray):
    """An array that counts the products X'X of which it is a part."""

    count = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        plain = [np.asarray(value) if isinstance(value, Counting) else value for value in inputs]
        options = {
            key: tuple(np.asarray(v) for v in value) if key == "out" else value
            for key, value in options.items()
        }
        if ufunc is np.matmul and [np.ndim(value) for value in plain] == [2, 2]:
            Counting.count += plain[0].shape == plain[1].shape[::-1]
        result = getattr(ufunc, method)(*plain, **options)
        return (
            result.view(Counting) if isinstance(result, np.ndarray) and result.ndim == 2 else result
        )


def test_the_product_of_the_features_is_computed_once_a_split(folder, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.random((60, 5)).view(Counting)
    data = Records(X, rng.integers(0, 2, 60), rng.integers(0, 2, 60), two_groups(5))
    monkeypatch.setattr(runner, "_load_data", lambda located: data)
    monkeypatch.setattr(Counting, "count", 0)
    spec = sweep(
        folder,
        methods=("functional_mechanism", "relaxed_functional_mechanism", "pflr", "pflr_star"),
        epsilons=(0.01, 0.1, 1.0, 10.0, math.inf),
        seeds=3,
    )
    content, failures = run(spec, tmp_path)
    assert failures == []
    assert len(content.splitlines()) == 4 * 5 * 3
    assert Counting.count == 3


def test_an_algorithm_leaves_the_global_generator_alone(folder, tmp_path):
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    run(sweep(folder, seeds=1), tmp_path)
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002
