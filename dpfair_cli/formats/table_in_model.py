"""What a model file says of the table that its model reads: public columns, how files of it are
written, the features.

It is all that is needed to read other files of the same columns, and it comes from the domain file
alone where there is one; without one it was read from the data, as the file's privacy guarantee
says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.schemas import Categorical, Kind, Numeric, Schema
from dpfair_cli.formats.own_records import RecordsSchema, encoded, read_schema
from dpfair_cli.formats.own_table import TableForm, find_form, read_columns
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding


def describe_table(
    *, file: str, label: str, protected: str, positive: str, domain: str, encoding: Encoding
) -> dict[str, Any]:
    """What is known of a user's own table, as JSON.

    Raises:
        DpfairError: a file is not there or not of its form, or a name is wrong.
    """
    return as_json(read_schema(file, label, protected, positive, domain), encoding)


def as_json(known: RecordsSchema, encoding: Encoding) -> dict[str, Any]:
    """What is known of a table."""
    schema, form = known.schema, known.form
    return {
        "attributes": {name: _kind_as_json(kind) for name, kind in schema.attributes.items()},
        "label": {"name": schema.label, "levels": list(schema.labels)},
        "protected": {
            "name": schema.protected,
            "groups": list(schema.groups),
            **_kind_as_json(known.protected_kind),
        },
        "form": {**vars(form), "header": list(form.header)},
        "encoding": encoding,
    }


def from_json(saved: Mapping[str, Any]) -> tuple[RecordsSchema, Encoding]:
    """The same from JSON.

    Raises:
        ValueError: it is not of that form.
        KeyError: a part of it is not there.
    """
    label, protected, form, encoding = (
        saved["label"],
        saved["protected"],
        saved["form"],
        saved["encoding"],
    )
    if encoding not in get_args(Encoding):
        raise ValueError(f"no encoding {encoding!r}")
    levels, groups = tuple(map(str, label["levels"])), tuple(map(str, protected["groups"]))
    schema = Schema(
        attributes={
            str(name): _kind_from_json(entry) for name, entry in saved["attributes"].items()
        },
        label=str(label["name"]),
        positive=levels[-1],
        protected=str(protected["name"]),
        groups=groups,
        labels=levels,
    )
    written = TableForm(**{**form, "header": tuple(form["header"])})
    return RecordsSchema(schema, _kind_from_json(protected), written), cast(Encoding, encoding)


def read_others(
    file: str, known: RecordsSchema, encoding: Encoding, *, with_groups: bool
) -> Records:
    """The records in another file with the columns of that table; the label need not be there, nor
    unused groups.

    Raises:
        DpfairError: the file is no table, or lacks a column.
    """
    schema = known.schema
    wanted = [*schema.attributes, *([schema.protected] if with_groups else [])]
    form = _form_of(file, known)
    frame = read_columns(file, wanted, form)
    unknown = {
        name: [""] * len(frame) for name in (schema.label, schema.protected) if name not in frame
    }
    return encoded(frame.assign(**unknown), known, encoding=encoding)


def _form_of(file: str, known: RecordsSchema) -> TableForm:
    """How another file is written: with a heading, or without one like the first, whose label may
    be left out.

    Raises:
        DpfairError: it has no heading and another number of columns.
    """
    names = known.form.header
    found = find_form(file, header="none" if names else "first")
    if not names:
        return found
    without_label = tuple(name for name in names if name != known.schema.label)
    for header in (names, without_label):
        if len(found.header) == len(header):
            return find_form(file, header=header)
    raise DpfairError(
        f"{file} has {len(found.header)} columns, not {len(names)}, or one less without the label"
    )


def _kind_as_json(kind: Kind) -> dict[str, Any]:
    if isinstance(kind, Categorical):
        return {"levels": list(kind.levels)}
    return {"low": kind.low, "high": kind.high, "bins": [list(ends) for ends in kind.bins]}


def _kind_from_json(saved: Mapping[str, Any]) -> Kind:
    if "levels" in saved:
        return Categorical(tuple(map(str, saved["levels"])))
    bins = tuple((float(first), float(last)) for first, last in saved["bins"])
    return Numeric(float(saved["low"]), float(saved["high"]), bins=bins)
