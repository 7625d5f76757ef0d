"""Settings at the ends of what private methods take: a fit is refused for all records, or for none.

Below and above, computations overflow or vanish for some records, and a refusal would say which.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import islice

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing import survey
from dpfair_cli.auditing.audit import with_small_batches
from dpfair_cli.auditing.extremes import extreme_pairs
from dpfair_cli.auditing.replaying import replay_on_neighbour
from dpfair_cli.contracts.declarations import SIZES
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours, Status
from dpfair_cli.kinds.records import Domain, Records

SHORT = {"epochs": 1, "steps": 3, "rounds": 3, "dimension": 2, "trees": 2, "bins_per_decision": 4}
NAMES = [
    name
    for name in catalog.algorithms.names
    if catalog.algorithm(name).guarantee.is_private
    and catalog.algorithm(name).guarantee.status is not Status.REFUTED
]


def settings(algorithm):
    """The settings with one number at an end of SIZES, as far as they are allowed."""
    short = {name: value for name, value in SHORT.items() if name in algorithm.parameters}
    for name, parameter in algorithm.parameters.items():
        for size in SIZES if isinstance(parameter.default, float) else ():
            try:
                yield algorithm.complete(short | {name: size})
            except DpfairError:  # a share is below 1, for example
                continue


def neighbours(method):
    """Three pairs of neighbouring data sets to which the method can be fitted."""
    plan = next(survey._plans(method))
    known = catalog.data_source(plan.datasets[0]).parameters
    wanted = {**catalog.algorithm(method).data_options, **survey.SMALL}
    options = {name: value for name, value in wanted.items() if name in known}
    data, rng = (
        survey._loaded(catalog.data_set(plan.datasets[0], options), 0),
        np.random.default_rng(0),
    )
    relation = catalog.algorithm(method).guarantee.neighbours
    if isinstance(data, Records):
        data = data.take(rng.choice(len(data), min(len(data), 100), replace=False))
    constructed = islice(extreme_pairs(data, relation, rng=rng), 2)
    return [*constructed, next(data.neighbours(relation, count=1, rng=rng))]


@pytest.mark.parametrize("method", NAMES)
def test_neighbours_are_both_refused_or_both_fitted_at_extreme_settings(method):
    algorithm = catalog.algorithm(method)
    is_removed = algorithm.guarantee.neighbours is Neighbours.ADD_OR_REMOVE_ONE
    pairs = neighbours(method)
    for params in settings(algorithm):
        for left, right in pairs:
            fit = partial(algorithm.fit, **with_small_batches(params, len(left)))
            rows = left.differing_rows(right).tolist() if is_removed else []
            found = replay_on_neighbour(fit, left, right, absentees=rows, seed=0)
            assert not [leak for leak in found.leaks if leak.startswith("whether")], params


@pytest.mark.parametrize("size", [5e-324, 0.9 * SIZES[0], 1.1 * SIZES[1], 1e308])
def test_a_private_method_refuses_numbers_beyond_the_sizes_for_all_records(size):
    for method, name in (
        ("pflr", "epsilon"),
        ("dpsgd", "clip_norm"),
        ("dpsgd_adam", "learning_rate"),
    ):
        with pytest.raises(DpfairError, match=f"{method}: {name} must be from 1e-15 to 1e\\+15"):
            catalog.algorithm(method).complete({name: size})
    assert catalog.algorithm("sgd").complete({"learning_rate": size})["learning_rate"] == size
    zero = {"epsilon": math.inf, "regularisation": 0.0}
    assert catalog.algorithm("pflr").complete(zero).items() >= zero.items()


def test_weight_decay_that_makes_weights_larger_is_refused():
    dpsgd = catalog.algorithm("dpsgd")
    assert dpsgd.complete({"learning_rate": 1e3, "regularisation": 1e-3})
    with pytest.raises(DpfairError, match="learning_rate times regularisation must be at most 1"):
        dpsgd.complete({"learning_rate": 1e3, "regularisation": 1.1e-3})


@pytest.mark.parametrize("clip_norm", [1e-3, 3.0, 1e3])
def test_the_least_penalty_is_enough_for_any_records(clip_norm):
    """Few records, or equal ones, whose Hessian without the penalty has the rank 1."""
    algorithm, rng = catalog.algorithm("output_perturbation"), np.random.default_rng(0)
    least = (clip_norm / 3e4) ** 2
    for n in (1, 2, 5) * 20:
        names = tuple("abcdefg"[: rng.integers(1, 8)])
        standard = tuple((float(mean), 1e-4) for mean in rng.random(len(names)))
        places = {name: (k,) for k, name in enumerate(names)}
        X = np.tile(rng.random(len(names)), (n, 1))
        domain = Domain(names, places, ("f", "m"), standard=standard)
        people = Records(X, rng.integers(0, 2, n), np.zeros(n, dtype=int), domain)
        params = {"mu": 1.001 * least, "clip_norm": clip_norm}
        algorithm.fit(people, **params, rng=np.random.default_rng(0))
        with pytest.raises(ValueError, match="clip_norm must be at most"):
            algorithm.fit(people, **params | {"mu": 0.99 * least}, rng=np.random.default_rng(0))
