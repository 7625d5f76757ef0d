"""Reads and writes domain files: the public facts about a user's table, and its CSV dialect.

    age: {low: 17, high: 90, bins: [17, 26, 46, 66]}
    work: {levels: [private, public, other]}
    dose: {low: 0.0, high: 9.5, missing: yes}    # a missing cell is a level (missing_numbers.py)

The file has an additional first part if the table is not a plain csv file, if the domain file was
drafted from the data (`dpfair domain`), or if the table has a privacy budget (`dpfair budget`):

    confirmed: no          # with "no", ranges and levels are from the data, and no fit is private
    ledger: yes            # the privacy ledger must be in the same folder
    person: patient        # one row of each person is used (persons.py)
    separator: ' '         # one or more blanks
    encoding: latin-1
    decimal: ','
    header: [age, work]    # the file has no heading
    ---
    age: {low: 17, high: 90}
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import yaml

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import read_yaml_texts
from dpfair_cli.contracts.missing_numbers import NumberOrMissing, name_of_second
from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric
from dpfair_cli.formats.user_table import SEPARATORS, TableForm, describe_form
from dpfair_cli.models.tabular.outside_values import as_number

CONFIRMED = {"yes": True, "no": False}
LEDGER_MARK = "ledger: yes"
DRAFTED = (
    "was drafted from the data, so no fit is private: replace the drafted values by public facts "
    "and run `dpfair domain --confirm FILE`"
)
DRAFT_MARK = "# Drafted by `dpfair domain`"
ENTRIES = "Digests of its entries:"  # in the first remark of a draft
REMARKS = (DRAFT_MARK, "# Drafted from ")  # the second is that of drafts with private remarks
EXACT_INTEGERS = 2**53  # every whole number up to this one is a float


@dataclass(frozen=True)
class DomainFile:
    """The content of a domain file."""

    columns: Mapping[str, ColumnType]  # the type of each column that is used, by name
    form: TableForm  # the CSV dialect of the table
    confirmed: bool  # whether the user confirms that ranges and levels are public
    has_ledger: bool  # whether the file says that the table has a privacy ledger
    person: str = ""  # the column of the persons, which is not in `columns`; empty without one

    @property
    def bounds(self) -> Literal["public", "data"]:
        """Whether ranges and levels in the domain file are public, or were read from the data.

        The result is "data" for a draft that nobody has confirmed.
        """
        return "public" if self.confirmed else "data"


def read_domain(file: str) -> DomainFile:
    """The content of a domain file in YAML, every scalar read as text.

    Raises:
        DpfairError: the file is missing or malformed, or is confirmed and has remarks of a draft.
    """
    found = read_draft(file)
    if found.confirmed and has_remarks(file):
        raise DpfairError(
            f"{file} is confirmed, but has the remarks of a draft, which can hold private values: "
            f"remove them by `dpfair domain --confirm {file}`"
        )
    return found


def read_draft(file: str) -> DomainFile:
    """The content of a domain file, which may have remarks.

    Raises:
        DpfairError: the file is missing or malformed.
    """
    parts = read_yaml_texts(file)
    if len(parts) not in (1, 2) or not all(isinstance(part, Mapping) for part in parts):
        raise DpfairError(
            f"{file} must be a mapping of columns, such as `age: {{low: 17, high: 90}}`"
        )
    # the columns are the last part, or the only one
    columns = {name: _column_type(file, name, entry) for name, entry in parts[-1].items()}
    _require_free_names(file, columns)
    first = dict(parts[0]) if len(parts) == 2 else {}
    confirmed = first.pop("confirmed", "yes")
    has_ledger = "ledger" in first  # read before the value is checked
    mark = first.pop("ledger", "yes")
    has_person, person = "person" in first, first.pop("person", "")
    form = _table_form(file, first)  # what is left of the first part is the dialect
    if confirmed not in list(CONFIRMED):  # a YAML list cannot be looked up in a mapping
        raise DpfairError(f"{file}: `confirmed` must be yes or no, got {confirmed!r}")
    if mark != "yes":  # a doubtful mark does not count as none
        raise DpfairError(
            f"{file}: `ledger` must be yes, as `dpfair budget init` writes it, got {mark!r}"
        )
    if has_person and not (person and isinstance(person, str)):
        raise DpfairError(f"{file}: `person` must be the name of a column, got {person!r}")
    columns.pop(person, None)  # never a feature
    return DomainFile(columns, form, CONFIRMED[confirmed], has_ledger, person)


def draft_head(types: Mapping[str, ColumnType], form: TableForm) -> str:
    """The first remark of a draft, which says how the table is written and what was drafted."""
    entries = " ".join(_digest(*entry) for entry in types.items())
    return f"{DRAFT_MARK}: {describe_form(form)}. {ENTRIES} {entries}"


def left_as_drafted(file: str) -> list[str]:
    """The columns of a draft whose ranges are as drafted; all columns if nothing was edited.

    Raises:
        DpfairError: the file is missing or malformed.
    """
    columns = read_draft(file).columns
    lines = Path(file).expanduser().read_text(encoding="utf-8").splitlines()
    first = next((line for line in lines if line.startswith(DRAFT_MARK)), "")
    drafted = first.partition(ENTRIES)[2].split()
    found = [name for name, kind in columns.items() if _digest(name, kind) in drafted]
    if len(found) == len(columns):
        return found
    return [name for name in found if isinstance(columns[name], Numeric)]


def _digest(name: str, kind: ColumnType) -> str:
    """A digest of the entry of a column."""
    return sha256(_line(name, kind).encode()).hexdigest()[:8]


def has_remarks(file: str) -> bool:
    """Whether a domain file has the remarks of a draft."""
    lines = Path(file).expanduser().read_text(encoding="utf-8").splitlines()
    return any(line.startswith(REMARKS) for line in lines)


def confirms(options: Mapping[str, Any]) -> bool:
    """Whether the domain file that `options` name is confirmed.

    The ranges and levels of a confirmed domain file are public.
    """
    return read_domain(options["domain"]).confirmed


def _table_form(file: str, first: Mapping[str, Any]) -> TableForm:
    """The CSV dialect that the first part of a domain file describes.

    Raises:
        DpfairError: an entry is invalid; the message names the entry and the allowed values.
    """
    known = [field.name for field in fields(TableForm)]
    for key in first:
        if key not in known:
            meant = nearest(key, ["confirmed", "ledger", "person", *known])
            raise DpfairError(f"{file}: unknown key {key!r} above the line `---`: {meant}")
    form = TableForm(**first)
    if form.separator not in SEPARATORS or form.decimal not in (".", ","):
        raise DpfairError(
            f"{file}: `separator` must be one of {SEPARATORS}, and `decimal` one of ('.', ',')"
        )
    names = form.header
    if not isinstance(names, list | tuple) or len(set(map(str, names))) < len(names):
        raise DpfairError(
            f"{file}: `header` must be a list of different names, such as [age, work]"
        )
    try:
        codecs.lookup(form.encoding)
    except (LookupError, TypeError) as error:
        raise DpfairError(
            f"{file}: unknown encoding {form.encoding!r}: write an encoding such as utf-8"
        ) from error
    return TableForm(form.separator, form.encoding, tuple(map(str, names)), form.decimal)


def _column_type(file: str, name: str, entry: object) -> ColumnType:
    """The type of a column, from the column's entry in a domain file.

    Raises:
        DpfairError: the entry is invalid; the message names the column and the allowed forms.
    """
    match entry:
        case {"levels": _, "missing": _}:
            raise DpfairError(
                f"{file}: column {name!r} has levels: write the level `missing` in place of "
                "`missing: yes`"
            )
        case {"levels": [_, _, *_] as levels} if len(set(map(str, levels))) == len(levels):
            return Categorical(tuple(map(str, levels)))
        case {"low": str(low), "high": str(high), **more} if more.keys() <= {"bins", "missing"}:
            has_missing = more.pop("missing", "no")
            if has_missing not in list(CONFIRMED):  # a YAML list cannot be looked up in a mapping
                raise DpfairError(
                    f"{file}: `missing` of column {name!r} must be yes or no, got {has_missing!r}"
                )
            if 0 < as_number(high) - as_number(low) < math.inf:
                bins = _bins(file, name, more.get("bins", []), float(high))
                kind = NumberOrMissing if CONFIRMED[str(has_missing)] else Numeric
                return kind(_end(low), _end(high), bins=bins)
            if as_number(high) <= as_number(low):
                raise DpfairError(f"{file}: column {name!r} has low {low}, not below high {high}")
    raise DpfairError(
        f"{file}: column {name!r} must have {{low: 0, high: 1}} with low < high, or "
        f"{{levels: [a, b]}}"
    )


def _require_free_names(file: str, columns: Mapping[str, ColumnType]) -> None:
    """Refuses a column with the name of the second attribute of another one.

    Raises:
        DpfairError: there is such a column.
    """
    for name, kind in columns.items():
        second = name_of_second(name)
        if isinstance(kind, NumberOrMissing) and second in columns:
            raise DpfairError(
                f"{file}: {second!r} cannot be a column, because `missing: yes` makes it of "
                f"{name!r}: leave out one of both, or rename the column"
            )


def range_of(numbers: Collection[float], bins: tuple[tuple[float, float], ...] = ()) -> Numeric:
    """The range of a column with these numbers, whose ends are ints if all numbers are whole."""
    low, high = min(numbers), max(numbers)
    if all(float(number).is_integer() for number in numbers):
        return Numeric(_plain(low), _plain(high), bins=bins)
    return Numeric(float(low), float(high), bins=bins)


def _end(text: str) -> float:
    """An end of a range: an int, as of a column of whole numbers, or with a decimal point a float.

    >>> _end("16"), _end("16.0")
    (16, 16.0)
    """
    return _plain(float(text)) if text.strip("+-").isdecimal() else float(text)


def _bins(file: str, name: str, firsts: object, high: float) -> tuple[tuple[float, float], ...]:
    """The (first, last) number of each bin of the column `name`, given the first numbers `firsts`.

    If all numbers are integers, the last number of a bin is one less than the first of the next
    bin.

    Raises:
        DpfairError: `firsts` is not a list of rising numbers up to `high`.
    """
    if isinstance(firsts, list):
        numbers = [as_number(str(first)) for first in firsts]
    else:
        numbers = [math.nan]  # not below any number, and so refused
    if not all(left < right for left, right in pairwise([*numbers, high + 1])):
        form = f"bins: [0, 10, 20], the first number of each bin in rising order, up to {high:g}"
        raise DpfairError(f"{file}: column {name!r} must have {form}")
    if not numbers:
        return ()
    whole = all(number.is_integer() for number in (*numbers, high))
    lasts = [number - whole for number in numbers[1:]]  # True counts as 1
    return tuple(zip(numbers, [*lasts, high], strict=True))


def confirmed_text(domain: DomainFile) -> str:
    """The text of a confirmed domain file without remarks."""
    return text_about_data(replace(domain, confirmed=True))


def text_about_data(domain: DomainFile) -> str:
    """What a domain file says about the data, without remarks and without the ledger mark."""
    head = [f"confirmed: {'yes' if domain.confirmed else 'no'}"]
    head += [yaml_line(("person", domain.person))] if domain.person else []
    return domain_text(head, domain.columns, domain.form)


def marked_text(text: str) -> str:
    """The text of a domain file with the mark of a privacy ledger in its first part.

    Everything else stays as it is, with comments and layout.

    Raises:
        DpfairError: the layout of the first part is unusual.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    order = text[: text.startswith("\ufeff")]  # a byte order mark stays the first sign
    body, mark = text.removeprefix(order), f"{LEDGER_MARK}{end}"
    parts = _parts(body)  # compared as YAML, whatever their layout is
    first = parts[0] if len(parts) == 2 else {}
    wanted = [_parts(mark)[0] | first, *parts[-1:]]
    for candidate in (
        f"{mark}{body}",
        f"{mark}---{end}{body}",
        re.sub(r"(?m)^(---.*\n)", rf"\1{mark}", body, count=1),
    ):
        if _parts(candidate) == wanted:
            return f"{order}{candidate}"
    raise DpfairError(
        f"cannot be marked by a line `{LEDGER_MARK}`: write above the line `---` one key a line, "
        "such as `confirmed: yes`, from the first column on"
    )


def _parts(text: str) -> list[Any]:
    """The parts of the text of a domain file; empty for a text that is not YAML."""
    try:
        return list(yaml.load_all(text, Loader=yaml.BaseLoader))
    except yaml.YAMLError:
        return []


def domain_text(head: Iterable[str], types: Mapping[str, ColumnType], form: TableForm) -> str:
    """The text of a domain file that begins with the lines `head`.

    Only what differs from the usual CSV dialect is written.
    """
    usual = vars(TableForm())
    said = {name: value for name, value in vars(form).items() if value != usual[name]}
    if form.header:
        said["header"] = list(form.header)  # YAML has no tuples
    entries = [_line(name, kind) for name, kind in types.items()]
    lines = [*head, *map(yaml_line, said.items()), "---", *entries]
    # the remarks can hold names with line breaks
    return "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"


def _line(name: str, kind: ColumnType) -> str:
    """The entry of a column in a domain file as one line of YAML."""
    line = yaml_line((name, _entry(kind)))
    # a text would be in quotes, and a truth value be true
    return f"{line[:-1]}, missing: yes}}" if isinstance(kind, NumberOrMissing) else line


def _entry(column_type: ColumnType) -> dict[str, object]:
    """The entry of a column in a domain file."""
    if isinstance(column_type, Categorical):
        return {"levels": list(column_type.levels)}
    ends = {"low": column_type.low, "high": column_type.high}
    bins = [_plain(first) for first, _ in column_type.bins]
    return {**ends, "bins": bins} if bins else {**ends}


def _plain(number: float) -> float | int:
    """The same number, as an int if it is whole."""
    whole = float(number).is_integer() and abs(number) < EXACT_INTEGERS
    return int(number) if whole else number


def yaml_line(entry: tuple[str, object]) -> str:
    """The line `name: value` of YAML."""
    name, value = map(_flow, entry)
    return f"{name}: {value}"


def _flow(value: object) -> str:
    """A value as YAML on one line."""
    how: dict[str, Any] = {"default_flow_style": True, "allow_unicode": True, "width": math.inf}
    text: str = yaml.safe_dump(value, sort_keys=False, **how)
    text = text.removesuffix("\n").removesuffix("\n...")
    if len(text.splitlines()) > 1:  # a name or a level has a line break, which quotes escape
        text = yaml.safe_dump(value, sort_keys=False, default_style='"', **how).removesuffix("\n")
    return text
