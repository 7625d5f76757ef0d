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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, product
from typing import Any, NamedTuple, get_origin

from dpfair_cli import catalog
from dpfair_cli.contracts.conversion import convert
from dpfair_cli.contracts.declarations import (
    Algorithm,
    DataSet,
    Declaration,
    Method,
    Study,
    Task,
)
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.parameters import Count, CountOrZero
from dpfair_cli.contracts.specs import ChosenByCells, TaskVariant

CHOSEN_BY_CELLS = "chosen_by_cells"
PUBLISHED_RUNS = "published_runs"
# every other key of an entry is a parameter
DATA_KEYS = ("name", "variant", "methods")
TASK_KEYS = ("name", "variants", "chosen_by", CHOSEN_BY_CELLS)
ENTRY_KEYS = (*TASK_KEYS, "method", "published", "datasets", "per_dataset")
LIMITS = ("seeds", "datasets", CHOSEN_BY_CELLS)  # keys of a variant that are not parameters


class Variant(NamedTuple):
    """One interpretation of what a paper leaves open, or one change that is tried.

    Attributes:
        name: what is appended to the label of a method; empty for the default variant.
        changes: the changed parameters, and `seeds` and `datasets` if the variant limits these.
    """

    name: str
    changes: Mapping[str, Any]


DEFAULT = Variant("", {})


class Settings:
    """The parameters and variants that a spec, its task or one of its entries gives, checked.

    `values` are the parameters for all data sets, beside other `keys`; `content` has `per_dataset`,
    whose mappings may have the key `own`, and `variants`. `place` is the name of the entry in
    messages. Only names in `parameters` and `datasets` are allowed; `unknown` begins the message
    about another parameter.
    """

    def __init__(
        self,
        place: str,
        content: Mapping[str, Any],
        values: Any,
        *,
        keys: Sequence[str] = (),
        own: Sequence[str] = (),
        unknown: str,
        parameters: Collection[str],
        datasets: Collection[str],
    ) -> None:
        self._place, self._unknown = place, unknown
        self._parameters, self._datasets = set(parameters), datasets
        self._values = self._layer("settings", values, *keys)
        self._per_dataset = self._mapping("per_dataset", content.get("per_dataset", {}))
        # a misspelt data set would silently keep the common values
        known_names(place, "per_dataset", list(self._per_dataset), datasets)
        for name, layer in self._per_dataset.items():
            self._layer(name, layer, *own)
        variants = self._mapping("variants", content.get("variants", {}))
        self.variants = [self._variant(name, changes) for name, changes in variants.items()]

    def layers(self, dataset: str) -> list[Mapping[str, Any]]:
        """The parameters for a data set as mappings, of which later ones override earlier ones."""
        return [self._values, self._per_dataset.get(dataset, {})]

    def _layer(self, key: str, given: Any, *others: str) -> dict[str, Any]:
        """The parameters in one place, with those of a quick run in their section `quick`."""
        layer = self._checked(key, given, "seeds", "quick", *others)
        self._checked("quick", layer.get("quick", {}), "seeds")
        return layer

    def _variant(self, name: str, given: Any) -> Variant:
        """A variant, which changes at least one parameter."""
        changes = self._checked(name, given, *LIMITS)
        known_names(self._place, "datasets", changes.get("datasets", []), self._datasets)
        if self._parameters.isdisjoint(changes):  # such a variant would repeat the default
            raise DpfairError(
                f"{self._place}: the variant {name!r} must change at least one parameter"
            )
        return Variant(name, changes)

    def _checked(self, key: str, given: Any, *others: str) -> dict[str, Any]:
        """A mapping under a `key` whose keys are parameters or `others`."""
        found = self._mapping(key, given)
        require_known(self._unknown, given, {*self._parameters, *others})
        return found

    def _mapping(self, key: str, value: Any) -> dict[str, Any]:
        """The mapping under a `key` with names as text; other values are refused."""
        if not isinstance(value, dict):
            raise DpfairError(
                f"{self._place}: {key} must be a mapping of parameters, got {value!r}"
            )
        return {str(name): inner for name, inner in value.items()}  # YAML reads 4 as a number


class AlgorithmEntry:
    """An entry of the list `algorithms` of a spec; `known` are the data sets of the spec."""

    def __init__(self, given: Any, names: Any, known: Collection[str], chosen_by: str) -> None:
        entry = with_name("algorithms", given)
        self.algorithm: Algorithm = names.algorithm(entry["name"])
        self.label = str(entry.get("method", self.algorithm.name))
        self.published = str(entry.get("published", self.label))
        self.chosen_by = str(entry.get("chosen_by", chosen_by))
        self.datasets = known_names(self.label, "datasets", entry.get("datasets", []), known)
        self.own = Settings(
            self.label,
            entry,
            entry,
            keys=ENTRY_KEYS,
            unknown=f"{self.algorithm.name} has no parameter",
            parameters=self.algorithm.parameters,
            datasets=self.datasets or known,
        )


class SpecEntries:
    """The task, the data sets and the methods of a spec.

    Args:
        content: the content of the spec, for a quick run with that of its section `quick`.
        whole: the content for a full run: a quick run may omit data sets that have settings.
        quick: whether the settings in sections `quick` hold.
    """

    def __init__(
        self, content: Mapping[str, Any], whole: Mapping[str, Any], *, quick: bool
    ) -> None:
        names: Any = catalog
        if "reanalysis" in content:
            from dpfair_cli import reanalysis  # here, because few specs need pandas and SciPy

            names = reanalysis
        self._quick = quick
        self.of_task = with_name("tasks", content["task"])
        self.study: Study = names.study(self.of_task["name"])
        self.datasets = _data_sets(content["datasets"], names)
        self._every_dataset = _data_sets(whole["datasets"], names)
        # a data set with several options is several of `datasets`
        self._names = list(dict.fromkeys(dataset.name for dataset in self.datasets))
        self._known = list(
            dict.fromkeys([*self._names, *(dataset.name for dataset in self._every_dataset)])
        )
        chosen_by = content.get("chosen_by", "")
        self._entries = [
            AlgorithmEntry(one, names, self._known, chosen_by) for one in content["algorithms"]
        ]
        # what `settings` may name: it applies to the methods that have it
        self._parameters = set(
            chain.from_iterable(one.algorithm.parameters for one in self._entries)
        )
        self._shared = Settings(
            "the spec",
            content,
            content.get("settings", {}),
            own=[PUBLISHED_RUNS],  # a fact about the paper, and not a parameter
            unknown="no method of this spec has a parameter",
            parameters=self._parameters,
            datasets=self._known,
        )

    def task(self, **changes: Any) -> Task:
        """The default task of the spec, or a variant with other values of some parameters.

        Raises:
            DpfairError: a parameter is unknown or a list of values.
        """
        points = _points(self.study, _parameters_in(self.of_task, TASK_KEYS) | changes)
        if len(points) > 1:
            raise DpfairError(
                "every parameter of a task must have one value, not a list: use `variants` of the "
                "task"
            )
        return Task(self.study, points[0])

    def methods(self) -> list[Method]:
        """All methods, in the order of the table.

        The variants of an entry follow the entry. The variants of the whole spec repeat all entries
        that have the changed parameters.
        """
        found: list[Method] = []
        # the variants of the spec are the outer loop, as they stand last
        for variant, entry in product((DEFAULT, *self._shared.variants), self._entries):
            if variant is DEFAULT or variant.changes.keys() & entry.algorithm.parameters.keys():
                for own in (DEFAULT, *entry.own.variants):
                    found += self._methods_of(entry, own, variant)
        return found

    def task_variants(self) -> Iterator[TaskVariant]:
        """Yields the variants of the task, each with the default variants of the methods.

        A variant limits the data sets and seeds, may change parameters of the methods, and adds its
        name to the labels.
        """
        if self._quick:  # a quick run shows that the spec works, and not what a protocol changes
            return
        settings = Settings(
            "task",
            self.of_task,
            _parameters_in(self.of_task, TASK_KEYS),
            unknown=f"the task {self.study.name} has no parameter",
            parameters={*self.study.parameters, *self._parameters},
            datasets=self._known,
        )
        for name, changes in settings.variants:
            of_task = {key: value for key, value in changes.items() if key in self.study.parameters}
            if not of_task:  # else it would be a variant of the spec
                raise DpfairError(f"task: the variant {name!r} must change the task")
            limit = _number(name, "seeds", changes.get("seeds", 0), CountOrZero)
            alike = Variant(name, {key: changes[key] for key in changes if key != "seeds"})
            methods = chain.from_iterable(self._methods_of(one, alike) for one in self._entries)
            limited = []
            for method in methods:
                # the lesser one, where 0 is no limit: this one does not replace that of an entry
                seeds = min(filter(None, (method.seeds, limit)), default=0)
                limited.append(replace(method, seeds=seeds))
            yield TaskVariant(name, self.task(**of_task), tuple(limited))

    def differing(self, methods: Iterable[Method], *, whole: bool = False) -> set[str]:
        """The names by which the runs of a spec can differ, except "method".

        With `whole`, also those of data sets that a quick run omits.
        """
        names = {"dataset", *([self.study.axis] if self.study.axis else [])}
        datasets = self._every_dataset if whole else self.datasets
        names.update(*(dataset.options for dataset in datasets))
        names.update(*(method.params for method in methods))
        return names

    def _methods_of(self, entry: AlgorithmEntry, *variants: Variant) -> Iterator[Method]:
        """Yields the methods of an entry under variants.

        Data sets with equal parameters share one method.
        """
        label = ", ".join([entry.label, *(variant.name for variant in variants if variant.name)])
        run_on = self._names
        for limit in [entry.datasets, *(one.changes.get("datasets") for one in variants)]:
            run_on = [name for name in run_on if name in limit] if limit else run_on
        # neighbours only: the order of the data sets is that of the table
        for given, alike in groupby(run_on, lambda name: self._values(entry, name, variants)):
            names, seeds = tuple(alike), _number(label, "seeds", given.get("seeds", 0), CountOrZero)
            for params in _points(entry.algorithm, _parameters_in(given, ["seeds"])):
                yield Method(
                    entry.algorithm, params, label, entry.published, names, seeds, entry.chosen_by
                )

    def _values(
        self, entry: AlgorithmEntry, dataset: str, variants: Sequence[Variant]
    ) -> dict[str, Any]:
        """The parameter values of a method on a data set, together with its number of `seeds`."""
        layers = self._shared.layers(dataset) + entry.own.layers(dataset)
        # after all layers: quick values decide, the nearest last
        instead = [layer.get("quick", {}) for layer in layers] if self._quick else []
        said: dict[str, Any] = {}
        for layer in (*layers, *instead, *(variant.changes for variant in variants)):
            said |= layer
        # `settings` may have parameters of other methods
        taken = {*entry.algorithm.parameters, "seeds"}
        return {key: value for key, value in said.items() if key in taken}


def _data_sets(entries: Sequence[Any], names: Any) -> list[DataSet]:
    """The data sets that the entries of a spec describe, followed by their variants."""
    found: list[DataSet] = []
    for entry in (with_name("datasets", given) for given in entries):
        source, variant = names.data_source(entry["name"]), str(entry.get("variant", ""))
        options = _points(source, _parameters_in(entry, DATA_KEYS))
        found += [DataSet(source, one, variant) for one in options]
    return found


def methods_of_variants(
    entries: Sequence[Any], labels: Collection[str]
) -> dict[str, Sequence[str]]:
    """Variant of the data -> the methods that run on it, for entries with the key `methods`.

    Raises:
        DpfairError: the entry has no variant, or names a method that is not among `labels`.
    """
    found: dict[str, Sequence[str]] = {}
    for entry in (with_name("datasets", given) for given in entries):
        if "methods" in entry:
            name, variant = entry["name"], str(entry.get("variant", ""))
            if not variant:
                raise DpfairError(f"{name}: methods must be a list of names, of a variant")
            found[variant] = known_names(f"{name}, {variant}", "methods", entry["methods"], labels)
    return found


def published_runs_on(content: Mapping[str, Any]) -> dict[str, int]:
    """Data set -> the number of runs in its published means, for `per_dataset` of a spec.

    Raises:
        DpfairError: the number is not an integer of at least 1.
    """
    layers = content.get("per_dataset", {}).items()
    return {
        name: _number(name, PUBLISHED_RUNS, layer[PUBLISHED_RUNS], Count)
        for name, layer in layers
        if PUBLISHED_RUNS in layer
    }


def chosen_by_cells(content: Mapping[str, Any]) -> Iterator[ChosenByCells]:
    """Yields the variants of a spec that were chosen because they come near to published cells.

    An entry of `algorithms`, or a variant of an entry, names the data sets of these cells. The
    entry `task`, a variant of the task, or a variant of the spec names the methods of these cells,
    on all data sets.

    Raises:
        DpfairError: the value of a key is not a list of names of the spec.
    """
    datasets = tuple(with_name("datasets", entry)["name"] for entry in content["datasets"])
    methods = []
    for entry in (with_name("algorithms", given) for given in content["algorithms"]):
        label = str(entry.get("method", entry["name"]))
        methods.append(str(entry.get("published", label)))
        # the empty name is the default variant
        for variant, given in {"": entry, **entry.get("variants", {})}.items():
            place = f"{label}, {variant}" if variant else label
            names = known_names(place, CHOSEN_BY_CELLS, given.get(CHOSEN_BY_CELLS, []), datasets)
            if names:
                yield ChosenByCells(methods[-1], str(variant), names)
    of_task = with_name("tasks", content["task"])
    # the empty name is the default variant of the task
    shared = {"": of_task, **of_task.get("variants", {}), **content.get("variants", {})}
    for variant, given in shared.items():
        place = str(variant) or "task"
        for name in known_names(place, CHOSEN_BY_CELLS, given.get(CHOSEN_BY_CELLS, []), methods):
            yield ChosenByCells(name, str(variant), datasets)


def known_names(place: str, key: str, names: Any, known: Collection[str]) -> tuple[str, ...]:
    """The names, each once, in a list under a `key` in a `place` of a spec.

    Raises:
        DpfairError: `names` is not a list, or a name is not `known`.
    """
    if not isinstance(names, list):
        raise DpfairError(f"{place}: {key} must be a list of names, got {names!r}")
    require_known(f"{place}: {key} has an unknown name", names, known)
    return tuple(dict.fromkeys(names))


def require_known(words: str, names: Iterable[Any], known: Collection[str]) -> None:
    """Refuses a name that is not `known`; the message begins with `words` and proposes a name."""
    for name in names:
        if name not in known:
            raise DpfairError(f"{words} {name!r}: {nearest(str(name), known)}")


def with_name(kind: str, entry: Any) -> dict[str, Any]:
    """An entry of a spec as a mapping with the key `name`; a text stands for the name alone."""
    if isinstance(entry, str):
        return {"name": entry}
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise DpfairError(
            f"an entry of {kind} must be a name, or a mapping with a name, got {entry!r}"
        )
    return entry


def _parameters_in(entry: Mapping[str, Any], others: Collection[str]) -> dict[str, Any]:
    """The parameters in an entry, which has the keys `others`, too."""
    return {key: value for key, value in entry.items() if key not in others}


def _points(declaration: Declaration, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All combinations of parameter values, where a list of values is an axis of the table.

    If a parameter itself takes several values, a list is one value. Missing parameters get their
    defaults.

    Raises:
        DpfairError: a list is empty, a parameter is unknown, or a value is not allowed.
    """
    known = declaration.parameters
    # for these a list is one value and not an axis
    several = {key for key in known if get_origin(known[key].annotation) is tuple}
    axes = [
        value if isinstance(value, list) and key not in several else [value]
        for key, value in given.items()
    ]
    if not all(axes):
        raise DpfairError(f"{declaration.name}: a list of values of a parameter must not be empty")
    return [declaration.complete(dict(zip(given, point, strict=True))) for point in product(*axes)]


def _number(place: str, key: str, value: Any, kind: Any) -> int:
    """The number under a `key`, if its `kind` (Count or CountOrZero) allows it."""
    try:
        number: int = convert(key, value, kind)
    except ValueError as error:
        raise DpfairError(f"{place}: {error}") from error
    return number
