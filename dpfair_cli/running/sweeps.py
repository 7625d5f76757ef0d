"""A sweep: the spec that `dpfair sweep` writes for the user, over methods and epsilons of one data
set.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.declarations import Sweep
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.specs import Layout, Part, Spec
from dpfair_cli.data_access import locating
from dpfair_cli.running.journal import Journal, Row
from dpfair_cli.running.plan import Pending, as_json, public_options

ROWS = ["method", "epsilon"]
SUFFIXES = re.compile(
    r"(?<=.)(\.(csv|tsv|edges|gz|zip))+$"
)  # of the files of data, which say nothing of them
LONGEST_NAME = 48  # characters of the data or of the methods, in the name of a folder, which file systems limit
DIGITS = 6
DOTTED = "majority_class"  # is in every panel of accuracy already
MOST_LINES = 6  # that a panel can hold: bands of more hide each other


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
    asked = _asked(dataset, methods)
    task = catalog.task_for(dataset, *asked)
    sweep = _sweep_of(task)
    methods = (*asked, *reference_methods_beside(dataset, asked))
    known = {key for name in methods for key in catalog.parameters("algorithms", name)}
    for key in settings:
        if key not in known:
            raise DpfairError(f"no method here has a parameter {key!r}: {nearest(key, known)}")
    shown, data = (
        _data_name(dataset, options),
        Part(dataset, catalog.complete("datasets", dataset, options)),
    )
    algorithms = tuple(part for name in methods for part in _parts(name, epsilons, settings))
    return Spec(
        artefact=f"sweeps/{shown}-{_joined(asked)}-{_digest(data, algorithms, seeds)}",
        title=f"{sweep.title} on {shown}",
        source="dpfair sweep",
        task=Part(task, catalog.complete("tasks", task, {})),
        datasets=(data,),
        algorithms=algorithms,
        seeds=seeds,
        layout=_table(dataset, sweep),
        labels=sweep.labels,
    )


def _asked(dataset: str, methods: Iterable[str]) -> tuple[str, ...]:
    """These methods, each once, or those of every sweep of such data."""
    return tuple(dict.fromkeys(methods)) or _sweep_of(catalog.dataset(dataset).task).methods


def reference_methods_beside(dataset: str, methods: Iterable[str]) -> tuple[str, ...]:
    """The methods that a sweep has beside those that were asked for."""
    asked = _asked(dataset, methods)
    sweep = _sweep_of(catalog.task_for(dataset, *asked))
    return tuple(
        name
        for name in sweep.reference_methods
        if name not in asked and catalog.fits_data(name, dataset)
    )


def without(sweep: Spec, refused: Mapping[Part, str]) -> Spec:
    """The sweep without the parts that cannot run, which its table names.

    Raises:
        DpfairError: none is left but reference_methods.
    """
    if not refused:
        return sweep
    left = tuple(part for part in sweep.algorithms if part not in refused)
    if {part.name for part in left} <= set(_sweep_of(sweep.task.name).reference_methods):
        raise DpfairError(describe_refusals(refused))
    return replace(sweep, algorithms=left, remarks=(f"{describe_refusals(refused)}.",))


def describe_refusals(refused: Mapping[Part, str]) -> str:
    """Which methods cannot run, and why, each reason once."""
    by_reason: dict[str, dict[str, None]] = {}
    for part, reason in refused.items():
        by_reason.setdefault(reason, {})[part.name] = None
    return "Cannot run: " + "; ".join(
        f"{', '.join(names)} ({reason})" for reason, names in by_reason.items()
    )


def figure(sweep: Spec) -> Spec | None:
    """The same runs as a figure over epsilon; None where there is nothing to draw: one epsilon, or
    no known truth.
    """
    several = (
        len({part.params["epsilon"] for part in sweep.algorithms if "epsilon" in part.params}) > 1
    )
    if not several or not catalog.dataset(sweep.datasets[0].name).truth:
        return None
    panels = _sweep_of(sweep.task.name).panels
    many = len({part.method for part in sweep.algorithms if "epsilon" in part.params}) > MOST_LINES
    layout = from_mapping(
        catalog.layout("facets" if many else "lines"), {"x": "epsilon", "panels": panels}
    )
    drawn = tuple(part for part in sweep.algorithms if part.name != DOTTED)
    return replace(sweep, layout=layout, algorithms=drawn)


def _sweep_of(task: str) -> Sweep:
    """What a task shows in a sweep."""
    found = catalog.task(task).sweep
    if found is None:
        raise DpfairError(f"the task {task} has no sweep")
    return found


def _table(dataset: str, sweep: Sweep) -> Layout:
    """The table of a sweep; without a known truth it holds what can be told all the same."""
    values, also = (
        (sweep.values, sweep.also)
        if catalog.dataset(dataset).truth
        else (sweep.known_without_truth, ())
    )
    return from_mapping(
        catalog.layout("table"),
        {"rows": ROWS, "values": values, "also": also, "baselines": sweep.baselines},
    )


def _data_name(dataset: str, options: Mapping[str, Any]) -> str:
    """The name of the data: a user's adult.csv must not mix with adult, nor a file's name with
    Markdown or paths.
    """
    if "file" not in options:
        return dataset
    name = Path(options["file"]).name
    stem = re.sub(r"[^\w-]", "_", SUFFIXES.sub("", name))[:LONGEST_NAME] or "own"
    return f"{stem}_file" if stem in catalog.names("datasets") else stem


def _joined(methods: Collection[str]) -> str:
    """The names of the methods, or their number where they would be too long for the name of a
    folder.
    """
    names = "+".join(methods)
    return names if len(names) <= LONGEST_NAME else f"{len(methods)}_methods"


def _digest(data: Part, algorithms: Iterable[Part], seeds: int) -> str:
    """Digits that are others for any other sweep: other bytes of the data, options, parameters,
    epsilons or seeds.
    """
    located = locating.declared(data.name, data.params, data_dir=Path())
    options = public_options(data.name, as_json(data.params))
    parts = [[part.name, as_json(part.params)] for part in algorithms]
    text = json.dumps([data.name, located.sha256, options, parts, seeds], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def adopt_rows(journal: Journal, planned: Iterable[Pending]) -> int:
    """Take over the missing rows that the journals of other sweeps beside this one have; returns
    how many.

    A journal that cannot be read has none.
    """
    missing = [pending.key for pending in planned if pending.reason]
    known: dict[str, Row] = {}
    for file in sorted(journal.path.parent.parent.glob("*/runs.jsonl")) if missing else ():
        with suppress(DpfairError):
            known |= Journal(file).rows
    rows = [known[key] for key in missing if key in known]
    if rows:
        journal.path.parent.mkdir(parents=True, exist_ok=True)
        journal.append(rows)
    return len(rows)


def _parts(name: str, epsilons: Iterable[float], settings: Mapping[str, Any]) -> list[Part]:
    """One part for each epsilon, or one for a method without."""
    own = {
        key: value
        for key, value in settings.items()
        if key in catalog.parameters("algorithms", name)
    }
    points = [{"epsilon": epsilon} for epsilon in epsilons] if catalog.is_private(name) else [{}]
    shown = catalog.labelled(name)
    return [
        Part(name, catalog.complete("algorithms", name, {**own, **point}), shown, name)
        for point in points
    ]
