"""A YAML file -> a Spec -> the list of its runs. Every check of a spec happens here."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.errors import DpfairError, UnknownNameError, nearest
from dpfair_cli.contracts.layouts import Vocabulary
from dpfair_cli.contracts.specs import Layout, Part, Spec
from dpfair_cli.metrics.ranges import range_of
from dpfair_cli.paths import folder
from dpfair_cli.running import spec_entries
from dpfair_cli.running.spec_entries import parts

TOP_KEYS: dict[str, Any] = {
    "title": str,
    "source": str,
    "task": (str, dict),
    "datasets": list,
    "algorithms": list,
    "settings": dict,
    "per_dataset": dict,
    "variants": dict,
    "chosen_by": str,
    "seeds": int,
    "published_runs": int,
    "labels": dict,
    "quick": dict,
}
QUICK_KEYS = ("seeds", "datasets", "algorithms", "task")
NO_SPECS = ("claims", "deviations")  # the other YAML files of a paper
ARTEFACTS = ("table", "figure", "theorem", "section")  # what the name of a spec's file begins with


def artefacts(pattern: str = "*") -> list[str]:
    """The artefacts there are, such as xu2021/table8.1; a theorem's or section's is a table.

    `pattern` is an artefact or a paper, in which * stands for any text: xu2021/*9.* are those of
    chapter 9.
    """
    files = sorted(folder("experiments").glob("*/*.yaml"), key=_natural)
    found = [f"{file.parent.name}/{file.stem}" for file in files if file.stem.startswith(ARTEFACTS)]
    return [
        name for name in found if fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}/*")
    ]


def artefacts_named(patterns: tuple[str, ...]) -> list[str]:
    """The artefacts that `patterns` (artefacts or papers) name, in order; all of them for no
    pattern.

    Raises:
        DpfairError: a pattern that names nothing; the nearest is proposed.
    """
    known = artefacts()
    if not known:
        where = folder("experiments")
        instead = (
            misnamed() or "work in another folder, or add a spec there, such as PAPER/table1.yaml"
        )
        raise DpfairError(f"no table or figure in {where}: {instead}")
    for pattern in patterns:
        if not artefacts(pattern):
            raise _no_artefact(pattern, {name.split("/")[0] for name in known} | set(known))
    return [name for name in known if not patterns or any(name in artefacts(p) for p in patterns)]


def _no_artefact(name: str, known: Collection[str]) -> DpfairError:
    """The error that proposes the nearest name, or says which file of the paper of that name is
    none and why.
    """
    return DpfairError(f"no artefact {name!r}: {misnamed(name) or nearest(name, known)}")


def misnamed(name: str = "") -> str:
    """The first file of a paper (or of any) that would be a spec under another name, and why it is
    none; or nothing.
    """
    paper, _, stem = name.partition("/")
    files = sorted(folder("experiments").glob(f"{paper or '*'}/{stem or '*'}.y*ml"))
    begins = f"its name must begin with {', '.join(ARTEFACTS[:-1])} or {ARTEFACTS[-1]}"
    reasons = {file: "it must end in .yaml" if file.suffix == ".yml" else begins for file in files
               if file.suffix == ".yml" or not file.stem.startswith((*ARTEFACTS, *NO_SPECS))}  # fmt: skip
    return next(
        (f"{file.parent.name}/{file.name} is none: {why}" for file, why in reasons.items()), ""
    )


def load(artefact: str, *, quick: bool = False) -> Spec:
    """The spec of an artefact; `quick` applies its `quick` section."""
    if artefact not in artefacts():
        raise _no_artefact(artefact, artefacts())
    return read(folder("experiments") / f"{artefact}.yaml", artefact, quick=quick)


def kind(artefact: str) -> str:
    """`table` or `figure`, by the layout of its spec."""
    return "figure" if load(artefact).layout.picture else "table"


def read(path: Path, artefact: str, *, quick: bool = False) -> Spec:
    """The spec in a YAML file.

    Raises:
        DpfairError: the file is not YAML, or not a spec; names the file.
    """
    content = yaml_files.read(path)
    try:
        return parse(content, artefact, quick=quick)
    except DpfairError as error:
        elsewhere = (
            " (if a package declares it, install that)"
            if isinstance(error, UnknownNameError)
            else ""
        )
        raise DpfairError(f"{path.name}: {error}{elsewhere}") from error


def parse(content: Any, artefact: str, *, quick: bool = False) -> Spec:
    """The spec that a parsed YAML document describes."""
    _check_keys(content)
    whole = content
    if quick:
        content = {**content, **content.get("quick", {})}
        _check_keys(content)
    (task, *more) = parts("tasks", content["task"])
    if more:
        raise DpfairError("a spec has one task: none of its parameters is a list")
    datasets, of_whole = (
        [part for entry in given["datasets"] for part in parts("datasets", entry)]
        for given in (content, whole)
    )
    algorithms = spec_entries.algorithms(content, datasets, of_whole, quick=quick)
    for kind, part in [("datasets", part) for part in datasets] + [
        ("algorithms", part) for part in algorithms
    ]:
        _require_kind(task, kind, part)
    protocol = catalog.task(task.name)
    return Spec(
        artefact=artefact,
        title=content["title"],
        source=content["source"],
        task=task,
        datasets=tuple(datasets),
        algorithms=tuple(algorithms),
        seeds=content["seeds"],
        layout=_layout(content, task.name, [*datasets, *algorithms]),
        published_runs=content.get("published_runs", 10),
        labels=content.get("labels", {}),
        axis=protocol.axis,
        unbounded=protocol.unbounded,
        ranges={score: range_of(score) for score in protocol.scores} | dict(protocol.ranges),
        exact=protocol.exact,
    )


def _check_keys(content: Any) -> None:
    if not isinstance(content, dict):
        raise DpfairError("a spec is a mapping of keys such as title, task, datasets")
    layouts = catalog.names("layouts")
    _known(content, [*TOP_KEYS, *layouts], "a spec")
    for key, kind in TOP_KEYS.items():
        if key in content and (
            not isinstance(content[key], kind) or isinstance(content[key], bool)
        ):
            raise DpfairError(f"{key} has the wrong type: {content[key]!r}")
    needed = [
        key
        for key in ("title", "source", "task", "datasets", "algorithms", "seeds")
        if key not in content
    ]
    if needed or len(set(content) & set(layouts)) != 1:
        raise DpfairError(
            f"a spec needs {', '.join(needed) or 'one layout: ' + ' or '.join(layouts)}"
        )
    _known(content.get("quick", {}), QUICK_KEYS, "quick")
    if content["seeds"] < 1 or content.get("published_runs", 1) < 1:
        raise DpfairError("seeds and published_runs must be at least 1")
    if not content["datasets"] or not content["algorithms"]:
        raise DpfairError("a spec runs at least one algorithm on one data set")


def _known(content: Mapping[str, Any], allowed: Any, where: str) -> None:
    for key in content:
        if key not in allowed:
            raise DpfairError(f"{where} has no key {key!r}: {nearest(str(key), allowed)}")


def _require_kind(task: Part, kind: str, part: Part) -> None:
    """Refuse a data set or an algorithm of another kind of study, or one whose result lacks what
    the task asks for.
    """
    fits = catalog.is_data_for if kind == "datasets" else catalog.is_fit_for
    if not fits(part.name, task=task.name):
        why = catalog.why_not_fit(part.name, task=task.name) if kind == "algorithms" else ""
        raise DpfairError(
            ": ".join(filter(None, (f"{part.name} does not fit the task {task.name}", why)))
        )
    unfinished = catalog.why_unfinished(part.name) if kind == "algorithms" else ""
    if unfinished:
        raise DpfairError(f"{part.name}: {unfinished}")


def _layout(content: dict[str, Any], task: str, parts: list[Part]) -> Layout:
    """The layout under the one key of a spec that names one."""
    (kind,) = set(content) & set(catalog.names("layouts"))
    form, module = catalog.layout(kind), catalog.task(task)
    points = {
        "dataset",
        "method",
        module.axis or "method",
        *(name for part in parts for name in part.params),
    }
    known = Vocabulary(
        scores=frozenset(module.scores),
        outputs=frozenset(module.outputs),
        parameters=frozenset(points),
        methods=frozenset(part.method for part in parts),
    )
    try:
        layout: Layout = from_mapping(form, content[kind])
        layout.check(known)
        if not layout.scores:
            raise ValueError("shows no score, and its table would have no line")
    except ValueError as error:
        raise DpfairError(f"{kind}: {error}") from error
    return layout


def _natural(path: Path) -> tuple[str, list[int | str]]:
    """Sort table8.2 before table10.1."""
    words = re.split(r"(\d+)", path.stem)
    return path.parent.name, [int(word) if word.isdigit() else word for word in words]
