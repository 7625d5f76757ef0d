"""A scikit-learn classifier for all algorithms that fit classifiers of tables."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from numbers import Integral
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import assert_all_finite, check_consistent_length, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import DataWarning, DpfairError, PrivacyLeakWarning, nearest
from dpfair_cli.contracts.files import require_writable
from dpfair_cli.contracts.guarantees import BOUNDS_FROM_DATA, FitGuarantee, Status
from dpfair_cli.contracts.missing_numbers import as_columns
from dpfair_cli.contracts.results import Classifier, LinearRule
from dpfair_cli.contracts.schemas import OUTSIDE_RULE, Numeric
from dpfair_cli.formats.frames import (
    FrameDomain,
    as_classes,
    frame_domain,
    group_values,
    places_of,
    require_same_order,
)
from dpfair_cli.formats.questions import (
    question_of_code,
    questions_of_columns,
    questions_of_missing,
    questions_of_rows,
)
from dpfair_cli.formats.table_in_model import as_json, from_json
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import mechanisms_used
from dpfair_cli.models.tabular.outside_values import as_text, texts_of_columns
from dpfair_cli.release import guarantee, model_files, spending
from dpfair_cli.release.default_delta import with_default_delta
from dpfair_cli.release.model_files import Origin, release_generator, write
from dpfair_cli.release.privacy_ledger import LedgerEntry
from dpfair_cli.release.released_fit import ReleasedFit

BOUNDS = "low, high, classes and groups, by the caller's word"
BY_FILE = f"by the caller's word, in the file of domain; {OUTSIDE_RULE}"
FROM_DATA = "read from the private data, a leak"
CLASSES_FROM_DATA = "classes from data"  # condition that a fit breaks (glossary in docs/words.md)
GROUPS_FROM_DATA = "groups from data"  # condition that a fit breaks
INSIDE = "params__"  # before the name of an entry of `params`
NO_GROUPS = ("0", "1")  # the groups of a method that does not use groups
WHAT_TO_SAY = "no privacy guarantee applies: give public values (low and high, classes, groups)"


def _is_linear(classifier: DpfairClassifier) -> bool:
    """Whether the fitted model is one linear rule for all groups; False before `fit`."""
    model = getattr(classifier, "model_", None)
    return isinstance(model, LinearRule) and not model.reads_group


class DpfairClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes that is private, fair, or both.

    A privacy guarantee assumes that `low`, `high`, `classes` and `groups` are public. If one of
    these arguments is not given, its value is read from the data. A `PrivacyLeakWarning` then names
    the argument, and no guarantee holds.

    Args:
        method: the name of an algorithm; `dpfair info methods` lists the names.
        params: the keyword arguments of the algorithm's `fit`, such as `{"epsilon": 1.0}`.
            `set_params(params__alpha=1.0)` sets one of them, also in a grid search.
        low: the smallest value of each feature, (d,), or one number for all features.
        high: the largest value of each feature, (d,), or one number. Features are clipped to
            [low, high] and scaled to [0, 1]; NaN becomes the middle of the range. A warning says
            how many values these are.
        classes: the two classes. The larger class is the decision 1, which is the favourable one,
            in whatever order they are given (the last level in the file of `domain` is another
            way to name it); any other label counts as the smaller class, with a warning.
        groups: the groups, for methods that use groups. A value is a group if it has the same text
            or is the same number. Any other value counts as the last group, with a warning.
        domain: the path of a domain file, as `dpfair domain` drafts it, in place of `low`, `high`,
            `classes` and `groups`. X is then a DataFrame of raw numbers and levels, and y and
            `sensitive_features` are Series with names that occur in the file. The level of the
            label that is listed last is the decision 1. If the file has a key `person`, X has this
            column too: a fit uses one row of each person, and the column is no feature.
        seed: a seed with which a fit can be repeated. Everybody who knows the seed can subtract the
            noise. By default the noise comes from the operating system.
        epsilon: the privacy loss, in place of the entry of `params`, such as for a grid search.
        random_state: the seed, as scikit-learn gives it, in place of `seed`: an integer, or a
            RandomState from which the seed is drawn. Ensembles of scikit-learn always set it.

    Attributes:
        classes_: the two classes, (2,).
        groups_: the names of the groups.
        model_: the fitted rule.
        origin_: the facts about the fit that a model file contains, such as the guarantee.
        cost_: what a privacy ledger counts for the fit.
        coef_: the weights of a linear rule, (1, d), in the units of X.
        intercept_: the intercept of a linear rule, (1,).

    Examples:
        >>> import numpy as np
        >>> X = np.random.default_rng(0).uniform(-1, 1, size=(1000, 2))
        >>> y = (X[:, 0] > 0).astype(int)
        >>> classifier = DpfairClassifier(
        ...     "functional_mechanism", {"epsilon": 10.0}, low=-1, high=1, classes=[0, 1], seed=0
        ... )
        >>> classifier.fit(X, y).predict([[0.9, 0.0], [-0.9, 0.0]])
        array([1, 0])
        >>> classifier.origin_.guarantee.promise
        'epsilon-differential privacy of the weights'
        >>> classifier.origin_.guarantee.status
        'void: known seed 0'
    """

    def __init__(
        self,
        method: str = "dp_whitened_descent",
        params: Mapping[str, Any] | None = None,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        groups: Sequence[Any] | None = None,
        domain: str | Path | None = None,
        seed: int | None = None,
        epsilon: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.params = params
        self.low = low
        self.high = high
        self.classes = classes
        self.groups = groups
        self.domain = domain
        self.seed = seed
        self.epsilon = epsilon
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; deep, also the entries of `params`, as `params__epsilon`."""
        found: dict[str, Any] = super().get_params(deep=deep)
        # scikit-learn allows any value until `fit`
        inside = self.params if deep and isinstance(self.params, Mapping) else {}
        return found | {f"{INSIDE}{name}": value for name, value in inside.items()}

    def set_params(self, **given: Any) -> DpfairClassifier:
        """Sets parameters by name; `params__epsilon=1.0` sets one entry of `params`.

        Raises:
            ValueError: there is no such parameter. (An entry of `params` is checked by `fit`.)
        """
        inside = {name for name in given if name.startswith(INSIDE)}
        super().set_params(**{name: given[name] for name in given if name not in inside})
        if inside:  # a new dictionary, since clones may share the old one
            entries = {name.removeprefix(INSIDE): given[name] for name in inside}
            self.params = {**(self.params or {}), **entries}
        return self

    def fit(
        self, X: Any, y: Any, sensitive_features: Any = None, **unsupported: Any
    ) -> DpfairClassifier:
        """Fit the classifier.

        If X, y and `sensitive_features` have an index, it must be the same one: rows are matched by
        their order. There is no `sample_weight`: the noise of a method is for records that count
        once each.

        Args:
            X: the features, (n, d).
            y: the labels, (n,), of two classes.
            sensitive_features: the group of each record, (n,); only for methods that use groups.
                Of a DataFrame with several columns, each combination is a group, such as
                "female, old", with a warning.
            unsupported: nothing; `sample_weight` is refused with the reason.

        Returns:
            The classifier itself.

        Raises:
            ValueError: y does not have two classes, a value in `low` is not below the value in
                `high`, an index is that of X in another order, or the method refuses the data.
            DpfairError: the method is not a classifier of tables, or `sensitive_features` is
                missing for a method that uses groups.
            TypeError: another argument is given, such as `sample_weight`.
        """
        _refuse(unsupported)
        require_same_order(X, y=y, sensitive_features=sensitive_features)
        # before the checks, which make arrays of them
        names = [getattr(values, "name", None) for values in (y, sensitive_features)]
        X, y = self._validated_pair(X, y)
        uses_groups = _require_classifier(self.method).uses_groups
        if uses_groups and sensitive_features is None:
            raise DpfairError(
                f"{self.method} needs the protected attribute: call fit(X, y, "
                "sensitive_features=groups)"
            )
        values = group_values(sensitive_features, len(X)) if uses_groups else []
        self.domain_ = self._read_domain()
        if self.domain_ and self.domain_.domain.person:
            rows = self.domain_.rows_of_persons(X)
            X, y, values = X.iloc[rows], y[rows], [values[row] for row in rows if values]
        # the names that `dpfair predict` looks for in a file
        self.names_ = str(names[0] or "decision"), str(names[1] or "group")
        self.classes_ = self._classes(y)
        self.low_, self.high_ = self.domain_.ends if self.domain_ else self._bounds(X)
        labels = list(map(as_text, self.classes_.tolist()))
        decisions = _listed("the labels", y.tolist(), labels, 0)
        places: Ints = np.zeros(len(X), dtype=np.int64)
        self.groups_: tuple[str, ...] = NO_GROUPS  # a group must not reach the model without need
        if uses_groups:
            self._say_combined(sensitive_features)
            self.groups_ = self._groups(values)
            places = _listed("sensitive_features", values, self.groups_, -1)
        records = self._records(X, decisions, places)
        self._ask(X, decisions)
        self.model_, self.origin_, self.cost_ = self._fitted(records, self._leaks(uses_groups))
        self._set_coefficients()
        return self

    def _ask(self, X: Any, decisions: Ints) -> None:
        """Warns of what looks wrong in the features, as commands ask about it.

        `decisions` are the labels, 0 or 1, (n,).
        """
        if self.domain_:
            cells = texts_of_columns(self.domain_.cells(X))
            asked = [*questions_of_columns(cells), *questions_of_rows(cells, decisions, "")]
            for name, kind in self.domain_.features.items():
                asked += questions_of_missing(name, kind, cells[name])
        else:
            columns = getattr(self, "feature_names_in_", _unnamed(X.shape[1]))
            pairs = zip(columns, np.asarray(X, dtype=float).T, strict=True)
            # few columns have a repeated number at an end, which alone can be a code
            repeated = [pair for pair in pairs if _has_repeated_end(pair[1])]
            asked = [
                question
                for name, numbers in repeated
                for question in question_of_code(name, numbers[np.isfinite(numbers)])
            ]
        for question in asked:
            _warn(question, DataWarning)

    def _set_coefficients(self) -> None:
        """Sets `coef_` and `intercept_` of a linear rule, in the units of X.

        Another model has none, also after an earlier fit of a linear rule.
        """
        for name in ("coef_", "intercept_"):
            self.__dict__.pop(name, None)
        if _is_linear(self):
            rule = cast(LinearRule, self.model_)
            weights = np.asarray(rule.weights / (self.high_ - self.low_))
            shift = weights @ np.broadcast_to(self.low_, weights.shape)
            self.coef_, self.intercept_ = weights[None, :], np.array([rule.intercept - shift])

    def _validated_pair(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The features and the labels after the checks of scikit-learn.

        With public bounds and classes, these checks depend on no value of a record.
        """
        # notes the names of the columns
        X = self._validated(X, reset=True, as_frame=self.domain is not None)
        if y is None:
            raise ValueError("DpfairClassifier requires y to be passed, but the target y is None")
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        if self.classes is None:
            assert_all_finite(y, input_name="y")  # classes that are given decide about every label
            check_classification_targets(y)
        return X, y

    def _read_domain(self) -> FrameDomain | None:
        """The facts that the domain file gives about the columns of X; None without a domain file.

        Raises:
            DpfairError: the file does not fit the columns, `low` or `high` is given too, X has no
                column names, or the privacy ledger of the file is missing.
        """
        if self.domain is None:
            return None
        if self.low is not None or self.high is not None:
            raise DpfairError(
                "`domain` and the bounds `low` and `high` exclude each other: give either a "
                "domain file or the bounds"
            )
        if not hasattr(self, "feature_names_in_"):
            raise DpfairError(
                f"X must be a pandas DataFrame with the column names of the domain file "
                f"{self.domain}"
            )
        # before the fit: a fit that cannot be paid for is not made
        spending.require_ledger(Path(self.domain), [Path.cwd()])
        return frame_domain(self.domain, list(self.feature_names_in_))

    def _classes(self, y: Any) -> Any:
        """The two classes of the label.

        The classes are those that the user gave, or else those in the domain file, or else those in
        the data.
        """
        said = self.domain_.levels(self.names_[0]) if self.domain_ and self.classes is None else ()
        if said and len(said) != 2:
            raise ValueError(
                f"the label {self.names_[0]} must have two levels in the domain file "
                f"{self.domain}, got {len(said)}"
            )
        if said:
            return as_classes(said, y)
        # sorted, so that the larger class is the decision 1
        classes = np.unique(y if self.classes is None else self.classes)
        if len(classes) != 2:
            raise ValueError(
                f"Only binary classification is supported, got {len(classes)} class(es)."
            )
        if self.classes is not None and np.asarray(self.classes)[-1] != classes[-1]:
            _warn(
                f"`classes` are sorted: {classes[-1]} is the decision 1; to make the other one "
                "favourable, name it last in a domain file",
                DataWarning,
            )
        return classes

    def _fitted(self, records: Records, leaks: list[str]) -> tuple[Classifier, Origin, LedgerEntry]:
        """The model fitted to `records`, the public facts for a model file, and the cost."""
        given = dict(self.params or {})  # a copy: scikit-learn requires unchanged parameters
        given |= {} if self.epsilon is None else {"epsilon": self.epsilon}
        method, seed = catalog.method(self.method, given), self._seed()
        method = method if "delta" in given else with_default_delta(method, len(records))
        options = {
            name: np.asarray(getattr(self, f"{name}_")).tolist()
            for name in ("low", "high", "classes", "groups")
        }
        names: dict[str, Any] = {
            "dataset": "arrays",
            "options": options,
            "algorithm": method.name,
            "params": method.params,
        }
        algorithm = method.algorithm
        if leaks and algorithm.guarantee.status_with(method.params) is not Status.NOT_PRIVATE:
            _warn(f"{', '.join(leaks)}: {WHAT_TO_SAY}", PrivacyLeakWarning)
        rng = release_generator(seed, {**names, "data": records.fingerprint()})
        with mechanisms_used() as used:  # only what really added noise is promised
            model = ReleasedFit(method.name, algorithm, method.params, noise=rng)(records, rng=rng)
        bounds = BY_FILE if self.domain_ else BOUNDS  # who says that they are public
        promised = guarantee.of_fit(
            method,
            bounds=FROM_DATA if leaks else bounds,
            used=used,
            seed=seed,
            broken=leaks,
            records=len(records),
            person=self.domain_.domain.person if self.domain_ else "",
        )
        origin = Origin(
            **names,
            versions={"algorithm": algorithm.version},
            columns=records.columns,
            guarantee=promised,
            table=self._table(records.columns),
        )
        broken = leaks + guarantee.broken_by_seed(seed)  # a known seed breaks the promise, too
        cost = spending.entry_of_fit(method.name, method, broken=broken, records=len(records))
        return model, origin, cost

    def _seed(self) -> int | None:
        """The seed of the noise, from `random_state` or else `seed`; None for secret noise."""
        if self.random_state is None:
            return self.seed
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))  # advances its state

    def _table(self, columns: tuple[str, ...]) -> dict[str, Any]:
        """The JSON with which `dpfair predict` reads a file with these columns and the group."""
        # a file cannot have two columns of a name
        label, protected = (name + "_" * (name in columns) for name in self.names_)
        if self.domain_:
            domain = self.domain_
        else:  # `dpfair predict` clips as the fit did
            ends = (np.broadcast_to(end, len(columns)).tolist() for end in (self.low_, self.high_))
            domain = FrameDomain.of_columns(dict(zip(columns, map(Numeric, *ends), strict=True)))
        schema = domain.schema(label, self.classes_.tolist(), protected, self.groups_)
        return as_json(schema, "one_hot")

    def _leaks(self, uses_groups: bool) -> list[str]:
        """The conditions of the guarantee that a fit breaks by reading facts from the data."""
        in_file = [self.domain_ and self.domain_.levels(name) for name in self.names_]
        bounds_given = self.low is not None
        if self.domain_:
            bounds_given = self.domain_.domain.confirmed
        given = {
            BOUNDS_FROM_DATA: bounds_given,
            CLASSES_FROM_DATA: self.classes is not None or in_file[0],
            GROUPS_FROM_DATA: self.groups is not None or in_file[1] or not uses_groups,
        }
        return [condition for condition, is_given in given.items() if not is_given]

    def save(self, path: Path | str, *, force: bool = False) -> None:
        """Write a model file; `load` and `dpfair predict` read it.

        The file contains only released values and public facts. If the file `domain` has a privacy
        ledger (`dpfair budget`), each call spends the epsilon and delta of the fit first.

        Args:
            path: the file; there must be none, unless `force` is set.
            force: whether to replace a file, which is never a privacy ledger.

        Raises:
            DpfairError: the file exists, the model cannot be saved in a model file, the ledger of
                `domain` refuses to pay for it, or a ledger nearby is about the same columns.
            OSError: no file can be written there.
        """
        check_is_fitted(self)  # before the ledger pays for nothing
        _require_free(Path(path), force=force)
        paying = self._paying_domain()
        if paying:
            purpose = f"{Path(path).name} by {self.method}"
            # before the file exists: no release without its price
            spending.spend(paying, [replace(self.cost_, purpose=purpose)])
        elif self.domain:
            spending.require_no_other(Path(self.domain), [Path.cwd()])
        write(Path(path), self.model_, self.origin_)

    def __getstate__(self) -> Any:
        """The state for a pickle; refused if it would release a fit that a ledger has not paid.

        Raises:
            DpfairError: the estimator is fitted, and the file `domain` has a privacy ledger.
        """
        if "model_" in vars(self) and self._paying_domain():
            raise DpfairError(
                f"a pickle would release a fit that the privacy ledger of {self.domain} has not "
                "paid for: use save(path), which pays"
            )
        return super().__getstate__()

    def _paying_domain(self) -> Path | None:
        """The file `domain` if it has a privacy ledger; errors as of `spending.has_ledger`."""
        domain = Path(self.domain) if self.domain else None
        return domain if domain and spending.has_ledger(domain, [Path.cwd()]) else None

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn must know of the classifier, such as for its own tests."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # noise
        tags.input_tags.allow_nan = self.low is not None  # NaN is the middle of a public range
        tags.non_deterministic = self.seed is None and self.random_state is None
        return tags

    def predict(self, X: Any, sensitive_features: Any = None) -> Any:
        """Predict classes.

        Args:
            X: the features, (n, d).
            sensitive_features: the group of each record, (n,); only for rules that use the group.

        Returns:
            The class of each record, (n,); for a randomised rule the more probable class.

        Raises:
            DpfairError: the rule uses the group, and `sensitive_features` is missing.
        """
        places = (self._probability(X, sensitive_features) > 0.5).astype(int)
        return self.classes_[places]

    def predict_proba(self, X: Any, sensitive_features: Any = None) -> Floats:
        """Predict the probabilities of the two classes.

        For a linear rule, the probability of the second class is the logistic function of the
        weighted sum; because of noise it is not calibrated. For a randomised rule, the
        probabilities are those of the decisions. For other rules, they are 0 or 1.

        Args:
            X: the features, (n, d).
            sensitive_features: the group of each record, (n,); only for rules that use the group.

        Returns:
            The probabilities, (n, 2).

        Raises:
            DpfairError: the rule uses the group, and `sensitive_features` is missing.
        """
        if _is_linear(self):
            favourable = expit(self.decision_function(X))  # as scikit-learn's LogisticRegression
        else:
            favourable = self._probability(X, sensitive_features)  # exact for randomised rules
        return np.column_stack([1 - favourable, favourable])

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None
    ) -> float:
        """The accuracy of the predictions for X.

        For rules that use the group, cross_val_score and GridSearchCV pass the groups on after
        `sklearn.set_config(enable_metadata_routing=True)`, if the classifier has
        `.set_fit_request(sensitive_features=True).set_score_request(sensitive_features=True)`.

        Args:
            X: the features, (n, d).
            y: the labels, (n,).
            sample_weight: the weight of each record, (n,); by default all weights are equal.
            sensitive_features: the group of each record, (n,); only for rules that use the group.

        Returns:
            The weighted share of records with a correct prediction.

        Raises:
            DpfairError: the rule uses the group, and `sensitive_features` is missing.
        """
        groups = {} if sensitive_features is None else {"sensitive_features": sensitive_features}
        predicted = self.predict(X, **groups)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    @available_if(_is_linear)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """The weighted sum of the scaled features plus the intercept of a linear rule, (n,).

        The sum is positive for the second class.
        """
        check_is_fitted(self)
        rule = cast(LinearRule, self.model_)
        return np.asarray(self._without_groups(X).X @ rule.weights + rule.intercept)

    def _probability(self, X: Any, sensitive_features: Any) -> Floats:
        """The probability of the second class for each row of X, (n,)."""
        check_is_fitted(self)
        if not self.model_.reads_group:
            return self.model_.predict(self._without_groups(X))
        if sensitive_features is None:
            raise DpfairError(
                f"{self.method} needs the protected attribute to predict: call predict(X, "
                "sensitive_features=groups)"
            )
        require_same_order(X, sensitive_features=sensitive_features)
        X = self._validated(X)
        values = group_values(sensitive_features, len(X))
        places = _listed("sensitive_features", values, self.groups_, -1)
        return self.model_.predict(self._records(X, np.zeros(len(X), dtype=np.int64), places))

    def _without_groups(self, X: Any) -> Records:
        """The features X as records that all have the same group and label.

        The records are for rules that use neither group nor label.
        """
        check_is_fitted(self)
        X = self._validated(X)
        zeros = np.zeros(len(X), dtype=np.int64)  # rules that do not read the group ignore them
        return self._records(X, zeros, zeros)

    def _validated(self, X: Any, *, reset: bool = False, as_frame: bool | None = None) -> Any:
        """The features X after the checks of scikit-learn, as numbers.

        As a frame, as with a domain file, the result is the DataFrame X. By default X is what the
        fit was made to.
        """
        if as_frame is None:
            as_frame = self.domain_ is not None
        try:
            return validate_data(
                self,
                X,
                reset=reset,
                ensure_all_finite=self.low is None,  # NaN is the middle of a public range
                skip_check_array=as_frame,
            )
        except (ValueError, TypeError) as error:
            texts = [] if as_frame else _columns_of_texts(X)
            if not texts:
                raise
            raise ValueError(
                f"X has columns of texts, such as {texts[0]!r}: give domain=FILE, a domain file "
                "that `dpfair domain` drafts for the table, or make numbers of the texts"
            ) from error

    def _bounds(self, X: Floats) -> tuple[Floats, Floats]:
        """The smallest and the largest value of each feature: `low` and `high` if these are given.

        Otherwise the values are those of the data. For a constant feature of the data, the upper
        bound is larger by 1.
        """
        if (self.low is None) != (self.high is None):
            raise ValueError("`low` and `high` must be given together: give both or leave out both")
        if self.low is None:
            low, high = X.min(axis=0), X.max(axis=0)
            # a constant feature would divide by zero
            return low, np.where(high > low, high, low + 1)
        low, high = np.asarray(self.low, dtype=float), np.asarray(self.high, dtype=float)
        for name, ends in (("low", low), ("high", high)):
            if ends.shape not in ((), (X.shape[1],)):
                raise ValueError(
                    f"`{name}` must be one number, or one for each of the {X.shape[1]} features "
                    f"of X, got the shape {ends.shape}"
                )
        if not np.all(low < high):
            raise ValueError(
                "every entry of `low` must be smaller than the entry of `high`, got "
                f"{self.low!r} and {self.high!r}"
            )
        return low, high

    def _say_combined(self, sensitive_features: Any) -> None:
        """Warns, before a fit, that several columns of groups are one.

        Raises:
            ValueError: `groups` names no combination of them.
        """
        columns = [str(name) for name in getattr(sensitive_features, "columns", ())]
        if len(columns) < 2:
            return
        each = f"{' and '.join(columns)}: each combination is a group, such as 'a, b'"
        given = () if self.groups is None else tuple(map(as_text, self.groups))
        wrong = [name for name in given if name.count(", ") < len(columns) - 1]
        if wrong:
            raise ValueError(
                f"sensitive_features has the columns {each}, got `groups` with {wrong[0]!r}: name "
                "combinations, or give one column"
            )
        _warn(f"sensitive_features has the columns {each}", DataWarning)

    def _groups(self, values: Sequence[Any]) -> tuple[str, ...]:
        """The names of the groups.

        The groups are those that the user gave, or else those in the domain file, or else those in
        the data.
        """
        in_file = self.domain_.levels(self.names_[1]) if self.domain_ else ()
        found = in_file or sorted(set(map(as_text, values)))
        groups = tuple(map(as_text, found if self.groups is None else self.groups))
        if len(groups) < 2:
            raise ValueError(
                f"{self.method} must be fitted to at least two groups, got {len(groups)}: "
                f"{', '.join(groups)}"
            )
        return groups

    def _records(self, X: Any, y: Any, protected: Any) -> Records:
        """The records of a fit or a prediction, with features clipped and scaled to [0, 1].

        `y` and `protected` are the places of the classes and of the groups, (n,).
        """
        if self.domain_:
            cells = self.domain_.cells(X)
            _warn(self.domain_.replaced(cells), DataWarning)
            features = self.domain_.records(cells)
            return Records(features.X, y, protected, replace(features.domain, groups=self.groups_))
        columns = tuple(getattr(self, "feature_names_in_", _unnamed(X.shape[1])))
        if self.low is not None:
            _say_outside(X, self.low_, self.high_, columns)
        middle = self.low_ + (self.high_ - self.low_) / 2
        inside = np.where(np.isnan(X), middle, np.clip(X, self.low_, self.high_))
        scaled = np.clip((inside - self.low_) / (self.high_ - self.low_), 0.0, 1.0)
        domain = Domain(columns, {name: (j,) for j, name in enumerate(columns)}, self.groups_)
        return Records(scaled, y, protected, domain)


def load(path: Path | str) -> DpfairClassifier:
    """The fitted classifier in a model file of `DpfairClassifier.save` or `dpfair train --save`.

    It predicts as the classifier that was saved. X has the columns of the training table: those of
    the file of a user, raw as in the file, or the features of an array.

    Raises:
        DpfairError: the file is damaged, has no classifier, or has one that was fitted to a data
            set of dpfair, whose columns the file does not describe.
        OSError: the file cannot be read.
    """
    model = model_files.load(path)
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    if not callable(getattr(model, "predict", None)):
        raise DpfairError(f"the model in {path} makes no decisions: use `dpfair sample {path}`")
    if "table" not in content:
        raise DpfairError(
            f"the model in {path} was fitted to the data set {content.get('dataset')}: use "
            f"`dpfair predict {path}`"
        )
    facts = {field.name: content[field.name] for field in fields(Origin) if field.name in content}
    promised = FitGuarantee(**content["guarantee"])
    return _restored(model, Origin(**{**facts, "guarantee": promised}))


def _restored(model: Classifier, origin: Origin) -> DpfairClassifier:
    """The classifier with a fitted model, as `fit` left it."""
    known, encoding = from_json(origin.table)
    schema = known.schema
    found = DpfairClassifier(origin.algorithm, dict(origin.params))
    found.model_, found.origin_ = model, origin
    found.classes_ = np.array(origin.options.get("classes", schema.labels))
    found.groups_, found.names_ = schema.groups, (schema.label, schema.protected)
    columns = as_columns(schema.attributes)
    found.n_features_in_ = len(columns)
    domain = FrameDomain.of_columns(columns, encoding)
    found.low_, found.high_ = domain.ends
    # numbers can be in an array, too
    is_array = encoding == "one_hot" and set(map(type, columns.values())) == {Numeric}
    found.domain_ = None if is_array else domain
    if is_array:
        found.low, found.high = found.low_, found.high_
    if not is_array or [*columns] != _unnamed(found.n_features_in_):
        found.feature_names_in_ = np.array([*columns], dtype=object)
    if encoding == "one_hot":
        found._set_coefficients()
    return found


def _unnamed(number: int) -> list[str]:
    """The names of the features of an array."""
    return [f"x{j}" for j in range(number)]


def _columns_of_texts(X: Any) -> list[str]:
    """The names of the columns of a DataFrame that are not of numbers; empty for an array."""
    if not isinstance(X, pd.DataFrame):
        return []
    is_number = pd.api.types.is_numeric_dtype
    return [str(name) for name, kind in X.dtypes.items() if not is_number(kind)]


def _has_repeated_end(numbers: Floats) -> bool:
    """Whether the least or the largest number of a column is that of several rows, but not most."""
    usable = numbers[np.isfinite(numbers)]
    ends = (usable.min(initial=np.inf), usable.max(initial=-np.inf))
    return any(1 < np.count_nonzero(usable == end) < len(usable) / 2 for end in ends)


def _refuse(unsupported: Mapping[str, Any]) -> None:
    """Refuses arguments that `fit` does not have; None is no argument.

    Raises:
        TypeError: there is one.
    """
    given = [name for name, value in unsupported.items() if value is not None]
    if "sample_weight" in given:
        raise TypeError(
            "sample_weight is not possible: the noise of a method, and so its guarantee, is for "
            "records that count once each; leave it out, or choose a method that weighs records "
            "itself, such as reweighing"
        )
    for name in given:
        raise TypeError(f"fit() got an unexpected keyword argument {name!r}")


def _require_free(path: Path, *, force: bool) -> None:
    """Refuses a path at which there is a file, unless `force` is set, or none can be written.

    Raises:
        DpfairError: there is a file, or the path has the name of a privacy ledger.
        OSError: no file can be written.
    """
    if path.name.endswith(spending.SUFFIX):
        raise DpfairError(f"{path} has the name of a privacy ledger: give another file")
    if path.is_file() and not force:
        raise DpfairError(
            f"{path} exists already: give another file, or replace it with force=True"
        )
    require_writable(path)


def _say_outside(X: Floats, low: Floats, high: Floats, columns: Sequence[str]) -> None:
    """Warns of the values of X that are clipped to [low, high], and of NaN."""
    rounding = 1e-9 * (high - low)  # a scaler leaves 1.0000000000000002
    kinds = {
        "lie outside [low, high] and are clipped": (low - X > rounding) | (X - high > rounding),
        "are NaN and become the middle of [low, high]": np.isnan(X),
    }
    for fate, cells in kinds.items():
        for row, column in np.argwhere(cells)[:1]:  # the first one
            example = f"{X[row, column]:g} in {columns[column]}"
            words = f"{cells.sum()} of {X.size} values of X {fate}, such as {example}"
            _warn(words, DataWarning)


_said: set[str] = set()  # the warnings of this process


def _warn(text: str, category: type[Warning]) -> None:
    """Warns of a text, unless it is empty or this process has said it.

    Where the filters ask for more than the first of equal warnings, each is said. Python's own
    memory of warnings does not suffice: it is lost whenever filters change, and scikit-learn
    changes them in each fit of a search.
    """
    action = next(
        (
            action
            for action, pattern, kind, _, _ in warnings.filters
            if issubclass(category, kind) and (pattern is None or pattern.match(text))
        ),
        "default",
    )
    if not text or (action == "default" and text in _said):
        return
    if action == "default":
        _said.add(text)
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename == __file__:  # up to the caller of a method
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, level)


def _listed(what: str, values: Sequence[Any], names: Sequence[str], fallback: int) -> Ints:
    """The index of each value in `names`, (n,), in a fit and in a prediction.

    A value that is not in `names` counts as the name at the index `fallback`, with a warning.
    """
    places = places_of(values, names)
    others = np.flatnonzero(places < 0)
    if len(others):
        _warn(
            f"{len(others)} of {len(values)} values of {what} are not listed, such as "
            f"{values[others[0]]!r}: they count as {names[fallback]}",
            DataWarning,
        )
    return np.where(places < 0, fallback % len(names), places)


def _require_classifier(method: str) -> Algorithm:
    """The algorithm with the name `method`, which must fit a classifier of features in [0, 1].

    Raises:
        DpfairError: there is no such algorithm, or it does not fit such a classifier.
    """
    study, found = catalog.study("classification"), catalog.algorithm(method)
    every = map(catalog.algorithm, catalog.algorithms.names)
    # generators, which have options of the data, take tables of levels
    known = [one for one in every if matching.can_score(study, one) and not one.data_options]
    if found not in known:
        hint = nearest(method, [one.name for one in known])
        raise DpfairError(f"{method} is not a classifier of records: {hint}")
    found.require_complete()
    return found
