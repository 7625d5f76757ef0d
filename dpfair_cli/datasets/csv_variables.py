"""A user's table for causal discovery: a file as of csv with only categories or only numbers.

`domain` is the path of a domain file as in csv.py. With a domain file, only the columns that the
file names are used, and their levels and ranges are public. Numbers are scaled from their range to
[-1, 1]. Values outside the domain are replaced by the rule of csv.py, so that no record can cause
an error: text in a numeric column becomes 0, the middle of the scaled range, and a level that is
not listed becomes the last listed one.

Without a domain file, levels and ranges are read from the data. Columns of text, and columns with
few different whole numbers, are categories. Other numbers are standardised, and a constant column
is an error. A `PrivacyLeakWarning` says that levels and ranges are read from the data, and no
privacy guarantee holds.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import LARGEST, Floats, Ints
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.contracts.missing_numbers import NumberOrMissing
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric
from dpfair_cli.formats.domain_draft import SOME_LEVELS
from dpfair_cli.formats.domain_file import DRAFTED, confirms, read_domain
from dpfair_cli.formats.persons import read_one_row_each
from dpfair_cli.formats.profiles import (
    BOUNDS,
    TableProfile,
    describe_outside,
    describe_rows,
    not_used,
    questions_about_persons,
)
from dpfair_cli.formats.questions import in_short, questions_of_identifiers, questions_of_texts
from dpfair_cli.formats.user_table import (
    TableForm,
    describe_form,
    find_form,
    nameless,
    read_heading,
    read_table,
)
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.random_dag import made_up_observations
from dpfair_cli.models.tabular.encoding import check_column, codes
from dpfair_cli.models.tabular.outside_values import count_outside, moved_inside, texts_of_columns

# without a domain file, a column with at most this number of different words or whole numbers is
# categorical; a choice of ours
MOST_LEVELS = 20
QUICK = {"epsilon": math.inf}  # without noise there are fewer edges and therefore fewer tests


@checked
def load(folder: Path, *, file: str, domain: str = "") -> Observations:
    """The Observations of the table at the path `file`; `folder` is not used.

    Raises:
        DpfairError: a file is missing or malformed, a column is missing, some columns are numbers
            and others categories, or, without a domain file, a column is incomplete or constant.
    """
    return _read(file, domain).observations()


def profile(*, file: str, domain: str) -> TableProfile:
    """The profile of a user's table of variables, printed before the runs.

    Raises:
        DpfairError: for the same reasons as in `load`.
    """
    table = _read(file, domain)
    heading, data, types = read_heading(file, table.form), table.observations(), table.column_types
    questions = list(_questions(types))
    if data.bounds == "data":
        columns = {str(name): table.cells[name].tolist() for name in table.cells}
        questions += questions_of_identifiers(columns, nameless(heading, table.form))
    about = {"person": table.person, "protected": "", "label": ""}
    texts = texts_of_columns(table.cells)
    questions += questions_about_persons(texts, file, table.form, **about)
    facts = {
        "file": f"{describe_rows(len(data), table.person)}; {describe_form(table.form)}",
        "variables": f"{_words(data, types)}{not_used(heading, [*types, table.person])}",
        "bounds": BOUNDS[data.bounds],
    }
    if domain:
        facts["outside"] = describe_outside(table.outside, table.cells.size)
    draw = partial(
        made_up_observations, data.names, data.levels, enough=len(data) > len(data.names)
    )
    return TableProfile(facts, tuple(questions), lambda rng: draw(rng=rng), QUICK)


def _words(observations: Observations, column_types: Mapping[str, ColumnType]) -> str:
    """The number of variables, and each variable with its levels or its range, as text."""
    what = "categories (levels)" if observations.categorical else "numbers"
    variables = [_variable(name, column) for name, column in column_types.items()]
    return f"{len(variables)} {what}: {in_short(variables)}"


def _variable(name: str, column: ColumnType) -> str:
    """A variable as text, with the number of its levels, its mean and deviation, or its range."""
    if isinstance(column, Categorical):
        return f"{name} ({len(column.levels)})"
    if column.spread:
        return f"{name} (mean {column.centre:.4g}, deviation {column.spread:.4g})"
    return f"{name} ({column.low:g} to {column.high:g})"


def _questions(column_types: Mapping[str, ColumnType]) -> Iterator[str]:
    """Yields questions about levels that differ only in capitals, or that are numerous."""
    for name, column in column_types.items():
        if isinstance(column, Categorical):
            yield from questions_of_texts(name, column.levels)
            if len(column.levels) > SOME_LEVELS:
                cure = "tests of it have few records for each, merge some?"
                yield f"{name} has {len(column.levels)} levels: {cure}"


@dataclass(frozen=True)
class _UserVariables:
    """The cells of a user's table of variables with the types of the columns."""

    cells: pd.DataFrame  # the variables, as text or numbers, (n, p)
    column_types: Mapping[str, ColumnType]  # the type of each variable
    form: TableForm  # the CSV dialect of the file
    person: str  # the column of the persons, of each of whom one row is used; often empty
    bounds: Literal["public", "data"]  # the origin of ranges and levels
    outside: int = 0  # the number of cells outside the domain; 0 without a domain file

    def observations(self) -> Observations:
        """The cells as Observations: codes of categories, or scaled numbers."""
        columns = [_values(self.cells[name], column) for name, column in self.column_types.items()]
        levels = [
            len(column.levels)
            for column in self.column_types.values()
            if isinstance(column, Categorical)
        ]
        values: Any = np.column_stack(columns)
        return Observations(values, tuple(self.column_types), tuple(levels), self.bounds)


def _read(file: str, domain: str) -> _UserVariables:
    """The user's table with the types of its columns.

    The types are given by the domain file or, without one, read from the data.
    """
    return _public(file, domain) if domain else _observed(file)


def _public(file: str, domain: str) -> _UserVariables:
    """The columns that the domain file names.

    A domain file with a single column is refused, because an empty cell would be an empty line,
    which is not read as a row.
    """
    found = read_domain(domain)
    if len(found.columns) < 2:
        raise DpfairError(
            f"{domain} must name at least two columns for causal discovery, got "
            f"{len(found.columns)}"
        )
    # before any cell is read, so that the error depends on the domain file alone
    missing = [name for name, kind in found.columns.items() if isinstance(kind, NumberOrMissing)]
    if missing:
        raise DpfairError(
            f"{domain}: `missing: yes` is a level besides numbers, which causal discovery does not "
            f"accept in one table: leave out this key of {in_short(missing)}"
        )
    _require_one_type(domain, found.columns)
    if not found.confirmed:
        warnings.warn(f"{domain} {DRAFTED}", PrivacyLeakWarning, 4)
    texts = read_one_row_each(file, found.columns, found.form, found.person)
    outside = count_outside(texts_of_columns(texts), found.columns)
    inside = moved_inside(texts, found.columns)
    return _UserVariables(inside, found.columns, found.form, found.person, found.bounds, outside)


def _observed(file: str) -> _UserVariables:
    """All columns of a table, with ranges and levels that are read from the private data."""
    form = find_form(file)
    cells = read_table(file, form)
    message = f"{file}: ranges and levels are read from the data: give domain=FILE"
    warnings.warn(message, PrivacyLeakWarning, 4)
    column_types = {str(name): _column_type(str(name), cells) for name in cells}
    columns = {name: cells[name].tolist() for name in column_types}
    # a column of identifiers may be the one that has the other type
    identifiers = questions_of_identifiers(columns, nameless(list(column_types), form))
    _require_one_type(file, column_types, *identifiers)  # after the types of all columns are known
    return _UserVariables(cells, column_types, form, "", "data")


def _require_one_type(file: str, columns: Mapping[str, ColumnType], *questions: str) -> None:
    """Refuses a table with both numerical and categorical columns.

    Raises:
        DpfairError: the table has columns of both types. The message has the columns of the rarer
            type and `questions`, which are about columns that may be identifiers.
    """
    numbers = [name for name, column in columns.items() if isinstance(column, Numeric)]  # by type
    others = [name for name in columns if name not in numbers]
    if not numbers or not others:
        return
    if len(numbers) <= len(others):
        cure = f"discretise or delete the numerical columns: {in_short(numbers)}"
    else:
        cure = f"recode or delete the categorical columns: {in_short(others)}"
    ways_out = "; ".join((cure, *questions))
    raise DpfairError(
        f"{file}: the columns must be all categorical or all numerical for causal discovery; "
        f"{ways_out}"
    )


def _column_type(name: str, cells: pd.DataFrame) -> ColumnType:
    """The type of a column without a domain file.

    A column with few words or few integers is categorical. Any other column is numerical and has a
    mean and a standard deviation.

    Raises:
        DpfairError: the column is incomplete or constant, has too many different words, or has a
            number above LARGEST.
    """
    check_column(cells, name, "column")  # first, since the rest needs complete cells
    values, numbers = sorted(cells[name].unique()), pd.to_numeric(cells[name], errors="coerce")
    words = bool(numbers.isna().any())
    few = len(values) <= MOST_LEVELS  # texts, so that 1 and 1.0 are two
    if words and not few:
        raise DpfairError(
            f"column {name!r} has {len(values)} different values that are not numbers, too "
            "many for a categorical variable: merge the values or delete the column"
        )
    if words:
        return Categorical(tuple(values))
    if np.abs(numbers).max() > LARGEST:
        raise DpfairError(
            f"every number of column {name!r} must be finite and at most {LARGEST:g} in "
            "absolute value: delete the rows with other numbers, or rescale the column"
        )
    # in the order of numbers, since tests of ordered categories use the codes
    if few and (numbers % 1 == 0).all():
        return Categorical(tuple(sorted(values, key=float)))
    if not numbers.std() > 0:
        raise DpfairError(
            f"column {name!r} is constant, or nearly constant, in all {len(cells)} rows: "
            "delete or rescale the column"
        )
    # standardised, so that no range is needed
    return Numeric(-np.inf, np.inf, numbers.mean(), numbers.std())


def _values(column: pd.Series, column_type: ColumnType) -> Ints | Floats:
    """The values of a column, (n,): codes of levels, or scaled numbers.

    Numbers are standardised by mean and standard deviation, or scaled from their range to [-1, 1].

    Raises:
        DpfairError: a cell of a numerical column is not a number.
    """
    if isinstance(column_type, Categorical):
        return codes(column, column_type.levels)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    if np.isnan(numbers).any():
        raise DpfairError(
            f"column {column.name!r} must contain only numbers: correct the cells with other values"
        )
    if column_type.spread:
        return np.asarray((numbers - column_type.centre) / column_type.spread)
    # from public ends only: a mean of the data would be private
    size = column_type.high - column_type.low
    return np.asarray(np.clip(2 * ((numbers - column_type.low) / size) - 1, -1.0, 1.0))


DATASET = DataSource(
    load=load,
    note="your own csv for causal discovery: file=PATH [, domain=PATH]",
    task="causal_discovery",
    own_files=("file", "domain"),
    public_files=("domain",),
    confirmed=confirms,
    profile=profile,
    version=13,
    truth=False,
)
