"""One row of each person of a user's table, if its domain file names the column of the persons.

A guarantee of one record is then one of a person. Proof. The set of persons is fixed and public. A
data set D gives each person p at least one row, in an order; only this is the data set, not how the
rows of different persons are mixed in the file. Let h(p) be a hash of p. The k-th record of the
result is that of the person with the k-th smallest hash, and it is the row of p at the place h(p)
modulo the number of p's rows. Therefore

- the number and the order of the records depend on the set of persons only;
- the record of p depends on the rows of p only.

Let D and D' differ in the rows of one person only, in any way: other values, another order, more or
fewer rows. Their results have the same length and differ in one record at most, in the same place:

- replace-one: they are equal or neighbours;
- add-or-remove-one: if one training cannot use any row of the person, it cannot use one record, and
  both are given the same number of records;
- one protected attribute: if D and D' differ only in the protected attribute of the rows of the
  person, the same row is chosen, because the choice reads no value but the person.

Every later step, such as the split into training and test records, sees the result only.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.schemas import ColumnType
from dpfair_cli.formats.user_table import TableForm, read_columns
from dpfair_cli.models.tabular.outside_values import MISSING_SIGNS, DistinctTexts, distinct_texts

NOBODY = ""  # the person of every row with a sign of a missing value
HASH_BYTES = 8  # the hash modulo a number of rows is uniform up to 2^-64 of this number


def read_one_row_each(
    file: str, types: Mapping[str, ColumnType | None], form: TableForm, person: str
) -> pd.DataFrame:
    """The columns of a table as `read_columns` returns them, with one row of each person.

    `person` is the column of the persons; if it is empty, every row is used.

    Raises:
        DpfairError: as `read_columns`.
    """
    if not person:
        return read_columns(file, types, form)
    cells = read_columns(file, {**types, person: None}, form)
    rows = rows_of_persons(distinct_texts(cells[person]))
    return cells[list(types)].iloc[rows].reset_index(drop=True)


def rows_of_persons(column: DistinctTexts) -> Ints:
    """The row that is used of each person, (persons,); `column` names the person of each row.

    >>> rows_of_persons(distinct_texts(["ann", "bob", "ann", "", "NA"])).tolist()
    [0, 1, 3]
    """
    names = [person_of(text) for text in column.texts]
    found = {name for name, rows in zip(names, column.occurrences(), strict=True) if rows}
    hashes = {name: _hash(name) for name in found}
    order = sorted(found, key=lambda name: (hashes[name], name))
    number = {name: k for k, name in enumerate(order)}
    # a text that occurs in no row has no person
    persons = np.array([number.get(name, -1) for name in names], dtype=np.int64)[column.places]
    counts = np.bincount(persons)  # the rows of each person, (persons,)
    by_person = np.argsort(persons, kind="stable")  # the rows of a person stay in their order
    chosen = [hashes[name] % rows for name, rows in zip(order, counts.tolist(), strict=True)]
    found_rows: Ints = by_person[np.cumsum(counts) - counts + np.array(chosen, dtype=np.int64)]
    return found_rows


def person_of(cell: str) -> str:
    """The person whom a cell names.

    Capitals do not count, nor how a whole number is written. All rows with a sign of a missing
    value are those of one person: as persons of their own, they could be many rows of one.

    >>> person_of("P7"), person_of("7.0"), person_of("007"), person_of("NA")
    ('p7', '7', '7', '')
    """
    if cell in MISSING_SIGNS:
        return NOBODY
    whole, _, decimals = cell.partition(".")
    if whole.isdecimal() and not decimals.strip("0"):
        return whole.lstrip("0") or "0"
    return cell.casefold()


def _hash(person: str) -> int:
    """The hash of a person, a number below 2^64."""
    return int.from_bytes(sha256(person.encode(errors="replace")).digest()[:HASH_BYTES])
