"""`dpfair sweep`: accuracy and fairness of methods over a range of epsilon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands import MISTAKEN, Stopped, options

MOST_POINTS = 10_000  # epsilons of one sweep


@click.command("sweep")
@click.argument("dataset", shell_complete=options.complete_dataset)
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    shell_complete=options.complete_method,
    help="A method; may be repeated.",
)
@click.option(
    "--eps",
    "epsilons",
    default="0.01..10",
    show_default=True,
    metavar="RANGE",
    help="Privacy budgets.",
)
@click.option(
    "--delta", type=float, default=None, help="Failure probability, for the methods that have one."
)
@click.option(
    "--runs",
    type=click.IntRange(1, 100_000),
    default=10,
    show_default=True,
    help="Runs for each point.",
)
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
    """Accuracy and risk difference, or edges found, against epsilon: table, CSV and plot in
    results/sweeps.

    \b
    --eps 0.1,1,10      these                --eps 0.01..10     one point a decade
    --eps inf           no privacy           --eps 0.01..10:7   7 points, evenly on a log scale
    DATASET may be the path of your own CSV file, with --label and --protected. Every sweep has a
    folder of its own, named after data and methods; runs that an earlier one made are taken over.

    A sweep compares, it does not release: scores are exact, seeds are known, and fits of one seed
    share one unit noise over all epsilons, so that curves are smooth and can be repeated. `dpfair
    train` is for what leaves.
    """
    from dpfair_cli.commands import produce
    from dpfair_cli.contracts.errors import naming
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.running import sweeps

    name, columns, given = options.parse_dataset(dataset, own, settings, *methods)
    given |= {} if delta is None else {"delta": delta}
    options.say_of_delta(given)
    points = _epsilons(epsilons)
    spec = sweeps.spec(name, columns, methods=methods, epsilons=points, settings=given, seeds=runs)
    chosen = produce.run_options(
        quick=False,
        fresh=False,
        collect=False,
        data_dir=data_dir,
        out=out,
        jobs=jobs,
        cluster=cluster,
    )
    refused = produce.show_preview(name, spec.datasets[0].params, spec.algorithms)
    spec = sweeps.without(spec, refused)
    artefact = Artefact(spec, chosen)
    if sweeps.adopt_rows(artefact.journal, artefact.planned):
        artefact = Artefact(spec, chosen)
    beside = sweeps.reference_methods_beside(name, methods)
    nothing_left = {part.name for part in spec.algorithms} <= {*beside, *artefact.missing_modules}
    if nothing_left or spec.datasets[0].name in artefact.missing_modules:
        raise Stopped(produce.left_out(artefact), MISTAKEN)
    artefact.require_data()
    with chosen.workers:
        failures = produce.run_with_progress(artefact)
    if not artefact.finished_runs:
        raise (
            produce.runs_failed(failures)
            if failures
            else Stopped(produce.left_out(artefact), MISTAKEN)
        )
    table = artefact.render().table
    produce.echo_table(table)
    figure = sweeps.figure(spec)
    if figure:
        rows = artefact.rows()
        drawn = rows[rows["method"].isin(list(figure.methods))]
        with naming(artefact.folder):
            figure.layout.write(drawn, table, figure, artefact.folder, notes=artefact.notes())
    click.echo(artefact.folder, err=True)
    if asked := [
        failure
        for failure in failures
        if not failure.startswith(tuple(f"{name}, {one}(" for one in beside))
    ]:
        raise produce.runs_failed(
            asked
        )  # what nobody asked for may fail: of one class, nothing can be learned
    if refused and methods:
        raise Stopped(sweeps.describe_refusals(refused), MISTAKEN)


def _epsilons(text: str) -> list[float]:
    """The privacy budgets of --eps.

    Raises:
        click.UsageError: it is not in the grammar, or there are too many, or one is so small that
        noise is infinite.
    """
    from dpfair_cli.contracts.ranges import EXAMPLES, parse_epsilons

    if sum(map(_points, text.split(","))) > MOST_POINTS:  # before so many are made
        raise click.UsageError(f"--eps {text!r}: more than {MOST_POINTS:,} epsilons; {EXAMPLES}")
    try:
        found = parse_epsilons(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    options.require_usable_epsilon(min(found))
    return found


def _points(part: str) -> float:
    """How many points a part of --eps stands for, as far as it says so."""
    from dpfair_cli.contracts.ranges import RANGE

    match = RANGE.fullmatch(part.strip())
    if match is None or float(match[4] or 1) <= 0:
        return 1
    return (
        int(match[3])
        if match[3]
        else (float(match[2]) - float(match[1])) / float(match[4])
        if match[4]
        else 1
    )
