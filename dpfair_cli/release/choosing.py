"""A model of the method that is best for a table, chosen with differential privacy.

One try draws one of the methods at random, fits it to the training records, and counts its correct
decisions about the held-out records, with noise. The best of a random number of tries is returned
(mechanisms/private_choice.py).

    epsilon = 3 (epsilon of the fit + epsilon of the count)

Proof. The fit is private by the guarantee of each method. Given the model, one replaced record
changes the number of correct decisions by at most 1. One try is therefore private with the sum of
both epsilons (basic composition), and the choice with three times the sum.
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
)
from dpfair_cli.data_access import load, locate
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import mechanisms_used
from dpfair_cli.mechanisms.private_choice import FACTOR, best_of_random_tries
from dpfair_cli.mechanisms.secure import SecureGenerator
from dpfair_cli.release import guarantee, model_files, training
from dpfair_cli.release.privacy_ledger import LedgerEntry, require_counted
from dpfair_cli.release.released_scores import STUDY, correct, held_out_counts
from dpfair_cli.release.spending import entry_of

PROMISE = Guarantee(
    released="the name of the chosen method, its model and its noisy accuracy",
    neighbours=Neighbours.REPLACE_ONE,
    public="the number of records, the groups and the list of methods",
    status=Status.PROVED,
    proof="mechanisms/private_choice.py",
)
SOURCE = "Liu and Talwar 2019; Papernot and Steinke 2022"
FIT_SHARE = Decimal("0.8")  # of the epsilon of a try; the rest is for the count
DOWN = Context(prec=12, rounding=ROUND_DOWN)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The result of a private choice; all of it may be published.

    Attributes:
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


def require_candidate(method: Method) -> None:
    """Refuses a method whose guarantee does not suffice for a private choice.

    Raises:
        DpfairError: the guarantee is not proved, has a delta, or is not about replace-one.
    """
    promised = method.algorithm.guarantee
    pure = promised.definition is Definition.PURE and "delta" not in method.params
    proved = promised.status_with(method.params) is Status.PROVED
    if not (pure and proved and promised.neighbours is Neighbours.REPLACE_ONE):
        raise DpfairError(
            f"{method.name} cannot be a candidate: a private choice needs methods with a proved "
            "epsilon-differential privacy, without a delta, for the neighbours replace-one"
        )


def entry_of_choice(purpose: str, epsilon: Decimal, broken: Collection[str]) -> LedgerEntry:
    """The entry of a ledger for a choice; refuses one that breaks a condition of its guarantee."""
    entry = entry_of(purpose, PROMISE, {"epsilon": float(epsilon)}, broken=broken)
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
    """The best of a random number of tries, each with one of `methods` and the epsilon of a fit.

    `before_fit` is called with the broken conditions of the guarantee, and spends from a ledger; if
    it raises an error, nothing is fitted.

    Raises:
        DpfairError: the data are not in the data folder, or a method refuses the data.
    """
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
                case, methods, epsilon=epsilon, mean_tries=mean_tries, rng=rng
            )
    except ValueError as error:
        raise DpfairError(f"{dataset.name}: {error}") from error
    training.require_unchanged(located)  # the ledger was asked about these files
    promised = replace(
        _promised(method, epsilon, broken),
        public=f"{PROMISE.public}; bounds: {training.bounds_of(dataset)}",
        arithmetic=guarantee.arithmetic(used.mechanisms, None),
        sampling=guarantee.sampling(used.samplings),
    )
    origin = training.origin_of(located, method, study, case, promised)
    return Chosen(method, model, score / len(case.test), origin)


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


def _promised(method: Method, epsilon: Decimal, broken: Collection[str]) -> FitGuarantee:
    """The guarantee of a choice of `method` that breaks the conditions `broken`."""
    return FitGuarantee(
        str(PROMISE.for_fit({"epsilon": float(epsilon)}, broken)),
        PROMISE.promise,
        SOURCE,
        epsilon=str(epsilon),
        neighbours=PROMISE.relation,
        released=PROMISE.released,
        proof=f"{PROMISE.proof}, {method.algorithm.guarantee.proof}",
        tests="tests/mechanisms/test_private_choice.py",
    )
