"""A sweep: the spec that `dpfair sweep` writes for the user, over methods and epsilons of one data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.contracts import DpfairError, nearest
from dpfair_cli.spec import FigureLayout, Part, Spec, TableLayout

# what a sweep compares unless methods are named: private logistic regression, with and without fairness
DEFAULT_METHODS = ("functional_mechanism", "relaxed_functional_mechanism", "pflr", "pflr_star")

TABLE = TableLayout(
    rows=("method", "epsilon"),
    values=("accuracy", "demographic_parity_difference"),
    also=("selection_rate", "majority_accuracy"),
)
FIGURE = FigureLayout(x="epsilon", panels=("accuracy", "demographic_parity_difference"))
LABELS = {"accuracy": "accuracy", "demographic_parity_difference": "risk difference"}


def spec(
    dataset: str,
    options: Mapping[str, Any],
    *,
    methods: Iterable[str],
    epsilons: Iterable[float],
    settings: Mapping[str, Any],
    seeds: int,
) -> Spec:
    """The spec of a sweep; a setting goes to every method that has such a parameter.

    Raises:
        DpfairError: an unknown name, or a setting that no method takes.
    """
    methods = tuple(dict.fromkeys(methods)) or DEFAULT_METHODS
    known = {key for name in methods for key in catalog.parameters("algorithms", name)}
    for key in settings:
        if key not in known:
            raise DpfairError(f"no method here has a parameter {key!r}: {nearest(key, known)}")
    name = dataset
    if "file" in options:  # results of a user's adult.csv must not mix with those of adult
        stem = Path(options["file"]).name.split(".")[0]
        name = f"{stem}_file" if stem in catalog.names("datasets") else stem
    return Spec(
        artefact=f"sweeps/{name}",
        title=f"Accuracy and risk difference on {name}",
        source="dpfair sweep",
        task=Part("classification", catalog.complete("tasks", "classification", {})),
        datasets=(Part(dataset, catalog.complete("datasets", dataset, options)),),
        algorithms=tuple(part for name in methods for part in _parts(name, epsilons, settings)),
        seeds=seeds,
        layout=TABLE,
        labels=LABELS,
    )


def as_figure(sweep: Spec) -> Spec:
    """The same runs as a figure over epsilon."""
    return replace(sweep, layout=FIGURE)


def _parts(name: str, epsilons: Iterable[float], settings: Mapping[str, Any]) -> list[Part]:
    """One part for each epsilon, or one for a method without."""
    own = {key: value for key, value in settings.items() if key in catalog.parameters("algorithms", name)}
    points = [{"epsilon": epsilon} for epsilon in epsilons] if catalog.is_private(name) else [{}]
    shown = catalog.labelled(name)
    return [Part(name, catalog.complete("algorithms", name, {**own, **point}), shown, name) for point in points]
