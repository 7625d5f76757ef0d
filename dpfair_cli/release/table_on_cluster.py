"""A user's table that the workers of a cluster read in parts, as a data set like any other.

The table is read anew, part by part, for every sum that a method or a score needs. No process holds
more than one part at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import Algorithm, DataSet
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.schemas import ColumnType
from dpfair_cli.formats.domain_draft import Roles, TableDraft, check_roles
from dpfair_cli.formats.profiles import TableProfile
from dpfair_cli.formats.table_in_model import compared_types, form_of_others, warn_of_replaced
from dpfair_cli.formats.table_parts import (
    PartCounts,
    RecordsReader,
    TablePart,
    counts_of,
    cut,
    drafted_from_parts,
    outside_of,
    part_reader,
    parts_profile,
    require_plain,
    texts_of_part,
)
from dpfair_cli.formats.user_records import RecordsSchema, read_user_records
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.kinds.partitioned_records import OfRecords, PartitionedRecords
from dpfair_cli.models.tabular.encoding import Encoding
from dpfair_cli.provenance import arithmetic
from dpfair_cli.running.pool import Workers, is_death
from dpfair_cli.running.progress import SECONDS, bar

SOURCE = "csv"  # the data source of tables with a label and a protected column
AT_ONCE = 128  # calls that wait on the cluster, whose results the present process must hold
Value = TypeVar("Value")
Call = Callable[[], Value]


def on_cluster(dataset: DataSet, workers: Workers) -> DataSet:
    """The data set of a user's table, with a source that reads the table with `workers`.

    Its `load` and `profile` raise DpfairError if a file is missing, malformed, or other on a
    worker.

    Raises:
        DpfairError: the data set is not a user's table with a domain file.
    """
    if dataset.name != SOURCE or not dataset.options.get("domain"):
        raise DpfairError(
            "only your own table of records can be read in parts, and only with --domain, because "
            f"a part of the table is encoded without the rest: got {dataset.name}"
        )

    # read when it is first needed, and counted only once for `load` and `profile`
    @cache
    def table() -> RecordsOnCluster:
        options = dict(dataset.options)
        encoding = options.pop("encoding")
        known = read_user_records(**options).known
        if known.person:  # the rows of a person can be in any part
            raise DpfairError(
                f"one row of each {known.person} is used, which parts of a table do not show: "
                "leave out --cluster"
            )
        names = (*known.column_types, known.schema.label)
        rows, first = part_reader(str(options["file"]), known.form, names)
        reader = RecordsReader(rows, known, encoding, names)
        return RecordsOnCluster(reader, first, known.compared_types, workers)

    def load(folder: Path, **options: Any) -> PartitionedRecords:
        return table().records()

    def profile(**options: Any) -> TableProfile:
        return parts_profile(table().reader, table().counts)

    known = dataset.source
    source = replace(known, load=load, profile=profile)
    return replace(dataset, source=source.registered(known.name, known.module))


def require_sums(algorithm: Algorithm) -> None:
    """Refuses an algorithm that reads more than sums over records.

    Raises:
        DpfairError: the algorithm cannot be fitted to partitioned records; the message names the
            algorithms that can.
    """
    if PartitionedRecords in matching.fitted_types(algorithm):
        return
    every = map(catalog.algorithm, catalog.algorithms.names)
    able = [one.name for one in every if PartitionedRecords in matching.fitted_types(one)]
    raise DpfairError(
        f"{algorithm.name} needs all records in one process, so it cannot read a table in parts: "
        f"choose one of {', '.join(able)}"
    )


@dataclass(frozen=True)
class RecordsOnCluster:
    """The records of a table, which workers read in parts.

    Attributes:
        reader: the reader of the records of a part.
        first: the place of the first row in the file.
        compared: the types of the columns whose cells are compared with the schema.
    """

    reader: RecordsReader
    first: int
    compared: Mapping[str, ColumnType]
    workers: Workers

    @cached_property
    def parts(self) -> tuple[TablePart, ...]:
        """The parts of the table.

        Raises:
            DpfairError: there is no row, or a row is too long.
        """
        return tuple(cut(self.reader.table, self.first))

    @cached_property
    def counts(self) -> list[PartCounts]:
        """The counts of each part.

        Raises:
            DpfairError: the table is malformed, or other on a worker.
        """
        calls = [partial(counts_of, self.reader, self.compared, part) for part in self.parts]
        return list(in_order(calls, self.workers, words="the rows are counted"))

    def records(self) -> PartitionedRecords:
        """The records of the table, with errors as `counts`."""
        rows = tuple(np.ones(part.records.sum(), dtype=bool) for part in self.counts)
        return PartitionedRecords(self.reader.domain, rows, self._evaluate)

    def _evaluate(self, functions: Sequence[OfRecords]) -> Iterator[Any]:
        """Yields the values of functions, the k-th on the records of the k-th part."""
        pairs = zip(functions, self.parts, strict=True)
        # the workers get the function of a module: a method would send them all parts each time
        calls = [partial(_value, self.reader, part, function) for function, part in pairs]
        return in_order(calls, self.workers, words="the parts are read")


def read_others_on_cluster(
    file: str, known: RecordsSchema, encoding: Encoding, *, with_groups: bool, workers: Workers
) -> tuple[PartitionedRecords, TableForm]:
    """What `read_others` returns, read in parts by `workers`; with its warning.

    Raises:
        DpfairError: the file is malformed, lacks a column, or is other on a worker.
    """
    require_plain(file)
    compared = compared_types(known, with_groups=with_groups)
    form = form_of_others(file, known)
    table, first = part_reader(file, form, compared)
    reader = RecordsReader(table, known, encoding, tuple(compared))
    found = RecordsOnCluster(reader, first, compared, workers)
    records = found.records()
    warn_of_replaced(file, outside_of(found.counts), len(records))
    return records, form


def draft_on_cluster(file: str, form: TableForm, roles: Roles, workers: Workers) -> TableDraft:
    """The draft that `draft_table` returns, of a table that `workers` read in parts.

    Raises:
        DpfairError: the file is malformed, lacks a column, or is other on a worker.
    """
    reader, first = part_reader(file, form)
    check_roles(reader.names, roles)
    calls = [partial(texts_of_part, reader, part) for part in cut(reader, first)]
    parts = in_order(calls, workers, words="the texts are counted")
    return drafted_from_parts(reader, parts, roles)


def _value(reader: RecordsReader, part: TablePart, function: OfRecords) -> Any:
    """The value of a function of the records of a part."""
    return function(reader.records(part))


def in_order(calls: Sequence[Call[Value]], workers: Workers, *, words: str) -> Iterator[Value]:
    """Yields the results of calls that the processes of `workers` make, in the order of the calls.

    A progress bar with the title `words` counts the calls.

    Raises:
        DpfairError: a call raised it, a worker ended during a call, or the cluster does not answer.
    """
    rest = iter(calls)
    waiting: deque[Future[tuple[Value, str]]] = deque()
    with bar(desc=words, total=len(calls), unit="part", delay=SECONDS, leave=False) as shown:
        try:
            while True:
                more = islice(rest, AT_ONCE - len(waiting))
                waiting.extend(workers.submit(_called, call) for call in more)
                if not waiting:
                    return
                value, unsettled = _result(waiting.popleft(), workers)
                arithmetic.warn(unsettled)
                shown.update()
                yield value
        finally:  # otherwise, after an error, stopping the workers would wait for all calls
            for future in waiting:
                future.cancel()


def _called(call: Call[Value]) -> tuple[Value, str]:
    """The result of a call with one thread, and how the worker's arithmetic differs, or empty."""
    with threadpool_limits(1):
        return call(), arithmetic.unsettled()


def _result(future: Future[tuple[Value, str]], workers: Workers) -> tuple[Value, str]:
    """What `_called` returned on a worker.

    Raises:
        DpfairError: the call raised it, the worker ended, or the cluster does not answer.
    """
    try:
        return future.result()
    except CancelledError as error:
        raise DpfairError(
            f"the cluster {workers.cluster} does not answer any more: run the command again"
        ) from error
    except Exception as error:
        if not is_death(error):
            raise
        raise DpfairError(
            "several workers ended on the same part of the table, probably because the part does "
            "not fit into their memory: give each worker at least 500 MB and one thread"
        ) from error
