"""The data that a command reads, and the privacy ledger of a user's own table.

A name is that of a data set, or the path of the user's own file, which the options of `OwnFile`
describe. The ledger of its domain file is found before anything is read, and pays for a release
before the fit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import Any

import click

from dpfair_cli import catalog
from dpfair_cli.commands import options, terminal
from dpfair_cli.contracts import declarations, parameters
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.formats import domain_file, project_file, user_table
from dpfair_cli.release import privacy_ledger, spending, table_on_cluster
from dpfair_cli.reproduction import preview
from dpfair_cli.running import pool

# the options that describe a user's own table or graph, in the order in which messages name them
OWN_OPTIONS = ("label", "protected", "positive", "labels", "domain")


def resolve_data_set(
    name: str,
    own: options.OwnFile,
    settings: Mapping[str, Any],
    algorithms: Collection[declarations.Algorithm],
) -> tuple[declarations.DataSet, dict[str, Any]]:
    """The data set for a name or for the path of a user's file, and the settings left for methods.

    A setting that is an option of the data set is used for the data set.

    Raises:
        DpfairError: a name or an option is unknown, a value is not allowed, or the privacy ledger
            of the domain file is missing.
    """
    given, is_known = own.given(), name in catalog.data_sources.names
    if not is_known:
        given = completed_by_project(given, name)  # only files need such options
    if is_known or not _looks_like_a_path(name):
        if not is_known and Path(f"{name}.csv").exists():
            raise DpfairError(f"unknown data set {name!r}: did you mean the file {name}.csv?")
        source = catalog.data_source(name)  # an unknown name is refused with a hint
    else:
        given["file"] = regular_file(name)
        source = _source_of_file(name, given, settings, algorithms)
    if source.own_files:  # what is written is about the user's own records
        keep_private()
    known = source.parameters
    # options win over what methods need, and --set over both
    chosen = {**_needed_by_methods(algorithms, source), **given}
    chosen |= {key: value for key, value in settings.items() if key in known}
    data = catalog.data_set(source.name, chosen)
    if data.options.get("domain"):  # of every command, also of one that releases nothing
        spending.require_ledger(Path(str(data.options["domain"])), _places(data.options))
        _require_roles(data.options)
    return data, {key: value for key, value in settings.items() if key not in known}


def _require_roles(given: Mapping[str, Any]) -> None:
    """Refuses a misspelt label or protected column, which is not to be added to the domain file.

    Raises:
        DpfairError: neither the domain file nor the table has the column.
    """
    found = domain_file.read_draft(str(given["domain"]))
    roles = [given[role] for role in ("label", "protected") if role in given]
    unnamed = [name for name in roles if name not in found.columns]
    if unnamed:
        user_table.heading_with(unnamed, str(given["file"]), found.form)


def show_preview(
    data: declarations.DataSet, methods: Iterable[declarations.Method], *, delta: float | None
) -> preview.Preview:
    """Prints to stderr how a user's table was interpreted, before runs are made on it.

    Returns what was printed, with the methods as they can be run. `delta` is the one that the user
    gave, if any.
    """
    found = preview.preview(data, methods, delta=delta)
    for line in found.lines() if found.facts else ():
        terminal.echo(line, indent=4, err=True)
    return found


def in_parts(
    data: declarations.DataSet, algorithms: Iterable[declarations.Algorithm], cluster: str
) -> declarations.DataSet:
    """The data set, with its table read in parts on the cluster at the address `cluster`.

    Raises:
        DpfairError: the data are not a table with a domain file, or an algorithm needs more than
            sums over records.
    """
    for algorithm in algorithms:  # before the cluster starts
        table_on_cluster.require_sums(algorithm)
    return table_on_cluster.on_cluster(data, cluster_workers(cluster))


def cluster_workers(address: str) -> pool.Workers:
    """The processes of the cluster at an address, until the command ends."""
    return click.get_current_context().with_resource(pool.Workers(cluster=address))


def keep_private() -> None:
    """Gives other users no permission for the files and folders that this command will make.

    A file that exists keeps its permissions.
    """
    before = os.umask(0o077)  # of the process: it is set back when the command ends
    click.get_current_context().call_on_close(lambda: os.umask(before))


def completed_by_project(given: Mapping[str, str], file: str) -> dict[str, str]:
    """The options in `given`, completed from dpfair.yaml for the user's file `file`.

    A line says what was taken from dpfair.yaml.
    """
    found = project_file.completed(given, file, Path.cwd())
    added = [f"--{key} {quote(text)}" for key, text in found.items() if key not in given]
    if added:
        click.echo(f"{project_file.NAME}: {' '.join(added)}", err=True)
    return found


def regular_file(name: str) -> str:
    """The path of a file that can be read several times, with the content of the file `name`.

    The content of the standard input, -, or of a pipe is kept in a file until the command ends.
    """
    from dpfair_cli.contracts.files import write_bytes  # loads PyYAML

    path = Path(name).expanduser()
    if name != "-" and not path.is_fifo():
        return str(path)
    # in a folder of its own: its name must not be guessed, and it goes with the command
    folder = Path(click.get_current_context().with_resource(TemporaryDirectory()))
    kept = folder / ("stdin.csv" if name == "-" else "pipe.csv")
    write_bytes(kept, sys.stdin.buffer.read() if name == "-" else path.read_bytes())
    return str(kept)


def _looks_like_a_path(name: str) -> bool:
    """Whether a name that is no data set can only be that of a file, whether or not it exists."""
    path = Path(name).expanduser()
    return name == "-" or path.exists() or bool(path.suffix) or len(path.parts) > 1


def _source_of_file(
    name: str,
    given: Mapping[str, str],
    settings: Mapping[str, Any],
    algorithms: Collection[declarations.Algorithm],
) -> declarations.DataSource:
    """The data source for the user's file `name` with the options in `given`.

    Raises:
        DpfairError: there is no such file.
        click.UsageError: an option of the data source is missing.
    """
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


def _needed_by_methods(
    algorithms: Collection[declarations.Algorithm], source: declarations.DataSource
) -> dict[str, Any]:
    """The options of a data source that some of the algorithms need for their data.

    A line says so if other algorithms do not need them.
    """
    found: dict[str, Any] = {}
    for algorithm in algorithms:
        needed = algorithm.data_options.items()
        own = {key: value for key, value in needed if key in source.parameters}
        if own and any(other.data_options != algorithm.data_options for other in algorithms):
            pairs = ", ".join(f"{key}={value}" for key, value in own.items())
            line = f"all methods get the data with {pairs}, which {algorithm.name} needs"
            click.echo(line, err=True)
        found |= own
    return found


def _reader(
    given: Collection[str], algorithms: Collection[declarations.Algorithm]
) -> declarations.DataSource:
    """The first data source for files of users that accepts all options in `given`.

    The source must provide data that one of the algorithms can be fitted to, and all its required
    options must be given. Without algorithms, a source with a further required option, such as
    labels, is preferred to the source of records.

    Raises:
        click.UsageError: no source for the algorithms accepts all given options.
    """
    from dpfair_cli.catalog import matching  # loads NumPy, for which `--help` does not wait

    names = [name for name in catalog.data_sources.names if name.startswith("csv")]
    readers = list(map(catalog.data_source, names))

    def is_fitting(source: declarations.DataSource) -> bool:
        return any(matching.can_fit(each, source) for each in algorithms)

    candidates = list(filter(is_fitting, readers)) or readers
    able = [one for one in candidates if _needed(one) <= set(given) <= one.parameters.keys()]
    chosen = [one for one in able if algorithms or len(_needed(one)) > 1]
    found = (chosen or candidates)[0]
    known = set().union(*(one.parameters for one in candidates))
    # an option that no candidate knows is a mistake, however the file is read
    strange = [key for key in given if key not in known]
    if strange:
        taken = _as_options(name for name in OWN_OPTIONS if name in found.parameters)
        methods = ", ".join(algorithm.name for algorithm in algorithms)
        raise click.UsageError(
            f"{methods} reads your file as {found.name} and accepts the options {taken}, got "
            f"{_as_options(strange)}"
        )
    return found


def _needed(source: declarations.DataSource) -> set[str]:
    """The names of the options of a data source that have no default."""
    required = parameters.REQUIRED
    return {key for key, option in source.parameters.items() if option.default is required}


def _as_options(names: Iterable[str]) -> str:
    """Names of fields as the options that a user types."""
    return ", ".join(f"--{name}" for name in names)


def paying_domain(data: declarations.DataSet) -> Path | None:
    """The domain file of a data set, if it has a ledger; None if it has none.

    A line, also with -q, says so if there are ledgers nearby, which are of other domain files.

    Raises:
        DpfairError: as `has_ledger`, or a ledger nearby is about the same columns.
    """
    if has_ledger(data):
        return Path(str(data.options["domain"]))
    if not data.source.own_files:
        return None
    used = data.options.get("domain")
    if used:
        spending.require_no_other(Path(str(used)), _places(data.options))
    beside = [spending.ledger_path(Path(str(used))).parent] if used else []
    nearby = sorted(spending.ledgers_in([*beside, *_places(data.options)]))
    if nearby:  # a copied domain file would spend nothing, unnoticed
        ledgers = ", ".join(file.name for file in nearby)
        domains = ", ".join(file.name.removesuffix(".ledger") for file in nearby)
        terminal.warn(
            f"{used} has no ledger, so nothing is counted; {ledgers} is the ledger of another "
            "domain file"
            if used
            else f"there is no --domain, so nothing is counted; {domains} has a ledger: if it is "
            "about this table, give it with --domain"
        )
    return None


def has_ledger(data: declarations.DataSet) -> bool:
    """Whether a data set has a domain file with a ledger.

    Raises:
        DpfairError: the domain file was renamed or copied away from its ledger, or the ledger is
            missing.
    """
    used = data.options.get("domain")
    return bool(used) and spending.has_ledger(Path(str(used)), _places(data.options))


def show_price(domain: Path | None, wanted: privacy_ledger.LedgerEntry) -> None:
    """Prints a warning if a release will cost more of the ledger of a domain file than its epsilon.

    Raises:
        DpfairError: the ledger cannot be read.
    """
    price = spending.price_in_words(domain, wanted) if domain else ""
    if price:
        terminal.warn(f"Warning: {price}")


def _places(given: Mapping[str, Any]) -> list[Path]:
    """The folders in which ledgers of a user's table are looked for, besides the domain file's."""
    return [Path.cwd(), Path(str(given.get("file"))).expanduser().parent]


def parse_amount(option: str, text: str) -> Decimal:
    """The value of an option as an exact decimal number, above 0 for --eps.

    Raises:
        click.UsageError: the text is no such number.
    """
    try:
        amount = privacy_ledger.amount(text)
    except ValueError as error:
        raise click.UsageError(f"{option} {error}") from error
    if option == "--eps" and not amount:
        raise click.UsageError("--eps must be larger than 0")
    return amount


def spend(domain: Path | None, entries: Sequence[privacy_ledger.LedgerEntry]) -> None:
    """Spends from the ledger of a domain file, if there is one, and says what is left.

    Raises:
        DpfairError: the budget does not suffice, or an entry cannot be counted.
    """
    if domain is None:
        return
    ledger, in_words = spending.spend(domain, entries), privacy_ledger.in_words
    name = spending.ledger_path(domain).name
    for entry in entries:
        # what is spent is rounded up, and what is left down: no reader overrates the budget
        cost = in_words(*entry.cost(ledger.neighbours), ROUND_UP)
        click.echo(f"{name}: {cost} is spent on {entry.purpose}", err=True)
    click.echo(f"{name}: {in_words(*ledger.left, ROUND_DOWN)} is left", err=True)
