"""`dpfair info`: what there is - data sets, methods, artefacts - or one of them, and what computes here."""

from __future__ import annotations

import click

from dpfair_cli.commands import options
from dpfair_cli.commands.json_output import echo_json

Lines = list[dict[str, str]]


@click.command("info")
@click.argument(
    "topic",
    default="",
    metavar="[datasets|methods|privacy|artefacts|arithmetic|NAME]",
    shell_complete=options.complete_topic,
)
@options.as_json
def command(topic: str, as_json: bool) -> None:
    """List data sets, methods, what they promise, artefacts, and what computes here; or describe one of them."""
    from dpfair_cli import catalog, paths
    from dpfair_cli.contracts.errors import DpfairError, nearest
    from dpfair_cli.running import spec

    lists = {"datasets": _datasets, "methods": _methods, "artefacts": _artefacts, "arithmetic": _arithmetic}
    if topic == "privacy":
        _show_privacy(_privacy(), as_json)
    elif not topic or topic in lists:
        _show({name: lines() for name, lines in lists.items() if topic in ("", name)}, as_json)
    elif topic in (*catalog.names("algorithms"), *catalog.names("datasets")):
        _describe("algorithms" if topic in catalog.names("algorithms") else "datasets", topic, as_json)
    elif topic in spec.artefacts():
        text = (paths.folder("experiments") / f"{topic}.yaml").read_text(encoding="utf-8")
        echo_json({"name": topic, "spec": text}) if as_json else click.echo(text)
    else:
        known = [*lists, "privacy", *catalog.names("algorithms"), *catalog.names("datasets"), *spec.artefacts()]
        raise DpfairError(f"nothing is called {topic!r}: {nearest(topic, known)}")


def _show(lists: dict[str, Lines], as_json: bool) -> None:
    """Print lists of lines, whose cells stand below each other but for the last."""
    if as_json:
        echo_json(lists)
        return
    for title, lines in lists.items():
        click.echo(f"{title}:")
        for line in lines:
            *cells, last = line.values()
            padded = (f"{cell:{WIDTHS[key]}}" for key, cell in zip(line, cells, strict=False))
            click.echo("  " + " ".join([*padded, last]))


WIDTHS = {"data set": 21, "method": 30, "status": 12, "artefact": 20}


def _show_privacy(lines: Lines, as_json: bool) -> None:
    """Print what every private method states of its claim, as a table in Markdown."""
    if as_json:
        echo_json({"privacy": lines})
        return
    click.echo("| method | status | promise | neighbours; what is public | proof |\n|---|---|---|---|---|")
    for line in lines:
        click.echo(f"| {' | '.join(line.values())} |")


def _datasets() -> Lines:
    from dpfair_cli import catalog

    return [{"data set": name, "note": catalog.dataset(name).note} for name in catalog.names("datasets")]


def _methods() -> Lines:
    from dpfair_cli import catalog

    names = catalog.names("algorithms")
    first = {name: (catalog.find("algorithms", name).__doc__ or "").splitlines()[0] for name in names}
    return [{"method": name, "status": catalog.privacy(name, {}), "what": first[name]} for name in names]


def _privacy() -> Lines:
    from dpfair_cli import catalog

    private = filter(catalog.is_private, catalog.names("algorithms"))
    stated = {name: catalog.statement(name) for name in private}
    keys = ("Status", "Privacy", "Neighbours")
    return [
        {"method": name, **{key.lower(): words[key].rstrip(".") for key in keys}, "proof": words.get("Proof", "")}
        for name, words in stated.items()
    ]


def _artefacts() -> Lines:
    from dpfair_cli.running import spec

    return [{"artefact": name, "title": spec.load(name).title} for name in spec.artefacts()]


def _arithmetic() -> Lines:
    from dpfair_cli import arithmetic

    return [{"arithmetic": line} for line in arithmetic.in_words()]


def _describe(kind: str, name: str, as_json: bool) -> None:
    import inspect

    from dpfair_cli import catalog

    about = inspect.cleandoc(catalog.find(kind, name).__doc__ or "")
    known = catalog.parameters(kind, name)
    needed = {key for key, parameter in known.items() if parameter.default is inspect.Parameter.empty}
    shown = {key: "(must be given)" if key in needed else repr(known[key].default) for key in known}
    if as_json:
        echo_json({"name": name, "description": about, "parameters": shown})
        return
    click.echo(about)
    click.echo("\nparameters:")
    for key, default in shown.items():
        click.echo(f"  {key} = {default}")
