"""Finds judged cells by data set, method, score and parameters; an unknown name gives a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from dpfair_cli.contracts.errors import DpfairError, meaning, nearest
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.means import is_equal
from dpfair_cli.verdicts.wording import format_number, label


@dataclass(frozen=True)
class CellQuery:
    """The names by which a user selects cells; an empty name fits every cell."""

    method: str = ""  # the published name, or the name of the algorithm or of a variant
    dataset: str = ""
    metric: str = ""  # the name of the score, or its label in tables, such as RD
    parameters: Mapping[str, Any] = field(default_factory=dict)  # such as {"epsilon": 1}


@dataclass(frozen=True)
class _Condition:
    """A name or value that a queried cell must have, such as its data set or a parameter."""

    noun: str  # the kind of name, such as "method"
    wanted: Any  # what the user gave
    values: Callable[[JudgedCell], Sequence[Any]]  # accepted ones; messages print the first

    def fits(self, cell: JudgedCell) -> bool:
        """Whether a cell has the name or value that the condition wants."""
        return any(is_equal(self.wanted, value) for value in self.values(cell))


def find_cells(cells: Sequence[JudgedCell], spec: Spec, query: CellQuery) -> list[JudgedCell]:
    """The judged cells of an artefact that fit a query.

    Raises:
        DpfairError: no cell fits; the message names the first condition that no cell fulfils and
            the known names.
    """
    if not cells:
        raise DpfairError(f"{spec.artefact} has no published cells: name another artefact")
    found, said = list(cells), ""
    for condition in _conditions(query, spec):
        fitting = [cell for cell in found if condition.fits(cell)]
        if not fitting:
            raise DpfairError(_refusal(condition, found, spec, said))
        found, said = fitting, f"{said} of {condition.noun} {_word(condition.wanted)}"
    return found


def setting_of(cell: JudgedCell) -> dict[str, Any]:
    """The parameters of a cell: those that the paper names, then the others of the default runs."""
    settings = dict(cell.experiment.settings) if cell.experiment else {}
    return settings | dict(cell.parameters)


def _conditions(query: CellQuery, spec: Spec) -> Iterator[_Condition]:
    """Yields a condition for each name of a query that is not empty."""
    named = [
        _Condition("method", query.method, _methods),
        _Condition("data set", query.dataset, lambda cell: [cell.published.dataset]),
        _Condition("score", query.metric, partial(_scores, spec)),
    ]
    yield from (condition for condition in named if condition.wanted)
    for name, value in query.parameters.items():
        yield _Condition(name, value, partial(_setting, name))


def _methods(cell: JudgedCell) -> list[str]:
    algorithm = [cell.experiment.algorithm] if cell.experiment else []
    return [cell.published.method, *algorithm, *(one.label for one in cell.variants)]


def _scores(spec: Spec, cell: JudgedCell) -> list[str]:
    return [label(cell.published.metric, spec), cell.published.metric]


def _setting(name: str, cell: JudgedCell) -> list[Any]:
    setting = setting_of(cell)
    return [setting[name]] if name in setting else []


def _refusal(condition: _Condition, cells: Sequence[JudgedCell], spec: Spec, said: str) -> str:
    """The reason why no cell fulfils a condition of a query, with the known names, in one line."""
    values = _distinct(chain.from_iterable(map(condition.values, cells)))
    noun, wanted = condition.noun, condition.wanted
    if not values:
        known = set(chain.from_iterable(map(setting_of, cells)))
        return f"{spec.artefact} has no parameter {noun!r}{said}: {nearest(noun, known)}"
    why = f"{spec.artefact} has no published cell{said} with {noun} {_word(wanted)}"
    if isinstance(wanted, str):
        printed = _distinct(str(*condition.values(cell)[:1]) for cell in cells)
        return f"{why}: {meaning(wanted, map(str, values)) or nearest(wanted, printed)}"
    return f"{why}: there are: {', '.join(map(format_number, values))}"


def _distinct(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def _word(value: Any) -> str:
    return repr(value) if isinstance(value, str) else format_number(value)
