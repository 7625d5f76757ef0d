"""Options that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli import papers, paths
from dpfair_cli.commands import FRESH, ledgers

if TYPE_CHECKING:
    from dpfair_cli.contracts.declarations import Algorithm, DataSource
    from dpfair_cli.contracts.devices import Device
    from dpfair_cli.contracts.resolved import DataSet
    from dpfair_cli.running.pool import Workers

SMALLEST_EPSILON = 1e-9
LARGE_DELTA = 0.01  # published values of delta are 0.001 and less
PACKAGE = Path(__file__).resolve().parent.parent

OWN_OPTIONS = (
    "label",
    "protected",
    "positive",
    "labels",
    "domain",
)  # the options that describe a user's own file

Command = Callable[..., Any]


def _stacked(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _files_of(folder: str) -> set[str]:
    """The names of the modules in a folder of dpfair and of its papers, not imported."""
    package = (PACKAGE / folder).rglob("[!_]*.py")
    return {file.stem for file in (*package, *papers.modules(folder))}


def _artefacts() -> set[str]:
    """The names of all artefacts and of all papers."""
    from dpfair_cli.running.artefact_names import artefacts

    names = set(artefacts())
    return names | {name.split("/")[0] for name in names}


def complete_method(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The methods whose name begins with the text `incomplete`, for shell completion."""
    return _beginning(incomplete, _files_of("algorithms"))


def complete_task(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The tasks whose name begins with the text `incomplete`, for shell completion."""
    return _beginning(incomplete, _files_of("tasks"))


def complete_dataset(_: click.Context, __: click.Parameter, incomplete: str) -> list[Any]:
    """The data sets whose name begins with `incomplete`, or files, for shell completion."""
    from click.shell_completion import CompletionItem

    return _beginning(incomplete, _files_of("datasets")) or [
        CompletionItem(incomplete, type="file")
    ]


def complete_artefact(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The artefacts and papers whose name begins with `incomplete`, for shell completion."""
    return _beginning(incomplete, _artefacts())


def complete_topic(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The topics of `dpfair info` whose name begins with `incomplete`, for shell completion."""
    lists = {"datasets", "methods", "tasks", "privacy", "artefacts", "arithmetic"}
    names = {name for folder in ("algorithms", "datasets", "tasks") for name in _files_of(folder)}
    return _beginning(incomplete, lists | names | _artefacts())


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
data_dir = click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=paths.data_folder,
    help="The folder of the data sets.  [env: DPFAIR_DATA; default: data, or the user's data "
    "folder]",
)


def _note_fresh(ctx: click.Context, _: click.Parameter, wanted: bool) -> bool:
    """The value of --fresh, kept for the message of an interrupt: repeated, it starts over."""
    ctx.meta[FRESH] = wanted
    return wanted


def _out(default: str) -> Callable[[Command], Command]:
    where = click.Path(file_okay=False, path_type=Path)
    return click.option(
        "--out", type=where, default=None, help=f"The folder of the results.  [default: {default}]"
    )


out = _out("results")
jobs = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="The number of processes.  [default: one for each processor]",
)
workers = _stacked(
    jobs,
    click.option(
        "--cluster",
        default="",
        metavar="ADDRESS",
        help="Make the runs on the dask cluster at ADDRESS, such as tcp://host:8786. Everybody who "
        "reaches the cluster can read the data.",
    ),
)
table_cluster = click.option(
    "--cluster",
    default="",
    metavar="ADDRESS",
    help="Read your table in parts on the dask cluster at ADDRESS, such as tcp://host:8786. "
    "Everybody who reaches the cluster can read the data.",
)
settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the method, such as fairness=shift, of the data set, such as nodes=20, or "
    "of the task, such as test_fraction=0.3.",
)
task = click.option(
    "--task",
    default="",
    metavar="NAME",
    shell_complete=complete_task,
    help="The task (study protocol) that computes the scores; `dpfair info tasks` lists them.  "
    "[default: that of the data set]",
)
own_file = _stacked(
    click.option(
        "--file",
        type=click.Path(path_type=Path),
        default=None,
        help="Your own file, for a DATASET that reads one, such as csv or us_ipums.",
    ),
    click.option("--label", default="", help="The label column of your table."),
    click.option(
        "--protected",
        default="",
        help="The column of your table that defines the groups, such as sex.",
    ),
    click.option(
        "--labels",
        type=click.Path(path_type=Path),
        default=None,
        help="The file with the class of each node of your graph.",
    ),
    click.option("--positive", default="", help="The favourable value of the label column."),
    click.option(
        "--domain",
        type=click.Path(path_type=Path),
        default=None,
        help="YAML file with public ranges and levels of your table; `dpfair domain` drafts it.",
    ),
)


def _device(_: click.Context, __: click.Parameter, name: str) -> Device:
    """The device of `--device`.

    Raises:
        click.BadParameter: the name is not that of a device.
    """
    from dpfair_cli.contracts import devices

    if name not in devices.NAMES:
        raise click.BadParameter(f"{name!r} is not one of {', '.join(devices.NAMES)}")
    return devices.Device(name)


device = click.option(
    "--device",
    metavar="[cpu|cuda|mps]",
    default="cpu",
    show_default=True,
    callback=_device,
    help="The device on which networks are trained: the processor, a GPU of NVIDIA or of Apple.",
)
fresh = click.option(
    "--fresh",
    is_flag=True,
    callback=_note_fresh,
    help="Make all runs again; the old list of finished runs is kept as runs.jsonl.old.",
)
rendering = _stacked(
    click.option(
        "--quick",
        is_flag=True,
        help="Make few runs, on synthetic replicas where data are missing. The verdicts of "
        "quick runs do not count.",
    ),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Make no run; print each run that would be made. For several artefacts, print one "
        "line for each artefact.",
    ),
    as_json,
    fresh,
    click.option("--collect", is_flag=True, help="Make no run; render the finished runs."),
    data_dir,
    _out("results, or results/quick with --quick"),
    workers,
    device,
)


def resolve_data_set(
    name: str,
    own: Mapping[str, Any],
    settings: Mapping[str, Any],
    algorithms: Collection[Algorithm],
) -> tuple[DataSet, dict[str, Any]]:
    """The data set for a name or for the path of a user's file, and the settings left for methods.

    `own` are the options that describe a user's file, such as `label`. A setting that is an option
    of the data set is used for the data set.

    Raises:
        DpfairError: a name or an option is unknown, a value is not allowed, or the privacy ledger
            of the domain file is missing.
    """
    from dpfair_cli import catalog
    from dpfair_cli.contracts.errors import DpfairError

    given = {key: str(value) for key, value in own.items() if value not in (None, "")}
    if name not in catalog.data_sources.names:
        given = completed_by_project(given, name)
    if name in catalog.data_sources.names or not _looks_like_a_path(name):
        if name not in catalog.data_sources.names and Path(f"{name}.csv").exists():
            raise DpfairError(f"unknown data set {name!r}: did you mean the file {name}.csv?")
        source = catalog.data_source(name)
    else:
        given["file"] = regular_file(name)
        source = _source_of_file(name, given, settings, algorithms)
    if source.own_files:
        keep_private()
    known = source.parameters
    options = {**_needed_by_methods(algorithms, known), **given}
    options |= {key: value for key, value in settings.items() if key in known}
    left = {key: value for key, value in settings.items() if key not in known}
    data = catalog.data_set(source.name, options)
    ledgers.require_ledger(data)
    return data, left


def in_parts(data: DataSet, algorithms: Iterable[Algorithm], cluster: str) -> DataSet:
    """The data set, with its table read in parts on the cluster at the address `cluster`.

    Raises:
        DpfairError: the data are not a table with a domain file, or an algorithm needs more than
            sums over records.
    """
    from dpfair_cli.release.table_on_cluster import on_cluster, require_sums

    for algorithm in algorithms:
        require_sums(algorithm)
    return on_cluster(data, cluster_workers(cluster))


def cluster_workers(address: str) -> Workers:
    """The processes of the cluster at an address, until the command ends."""
    from dpfair_cli.running.pool import Workers

    return click.get_current_context().with_resource(Workers(cluster=address))


def keep_private() -> None:
    """Gives other users no permission for the files and folders that this command will make.

    A file that exists keeps its permissions.
    """
    before = os.umask(0o077)
    click.get_current_context().call_on_close(lambda: os.umask(before))


def completed_by_project(given: Mapping[str, str], file: str) -> dict[str, str]:
    """The options in `given`, completed from dpfair.yaml for the user's file `file`.

    A line says what was taken from dpfair.yaml.
    """
    from dpfair_cli.formats import project_file

    found = project_file.completed(given, file, Path.cwd())
    added = ", ".join(f"{key} {text}" for key, text in found.items() if key not in given)
    if added:
        click.echo(f"{project_file.NAME}: {added}", err=True)
    return found


def _source_of_file(
    name: str,
    given: Mapping[str, str],
    settings: Mapping[str, Any],
    algorithms: Collection[Algorithm],
) -> DataSource:
    """The data source for the user's file `name` with the options in `given`.

    Raises:
        DpfairError: there is no such file.
        click.UsageError: an option of the data source is missing.
    """
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.formats import project_file

    if not Path(given["file"]).exists():
        raise DpfairError(f"{name} does not exist: check the path")
    source = _reader(given.keys(), algorithms)
    lacking = _needed(source) - given.keys() - settings.keys()
    if lacking:
        raise click.UsageError(
            f"{name} needs {_as_options(sorted(lacking))}: give them, or write them into "
            f"{project_file.NAME} in the working folder"
        )
    return source


def _needed_by_methods(algorithms: Collection[Algorithm], known: Container[str]) -> dict[str, Any]:
    """The options among `known` of a data set that some of the algorithms need for their data.

    A line says so if other algorithms do not need them.
    """
    found: dict[str, Any] = {}
    for algorithm in algorithms:
        own = {key: value for key, value in algorithm.data_options.items() if key in known}
        if own and any(other.data_options != algorithm.data_options for other in algorithms):
            pairs = ", ".join(f"{key}={value}" for key, value in own.items())
            line = f"all methods get the data with {pairs}, which {algorithm.name} needs"
            click.echo(line, err=True)
        found |= own
    return found


def regular_file(name: str) -> str:
    """The path of a file that can be read several times, with the content of the file `name`.

    The content of the standard input, -, or of a pipe is kept in a file until the command ends.
    """
    path = Path(name).expanduser()
    if name != "-" and not path.is_fifo():
        return str(path)
    from tempfile import TemporaryDirectory

    from dpfair_cli.contracts.writing import write_bytes

    folder = Path(click.get_current_context().with_resource(TemporaryDirectory()))
    kept = folder / ("stdin.csv" if name == "-" else "pipe.csv")
    content = sys.stdin.buffer.read() if name == "-" else path.read_bytes()
    write_bytes(kept, content)
    return str(kept)


def _looks_like_a_path(name: str) -> bool:
    path = Path(name).expanduser()
    return name == "-" or path.exists() or bool(path.suffix) or len(path.parts) > 1


def _reader(given: Collection[str], algorithms: Collection[Algorithm]) -> DataSource:
    """The first data source for files of users that accepts all options in `given`.

    The source must provide data that one of the algorithms can be fitted to, and all its required
    options must be given. Without algorithms, a source with a further required option, such as
    labels, is preferred to the source of records.

    Raises:
        click.UsageError: no source for the algorithms accepts all given options.
    """
    from dpfair_cli import catalog
    from dpfair_cli.catalog import matching

    names = [name for name in catalog.data_sources.names if name.startswith("csv")]
    readers = list(map(catalog.data_source, names))
    fitting = [one for one in readers if any(matching.can_fit(each, one) for each in algorithms)]
    candidates = fitting or readers
    able = [one for one in candidates if _needed(one) <= set(given) <= one.parameters.keys()]
    chosen = [one for one in able if algorithms or len(_needed(one)) > 1]
    found = (chosen or candidates)[0]
    strange = [key for key in given if all(key not in one.parameters for one in candidates)]
    if strange:
        taken = _as_options(name for name in OWN_OPTIONS if name in found.parameters)
        methods = ", ".join(algorithm.name for algorithm in algorithms)
        reader = f"{methods} reads your file as {found.name}"
        raise click.UsageError(
            f"{reader} and accepts the options {taken}, got {_as_options(strange)}"
        )
    return found


def _needed(source: DataSource) -> set[str]:
    """The names of the options of a data source that have no default."""
    from dpfair_cli.contracts.parameters import REQUIRED

    return {key for key, option in source.parameters.items() if option.default is REQUIRED}


def _as_options(names: Iterable[str]) -> str:
    return ", ".join(f"--{name}" for name in names)


def require_usable_epsilon(epsilon: float) -> None:
    """Refuses a positive epsilon that is so small that noise of scale 1/epsilon overflows.

    Raises:
        click.UsageError: epsilon is too small.
    """
    if 0 < epsilon < SMALLEST_EPSILON:
        raise click.UsageError(
            f"epsilon must be at least {SMALLEST_EPSILON:g}, got {epsilon:g}: noise of a "
            "smaller epsilon overflows"
        )


def say_of_delta(given: Mapping[str, Any]) -> None:
    """Prints a warning if the settings have a delta too large for a meaningful guarantee."""
    delta = given.get("delta")
    if isinstance(delta, float) and LARGE_DELTA <= delta < 1:
        words = f"with delta {delta:g} one fit in {1 / delta:.0f} may reveal everything"
        click.echo(f"Warning: {words}: use less than 1 / number of records", err=True)


def parse_seed(text: str | None) -> int | None:
    """The value of `--seed` as a number; None without `--seed`, so that the noise is secret."""
    if text == "secret":
        raise click.UsageError(
            "--seed must be a number: leave out --seed for a secret seed, which is the default"
        )
    if text is not None and not text.isdigit():
        raise click.UsageError(f"--seed must be a number, got {text!r}")
    return None if text is None else int(text)


def parse_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    """The settings KEY=VALUE of `--set` as a mapping, with values read as YAML.

    Numbers such as 1e-5, which YAML reads as text, are accepted too.
    """
    import yaml

    pairs = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--set must be KEY=VALUE, got {setting!r}")
        try:
            pairs[name] = _value(text, yaml.safe_load)
        except yaml.YAMLError as error:
            raise click.UsageError(
                f"the value of --set {name} must be valid YAML, got {text!r}"
            ) from error
    return pairs


def _value(text: str, read: Callable[[str], Any]) -> Any:
    try:
        return float(text) if not text.lstrip("-").isdigit() else int(text)
    except ValueError:
        return read(text)
