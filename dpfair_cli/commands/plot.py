"""`dpfair plot`: regenerate figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from dpfair_cli.commands import making, options, terminal
from dpfair_cli.commands.options import declared, group, option
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reporting import shown
from dpfair_cli.reporting.figures import differences
from dpfair_cli.reproduction import artefact


@dataclass(frozen=True)
class PlotOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = options.names_argument("[ARTEFACT]...")
    pdf: bool = option("--pdf", "Also write each figure as figure.pdf.")
    rendering: options.Rendering = group(options.Rendering)


@declared("plot", PlotOptions)
def command(asked: PlotOptions) -> None:
    """Regenerate figures, each with a CSV file of the drawn numbers.

    \b
    dpfair plot xu2021/figure8.1          one figure
    dpfair plot xu2021/figure8.1 --pdf    also figure.pdf, for a paper
    dpfair plot xu2021/table8.2           our values less those of a table
    dpfair plot ding2020 --quick          all figures of a paper, with few runs
    """
    terminal.say_start("dpfair plot")  # before pandas is imported
    asked.rendering.require_plan_for_json()
    chosen = asked.rendering.run_options()
    named = making.artefacts_of_kind(asked.names, "figure")
    for entry in making.make_artefacts(named, chosen, asked.rendering).entries:
        click.echo(_picture(chosen.out / entry.spec.artefact, entry))
        if asked.pdf and entry.picture:  # PDF files are not committed, so not written without need
            click.echo(artefact.artefact_of(entry.spec, chosen.reading).write_pdf(entry.table))


def _picture(folder: Path, entry: shown.ReportedArtefact) -> Path:
    """The path of the picture of an artefact; that of a table shows the differences.

    Raises:
        DpfairError: the artefact is a table without a published value to compare with.
    """
    file = folder / (entry.spec.layout.picture or f"{differences.NAME}.png")
    if not file.exists():
        raise DpfairError(
            f"{entry.spec.artefact} has no published value to draw: use `dpfair table`"
        )
    return file
