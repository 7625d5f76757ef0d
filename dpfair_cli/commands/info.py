"""`dpfair info`: lists of data sets, methods, tasks and artefacts, or a description of one."""

from __future__ import annotations

from pathlib import Path

import click

from dpfair_cli.commands import options
from dpfair_cli.commands.json_output import echo_json

Lines = list[dict[str, str]]


@click.command("info")
@click.argument(
    "topic",
    default="",
    metavar="[datasets|methods|tasks|privacy|artefacts|arithmetic|NAME]",
    shell_complete=options.complete_topic,
)
@options.as_json
@options.data_dir
def command(topic: str, as_json: bool, data_dir: Path) -> None:
    """List data sets, methods, privacy guarantees, tasks, artefacts and arithmetic, or describe
    one of them.
    """
    from dpfair_cli import catalog, paths
    from dpfair_cli.contracts.errors import DpfairError, nearest
    from dpfair_cli.running import spec

    lists = {
        "datasets": _datasets,
        "methods": _methods,
        "tasks": _tasks,
        "artefacts": _artefacts,
        "arithmetic": _arithmetic,
    }
    described = {
        name: kind for kind in ("tasks", "datasets", "algorithms") for name in catalog.names(kind)
    }
    if topic == "privacy":
        _show_privacy(_privacy(), as_json)
    elif not topic or topic in lists:
        _show({name: lines() for name, lines in lists.items() if topic in ("", name)}, as_json)
    elif topic in described:
        _describe(described[topic], topic, as_json, data_dir)
    elif topic in spec.artefacts():
        text = (paths.folder("experiments") / f"{topic}.yaml").read_text(encoding="utf-8")
        echo_json({"name": topic, "spec": text}) if as_json else click.echo(text)
    else:
        known = [*lists, "privacy", *described, *spec.artefacts()]
        raise DpfairError(f"nothing is called {topic!r}: {nearest(topic, known)}")


def _show(lists: dict[str, Lines], as_json: bool) -> None:
    """Print lists of lines, whose cells stand below each other but for the last."""
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
            click.echo("  " + " ".join([*padded, last]))


def _shortened(names: str) -> str:
    """The first of a long list of names, and how many more there are."""
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
    """Print the guarantee of every private method, as a table in Markdown."""
    if as_json:
        echo_json({"guarantees": lines})
        return
    click.echo(f"| {' | '.join(COLUMNS)} |")
    click.echo("|---" * len(COLUMNS) + "|")
    for line in lines:
        click.echo(f"| {' | '.join(line.get(column, '') for column in COLUMNS)} |")


def _datasets() -> Lines:
    from dpfair_cli import catalog

    return [
        {"data set": name, "note": catalog.dataset(name).note} for name in catalog.names("datasets")
    ]


def _methods() -> Lines:
    from dpfair_cli import catalog

    return [
        {
            "method": name,
            "status": catalog.algorithm(name).guarantee.label({}),
            "what": _description("algorithms", name).splitlines()[0],
        }
        for name in catalog.names("algorithms")
    ]


def _description(kind: str, name: str) -> str:
    """The docstring of a module; what its record says where Python has dropped docstrings."""
    import inspect

    from dpfair_cli import catalog

    text = inspect.cleandoc(catalog.find(kind, name).__doc__ or "")
    if text or kind == "tasks":
        return text or name
    if kind == "datasets":
        return catalog.dataset(name).note
    return f"Source: {catalog.algorithm(name).source}"


def _tasks() -> Lines:
    from dpfair_cli import catalog

    return [
        {"task": name, "parameters": ", ".join(catalog.parameters("tasks", name)) or "-",
         "scores": ", ".join(catalog.task(name).scores)}
        for name in catalog.names("tasks")
    ]  # fmt: skip


def _privacy() -> Lines:
    from dpfair_cli import catalog

    guarantees = {name: catalog.algorithm(name).guarantee for name in catalog.names("algorithms")}
    return [
        {"method": name, **guarantee.in_words()}
        for name, guarantee in guarantees.items()
        if guarantee.is_private
    ]


def _artefacts() -> Lines:
    from dpfair_cli.running import spec

    return [{"artefact": name, "title": spec.load(name).title} for name in spec.artefacts()]


def _arithmetic() -> Lines:
    from dpfair_cli.provenance import arithmetic

    return [{"arithmetic": line} for line in arithmetic.in_words()]


def _describe(kind: str, name: str, as_json: bool, data_dir: Path) -> None:
    import inspect

    from dpfair_cli import catalog
    from dpfair_cli.data_access.describing import describe_data

    about = _description(kind, name)
    known = catalog.parameters(kind, name)
    needed = {
        key for key, parameter in known.items() if parameter.default is inspect.Parameter.empty
    }
    shown = {key: "(must be given)" if key in needed else repr(known[key].default) for key in known}
    scores = list(catalog.task(name).scores) if kind == "tasks" else []
    facts = describe_data(name, data_dir) if kind == "datasets" else {}
    guarantee = catalog.algorithm(name).guarantee.in_words() if kind == "algorithms" else {}
    if as_json:
        found = {"guarantee": guarantee, "scores": scores, "data": facts}
        more = {key: value for key, value in found.items() if value}
        echo_json({"name": name, "description": about, "parameters": shown, **more})
        return
    click.echo(about)
    for title, lines in (("guarantee", guarantee), ("data", facts)):
        if lines:
            click.echo(f"\n{title}:")
        for key, text in lines.items():
            click.echo(f"  {key:{max(map(len, lines))}}  {text}")
    click.echo("\nparameters:")
    for key, default in shown.items():
        click.echo(f"  {key} = {default}")
    if scores:
        click.echo("\nscores:")
    for score in scores:
        click.echo(f"  {score}")
