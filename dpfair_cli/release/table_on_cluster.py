"""A user's table that the workers of a cluster read in parts, as a data set like any other.

The table is read anew, part by part, for every sum that a method or a score needs. No process holds
more than one part at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dpfair_cli.catalog import matching, registry
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.resolved import DataSet
from dpfair_cli.contracts.schemas import ColumnType
from dpfair_cli.formats.domain_draft import Roles, TableDraft, check_roles
from dpfair_cli.formats.profiles import TableProfile
from dpfair_cli.formats.table_in_model import compared_types, form_of_others, warn_of_replaced
from dpfair_cli.formats.table_parts import (
    PartCounts,
    PartReader,
    RecordsReader,
    TablePart,
    counts_of,
    cut,
    drafted_from_parts,
    find_long_form,
    outside_of,
    part_reader,
    parts_profile,
    texts_of_part,
)
from dpfair_cli.formats.user_records import RecordsSchema, read_schema
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.kinds.partitioned_records import OfRecords, PartitionedRecords
from dpfair_cli.models.tabular.encoding import Encoding
from dpfair_cli.running.partitions import in_order
from dpfair_cli.running.pool import Workers

SOURCE = "csv"  # the data source of tables with a label and a protected column
Value = TypeVar("Value")


def on_cluster(dataset: DataSet, workers: Workers) -> DataSet:
    """The data set of a user's table, with a source that reads the table with `workers`.

    Raises:
        DpfairError: the data set is not a user's table with a domain file.
    """
    if dataset.name != SOURCE or not dataset.options.get("domain"):
        raise DpfairError(
            "only your own table of records can be read in parts, and only with --domain, because "
            f"a part of the table is encoded without the rest: got {dataset.name}"
        )
    table, known = TableOnCluster(dataset, workers), dataset.source
    source = replace(known, load=table.load, profile=table.profile)
    return replace(dataset, source=source.registered(known.name, known.module))


def require_sums(algorithm: Algorithm) -> None:
    """Refuses an algorithm that reads more than sums over records.

    Raises:
        DpfairError: the algorithm cannot be fitted to partitioned records; the message names the
            algorithms that can.
    """
    if PartitionedRecords in matching.fitted_types(algorithm):
        return
    every = map(registry.algorithm, registry.algorithms.names)
    able = [one.name for one in every if PartitionedRecords in matching.fitted_types(one)]
    raise DpfairError(
        f"{algorithm.name} needs all records in one process, so it cannot read a table in parts: "
        f"choose one of {', '.join(able)}"
    )


@dataclass(frozen=True)
class PartsOnCluster:
    """The parts of a table, which workers read."""

    reader: PartReader
    """The reader of the cells of a part."""
    first: int
    """The place of the first row in the file."""
    workers: Workers
    """The processes that read the parts."""

    @cached_property
    def parts(self) -> tuple[TablePart, ...]:
        """The parts of the table.

        Raises:
            DpfairError: there is no row, or a row is too long.
        """
        return tuple(cut(self.reader, self.first))

    def each(self, function: Callable[[TablePart], Value], *, words: str) -> Iterator[Value]:
        """Yields the values of a function of each part; a progress bar has the title `words`.

        Raises:
            DpfairError: as `parts`, or a part is malformed or other on a worker.
        """
        return in_order([partial(function, part) for part in self.parts], self.workers, words=words)


@dataclass(frozen=True)
class RecordsOnCluster:
    """The records of a table, which workers read in parts."""

    table: PartsOnCluster
    """The parts of the table."""
    reader: RecordsReader
    """The reader of the records of a part."""
    compared: Mapping[str, ColumnType]
    """The types of the columns whose cells are compared with the schema."""

    @cached_property
    def counts(self) -> list[PartCounts]:
        """The counts of each part.

        Raises:
            DpfairError: the table is malformed, or other on a worker.
        """
        count = partial(counts_of, self.reader, self.compared)
        return list(self.table.each(count, words="the rows are counted"))

    def records(self) -> PartitionedRecords:
        """The records of the table.

        Raises:
            DpfairError: as `counts`.
        """
        rows = tuple(np.ones(part.records.sum(), dtype=bool) for part in self.counts)
        return PartitionedRecords(self.reader.domain, rows, self._evaluate)

    def _evaluate(self, functions: Sequence[OfRecords]) -> Iterator[Any]:
        """Yields the values of functions, the k-th on the records of the k-th part."""
        pairs = zip(functions, self.table.parts, strict=True)
        calls = [partial(_value, self.reader, part, function) for function, part in pairs]
        return in_order(calls, self.table.workers, words="the parts are read")


@dataclass(frozen=True)
class TableOnCluster:
    """The table of a data set, which workers read in parts."""

    dataset: DataSet
    """The data set, with the options that describe the table."""
    workers: Workers
    """The processes that read the parts."""

    def load(self, folder: Path, **options: Any) -> PartitionedRecords:
        """The records of the table; `folder` is not used, and `options` are those of the data set.

        Raises:
            DpfairError: a file is missing, malformed, or other on a worker.
        """
        return self._records.records()

    def profile(self, **options: Any) -> TableProfile:
        """The profile of the table: counts, and no question that needs the cells of all records.

        Raises:
            DpfairError: a file is missing, malformed, or other on a worker.
        """
        return parts_profile(self._records.reader, self._records.counts)

    @cached_property
    def _records(self) -> RecordsOnCluster:
        """The records of the table."""
        options = dict(self.dataset.options)
        encoding = options.pop("encoding")
        known = read_schema(**options)
        names = (*known.column_types, known.schema.label)
        table, first = part_reader(str(options["file"]), known.form, names)
        reader = RecordsReader(table, known, encoding, names)
        parts = PartsOnCluster(table, first, self.workers)
        return RecordsOnCluster(parts, reader, known.compared_types)


def read_others_on_cluster(
    file: str, known: RecordsSchema, encoding: Encoding, *, with_groups: bool, workers: Workers
) -> PartitionedRecords:
    """The records that `read_others` returns, read in parts by `workers`; with its warning.

    Raises:
        DpfairError: the file is malformed, lacks a column, or is other on a worker.
    """
    compared = compared_types(known, with_groups=with_groups)
    table, first = part_reader(file, form_of_others(file, known, find_long_form), compared)
    reader = RecordsReader(table, known, encoding, tuple(compared))
    found = RecordsOnCluster(PartsOnCluster(table, first, workers), reader, compared)
    records = found.records()
    warn_of_replaced(file, outside_of(found.counts), len(records))
    return records


def draft_on_cluster(file: str, form: TableForm, roles: Roles, workers: Workers) -> TableDraft:
    """The draft that `draft_table` returns, of a table that `workers` read in parts.

    Raises:
        DpfairError: the file is malformed, lacks a column, or is other on a worker.
    """
    reader, first = part_reader(file, form)
    check_roles(reader.names, roles)
    texts = partial(texts_of_part, reader)
    parts = PartsOnCluster(reader, first, workers).each(texts, words="the texts are counted")
    return drafted_from_parts(reader, parts, roles)


def _value(reader: RecordsReader, part: TablePart, function: OfRecords) -> Any:
    """The value of a function of the records of a part."""
    return function(reader.records(part))
