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

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.declarations import Method, Study
from dpfair_cli.contracts.errors import DpfairError, UnknownNameError
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.specs import PUBLISHED_IN, Layout, PrintedShape, Spec, Vocabulary
from dpfair_cli.running import spec_entries
from dpfair_cli.running.artefact_names import spec_file
from dpfair_cli.running.spec_entries import SpecEntries, known_names, require_known

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
    "recomputes": str,
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
    is_reanalysis = "reanalysis" in content
    whole = _reanalysed(content) if is_reanalysis else content
    _check_runs(whole)
    if quick:
        content = {**whole, **whole.get("quick", {})}
        _check_keys(content)
        _check_runs(content)
    else:
        content = whole
    # what the published numbers need is that of the full run
    entries = SpecEntries(content, whole, quick=quick)
    methods = entries.methods()
    if not is_reanalysis:
        _require_scorable(entries, methods)
    labels = {method.label for method in methods}
    return Spec(
        artefact=artefact,
        # in every table and figure, which may be passed on without the rest
        title=f"QUICK: {content['title']}" if quick else content["title"],
        source=content["source"],
        task=entries.task(),
        datasets=tuple(entries.datasets),
        methods=tuple(methods),
        seeds=content["seeds"],
        layout=_layout(content, entries, methods),
        published_runs=content.get("published_runs", 10),
        published_runs_on=spec_entries.published_runs_on(whole),
        published_runs_by=content.get("published_runs_by", ""),
        published_in=known_names(
            "the spec", "published_in", content.get("published_in", ["paper"]), PUBLISHED_IN
        ),
        chosen_by_cells=tuple(spec_entries.chosen_by_cells(whole)),
        labels=content.get("labels", {}),
        # headings of data sets that a quick run omits are known, too
        printed=_printed(content, entries.differing(methods, whole=True)),
        variants=tuple(content.get("variants", {})),
        task_variants=tuple(entries.task_variants()),
        task_chosen_by=str(entries.of_task.get("chosen_by", "")),
        methods_of=spec_entries.methods_of_variants(content["datasets"], labels),
        recomputes=content.get("recomputes", ""),
        is_reanalysis=is_reanalysis,
    )


def _reanalysed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a spec that compares printed values, with the keys of a spec that runs.

    A comparison stands in the place of a data set and a rule in that of a method, as in tables.
    """
    given = content["reanalysis"]
    allowed = [*REANALYSIS_KEYS, "published_in", "labels", *catalog.layouts.names]
    require_known("a spec with `reanalysis` has an unknown key", content, allowed)
    require_known("reanalysis has an unknown key", given, OF_REANALYSIS)
    comparisons, rules = given.get("comparisons", []), given.get("rules", [])
    if not all(isinstance(one, list) and one for one in (comparisons, rules)):
        raise DpfairError("reanalysis must have `comparisons` and `rules`, each a list of entries")
    task = {"name": "reanalysis"} | {key: given[key] for key in ("counted",) if key in given}
    return {**content, "task": task, "datasets": comparisons, "algorithms": rules, "seeds": 1}


def _check_keys(content: Any) -> None:
    """Refuses a spec whose keys, or the types of their values, are wrong."""
    if not isinstance(content, dict):
        raise DpfairError("a spec must be a mapping of keys, such as title, task, datasets")
    layouts = catalog.layouts.names
    require_known("a spec has an unknown key", content, [*TOP_KEYS, *layouts])
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
    require_known("quick has an unknown key", content.get("quick", {}), QUICK_KEYS)
    if content["seeds"] < 1 or content.get("published_runs", 1) < 1:
        raise DpfairError("the keys `seeds` and `published_runs` must be at least 1")
    if not content["datasets"] or not content["algorithms"]:
        raise DpfairError("the keys `algorithms` and `datasets` must each have at least one entry")


def _require_scorable(entries: SpecEntries, methods: list[Method]) -> None:
    """Refuses data that the task cannot use, and algorithms that it cannot score."""
    study = entries.study
    for source in (dataset.source for dataset in entries.datasets):
        if not matching.can_split(study, source):
            raise DpfairError(
                f"the data of {source.name} are of a type that the task {study.name} cannot use: "
                "choose another data set or task"
            )
    # of a grid, all methods have one algorithm
    for algorithm in dict.fromkeys(method.algorithm for method in methods):
        if why := matching.why_not_scored(study, algorithm):
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


def _layout(content: Mapping[str, Any], entries: SpecEntries, methods: list[Method]) -> Layout:
    """The layout (form of table or figure) of a spec, from the key that names a layout."""
    (kind,) = content.keys() & set(catalog.layouts.names)  # `_check_keys` has found exactly one
    study: Study = entries.study
    known = Vocabulary(
        scores=frozenset(study.scores),
        outputs=frozenset(study.outputs),
        parameters=frozenset({"method", *entries.differing(methods)}),
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
        names = [*shape.rows, *shape.columns]
        known = {"metric", "method", *parameters}
        require_known("the key `printed` of the spec names what no runs have,", names, known)
        if len({*names}) < len(names):
            raise ValueError("it names a heading twice: name it once, in `rows` or in `columns`")
        if not (shape.rows and shape.columns):
            raise ValueError("it must have at least one name in `rows` and in `columns`")
    return shape
