"""A user's table that the workers of a cluster read in parts, as a data set like any other.

The table is read anew, part by part, for every sum that a method or a score needs. No process holds
more than one part at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.catalog import matching, registry
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.resolved import DataSet
from dpfair_cli.formats.table_parts import PartReader, TablePart, cut, part_reader
from dpfair_cli.formats.table_parts_profile import PartCounts, counts_of, parts_profile
from dpfair_cli.formats.table_profile import TableProfile
from dpfair_cli.formats.user_records import read_schema
from dpfair_cli.kinds.partitioned_records import OfRecords, PartitionedRecords
from dpfair_cli.running.partitions import in_order
from dpfair_cli.running.workers import Workers

SOURCE = "csv"  # the data source of tables with a label and a protected column


def on_cluster(dataset: DataSet, workers: Workers) -> DataSet:
    """The data set of a user's table, with a source that reads the table with `workers`.

    Raises:
        DpfairError: the data set is not a user's table with a domain file.
    """
    if dataset.name != SOURCE or not dataset.options.get("domain"):
        raise DpfairError(
            "--cluster reads your own table of records, and only with --domain, because a part of "
            f"the table is encoded without the rest: got {dataset.name}"
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
        f"{algorithm.name} needs all records in one process, so it cannot run with --cluster: "
        f"leave out --cluster, or choose one of {', '.join(able)}"
    )


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
        rows = tuple(np.ones(part.records.sum(), dtype=bool) for part in self._counts)
        return PartitionedRecords(self._reader.domain, rows, self._evaluate)

    def profile(self, **options: Any) -> TableProfile:
        """The profile of the table: counts, and no question that needs the cells of all records.

        Raises:
            DpfairError: a file is missing, malformed, or other on a worker.
        """
        return parts_profile(self._reader, self._counts)

    @property
    def _reader(self) -> PartReader:
        return self._opened[0]

    @cached_property
    def _opened(self) -> tuple[PartReader, int]:
        """The reader of the parts, and the place of the first row."""
        options = dict(self.dataset.options)
        encoding = options.pop("encoding")
        return part_reader(str(options["file"]), read_schema(**options), encoding)

    @cached_property
    def _parts(self) -> tuple[TablePart, ...]:
        """The parts of the table."""
        return tuple(cut(*self._opened))

    @cached_property
    def _counts(self) -> list[PartCounts]:
        """The counts of each part."""
        calls = [partial(counts_of, self._reader, part) for part in self._parts]
        return list(in_order(calls, self.workers, words="the rows are counted"))

    def _evaluate(self, functions: Sequence[OfRecords]) -> Iterator[Any]:
        """Yields the values of functions, the k-th on the records of the k-th part."""
        pairs = zip(functions, self._parts, strict=True)
        calls = [partial(_value, self._reader, part, function) for function, part in pairs]
        return in_order(calls, self.workers, words="the parts are added up")


def _value(reader: PartReader, part: TablePart, function: OfRecords) -> Any:
    """The value of a function of the records of a part."""
    return function(reader.records(part))
