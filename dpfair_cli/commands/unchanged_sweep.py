"""Prints the table of a sweep again if all its runs are finished and no file has changed.

The files that decide the output are known only after the data set and the methods are found. They
are therefore noted at the end of a sweep, under the words of its command; the next sweep with these
words keeps its output if it changes none of them. An empty $DPFAIR_CACHE makes everything again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dpfair_cli.commands import kept_answers, terminal
from dpfair_cli.commands.kept_answers import Answer
from dpfair_cli.commands.unchanged import UNCHANGED, words_of
from dpfair_cli.contracts import kept_files

if TYPE_CHECKING:
    from dpfair_cli.reproduction.artefact import Artefact

FOLDER = "sweeps"  # in the cache folder
MOST = 100  # noted sweeps; the oldest ones are deleted
# options of a sweep that makes its runs again, makes none, or makes them on other machines
NEVER_KEPT = ("fresh", "dry_run", "parts", "cluster")


class SweepFiles(NamedTuple):
    """The files and modules that decide what a finished sweep prints."""

    content: list[str]
    """Files and folders whose content counts."""

    presence: list[str]
    """Files of which it counts whether they exist: those of the data set."""

    modules: list[str]
    """Python modules that the runs need, of which it counts whether they are installed."""


def files_of(artefact: Artefact) -> SweepFiles | None:
    """The files that decide what a sweep prints.

    The result is None if other things decide: missing runs, missing libraries, the user's files.
    """
    from dpfair_cli import paths
    from dpfair_cli.data_access.locating import replica_path
    from dpfair_cli.verdicts.paper_rule import FILE

    sources = [dataset.source for dataset in artefact.spec.datasets]
    unfinished = artefact.missing_modules or artefact.finished_runs < len(artefact.planned)
    if unfinished or any(source.own_files for source in sources):
        return None
    paper, data_dir = artefact.spec.paper, artefact.options.data_dir
    rule = paths.results_file(artefact.options.out, f"{paper}/{FILE}")
    read = [artefact.folder, paths.folder("experiments") / paper, rule]
    read += map(replica_path, sources)
    data = [data_dir / file.path for source in sources for file in source.files]
    methods = [method.algorithm.needs for method in artefact.spec.methods]
    modules = {*methods, *(source.needs for source in sources)} - {""}
    return SweepFiles(list(map(str, read)), list(map(str, data)), sorted(modules))


def answer_once(given: Mapping[str, Any], give: Callable[[], SweepFiles | None]) -> None:
    """Calls a function that makes and prints a sweep, unless nothing would change.

    `given` are the arguments and options of the command. The function returns the files that decide
    what it printed, or None if other things decide.
    """
    noted = _noted_under(given)
    key = _key(noted, given)
    if kept_answers.kept(key, UNCHANGED):
        return
    terminal.say_start(f"sweep of {given['dataset']}")

    def answer() -> Answer:
        files = give()
        if files:
            kept_files.keep(FOLDER, noted, json.dumps(files).encode(), most=MOST)
        return Answer(0, files is not None and _key(noted, given) == key)

    kept_answers.keep(key, answer)


def _noted_under(given: Mapping[str, Any]) -> str:
    """The name under which the files of a sweep are noted; empty if no output is kept."""
    if any(given[name] for name in NEVER_KEPT) or not given["device"].is_processor:
        return ""
    return hashlib.blake2b(repr(words_of(given)).encode(), digest_size=16).hexdigest()


def _key(noted: str, given: Mapping[str, Any]) -> str:
    """The key of the output of a sweep; empty if its files are not noted."""
    found = kept_files.read(FOLDER, noted)
    if found is None:
        return ""
    try:
        files = SweepFiles(*json.loads(found))
        content = list(map(Path, files.content))
        present = [file for file in files.presence if Path(file).is_file()]
        installed = list(filter(find_spec, map(str, files.modules)))
    except (TypeError, ValueError):  # another version noted something else
        return ""
    return kept_answers.digest_of_everything(content, [words_of(given), present, installed])
