"""`dpfair sweep`: accuracy and fairness of methods over a range of epsilon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands import options


@click.command("sweep")
@click.argument("dataset")
@click.option("--method", "methods", multiple=True, metavar="NAME", help="A method; may be repeated.")
@click.option("--eps", "epsilons", default="0.01..10", show_default=True, metavar="RANGE", help="Privacy budgets.")
@click.option("--delta", type=float, default=None, help="Failure probability, for the methods that have one.")
@click.option("--runs", type=click.IntRange(min=1), default=10, show_default=True, help="Runs for each point.")
@options.settings
@options.own_file
@options.data_dir
@options.out
@options.workers
def command(
    dataset: str,
    methods: tuple[str, ...],
    epsilons: str,
    delta: float | None,
    runs: int,
    settings: tuple[str, ...],
    data_dir: Path,
    out: Path | None,
    jobs: int | None,
    cluster: str,
    **own: Any,
) -> None:
    """Accuracy and risk difference, or edges found, against epsilon: table, CSV and plot in results/sweeps/DATASET.

    \b
    --eps 0.1,1,10      these                --eps 0.01..10     one point a decade
    --eps inf           no privacy           --eps 0.01..10:7   7 points, evenly on a log scale
    DATASET may be the path of your own CSV file, with --label and --protected.

    A sweep compares, it does not release: scores are exact, seeds are known, and fits of one seed share one unit noise
    over all epsilons, so that curves are smooth and can be repeated. `dpfair train` is for what leaves.
    """
    from dpfair_cli.artefacts import Artefact
    from dpfair_cli.commands import produce
    from dpfair_cli.reporting import tables
    from dpfair_cli.running import sweeps

    name, columns, given = options.parse_dataset(dataset, own, settings, *methods)
    given |= {} if delta is None else {"delta": delta}
    points = _epsilons(epsilons)
    spec = sweeps.spec(name, columns, methods=methods, epsilons=points, settings=given, seeds=runs)
    chosen = produce.run_options(
        quick=False, fresh=False, collect=False, data_dir=data_dir, out=out, jobs=jobs, cluster=cluster
    )
    refused = produce.show_preview(name, spec.datasets[0].params, spec.algorithms)
    spec = sweeps.without(spec, refused)
    artefact = Artefact(spec, chosen)
    with chosen.workers:
        failures = produce.run_with_progress(artefact)
    if not artefact.finished_runs:
        raise click.ClickException(failures[0])
    table = artefact.render().table
    click.echo(tables.text(table))
    figure = sweeps.figure(spec)
    if figure:
        rows = artefact.rows()
        drawn = rows[rows["method"].isin(list(figure.methods))]
        figure.layout.write(drawn, table, figure, artefact.folder, notes=artefact.notes())
    click.echo(artefact.folder, err=True)
    if refused and methods:
        raise click.ClickException(sweeps.describe_refusals(refused))
    if failures:
        raise click.ClickException(f"{len(failures)} runs failed, first: {failures[0]}")


def _epsilons(text: str) -> list[float]:
    from dpfair_cli.contracts.ranges import parse_epsilons

    try:
        return parse_epsilons(text)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
