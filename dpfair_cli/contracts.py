"""Frozen records that pass between layers: what a data set gives, what an algorithm returns."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Pixels = NDArray[np.uint8]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Score = float | list[float] | list[str]  # a list is a curve over the points of the task's AXIS (text: their names)
Data = TypeVar("Data", bound="Records | Images | Observations")
LARGEST = 1e100  # sums of squares and products of such numbers are finite


class DpfairError(Exception):
    """A mistake of the user or of the data, in one line that says what to do; the CLI prints it without traceback."""


class PrivacyLeakWarning(UserWarning):
    """Something that privacy relies on was read from the private data."""


def nearest(word: str, words: Iterable[str]) -> str:
    """' Did you mean ...?' for a misspelt word, or the words there are."""
    words = sorted(words)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(words)}"


@dataclass(frozen=True)
class Domain:
    """What is publicly known about encoded records, without looking at them.

    `columns` names the d features of X; `attributes` maps an original attribute to the columns that encode it;
    `groups` names the protected values 0, 1, ...; `bounds` says whether ranges and levels are public knowledge or
    were read from the data (then no privacy claim holds for them). `standard` is a public (centre, spread) of each
    column, for methods that standardise: they use (x - centre) / spread; empty is x itself.
    """

    columns: tuple[str, ...]
    attributes: Mapping[str, tuple[int, ...]]
    groups: tuple[str, ...]
    bounds: Literal["public", "data"] = "public"
    standard: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, eq=False)
class Records:
    """n people: features X (n, d) in [0, 1], label y (n,) in {0, 1}, protected group (n,) in 0, 1, ..."""

    X: Floats
    y: Ints
    protected: Ints
    domain: Domain

    def __post_init__(self) -> None:
        n, groups = len(self.X), len(self.domain.groups)
        if self.X.ndim != 2 or self.y.shape != (n,) or self.protected.shape != (n,):
            raise ValueError(f"X, y, protected do not fit: {self.X.shape}, {self.y.shape}, {self.protected.shape}")
        if not np.isfinite(self.X).all():
            raise ValueError("X holds values that are not finite")
        if n and not (set(np.unique(self.y)) <= {0, 1} and 0 <= self.protected.min() <= self.protected.max() < groups):
            raise ValueError(f"y must be 0 or 1, protected a group from 0 to {groups - 1}")
        for array in (self.X, self.y, self.protected):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.X)

    def take(self, rows: Ints) -> Records:
        """The records at `rows`, in that order."""
        return Records(self.X[rows], self.y[rows], self.protected[rows], self.domain)


@dataclass(frozen=True, eq=False)
class Images:
    """n grey pictures: X (n, pixels) from 0 to 255, row by row; class y (n,) and group `protected` (n,) as numbers.

    `shape` is the (rows, columns) of a picture, `classes` names what y counts, `domain.groups` what protected counts.
    `held_out` (n,) marks the pictures that the data set keeps for testing.
    """

    X: Pixels
    y: Ints
    protected: Ints
    held_out: Mask
    shape: tuple[int, int]
    classes: tuple[str, ...]
    domain: Domain

    def __post_init__(self) -> None:
        n, pixels = len(self.X), self.shape[0] * self.shape[1]
        if self.X.shape != (n, pixels) or {self.y.shape, self.protected.shape, self.held_out.shape} != {(n,)}:
            shapes = self.X.shape, self.y.shape, self.protected.shape, self.held_out.shape
            raise ValueError(f"X, y, protected, held_out do not fit: {', '.join(map(str, shapes))}")
        if self.X.dtype != np.uint8 or self.held_out.dtype != bool:
            raise ValueError(f"X is of whole numbers from 0 to 255, held_out a mask; got {self.X.dtype}")
        for name, codes, count in (("y", self.y, len(self.classes)), ("protected", self.protected, len(self.groups))):
            if n and not 0 <= codes.min() <= codes.max() < count:
                raise ValueError(f"{name} must be from 0 to {count - 1}")
        for array in (self.X, self.y, self.protected, self.held_out):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.X)

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups."""
        return self.domain.groups

    def take(self, rows: Ints) -> Images:
        """The pictures at `rows`, in that order."""
        parts = self.X[rows], self.y[rows], self.protected[rows], self.held_out[rows]
        return Images(*parts, self.shape, self.classes, self.domain)


@dataclass(frozen=True, eq=False)
class Observations:
    """n records of p variables: `values` (n, p) are codes 0 .. levels[j] - 1 of categories, or numbers (no `levels`).

    The levels are public; `bounds` says so, or that they (or the scales of the numbers) were read from the data.
    """

    values: Ints | Floats
    names: tuple[str, ...]
    levels: tuple[int, ...] = ()
    bounds: Literal["public", "data"] = "public"

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape[1] != len(self.names):
            raise ValueError(f"values {self.values.shape} do not fit {len(self.names)} names")
        if len(set(self.names)) != len(self.names):
            raise ValueError("two variables have one name")
        if not np.isfinite(self.values).all():
            raise ValueError("values hold what is not finite: fill or drop missing values")
        if np.abs(self.values).max(initial=0) > LARGEST:
            raise ValueError(f"values beyond {LARGEST:g} have no finite covariance: rescale them")
        if self.levels:
            self._check_codes()
        self.values.flags.writeable = False

    def _check_codes(self) -> None:
        if len(self.levels) != len(self.names) or not np.issubdtype(self.values.dtype, np.integer):
            raise ValueError(f"categories are whole numbers with levels for each of {len(self.names)} variables")
        for name, column, levels in zip(self.names, self.values.T, self.levels, strict=True):
            if len(column) and not 0 <= column.min() <= column.max() < levels:
                raise ValueError(f"{name!r} holds a code outside 0 .. {levels - 1}")

    def __len__(self) -> int:
        return len(self.values)

    @property
    def categorical(self) -> bool:
        """Whether the variables are categories."""
        return bool(self.levels)

    def take(self, rows: Ints) -> Observations:
        """The records at `rows`, in that order."""
        return Observations(self.values[rows], self.names, self.levels, self.bounds)


@dataclass(frozen=True, eq=False)
class CausalGraph:
    """A partially directed graph: cpdag[i, j] alone is the arrow i -> j, with cpdag[j, i] too the line i - j.

    `tests` counts the conditional independence tests behind it, `reads` the records or cells summed up for them.
    """

    names: tuple[str, ...]
    cpdag: Mask
    tests: int = 0
    reads: int = 0

    def __post_init__(self) -> None:
        p = len(self.names)
        if self.cpdag.shape != (p, p) or self.cpdag.dtype != bool or self.cpdag.diagonal().any():
            raise ValueError(f"a graph of {p} variables is a ({p}, {p}) mask without loops, got {self.cpdag.shape}")
        self.cpdag.flags.writeable = False

    @property
    def skeleton(self) -> Mask:
        """The edges without their direction, (p, p) and symmetric."""
        return self.cpdag | self.cpdag.T

    @property
    def edges(self) -> list[str]:
        """The edges in words, such as "age -> income" and "race - sex", in the order of the variables."""
        pairs = zip(*np.nonzero(np.triu(self.skeleton)), strict=True)
        return [self._edge(i, j) for i, j in pairs]

    def _edge(self, i: int, j: int) -> str:
        forth, back = self.cpdag[i, j], self.cpdag[j, i]
        first, second = (self.names[i], self.names[j]) if forth else (self.names[j], self.names[i])
        return f"{first} {'-' if forth and back else '->'} {second}"


class Population(Protocol):
    """What a made data set gives: a law to draw from, with the graph behind it."""

    def draw(self, rng: np.random.Generator) -> tuple[Observations, Mask]:
        """Records, and the true directed acyclic graph (p, p): dag[i, j] is i -> j."""
        ...


class Classifier(Protocol):
    """What `fit` of a classification algorithm returns."""

    def predict(self, records: Any) -> Floats:
        """Probability of outputting 1, (n,): a randomised rule is then scored exactly. Of Images: the class."""
        ...


def once_per_records(
    function: Callable[Concatenate[Data, Parameters], Result],
) -> Callable[Concatenate[Data, Parameters], Result]:
    """Remember `function(records, ...)` as long as `records` lives: what noise does not touch is computed once."""
    memory: WeakKeyDictionary[Data, dict[Any, Result]] = WeakKeyDictionary()

    @wraps(function)
    def remembered(records: Data, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        results = memory.setdefault(records, {})
        key = (args, tuple(sorted(kwargs.items())))
        if key not in results:
            results[key] = function(records, *args, **kwargs)
        return results[key]

    return remembered


@dataclass(frozen=True)
class File:
    """A file of a data set: its path below a data folder, SHA-256, size in bytes, and public addresses that hold it."""

    path: str
    sha256: str
    size: int
    urls: tuple[str, ...]


@dataclass(frozen=True)
class Numeric:
    """An attribute with a public range [low, high]; methods that standardise it use `centre` and `spread`."""

    low: float
    high: float
    centre: float = 0.0
    spread: float = 0.0  # 0: the range itself, as [0, 1]


@dataclass(frozen=True)
class Categorical:
    """An attribute with public levels, in a documented order."""

    levels: tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """The public knowledge about a raw table (a data set's DOMAIN): attributes in order, label and protected column.

    `one_hot` of a Categorical drops its first level; `label` is 1 where the column equals `positive`; the group is the
    index of the value in `groups`.
    """

    attributes: Mapping[str, Numeric | Categorical]
    label: str
    positive: str
    protected: str
    groups: tuple[str, ...]
    bounds: Literal["public", "data"] = "public"


@dataclass(frozen=True)
class Expected:
    """Counts that a loaded data set must show: rows, columns, people per group, share of label 1 (to 4 digits).

    Of images: pictures, pixels, pictures per group, mean class.
    """

    rows: int
    columns: int
    groups: tuple[int, ...]
    base_rate: float
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ExpectedVariables:
    """Counts that loaded Observations must show: records, and the levels of each variable."""

    rows: int
    levels: tuple[int, ...]


@dataclass(frozen=True)
class ExpectedNetwork:
    """Counts that a Bayesian network must show: variables, arcs, and free parameters of its tables."""

    nodes: int
    arcs: int
    parameters: int
