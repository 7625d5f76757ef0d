"""`dpfair sweep`: accuracy and fairness of methods over a range of epsilon; lists of sweeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from shlex import join
from typing import Any

import click

from dpfair_cli import catalog
from dpfair_cli.commands import MISTAKEN, Stopped, making, options, own_data, terminal
from dpfair_cli.commands.options import argument, declared, group, option
from dpfair_cli.contracts import conversion, declarations, training_context
from dpfair_cli.contracts.errors import naming
from dpfair_cli.reporting import json_writer
from dpfair_cli.reproduction import artefact as artefacts
from dpfair_cli.reproduction import runs as planned_runs
from dpfair_cli.running import checkpoints, sweeps

MOST_POINTS = 10_000  # largest number of epsilons of one sweep
JOURNAL = "runs.jsonl"  # every folder of a sweep has this file


@dataclass(frozen=True)
class SweepOptions:
    """The arguments and options of the command."""

    dataset: str = argument(default="", shell_complete=options.complete_dataset)
    methods: tuple[str, ...] = option(
        "--method",
        "A method to run; may be repeated.  [default: the usual methods for such data]",
        metavar="NAME",
        shell_complete=options.complete_method,
    )
    epsilons: str = option("--eps", "The values of epsilon.", default="0.01..10", metavar="RANGE")
    delta: float | None = options.DELTA
    runs: int = option(
        "--runs",
        "The number of runs for each method and epsilon.",
        type=click.IntRange(1, 100_000),
        default=10,
    )
    task: str = options.TASK
    settings: tuple[str, ...] = options.SETTINGS
    dry_run: bool = option("--dry-run", "Make no run; print each run that would be made.")
    fresh: bool = options.FRESH_RUNS
    as_json: bool = options.JSON
    own: options.OwnFile = group(options.OwnFile)
    data_dir: Path = options.DATA
    out: Path | None = options.out_option()
    processes: options.Processes = group(options.Processes)
    parts: bool = option(
        "--parts",
        "With --cluster: make the runs on this machine, and read your table in parts on the "
        "cluster, for a table that does not fit into the memory of a worker.",
    )
    device: training_context.Device = options.DEVICE

    def run_options(self) -> planned_runs.RunOptions:
        """The runs to make, with what, and where their results go.

        Raises:
            DpfairError: the device of networks is not on this machine, which makes the runs.
        """
        # the cluster of --parts reads the table, and one process here makes the runs
        processes = options.Processes(1, "") if self.parts else self.processes
        if not processes.cluster:
            self.device.require()
        return planned_runs.RunOptions(
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
    dpfair sweep adult --eps 0.01..10
    dpfair sweep people.csv --label hired --protected sex --domain people.yaml

    \b
    --eps 0.1,1,10      these three values
    --eps 0.01..10      one value for each power of ten
    --eps 0.01..10:7    seven values, evenly on a logarithmic scale
    --eps inf           no privacy

    DATASET may be the path of your own CSV file, with --label and --protected. If the files of a
    named data set are not in the data folder, the sweep uses its synthetic replica, and the heading
    of the table says REPLICA.

    Without DATASET, the command lists the sweeps. To remove one, delete its folder.

    The results of a sweep are not private and must not be published for private data: scores are
    exact, seeds are known, and all fits with one seed use the same draw of noise, scaled to each
    epsilon. Curves are therefore smooth and can be repeated. To publish a model, use `dpfair
    train`.
    """
    if not asked.dataset:
        _list((asked.out or Path.cwd() / "results") / "sweeps", asked.as_json)
        return
    terminal.say_start(f"sweep of {asked.dataset}")  # before pandas is imported
    artefact, request, refused = _planned(asked)
    making.require_networks([artefact], asked.device)  # before rows are adopted or put aside
    if asked.dry_run:
        plan = making.plan_as_json(artefact)
        terminal.echo_json(plan) if asked.as_json else making.print_plan(artefact)
        return
    if asked.fresh:
        checkpoints.put_aside(artefact.folder.parent)
    else:
        artefact.runs.adopt_rows()
    _require_runnable(artefact, request)  # finished rows may have made it unnecessary
    with artefact.options.workers:
        failures = making.run_with_progress(artefact)
    if not artefact.runs.number:
        raise making.nothing_made(artefact, failures)
    _show(artefact, request, asked.as_json)
    # references may fail, for instance on data with only one class
    wanted = [failed for failed in failures if not request.is_reference(failed.run.method)]
    if wanted:  # after the table of what could be made
        raise making.runs_failed(wanted)
    _say_next(asked, artefact)
    if refused and asked.methods:
        raise Stopped(sweeps.describe_refusals(refused), MISTAKEN)


def _say_next(asked: SweepOptions, artefact: artefacts.Artefact) -> None:
    """Says how to train the first private method of a sweep that is better than a constant.

    Methods whose model no file can hold are left out.
    """
    from dpfair_cli.catalog import matching
    from dpfair_cli.reporting import tables

    spec = artefact.spec
    able = {
        (method.label, method.params["epsilon"]): method
        for method in spec.methods
        if method.is_private and matching.can_be_saved(method.algorithm)
    }
    if not able:
        return
    if spec.layout.baselines:
        lines = tables.compare_with_baselines(artefact.runs.rows(), spec)
        better = lines[lines[tables.COLUMN] == tables.BETTER]
        clear = {*zip(better["method"], better["epsilon"], strict=True)}
        able = {place: method for place, method in able.items() if place in clear}
    if not able:
        advice = "try a larger --eps, or other methods of `dpfair info methods`"
        terminal.echo(f"no private model is better than a constant: {advice}", indent=2, err=True)
        return
    (_, epsilon), method = next(iter(able.items()))
    own = [[f"--{name}", value] for name, value in asked.own.given().items()]
    words = ["dpfair", "train", asked.dataset, *chain.from_iterable(own)]
    words += ["--method", method.name, "--eps", f"{epsilon:g}", "--save", "model.json"]
    terminal.say_next(join(words))


def _planned(
    asked: SweepOptions,
) -> tuple[artefacts.Artefact, sweeps.SweepRequest, Mapping[declarations.Method, str]]:
    """The sweep that is asked for, before its runs, and what it compares.

    Last come the methods that cannot be run on the data, each with the reason.

    Raises:
        click.UsageError: a value is malformed, or --parts is given without a cluster.
        DpfairError: a data set, a method or a study is unknown, or does not fit the others.
    """
    from dpfair_cli.catalog import matching  # loads NumPy, for which `--help` does not wait

    algorithms = list(map(catalog.algorithm, asked.methods))
    given, cluster = options.parse_settings(asked.settings), asked.processes.cluster
    data, params = own_data.resolve_data_set(asked.dataset, asked.own, given, algorithms)
    if asked.parts and not cluster:
        raise click.UsageError("--parts reads the table on a cluster: give --cluster ADDRESS")
    if asked.parts:
        data = own_data.in_parts(data, algorithms, cluster)
    params |= {} if asked.delta is None else {"delta": asked.delta}
    options.say_of_delta(params)
    request = sweeps.request(data, asked.methods, asked.task)
    protocol, params = matching.divided(params, request.study, request.every_algorithm)
    wanted = request.methods(_epsilons(asked.epsilons), params)
    run_options = asked.run_options()  # before anything is said of the table
    shown = own_data.show_preview(data, wanted, delta=params.get("delta"))
    wanted, refused = shown.methods, shown.refusals
    spec = request.spec(wanted, seeds=asked.runs, refused=refused, protocol=protocol)
    return artefacts.Artefact(spec, run_options), request, refused


def _require_runnable(artefact: artefacts.Artefact, request: sweeps.SweepRequest) -> None:
    """Refuses a sweep if none of the requested runs can be made on this machine.

    Raises:
        Stopped: a library is missing; the message says how to install it.
        DpfairError: the data are not in the data folder.
    """
    missing, dataset = artefact.runs.missing_modules, request.dataset
    asked = [one for one in artefact.spec.methods if not request.is_reference(one)]
    if dataset.name in missing or all(method.name in missing for method in asked):
        raise Stopped(making.left_out(artefact), MISTAKEN)
    artefact.runs.require_data()


def _show(artefact: artefacts.Artefact, request: sweeps.SweepRequest, as_json: bool) -> None:
    """Writes the files of a sweep, of which the figure after its table is printed.

    A sweep of several epsilons has a figure of the scores over epsilon.
    """
    table = artefact.render().table
    try:
        terminal.echo_json(json_writer.table(table)) if as_json else terminal.echo_table(table)
    finally:  # also if a reader such as `head` stops
        figure = request.figure(artefact.spec)
        if figure:
            rows, notes = artefact.runs.rows(), artefact.notes
            drawn = rows[rows["method"].isin(list(figure.methods_by_label))]
            with naming(artefact.folder):
                figure.layout.write(drawn, table, figure, artefact.folder, notes=notes)
    click.echo(artefact.folder, err=True)


def _epsilons(text: str) -> list[float]:
    """The values of epsilon that the text of --eps stands for.

    Raises:
        click.UsageError: the text is malformed, stands for too many values, or contains a value so
            small that noise overflows.
    """
    if sum(map(_points, text.split(","))) > MOST_POINTS:  # checked before the list is made
        raise click.UsageError(
            f"--eps must stand for at most {MOST_POINTS:,} values of epsilon, got {text!r}; "
            f"{conversion.EXAMPLES}"
        )
    try:
        found = conversion.parse_epsilons(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    options.require_usable_epsilon(min(found))
    return found


def _points(part: str) -> float:
    """The number of points of one part of --eps, if the part states a number."""
    match = conversion.RANGE.fullmatch(part.strip())
    if match is None or float(match[4] or 1) <= 0:
        return 1  # a number, or what the grammar refuses later
    if match[3]:
        return int(match[3])
    return (float(match[2]) - float(match[1])) / float(match[4]) if match[4] else 1


def _list(place: Path, as_json: bool) -> None:
    """Prints the sweeps in a folder, each with its data set, methods, number of runs and size."""
    found = [_described(file) for file in sorted(place.glob(f"*/{JOURNAL}"))]
    if as_json:
        terminal.echo_json(found)
        return
    for one in found:
        size = f"{one['bytes'] / 1024:,.0f} KiB"
        click.echo(f"{one['folder']}: {one['data set']}, {one['runs']} runs, {size}")
        terminal.echo(f"  {', '.join(one['methods'])}; epsilon {one['epsilon']}", indent=4)
    if not found:  # in words, on stderr: stdout stays empty for programs
        click.echo(f"no sweeps in {place}", err=True)


def _described(journal: Path) -> dict[str, Any]:
    """The data set, methods, number of runs and size of a sweep; damaged rows are left out."""
    rows: list[dict[str, Any]] = []
    for line in journal.read_bytes().splitlines():
        with suppress(ValueError, TypeError, AttributeError, KeyError):  # of a line that is no row
            row = json.loads(line)
            own = {name: str(row[name]) for name in ("dataset", "algorithm")}
            rows.append(row.get("params", {}) | own)
    epsilons = sorted({float(row["epsilon"]) for row in rows if "epsilon" in row})
    files = [file for file in journal.parent.rglob("*") if file.is_file()]
    return {
        "folder": journal.parent.name,
        "data set": ", ".join(dict.fromkeys(row["dataset"] for row in rows)) or "-",
        "methods": list(dict.fromkeys(row["algorithm"] for row in rows)),
        "epsilon": ", ".join(f"{epsilon:g}" for epsilon in epsilons) or "-",
        "runs": len(rows),
        "bytes": sum(file.stat().st_size for file in files),
    }
