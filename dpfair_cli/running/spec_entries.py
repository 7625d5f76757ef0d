"""The entries of a spec -> parts with all their parameters: axes, settings, data sets and variants
are spelt out.

A parameter has the last value that is given for it in: the `settings` of the spec, its
`per_dataset`, the entry, the `per_dataset` of the entry; in a quick run, what `quick` says inside
each of these; the variant. Among parameters may stand `seeds`, how many of the spec's seeds to run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, product
from typing import Any, NamedTuple, get_origin

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.specs import Part

# all else in an entry is a parameter
ENTRY_KEYS = ("name", "method", "published", "datasets", "per_dataset", "variants", "chosen_by")
Variant = tuple[str, Mapping[str, Any]]  # its name, and what it changes
DEFAULT: Variant = ("", {})


class Settings(NamedTuple):
    """What a spec or an entry says of parameters: for all data sets, for single ones, and under
    other variants.
    """

    values: Mapping[str, Any]
    per_dataset: Mapping[str, Mapping[str, Any]]
    variants: Mapping[str, Mapping[str, Any]]

    def layers(self, dataset: str) -> list[Mapping[str, Any]]:
        """The parameters for a data set; the later ones hold."""
        return [self.values, self.per_dataset.get(dataset, {})]


class Entry(NamedTuple):
    """An algorithm as a spec lists it: its names, the data sets it runs on (all if none), and its
    own settings.
    """

    name: str
    method: str
    published: str
    datasets: Sequence[str]
    chosen_by: str
    own: Settings


class Vocabulary(NamedTuple):
    """What a spec or one of its entries may name: parameters and data sets. All else is refused in
    one line.

    `place` is the entry's name in tables, empty for the spec; `unknown` begins the refusal of a
    parameter.
    """

    place: str
    unknown: str
    parameters: Collection[str]
    datasets: Collection[str]

    def settings(self, values: Any, content: Mapping[str, Any]) -> Settings:
        """The parameters `values` with the `per_dataset` and the `variants` of `content`, all of
        them checked.
        """
        per_dataset, variants = (
            self.mapping(key, content.get(key, {})) for key in ("per_dataset", "variants")
        )
        self.check_datasets(list(per_dataset))
        for layer in (values, *(self.mapping(name, layer) for name, layer in per_dataset.items())):
            self.check_keys(layer, "seeds", "quick")
            self.check_keys(self.mapping("quick", layer.get("quick", {})), "seeds")
        for name, changes in variants.items():
            self.check_keys(self.mapping(name, changes), "seeds", "datasets")
            self.check_datasets(changes.get("datasets", []))
            if not changes.keys() & set(self.parameters):
                raise self.refusal(f"the variant {name!r} changes no parameter")
        return Settings(values, per_dataset, variants)

    def check_keys(self, values: Mapping[str, Any], *others: str) -> None:
        """Refuse a key that is neither a parameter nor one of `others`."""
        allowed = {*self.parameters, *others}
        for key in values:
            if key not in allowed:
                raise DpfairError(f"{self.unknown} {key!r}: {nearest(str(key), allowed)}")

    def check_datasets(self, names: Any) -> None:
        """Refuse what is not a list of data sets."""
        if not isinstance(names, list):
            raise self.refusal(f"datasets is a list, got {names!r}")
        for name in names:
            if name not in self.datasets:
                raise self.refusal(
                    f"no data set {name!r} here: {nearest(str(name), self.datasets)}"
                )

    def mapping(self, key: Any, value: Any) -> dict[str, Any]:
        """`value` with texts for keys; refused if it is not a mapping."""
        if not isinstance(value, dict):
            raise self.refusal(f"{key} is a mapping of parameters, got {value!r}")
        return {str(name): inner for name, inner in value.items()}

    def refusal(self, why: str) -> DpfairError:
        """The error that says where the mistake stands."""
        return DpfairError(f"{self.place}: {why}" if self.place else why)


def parts(kind: str, entry: Any) -> list[Part]:
    """The parts that one entry stands for: a list as a parameter's value is an axis, `variant`
    names that of data.
    """
    content = _with_name(kind, entry)
    name, variant = (
        content.pop("name"),
        str(content.pop("variant", "")) if kind == "datasets" else "",
    )
    known = catalog.parameters(kind, name)
    several = {
        key for key in content if key in known and get_origin(known[key].annotation) is tuple
    }  # one value each
    axes = [
        value if isinstance(value, list) and key not in several else [value]
        for key, value in content.items()
    ]
    if not all(axes):
        raise DpfairError(f"{name}: a list of values must not be empty")
    grid = [dict(zip(content, point, strict=True)) for point in product(*axes)]
    return [Part(name, catalog.complete(kind, name, point), variant=variant) for point in grid]


def algorithms(
    content: Mapping[str, Any], datasets: Sequence[Part], whole: Sequence[Part], *, quick: bool
) -> list[Part]:
    """The parts of a spec's algorithms on `datasets`: the list of entries, then the list again
    under each variant.

    The variants of an entry follow it at once; those of the spec repeat the entries that have their
    parameters. `whole` are the data sets of a full run: a quick one may leave out some of them,
    with what is said of them.
    """
    names, known = (
        list(dict.fromkeys(part.name for part in found))
        for found in (datasets, [*datasets, *whole])
    )
    entries = [
        _entry(given, known, content.get("chosen_by", "")) for given in content["algorithms"]
    ]
    taken = {name for entry in entries for name in _parameters(entry)}
    vocabulary = Vocabulary("", "no method here has a parameter", taken, known)
    shared = vocabulary.settings(
        vocabulary.mapping("settings", content.get("settings", {})), content
    )
    return [
        part
        for variant in (DEFAULT, *shared.variants.items())
        for entry in entries
        if variant is DEFAULT or variant[1].keys() & _parameters(entry)
        for own in (DEFAULT, *entry.own.variants.items())
        for part in _read(entry, shared, (own, variant), names, quick=quick)
    ]


def _entry(given: Any, known: Collection[str], chosen_by: str) -> Entry:
    """An entry of `algorithms`, checked."""
    content = _with_name("algorithms", given)
    name, datasets = content["name"], content.get("datasets", [])
    method = str(content.get("method", name))
    vocabulary = Vocabulary(
        method, f"{name} has no parameter", catalog.parameters("algorithms", name), known
    )
    vocabulary.check_keys(content, "seeds", "quick", *ENTRY_KEYS)
    vocabulary.check_datasets(datasets)
    values = {key: value for key, value in content.items() if key not in ENTRY_KEYS}
    own = vocabulary._replace(datasets=datasets or known).settings(values, content)
    return Entry(
        name,
        method,
        str(content.get("published", method)),
        datasets,
        str(content.get("chosen_by", chosen_by)),
        own,
    )


def _read(
    entry: Entry,
    shared: Settings,
    variants: Sequence[Variant],
    datasets: Sequence[str],
    *,
    quick: bool,
) -> list[Part]:
    """The parts of an entry under its own variant and the spec's; data sets with equal parameters
    share their parts.
    """
    method = ", ".join([entry.method, *(name for name, _ in variants if name)])
    changes = [changed for _, changed in variants]
    limits = [
        limit
        for limit in (entry.datasets, *(changed.get("datasets") for changed in changes))
        if limit
    ]
    run_on = [dataset for dataset in datasets if all(dataset in limit for limit in limits)]
    found: list[Part] = []
    for given, alike in groupby(
        run_on, lambda dataset: _values(entry, shared, dataset, changes, quick=quick)
    ):
        seeds = _number_of_seeds(method, given.get("seeds", 0))
        points = parts(
            "algorithms",
            {"name": entry.name} | {key: given[key] for key in given if key != "seeds"},
        )
        shown = Part("", {}, method, entry.published, tuple(alike), seeds, entry.chosen_by)
        found += [replace(shown, name=point.name, params=point.params) for point in points]
    return found


def _values(
    entry: Entry,
    shared: Settings,
    dataset: str,
    changes: Iterable[Mapping[str, Any]],
    *,
    quick: bool,
) -> dict[str, Any]:
    """What the method takes of all that is said of it on a data set, and its `seeds`; what is said
    later holds.
    """
    layers = shared.layers(dataset) + entry.own.layers(dataset)
    instead = [layer.get("quick", {}) for layer in layers] if quick else []
    said = {key: value for layer in (*layers, *instead, *changes) for key, value in layer.items()}
    return {key: value for key, value in said.items() if key in {*_parameters(entry), "seeds"}}


def _number_of_seeds(method: str, seeds: Any) -> int:
    if not isinstance(seeds, int) or isinstance(seeds, bool) or seeds < 0:
        raise DpfairError(f"{method}: seeds is a number of seeds, got {seeds!r}")
    return seeds


def _parameters(entry: Entry) -> set[str]:
    return set(catalog.parameters("algorithms", entry.name))


def _with_name(kind: str, entry: Any) -> dict[str, Any]:
    """An entry as a mapping with a `name`; a text is the name alone."""
    content = (
        {"name": entry}
        if isinstance(entry, str)
        else dict(entry)
        if isinstance(entry, dict)
        else {}
    )
    if not isinstance(content.get("name"), str):
        raise DpfairError(f"an entry of {kind} is a name, or a mapping with a name: {entry!r}")
    return content
