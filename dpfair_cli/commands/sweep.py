"""`dpfair sweep`: accuracy and fairness of methods over a range of epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from dpfair_cli.commands import MISTAKEN, Stopped, options, own_data, terminal
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared, group, option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpfair_cli.contracts.declarations import Algorithm, DataSet, Method
    from dpfair_cli.contracts.specs import Table
    from dpfair_cli.contracts.training_context import Device
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.reproduction.runs import RunOptions
    from dpfair_cli.running.runner import FailedRun
    from dpfair_cli.running.sweeps import SweepRequest

QUICK_RUNS = 2  # for each method and epsilon, with --quick
MOST_POINTS = 10_000  # largest number of epsilons of one sweep


@dataclass(frozen=True)
class SweepOptions:
    """The arguments and options of the command."""

    dataset: str = argument(shell_complete=options.complete_dataset)
    methods: tuple[str, ...] = option(
        "--method",
        multiple=True,
        metavar="NAME",
        shell_complete=options.complete_method,
        help="A method to run; may be repeated.  [default: the usual methods for such data]",
    )
    epsilons: str = option(
        "--eps",
        default="0.01..10",
        show_default=True,
        metavar="RANGE",
        help="The values of epsilon.",
    )
    delta: float | None = option(
        "--delta",
        type=float,
        default=None,
        help="The delta of (epsilon, delta)-differential privacy, for methods with a delta.",
    )
    runs: int = option(
        "--runs",
        type=click.IntRange(1, 100_000),
        default=10,
        show_default=True,
        help="The number of runs for each method and epsilon.",
    )
    task: str = options.task_option()
    settings: tuple[str, ...] = options.set_option()
    quick: bool = option("--quick", is_flag=True, help="Make 2 runs for each method and epsilon.")
    dry_run: bool = option(
        "--dry-run", is_flag=True, help="Make no run; print each run that would be made."
    )
    fresh: bool = options.fresh_option()
    as_json: bool = options.json_option()
    own: options.OwnFile = group(options.OwnFile)
    data_dir: Path = options.data_option()
    out: Path | None = options.out_option()
    processes: options.Processes = group(options.Processes)
    parts: bool = option(
        "--parts",
        is_flag=True,
        help="With --cluster: make the runs on this machine, and read your table in parts on the "
        "cluster, for a table that does not fit into the memory of a worker.",
    )
    device: Device = options.device_option()

    def run_options(self) -> RunOptions:
        """The runs to make, with what, and where their results go.

        Raises:
            DpfairError: the device of networks is not on this machine, which makes the runs.
        """
        from dpfair_cli.reproduction.runs import RunOptions

        # the cluster of --parts reads the table, and one process here makes the runs
        processes = options.Processes(1, "") if self.parts else self.processes
        if not processes.cluster:
            self.device.require()
        return RunOptions(
            self.data_dir,
            self.out or Path.cwd() / "results",  # also if the folder is no project
            processes.workers(),
            fresh=self.fresh,
            replicas=True,  # as for `train`
            device=self.device,
        )


@declared("sweep", SweepOptions)
def command(asked: SweepOptions) -> None:
    """Compare methods on one data set over a range of epsilon.

    The kind of data decides which scores are compared. For records, these are the accuracy and
    fairness of classifiers; for a network of variables, the edges that causal discovery finds. The
    command writes a table, a CSV file and a plot into a folder below results/sweeps, which is named
    after the data set and the methods. Finished runs of earlier sweeps are used again.

    \b
    --eps 0.1,1,10      these three values   --eps 0.01..10     one value for each power of ten
    --eps inf           no privacy           --eps 0.01..10:7   7 values, evenly on a log scale

    DATASET may be the path of your own CSV file, with --label and --protected. If the files of a
    named data set are not in the data folder, the sweep uses its synthetic replica, and the heading
    of the table says REPLICA.

    The results of a sweep are not private and must not be published for private data: scores are
    exact, seeds are known, and all fits with one seed use the same draw of noise, scaled to each
    epsilon. Curves are therefore smooth and can be repeated. To publish a model, use `dpfair
    train`.
    """
    terminal.say_start(f"sweep of {asked.dataset}")  # before pandas is imported
    from dpfair_cli.commands import making, plans
    from dpfair_cli.running import checkpoints, sweeps

    artefact, request, refused = _planned(asked)
    making.require_networks([artefact], asked.device)
    if asked.dry_run:
        plans.show_plan(artefact, asked.as_json)
        return
    if asked.fresh:
        checkpoints.put_aside(artefact.folder.parent)
    else:
        artefact.runs.adopt_rows()
    _require_runnable(artefact, request)
    with artefact.options.workers:
        failures = making.run_with_progress(artefact)
    _require_finished(artefact, failures)
    _show(artefact, request, asked.as_json)
    # references may fail, for instance on data with only one class
    wanted = [failed for failed in failures if not request.is_reference(failed.run.method)]
    if wanted:
        raise making.runs_failed(wanted)
    if refused and asked.methods:
        raise Stopped(sweeps.describe_refusals(refused), MISTAKEN)


class Planned(NamedTuple):
    """A sweep before its runs."""

    artefact: Artefact
    """The runs and the files of the sweep."""
    request: SweepRequest
    """What the sweep compares."""
    refused: Mapping[Method, str]
    """The methods that cannot be run on the data, each with the reason."""


def _planned(asked: SweepOptions) -> Planned:
    """The sweep that the values of arguments and options stand for.

    Raises:
        click.UsageError: a value is malformed.
        DpfairError: a data set, a method or a study is unknown, or does not fit the others.
    """
    from dpfair_cli import catalog

    algorithms = list(map(catalog.algorithm, asked.methods))
    given = options.parse_settings(asked.settings)
    from dpfair_cli.catalog import matching
    from dpfair_cli.commands import preview
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.running import sweeps

    data, params = own_data.resolve_data_set(asked.dataset, asked.own, given, algorithms)
    if asked.parts:
        data = _in_parts(data, algorithms, asked.processes.cluster)
    params |= {} if asked.delta is None else {"delta": asked.delta}
    options.say_of_delta(params)
    request = sweeps.request(data, asked.methods, asked.task)
    protocol, params = matching.divided(params, request.study, request.every_algorithm)
    wanted = request.methods(_epsilons(asked.epsilons), params)
    run_options = asked.run_options()
    refused = preview.show(data, wanted)
    seeds = min(asked.runs, QUICK_RUNS) if asked.quick else asked.runs
    spec = request.spec(wanted, seeds=seeds, refused=refused, protocol=protocol)
    return Planned(Artefact(spec, run_options), request, refused)


def _in_parts(data: DataSet, algorithms: list[Algorithm], cluster: str) -> DataSet:
    """The data set, with its table read in parts on the cluster at the address `cluster`.

    Raises:
        click.UsageError: there is no address.
        DpfairError: as `own_data.in_parts`.
    """
    if not cluster:
        raise click.UsageError("--parts reads the table on a cluster: give --cluster ADDRESS")
    return own_data.in_parts(data, algorithms, cluster)


def _require_finished(artefact: Artefact, failures: list[FailedRun]) -> None:
    """Refuses to show a sweep without a finished run.

    Raises:
        DpfairError: all runs failed.
        Stopped: no run can be made on this machine.
    """
    from dpfair_cli.commands import making

    if artefact.runs.number:
        return
    if failures:
        raise making.runs_failed(failures)
    raise Stopped(making.left_out(artefact), MISTAKEN)


def _require_runnable(artefact: Artefact, request: SweepRequest) -> None:
    """Refuses a sweep if none of the requested runs can be made on this machine.

    Raises:
        Stopped: a library is missing; the message says how to install it.
        DpfairError: the data are not in the data folder.
    """
    from dpfair_cli.commands import making

    missing, dataset = artefact.runs.missing_modules, request.dataset
    asked = [one for one in artefact.spec.methods if not request.is_reference(one)]
    if dataset.name in missing or all(method.name in missing for method in asked):
        raise Stopped(making.left_out(artefact), MISTAKEN)
    artefact.runs.require_data()


def _show(artefact: Artefact, request: SweepRequest, as_json: bool) -> None:
    """Writes the files of a sweep, of which the figure after its table is printed."""
    from dpfair_cli.commands import table_output

    table = artefact.render().table
    try:
        if as_json:
            from dpfair_cli.reporting import json_writer  # which a printed table does without

            echo_json(json_writer.table(table))
        else:
            table_output.echo_table(table)
    finally:  # also if a reader such as `head` stops
        _draw(artefact, request, table)
    click.echo(artefact.folder, err=True)


def _draw(artefact: Artefact, request: SweepRequest, table: Table) -> None:
    """Writes the figure of the scores over epsilon, if the sweep has several epsilons."""
    from dpfair_cli.contracts.errors import naming

    figure = request.figure(artefact.spec)
    if figure is None:
        return
    rows = artefact.runs.rows()
    drawn = rows[rows["method"].isin(list(figure.methods_by_label))]
    with naming(artefact.folder):
        figure.layout.write(drawn, table, figure, artefact.folder, notes=artefact.judgement.notes())


def _epsilons(text: str) -> list[float]:
    """The values of epsilon that the text of --eps stands for.

    Raises:
        click.UsageError: the text is malformed, stands for too many values, or contains a value so
            small that noise overflows.
    """
    from dpfair_cli.contracts.conversion import EXAMPLES, parse_epsilons

    if sum(map(_points, text.split(","))) > MOST_POINTS:  # checked before the list is made
        raise click.UsageError(
            f"--eps must stand for at most {MOST_POINTS:,} values of epsilon, got {text!r}; "
            f"{EXAMPLES}"
        )
    try:
        found = parse_epsilons(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    options.require_usable_epsilon(min(found))
    return found


def _points(part: str) -> float:
    """The number of points of one part of --eps, if the part states a number."""
    from dpfair_cli.contracts.conversion import RANGE

    match = RANGE.fullmatch(part.strip())
    if match is None or float(match[4] or 1) <= 0:
        return 1
    if match[3]:
        return int(match[3])
    return (float(match[2]) - float(match[1])) / float(match[4]) if match[4] else 1
