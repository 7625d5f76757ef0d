"""The description of a user's table in a model file: columns, CSV dialect and encoding.

With the description, other files with the same columns can be read. The description comes only
from the domain file. Without a domain file, the description comes from the data, and the guarantee
in the model file says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, cast, get_args

from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.contracts.missing_numbers import NumberOrMissing, as_attributes
from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric, Schema
from dpfair_cli.formats.questions import questions_of_columns
from dpfair_cli.formats.user_records import (
    RecordsSchema,
    encode_cells,
    read_user_records,
    read_with_label,
)
from dpfair_cli.formats.user_table import TableForm, find_form, read_columns
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding
from dpfair_cli.models.tabular.outside_values import (
    MISSING_SIGNS,
    OutsideCells,
    cells_outside,
    texts_of_columns,
)


def describe_table(
    *, file: str, label: str, protected: str, positive: str, domain: str, encoding: Encoding
) -> dict[str, Any]:
    """The description of a user's table for a model file, as JSON.

    Raises:
        DpfairError: a file is missing or malformed, or a name is wrong.
    """
    return as_json(read_user_records(file, label, protected, positive, domain).known, encoding)


def as_json(known: RecordsSchema, encoding: Encoding) -> dict[str, Any]:
    """The schema of a table as JSON."""
    schema, form = known.schema, known.form
    protected = {"name": schema.protected, "groups": list(schema.groups)}
    return {
        "attributes": {name: _type_as_json(column) for name, column in known.features.items()},
        "label": {"name": schema.label, "levels": list(schema.labels)},
        "protected": {**protected, **_type_as_json(known.protected_type)},
        # JSON has no tuples; `from_json` makes the header a tuple again
        "form": {**vars(form), "header": list(form.header)},
        "encoding": encoding,
    }


def from_json(saved: Mapping[str, Any]) -> tuple[RecordsSchema, Encoding]:
    """The schema of a table from the JSON that `as_json` returns.

    Raises:
        ValueError: a value is malformed.
        KeyError: a part is missing.
    """
    label, protected = saved["label"], saved["protected"]
    form, encoding = saved["form"], saved["encoding"]
    if encoding not in get_args(Encoding):
        raise ValueError(f"unknown encoding {encoding!r}")
    # a model file comes from outside: each part is checked before it is used
    columns = {str(name): _type_from_json(entry) for name, entry in saved["attributes"].items()}
    if not columns:
        raise ValueError("the table has no feature")
    levels, groups = _distinct(label["levels"]), _distinct(protected["groups"])
    schema = Schema(
        attributes=as_attributes(columns),
        label=str(label["name"]),
        positive=levels[-1],
        protected=str(protected["name"]),
        groups=groups,
        labels=levels,
    )
    written = TableForm(**{**form, "header": tuple(form["header"])})
    known = RecordsSchema(schema, _type_from_json(protected), written)
    return known, cast(Encoding, encoding)


def read_others(
    file: str, known: RecordsSchema, encoding: Encoding, *, with_groups: bool
) -> tuple[Records, TableForm]:
    """The records and CSV dialect of another file that has the columns of the table of a model.

    The file may lack the label, and without `with_groups` also the protected column. A warning says
    how many cells of which columns are replaced because they lie outside the schema.

    Raises:
        DpfairError: the file is not a table, or lacks a column.
    """
    # the label is not read: it is what is asked
    kinds = compared_types(known, with_groups=with_groups)
    form = form_of_others(file, known)
    cells = read_columns(file, kinds, form)
    warn_of_replaced(file, cells_outside(cells, kinds), len(cells))
    for question in questions_of_columns(texts_of_columns(cells), separator=known.form.separator):
        warnings.warn(f"{file}: {question}", DataWarning, 2)
    return encode_cells(cells, known, encoding=encoding), form


def read_with_truth(
    file: str, known: RecordsSchema, encoding: Encoding, *, with_groups: bool
) -> tuple[Records, TableForm]:
    """As `read_others`, with true labels and groups, whatever the model needs.

    A cell of the protected column outside the schema is replaced, as in training.

    Raises:
        DpfairError: as `read_others`, or a cell of the label has no value of the model.
    """
    schema = known.schema
    form = form_of_others(file, known)
    cells = read_with_label(file, known, form)
    outside = cells_outside(cells, known.compared_types)
    missing = int(cells[schema.label].isin(MISSING_SIGNS).sum())
    wrong = outside.pop(schema.label, OutsideCells(missing, ""))
    if wrong.count:
        raise DpfairError(
            f"{wrong.count:,} of {len(cells):,} rows of {file} have no {schema.label} that the "
            f"model knows, such as {wrong.first!r}: correct or delete these rows"
        )
    warn_of_replaced(file, outside, len(cells))
    return encode_cells(cells, known, encoding=encoding), form


def compared_types(known: RecordsSchema, *, with_groups: bool) -> dict[str, ColumnType]:
    """The type of each column of another file that is read; with groups, also the protected one."""
    return known.column_types if with_groups else known.features


def warn_of_replaced(file: str, outside: Mapping[str, OutsideCells], rows: int) -> None:
    """Warns of cells of a file of `rows` rows that are replaced, by column."""
    words = replaced_in_words(file, outside, rows)
    if words:
        warnings.warn(words, DataWarning, 3)


def replaced_in_words(name: str, outside: Mapping[str, OutsideCells], rows: int) -> str:
    """Which cells of a table of `rows` rows are replaced, by column; empty if none is."""
    replaced = [
        f"{found.count} of {rows} in {column}, such as {found.first!r}"
        for column, found in outside.items()
        if found.count
    ]
    message = f"{name}: cells outside the range or levels of the model are replaced"
    return f"{message}: {'; '.join(replaced)}" if replaced else ""


def form_of_others(file: str, known: RecordsSchema) -> TableForm:
    """The CSV dialect of `file`, which is another file than the one that a model was trained on.

    The file has a heading if the training table had a heading; `known` is the schema of the
    training table. A file without a heading has the columns of the training table, possibly without
    the label.

    Raises:
        DpfairError: the file has no heading and another number of columns.
    """
    names = known.form.header
    # not inferred: one row can look like a heading
    found = find_form(file, header="none" if names else "first")
    if not found.header:  # also of a Parquet file, which has a heading
        return found
    without_label = tuple(name for name in names if name != known.schema.label)
    # a file to predict for need not have the label
    for header in (names, without_label):
        if len(found.header) == len(header):
            return find_form(file, header=header)
    raise DpfairError(
        f"{file} must have {len(names)} columns, or one less without the label, got "
        f"{len(found.header)}"
    )


def _type_as_json(column: ColumnType) -> dict[str, Any]:
    """The type of a column as JSON."""
    if isinstance(column, Categorical):
        return {"levels": list(column.levels)}
    ends = {"low": column.low, "high": column.high, "bins": [list(ends) for ends in column.bins]}
    return {**ends, "missing": True} if isinstance(column, NumberOrMissing) else ends


def _type_from_json(saved: Mapping[str, Any]) -> ColumnType:
    """The type of a column, from the JSON that `_type_as_json` returns.

    Raises:
        ValueError: the column has no range or no distinct levels.
        KeyError: a part is missing.
    """
    if "levels" in saved:
        # a name that stood twice would have two codes
        return Categorical(_distinct(saved["levels"]))
    bins = tuple((float(first), float(last)) for first, last in saved["bins"])
    # an int stays an int: it says that numbers are whole
    low, high = (
        end if isinstance(end, int) else float(end) for end in (saved["low"], saved["high"])
    )
    kind = NumberOrMissing if saved.get("missing") is True else Numeric
    column = kind(low, high, bins=bins)
    if not -inf < column.low <= column.high < inf:
        raise ValueError(f"{column.low:g} to {column.high:g} is no range")
    return column


def _distinct(saved: Iterable[Any]) -> tuple[str, ...]:
    """The levels of a column in a model file.

    Raises:
        ValueError: there is none, or one occurs twice.
    """
    levels = tuple(map(str, saved))
    if not levels or len({*levels}) < len(levels):
        raise ValueError(f"the levels must be distinct, got {list(levels)}")
    return levels
