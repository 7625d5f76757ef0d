"""The draft of the domain file of a table that is read in parts.

A draft needs how often each text occurs in a column. Only the texts of one column are in memory at
a time; those of the other columns are in files of a temporary folder.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from dpfair_cli.contracts.writing import write_text
from dpfair_cli.formats.domain_draft import (
    ColumnTexts,
    Roles,
    TableDraft,
    drafted,
    row_widths,
    texts_of,
)
from dpfair_cli.formats.table_parts import PartReader, TablePart
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.models.tabular.distinct_texts import distinct_texts


@dataclass(frozen=True, eq=False)
class PartTexts:
    """What a draft needs to know of a part of a table."""

    columns: tuple[ColumnTexts, ...]
    """The different texts of each column, in the order of the heading."""
    widths: Counter[int]
    """How many rows of the part have each number of cells."""


def texts_of_part(reader: PartReader, names: Sequence[str], part: TablePart) -> PartTexts:
    """The texts of the columns `names`, which are all columns, in a part of a table.

    Raises:
        DpfairError: as `PartReader.cells`.
    """
    cells = reader.cells(part, names)
    columns = tuple(texts_of(distinct_texts(cells[name])) for name in names)
    widths = row_widths(reader.content(part), reader.form, len(names))
    return PartTexts(columns, widths - heading_widths(reader, names))


def heading_widths(reader: PartReader, names: Sequence[str]) -> Counter[int]:
    """The number of cells of the heading, as a row of a table with the columns `names`."""
    return row_widths(reader.heading, reader.form, len(names))


def drafted_from_parts(
    form: TableForm,
    reader: PartReader,
    names: Sequence[str],
    parts: Iterable[PartTexts],
    roles: Roles,
) -> TableDraft:
    """The proposed interpretation of a table with the columns `names` and these parts.

    `form` is the CSV dialect of the table.

    Raises:
        DpfairError: the label or the protected column has only one value.
    """
    widths = Counter() if form.header else heading_widths(reader, names)
    with TemporaryDirectory() as folder:
        number = 0
        for number, part in enumerate(parts, start=1):
            widths += part.widths
            for place, column in enumerate(part.columns):
                write_text(_file(Path(folder), place, number), _as_json(column))
        columns = _whole_columns(Path(folder), len(names), number)
        return drafted(form, names, columns, widths, roles)


def _whole_columns(folder: Path, columns: int, parts: int) -> Iterator[ColumnTexts]:
    """Yields the texts of each column from the files of its parts in `folder`."""
    for place in range(columns):
        counts: Counter[str] = Counter()
        digest = sha256()
        for number in range(1, parts + 1):
            found = json.loads(_file(folder, place, number).read_text(encoding="utf-8"))
            counts.update(found["counts"])
            digest.update(bytes.fromhex(found["digest"]))
        yield ColumnTexts(counts, digest.digest())


def _file(folder: Path, column: int, part: int) -> Path:
    return folder / f"{column}-{part}.json"


def _as_json(column: ColumnTexts) -> str:
    return json.dumps({"counts": column.counts, "digest": column.digest.hex()})
