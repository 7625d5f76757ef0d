"""Published cells with the means of our runs, verdicts and explanations, and how a user finds one.

A cell is found by data set, method, score and parameters; an unknown name gives a hint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from dpfair_cli.contracts.errors import DpfairError, meaning, nearest
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import Comparison, Decision, Sample
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.deviations.deviation import Deviation, Explained
from dpfair_cli.verdicts.means import is_equal
from dpfair_cli.verdicts.wording import format_number, label


@dataclass(frozen=True)
class Experiment:
    """The number that a published cell prints, and its experiment: data set, method, settings.

    Two cells that print the same number of the same experiment have equal objects.
    """

    dataset: str
    algorithm: str  # of the default variant
    metric: str
    mean: float
    std: float | None
    settings: tuple[tuple[str, Any], ...]  # each parameter of data set and algorithm
    point: Any  # place on the axis of the task's curves; empty if the score is not a curve


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """One variant of a cell's method, compared with the published value."""

    label: str  # as tables print it, such as "PFLR, shift"
    name: str  # of the variant alone, such as "shift"; empty for the default variant
    parameters: Mapping[str, Any]  # of the runs, those that tell the cells of the artefact apart
    decision: Decision
    verdict: CellVerdict  # on the cell under the variant
    rows: tuple[int, ...]  # labels of the rows that are averaged
    scores: tuple[float, ...] = ()  # of each run, in the order of the seeds

    @property
    def comparison(self) -> Comparison:
        """The comparison of the runs with the published value."""
        return self.decision.comparison

    @property
    def ours(self) -> Sample:
        """Our mean over the runs of the variant."""
        return self.comparison.ours


@dataclass(frozen=True, eq=False)
class JudgedCell(Explained):
    """A published cell, compared with every variant of its method."""

    published: PublishedCell
    description: str  # such as "adult, PFLR, epsilon 0.1, accuracy"
    sample: Sample  # the published mean with its deviation and number of runs
    verdict: CellVerdict  # under the default variant
    variants: tuple[JudgedVariant, ...] = ()  # the default one first; empty if not compared
    experiment: Experiment | None = None  # what the cell prints; None without runs
    deviation: Deviation | None = None  # which explains the cell
    hint: str = ""  # of a cell without runs: the nearest known name to an unknown one

    @property
    def default(self) -> JudgedVariant | None:
        """The default variant of the cell's method; None if nothing was compared."""
        return self.variants[0] if self.variants else None

    @property
    def others(self) -> tuple[JudgedVariant, ...]:
        """The compared variants of the cell's method without the default variant."""
        return self.variants[1:]

    @property
    def nearest(self) -> JudgedVariant | None:
        """The variant whose mean is nearest to the published value; None without two variants."""
        if not self.others:
            return None
        return min(self.variants, key=lambda variant: variant.comparison.difference)

    @property
    def rivals(self) -> Sequence[float]:
        """The values that other methods and constants give in the place of the cell."""
        return self.default.decision.rivals if self.default else ()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the cell, such as epsilon, with their values."""
        return self.default.parameters if self.default else self.published.parameters

    @property
    def remedy(self) -> str:
        """What would decide an undecided cell, in words; empty for other cells."""
        undecided = self.default and self.verdict is CellVerdict.UNDECIDED
        return self.default.decision.remedy if self.default and undecided else ""

    @property
    def is_unexplained(self) -> bool:
        """Whether `check` fails because of this cell."""
        return self.verdict.needs_deviation and self.deviation is None

    def variant(self, name: str) -> JudgedVariant | None:
        """The variant named `name` of the cell's method; None if this variant was not run."""
        return next((one for one in self.variants if one.name == name), None)


@dataclass(frozen=True)
class CellQuery:
    """The names by which a user selects cells; an empty name fits every cell."""

    method: str = ""  # the published name, or the name of the algorithm or of a variant
    dataset: str = ""
    metric: str = ""  # the name of the score, or its label in tables, such as RD
    parameters: Mapping[str, Any] = field(default_factory=dict)  # such as {"epsilon": 1}


def find_cells(cells: Sequence[JudgedCell], spec: Spec, query: CellQuery) -> list[JudgedCell]:
    """The judged cells of an artefact that fit a query.

    Raises:
        DpfairError: no cell fits; the message names the first condition that no cell fulfils and
            the known names.
    """
    if not cells:
        raise DpfairError(f"{spec.artefact} has no published cells: name another artefact")
    named = {"method": query.method, "data set": query.dataset, "score": query.metric}
    wanted = {noun: word for noun, word in named.items() if word} | dict(query.parameters)
    found, said = list(cells), ""
    for noun, word in wanted.items():
        names = {cell: _names_of(cell, spec).get(noun, []) for cell in found}
        fitting = [cell for cell in found if any(map(partial(is_equal, word), names[cell]))]
        if not fitting:
            raise DpfairError(_refusal(noun, word, names, f"{spec.artefact} has no", said))
        found, said = fitting, f"{said} of {noun} {_word(word)}"
    return found


def setting_of(cell: JudgedCell) -> dict[str, Any]:
    """The parameters of a cell: those that the paper names, then the others of the default runs."""
    settings = dict(cell.experiment.settings) if cell.experiment else {}
    return settings | dict(cell.parameters)


def _names_of(cell: JudgedCell, spec: Spec) -> dict[str, list[Any]]:
    """The names and values by which a user finds a cell; messages print the first of each."""
    own, algorithm = cell.published, [cell.experiment.algorithm] if cell.experiment else []
    return {
        "method": [own.method, *algorithm, *(one.label for one in cell.variants)],
        "data set": [own.dataset],
        "score": [label(own.metric, spec), own.metric],
        **{name: [value] for name, value in setting_of(cell).items()},
    }


def _refusal(
    noun: str, wanted: Any, names: Mapping[JudgedCell, Sequence[Any]], lacks: str, said: str
) -> str:
    """The reason why no cell fulfils a condition of a query, with the known names, in one line.

    `names` are the accepted names or values of each cell, and `said` are the conditions that the
    cells fulfil, in words.
    """
    values = list(dict.fromkeys(chain.from_iterable(names.values())))
    if not values:
        known = set(chain.from_iterable(map(setting_of, names)))
        return f"{lacks} parameter {noun!r}{said}: {nearest(noun, known)}"
    why = f"{lacks} published cell{said} with {noun} {_word(wanted)}"
    if isinstance(wanted, str):
        printed = dict.fromkeys(str(*own[:1]) for own in names.values())
        return f"{why}: {meaning(wanted, map(str, values)) or nearest(wanted, printed)}"
    return f"{why}: there are: {', '.join(map(format_number, values))}"


def _word(value: Any) -> str:
    return repr(value) if isinstance(value, str) else format_number(value)
