"""What a fitted classifier keeps and says is the same for neighbours that release the same."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass, replace

import joblib
import numpy as np
import pytest

from dpfair_cli import estimator
from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.estimator import DpfairClassifier
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import record, replay

N = 40
PUBLIC = {"low": 0, "high": 10, "classes": ["poor", "rich"], "groups": ["f", "m"]}
SMALL = {"dpsgd": {"batch_size": 20, "epochs": 2}}  # more than the favourable records


@dataclass(frozen=True)
class People:
    """X (n, 2) in [0, 10], labels and groups."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray

    def with_first(self, *, x=None, label=None, group=None):
        """The same people, where the first record has other values."""
        X, y, groups = self.X.copy(), self.y.copy(), self.groups.copy()
        X[0] = X[0] if x is None else x
        y[0], groups[0] = label or y[0], group or groups[0]
        return People(X, y, groups)


def people():
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 9, (N, 2))
    y = np.where(X[:, 0] > 5, "rich", "poor").astype(object)
    return People(X, y, rng.choice(["f", "m"], N).astype(object))


EVERYBODY = people()
ALL_POOR = replace(EVERYBODY, y=np.full(N, "poor", dtype=object))
ALL_WOMEN = replace(EVERYBODY, groups=np.full(N, "f", dtype=object))
EQUAL = People(np.full((N, 2), 3.0), ALL_POOR.y, ALL_WOMEN.groups)
LISTED = {  # two neighbours, whose values are all listed
    "another record": (EVERYBODY, EVERYBODY.with_first(x=[9.5, 0.5], label="rich")),
    "alone with its label": (ALL_POOR, ALL_POOR.with_first(label="rich")),
    "alone without its label": (
        replace(ALL_POOR, y=np.full(N, "rich", dtype=object)).with_first(label="poor"),
        replace(ALL_POOR, y=np.full(N, "rich", dtype=object)),
    ),
    "alone with its group": (ALL_WOMEN, ALL_WOMEN.with_first(group="m")),
    "alone with its number": (EVERYBODY, EVERYBODY.with_first(x=[10.0, 0.0])),
    "equal rows": (EQUAL, EQUAL.with_first(x=[3.0, 4.0])),
}
UNLISTED = {
    "a missing number": (EVERYBODY, EVERYBODY.with_first(x=[np.nan, 5.0])),
    "a label that is not listed": (EVERYBODY, EVERYBODY.with_first(label="Rich")),
    "equal rows and labels that are not listed": (EQUAL, EQUAL.with_first(label="none")),
    "a group that is not listed": (EVERYBODY, EVERYBODY.with_first(group="x")),
}
REPLACED = ["output_perturbation", "functional_mechanism", "pflr"]


def kept(classifier, folder):
    """Everything that a fitted classifier has, by name, and its model file."""
    facts = {name: joblib.hash(value) for name, value in vars(classifier).items()}
    facts["fields of the model"] = joblib.hash(vars(classifier.model_))
    with suppress(DpfairError):  # a model that cannot be saved
        classifier.save(folder / "model.json")
        facts["file"] = (folder / "model.json").read_text()
        (folder / "model.json").unlink()
    return facts


@pytest.fixture
def fitted(monkeypatch, tmp_path):
    """A function that fits a method to people: what the classifier keeps, and what was warned."""
    monkeypatch.setattr(  # batches and starts do not depend on the data, and are the same here
        estimator, "release_generator", lambda seed, names: np.random.default_rng(0)
    )

    def fit(method, people):
        classifier = DpfairClassifier(method, SMALL.get(method), **PUBLIC)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            classifier.fit(people.X, people.y, people.groups)
        return kept(classifier, tmp_path), [(entry.category, str(entry.message)) for entry in said]

    return fit


def replayed(fitted, method, left, right, absentees=()):
    with record() as tape:
        first = fitted(method, left)
    with replay(tape), absent(*absentees):
        return first, fitted(method, right)


@pytest.mark.parametrize("method", REPLACED)
@pytest.mark.parametrize("pair", LISTED.values(), ids=LISTED)
def test_a_classifier_keeps_and_says_nothing_of_a_record(fitted, method, pair):
    (one, said), (other, also_said) = replayed(fitted, method, *pair)
    assert one == other
    assert not said
    assert not also_said


@pytest.mark.parametrize("method", REPLACED)
@pytest.mark.parametrize("pair", UNLISTED.values(), ids=UNLISTED)
def test_a_value_that_is_not_listed_is_in_a_warning_alone(fitted, method, pair):
    (one, said), (other, also_said) = replayed(fitted, method, *pair)
    assert one == other
    assert {category for category, _ in said + also_said} <= {DataWarning}


@pytest.mark.parametrize("name", ["alone with its group", "a group that is not listed"])
def test_a_rule_for_groups_keeps_nothing_of_a_group(fitted, name):
    (one, _), (other, _) = replayed(fitted, "dp_postprocessing", *(LISTED | UNLISTED)[name])
    assert one == other


@pytest.mark.parametrize("name", ["another record", "alone with its label", "equal rows"])
def test_a_training_keeps_nothing_of_a_record_in_no_batch(fitted, name):
    (one, _), (other, _) = replayed(fitted, "dpsgd", *LISTED[name], absentees=[0])
    assert one == other


def test_a_fit_leaves_nothing_on_its_class_or_in_its_module(fitted):
    fitted("pflr", EVERYBODY)
    before = dict(vars(estimator)), dict(vars(DpfairClassifier))
    fitted("pflr", EVERYBODY.with_first(x=[9.5, 0.5]))
    assert before == (dict(vars(estimator)), dict(vars(DpfairClassifier)))
