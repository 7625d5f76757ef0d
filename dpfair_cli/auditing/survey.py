"""The audits of `dpfair audit`: of a method on data that are chosen for it, and of all methods.

What `dpfair audit --all` audits, and on which data, is said in the introduction of the result
(survey_rows.py). PUBLISHED has what commands publish besides a fitted model:

- `released_scores`: the noisy counts of `dpfair train --release-scores`, for a model that does not
  depend on the held-out records. Its decisions are sometimes out of range or NaN, because the
  counts must be right for every model.
- `choice_of_a_method`: one try of `dpfair choose`, with the split, the fit and the noisy count. A
  try may cost a third of the epsilon of the choice (mechanisms/private_choice.py, whose tests
  compute the law of the best of a random number of tries).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack, get_args, get_origin

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import Amounts, audit, audit_fit
from dpfair_cli.auditing.finding import Finding
from dpfair_cli.auditing.replaying import Returned
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm, DataSet
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Guarantee, Status
from dpfair_cli.data_access import load, locate
from dpfair_cli.kinds import Data, Population
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.private_choice import FACTOR
from dpfair_cli.release import choosing, released_scores

# data sets for audits, in order of preference; a method uses those that it can be fitted to
FIRST = ("adult", "synthetic_categorical", "synthetic_gaussian", "mnist")
NOWHERE = Path("there are no data here")  # a folder without data, so that replicas are taken
PAIRS = 40
FEW_PAIRS = 4  # for each further value of a number
MORE_PAIRS = 400  # if the label says refuted and PAIRS pairs do not refute it
# options of synthetic data, whose tables grow with the number of variables
SMALL = {"nodes": 8, "most_levels": 2}
# for methods whose queries reach their sensitivities only for variables with three levels
MORE_LEVELS = {
    "sieve_pc": {"nodes": 5, "most_levels": 4},
    "tree_augmented_network": {"nodes": 12, "most_levels": 5},
}
# values of bounds, thresholds, weights and shares that are audited besides the default
OTHER_VALUES = {
    "alpha": 5.0,
    "attribute_ratio": 0.5,
    "clip": 1.0,
    "clip_norm": 2.0,
    "count_share": 0.5,
    "fairness_gap": 0.2,
    "largest_norm": 5.0,
    "mu": 0.1,
    "objective_share": 0.2,
    "significance": 0.1,
    "threshold": 0.5,
}
SEVERAL_GROUPS = "adult_race"
TABLE = "adult"  # for what is published besides a model
# columns of the result of an audit
NUMBERS = ("claimed", "accounted", "found", "largest_move", "attainable", "tightness")
PICTURES = "mnist"
PICTURE_PAIRS = 4
DATA_KEPT = 8  # data sets in memory
CANDIDATES = ("functional_mechanism", "pflr")  # the methods among which a try chooses


def completed(method: str, dataset: DataSet, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """All parameters of a method that is audited on a data set, of which some are `given`.

    Raises:
        DpfairError: a name is unknown, the method has no guarantee, or the data do not fit.
    """
    algorithm = catalog.algorithm(method)
    if not algorithm.guarantee.is_private:
        raise DpfairError(
            f"{method} has no privacy guarantee that can be audited: choose a private method"
        )
    params = algorithm.complete(given)
    if not matching.can_fit(algorithm, dataset.source):
        raise DpfairError(
            f"{method} cannot be fitted to the data set {dataset.name}: choose one of "
            f"{', '.join(candidates(method))}"
        )
    return params


def load_data(dataset: DataSet, data_dir: Path, *, seed: int) -> tuple[str, Data]:
    """The name or the file of a data set, and its data.

    If the data folder lacks the data, its replica is used. For a population, a sample is drawn.
    """
    # an audit needs neighbours, and not the real records
    located = locate(dataset, data_dir=data_dir, replica_ok=True)
    data: Data = load(located)
    if isinstance(data, Population):
        data = data.draw(np.random.default_rng(seed))[0]
    name = str(dataset.options.get("file", dataset.name))
    return f"{name}, a synthetic replica" if located.replica else name, data


def candidates(method: str) -> list[str]:
    """The names of the data sets on which a method can be audited.

    These are the data sets of FIRST that the method can be fitted to, and those of its own work
    or, without any, all others.
    """
    algorithm = catalog.algorithm(method)
    sources = map(catalog.data_source, catalog.data_sources.names)
    fitting = [source for source in sources if matching.can_fit(algorithm, source)]
    here = [source.name for source in fitting if not source.own_files]
    folder = algorithm.module.rpartition(".")[0].replace(".methods", ".data")  # of the same work
    own = [source.name for source in fitting if source.module.startswith(f"{folder}.")]
    return [name for name in (*FIRST, *own) if name in here] or here


class Published(NamedTuple):
    """Something that a command publishes."""

    fit: Callable[..., Any]  # a function of records, `epsilon` and `rng`; its result is published
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


@dataclass(frozen=True)
class Plan:
    """One audit that the survey of all private methods makes."""

    method: str
    variant: Mapping[str, Any]  # parameters that differ from their defaults
    datasets: tuple[str, ...]  # the names of the data sets to try, in order
    pairs: int  # how many pairs of neighbours are tried

    @property
    def label(self) -> Status:
        """The status of the guarantee that the method declares."""
        algorithm = catalog.algorithm(self.method)
        return algorithm.guarantee.status_with(algorithm.complete(self.variant))

    def on(self, dataset: str) -> dict[str, str]:
        """The first cells of the line of the survey for an audit on a data set."""
        return {
            "method": self.method,
            "variant": ", ".join(f"{name} {word}" for name, word in self.variant.items()),
            "data": dataset,
            "neighbours": str(catalog.algorithm(self.method).guarantee.neighbours),
            "label": str(self.label),
        }


def plans() -> list[Plan]:
    """The audits that the survey of all private methods makes, in their order."""
    names = catalog.algorithms.names
    private = [name for name in names if catalog.algorithm(name).guarantee.is_private]
    return list(chain.from_iterable(map(_plans, private)))


def surveyed(plan: Plan, *, seed: int = 0) -> Audited:
    """The line of the survey for one planned audit.

    The audit uses the first of the data sets of the plan that fits the method.
    """
    reasons = []
    for name in plan.datasets:
        try:
            return Audited(**plan.on(name), **_cells(_finding(plan, name, seed)))
        except (ValueError, DpfairError, ImportError) as error:
            reasons.append(str(error))
    empty = dict.fromkeys(NUMBERS, "")
    return Audited(**plan.on(plan.datasets[0]), **empty, verdict=f"not run: {reasons[0]}")


def surveyed_published(name: str, *, seed: int = 0) -> Audited:
    """The line of the survey for one entry of PUBLISHED."""
    guarantee, data = PUBLISHED[name].guarantee, _loaded(catalog.data_set(TABLE, {}), seed)
    params = {"epsilon": 1.0}
    found = audit_published(name, data, params=params, seed=seed, neighbours=PAIRS)
    relation, label = str(guarantee.neighbours), str(guarantee.status)
    return Audited(name, "", TABLE, relation, label, **_cells(found))


def _finding(plan: Plan, dataset: str, seed: int) -> Finding:
    """The result of one planned audit.

    If a guarantee with the status refuted is not contradicted, the audit is repeated with more
    pairs.
    """
    wanted = {**catalog.algorithm(plan.method).data_options, **MORE_LEVELS.get(plan.method, SMALL)}
    known = catalog.data_source(dataset).parameters
    loading = {key: value for key, value in wanted.items() if key in known}
    chosen = catalog.data_set(dataset, loading)
    params = completed(plan.method, chosen, plan.variant)
    audited = partial(audit, plan.method, _loaded(chosen, seed), params=params, seed=seed)
    found = audited(neighbours=plan.pairs)  # few, which suffice for most
    if found.holds and plan.label == Status.REFUTED:
        found = audited(neighbours=MORE_PAIRS)
    return found


@lru_cache(maxsize=DATA_KEPT)
def _loaded(dataset: DataSet, seed: int) -> Any:
    """The replica of a data set, or a sample of a population; many audits use the same one."""
    return load_data(dataset, NOWHERE, seed=seed)[1]


def _cells(found: Finding) -> dict[str, str]:
    """The other cells of the line of the survey, from the result of its audit."""
    delta = f", delta {found.delta:.3g}" if found.delta else ""
    return {
        "claimed": f"epsilon {found.claimed:g}{delta}",
        "accounted": f"{found.accounted:.4g}",
        "found": f"{found.found:.4g}",
        "largest_move": f"{found.largest_move:.4g}",
        "attainable": f"{found.attainable.share:.4g}",
        "tightness": f"{found.tightness:.4g}",
        "verdict": "holds" if found.holds else "refuted: " + "; ".join(found.problems),
    }


def _plans(method: str) -> Iterator[Plan]:
    here = candidates(method)
    tables = tuple(name for name in here if name != PICTURES)
    variants = [{}, *_variants(method)]
    yield from (Plan(method, variant, tables, PAIRS) for variant in variants)
    for name in catalog.algorithm(method).parameters:
        further = [{name: value} for value in further_values(method, name)]
        # one that is among the variants has more neighbours there
        yield from (Plan(method, one, tables, FEW_PAIRS) for one in further if one not in variants)
    if PICTURES in here:
        yield Plan(method, {}, (PICTURES,), PICTURE_PAIRS)
    if _has_several_groups(method):
        yield Plan(method, {}, (SEVERAL_GROUPS,), PAIRS)


def _variants(method: str) -> Iterator[dict[str, Any]]:
    """Yields the variants of a method: each word of a parameter, then OTHER_VALUES, each alone."""
    parameters = catalog.algorithm(method).parameters
    for name, parameter in parameters.items():
        if get_origin(parameter.annotation) is Literal:
            words = get_args(parameter.annotation)
            yield from ({name: word} for word in words if word != parameter.default)
    for name in parameters:
        if name in OTHER_VALUES:
            yield {name: other_value(method, name)}


def other_value(method: str, name: str) -> float:
    """The value in OTHER_VALUES of a parameter; half of it if this value is the default."""
    value = OTHER_VALUES[name]
    return value / 2 if value == catalog.algorithm(method).parameters[name].default else value


def further_values(method: str, name: str) -> list[float]:
    """Two allowed values of a number besides its default; fewer if a method refuses the others."""
    algorithm = catalog.algorithm(method)
    default = algorithm.parameters[name].default
    if isinstance(default, int):  # mostly a number of steps: fewer take less time
        tried: tuple[float, ...] = (default // 2, default // 4, default + 1, default + 2)
    elif isinstance(default, float):
        tried = (4 * default, default / 4, (1 + default) / 2, 0.5, 0.9, 5.0)
    else:
        return []
    others = [value for value in dict.fromkeys(tried) if value not in (default, math.inf)]
    return [value for value in others if _is_allowed(algorithm, name, value)][:2]


def _is_allowed(algorithm: Algorithm, name: str, value: float) -> bool:
    try:
        algorithm.complete({name: value})
    except (ValueError, DpfairError):
        return False
    return True


def _has_several_groups(method: str) -> bool:
    """Whether a method depends on groups and can be fitted to more than two."""
    algorithm = catalog.algorithm(method)
    source = catalog.data_set(SEVERAL_GROUPS, {}).source
    two_only = "alpha" in algorithm.parameters  # the term of models/regression/perturbation.py
    return algorithm.uses_groups and not two_only and matching.can_fit(algorithm, source)
