"""Facts about data sets: the declared counts, with the names of the counted items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.declarations import DataSet
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access import load, locate, locate_replica, replica_path
from dpfair_cli.formats.questions import in_short
from dpfair_cli.kinds.records import Domain


def describe_data(dataset: DataSet, data_dir: Path) -> dict[str, str]:
    """Facts about a data set, by name; empty for a data set that reads a user's file.

    The names of groups and columns are read from the replica, which is small and has the names of
    the real data, or otherwise from the real data if these are in the data folder.
    """
    if dataset.source.own_files:
        return {}
    source = dataset.source
    try:
        has_replica = replica_path(source).is_file()
        place = locate_replica(dataset) if has_replica else locate(dataset, data_dir=data_dir)
        data = load(place)
    except DpfairError as error:
        counts = source.counts(dataset.options).items()
        return {**{key: _in_words(count, ()) for key, count in counts}, "names": str(error)}
    names = _names(data)
    counts = (source.counts(dataset.options) or data.counts()).items()
    return {key: _in_words(count, names.get(key, ())) for key, count in counts}


def _names(data: Any) -> dict[str, Sequence[str]]:
    """The names of the groups, classes, variables and unencoded columns of `data`, by keyword.

    The keys of the mapping are those of the counts.
    """
    names = {"classes": getattr(data, "classes", ()), "levels": getattr(data, "columns", ())}
    domain = getattr(data, "domain", None)
    if isinstance(domain, Domain):
        names |= {"columns": tuple(domain.attributes), "groups": domain.groups}
    return names


def _in_words(count: Any, names: Sequence[str]) -> str:
    """A count of a data set as a text, with the names of the counted items if they are known."""
    if isinstance(count, Sequence):
        pairs = zip(names or [""] * len(count), count, strict=True)
        return in_short([f"{name} {number:,}".strip() for name, number in pairs])
    if names:
        return f"{count:,}, of {in_short(names)}; the group is none of them"
    return f"{count:,}"
