"""The profile of a user's table that is read in parts: counts by group and label."""

from __future__ import annotations

from functools import partial

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.formats.table_parts import PartReader
from dpfair_cli.formats.table_profile import BOUNDS, TableProfile, in_short
from dpfair_cli.formats.user_table import describe_form
from dpfair_cli.models.tabular.made_up_records import made_up_records

MOST_RECORDS = 1000  # records of the made-up data: enough for every method, and fast
NOT_ASKED = "cells outside the domain are not counted, and no questions are asked"


def parts_profile(reader: PartReader, counts: Ints, *, parts: int) -> TableProfile:
    """The profile of a table in several parts.

    `counts` (groups, 2) is the number of records by group and label.
    """
    schema, domain, n = reader.known.schema, reader.domain, int(counts.sum())
    yes = int(counts[:, 1].sum())
    sizes = zip(schema.groups, counts.sum(axis=1).tolist(), strict=True)
    favourable = f"{schema.positive!r} is favourable, {yes:,} rows"
    attributes = len(schema.attributes)
    facts = {
        "file": f"{n:,} rows, parts: {parts:,}, none left out; {describe_form(reader.known.form)}",
        "label": f"{schema.label}: {favourable}; all other labels are not, {n - yes:,} rows",
        "groups": f"{schema.protected}: {in_short([f'{name} {size:,}' for name, size in sizes])}",
        "features": f"{len(domain.columns)} after encoding, of {attributes} columns",
        "outside": NOT_ASKED,
        "bounds": BOUNDS[schema.bounds],
    }
    stand_in = partial(made_up_records, domain, min(n, MOST_RECORDS))
    return TableProfile(facts, (), lambda rng: stand_in(rng=rng), records=n)
