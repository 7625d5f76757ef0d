"""A sweep: the spec that `dpfair sweep` writes for the user, over methods and epsilons of one data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.contracts import DpfairError, nearest
from dpfair_cli.spec import FigureLayout, Part, Spec, TableLayout

ROWS = ("method", "epsilon")


@dataclass(frozen=True)
class View:
    """What a sweep of a task shows: the methods it compares unless some are named, and their scores."""

    title: str
    methods: tuple[str, ...]
    table: TableLayout
    panels: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)


VIEWS = {
    "classification": View(
        title="Accuracy and risk difference",
        methods=("functional_mechanism", "relaxed_functional_mechanism", "pflr", "pflr_star"),
        table=TableLayout(
            rows=ROWS,
            values=("accuracy", "demographic_parity_difference"),
            also=("selection_rate", "majority_accuracy"),
        ),
        panels=("accuracy", "demographic_parity_difference"),
        labels={"accuracy": "accuracy", "demographic_parity_difference": "risk difference"},
    ),
    "causal_discovery": View(
        title="Edges found",
        methods=("pc", "priv_pc"),
        table=TableLayout(
            rows=ROWS,
            values=("skeleton_precision", "skeleton_recall", "skeleton_false_positive_rate"),
            also=("structural_hamming_distance", "orientation_f1", "edges", "true_edges"),
        ),
        panels=("skeleton_precision", "skeleton_recall"),
    ),
    "private_training": View(
        title="Accuracy lost to privacy",
        methods=("dpsgd", "dpsgd_f"),
        table=TableLayout(
            rows=ROWS,
            values=("total_change", "accuracy_change_difference"),
            also=("epsilon_moments", "epsilon_rdp", "epsilon_pld"),
        ),
        panels=("total_change", "accuracy_change_difference"),
        labels={"total_change": "change against SGD", "accuracy_change_difference": "largest difference of groups"},
    ),
}

UNKNOWN = View("Edges found", VIEWS["causal_discovery"].methods, TableLayout(rows=ROWS, values=("edges",)), ())


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
    task = catalog.task_of(dataset)
    view = VIEWS[task] if catalog.has_truth(dataset) else UNKNOWN
    methods = tuple(dict.fromkeys(methods)) or view.methods
    for method in methods:
        catalog.require_fit(dataset, method)
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
        title=f"{view.title} on {name}",
        source="dpfair sweep",
        task=Part(task, catalog.complete("tasks", task, {})),
        datasets=(Part(dataset, catalog.complete("datasets", dataset, options)),),
        algorithms=tuple(part for name in methods for part in _parts(name, epsilons, settings)),
        seeds=seeds,
        layout=view.table,
        labels=view.labels,
    )


def drawable(sweep: Spec) -> bool:
    """Whether there is something to draw: several epsilons, and scores between 0 and 1."""
    several = len({part.params["epsilon"] for part in sweep.algorithms if "epsilon" in part.params}) > 1
    return several and sweep.layout != UNKNOWN.table


def as_figure(sweep: Spec) -> Spec:
    """The same runs as a figure over epsilon."""
    return replace(sweep, layout=FigureLayout(x="epsilon", panels=VIEWS[sweep.task.name].panels))


def _parts(name: str, epsilons: Iterable[float], settings: Mapping[str, Any]) -> list[Part]:
    """One part for each epsilon, or one for a method without."""
    own = {key: value for key, value in settings.items() if key in catalog.parameters("algorithms", name)}
    points = [{"epsilon": epsilon} for epsilon in epsilons] if catalog.is_private(name) else [{}]
    shown = catalog.labelled(name)
    return [Part(name, catalog.complete("algorithms", name, {**own, **point}), shown, name) for point in points]
