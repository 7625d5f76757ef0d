"""Reads the entries of a spec: its task, data sets and methods with every parameter.

A parameter can be given in several places. The last of these places decides: `settings` of the
spec, `per_dataset` of the spec, the entry, `per_dataset` of the entry, in a quick run the section
`quick` inside each of these places, and the variant. `seeds` can be given in the same places, and
limits the number of the spec's seeds.

The entry `task` may have `variants`, too. A variant of the task is applied to the default variant
of every method, and may change parameters of the methods as well. A quick run leaves these variants
out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, product
from typing import Any, NamedTuple, get_origin

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import Algorithm, DataSource, Declaration, Study
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.resolved import DataSet, Method, Task
from dpfair_cli.contracts.specs import PUBLISHED_IN, ChosenByCells, TaskVariant

# every other key of an entry is a parameter
CHOSEN_BY_CELLS = "chosen_by_cells"
PUBLISHED_RUNS = "published_runs"
ENTRY_KEYS = (
    *("name", "method", "published", "datasets", "per_dataset", "variants"),
    *("chosen_by", CHOSEN_BY_CELLS),
)
TASK_KEYS = ("name", "variants", "chosen_by", CHOSEN_BY_CELLS)
LIMITS = ("seeds", "datasets", CHOSEN_BY_CELLS)  # keys of a variant that are not parameters


class Variant(NamedTuple):
    """One interpretation of what a paper leaves open, or one change that is tried."""

    name: str
    """The name, which is appended to the label of a method; empty for the default variant."""

    changes: Mapping[str, Any]
    """The changed parameters, and `seeds` and `datasets` if the variant limits these."""


DEFAULT = Variant("", {})


class Settings(NamedTuple):
    """The parameter values and variants in a spec, or in one entry of its `algorithms`."""

    values: Mapping[str, Any]
    """The values for all data sets."""

    per_dataset: Mapping[str, Mapping[str, Any]]
    """The values for single data sets, by name."""

    variants: tuple[Variant, ...]
    """The variants that are not the default."""

    def layers(self, dataset: str) -> list[Mapping[str, Any]]:
        """The parameters for a data set as mappings, of which later ones override earlier ones."""
        return [self.values, self.per_dataset.get(dataset, {})]


class AlgorithmEntry(NamedTuple):
    """An entry of the list `algorithms` of a spec."""

    algorithm: Algorithm
    """The algorithm that is fitted."""

    label: str
    """The name that tables print."""

    published: str
    """The name of the method in published.csv."""

    datasets: Sequence[str]
    """The names of the data sets on which the method runs; empty for all."""

    chosen_by: str
    """The reason for the choice of the default variant."""

    own: Settings
    """The parameters in the entry."""


class AllowedNames(NamedTuple):
    """The parameters and data sets that a spec or one of its entries may name."""

    place: str
    """The label of the entry; empty for the spec."""

    unknown: str
    """The first words of the message about an unknown parameter."""

    parameters: Collection[str]
    """The names of the parameters."""

    datasets: Collection[str]
    """The names of the data sets."""

    def settings(self, values: Any, content: Mapping[str, Any]) -> Settings:
        """The parameters `values`, with `per_dataset` and `variants` from `content`, checked."""
        per_dataset = self.mapping("per_dataset", content.get("per_dataset", {}))
        self.check_datasets(list(per_dataset))
        self._check_layer(values)
        of_spec = () if self.place else (PUBLISHED_RUNS,)
        for name, layer in per_dataset.items():
            self._check_layer(self.mapping(name, layer), *of_spec)
        variants = self.mapping("variants", content.get("variants", {}))
        return Settings(values, per_dataset, tuple(map(self._variant, variants.items())))

    def _check_layer(self, layer: Mapping[str, Any], *others: str) -> None:
        self.check_keys(layer, "seeds", "quick", *others)
        self.check_keys(self.mapping("quick", layer.get("quick", {})), "seeds")

    def _variant(self, given: tuple[str, Any]) -> Variant:
        name, changes = given
        self.check_keys(self.mapping(name, changes), *LIMITS)
        self.check_datasets(changes.get("datasets", []))
        if not changes.keys() & set(self.parameters):
            raise self.refusal(f"the variant {name!r} must change at least one parameter")
        return Variant(name, changes)

    def check_keys(self, values: Mapping[str, Any], *others: str) -> None:
        """Raises an error for a key of `values` that is neither a parameter nor one of `others`."""
        allowed = {*self.parameters, *others}
        for key in values:
            if key not in allowed:
                raise DpfairError(f"{self.unknown} {key!r}: {nearest(str(key), allowed)}")

    def check_datasets(self, names: Any) -> None:
        """Raises an error if `names` is not a list of names of the spec's data sets."""
        if not isinstance(names, list):
            raise self.refusal(f"datasets must be a list of names, got {names!r}")
        for name in names:
            if name not in self.datasets:
                hint = nearest(str(name), self.datasets)
                raise self.refusal(f"unknown data set {name!r}: {hint}")

    def mapping(self, key: Any, value: Any) -> dict[str, Any]:
        """The mapping `value` under a spec's `key`, with keys as text; other values are refused."""
        if not isinstance(value, dict):
            raise self.refusal(f"{key} must be a mapping of parameters, got {value!r}")
        return {str(name): inner for name, inner in value.items()}

    def refusal(self, why: str) -> DpfairError:
        """The error with the message `why`, preceded by the place of the mistake in the spec."""
        return DpfairError(f"{self.place}: {why}" if self.place else why)


def task(entry: Any) -> Task:
    """The default task that a spec's entry `task` describes.

    Raises:
        DpfairError: a parameter is unknown or a list of values.
    """
    content = _with_name("tasks", entry)
    given = {key: value for key, value in content.items() if key not in TASK_KEYS}
    return _task(catalog.study(content["name"]), given)


def _task(study: Study, given: Mapping[str, Any]) -> Task:
    points = _points(study, given)
    if len(points) > 1:
        raise DpfairError(
            "every parameter of a task must have one value, not a list: use `variants` of the task"
        )
    return Task(study, points[0])


def task_chosen_by(entry: Any) -> str:
    """The reason for the choice of the default variant of the task in a spec's entry `task`."""
    return str(_with_name("tasks", entry).get("chosen_by", ""))


def task_variants(
    content: Mapping[str, Any],
    datasets: Sequence[DataSet],
    whole: Sequence[DataSet],
    *,
    quick: bool,
) -> list[TaskVariant]:
    """The variants of the task of a spec, each with the default variants of the methods.

    The arguments are those of `methods`.
    """
    if quick:
        return []
    entry = _with_name("tasks", content["task"])
    study, read = catalog.study(entry["name"]), _Entries.read(content, datasets, whole)
    given = {key: value for key, value in entry.items() if key not in TASK_KEYS}
    unknown = f"the task {study.name} has no parameter"
    allowed = AllowedNames("task", unknown, {*study.parameters, *read.parameters}, read.known)
    found = []
    for variant in allowed.settings(given, entry).variants:
        own = study.parameters.keys() & variant.changes.keys()
        if not own:
            raise DpfairError(f"task: the variant {variant.name!r} must change the task")
        changes = {key: variant.changes[key] for key in own}
        alike = read.methods_under(variant, quick=quick)
        found.append(TaskVariant(variant.name, _task(study, given | changes), alike))
    return found


def published_runs_on(content: Mapping[str, Any]) -> dict[str, int]:
    """Data set -> the number of runs in its published means, for `per_dataset` of a spec.

    Raises:
        DpfairError: the number is not an integer of at least 1.
    """
    layers = content.get("per_dataset", {})
    found = {
        name: layer[PUBLISHED_RUNS] for name, layer in layers.items() if PUBLISHED_RUNS in layer
    }
    for name, number in found.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise DpfairError(f"{name}: {PUBLISHED_RUNS} must be at least 1, got {number!r}")
    return found


def published_in(content: Mapping[str, Any]) -> tuple[str, ...]:
    """Where the published numbers of a spec stand: keys of PUBLISHED_IN, without the key the paper.

    Raises:
        DpfairError: a word is unknown.
    """
    words = tuple(map(str, content.get("published_in", ["paper"])))
    for word in words:
        if word not in PUBLISHED_IN:
            raise DpfairError(f"published_in: unknown {word!r}: {nearest(word, PUBLISHED_IN)}")
    return words


def chosen_by_cells(content: Mapping[str, Any]) -> list[ChosenByCells]:
    """The variants of a spec that were chosen because they come near to published cells.

    An entry of `algorithms`, or a variant of an entry, names the data sets of these cells. The
    entry `task`, a variant of the task, or a variant of the spec names the methods of these cells,
    on all data sets.

    Raises:
        DpfairError: the value of a key is not a list of names of the spec.
    """
    datasets = [_with_name("datasets", entry)["name"] for entry in content["datasets"]]
    entries = [_with_name("algorithms", entry) for entry in content["algorithms"]]
    found, methods = [], []
    for entry in entries:
        label = str(entry.get("method", entry["name"]))
        method = str(entry.get("published", label))
        methods.append(method)
        for variant, given in {"": entry, **entry.get("variants", {})}.items():
            names = _names_in(given, f"{label}, {variant}" if variant else label, datasets)
            found += [ChosenByCells(method, str(variant), names)] if names else []
    task_entry = _with_name("tasks", content["task"])
    shared = {"": task_entry, **task_entry.get("variants", {}), **content.get("variants", {})}
    for variant, given in shared.items():
        names = _names_in(given, str(variant) or "task", methods)
        found += [ChosenByCells(name, str(variant), tuple(datasets)) for name in names]
    return found


def _names_in(content: Mapping[str, Any], place: str, known: Sequence[str]) -> tuple[str, ...]:
    """The names in the list `chosen_by_cells`; empty without this key."""
    names = content.get(CHOSEN_BY_CELLS, [])
    if not isinstance(names, list):
        raise DpfairError(f"{place}: {CHOSEN_BY_CELLS} must be a list of names, got {names!r}")
    for name in names:
        if name not in known:
            hint = nearest(str(name), known)
            raise DpfairError(f"{place}: {CHOSEN_BY_CELLS} has an unknown name {name!r}: {hint}")
    return tuple(dict.fromkeys(names))


def reanalysed(content: Mapping[str, Any]) -> tuple[Task, list[DataSet], list[Method]]:
    """The task, comparisons and rules under the key `reanalysis` of a spec."""
    from dpfair_cli import reanalysis  # here, because few specs need it

    given = {key: value for key, value in content.items() if key == "counted"}
    entries = content.get("comparisons", []), content.get("rules", [])
    if not all(isinstance(one, list) and one for one in entries):
        raise DpfairError("reanalysis must have `comparisons` and `rules`, each a list of entries")
    comparisons, rules = entries
    datasets = chain.from_iterable(_data_sets_of(one, reanalysis.pairing) for one in comparisons)
    methods = [_rule(one, reanalysis.rule) for one in rules]
    return _task(reanalysis.TASK, given), list(datasets), methods


def _rule(entry: Any, named: Callable[[str], Algorithm]) -> Method:
    content = _with_name("rules", entry)
    rule = named(content.pop("name"))
    label = str(content.pop("method", rule.name))
    return Method(rule, rule.complete(content), label, label)


def data_sets(entries: Iterable[Any]) -> list[DataSet]:
    """The data sets that the entries of a spec describe, followed by their variants."""
    return list(chain.from_iterable(map(_data_sets_of, entries)))


def _data_sets_of(
    entry: Any, named: Callable[[str], DataSource] = catalog.data_source
) -> list[DataSet]:
    content = _with_name("datasets", entry)
    source, variant = named(content.pop("name")), str(content.pop("variant", ""))
    content.pop("methods", [])
    return [DataSet(source, options, variant) for options in _points(source, content)]


def methods_of_variants(entries: Iterable[Any], labels: Collection[str]) -> dict[str, list[str]]:
    """Variant of the data -> the methods that run on it, for entries with the key `methods`.

    Raises:
        DpfairError: the entry has no variant, or names a method that is not among `labels`.
    """
    found: dict[str, list[str]] = {}
    for content in (_with_name("datasets", entry) for entry in entries):
        if "methods" in content:
            variant, given = str(content.get("variant", "")), content["methods"]
            place = f"{content['name']}, {variant}" if variant else content["name"]
            if not variant or not isinstance(given, list):
                raise DpfairError(f"{place}: methods must be a list of names, of a variant")
            for label in given:
                if label not in labels:
                    hint = nearest(str(label), labels)
                    raise DpfairError(f"{place}: unknown method {label!r}: {hint}")
            found[variant] = given
    return found


def methods(
    content: Mapping[str, Any],
    datasets: Sequence[DataSet],
    whole: Sequence[DataSet],
    *,
    quick: bool,
) -> list[Method]:
    """The methods of a spec on `datasets`, from its list `algorithms` and its variants.

    The variants of an entry follow the entry. The variants of the whole spec repeat all entries
    that have the changed parameters. `whole` are the data sets of a full run: a quick run may omit
    some of them together with their settings.
    """
    read = _Entries.read(content, datasets, whole)
    found: list[Method] = []
    for entry, variants in _under_variants(read.entries, read.shared):
        found += _methods_of(entry, read.shared, variants, read.names, quick=quick)
    return found


class _Entries(NamedTuple):
    """The entries of the list `algorithms` of a spec, with the settings that they share."""

    entries: list[AlgorithmEntry]
    """The entries."""

    shared: Settings
    """The parameters and variants of the whole spec."""

    names: list[str]
    """The names of the data sets of this run."""

    known: list[str]
    """The names of the data sets of this run and of a full run."""

    parameters: frozenset[str]
    """The names of the parameters of all methods."""

    @classmethod
    def read(
        cls, content: Mapping[str, Any], datasets: Sequence[DataSet], whole: Sequence[DataSet]
    ) -> _Entries:
        """The entries in a spec; the arguments are those of `methods`."""
        names = list(dict.fromkeys(dataset.name for dataset in datasets))
        known = list(dict.fromkeys([*names, *(dataset.name for dataset in whole)]))
        chosen_by = content.get("chosen_by", "")
        entries = [_algorithm_entry(given, known, chosen_by) for given in content["algorithms"]]
        taken = set(chain.from_iterable(entry.algorithm.parameters for entry in entries))
        allowed = AllowedNames("", "no method of this spec has a parameter", taken, known)
        values = allowed.mapping("settings", content.get("settings", {}))
        return cls(entries, allowed.settings(values, content), names, known, frozenset(taken))

    def methods_under(self, variant: Variant, *, quick: bool) -> tuple[Method, ...]:
        """The default variants of all methods under a variant of the task.

        The variant limits the data sets and seeds, may change parameters of the methods, and adds
        its name to the labels.
        """
        limit = _number_of_seeds(variant.name, variant.changes.get("seeds", 0))
        changes = {key: variant.changes[key] for key in self.parameters & variant.changes.keys()}
        renamed = Variant(
            variant.name, {"datasets": variant.changes.get("datasets", []), **changes}
        )
        found: list[Method] = []
        for entry in self.entries:
            found += _methods_of(entry, self.shared, [renamed], self.names, quick=quick)
        return tuple(replace(one, seeds=_lesser(one.seeds, limit)) for one in found)


def _under_variants(
    entries: Sequence[AlgorithmEntry], shared: Settings
) -> Iterator[tuple[AlgorithmEntry, tuple[Variant, Variant]]]:
    """Yields each entry of `algorithms` with each pair (variant of the entry, variant of the spec).

    The order is that of the table.
    """
    for variant, entry in product((DEFAULT, *shared.variants), entries):
        if variant is DEFAULT or variant.changes.keys() & entry.algorithm.parameters.keys():
            for own in (DEFAULT, *entry.own.variants):
                yield entry, (own, variant)


def _algorithm_entry(given: Any, known: Collection[str], chosen_by: str) -> AlgorithmEntry:
    """An entry of the list `algorithms` of a spec as an object, after checks."""
    content = _with_name("algorithms", given)
    algorithm, datasets = catalog.algorithm(content["name"]), content.get("datasets", [])
    label = str(content.get("method", algorithm.name))
    unknown = f"{algorithm.name} has no parameter"
    allowed = AllowedNames(label, unknown, algorithm.parameters, known)
    allowed.check_keys(content, "seeds", "quick", *ENTRY_KEYS)
    allowed.check_datasets(datasets)
    values = {key: value for key, value in content.items() if key not in ENTRY_KEYS}
    own = allowed._replace(datasets=datasets or known).settings(values, content)
    published = str(content.get("published", label))
    chosen_by = str(content.get("chosen_by", chosen_by))
    return AlgorithmEntry(algorithm, label, published, datasets, chosen_by, own)


def _methods_of(
    entry: AlgorithmEntry,
    shared: Settings,
    variants: Sequence[Variant],
    datasets: Sequence[str],
    *,
    quick: bool,
) -> Iterator[Method]:
    """Yields the methods of an entry of `algorithms` under variants.

    Data sets with equal parameters share one method.
    """
    label = ", ".join([entry.label, *(variant.name for variant in variants if variant.name)])
    changes = [variant.changes for variant in variants]
    run_on = list(datasets)
    for limit in (entry.datasets, *(changed.get("datasets", ()) for changed in changes)):
        if limit:
            run_on = [name for name in run_on if name in limit]

    def values(dataset: str) -> dict[str, Any]:
        return _values(entry, shared, dataset, changes, quick=quick)

    for given, alike in groupby(run_on, values):
        seeds = _number_of_seeds(label, given.get("seeds", 0))
        names = tuple(alike)
        said = {key: value for key, value in given.items() if key != "seeds"}
        for params in _points(entry.algorithm, said):
            yield Method(
                entry.algorithm, params, label, entry.published, names, seeds, entry.chosen_by
            )


def _values(
    entry: AlgorithmEntry,
    shared: Settings,
    dataset: str,
    changes: Iterable[Mapping[str, Any]],
    *,
    quick: bool,
) -> dict[str, Any]:
    """The parameter values of a method on a data set, together with its number of `seeds`."""
    layers = shared.layers(dataset) + entry.own.layers(dataset)
    instead = [layer.get("quick", {}) for layer in layers] if quick else []
    said: dict[str, Any] = {}
    for layer in (*layers, *instead, *changes):
        said |= layer
    taken = {*entry.algorithm.parameters, "seeds"}
    return {key: value for key, value in said.items() if key in taken}


def _number_of_seeds(label: str, seeds: Any) -> int:
    if not isinstance(seeds, int) or isinstance(seeds, bool) or seeds < 0:
        raise DpfairError(f"{label}: seeds must be a number of seeds, got {seeds!r}")
    return seeds


def _lesser(one: int, other: int) -> int:
    """The lesser of two limits of the number of seeds, where 0 is no limit."""
    return min(filter(None, (one, other)), default=0)


def _points(declaration: Declaration, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All combinations of parameter values, where a list of values is an axis of the table.

    If a parameter itself takes several values, a list is one value. Missing parameters get their
    defaults.

    Raises:
        DpfairError: a list is empty, a parameter is unknown, or a value is not allowed.
    """
    known = declaration.parameters
    several = {key for key in known if get_origin(known[key].annotation) is tuple}
    axes = [
        value if isinstance(value, list) and key not in several else [value]
        for key, value in given.items()
    ]
    if not all(axes):
        raise DpfairError(f"{declaration.name}: a list of values of a parameter must not be empty")
    grid = [dict(zip(given, point, strict=True)) for point in product(*axes)]
    return [declaration.complete(point) for point in grid]


def _with_name(kind: str, entry: Any) -> dict[str, Any]:
    """An entry of a spec as a mapping with the key `name`; a text stands for the name alone."""
    if isinstance(entry, str):
        return {"name": entry}
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise DpfairError(
            f"an entry of {kind} must be a name, or a mapping with a name, got {entry!r}"
        )
    return dict(entry)
