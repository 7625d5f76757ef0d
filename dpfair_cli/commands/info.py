"""`dpfair info`: lists of data sets, methods, tasks and artefacts, or a description of one."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import options, terminal
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared

if TYPE_CHECKING:
    from dpfair_cli.catalog import Declarations

Lines = list[dict[str, str]]


@dataclass(frozen=True)
class InfoOptions:
    """The arguments and options of the command."""

    topic: str = argument(
        default="",
        metavar="[datasets|methods|tasks|privacy|artefacts|arithmetic|NAME|PAPER]",
        shell_complete=options.complete_topic,
    )
    as_json: bool = options.json_option()
    data_dir: Path = options.data_option()


@declared("info", InfoOptions)
def command(asked: InfoOptions) -> None:
    """List data sets, methods, tasks and artefacts, or describe the item NAME.

    \b
    dpfair info                    an overview of one screen
    dpfair info methods            all methods, by the data that they run on
    dpfair info pflr               one method: its guarantee and its parameters
    dpfair info xu2021             one paper: its tables and figures, and what to run

    A task is a study protocol, such as classification with a random split. An artefact is a table
    or figure of a paper. `dpfair info privacy` lists the privacy guarantees of all methods, and
    `dpfair info arithmetic` shows which libraries and vector instructions compute on this machine.
    """
    from dpfair_cli import paths
    from dpfair_cli.commands import info_overview
    from dpfair_cli.contracts.errors import DpfairError, nearest
    from dpfair_cli.running import artefact_names

    lists = {
        "datasets": _datasets,
        "methods": _methods,
        "tasks": _tasks,
        "artefacts": _artefacts,
        "arithmetic": _arithmetic,
    }
    topic, as_json = asked.topic, asked.as_json
    described = _described()
    artefacts = artefact_names.artefacts()
    papers = list(dict.fromkeys(name.split("/")[0] for name in artefacts))
    if topic == "privacy":
        _show_privacy(_privacy(), as_json)
    elif not topic and not as_json:
        click.echo("\n".join(info_overview.lines()))
    elif topic == "methods" and not as_json:
        _show_methods(_methods())
    elif not topic or topic in lists:
        _show({name: lines() for name, lines in lists.items() if topic in ("", name)}, as_json)
    elif topic in described:
        _describe(described[topic], topic, as_json, asked.data_dir)
    elif topic in papers:
        _show_paper(topic, as_json)
    elif topic in artefacts:
        text = (paths.folder("experiments") / f"{topic}.yaml").read_text(encoding="utf-8")
        echo_json({"name": topic, "spec": text}) if as_json else click.echo(text)
    else:
        known = [*lists, "privacy", *described, *papers, *artefacts]
        raise DpfairError(f"unknown topic {topic!r}: {nearest(topic, known)}")


def _described() -> dict[str, Declarations[Any]]:
    """The registry of each task, data set and method, by name."""
    from dpfair_cli import catalog

    found: dict[str, Declarations[Any]] = {}
    for registry in (catalog.studies, catalog.data_sources, catalog.algorithms):
        found |= dict.fromkeys(registry.names, registry)
    return found


def _show(lists: dict[str, Lines], as_json: bool) -> None:
    """Prints lists of data sets, methods, tasks or artefacts as columns of text, or as JSON."""
    if as_json:
        echo_json(lists)
        return
    for title, lines in lists.items():
        click.echo(f"{title}:")
        for line in lines:
            *cells, last = (
                _shortened(cell) if key == "scores" else cell for key, cell in line.items()
            )
            padded = (f"{cell:{WIDTHS[key]}}" for key, cell in zip(line, cells, strict=False))
            terminal.echo("  " + " ".join([*padded, last]), indent=6)


def _show_paper(name: str, as_json: bool) -> None:
    """Prints the description of a paper as text or as JSON."""
    found = _paper(name)
    if as_json:
        echo_json(found)
        return
    for line in _paper_lines(found):
        terminal.echo(line, indent=4)


def _paper(paper: str) -> dict[str, Any]:
    """The title of a paper, its artefacts with their titles, and commands with their effects."""
    from dpfair_cli import paths
    from dpfair_cli.reporting.report import citation
    from dpfair_cli.running import artefact_names, spec

    titles = {name: spec.load(name).title for name in artefact_names.artefacts(paper)}
    first = next((name for name in titles if "/table" in name), next(iter(titles)))
    commands = {
        f"dpfair reproduce {paper} --quick": "every table and figure, with few runs",
        f"dpfair reproduce {paper}": "every table and figure, with all runs",
        f"dpfair {_command(first)} {first}": "one of them",
        f"dpfair check {paper}": "our values against the published ones",
        f"dpfair explain {first}": "the verdict on one published value",
    }
    title = citation(paths.paper_folder(paper))
    return {"name": paper, "title": title, "artefacts": titles, "run": commands}


def _paper_lines(found: Mapping[str, Any]) -> list[str]:
    """The description of a paper as lines of text."""
    shown = [found["title"]]
    for heading, words in (("tables and figures", found["artefacts"]), ("run", found["run"])):
        width = max(map(len, words))
        shown += ["", f"{heading}:", *(f"  {key:{width}}  {text}" for key, text in words.items())]
    return shown


def _command(artefact: str) -> str:
    """The command that regenerates an artefact, `table` or `plot`."""
    from dpfair_cli.running.spec import load

    return "plot" if load(artefact).layout.picture else "table"


def _show_methods(lines: Lines) -> None:
    """Prints the methods, grouped by the data that they run on."""
    click.echo("methods:")
    for where in dict.fromkeys(line["runs on"] for line in lines):
        click.echo(f"  {where}:")
        for line in lines:
            if line["runs on"] == where:
                name, status, words = line["method"], line["status"], line["what"]
                cells = f"{name:{WIDTHS['method']}} {status:{WIDTHS['status']}} {words}"
                terminal.echo(f"    {cells}", indent=8)


def _shortened(names: str) -> str:
    """The first names of a long comma-separated list, and the number of the other names."""
    *first, rest = names.split(", ", MOST_NAMES)
    return (
        f"{', '.join(first)}, and {rest.count(', ') + 1} more"
        if len(first) == MOST_NAMES
        else names
    )


MOST_NAMES = 8  # of the scores of a task in a list
WIDTHS = {"data set": 21, "method": 30, "status": 12, "artefact": 20, "task": 25, "parameters": 54}


COLUMNS = ("method", "status", "promise", "neighbours", "public", "proof")


def _show_privacy(lines: Lines, as_json: bool) -> None:
    """Prints the guarantee of every private method, as a table in Markdown."""
    if as_json:
        echo_json({"guarantees": lines})
        return
    click.echo(f"| {' | '.join(COLUMNS)} |")
    click.echo("|---" * len(COLUMNS) + "|")
    for line in lines:
        click.echo(f"| {' | '.join(line.get(column, '') for column in COLUMNS)} |")


def _datasets() -> Lines:
    from dpfair_cli import catalog

    sources = map(catalog.data_source, catalog.data_sources.names)
    return [{"data set": source.name, "note": source.note} for source in sources]


def _methods() -> Lines:
    from dpfair_cli import catalog
    from dpfair_cli.commands.info_overview import methods_by_data

    def line(name: str, where: str) -> dict[str, str]:
        return {
            "method": name,
            "status": catalog.algorithm(name).guarantee.label({}),
            "what": _description(catalog.algorithms, name).splitlines()[0],
            "runs on": where,
        }

    lines: Lines = []
    for where, names in methods_by_data().items():
        lines += [line(name, where) for name in names]
    return lines


def _description(registry: Declarations[Any], name: str) -> str:
    """The docstring of a module; with `python -OO`, the description in its declaration."""
    import inspect

    from dpfair_cli.contracts.declarations import Algorithm, DataSource

    text = inspect.cleandoc(registry.module(name).__doc__ or "")
    declared = registry.find(name)
    if not text and isinstance(declared, DataSource):
        return declared.note
    if not text and isinstance(declared, Algorithm):
        return f"Source: {declared.source}"
    return text or name


def _tasks() -> Lines:
    from dpfair_cli import catalog

    return [
        {
            "task": study.name,
            "parameters": ", ".join(study.parameters) or "-",
            "scores": ", ".join(study.scores),
        }
        for study in map(catalog.study, catalog.studies.names)
    ]


def _privacy() -> Lines:
    from dpfair_cli import catalog

    guarantees = {name: catalog.algorithm(name).guarantee for name in catalog.algorithms.names}
    return [
        {"method": name, **guarantee.in_words()}
        for name, guarantee in guarantees.items()
        if guarantee.is_private
    ]


def _artefacts() -> Lines:
    from dpfair_cli.running import artefact_names, spec

    return [
        {"artefact": name, "title": spec.load(name).title} for name in artefact_names.artefacts()
    ]


def _arithmetic() -> Lines:
    from dpfair_cli.provenance import arithmetic

    return [{"arithmetic": line} for line in arithmetic.in_words()]


def _describe(registry: Declarations[Any], name: str, as_json: bool, data_dir: Path) -> None:
    from dpfair_cli import catalog
    from dpfair_cli.contracts import annotations
    from dpfair_cli.contracts.declarations import Algorithm, DataSource, Study
    from dpfair_cli.contracts.parameters import REQUIRED
    from dpfair_cli.data_access.describing import describe_data

    declared = registry.find(name)
    words = annotations.meanings(declared.function)
    shown = {
        key: {
            "default": "(must be given)" if one.default is REQUIRED else repr(one.default),
            "values": annotations.allowed_values(one.annotation),
            "meaning": words[key],
        }
        for key, one in declared.parameters.items()
    }
    found: dict[str, Any] = {
        "name": name,
        "description": _description(registry, name),
        "parameters": shown,
    }
    if isinstance(declared, Algorithm):
        found["guarantee"] = declared.guarantee.in_words()
    if isinstance(declared, Study):
        found["scores"] = list(declared.scores)
    if isinstance(declared, DataSource) and not declared.own_files:
        found["data"] = describe_data(catalog.data_set(name), data_dir)
    if as_json:
        echo_json(found)
    else:
        _echo(found)


def _echo(found: Mapping[str, Any]) -> None:
    """Prints what is known about a data set, method, task or artefact."""
    for line in found["description"].splitlines():
        terminal.echo(line, indent=4)
    for title in ("guarantee", "data"):
        lines = found.get(title, {})
        if lines:
            click.echo(f"\n{title}:")
        terminal.echo_fields(lines, width=max(map(len, lines), default=0), indent=2)
    click.echo("\nparameters:")
    for key, parameter in found["parameters"].items():
        click.echo(_wrapped(f"{key} = {parameter['default']}    {parameter['values']}", 2))
        if parameter["meaning"]:
            click.echo(_wrapped(parameter["meaning"], 6))
    if "scores" in found:
        click.echo("\nscores:")
    for score in found.get("scores", ()):
        click.echo(f"  {score}")


def _wrapped(words: str, indent: int) -> str:
    """Text in lines of at most 80 columns; further lines are indented more."""
    return textwrap.fill(
        words,
        width=80,
        initial_indent=" " * indent,
        subsequent_indent=" " * max(indent, 6),
        break_long_words=False,
        break_on_hyphens=False,
    )
