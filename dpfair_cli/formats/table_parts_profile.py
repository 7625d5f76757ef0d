"""The profile of a user's table that is read in parts: counts that are added up over the parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.schemas import ColumnType
from dpfair_cli.formats.table_parts import RecordsReader, TablePart
from dpfair_cli.formats.table_profile import BOUNDS, TableProfile, describe_outside, in_short
from dpfair_cli.formats.user_table import describe_form
from dpfair_cli.models.tabular.made_up_records import made_up_records
from dpfair_cli.models.tabular.outside_values import OutsideCells, cells_outside

MOST_RECORDS = 1000  # records of the made-up data: enough for every method, and fast


@dataclass(frozen=True, eq=False)
class PartCounts:
    """The counts of a part of a table, or of several parts together."""

    records: Ints
    """The number of records with each group and label, (groups, 2)."""
    outside: Mapping[str, OutsideCells]
    """The cells that the schema does not allow, by column."""


def counts_of(
    reader: RecordsReader, compared: Mapping[str, ColumnType], part: TablePart
) -> PartCounts:
    """The counts of a part of a table; `compared` has the types of the columns to compare."""
    cells = reader.cells(part)
    records = reader.encoded(cells)
    groups = len(records.domain.groups)
    found = np.bincount(2 * records.protected + records.y, minlength=2 * groups)
    return PartCounts(found.reshape(groups, 2), cells_outside(cells, compared))


def outside_of(parts: Sequence[PartCounts]) -> dict[str, OutsideCells]:
    """The cells of each column that the schema does not allow, of all parts together."""
    found = dict(parts[0].outside)
    for part in parts[1:]:
        found = {name: cells.followed_by(part.outside[name]) for name, cells in found.items()}
    return found


def parts_profile(reader: RecordsReader, parts: Sequence[PartCounts]) -> TableProfile:
    """The profile of a table from the counts of its parts; it has no question about the cells."""
    counts = np.sum([part.records for part in parts], axis=0)  # (groups, 2)
    outside = sum(cells.count for cells in outside_of(parts).values())
    schema, domain, n = reader.known.schema, reader.domain, int(counts.sum())
    yes = int(counts[:, 1].sum())
    sizes = zip(schema.groups, counts.sum(axis=1).tolist(), strict=True)
    favourable = f"{schema.positive!r} is favourable, {yes:,} rows"
    attributes, form = len(schema.attributes), describe_form(reader.known.form)
    pieces = "1 part" if len(parts) == 1 else f"{len(parts):,} parts"
    facts = {
        "file": f"{n:,} rows, none left out, in {pieces}; {form}",
        "label": f"{schema.label}: {favourable}; all other labels are not, {n - yes:,} rows",
        "groups": f"{schema.protected}: {in_short([f'{name} {size:,}' for name, size in sizes])}",
        "features": f"{len(domain.columns)} after encoding, of {attributes} columns",
        "bounds": BOUNDS[schema.bounds],
        "outside": describe_outside(outside, n * len(reader.known.compared_types)),
    }
    stand_in = partial(made_up_records, domain, min(n, MOST_RECORDS))
    return TableProfile(facts, (), lambda rng: stand_in(rng=rng), records=n)
