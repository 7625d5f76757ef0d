"""`dpfair plot`: regenerate figures."""

from __future__ import annotations

from dataclasses import dataclass

import click

from dpfair_cli.commands import making, options, terminal
from dpfair_cli.commands.options import declared, group, option
from dpfair_cli.reproduction import artefact


@dataclass(frozen=True)
class PlotOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = options.names_argument("[ARTEFACT]...")
    everything: bool = option("--all", "Regenerate every figure of every paper.")
    pdf: bool = option("--pdf", "Also write each figure as figure.pdf.")
    rendering: options.Rendering = group(options.Rendering)


@declared("plot", PlotOptions)
def command(asked: PlotOptions) -> None:
    """Regenerate figures, each with a CSV file of the drawn numbers.

    \b
    dpfair plot xu2021/figure8.1          one figure, into results/xu2021/figure8.1
    dpfair plot xu2021/figure8.1 --pdf    also figure.pdf, for a paper
    dpfair plot ding2020 --quick          all figures of a paper, with few runs
    """
    terminal.say_start("dpfair plot")  # before pandas is imported
    asked.rendering.require_plan_for_json()
    chosen = asked.rendering.run_options()
    named = making.artefacts_of_kind(asked.names, asked.everything, "figure")
    for entry in making.make_artefacts(named, chosen, asked.rendering).entries:
        click.echo(chosen.out / entry.picture)
        if asked.pdf:  # PDF files are not committed, so not written without need
            click.echo(artefact.artefact_of(entry.spec, chosen.reading).write_pdf(entry.table))
