"""The data that a command reads: a named data set, or the user's own file with its options."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Container, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import ledgers

if TYPE_CHECKING:
    from dpfair_cli.commands.options import OwnFile
    from dpfair_cli.contracts.declarations import Algorithm, DataSet, DataSource
    from dpfair_cli.running.pool import Workers

# the options that describe a user's own table or graph, in the order in which messages name them
OWN_OPTIONS = ("label", "protected", "positive", "labels", "domain")


def resolve_data_set(
    name: str,
    own: OwnFile,
    settings: Mapping[str, Any],
    algorithms: Collection[Algorithm],
) -> tuple[DataSet, dict[str, Any]]:
    """The data set for a name or for the path of a user's file, and the settings left for methods.

    A setting that is an option
    of the data set is used for the data set.

    Raises:
        DpfairError: a name or an option is unknown, a value is not allowed, or the privacy ledger
            of the domain file is missing.
    """
    from dpfair_cli import catalog
    from dpfair_cli.contracts.errors import DpfairError

    given = own.given()
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

    from dpfair_cli.contracts.files import write_bytes

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

    def is_fitting(source: DataSource) -> bool:
        return any(matching.can_fit(each, source) for each in algorithms)

    fitting = list(filter(is_fitting, readers))
    candidates = fitting or readers
    able = [one for one in candidates if _needed(one) <= set(given) <= one.parameters.keys()]
    chosen = [one for one in able if algorithms or len(_needed(one)) > 1]
    found = (chosen or candidates)[0]
    known = set().union(*(one.parameters for one in candidates))
    strange = [key for key in given if key not in known]
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
