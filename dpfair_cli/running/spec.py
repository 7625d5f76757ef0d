"""Reads a spec from a YAML file and checks it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.declarations import Algorithm, DataSource, Study
from dpfair_cli.contracts.errors import DpfairError, UnknownNameError, nearest
from dpfair_cli.contracts.layouts import Vocabulary
from dpfair_cli.contracts.resolved import DataSet, Method
from dpfair_cli.contracts.specs import Layout, PrintedShape, Spec
from dpfair_cli.running import spec_entries
from dpfair_cli.running.artefact_names import spec_file

TOP_KEYS: dict[str, Any] = {
    "title": str,
    "source": str,
    "task": (str, dict),
    "datasets": list,
    "algorithms": list,
    "reanalysis": dict,
    "settings": dict,
    "per_dataset": dict,
    "variants": dict,
    "chosen_by": str,
    "seeds": int,
    "published_runs": int,
    "published_runs_by": str,
    "published_in": list,
    "labels": dict,
    "printed": dict,
    "quick": dict,
}
NEEDED_KEYS = ("title", "source", "task", "datasets", "algorithms", "seeds")
# of a spec of printed values, with which nothing is run
REANALYSIS_KEYS = ("title", "source", "reanalysis")
OF_REANALYSIS = ("comparisons", "rules", "counted")
QUICK_KEYS = ("seeds", "datasets", "algorithms", "task")


def load(artefact: str, *, quick: bool = False) -> Spec:
    """The spec of an artefact; `quick` applies the settings of the spec's section `quick`.

    Raises:
        DpfairError: there is no such artefact, or the file is not a spec.
    """
    return read(spec_file(artefact), artefact, quick=quick)


def read(path: Path, artefact: str, *, quick: bool = False) -> Spec:
    """The spec of an artefact in a YAML file; `quick` applies the section `quick` of the file.

    Raises:
        DpfairError: the file is not YAML or not a spec; the message names the file.
    """
    content = yaml_files.read(path)
    try:
        return parse(content, artefact, quick=quick)
    except DpfairError as error:
        is_unknown = isinstance(error, UnknownNameError)
        elsewhere = " (if a package declares it, install that)" if is_unknown else ""
        raise DpfairError(f"{path.name}: {error}{elsewhere}") from error


def parse(content: Any, artefact: str, *, quick: bool = False) -> Spec:
    """The spec described by the parsed content of a YAML file."""
    _check_keys(content)
    if "reanalysis" in content:
        return _reanalysis(content, artefact)
    _check_runs(content)
    whole = content
    if quick:
        content = {**content, **content.get("quick", {})}
        _check_keys(content)
        _check_runs(content)
    task = spec_entries.task(content["task"])
    datasets = spec_entries.data_sets(content["datasets"])
    every_dataset = spec_entries.data_sets(whole["datasets"])
    methods = spec_entries.methods(content, datasets, every_dataset, quick=quick)
    task_variants = spec_entries.task_variants(content, datasets, every_dataset, quick=quick)
    for dataset in datasets:
        _require_data(task.study, dataset.source)
    for algorithm in dict.fromkeys(method.algorithm for method in methods):
        _require_algorithm(task.study, algorithm)
    return Spec(
        artefact=artefact,
        title=content["title"],
        source=content["source"],
        task=task,
        datasets=tuple(datasets),
        methods=tuple(methods),
        seeds=content["seeds"],
        layout=_layout(content, task.study, datasets, methods),
        published_runs=content.get("published_runs", 10),
        published_runs_on=spec_entries.published_runs_on(whole),
        published_runs_by=content.get("published_runs_by", ""),
        published_in=spec_entries.published_in(content),
        chosen_by_cells=tuple(spec_entries.chosen_by_cells(whole)),
        labels=content.get("labels", {}),
        printed=_printed(content, task.study, every_dataset, methods),
        variants=tuple(content.get("variants", {})),
        task_variants=tuple(task_variants),
        task_chosen_by=spec_entries.task_chosen_by(content["task"]),
        methods_of=spec_entries.methods_of_variants(
            content["datasets"], {method.label for method in methods}
        ),
    )


def _reanalysis(content: Mapping[str, Any], artefact: str) -> Spec:
    """The spec of an artefact that compares printed values; a quick run compares them, too."""
    given, layouts = content["reanalysis"], catalog.layouts.names
    allowed = [*REANALYSIS_KEYS, "published_in", "labels", *layouts]
    _known(content, allowed, "a spec with `reanalysis`")
    _known(given, OF_REANALYSIS, "reanalysis")
    task, datasets, methods = spec_entries.reanalysed(given)
    return Spec(
        artefact=artefact,
        title=content["title"],
        source=content["source"],
        task=task,
        datasets=tuple(datasets),
        methods=tuple(methods),
        seeds=1,
        layout=_layout(content, task.study, datasets, methods),
        published_in=spec_entries.published_in(content),
        labels=content.get("labels", {}),
        is_reanalysis=True,
    )


def _check_keys(content: Any) -> None:
    if not isinstance(content, dict):
        raise DpfairError("a spec must be a mapping of keys, such as title, task, datasets")
    layouts = catalog.layouts.names
    _known(content, [*TOP_KEYS, *layouts], "a spec")
    for key, kind in TOP_KEYS.items():
        if key in content and (
            not isinstance(content[key], kind) or isinstance(content[key], bool)
        ):
            raise DpfairError(f"the value of the key `{key}` has the wrong type: {content[key]!r}")
    needed = REANALYSIS_KEYS if "reanalysis" in content else NEEDED_KEYS
    missing = [key for key in needed if key not in content]
    if missing:
        raise DpfairError(f"missing keys: a spec must have {', '.join(missing)}")
    if len(set(content) & set(layouts)) != 1:
        raise DpfairError(
            f"a spec must have exactly one key that names a layout: {' or '.join(layouts)}"
        )


def _check_runs(content: Mapping[str, Any]) -> None:
    """Refuses a spec that makes no run, or whose section `quick` has an unknown key."""
    _known(content.get("quick", {}), QUICK_KEYS, "quick")
    if content["seeds"] < 1 or content.get("published_runs", 1) < 1:
        raise DpfairError("the keys `seeds` and `published_runs` must be at least 1")
    if not content["datasets"] or not content["algorithms"]:
        raise DpfairError("the keys `algorithms` and `datasets` must each have at least one entry")


def _known(content: Mapping[str, Any], allowed: Collection[str], where: str) -> None:
    for key in content:
        if key not in allowed:
            raise DpfairError(f"{where} has an unknown key {key!r}: {nearest(str(key), allowed)}")


def _require_data(study: Study, source: DataSource) -> None:
    """Refuses a data source whose type of data the task cannot use."""
    if not matching.can_split(study, source):
        raise DpfairError(
            f"the data of {source.name} are of a type that the task {study.name} cannot use: "
            "choose another data set or task"
        )


def _require_algorithm(study: Study, algorithm: Algorithm) -> None:
    """Refuses an algorithm that the task cannot score, or whose declaration is incomplete."""
    if not matching.can_score(study, algorithm):
        why = matching.why_not_scored(study, algorithm)
        raise DpfairError(
            f"the task {study.name} cannot score the algorithm {algorithm.name}: {why}"
        )
    algorithm.require_complete()


def _layout(
    content: Mapping[str, Any], study: Study, datasets: list[DataSet], methods: list[Method]
) -> Layout:
    """The layout (form of table or figure) of a spec, from the key that names a layout."""
    (kind,) = set(content) & set(catalog.layouts.names)
    parameters = {"method", *_parameters(study, datasets, methods)}
    known = Vocabulary(
        scores=frozenset(study.scores),
        outputs=frozenset(study.outputs),
        parameters=frozenset(parameters),
        methods=frozenset(method.label for method in methods),
    )
    try:
        layout: Layout = from_mapping(catalog.layout(kind), content[kind])
        layout.check(known)
        if not layout.scores:
            raise ValueError("the layout must show at least one score: name a score of the task")
    except ValueError as error:
        raise DpfairError(f"the key `{kind}` of the spec: {error}") from error
    return layout


def _printed(
    content: Mapping[str, Any], study: Study, datasets: list[DataSet], methods: list[Method]
) -> PrintedShape:
    """The rows and columns of the printed table under the key `printed`, or the default ones."""
    if "printed" not in content:
        return PrintedShape()
    try:
        shape = from_mapping(PrintedShape, content["printed"])
    except ValueError as error:
        raise DpfairError(f"the key `printed` of the spec: {error}") from error
    names = [*shape.rows, *shape.columns]
    known = {"metric", "method", *_parameters(study, datasets, methods)}
    for name in names:
        if name not in known:
            raise DpfairError(
                f"the key `printed` of the spec names {name!r}, which no runs of the spec have: "
                f"{nearest(name, known)}"
            )
        if names.count(name) > 1:
            raise DpfairError(
                f"the key `printed` of the spec names {name!r} twice: name it once, in `rows` or "
                "in `columns`"
            )
    if not (shape.rows and shape.columns):
        raise DpfairError(
            "the key `printed` of the spec must have at least one name in `rows` and in `columns`"
        )
    return shape


def _parameters(study: Study, datasets: list[DataSet], methods: list[Method]) -> set[str]:
    """The names by which the runs of a spec can differ, except "method"."""
    names = {"dataset", *([study.axis] if study.axis else [])}
    names.update(*(dataset.options for dataset in datasets))
    names.update(*(method.params for method in methods))
    return names
