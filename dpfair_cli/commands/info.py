"""`dpfair info`: lists of data sets, methods, tasks and artefacts, or a description of one.

Without a name it prints an overview: a line for each paper, and a line for each kind of data with
as many names as fit.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import click

from dpfair_cli import catalog, paths
from dpfair_cli.commands import options, terminal
from dpfair_cli.commands.options import argument, declared
from dpfair_cli.contracts import annotations as hints
from dpfair_cli.contracts import declarations, parameters
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.provenance import arithmetic
from dpfair_cli.reporting import markup, report
from dpfair_cli.running import artefact_names, spec

Lines = list[dict[str, str]]

MOST_NAMES = 8  # of the scores of a task in a list
WIDTHS = {"data set": 21, "method": 30, "status": 12, "artefact": 20, "task": 25, "parameters": 54}
WIDTH = 80  # of a line of the overview, and of the parameters of a method
# type of data -> what a user has of this type, and what a data set of it holds, in words. Images
# come before records, because methods for both stand with the images
KINDS = {
    "Images": ("your table with label and groups, or images", "images"),
    "Records": ("your table with label and groups", "records with label and groups"),
    "Observations": ("your table of categories or numbers", "columns of categories or numbers"),
    "CausalRecords": (
        "your table of two-valued columns with a causal graph",
        "columns with a causal graph",
    ),
    "Graph": ("your graph", "graphs"),
}
COLUMNS = ("method", "status", "promise", "neighbours", "public", "proof")


@dataclass(frozen=True)
class InfoOptions:
    """The arguments and options of the command."""

    topic: str = argument(
        default="",
        metavar="[datasets|methods|tasks|privacy|artefacts|arithmetic|NAME|PAPER]",
        shell_complete=options.complete_topic,
    )
    as_json: bool = options.JSON


@declared("info", InfoOptions)
def command(asked: InfoOptions) -> None:
    """List data sets, methods, tasks and artefacts, or describe the item NAME.

    \b
    dpfair info                    an overview of one screen
    dpfair info methods            all methods, by the data that they run on
    dpfair info pflr               one method: its guarantee and its parameters
    dpfair info xu2021             one paper: tables, figures, what to run

    A task is a study protocol, such as classification with a random split. An artefact is a table
    or figure of a paper. `dpfair info privacy` lists the privacy guarantees of all methods, and
    `dpfair info arithmetic` shows which libraries and vector instructions compute on this machine.
    """
    topic, as_json = asked.topic, asked.as_json
    # what is not asked for is not made: the lists of `dpfair info --json` take a second
    if topic == "privacy":
        content: Any = {"guarantees": _privacy()}
        show: Callable[[Any], None] = _show_privacy
    elif not topic and not as_json:
        content, show = "\n".join(_overview()), click.echo
    elif not topic or topic in LISTS:
        content = {name: lines() for name, lines in LISTS.items() if topic in ("", name)}
        show = _show_methods if topic == "methods" else _show_lists
    else:
        content, show = _described(topic, paths.data_folder())
    terminal.echo_json(content) if as_json else show(content)


def _described(topic: str, data_dir: Path) -> tuple[Mapping[str, Any], Callable[[Any], None]]:
    """What is known about an item or a paper, and the function that prints it as text.

    Raises:
        DpfairError: there is nothing of this name.
    """
    registries = (catalog.algorithms, catalog.data_sources, catalog.studies)
    items = [*catalog.studies.names, *catalog.data_sources.names, *catalog.algorithms.names]
    artefacts = artefact_names.artefacts()
    papers = list(dict.fromkeys(name.split("/")[0] for name in artefacts))
    # a name that stands for several things is that of the method
    for registry in registries:
        if topic in registry.names:
            return _item(registry, topic, data_dir), _show_item
    if topic in papers:
        return _paper(topic), _show_paper
    if topic in artefacts:
        text = (paths.folder("experiments") / f"{topic}.yaml").read_text(encoding="utf-8")
        return {"name": topic, "spec": text}, lambda content: click.echo(content["spec"])
    known = [*LISTS, "privacy", *items, *papers, *artefacts]  # all that the hint may propose
    raise DpfairError(f"unknown topic {topic!r}: {nearest(topic, known)}")


def _show_lists(lists: Mapping[str, Lines]) -> None:
    """Prints lists of data sets, methods, tasks or artefacts as columns of text."""
    for title, lines in lists.items():
        click.echo(f"{title}:")
        for line in lines:
            cells = line | ({"scores": _shortened(line["scores"])} if "scores" in line else {})
            *first, last = cells.values()
            padded = (f"{cell:{WIDTHS[key]}}" for key, cell in zip(cells, first, strict=False))
            terminal.echo("  " + " ".join([*padded, last]), indent=6)


def _shortened(names: str) -> str:
    """The first names of a long comma-separated list, and the number of the other names."""
    known = names.split(", ")
    more = [f"and {len(known) - MOST_NAMES} more"] if len(known) > MOST_NAMES else []
    return ", ".join([*known[:MOST_NAMES], *more])


def _show_methods(lists: Mapping[str, Lines]) -> None:
    """Prints the methods, grouped by the data that they run on."""
    click.echo("methods:")
    where = ""
    for line in lists["methods"]:  # those that run on the same data stand together
        if line["runs on"] != where:  # a heading for the methods that follow
            where = line["runs on"]
            click.echo(f"  {where}:")
        name, status = line["method"], line["status"]
        cells = f"{name:{WIDTHS['method']}} {status:{WIDTHS['status']}} {line['what']}"
        terminal.echo(f"    {cells}", indent=8)


def _show_privacy(content: Mapping[str, Lines]) -> None:
    """Prints the guarantee of every private method, as a table in Markdown."""
    click.echo(markup.rows(COLUMNS, ()))
    for line in content["guarantees"]:
        click.echo(markup.line(line.get(column, "") for column in COLUMNS))


def _paper(name: str) -> dict[str, Any]:
    """The title of a paper, its artefacts with their titles, and commands with their effects."""
    titles = {line["artefact"]: line["title"] for line in _artefacts(name)}
    first = next((one for one in titles if "/table" in one), next(iter(titles)))  # an example
    regenerate = "plot" if spec.load(first).layout.picture else "table"
    commands = {
        f"dpfair reproduce {name} --quick": "every table and figure, with few runs",
        f"dpfair reproduce {name}": "every table and figure, with all runs",
        f"dpfair {regenerate} {first}": "one of them",
        f"dpfair check {name}": "our values against the published ones",
        f"dpfair explain {first}": "the verdict on one published value",
    }
    title = report.citation(paths.paper_folder(name))
    return {"name": name, "title": title, "artefacts": titles, "run": commands}


def _show_paper(found: Mapping[str, Any]) -> None:
    """Prints the description of a paper."""
    terminal.echo(found["title"], indent=4)
    for heading, words in (("tables and figures", found["artefacts"]), ("run", found["run"])):
        click.echo(f"\n{heading}:")
        terminal.echo_fields(words, indent=2)


def _methods() -> Lines:
    """A line for each method; those that run on the same data stand together."""
    lines: Lines = []
    for where, names in _methods_by_data().items():
        for name in names:
            status = catalog.algorithm(name).guarantee.label({})
            what = _description(catalog.algorithms, name).splitlines()[0]
            lines.append({"method": name, "status": status, "what": what, "runs on": where})
    return lines


def _tasks() -> Lines:
    """A line for each task, with the names of its parameters and scores."""
    return [
        {
            "task": study.name,
            "parameters": ", ".join(study.parameters) or "-",
            "scores": ", ".join(study.scores),
        }
        for study in map(catalog.study, catalog.studies.names)
    ]


def _artefacts(paper: str = "") -> Lines:
    """A line for each artefact of a paper, or of all papers."""
    names = artefact_names.artefacts(paper) if paper else artefact_names.artefacts()
    return [{"artefact": name, "title": spec.load(name).title} for name in names]


def _privacy() -> Lines:
    """The guarantee of every private method in words."""
    algorithms = map(catalog.algorithm, catalog.algorithms.names)
    private = [one for one in algorithms if one.guarantee.is_private]
    return [{"method": one.name, **one.guarantee.in_words()} for one in private]


def _description(registry: catalog.Registry[Any], name: str) -> str:
    """The docstring of a module; with `python -OO`, the description in its declaration."""
    # a file of one algorithm begins with what is to be known of it
    text = inspect.cleandoc(registry.module(name).__doc__ or "")
    declared = registry.find(name)
    if not text and isinstance(declared, declarations.DataSource):
        return declared.note
    if not text and isinstance(declared, declarations.Algorithm):
        return f"Source: {declared.source}"
    return text or name


def _item(registry: catalog.Registry[Any], name: str, data_dir: Path) -> dict[str, Any]:
    """What is known about a data set, method or task, as mappings and lists for JSON."""
    from dpfair_cli.data_access import describing  # loads NumPy, for which `--help` does not wait

    declared = registry.find(name)
    words, required = hints.meanings(declared.function), parameters.REQUIRED
    shown = {
        key: {
            "default": "(must be given)" if one.default is required else repr(one.default),
            "values": hints.allowed_values(one.annotation),
            "meaning": words[key],
        }
        for key, one in declared.parameters.items()
    }
    found = {"name": name, "description": _description(registry, name), "parameters": shown}
    if isinstance(declared, declarations.Algorithm):
        found["guarantee"] = declared.guarantee.in_words()
    if isinstance(declared, declarations.Study):
        found["scores"] = list(declared.scores)
    if isinstance(declared, declarations.DataSource) and not declared.own_files:
        found["data"] = describing.describe_data(catalog.data_set(name), data_dir)
    return found


def _show_item(found: Mapping[str, Any]) -> None:
    """Prints what is known about a data set, method or task."""
    for line in found["description"].splitlines():
        terminal.echo(line, indent=4)
    for title in ("guarantee", "data"):
        if found.get(title):
            click.echo(f"\n{title}:")
            terminal.echo_fields(found[title], indent=2)
    click.echo("\nparameters:")
    indent = " " * 6  # of the meaning of a parameter, and of further lines
    for key, parameter in found["parameters"].items():
        words = f"{key} = {parameter['default']}    {parameter['values']}"
        click.echo(terminal.wrapped(words, WIDTH, first="  ", further=indent))
        if parameter["meaning"]:
            meaning = parameter["meaning"]
            click.echo(terminal.wrapped(meaning, WIDTH, first=indent, further=indent))
    if "scores" in found:
        click.echo("\n".join(["\nscores:", *(f"  {score}" for score in found["scores"])]))


def _methods_by_data() -> dict[str, list[str]]:
    """What methods can be run on -> the names of these methods; each method stands once.

    What is on the user's own data stands first; for other types of data, their names in words.
    """
    from dpfair_cli.catalog import matching  # loads NumPy, for which `--help` does not wait

    found: dict[str, list[str]] = {of_user: [] for of_user, _ in KINDS.values()}  # in this order
    for name in catalog.algorithms.names:
        types = [one.__name__ for one in matching.fitted_types(catalog.algorithm(name))]
        known = (of_user for kind, (of_user, _) in KINDS.items() if kind in types)
        where = next(known, " or ".join(sorted(map(_in_words, types))))
        found.setdefault(where, []).append(name)
    return {where: names for where, names in found.items() if names}  # no heading alone


def _data_sets_by_kind() -> dict[str, list[str]]:
    """What data sets hold -> the names of these data sets; each data set stands once."""
    from dpfair_cli.catalog import matching

    found: dict[str, list[str]] = {}
    for name in catalog.data_sources.names:
        (kind,) = matching.loaded_types(catalog.data_source(name))
        _, held = KINDS.get(kind.__name__, ("", _in_words(kind.__name__)))
        found.setdefault(held, []).append(name)
    return found


def _in_words(kind: str) -> str:
    """The name of a type in words: "local records" for LocalRecords."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()


def _others_together(groups: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Sequence[str]]]:
    """The groups of general kinds of data, and last all names of kinds that single works have."""
    general = set(chain.from_iterable(KINDS.values()))
    yield from ((where, names) for where, names in groups.items() if where in general)
    others = [names for where, names in groups.items() if where not in general]
    if others:
        yield "other data, of single works", [*chain.from_iterable(others)]


def _overview() -> Iterator[str]:
    """The lines of the overview; a line that is longer than WIDTH ends with three points."""
    counts = Counter(name.split("/")[0] for name in artefact_names.artefacts())
    yield "`dpfair info NAME` describes a paper, method, data set or task."
    yield f"\npapers ({len(counts)}), with the number of their tables and figures:"
    width = max(map(len, counts), default=0)
    for paper, count in counts.items():
        title = report.citation(paths.paper_folder(paper))
        yield _line(f"  {paper:{width}}  {count:>2}  ", [title])
    methods = catalog.algorithms.names
    yield f"\nmethods ({len(methods)}; * marks a private one): `dpfair info methods` lists all"
    for where, names in _others_together(_methods_by_data()):
        private = [name for name in names if catalog.algorithm(name).guarantee.is_private]
        others = [name for name in names if name not in private]
        marked = [f"{name}*" for name in private]
        yield _line(f"  {where} ({len(names)}): ", [*marked, *others])
    yield f"\ndata sets ({len(catalog.data_sources.names)}): `dpfair info datasets` lists all"
    for held, names in _others_together(_data_sets_by_kind()):
        yield _line(f"  {held} ({len(names)}): ", names)
    tasks = catalog.studies.names
    yield f"\ntasks (study protocols; {len(tasks)}): `dpfair info tasks` lists all"
    yield _line("  ", tasks)


def _line(begin: str, names: Iterable[str]) -> str:
    """As many words as fit into a line of WIDTH columns after its beginning."""
    room = WIDTH - len(begin)
    words = ", ".join(names)
    return begin + textwrap.shorten(words, room, placeholder=" ...", break_on_hyphens=False)


# name -> the function that makes the lines; here, below those functions
LISTS: dict[str, Callable[[], Lines]] = {
    "datasets": lambda: [
        {"data set": name, "note": catalog.data_source(name).note}
        for name in catalog.data_sources.names
    ],
    "methods": _methods,
    "tasks": _tasks,
    "artefacts": _artefacts,
    "arithmetic": lambda: [{"arithmetic": line} for line in arithmetic.in_words()],
}
