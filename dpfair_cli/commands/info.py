"""`dpfair info`: what there is - data sets, methods, artefacts - or one of them, and what computes here."""

from __future__ import annotations

import click


@click.command("info")
@click.argument("topic", default="", metavar="[datasets|methods|privacy|artefacts|arithmetic|NAME]")
def command(topic: str) -> None:
    """List data sets, methods, what they promise, artefacts, and what computes here; or describe one of them."""
    from dpfair_cli import catalog, paths
    from dpfair_cli.contracts.errors import DpfairError, nearest
    from dpfair_cli.running import spec

    lists = {"datasets": _datasets, "methods": _methods, "artefacts": _artefacts, "arithmetic": _arithmetic}
    if topic == "privacy":
        _privacy()
    elif not topic or topic in lists:
        for name, show in lists.items():
            if topic in ("", name):
                click.echo(f"{name}:")
                show()
    elif topic in catalog.names("algorithms"):
        _describe("algorithms", topic)
    elif topic in catalog.names("datasets"):
        _describe("datasets", topic)
    elif topic in spec.artefacts():
        click.echo((paths.folder("experiments") / f"{topic}.yaml").read_text(encoding="utf-8"))
    else:
        known = [*lists, "privacy", *catalog.names("algorithms"), *catalog.names("datasets"), *spec.artefacts()]
        raise DpfairError(f"nothing is called {topic!r}: {nearest(topic, known)}")


def _datasets() -> None:
    from dpfair_cli import catalog

    for name in catalog.names("datasets"):
        click.echo(f"  {name:21} {catalog.dataset(name).note}")


def _methods() -> None:
    from dpfair_cli import catalog

    for name in catalog.names("algorithms"):
        first = (catalog.find("algorithms", name).__doc__ or "").splitlines()[0]
        click.echo(f"  {name:30} {catalog.privacy(name, {}):12} {first}")


def _privacy() -> None:
    """What every private method states of its claim, as a table in Markdown."""
    from dpfair_cli import catalog

    click.echo("| method | status | promise | neighbours; what is public | proof |\n|---|---|---|---|---|")
    for name in filter(catalog.is_private, catalog.names("algorithms")):
        stated = catalog.statement(name)
        cells = (stated[key].rstrip(".") for key in ("Status", "Privacy", "Neighbours"))
        click.echo(f"| {name} | {' | '.join(cells)} | {stated.get('Proof', '')} |")


def _artefacts() -> None:
    from dpfair_cli.running import spec

    for name in spec.artefacts():
        click.echo(f"  {name:20} {spec.load(name).title}")


def _arithmetic() -> None:
    from dpfair_cli import arithmetic

    click.echo("".join(f"  {line}\n" for line in arithmetic.in_words()), nl=False)


def _describe(kind: str, name: str) -> None:
    import inspect

    from dpfair_cli import catalog

    click.echo(inspect.cleandoc(catalog.find(kind, name).__doc__ or ""))
    click.echo("\nparameters:")
    for key, parameter in catalog.parameters(kind, name).items():
        default = parameter.default
        click.echo(f"  {key} = {'(must be given)' if default is inspect.Parameter.empty else repr(default)}")
