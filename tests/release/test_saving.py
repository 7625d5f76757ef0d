"""The door: a model file is a function of what was released and of public facts, and no two fits
share noise.
"""

import json
from dataclasses import replace
from functools import cache, wraps
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.errors import DpfairError, how_to_install
from dpfair_cli.contracts.guarantees import Neighbours, Status
from dpfair_cli.contracts.parameters import REQUIRED
from dpfair_cli.contracts.results import fitted_once
from dpfair_cli.data_access import Located
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import Usage, record, replay
from dpfair_cli.mechanisms.noise import Grid
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.release import guarantee, model_files, training
from tests.example_data import data_for

UNREFUTED = [
    name for name in catalog.algorithms.names
    if catalog.algorithm(name).guarantee.status not in (Status.REFUTED, Status.NOT_PRIVATE)
]  # fmt: skip
UNTRAINED = "tree_augmented_network"  # makes the replicas, and no study scores it
TRAINED = [name for name in UNREFUTED if name != UNTRAINED]
PROVED = {"dpm": {"sensitivity": "proved"}}
MODEL = LinearClassifier(np.array([0.1, -2.0, 1e-300, 1 / 3]), 0.7)
STATED = guarantee.of_fit(
    catalog.method("pflr"), bounds="nowhere", used=Usage(), seed=None, records=10
)
ORIGIN = model_files.Origin(
    "toy", {"rows": 4}, "pflr", {"epsilon": np.inf}, {"algorithm": 1}, ("a", "b"), STATED
)


@cache
def sources():
    """The first data source that each method can be fitted to, by the name of the method."""
    found = {}
    for source in map(catalog.data_source, catalog.data_sources.names):
        for algorithm in matching.algorithms_for(source):
            found.setdefault(algorithm.name, source)
    return found


# --- the noise


def test_no_two_fits_share_the_noise_of_the_operating_system():
    names = {"algorithm": "pflr", "params": {"epsilon": 1.0}}
    drawn = [model_files.release_generator(None, names).normal() for _ in range(20)]
    assert len(set(drawn)) == 20


def test_noise_without_a_seed_is_exact():
    """Whole numbers of steps of the grid: what the arithmetic of its claim says."""
    rng = model_files.release_generator(None, {})
    noisy = laplace(np.linspace(-3, 3, 1000), l1_sensitivity=0.4, epsilon=1.0, rng=rng)
    steps = noisy / Grid.for_scale(0.4).step
    np.testing.assert_array_equal(steps, np.rint(steps))


def test_a_known_seed_repeats_the_noise_of_a_fit_and_of_no_other_fit():
    names = {"algorithm": "pflr", "params": {"epsilon": 1.0}, "options": {}, "data": "ab"}
    others = [
        (3, names | {"params": {"epsilon": 2.0}}),
        (3, names | {"algorithm": "pflr_star"}),
        (3, names | {"data": "cd"}),
        (3, names | {"options": {"label": "rich"}}),
        (4, names),
    ]
    first = model_files.release_generator(3, names).normal(size=4)
    np.testing.assert_array_equal(
        first, model_files.release_generator(3, dict(reversed(names.items()))).normal(size=4)
    )
    for seed, other in others:
        assert not set(first) & set(model_files.release_generator(seed, other).normal(size=4))


# --- the file


def neighbours(method):
    """Two neighbouring data sets for a method, and the records of the second that no batch may
    hold.
    """
    data = data_for(method)
    n = len(data)
    if catalog.algorithm(method).guarantee.neighbours == "one edge":
        return data, data.take(np.arange(1, n)), ()
    relation = Neighbours.RANDOMISED_ATTRIBUTES
    if catalog.algorithm(method).guarantee.neighbours is relation:
        return *next(data.neighbours(relation, count=1, rng=np.random.default_rng(0))), ()
    one, other = (
        data.take(np.arange(n - 1)),
        data.take(np.r_[n - 1, 1 : n - 1]),
    )  # the first record is another one
    if catalog.algorithm(method).guarantee.neighbours == "one protected attribute":
        groups = np.r_[1 - one.protected[0], one.protected[1:]]
        return one, Records(one.X, one.y, groups, one.domain), ()
    return (
        one,
        other,
        (0,) if catalog.algorithm(method).guarantee.neighbours == "add-or-remove-one" else (),
    )


@pytest.fixture
def train(monkeypatch):
    """`dpfair train` with given data in the place of those it loads, all of them to fit, a score
    that tells them.
    """
    study_named = matching.study_named

    def whole(name, source, algorithms):
        """The study without a split, so that a neighbour's record is fitted, and with the most
        telling score.
        """
        known = study_named(name, source, algorithms)

        @wraps(known.split)
        def split(data, *, rng, **protocol):
            return SimpleNamespace(train=data)

        study = fitted_once(
            lambda model, case: {"telling": float(int(case.train.fingerprint()[:8], 16))}
        )
        return replace(known, split=split, study=study).registered(known.name, "")

    def run(method, data, **params):
        source, algorithm = sources()[method], catalog.algorithm(method)
        required = [key for key, known in source.parameters.items() if known.default is REQUIRED]
        dataset = catalog.data_set(source.name, dict.fromkeys(required, "x"))
        located = Located(dataset, Path(), data.fingerprint(), replica=False)
        monkeypatch.setattr(training, "locate", lambda *args, **kwargs: located)
        monkeypatch.setattr(training, "load", lambda *args: data)
        monkeypatch.setattr(matching, "study_named", whole)
        # what is random beside the noise, such as batches, is the same for two neighbours: so it is
        # here
        monkeypatch.setattr(
            model_files, "release_generator", lambda seed, names: np.random.default_rng(0)
        )
        small = {"batch_size": 20} if "batch_size" in algorithm.parameters else {}
        fitted = catalog.method(method, small | params)
        return training.train(dataset, fitted, seed=None, data_dir=Path())

    return run


def test_every_claimed_method_but_that_of_the_replicas_can_be_trained():
    assert set(UNREFUTED) - set(sources()) == {UNTRAINED}


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(name, marks=pytest.mark.deep) if catalog.algorithm(name).needs else name
        for name in TRAINED
    ],
)
def test_neighbours_that_release_the_same_give_the_same_bytes(method, train, tmp_path):
    if module := catalog.algorithm(method).needs:
        pytest.importorskip(module, reason=f"{module} is not here: {how_to_install([module])}")
    left, right, absentees = neighbours(method)
    with record() as tape:
        one = train(method, left, **PROVED.get(method, {}))
    with replay(tape), absent(*absentees):
        other = train(method, right, **PROVED.get(method, {}))
    assert one.scores != other.scores  # they are of the data, and a file with them would tell
    try:
        for trained, name in ((one, "one"), (other, "other")):
            model_files.write(tmp_path / name, trained.model, trained.origin)
    except DpfairError as refused:
        assert "cannot be saved in a model file" in str(refused)  # noqa: PT017 - there is no file that could tell
        assert method in {
            *("dp_postprocessing", "dp_oracle_learner", "fair_score_moves"),
            *("frequency_oracle", "grr", "aim"),
        }
    else:
        assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_the_replay_sees_what_a_model_reads_beside_its_releases(train):
    """The method that is refuted because it does."""
    left, right, _ = neighbours("dpne")
    with record() as tape:
        one = train("dpne", left)
    with replay(tape):
        other = train("dpne", right)
    assert model_files.content(one.model, one.origin) != model_files.content(
        other.model, other.origin
    )


def test_a_model_file_says_public_facts_and_nothing_else():
    found = json.loads(model_files.content(MODEL, ORIGIN))
    assert list(found) == [
        "format",
        "dataset",
        "options",
        "algorithm",
        "params",
        "versions",
        "columns",
        "guarantee",
        "replica",
        "model",
        "crc32",
    ]
    assert found["format"] == model_files.FORMAT == 4
    assert found["params"] == {"epsilon": "inf"}
    assert found["guarantee"]["status"] == "proved"
