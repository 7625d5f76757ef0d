"""A published cell with what our runs say of it: tables and pages are made of these records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpfair_cli.verdicts.cells.comparison import Comparison, Sample
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.deviations.deviation import Deviation


@dataclass(frozen=True)
class Experiment:
    """Which number of which experiment a cell prints: equal for two cells that print the same."""

    dataset: str
    """The data set."""

    algorithm: str
    """The algorithm of the default variant."""

    metric: str
    """The score."""

    mean: float
    """The published mean."""

    std: float | None
    """The published standard deviation."""

    settings: tuple[tuple[str, Any], ...]
    """Every parameter of data set and algorithm."""

    point: Any
    """The place on the axis of the task's curves; empty where a score is not a curve."""


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """One variant of a cell's method, compared with the published value."""

    label: str
    """The name that tables print, such as "PFLR, shift"."""

    name: str
    """The variant alone, such as "shift"; empty for the default one."""

    parameters: Mapping[str, Any]
    """The values of its runs that tell the cells of the artefact apart."""

    comparison: Comparison
    """Its runs against the published value."""

    verdict: CellVerdict
    """What the comparison says."""

    rows: tuple[int, ...]
    """The labels of the rows that its mean is of."""

    @property
    def ours(self) -> Sample:
        """Its mean over the runs."""
        return self.comparison.ours


@dataclass(frozen=True, eq=False)
class JudgedCell:
    """A published cell, compared with every variant of its method."""

    published: PublishedCell
    """What the paper prints."""

    description: str
    """Which cell it is, such as "adult, PFLR, epsilon 0.1, accuracy"."""

    sample: Sample
    """The published mean with its deviation and number of runs."""

    verdict: CellVerdict
    """What the default variant says."""

    variants: tuple[JudgedVariant, ...] = ()
    """The variants that were run, the default one first; none of a cell that is not compared."""

    experiment: Experiment | None = None
    """Which number of which experiment it prints; None without runs."""

    deviation: Deviation | None = None
    """What explains it."""

    hint: str = ""
    """Which name a cell without runs may have meant."""

    @property
    def default(self) -> JudgedVariant | None:
        """The default variant; None where nothing was compared."""
        return self.variants[0] if self.variants else None

    @property
    def others(self) -> tuple[JudgedVariant, ...]:
        """The variants besides the default one."""
        return self.variants[1:]

    @property
    def nearest(self) -> JudgedVariant | None:
        """The variant nearest to the published value; None where there are not several."""
        if not self.others:
            return None
        return min(self.variants, key=lambda variant: variant.comparison.difference)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The values that tell the cells of the artefact apart."""
        return self.default.parameters if self.default else self.published.parameters

    @property
    def remedy(self) -> str:
        """What would decide an undecided cell, in words; empty for the others."""
        undecided = self.default and self.verdict is CellVerdict.UNDECIDED
        return self.default.comparison.remedy if self.default and undecided else ""

    @property
    def kind(self) -> str:
        """The kind of its deviation; empty without one."""
        return self.deviation.kind if self.deviation else ""

    @property
    def cause(self) -> str:
        """The cause that its deviation names, or the hint."""
        return self.deviation.cause if self.deviation else self.hint

    @property
    def full_verdict(self) -> str:
        """The verdict with the kind of the deviation, such as "differs (variant)"."""
        return f"{self.verdict} ({self.kind})" if self.kind else str(self.verdict)

    @property
    def is_unexplained(self) -> bool:
        """Whether `check` fails because of it."""
        return self.verdict.needs_deviation and self.deviation is None

    def variant(self, name: str) -> JudgedVariant | None:
        """The variant of a name; None where it was not run."""
        return next((one for one in self.variants if one.name == name), None)
