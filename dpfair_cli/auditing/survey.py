"""The audit of every private method and every variant of it: `dpfair audit --all`.

What is audited, and on which data, is said in the introduction of the result (survey_rows.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import audit
from dpfair_cli.auditing.finding import Finding
from dpfair_cli.auditing.published import PUBLISHED, audit_published
from dpfair_cli.auditing.subjects import candidates, completed, load_data
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import DataSet
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Status

NOWHERE = Path("there are no data here")  # a folder without data, so that replicas are taken
PAIRS = 40
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


@dataclass(frozen=True)
class Plan:
    """One audit that the survey of all private methods makes."""

    method: str
    variant: Mapping[str, Any]
    """Parameters that differ from their defaults."""
    datasets: tuple[str, ...]
    """The names of the data sets to try, in order."""
    pairs: int
    """How many pairs of neighbours are tried."""

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
    for variant in ({}, *_variants(method)):
        yield Plan(method, variant, tables, PAIRS)
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


def _has_several_groups(method: str) -> bool:
    """Whether a method depends on groups and can be fitted to more than two."""
    algorithm = catalog.algorithm(method)
    source = catalog.data_set(SEVERAL_GROUPS, {}).source
    two_only = "fairness" in algorithm.parameters  # the term of models/regression/fairness.py
    return algorithm.uses_groups and not two_only and matching.can_fit(algorithm, source)
