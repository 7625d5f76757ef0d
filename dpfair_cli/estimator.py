"""One scikit-learn classifier over every algorithm."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from dpfair_cli import catalog
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning, nearest
from dpfair_cli.contracts.results import Classifier, LinearRule
from dpfair_cli.contracts.schemas import OUTSIDE_RULE, Categorical, Numeric, Schema
from dpfair_cli.formats.frames import FrameDomain, as_classes, frame_domain
from dpfair_cli.formats.table_in_model import as_json
from dpfair_cli.formats.user_records import RecordsSchema
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import mechanisms_used
from dpfair_cli.models.tabular.group_names import group_names, places_of, require_known
from dpfair_cli.release import guarantee
from dpfair_cli.release.saving import Origin, release_generator, write

BOUNDS = "low, high, classes and groups, by the caller's word"
BY_FILE = f"by the caller's word, in the file of domain; {OUTSIDE_RULE}"
CLASSES_FROM_DATA, GROUPS_FROM_DATA = (
    "classes from data",
    "groups from data",
)  # conditions that break a claim
NOBODY = ("0", "1")  # the groups of a method that uses none


def _is_linear(classifier: DpfairClassifier) -> bool:
    """Whether what was fitted is a linear rule, the same for all groups; false before a fit."""
    model = getattr(classifier, "model_", None)
    return isinstance(model, LinearRule) and not model.reads_group


class DpfairClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """`method` (a file of `algorithms/`) as a scikit-learn classifier of two classes.

    What is public is said here: `low` and `high`, the bounds of the features, numbers or one for
    each feature, by which X is scaled to [0, 1] and clipped; the two `classes`, of which the larger
    one is 1 and any other label counts as the smaller one; and for methods that use groups their
    `groups`, of which the last one listed stands for any other. What is not said is read from the
    data: a `PrivacyLeakWarning` names it, and no privacy claim holds.

    A `domain` file, as `dpfair domain` drafts it, says all this of columns by their names: X is
    then a DataFrame of raw numbers and levels, y and `sensitive_features` are Series whose names
    the file has too (or `classes` and `groups` are said), and of the label the level that is listed
    last is 1.

    `params` are the keyword arguments of the method's `fit`. The noise is the operating system's;
    with a `seed` a fit can be repeated, and whoever knows it can take the noise away. A linear rule
    has `decision_function`, and `coef_` and `intercept_` in the units of X, which hold inside the
    bounds.
    """

    def __init__(
        self,
        method: str = "functional_mechanism",
        params: Mapping[str, Any] | None = None,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        groups: Sequence[Any] | None = None,
        domain: str | Path | None = None,
        seed: int | None = None,
    ) -> None:
        self.method = method
        self.params = params
        self.low = low
        self.high = high
        self.classes = classes
        self.groups = groups
        self.domain = domain
        self.seed = seed

    def fit(self, X: Any, y: Any, sensitive_features: Any = None) -> DpfairClassifier:
        """Fit on X (n, d), two classes y (n,), and for methods that use groups the one of each
        record (n,), any values.

        Raises:
            ValueError: y does not hold two classes, bounds do not rise, or the method refuses the
                data.
            DpfairError: the method is no classifier of numbers, or uses groups and is given none.
        """
        label, protected = (
            str(getattr(values, "name", None) or "") for values in (y, sensitive_features)
        )
        X, y = validate_data(self, X, y, skip_check_array=self.domain is not None)
        y = y if self.domain is None else column_or_1d(y)
        check_classification_targets(y)
        uses_groups = _require_classifier(self.method).uses_groups
        if uses_groups and sensitive_features is None:
            raise DpfairError(
                f"{self.method} treats groups of records: fit(X, y, sensitive_features=their groups)"
            )
        self.domain_ = self._read_domain(X, len(y))
        self.names_ = label or "decision", protected or "group"
        self.classes_ = self._classes(y)
        self.low_, self.high_ = self.domain_.ends if self.domain_ else self._bounds(X)
        names = (
            group_names(sensitive_features, len(X)) if uses_groups else np.full(len(X), NOBODY[0])
        )
        self.groups_ = self._groups(names) if uses_groups else NOBODY
        records = self._records(
            X, (y == self.classes_[1]).astype(np.int64), places_of(names, self.groups_)
        )
        self.model_, self.origin_ = self._fitted(records, self._leaks(uses_groups))
        return self

    def _read_domain(self, X: Any, n: int) -> FrameDomain | None:
        """What the domain file says of the columns of X, if there is one.

        Raises:
            DpfairError: the file does not fit, bounds are said twice, or X has no names of columns.
            ValueError: X and y have different lengths.
        """
        if self.domain is None:
            return None
        if self.low is not None or self.high is not None:
            raise DpfairError("give a domain file, or low and high: not both")
        if not hasattr(self, "feature_names_in_"):
            raise DpfairError(
                f"{self.domain} names columns: give X as a pandas DataFrame with these names"
            )
        if len(X) != n:
            raise ValueError(f"X has {len(X)} rows, and there are {n} labels")
        return frame_domain(self.domain, list(self.feature_names_in_))

    def _classes(self, y: Any) -> Any:
        """The classes that are said, or those of the domain file for a label of this name, or those
        of the data.
        """
        said = self.domain_.levels(self.names_[0]) if self.domain_ and self.classes is None else ()
        if not said:
            return _two_classes(y if self.classes is None else self.classes, like=y)
        if len(said) != 2:
            raise ValueError(
                f"the label {self.names_[0]} has {len(said)} levels in {self.domain}: two are needed"
            )
        return as_classes(said, y)

    def _fitted(self, records: Records, leaks: list[str]) -> tuple[Classifier, Origin]:
        """The model and the public facts of it."""
        params = catalog.complete("algorithms", self.method, self.params or {})
        options = {
            name: np.asarray(getattr(self, f"{name}_")).tolist()
            for name in ("low", "high", "classes", "groups")
        }
        names: dict[str, Any] = {
            "dataset": "arrays",
            "options": options,
            "algorithm": self.method,
            "params": params,
        }
        if leaks and catalog.standing(self.method, params) != catalog.NOT_PRIVATE:
            said = "no privacy claim holds; say what is public (low and high, classes, groups)"
            warnings.warn(f"{', '.join(leaks)}: {said}", PrivacyLeakWarning, 3)
        rng = release_generator(self.seed, {**names, "data": records.fingerprint()})
        with mechanisms_used() as mechanisms:
            model = catalog.algorithm(self.method).fit(records, **params, rng=rng)
        bounds = (
            "read from the private data, a leak" if leaks else BY_FILE if self.domain_ else BOUNDS
        )
        stated = guarantee.statement(
            self.method, params, bounds=bounds, mechanisms=mechanisms, seed=self.seed, broken=leaks
        )
        version = {"algorithm": catalog.algorithm(self.method).version}
        table = self._table(records.columns)
        return model, Origin(
            **names, versions=version, columns=records.columns, privacy=stated, table=table
        )

    def _table(self, columns: tuple[str, ...]) -> dict[str, Any]:
        """How a file with these columns is read, for `dpfair predict`; groups stand in a column of
        their own.
        """
        label, protected = (name + "_" * (name in columns) for name in self.names_)
        labels = self.classes_.tolist()
        if self.domain_:
            return as_json(self.domain_.schema(label, labels, protected, self.groups_), "one_hot")
        lows, highs = (
            np.broadcast_to(ends, len(columns)).tolist() for ends in (self.low_, self.high_)
        )
        kinds = {
            name: Numeric(low, high) for name, low, high in zip(columns, lows, highs, strict=True)
        }
        other, favourable = map(str, labels)
        schema = Schema(
            kinds, label, favourable, protected, self.groups_, labels=(other, favourable)
        )
        return as_json(RecordsSchema(schema, Categorical(self.groups_), TableForm()), "one_hot")

    def _leaks(self, uses_groups: bool) -> list[str]:
        """What of the public facts is read from the private data, as conditions of a claim that it
        breaks.
        """
        by_file = [self.domain_.levels(name) for name in self.names_] if self.domain_ else [(), ()]
        said = {
            catalog.BOUNDS_FROM_DATA: self.domain_.domain.confirmed
            if self.domain_
            else self.low is not None,
            CLASSES_FROM_DATA: self.classes is not None or by_file[0],
            GROUPS_FROM_DATA: self.groups is not None or by_file[1] or not uses_groups,
        }
        return [condition for condition, is_said in said.items() if not is_said]

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

    def predict(self, X: Any, sensitive_features: Any = None) -> Any:
        """The class of each record, (n,); of a randomised rule, the one that it decides for more
        often.

        Raises:
            DpfairError: the rule decides by the group, and there are no `sensitive_features`.
        """
        places = (self._probability(X, sensitive_features) > 0.5).astype(int)
        return self.classes_[places]

    def predict_proba(self, X: Any, sensitive_features: Any = None) -> Floats:
        """The probability of both classes, (n, 2): of a linear rule by the logistic function, which
        noise uncalibrates.

        Of a randomised rule it is the probability of deciding so, and of another rule 0 or 1.

        Raises:
            DpfairError: the rule decides by the group, and there are no `sensitive_features`.
        """
        favourable = (
            expit(self.decision_function(X))
            if _is_linear(self)
            else self._probability(X, sensitive_features)
        )
        return np.column_stack([1 - favourable, favourable])

    @available_if(_is_linear)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """The weighted sum of the scaled features, (n,), positive for the second class."""
        rule = self._linear_rule()
        return np.asarray(self._of_nobody(X).X @ rule.weights + rule.intercept)

    @property
    def coef_(self) -> Floats:
        """The weights of a linear rule, (1, d), in the units of X."""
        return np.asarray(self._linear_rule().weights / (self.high_ - self.low_))[None, :]

    @property
    def intercept_(self) -> Floats:
        """The weighted sum where X is 0, (1,)."""
        coefficients = self.coef_[0]
        return np.array(
            [
                self._linear_rule().intercept
                - coefficients @ np.broadcast_to(self.low_, coefficients.shape)
            ]
        )

    def _probability(self, X: Any, sensitive_features: Any) -> Floats:
        """Of deciding for the second class, (n,)."""
        check_is_fitted(self)
        if not self.model_.reads_group:
            return self.model_.predict(self._of_nobody(X))
        if sensitive_features is None:
            raise DpfairError(
                f"{self.method} decides by the group: predict(X, sensitive_features=their groups)"
            )
        X = self._validated(X)
        names = group_names(sensitive_features, len(X))
        require_known(names, self.groups_)
        records = self._records(X, np.zeros(len(X), dtype=np.int64), places_of(names, self.groups_))
        return self.model_.predict(records)

    def _linear_rule(self) -> LinearRule:
        """What was fitted, if it is a linear rule.

        Raises:
            AttributeError: it is none, so that what linear rules have is not there.
        """
        check_is_fitted(self)
        if not _is_linear(self):
            raise AttributeError(f"what {self.method} fits is no linear rule")
        return cast(LinearRule, self.model_)

    def _of_nobody(self, X: Any) -> Records:
        """Features alone, as Records of one group and label."""
        check_is_fitted(self)
        X = self._validated(X)
        nobody = np.zeros(len(X), dtype=np.int64)
        return self._records(X, nobody, nobody)

    def _validated(self, X: Any) -> Any:
        """X with the columns of the fit: numbers, or by a domain file a frame."""
        return validate_data(self, X, reset=False, skip_check_array=self.domain_ is not None)

    def _bounds(self, X: Floats) -> tuple[Floats, Floats]:
        """The bounds that are said, or those of the data; a feature that never varies has width 1."""
        if (self.low is None) != (self.high is None):
            raise ValueError("give both low and high, or none of them")
        if self.low is None:
            low, high = X.min(axis=0), X.max(axis=0)
            return low, np.where(high > low, high, low + 1)
        low, high = np.asarray(self.low, dtype=float), np.asarray(self.high, dtype=float)
        if not np.all(low < high):
            raise ValueError(f"low must be below high, got {self.low!r} and {self.high!r}")
        return low, high

    def _groups(self, names: Any) -> tuple[str, ...]:
        """The groups that are said, in that order, or those of the domain file, or those of the
        data.
        """
        by_file = self.domain_.levels(self.names_[1]) if self.domain_ else ()
        said = self.groups if self.groups is not None else by_file or np.unique(names).tolist()
        groups = tuple(map(str, said))
        if len(groups) < 2:
            raise ValueError(
                f"{self.method} needs two groups at least, got {len(groups)}: {', '.join(groups)}"
            )
        return groups

    def _records(self, X: Any, y: Any, protected: Any) -> Records:
        if self.domain_:
            features = self.domain_.records(X)
            return Records(features.X, y, protected, replace(features.domain, groups=self.groups_))
        scaled = np.clip((X - self.low_) / (self.high_ - self.low_), 0.0, 1.0)
        columns = tuple(
            getattr(self, "feature_names_in_", [f"x{j}" for j in range(scaled.shape[1])])
        )
        domain = Domain(columns, {name: (j,) for j, name in enumerate(columns)}, self.groups_)
        return Records(scaled, y, protected, domain)


def _two_classes(labels: Any, *, like: Any) -> Any:
    """The two classes, in order.

    Raises:
        ValueError: there are not two, or they are numbers where the labels are words, or the other
            way.
    """
    classes = np.unique(labels)
    if (classes.dtype.kind in "USO") != (like.dtype.kind in "USO"):
        raise ValueError(
            f"classes {classes.tolist()} are of another type than the labels, which are {like.dtype}"
        )
    if len(classes) != 2:
        raise ValueError(f"Only binary classification is supported, got {len(classes)} class(es).")
    return classes


def _require_classifier(method: str) -> Algorithm:
    """What a classifier of features in [0, 1] declares: generators take levels, a column for each.

    Raises:
        DpfairError: there is no such method, or it is no such classifier.
    """
    known = [name for name in catalog.names("algorithms") if _takes_numbers(name)]
    found = catalog.algorithm(method)
    if method not in known:
        raise DpfairError(f"{method} is no classifier of numbers: {nearest(method, known)}")
    return found


def _takes_numbers(method: str) -> bool:
    """Whether a method is a classifier of features in [0, 1]."""
    return (
        catalog.is_fit_for(method, task="classification")
        and not catalog.algorithm(method).data_options
    )
