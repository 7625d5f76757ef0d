"""The domain file of a user's own table: what is public about its columns, and how the table is
written.

    age: {low: 17, high: 90, bins: [17, 26, 46, 66]}
    work: {levels: [private, public, other]}

Where the table is no plain csv file, or the domain was drafted from the data (`dpfair domain`), a
first part says so:

    confirmed: no          # the ranges and levels below were read from the data: nothing is private
        until it says yes
    separator: ' '         # any run of blanks
    encoding: latin-1
    decimal: ','
    header: [age, work]    # the file has no heading
    ---
    age: {low: 17, high: 90}
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Literal

from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.schemas import Categorical, Numeric
from dpfair_cli.formats.own_table import SEPARATORS, TableForm
from dpfair_cli.models.tabular.outside_values import as_number

CONFIRMED = {"yes": True, "no": False}
DRAFTED = "was drafted from the data: nothing is private until you have made it public facts, and `confirmed: yes`"


@dataclass(frozen=True)
class DomainFile:
    """What is known of each column, how the table is written, and whether a person says that all
    this is public.
    """

    columns: Mapping[str, Numeric | Categorical]
    form: TableForm
    confirmed: bool

    @property
    def bounds(self) -> Literal["public", "data"]:
        """Where ranges and levels are from: of a draft, from the data."""
        return "public" if self.confirmed else "data"


def read_domain(file: str) -> DomainFile:
    """The content of a YAML file of the form above; every scalar is read as text.

    Raises:
        DpfairError: the file is not there, or is not of that form.
    """
    parts = yaml_files.read_texts(file)
    if len(parts) not in (1, 2) or not all(isinstance(part, Mapping) for part in parts):
        raise DpfairError(f"{file} is no list of columns such as `age: {{low: 17, high: 90}}`")
    columns = {name: _public(file, name, entry) for name, entry in parts[-1].items()}
    return DomainFile(columns, *_table(file, parts[0] if len(parts) == 2 else {}))


def confirms(options: Mapping[str, Any]) -> bool:
    """Whether a person says that the ranges and levels in the file of the option `domain` are
    public.
    """
    return read_domain(options["domain"]).confirmed


def _table(file: str, said: Mapping[str, Any]) -> tuple[TableForm, bool]:
    """How the table is written, and whether the domain is confirmed."""
    known = ["confirmed", *(field.name for field in fields(TableForm))]
    for key in said:
        if key not in known:
            raise DpfairError(
                f"{file}: nothing is called {key!r} before the `---`: {nearest(key, known)}"
            )
    form = TableForm(**{name: value for name, value in said.items() if name != "confirmed"})
    names, confirmed = form.header, said.get("confirmed", "yes")
    if confirmed not in CONFIRMED:
        raise DpfairError(f"{file}: confirmed is yes or no, not {confirmed!r}")
    if form.separator not in SEPARATORS or form.decimal not in (".", ","):
        raise DpfairError(f"{file}: a separator is one of {SEPARATORS}, decimal one of ('.', ',')")
    if not isinstance(names, list | tuple) or len(set(map(str, names))) < len(names):
        raise DpfairError(f"{file}: header is a list of different names, [age, work]")
    try:
        codecs.lookup(form.encoding)
    except (LookupError, TypeError) as error:
        raise DpfairError(f"{file}: no encoding {form.encoding!r}, such as utf-8") from error
    return TableForm(
        form.separator, form.encoding, tuple(map(str, names)), form.decimal
    ), CONFIRMED[confirmed]


def _public(file: str, name: str, entry: object) -> Numeric | Categorical:
    match entry:
        case {"levels": [_, _, *_] as levels} if len(set(map(str, levels))) == len(levels):
            return Categorical(tuple(map(str, levels)))
        case {"low": str(low), "high": str(high), **more} if 0 < as_number(high) - as_number(
            low
        ) < math.inf and more.keys() <= {"bins"}:
            return Numeric(
                float(low), float(high), bins=_bins(file, name, more.get("bins", []), float(high))
            )
    raise DpfairError(
        f"{file}: column {name!r} needs {{low: 0, high: 1}} with low < high, or {{levels: [a, b]}}"
    )


def _bins(file: str, name: str, firsts: object, high: float) -> tuple[tuple[float, float], ...]:
    """The (first, last) of each bin from the first numbers of all; of whole numbers, a bin ends
    before the next.
    """
    numbers = (
        [as_number(str(first)) for first in firsts] if isinstance(firsts, list) else [math.nan]
    )
    if not all(left < right for left, right in pairwise([*numbers, high + 1])):
        raise DpfairError(
            f"{file}: column {name!r} needs bins: [first, first, ...] in rising order, up to {high:g}"
        )
    whole = all(number.is_integer() for number in (*numbers, high))
    lasts = [number - whole for number in numbers[1:]]
    return tuple(zip(numbers, [*lasts, high], strict=True)) if numbers else ()
