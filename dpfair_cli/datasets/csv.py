"""A user's own table: any csv (or csv.gz) with a two-valued label and a protected column.

With `domain`, a YAML file, ranges, levels, groups and labels are public and only the columns named there are used; the
levels of the protected column are the groups, in that order, and the last level of the label is the favourable one:

    age: {low: 17, high: 90, bins: [17, 26, 46, 66]}
    work: {levels: [private, public, other]}
    sex: {levels: [female, male]}
    hired: {levels: [no, yes]}

`bins`, the first number of each, are for generators of people, which take categories; by default there are four. With
`positive` the label need not be there.

Nothing that a record says can then refuse the table, drop a row or move another row. Outside the domain:

- a number is clipped to its range; what is no number, an empty cell among them, becomes the middle of the range;
- a level, or a group, that is not listed becomes the last one listed (which may be called `other`);
- a label that is not the favourable one is 0;
- a row with too few cells has empty ones at its end, cells beyond the heading are not read.

Blanks around a cell do not count, and no sign stands for a missing value: `NA` or `?` is a level where it is listed.
How many cells were moved is not said: it is private. The heading, the number of rows and the quotes of the file are
public: a column that is not there or a quote that never ends is refused.

Without a domain all this is read from the data: a `PrivacyLeakWarning` says so, and no privacy claim holds.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from dpfair_cli.contracts.declarations import Dataset
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning, nearest
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import EVEN_BINS, Categorical, Numeric, Schema
from dpfair_cli.kinds.people import Records
from dpfair_cli.models.tabular.encoding import Encoding, check_column, encode, encode_unchecked, require_two_columns
from dpfair_cli.models.tabular.outside_values import as_number, moved_inside


@checked
def load(
    folder: Path,
    *,
    file: str,
    label: str,
    protected: str,
    positive: str = "",
    domain: str = "",
    encoding: Encoding = "one_hot",
) -> Records:
    """The Records of `file`, a path as typed (`folder` is not used).

    Without `positive` and a domain, label 1 is the larger of the two label values: the larger number, else the last in
    the alphabet ("1" of 0/1, "yes" of no/yes, ">50K" of <=50K/>50K).

    Raises:
        DpfairError: a file is not there or not of its form, a name is wrong, or, without a domain, `encode` refuses
            the table.
    """
    if domain:
        return _load_by_domain(file, domain, label, protected, str(positive), encoding)
    frame = read_table(file)
    check_column(frame, label, "label")
    check_column(frame, protected, "protected column")
    warnings.warn(f"{file}: ranges and levels are read from the data: give domain=FILE", PrivacyLeakWarning, 2)
    schema = Schema(
        attributes={str(name): _observed(frame[name]) for name in frame if name not in (label, protected)},
        label=label,
        positive=str(positive) or _ordered(frame[label])[-1],
        protected=protected,
        groups=_ordered(frame[protected]),
        bounds="data",
    )
    return encode(frame, schema, encoding=encoding)


def _load_by_domain(file: str, domain: str, label: str, protected: str, positive: str, encoding: Encoding) -> Records:
    """The Records of a file whose schema is public; the schema is complete before a record is read."""
    require_two_columns(label, protected)
    known = read_domain(domain)
    kinds = {name: kind for name, kind in known.items() if name != label}
    labels = _labels(known.get(label), label, positive)
    attributes = {name: kind for name, kind in kinds.items() if name != protected}
    schema = Schema(attributes, label, labels[-1], protected, _groups(known, protected), labels=labels)
    if not attributes:
        raise DpfairError(f"{domain} names no column but label and protected column")
    frame = read_columns(file, (*kinds, label))
    return encode_unchecked(moved_inside(frame, kinds).assign(**{label: frame[label]}), schema, encoding=encoding)


def read_table(file: str) -> pd.DataFrame:
    """The csv file as text; an empty cell, `?` and pandas' own signs (NA, null, ...) are missing values.

    Raises:
        DpfairError: the file is not there, is no table, or has two columns of one name.
    """
    _read_heading(file)
    return _read(file, na_values="?")


def read_columns(file: str, names: Collection[str]) -> pd.DataFrame:
    """These columns of a csv file as text without blanks around it, whatever bytes and however many cells a row has.

    Raises:
        DpfairError: the file is not there, is no table, has two columns of one name, lacks one of these, or has no row.
    """
    heading = _read_heading(file)
    for name in names:
        if name not in heading:
            raise DpfairError(f"no column {name!r} in the table: {nearest(name, heading)}")
    table = _read(file, usecols=list(names), index_col=False, na_filter=False, encoding_errors="replace")
    if table.empty:
        raise DpfairError(f"{file} has no row below its heading")
    return pd.DataFrame({name: [text.strip() for text in table[name].tolist()] for name in names})


def _read_heading(file: str) -> list[str]:
    """The names of the columns.

    Raises:
        DpfairError: the file is not there, is no table, or has two columns of one name.
    """
    names = _read(file, header=None, nrows=1).iloc[0].dropna()
    if names.duplicated().any():
        raise DpfairError(f"{file} has two columns {names[names.duplicated()].iloc[0]!r}: rename one")
    return list(names)


def _read(file: str, **how: Any) -> pd.DataFrame:
    """Cells of text, by pandas."""
    try:
        table: pd.DataFrame = pd.read_csv(Path(file).expanduser(), dtype=str, skipinitialspace=True, **how)
        return table
    except FileNotFoundError:
        raise DpfairError(f"{file} is not there") from None
    except (ValueError, OSError) as error:
        raise DpfairError(f"{file} is no csv table: {str(error).splitlines()[0]}") from error


def read_domain(file: str) -> dict[str, Numeric | Categorical]:
    """The public ranges and levels in a YAML file of the form above; every scalar is read as text.

    Raises:
        DpfairError: the file is not there, or is not of that form.
    """
    try:
        entries = yaml.load(Path(file).expanduser().read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise DpfairError(f"{file} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(entries, Mapping):
        raise DpfairError(f"{file} is no list of columns such as `age: {{low: 17, high: 90}}`")
    return {name: _public(file, name, entry) for name, entry in entries.items()}


def _public(file: str, name: str, entry: object) -> Numeric | Categorical:
    match entry:
        case {"levels": [_, _, *_] as levels} if len(set(map(str, levels))) == len(levels):
            return Categorical(tuple(map(str, levels)))
        case {"low": str(low), "high": str(high), **more} if 0 < as_number(high) - as_number(
            low
        ) < math.inf and more.keys() <= {"bins"}:
            return Numeric(float(low), float(high), bins=_bins(file, name, more.get("bins", []), float(high)))
    raise DpfairError(f"{file}: column {name!r} needs {{low: 0, high: 1}} with low < high, or {{levels: [a, b]}}")


def _bins(file: str, name: str, firsts: object, high: float) -> tuple[tuple[float, float], ...]:
    """The (first, last) of each bin from the first numbers of all; of whole numbers, a bin ends before the next."""
    numbers = [as_number(str(first)) for first in firsts] if isinstance(firsts, list) else [math.nan]
    if not all(left < right for left, right in pairwise([*numbers, high + 1])):
        raise DpfairError(f"{file}: column {name!r} needs bins: [first, first, ...] in rising order, up to {high:g}")
    whole = all(number.is_integer() for number in (*numbers, high))
    lasts = [number - whole for number in numbers[1:]]
    return tuple(zip(numbers, [*lasts, high], strict=True)) if numbers else ()


def _labels(kind: Numeric | Categorical | None, label: str, positive: str) -> tuple[str, str]:
    """The public names of label 0 and of the favourable label."""
    levels = kind.levels if isinstance(kind, Categorical) else ()
    if not levels and not positive:
        form = f"`{label}: {{levels: [no, yes]}}`"
        raise DpfairError(f"the domain file needs the values of the label, {form}, or give positive=VALUE")
    if levels and positive and positive not in levels:
        raise DpfairError(f"label {label!r} is never {positive!r}: {nearest(positive, levels)}")
    favourable = positive or levels[-1]
    others = [level for level in levels if level != favourable]
    return others[0] if len(others) == 1 else f"not {favourable}", favourable


def _groups(attributes: Mapping[str, Numeric | Categorical], protected: str) -> tuple[str, ...]:
    kind = attributes.get(protected)
    if not isinstance(kind, Categorical):
        raise DpfairError(f"the domain file needs the groups: `{protected}: {{levels: [...]}}`")
    return kind.levels


def _observed(column: pd.Series) -> Numeric | Categorical:
    """Range or levels read from the private values themselves."""
    numbers = pd.to_numeric(column.dropna(), errors="coerce")
    if numbers.isna().any():
        return Categorical(_ordered(column))
    found = sorted(set(numbers))
    few = len(found) < EVEN_BINS and all(float(number).is_integer() for number in found)
    return Numeric(numbers.min(), numbers.max(), bins=tuple((number, number) for number in found if few))


def _ordered(column: pd.Series) -> tuple[str, ...]:
    """The values from small to large: as numbers if all are, else by the alphabet."""
    values = column.dropna().unique()
    numbers = all(math.isfinite(as_number(value)) for value in values)
    return tuple(sorted(values, key=as_number if numbers else str))


DATASET = Dataset(
    load=load,
    note="your own csv: file=PATH, label=COLUMN, protected=COLUMN [, positive=VALUE, domain=PATH]",
    own_files=("file", "domain"),
    public_files=("domain",),
    version=2,
)
