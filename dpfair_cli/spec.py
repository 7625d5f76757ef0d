"""A YAML file -> a Spec -> the list of its runs. Every check of a spec happens here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from dpfair_cli import catalog
from dpfair_cli.contracts import DpfairError, nearest
from dpfair_cli.home import folder

TOP_KEYS: dict[str, Any] = {
    "title": str,
    "source": str,
    "task": (str, dict),
    "datasets": list,
    "algorithms": list,
    "seeds": int,
    "published_runs": int,
    "table": dict,
    "figure": dict,
    "labels": dict,
    "quick": dict,
}
QUICK_KEYS = ("seeds", "datasets", "algorithms", "task")
ARTEFACTS = ("table", "figure", "theorem", "section")  # what the name of a spec's file begins with


@dataclass(frozen=True, eq=False)
class Part:
    """A data set, an algorithm or a task with every one of its parameters.

    `method` is the name that tables print for an algorithm, `published` the name its published values stand under,
    `datasets` the data sets it runs on (all of the spec's if empty), `seeds` how many of its seeds (all if 0).
    """

    name: str
    params: Mapping[str, Any]
    method: str = ""
    published: str = ""
    datasets: tuple[str, ...] = ()
    seeds: int = 0


@dataclass(frozen=True)
class TableLayout:
    """`rows` name a line, `values` are compared with published cells, `also` stand beside them."""

    rows: tuple[str, ...]
    values: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class FigureLayout:
    """A panel for each of `panels` (scores) and data set, a line for each method, over the parameter `x`.

    `beside` draws more scores into the panel of a score, `around` a band (centre, half width) of two scores; the
    panels of `log_y` are logarithmic.
    With `against`, a score, a line is a frontier: `x` runs along it, and its mean `against` is the horizontal axis.
    """

    x: str
    panels: tuple[str, ...]
    log_x: bool = True
    log_y: tuple[str, ...] = ()
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    around: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    against: str = ""

    @property
    def scores(self) -> tuple[str, ...]:
        """Every score that is drawn, those of the panels first."""
        more = [*self.beside.values(), *self.around.values(), *([(self.against,)] if self.against else [])]
        return tuple(dict.fromkeys([*self.panels, *(score for scores in more for score in scores)]))


@dataclass(frozen=True)
class GraphLayout:
    """The graphs that the methods of `graphs` find on the one data set, side by side, each against the first.

    `values` are the scores that are compared with published cells, `also` stand beside them.
    """

    graphs: tuple[str, ...]
    values: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spec:
    """One table or figure: what to run and how to show it."""

    artefact: str
    title: str
    source: str
    task: Part
    datasets: tuple[Part, ...]
    algorithms: tuple[Part, ...]
    seeds: int
    layout: TableLayout | FigureLayout | GraphLayout
    published_runs: int = 10
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def paper(self) -> str:
        """The paper's key, such as ding2020."""
        return self.artefact.split("/")[0]

    @property
    def curve(self) -> str:
        """The axis along which the task's scores are curves, if the layout shows it; else empty."""
        axis = getattr(catalog.find("tasks", self.task.name), "AXIS", "")
        shown = (self.layout.x,) if isinstance(self.layout, FigureLayout) else getattr(self.layout, "rows", ())
        return axis if axis in shown else ""

    def runs(self) -> Iterator[Run]:
        """Every run, in the order in which results are written."""
        for dataset, algorithm, seed in product(self.datasets, self.algorithms, range(self.seeds)):
            if dataset.name in (algorithm.datasets or [dataset.name]) and seed < (algorithm.seeds or self.seeds):
                yield Run(self.task, dataset, algorithm, seed)


class Run(NamedTuple):
    """One fit and its scores."""

    task: Part
    dataset: Part
    algorithm: Part
    seed: int


def artefacts(pattern: str = "*") -> list[str]:
    """The artefacts there are, such as xu2021/table8.1; a theorem's or section's is a table.

    `pattern` is an artefact or a paper, in which * stands for any text: xu2021/*9.* are those of chapter 9.
    """
    files = sorted(folder("experiments").glob("*/*.yaml"), key=_natural)
    found = [f"{file.parent.name}/{file.stem}" for file in files if file.stem.startswith(ARTEFACTS)]
    return [name for name in found if fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}/*")]


def matching(patterns: tuple[str, ...]) -> list[str]:
    """The artefacts that `patterns` (artefacts or papers) name, in order; all of them for no pattern.

    Raises:
        DpfairError: a pattern that names nothing; the nearest is proposed.
    """
    known = artefacts()
    for pattern in patterns:
        if not artefacts(pattern):
            papers = {name.split("/")[0] for name in known}
            raise DpfairError(f"no artefact {pattern!r}: {nearest(pattern, papers | set(known))}")
    return [name for name in known if not patterns or any(name in artefacts(p) for p in patterns)]


def load(artefact: str, *, quick: bool = False) -> Spec:
    """The spec of an artefact; `quick` applies its `quick` section."""
    if artefact not in artefacts():
        raise DpfairError(f"no artefact {artefact!r}: {nearest(artefact, artefacts())}")
    return read(folder("experiments") / f"{artefact}.yaml", artefact, quick=quick)


def kind(artefact: str) -> str:
    """`table` or `figure`, by the layout of its spec."""
    return "table" if isinstance(load(artefact).layout, TableLayout) else "figure"


def read(path: Path, artefact: str, *, quick: bool = False) -> Spec:
    """The spec in a YAML file.

    Raises:
        DpfairError: the file is not YAML, or not a spec; names the file.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return parse(content, artefact, quick=quick)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DpfairError(f"{path.name} is not YAML: {' '.join(str(error).split())}") from error
    except DpfairError as error:
        raise DpfairError(f"{path.name}: {error}") from error


def parse(content: Any, artefact: str, *, quick: bool = False) -> Spec:
    """The spec that a parsed YAML document describes."""
    _check_keys(content)
    if quick:
        content = {**content, **content.get("quick", {})}
        _check_keys(content)
    (task, *more) = _parts("tasks", content["task"])
    if more:
        raise DpfairError("a spec has one task: none of its parameters is a list")
    datasets = [part for entry in content["datasets"] for part in _parts("datasets", entry)]
    algorithms = [part for entry in content["algorithms"] for part in _algorithms(entry, datasets, quick=quick)]
    for kind, part in [("datasets", part) for part in datasets] + [("algorithms", part) for part in algorithms]:
        _require_kind(task, kind, part)
    return Spec(
        artefact=artefact,
        title=content["title"],
        source=content["source"],
        task=task,
        datasets=tuple(datasets),
        algorithms=tuple(algorithms),
        seeds=content["seeds"],
        layout=_layout(content, task, [*datasets, *algorithms]),
        published_runs=content.get("published_runs", 10),
        labels=content.get("labels", {}),
    )


def _check_keys(content: Any) -> None:
    if not isinstance(content, dict):
        raise DpfairError("a spec is a mapping of keys such as title, task, datasets")
    _known(content, TOP_KEYS, "a spec")
    for key, kind in TOP_KEYS.items():
        if key in content and (not isinstance(content[key], kind) or isinstance(content[key], bool)):
            raise DpfairError(f"{key} has the wrong type: {content[key]!r}")
    needed = [key for key in ("title", "source", "task", "datasets", "algorithms", "seeds") if key not in content]
    if needed or ("table" in content) == ("figure" in content):
        raise DpfairError(f"a spec needs {', '.join(needed) or 'either table or figure'}")
    _known(content.get("quick", {}), QUICK_KEYS, "quick")
    if content["seeds"] < 1 or content.get("published_runs", 1) < 1:
        raise DpfairError("seeds and published_runs must be at least 1")
    if not content["datasets"] or not content["algorithms"]:
        raise DpfairError("a spec runs at least one algorithm on one data set")


def _known(content: Mapping[str, Any], allowed: Any, where: str) -> None:
    for key in content:
        if key not in allowed:
            raise DpfairError(f"{where} has no key {key!r}: {nearest(str(key), allowed)}")


def _parts(kind: str, entry: Any) -> list[Part]:
    """The parts that one entry stands for: a list as a parameter's value is an axis."""
    content = {"name": entry} if isinstance(entry, str) else dict(entry) if isinstance(entry, dict) else {}
    if not isinstance(content.get("name"), str):
        raise DpfairError(f"an entry of {kind} is a name, or a mapping with a name: {entry!r}")
    name = content.pop("name")
    axes = [value if isinstance(value, list) else [value] for value in content.values()]
    if not all(axes):
        raise DpfairError(f"{name}: a list of values must not be empty")
    grid = [dict(zip(content, point, strict=True)) for point in product(*axes)]
    return [Part(name, catalog.complete(kind, name, point)) for point in grid]


def _algorithms(entry: Any, datasets: list[Part], *, quick: bool) -> list[Part]:
    """The parts of an algorithm's entry, with the names it is shown and compared under.

    The entry's own `quick` are parameters that a quick run has instead.
    """
    content = dict(entry) if isinstance(entry, dict) else {"name": entry}
    smaller = content.pop("quick", {})
    if not isinstance(smaller, dict):
        raise DpfairError(f"{content.get('name')}: quick is a mapping of parameters, got {smaller!r}")
    content |= smaller if quick else {}
    method = str(content.pop("method", content.get("name")))
    published, only = str(content.pop("published", method)), content.pop("datasets", [])
    seeds = content.pop("seeds", 0)
    if not isinstance(seeds, int) or isinstance(seeds, bool) or seeds < 0:
        raise DpfairError(f"{method}: seeds is a number of seeds, got {seeds!r}")
    if not isinstance(only, list):
        raise DpfairError(f"{method}: datasets is a list, got {only!r}")
    for name in only:
        if name not in (known := [part.name for part in datasets]):
            raise DpfairError(f"{method}: no data set {name!r} in this spec: {nearest(name, known)}")
    parts = _parts("algorithms", content)
    return [replace(part, method=method, published=published, datasets=tuple(only), seeds=seeds) for part in parts]


def _require_kind(task: Part, kind: str, part: Part) -> None:
    """Refuse a data set or an algorithm of another kind of study."""
    if not catalog.agree(kind, part.name, "tasks", task.name):
        raise DpfairError(f"{part.name} does not fit the task {task.name}")


def _layout(content: dict[str, Any], task: Part, parts: list[Part]) -> TableLayout | FigureLayout | GraphLayout:
    kind = "table" if "table" in content else "figure"
    given = content[kind]
    form: Any = TableLayout if kind == "table" else GraphLayout if "graphs" in given else FigureLayout
    _known(given, form.__dataclass_fields__, kind)
    for key, value in given.items():
        wanted = {"x": str, "against": str, "log_x": bool, "beside": dict, "around": dict}.get(key, list)
        if not isinstance(value, wanted):
            raise DpfairError(f"{kind}: {key} must be a {wanted.__name__}, got {value!r}")
    module = catalog.find("tasks", task.name)
    scores = set(module.SCORES)
    axes = {"dataset", "method", getattr(module, "AXIS", "method"), *(name for part in parts for name in part.params)}
    for key in ("values", "also", "panels", "log_y"):
        _named(kind, "score", given.get(key, []), scores)
    for panel, beside in (*given.get("beside", {}).items(), *given.get("around", {}).items()):
        _named(kind, "score", [panel, *beside], scores)
    _named(kind, "score", [given["against"]] if "against" in given else [], scores)
    _named(kind, "method", given.get("graphs", []), {part.method for part in parts})
    _named(kind, "parameter", [*given.get("rows", []), *([given["x"]] if "x" in given else [])], axes)
    try:
        layout: TableLayout | FigureLayout | GraphLayout = form(**{key: _frozen(value) for key, value in given.items()})
    except TypeError as error:
        raise DpfairError(f"{kind}: {error}") from error
    return layout


def _named(kind: str, noun: str, names: list[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise DpfairError(f"{kind}: no {noun} {name!r}: {nearest(str(name), known)}")


def _frozen(value: Any) -> Any:
    """Lists as tuples, also inside a mapping."""
    if isinstance(value, dict):
        return {key: _frozen(inner) for key, inner in value.items()}
    return tuple(value) if isinstance(value, list) else value


def _natural(path: Path) -> tuple[str, list[int | str]]:
    """Sort table8.2 before table10.1."""
    words = re.split(r"(\d+)", path.stem)
    return path.parent.name, [int(word) if word.isdigit() else word for word in words]
