"""The profile of a user's table that is read in parts: counts that are added up over the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.formats.table_parts import PartReader, TablePart
from dpfair_cli.formats.table_profile import BOUNDS, TableProfile, describe_outside, in_short
from dpfair_cli.formats.user_records import encode_cells
from dpfair_cli.formats.user_table import describe_form
from dpfair_cli.models.tabular.made_up_records import made_up_records
from dpfair_cli.models.tabular.outside_values import count_outside

MOST_RECORDS = 1000  # records of the made-up data: enough for every method, and fast


@dataclass(frozen=True, eq=False)
class PartCounts:
    """The counts of a part of a table, or of several parts together."""

    records: Ints
    """The number of records with each group and label, (groups, 2)."""
    outside: int
    """The number of cells that the domain file does not allow."""


def counts_of(reader: PartReader, part: TablePart) -> PartCounts:
    """The counts of a part of a table."""
    cells = reader.cells(part)
    records = encode_cells(cells, reader.known, encoding=reader.encoding)
    groups = len(records.domain.groups)
    found = np.bincount(2 * records.protected + records.y, minlength=2 * groups)
    outside = count_outside(cells, reader.known.compared_types)
    return PartCounts(found.reshape(groups, 2), outside)


def parts_profile(reader: PartReader, parts: Sequence[PartCounts]) -> TableProfile:
    """The profile of a table from the counts of its parts; it has no question about the cells."""
    counts = np.sum([part.records for part in parts], axis=0)  # (groups, 2)
    outside = sum(part.outside for part in parts)
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
