"""A model of the method that is best for a table, chosen with differential privacy.

One try draws one of the methods at random, fits it to the training records, and counts its correct
decisions about the held-out records, with noise. The best of a random number of tries is returned
(mechanisms/private_choice.py).

    epsilon = 3 (epsilon of the fit + epsilon of the count)
    delta = mean number of tries * delta of the fit

Proof. The fit is private by the guarantee of each method. Given the model, a record that is
replaced, added or removed changes the number of correct decisions by at most 1. One try is
therefore private with the sum of both epsilons and the delta of the fit (basic composition), and
the choice with three times the sum and the mean number of tries times delta.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Context, Decimal
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import BoundFit, DataSet, Method
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import (
    Definition,
    FitGuarantee,
    Guarantee,
    Neighbours,
    Status,
    delta_parameter,
)
from dpfair_cli.data_access import load, locate
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import mechanisms_used
from dpfair_cli.mechanisms.private_choice import FACTOR, best_of_random_tries
from dpfair_cli.mechanisms.secure import SecureGenerator
from dpfair_cli.release import guarantee, model_files, training
from dpfair_cli.release.privacy_ledger import LedgerEntry, require_counted
from dpfair_cli.release.released_scores import STUDY, correct, held_out_counts
from dpfair_cli.release.spending import entry_of, exact

PROMISE = Guarantee(  # of methods without a delta, for replace-one
    released="the name of the chosen method, its model and its noisy accuracy",
    neighbours=Neighbours.REPLACE_ONE,
    public="the number of records, the groups and the list of methods",
    status=Status.PROVED,
    proof="mechanisms/private_choice.py",
)
SOURCE = "Liu and Talwar 2019; Papernot and Steinke 2022; Kairouz, Oh and Viswanath 2015"
FIT_SHARE = Decimal("0.8")  # of the epsilon of a try; the rest is for the count
RECORDS = (Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE)
DOWN = Context(prec=12, rounding=ROUND_DOWN)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The result of a private choice; all of it may be published.

    Attributes:
        method: the chosen one of the methods that were given.
        accuracy: the noisy accuracy of the model, which is too large on average: it is the best of
            several.
        origin: the public facts for the model file, including the guarantee of the choice.
    """

    method: Method
    model: Any
    accuracy: float
    origin: model_files.Origin


def budget_of_try(epsilon: Decimal) -> tuple[float, float]:
    """The epsilon of a fit and that of a count, for a choice that costs `epsilon`.

    >>> budget_of_try(Decimal(3))
    (0.8, 0.2)
    """
    one = DOWN.divide(epsilon, FACTOR)
    fit = DOWN.multiply(FIT_SHARE, one)
    return float(fit), float(one - fit)


def delta_of_choice(methods: Collection[Method]) -> float:
    """The delta of a choice between methods: the largest of theirs; 0 if they have none."""
    return max((float(method.params.get("delta", 0.0)) for method in methods), default=0.0)


def in_a_try(method: Method, *, delta: float, mean_tries: int) -> Method:
    """The method with the delta of one try, for a choice that costs `delta`."""
    if "delta" not in method.params:
        return method
    one = DOWN.divide(exact(delta), mean_tries)
    return replace(method, params={**method.params, "delta": float(one)})


def promise_of(methods: Collection[Method]) -> Guarantee:
    """The guarantee of a choice between methods.

    Raises:
        DpfairError: the guarantee of a method is not proved or has another delta than its
            parameter, or those of two methods are about other neighbours.
    """
    for method in methods:
        _require_candidate(method)
    neighbours = {method.name: method.algorithm.guarantee.neighbours for method in methods}
    if len(set(neighbours.values())) > 1:
        pairs = ", ".join(f"{name} ({relation})" for name, relation in neighbours.items())
        raise DpfairError(f"choose between methods whose neighbours are the same, not {pairs}")
    pure = all(_is_pure(method) for method in methods)
    return replace(
        PROMISE,
        neighbours=next(iter(neighbours.values())),
        definition=Definition.PURE if pure else Definition.APPROXIMATE,
    )


def _require_candidate(method: Method) -> None:
    """Refuses a method whose guarantee does not suffice for a private choice."""
    promised = method.algorithm.guarantee
    proved = promised.status_with(method.params) is Status.PROVED
    stated = _is_pure(method) or (
        "delta" in method.params and promised.stated_delta is delta_parameter
    )
    if not (proved and stated and promised.neighbours in RECORDS):
        raise DpfairError(
            f"{method.name} cannot be a candidate: a private choice needs methods with a proved "
            "guarantee of one record, whose delta is a parameter if there is one"
        )


def _is_pure(method: Method) -> bool:
    """Whether a method has no delta."""
    pure = method.algorithm.guarantee.definition is Definition.PURE
    return pure and "delta" not in method.params


def entry_of_choice(
    purpose: str, promised: Guarantee, epsilon: Decimal, delta: float, broken: Collection[str]
) -> LedgerEntry:
    """The entry of a ledger for a choice; refuses one that breaks a condition of its guarantee."""
    params = {"epsilon": float(epsilon)}
    entry = entry_of(purpose, promised, params, broken=broken, delta=delta)
    require_counted(entry)
    return replace(entry, epsilon=epsilon)


def choose(
    dataset: DataSet,
    methods: Sequence[Method],
    *,
    epsilon: Decimal,
    mean_tries: int,
    data_dir: Path,
    before_fit: Callable[[Collection[str]], object],
) -> Chosen:
    """The best of a random number of tries, each with one of `methods` and the budget of a fit.

    The methods have the epsilon of a fit, and the delta of the whole choice.
    `before_fit` is called with the broken conditions of the guarantee, and spends from a ledger; if
    it raises an error, nothing is fitted.

    Raises:
        DpfairError: the data are not in the data folder, or a method refuses the data.
    """
    promised, delta = promise_of(methods), delta_of_choice(methods)
    tried = {in_a_try(one, delta=delta, mean_tries=mean_tries): one for one in methods}
    located = locate(dataset, data_dir=data_dir, replica_ok=True)
    study = matching.study_named(STUDY, dataset.source, [one.algorithm for one in methods])
    # also for the split and the tries: nobody may guess which method was tried
    rng = SecureGenerator()
    try:
        case = study.split(load(located), **study.complete({}), rng=rng)
        broken = guarantee.broken_by_bounds(case.train.bounds)
        before_fit(broken)  # spends: a process that is killed from here on has paid
        with mechanisms_used() as used:
            score, (method, model) = best_try(
                case, list(tried), epsilon=epsilon, mean_tries=mean_tries, rng=rng
            )
    except ValueError as error:
        raise DpfairError(f"{dataset.name}: {error}") from error
    training.require_unchanged(located)  # the ledger was asked about these files
    stated = replace(
        _stated(promised, method, epsilon, delta, broken),
        protects=guarantee.protects(promised, training.column_of_persons(dataset), delta=delta > 0),
        public=f"{PROMISE.public}; bounds: {training.bounds_of(dataset)}",
        arithmetic=guarantee.arithmetic(used.mechanisms, None),
        sampling=guarantee.sampling(used.samplings),
    )
    origin = training.origin_of(located, method, study, case, stated)
    return Chosen(tried[method], model, score / len(case.test), origin)


def best_try(
    case: Any,
    methods: Sequence[Method],
    *,
    epsilon: Decimal,
    mean_tries: int,
    rng: np.random.Generator,
) -> tuple[float, tuple[Method, Any]]:
    """The noisy number of correct decisions, the method and the model of the best try.

    `case` are the training and the held-out records, and `epsilon` is that of the whole choice.
    """
    of_count = budget_of_try(epsilon)[1]

    def attempt() -> tuple[float, tuple[Method, Any]]:
        method = methods[int(rng.integers(len(methods)))]
        model = BoundFit(method.name, method.algorithm, method.params)(case.train, rng=rng)
        right = correct(held_out_counts(model.predict(case.test), case.test))
        noisy = laplace(right, l1_sensitivity=1.0, epsilon=of_count, rng=rng)
        return float(noisy), (method, model)

    return best_of_random_tries(attempt, mean_tries=mean_tries, rng=rng)


def _stated(
    promised: Guarantee, method: Method, epsilon: Decimal, delta: float, broken: Collection[str]
) -> FitGuarantee:
    """The guarantee of a choice of `method` that breaks the conditions `broken`."""
    return FitGuarantee(
        str(promised.for_fit({"epsilon": float(epsilon)}, broken)),
        promised.promise,
        SOURCE,
        epsilon=str(epsilon),
        delta=f"{delta:.12g}" if delta else "",
        neighbours=promised.relation,
        released=promised.released,
        proof=f"{promised.proof}, {method.algorithm.guarantee.proof}",
        tests="tests/mechanisms/test_private_choice.py",
    )
