"""One scikit-learn classifier over every algorithm, and the models in the files that releasing.py wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from dpfair_cli import catalog, claims
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.results import Classifier, PeopleGenerator
from dpfair_cli.kinds.people import Domain, Records
from dpfair_cli.mechanisms.ledger import mechanisms_used
from dpfair_cli.releasing import FORMAT, Origin, release_generator, write

BOUNDS = "low and high, by the caller's word, as are the two classes"


class DpfairClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """`method` (a file of `algorithms/`) as a scikit-learn classifier of two classes.

    `low` and `high` are the public bounds of the features, numbers or one for each feature: X is scaled by them to
    [0, 1] and clipped. `params` are the keyword arguments of the method's `fit`. The noise is the operating system's;
    with a `seed` a fit can be repeated, and whoever knows it can take the noise away.
    """

    def __init__(
        self,
        method: str = "functional_mechanism",
        params: Mapping[str, Any] | None = None,
        low: ArrayLike = 0.0,
        high: ArrayLike = 1.0,
        seed: int | None = None,
    ) -> None:
        self.method = method
        self.params = params
        self.low = low
        self.high = high
        self.seed = seed

    def fit(self, X: Any, y: Any, protected: ArrayLike | None = None) -> DpfairClassifier:
        """Fit on X (n, d), two classes y (n,), and the group 0 or 1 of each record, which fair methods need.

        Raises:
            ValueError: y does not hold two classes.
        """
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        known = [name for name in catalog.names("algorithms") if _takes_numbers(name)]
        if catalog.algorithm(self.method) and self.method not in known:
            raise DpfairError(f"{self.method} is no classifier of numbers: {nearest(self.method, known)}")
        if len(self.classes_) != 2:
            raise ValueError(f"Only binary classification is supported, got {len(self.classes_)} class(es).")
        label = (y == self.classes_[1]).astype(np.int64)
        groups = np.zeros(len(X), dtype=np.int64) if protected is None else np.asarray(protected, dtype=np.int64)
        records = self._records(X, label, groups)
        params = catalog.complete("algorithms", self.method, self.params or {})
        names: dict[str, Any] = {
            "dataset": "arrays",
            "options": self._bounds(),
            "algorithm": self.method,
            "params": params,
        }
        rng = release_generator(self.seed, {**names, "data": records.fingerprint()})
        with mechanisms_used() as mechanisms:
            self.model_ = catalog.algorithm(self.method).fit(records, **params, rng=rng)
        stated = claims.statement(self.method, params, bounds=BOUNDS, mechanisms=mechanisms, seed=self.seed)
        version = {"algorithm": catalog.algorithm(self.method).version}
        self.origin_ = Origin(**names, versions=version, columns=records.columns, privacy=stated)
        return self

    def save(self, path: Path | str) -> None:
        """Write a model file, which `load` reads: of what was released and of public facts alone.

        Raises:
            DpfairError: the format cannot hold the model.
        """
        check_is_fitted(self)
        write(Path(path), self.model_, self.origin_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # noise
        tags.non_deterministic = self.seed is None
        return tags

    def predict(self, X: Any) -> Any:
        """The class of each record, (n,).

        Raises:
            DpfairError: the rule decides by the group, which scikit-learn does not hand over.
        """
        check_is_fitted(self)
        if self.model_.reads_group:
            raise DpfairError(f"{self.method} decides by the group: use its `fit` and `predict` on Records")
        X = validate_data(self, X, reset=False)
        nobody = np.zeros(len(X), dtype=np.int64)
        return self.classes_[(self.model_.predict(self._records(X, nobody, nobody)) > 0.5).astype(int)]

    def _bounds(self) -> dict[str, Any]:
        """The public bounds, as JSON."""
        return {name: np.asarray(getattr(self, name), dtype=float).tolist() for name in ("low", "high")}

    def _records(self, X: Floats, y: Any, protected: Any) -> Records:
        low, high = np.asarray(self.low, dtype=float), np.asarray(self.high, dtype=float)
        if not np.all(low < high):
            raise ValueError(f"low must be below high, got {self.low!r} and {self.high!r}")
        scaled = np.clip((X - low) / (high - low), 0.0, 1.0)
        columns = tuple(f"x{j}" for j in range(scaled.shape[1]))
        domain = Domain(columns, {name: (j,) for j, name in enumerate(columns)}, ("0", "1"))
        return Records(scaled, y, protected, domain)


def _takes_numbers(method: str) -> bool:
    """Whether a method is a classifier of features in [0, 1]: generators take levels, a column for each."""
    return catalog.is_fit_for(method, task="classification") and not catalog.algorithm(method).data_options


def load(path: Path | str) -> Classifier:
    """The model in a file that `dpfair train --save` wrote; apply it to records of the columns named in the file.

    Raises:
        DpfairError: the file is not a classifier of this format, or it is a network and torch is not here.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        model = content["model"] if content["format"] == FORMAT else {}
        restored: Classifier = catalog.find("models", model["form"]).restore(model)
        return restored
    except ImportError as error:
        raise DpfairError("networks for images need torch: pip install 'dpfair[deep]'") from error
    except (ValueError, KeyError, TypeError, AttributeError, DpfairError) as error:
        raise DpfairError(
            f"{path} is not a dpfair model of format {FORMAT}: train again if it is of an older one"
        ) from error


def load_generator(path: Path | str) -> PeopleGenerator:
    """The generator of people in a file that `dpfair train --save` wrote.

    Raises:
        DpfairError: the file is not a model of this format, or it cannot make people.
    """
    model: object = load(path)
    if not isinstance(model, PeopleGenerator):
        raise DpfairError(f"{path} holds a {type(model).__name__}, which makes no people: train fair_gan_plus, say")
    return model
