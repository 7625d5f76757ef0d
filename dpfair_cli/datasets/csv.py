"""A user's own table: any csv (or csv.gz) with a two-valued label and a protected column.

With `domain`, a YAML file, ranges and levels are public and only the columns named there are used; the levels of the
protected column are the groups, in that order:

    age: {low: 17, high: 90, bins: [17, 26, 46, 66]}
    work: {levels: [private, public]}
    sex: {levels: [female, male]}

`bins`, the first number of each, are for generators of people, which take categories; by default there are four.

Without a domain they are read from the data: a `PrivacyLeakWarning` says so, and no privacy claim holds.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pandas as pd
import yaml

from dpfair_cli.contracts.declarations import Dataset
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import EVEN_BINS, Categorical, Numeric, Schema
from dpfair_cli.kinds.people import Records
from dpfair_cli.models.tabular.encoding import Encoding, check_column, encode


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

    Without `positive`, label 1 is the larger of the two label values: the larger number, else the last in the
    alphabet ("1" of 0/1, "yes" of no/yes, ">50K" of <=50K/>50K).

    Raises:
        DpfairError: a file is not there or not of its form, a name is wrong, or `encode` refuses the table.
    """
    frame = read_table(file)
    check_column(frame, label, "label")
    check_column(frame, protected, "protected column")
    if not domain:
        warnings.warn(f"{file}: ranges and levels are read from the data: give domain=FILE", PrivacyLeakWarning, 2)
    attributes = read_domain(domain) if domain else {str(name): _observed(frame[name]) for name in frame}
    schema = Schema(
        attributes={name: kind for name, kind in attributes.items() if name not in (label, protected)},
        label=label,
        positive=str(positive) or _ordered(frame[label])[-1],
        protected=protected,
        groups=_groups(attributes, protected) if domain else _ordered(frame[protected]),
        bounds="public" if domain else "data",
    )
    return encode(frame, schema, encoding=encoding)


def read_table(file: str) -> pd.DataFrame:
    """The csv file as text; an empty cell, `?` and pandas' own signs (NA, null, ...) are missing values.

    Raises:
        DpfairError: the file is not there, is no table, or has two columns of one name.
    """
    try:
        path = Path(file).expanduser()
        header = pd.read_csv(path, dtype=str, skipinitialspace=True, header=None, nrows=1).iloc[0].dropna()
        table = pd.read_csv(path, dtype=str, skipinitialspace=True, na_values="?")
    except FileNotFoundError:
        raise DpfairError(f"{file} is not there") from None
    except (ValueError, OSError) as error:
        raise DpfairError(f"{file} is no csv table: {str(error).splitlines()[0]}") from error
    if header.duplicated().any():
        raise DpfairError(f"{file} has two columns {header[header.duplicated()].iloc[0]!r}: rename one")
    return table


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
        case {"low": str(low), "high": str(high), **more} if _number(low) < _number(
            high
        ) < math.inf and more.keys() <= {"bins"}:
            return Numeric(float(low), float(high), bins=_bins(file, name, more.get("bins", []), float(high)))
    raise DpfairError(f"{file}: column {name!r} needs {{low: 0, high: 1}} with low < high, or {{levels: [a, b]}}")


def _bins(file: str, name: str, firsts: object, high: float) -> tuple[tuple[float, float], ...]:
    """The (first, last) of each bin from the first numbers of all; of whole numbers, a bin ends before the next."""
    numbers = [_number(str(first)) for first in firsts] if isinstance(firsts, list) else [math.nan]
    if not all(left < right for left, right in pairwise([*numbers, high + 1])):
        raise DpfairError(f"{file}: column {name!r} needs bins: [first, first, ...] in rising order, up to {high:g}")
    whole = all(number.is_integer() for number in (*numbers, high))
    lasts = [number - whole for number in numbers[1:]]
    return tuple(zip(numbers, [*lasts, high], strict=True)) if numbers else ()


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
    numbers = all(math.isfinite(_number(value)) for value in values)
    return tuple(sorted(values, key=_number if numbers else str))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


DATASET = Dataset(
    load=load,
    note="your own csv: file=PATH, label=COLUMN, protected=COLUMN [, positive=VALUE, domain=PATH]",
    own_files=("file", "domain"),
    public_files=("domain",),
)
