"""Finds artefacts: YAML files in experiments/<paper> whose names mark them as specs."""

from __future__ import annotations

import re
from collections.abc import Collection
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

from dpfair_cli.contracts.errors import DpfairError, meaning
from dpfair_cli.paths import folder, paper_folder

BEGINNINGS = ("table", "figure", "theorem", "section")  # allowed beginnings of the name of a spec
WILDCARDS = {"*", "?", "["}  # of a pattern
# beginnings of YAML files of a paper that are not specs
OTHER_FILES = ("authors", "claims", "deviations", "forensics")


def artefacts(pattern: str = "*") -> list[str]:
    """The names of the artefacts that match a pattern, such as xu2021/table8.1, sorted.

    `pattern` is the name of an artefact or a paper, in which * stands for any text: xu2021/*9.*
    matches the artefacts of chapter 9. A project lists its own papers. If it has no paper of this
    name, the artefacts are those of the paper of dpfair.
    """
    found = chain.from_iterable(paper.glob("*.yaml") for paper in _papers(pattern))
    files = list(filter(is_spec, found))
    names = [f"{file.parent.name}/{file.stem}" for file in sorted(files, key=_natural)]
    of_paper = f"{pattern}/*"
    return [name for name in names if fnmatchcase(name, pattern) or fnmatchcase(name, of_paper)]


def _papers(pattern: str) -> list[Path]:
    """The folders of the papers in which a pattern can match an artefact."""
    paper = pattern.partition("/")[0]
    if WILDCARDS & {*paper}:  # a * stands for a / too
        return list(folder("experiments").glob("*/"))
    # the names are compared, because some file systems find Xu2021 as xu2021
    beside = paper_folder(paper).parent.glob("*/")
    return [place for place in beside if place.name == paper]


def artefacts_named(patterns: Collection[str]) -> list[str]:
    """The artefacts that match any of `patterns`; without patterns, all artefacts.

    Raises:
        DpfairError: a pattern matches no artefact; the message proposes the nearest name.
    """
    known = artefacts()
    if not known:
        what_to_do = (
            "work in another folder, or add a spec to this folder, such as PAPER/table1.yaml"
        )
        where = folder("experiments")
        raise DpfairError(
            f"the folder {where} has no spec of a table or figure: "
            f"{hint_for_misnamed() or what_to_do}"
        )
    if not patterns:
        return known
    found: set[str] = set()
    for pattern in patterns:
        matching = artefacts(pattern)
        if not matching:
            names = {*known, *artefacts(pattern.partition("/")[0])}
            raise _unknown(pattern, {name.split("/")[0] for name in names} | names)
        found.update(matching)
    of_dpfair = sorted(found.difference(known))  # in a project
    return [*(name for name in known if name in found), *of_dpfair]


def spec_file(artefact: str) -> Path:
    """The path of the spec (YAML file) of an artefact.

    Raises:
        DpfairError: there is no such artefact; the message proposes the nearest name.
    """
    if artefact not in artefacts(artefact.partition("/")[0]):
        raise _unknown(artefact, artefacts())
    paper, _, name = artefact.partition("/")
    return paper_folder(paper) / f"{name}.yaml"


def is_spec(file: Path) -> bool:
    """Whether a file is a spec by its name: suffix .yaml, and a beginning such as table."""
    return file.suffix == ".yaml" and file.stem.startswith(BEGINNINGS)


def hint_for_misnamed(name: str = "") -> str:
    """A hint for a YAML file that looks like a spec with a wrong name; empty without such a file.

    `name` limits the search to a paper or an artefact.
    """
    paper, _, stem = name.partition("/")
    for file in sorted(folder("experiments").glob(f"{paper or '*'}/{stem or '*'}.y*ml")):
        called = f"{file.parent.name}/{file.name}"
        if file.suffix == ".yml":
            return f"{called} is not a spec: its name must end in .yaml"
        if not is_spec(file) and not file.stem.startswith(OTHER_FILES):
            beginnings = f"{', '.join(BEGINNINGS[:-1])} or {BEGINNINGS[-1]}"
            return f"{called} is not a spec: its name must begin with {beginnings}"
    return ""


def _unknown(name: str, known: Collection[str]) -> DpfairError:
    """The error for a name that matches no artefact; the message proposes the most similar name."""
    works = ", ".join(sorted({one.partition("/")[0] for one in known}))
    hint = hint_for_misnamed(name) or meaning(name, known)
    return DpfairError(
        f"unknown artefact {name!r}: {hint or f'the works are {works}; see `dpfair info {name}`'}"
    )


def _natural(path: Path) -> tuple[str, list[int | str]]:
    """A sort key that orders numbers by value: table8.2 before table10.1."""
    words = re.split(r"(\d+)", path.stem)
    return path.parent.name, [int(word) if word.isdigit() else word for word in words]
