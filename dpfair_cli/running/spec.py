"""Reads a spec from a YAML file and checks it.

    title: Risk difference
    source: Smith 2024, Table 1
    task: classification
    datasets: [adult]
    settings: {epsilon: [0.1, 1]}
    algorithms: [logistic_regression, {name: pflr, method: PFLR}]
    seeds: 10
    table: {rows: [epsilon, method], values: [demographic_parity_difference]}
    quick: {seeds: 2}

The last key but one names the layout. `spec_entries.py` reads the task, the data sets and the
methods.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.declarations import DataSet, Method, Study
from dpfair_cli.contracts.errors import DpfairError, UnknownNameError, nearest
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.specs import PUBLISHED_IN, Layout, PrintedShape, Spec, Vocabulary
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
    content = read_yaml(path)
    try:
        return parse(content, artefact, quick=quick)
    except DpfairError as error:
        # a method may be declared by a package that is not installed here
        is_unknown = isinstance(error, UnknownNameError)
        elsewhere = " (if a package declares it, install that)" if is_unknown else ""
        raise DpfairError(f"{path.name}: {error}{elsewhere}") from error


def parse(content: Any, artefact: str, *, quick: bool = False) -> Spec:
    """The spec described by the parsed content of a YAML file.

    Raises:
        DpfairError: the content is not a spec; the message says what is wrong.
    """
    _check_keys(content)
    if "reanalysis" in content:
        return _reanalysis(content, artefact)
    _check_runs(content)
    whole = content  # what the published numbers need is that of the full run
    if quick:
        content = {**content, **content.get("quick", {})}
        _check_keys(content)
        _check_runs(content)
    task = spec_entries.task(content["task"])
    datasets = spec_entries.data_sets(content["datasets"])
    # a quick run may name parameters of data sets that it omits
    every_dataset = spec_entries.data_sets(whole["datasets"])
    entries = spec_entries.MethodEntries(content, datasets, every_dataset, quick=quick)
    methods = entries.methods()
    _require_scorable(task.study, datasets, methods)
    labels = {method.label for method in methods}
    return Spec(
        artefact=artefact,
        title=content["title"],
        source=content["source"],
        task=task,
        datasets=tuple(datasets),
        methods=tuple(methods),
        seeds=content["seeds"],
        layout=_layout(content, task.study, _parameters(task.study, datasets, methods), methods),
        published_runs=content.get("published_runs", 10),
        published_runs_on=spec_entries.published_runs_on(whole),
        published_runs_by=content.get("published_runs_by", ""),
        published_in=_published_in(content),
        chosen_by_cells=tuple(spec_entries.chosen_by_cells(whole)),
        labels=content.get("labels", {}),
        # headings of data sets that a quick run omits are known, too
        printed=_printed(content, _parameters(task.study, every_dataset, methods)),
        variants=tuple(content.get("variants", {})),
        task_variants=tuple(entries.task_variants(content["task"])),
        task_chosen_by=str(spec_entries.with_name("tasks", content["task"]).get("chosen_by", "")),
        methods_of=spec_entries.methods_of_variants(content["datasets"], labels),
    )


def _reanalysis(content: Mapping[str, Any], artefact: str) -> Spec:
    """The spec of an artefact that compares printed values; a quick run compares them, too."""
    given, layouts = content["reanalysis"], catalog.layouts.names
    allowed = [*REANALYSIS_KEYS, "published_in", "labels", *layouts]
    _check_known(content, allowed, "a spec with `reanalysis`")
    _check_known(given, OF_REANALYSIS, "reanalysis")
    task, datasets, methods = spec_entries.reanalysed(given)
    return Spec(
        artefact=artefact,
        title=content["title"],
        source=content["source"],
        task=task,
        datasets=tuple(datasets),
        methods=tuple(methods),
        seeds=1,
        layout=_layout(content, task.study, _parameters(task.study, datasets, methods), methods),
        published_in=_published_in(content),
        labels=content.get("labels", {}),
        is_reanalysis=True,
    )


def _published_in(content: Mapping[str, Any]) -> tuple[str, ...]:
    """Where the published numbers stand: keys of PUBLISHED_IN, by default the paper."""
    given = content.get("published_in", ["paper"])
    return spec_entries.known_names("", "published_in", given, PUBLISHED_IN)


def _check_keys(content: Any) -> None:
    """Refuses a spec whose keys, or the types of their values, are wrong."""
    if not isinstance(content, dict):
        raise DpfairError("a spec must be a mapping of keys, such as title, task, datasets")
    layouts = catalog.layouts.names
    _check_known(content, [*TOP_KEYS, *layouts], "a spec")
    for key, value in content.items():
        kind = TOP_KEYS.get(key, object)
        if not isinstance(value, kind) or isinstance(value, bool):  # which is an integer in Python
            raise DpfairError(f"the value of the key `{key}` has the wrong type: {value!r}")
    needed = REANALYSIS_KEYS if "reanalysis" in content else NEEDED_KEYS
    missing = [key for key in needed if key not in content]
    if missing:
        raise DpfairError(f"missing keys: a spec must have {', '.join(missing)}")
    if len(content.keys() & set(layouts)) != 1:
        raise DpfairError(
            f"a spec must have exactly one key that names a layout: {' or '.join(layouts)}"
        )


def _check_runs(content: Mapping[str, Any]) -> None:
    """Refuses a spec that makes no run, or whose section `quick` has an unknown key."""
    _check_known(content.get("quick", {}), QUICK_KEYS, "quick")
    if content["seeds"] < 1 or content.get("published_runs", 1) < 1:
        raise DpfairError("the keys `seeds` and `published_runs` must be at least 1")
    if not content["datasets"] or not content["algorithms"]:
        raise DpfairError("the keys `algorithms` and `datasets` must each have at least one entry")


def _check_known(names: Iterable[Any], known: Collection[str], where: str) -> None:
    """Refuses a name that is not `known`; the message proposes the most similar one."""
    for name in names:
        if name not in known:
            raise DpfairError(f"{where} has an unknown key {name!r}: {nearest(str(name), known)}")


def _require_scorable(study: Study, datasets: list[DataSet], methods: list[Method]) -> None:
    """Refuses data that the task cannot use, and algorithms that it cannot score."""
    for source in (dataset.source for dataset in datasets):
        if not matching.can_split(study, source):
            raise DpfairError(
                f"the data of {source.name} are of a type that the task {study.name} cannot use: "
                "choose another data set or task"
            )
    # of a grid, all methods have one algorithm
    for algorithm in dict.fromkeys(method.algorithm for method in methods):
        if not matching.can_score(study, algorithm):
            why = matching.why_not_scored(study, algorithm)
            raise DpfairError(
                f"the task {study.name} cannot score the algorithm {algorithm.name}: {why}"
            )
        algorithm.require_complete()


@contextmanager
def _section(key: str) -> Iterator[None]:
    """A context whose ValueError is about a section of the spec, which the error then names."""
    try:
        yield
    except ValueError as error:
        raise DpfairError(f"the key `{key}` of the spec: {error}") from error


def _layout(
    content: Mapping[str, Any], study: Study, parameters: set[str], methods: list[Method]
) -> Layout:
    """The layout (form of table or figure) of a spec, from the key that names a layout."""
    (kind,) = content.keys() & set(catalog.layouts.names)  # `_check_keys` has found exactly one
    known = Vocabulary(
        scores=frozenset(study.scores),
        outputs=frozenset(study.outputs),
        parameters=frozenset({"method", *parameters}),
        methods=frozenset(method.label for method in methods),
    )
    with _section(kind):
        layout: Layout = from_mapping(catalog.layout(kind), content[kind])
        layout.check(known)  # the layout alone knows which of its names are scores
        if not layout.scores:
            raise ValueError("the layout must show at least one score: name a score of the task")
    return layout


def _printed(content: Mapping[str, Any], parameters: set[str]) -> PrintedShape:
    """The rows and columns of the printed table under the key `printed`, or the default ones."""
    if "printed" not in content:
        return PrintedShape()
    with _section("printed"):
        shape = from_mapping(PrintedShape, content["printed"])
        names, known = [*shape.rows, *shape.columns], {"metric", "method", *parameters}
        for name in names:
            if name not in known:
                hint = nearest(name, known)
                raise ValueError(f"it names {name!r}, which no runs of the spec have: {hint}")
        if len({*names}) < len(names):
            raise ValueError("it names a heading twice: name it once, in `rows` or in `columns`")
        if not (shape.rows and shape.columns):
            raise ValueError("it must have at least one name in `rows` and in `columns`")
    return shape


def _parameters(study: Study, datasets: list[DataSet], methods: list[Method]) -> set[str]:
    """The names by which the runs of a spec can differ, except "method"."""
    names = {"dataset", *([study.axis] if study.axis else [])}
    names.update(*(dataset.options for dataset in datasets))
    names.update(*(method.params for method in methods))
    return names
