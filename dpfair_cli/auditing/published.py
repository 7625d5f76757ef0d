"""Audits of what commands publish besides a fitted model: scores, and a model chosen privately.

- `released_scores`: the noisy counts of `dpfair train --release-scores`, for a model that does not
  depend on the held-out records. Its decisions are sometimes out of range or NaN, because the
  counts must be right for every model.
- `choice_of_a_method`: one try of `dpfair choose`, with the split, the fit and the noisy count. A
  try may cost a third of the epsilon of the choice (mechanisms/private_choice.py, whose tests
  compute the law of the best of a random number of tries).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple, Unpack

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import Amounts, audit_fit
from dpfair_cli.auditing.finding import Finding
from dpfair_cli.auditing.replaying import Returned
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.guarantees import Guarantee
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.private_choice import FACTOR
from dpfair_cli.release import choosing, released_scores

CANDIDATES = ("functional_mechanism", "pflr")  # the methods among which a try chooses


class Published(NamedTuple):
    """Something that a command publishes."""

    fit: Callable[..., Any]
    """A function of records, `epsilon` and `rng`; its result is published."""
    guarantee: Guarantee


class _AnyDecisions:
    """A model whose decisions are out of range, in range or NaN, depending on the features."""

    def predict(self, records: Records) -> Floats:
        """Numbers from -1 to 2, or NaN for records whose first feature is in the middle, (n,)."""
        first = records.X[:, 0]
        return np.where(np.abs(first - 0.5) < 0.1, np.nan, 3 * first - 1)


def _scores(records: Records, *, epsilon: float, rng: np.random.Generator) -> Returned:
    model = _AnyDecisions()
    return Returned(released_scores.noisy_scores(model, records, epsilon=epsilon, rng=rng))


def _one_try(records: Records, *, epsilon: float, rng: np.random.Generator) -> Returned:
    """The noisy accuracy, the name and the model of one try, which may cost `epsilon`."""
    total = FACTOR * Decimal(repr(epsilon))  # so that one try may cost `epsilon`
    params = {"epsilon": choosing.budget_of_try(total)[0], "sensitivity": "tight"}
    methods = [catalog.method(name, params) for name in CANDIDATES]
    study = catalog.study(released_scores.STUDY)
    case = study.split(records, **study.complete({}), rng=rng)
    score, (method, model) = choosing.best_try(case, methods, epsilon=total, mean_tries=1, rng=rng)
    return Returned((score, method.name, model))


PUBLISHED: dict[str, Published] = {
    "released_scores": Published(_scores, released_scores.PROMISE),
    "choice_of_a_method": Published(_one_try, choosing.PROMISE),
}
"""What is published besides a fitted model, by the name that `dpfair audit` takes."""


def audit_published(
    name: str, records: Records, *, params: Mapping[str, Any], **amounts: Unpack[Amounts]
) -> Finding:
    """The result of the audit of one entry of PUBLISHED on neighbours of `records`.

    Raises:
        ValueError: every call was refused.
    """
    fit, guarantee = PUBLISHED[name]
    relation = guarantee.neighbours
    return audit_fit(name, fit, records, relation=relation, params=params, **amounts)
