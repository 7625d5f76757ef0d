"""`dpfair plot`: regenerate figures."""

from __future__ import annotations

from typing import Any

import click

from dpfair_cli.commands import options, terminal


@click.command("plot")
@click.argument(
    "names", nargs=-1, metavar="[ARTEFACT]...", shell_complete=options.complete_artefact
)
@click.option("--all", "everything", is_flag=True, help="Regenerate every figure of every paper.")
@click.option("--pdf", is_flag=True, help="Also write each figure as figure.pdf.")
@options.rendering
def command(names: tuple[str, ...], everything: bool, pdf: bool, **given: Any) -> None:
    """Regenerate figures, each with a CSV file of the drawn numbers.

    \b
    dpfair plot xu2021/figure8.1          one figure, into results/xu2021/figure8.1
    dpfair plot xu2021/figure8.1 --pdf    also figure.pdf, for a paper
    dpfair plot ding2020 --quick          all figures of a paper, with few runs
    """
    terminal.say_start("dpfair plot")  # before pandas is imported
    from dpfair_cli.commands import making, parsed_options

    chosen, form = parsed_options.parse_shared_options(given)
    named = parsed_options.artefacts_of_kind(names, everything, "figure")
    for entry in making.make_artefacts(named, chosen, **form):
        click.echo(chosen.out / entry.picture)
        if pdf:
            click.echo(chosen.reading.artefact(entry.spec.artefact).write_pdf(entry.table))
