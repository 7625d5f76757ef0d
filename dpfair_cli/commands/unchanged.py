"""Prints the output of `table`, `plot` and `reproduce` again if they would change no file.

That is known if the same command has already run on the same files and left every file as it was.
Files that it writes are compared like those that it reads, so that a changed or a deleted picture
is made again. An empty $DPFAIR_CACHE makes all files again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import SAY_LESS, SAY_MORE, kept_answers, terminal
from dpfair_cli.commands.kept_answers import Answer

if TYPE_CHECKING:
    from dpfair_cli.reporting.report import ReportedArtefact
    from dpfair_cli.reproduction.artefact import RunOptions

UNCHANGED = "no file has changed since this command: DPFAIR_CACHE= makes the files again"
LEFT_OUT = {"jobs"}  # options that change no byte
# options of a command that makes runs, or whose files state the commit
NEVER_KEPT = ("quick", "fresh", "dry_run", "cluster", "replicas", "html")
OTHERS = ("referee",)  # folders of results that belong to no paper


def answer_once(names: Sequence[str], given: Mapping[str, Any], give: Callable[[], Answer]) -> None:
    """Calls a function that writes files and prints an answer, unless nothing would change.

    `names` and `given` are the arguments and options of the command.

    Raises:
        click.exceptions.Exit: the exit code of the answer is not 0.
    """

    def answer() -> Answer:
        found = give()
        return found._replace(is_lasting=found.is_lasting and _key(names, given) == key)

    key = _key(names, given)
    kept = kept_answers.kept(key, UNCHANGED)
    if kept is None:
        terminal.say_start(f"dpfair {click.get_current_context().info_name}")
        kept = kept_answers.keep(key, answer)
    if kept.code:
        raise click.exceptions.Exit(kept.code)


def is_lasting(
    entries: Sequence[ReportedArtefact], names: Sequence[str], options: RunOptions
) -> bool:
    """Whether the files of the artefacts `names` depend on nothing that may change unseen.

    A file of the user may change, and a library that some runs need may be installed.
    """
    from dpfair_cli.reproduction.artefact import missing_modules

    specs = [entry.spec for entry in entries]
    has_own = any(part.source.own_files for spec in specs for part in spec.datasets)
    complete = len(entries) == len(names) and not any(map(missing_modules, specs))
    return not has_own and (options.collect or complete)


def _key(names: Sequence[str], given: Mapping[str, Any]) -> str:
    """The key of the answer to a command in a terminal of this width; empty if none is kept."""
    from dpfair_cli import paths

    if any(given.get(name) for name in NEVER_KEPT) or not given["device"].is_processor:
        return ""
    experiments, results = paths.folder("experiments"), given["out"] or paths.folder("results")
    papers = [place.name for place in sorted(experiments.glob("*")) if place.is_dir()]
    tops = [file for file in sorted(results.glob("*")) if file.is_file()]
    return kept_answers.digest_of_everything(
        [experiments, *(results / name for name in (*papers, *OTHERS)), *tops],
        [*names, words_of(given)],
    )


def words_of(given: Mapping[str, Any]) -> list[object]:
    """What a command was called with, and the terminal and the folder that its output depends on.

    `given` are the options of the command.
    """
    from dpfair_cli import paths

    context = click.get_current_context()
    options = sorted((name, str(value)) for name, value in given.items() if name not in LEFT_OUT)
    said = [context.meta.get(SAY_LESS), context.meta.get(SAY_MORE)]
    shown = [terminal.width(), terminal.is_coloured(), str(Path.cwd())]
    places = [str(paths.folder(name)) for name in ("experiments", "results", "data")]
    return [context.info_name, options, said, shown, places, str(paths.replica_folder())]
