"""Facts about data sets: the declared counts, with the names of the counted items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.declarations import DataSet
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access import Located, load, locate, locate_replica, replica_path
from dpfair_cli.formats.questions import in_short
from dpfair_cli.kinds.records import Domain


def describe_data(dataset: DataSet, data_dir: Path) -> dict[str, str]:
    """Facts about a data set, by name; empty for a data set that reads a user's file.

    The names of groups and columns are read from the replica, which is small and has the names of
    the real data, or otherwise from the real data if these are in the data folder.
    """
    if dataset.source.own_files:
        return {}
    declared = dataset.source.counts(dataset.options)
    try:
        data = load(_smallest(dataset, data_dir))
    except DpfairError as error:
        return {**_in_words(declared, {}), "names": str(error)}
    return _in_words(declared or data.counts(), _names(data))


def _smallest(dataset: DataSet, data_dir: Path) -> Located:
    """The synthetic replica of a data set if there is one, otherwise the real data."""
    if replica_path(dataset.source).is_file():
        return locate_replica(dataset)
    return locate(dataset, data_dir=data_dir)


def _names(data: Any) -> dict[str, Sequence[str]]:
    """The names of the groups, classes, variables and unencoded columns of `data`, by keyword.

    The keys of the mapping are those of the counts.
    """
    names = {"classes": getattr(data, "classes", ()), "levels": getattr(data, "columns", ())}
    domain = getattr(data, "domain", None)
    if isinstance(domain, Domain):
        names |= {"columns": tuple(domain.attributes), "groups": domain.groups}
    return names


def _in_words(counts: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The counts of a data set as texts, each with the names of the counted items if known."""
    return {key: _count_in_words(count, names.get(key, ())) for key, count in counts.items()}


def _count_in_words(count: Any, names: Sequence[str]) -> str:
    if isinstance(count, Sequence):
        pairs = zip(names or [""] * len(count), count, strict=True)
        return in_short([f"{name} {number:,}".strip() for name, number in pairs])
    if names:
        return f"{count:,}, of {in_short(names)}; the group is none of them"
    return f"{count:,}"
