"""What a data set holds, in a few facts: how much there is of it by its declaration, and how its
parts are called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access.loading import load
from dpfair_cli.data_access.locating import Located, locate, replica_identity, replica_path
from dpfair_cli.formats.table_profile import in_short
from dpfair_cli.kinds.records import Domain


def describe_data(name: str, data_dir: Path) -> dict[str, str]:
    """Facts by name about a data set with its default options; none of one that reads a user's own
    file.

    Names are read from the replica, which has those of the real data and is small, or else from the
    data, if they are here.
    """
    dataset = catalog.dataset(name)
    if dataset.own_files:
        return {}
    options = catalog.complete("datasets", name, {})
    try:
        data = load(_smallest(name, options, data_dir), options)
    except DpfairError as error:
        return {**_in_words(dataset.counts(options), {}), "names": str(error)}
    return _in_words(dataset.counts(options) or data.counts(), _names(data))


def _smallest(name: str, options: Mapping[str, Any], data_dir: Path) -> Located:
    """The replica of a data set, if it has one."""
    replica = replica_path(name)
    if replica.is_file():
        return Located(name, replica.parent, replica_identity(replica), replica=True)
    return locate(name, options, data_dir=data_dir)


def _names(data: Any) -> dict[str, Sequence[str]]:
    """What the groups, the classes and the variables that are counted are called, and the columns
    before encoding.
    """
    domain, columns = getattr(data, "domain", None), getattr(data, "columns", ())
    records = (
        {"columns": tuple(domain.attributes), "groups": domain.groups}
        if isinstance(domain, Domain)
        else {}
    )
    return {"classes": getattr(data, "classes", ()), "levels": columns, **records}


def _in_words(counts: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Counts as text: each of several with its name, a number of columns with what they are made
    from.
    """
    found = {}
    for key, count in counts.items():
        called = names.get(key, ())
        if isinstance(count, Sequence):
            parts = zip(called or [""] * len(count), count, strict=True)
            found[key] = in_short([f"{name} {number:,}".strip() for name, number in parts])
        else:
            found[key] = f"{count:,}" + (
                f", of {in_short(called)}; the group is none of them" if called else ""
            )
    return found
