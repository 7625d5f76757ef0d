"""What the verdicts on one artefact take from all artefacts of its paper.

Two things need the whole paper. A paper has hundreds of cells, and a test at the level 0.05 is
wrong for one of twenty. The method of Benjamini and Hochberg (1995) lowers the level until, of all
cells that are called equivalent, at most a twentieth is expected to be called so wrongly, and
likewise of those that are called different. And a variant explains the cells of an artefact only if
it would have been chosen by the cells of the *other* artefacts of the same part of the paper.

Both are computed when all artefacts of a paper are compared, and kept in results/<paper>/rule.json
for commands that compare only some.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import LEVEL
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.judging import at_levels
from dpfair_cli.verdicts.cells.rule import UNCORRECTED, Levels
from dpfair_cli.verdicts.score.distinct import part_of, repeated_cells

FILE = "rule.json"

Judged = tuple[Spec, Sequence[JudgedCell]]  # an artefact with its cells


@dataclass(frozen=True)
class PaperRule:
    """What the verdicts on one artefact take from all artefacts of its paper."""

    levels: Levels = UNCORRECTED
    """The significance levels of the tests."""

    chosen: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """Artefact -> published method -> the variants that the other artefacts would choose."""

    def variants_of(self, artefact: str) -> Mapping[str, Sequence[str]]:
        """The variants of each method that the artefacts other than `artefact` would choose."""
        return self.chosen.get(artefact, {})


def controlled_level(p_values: Iterable[float], rate: float = LEVEL) -> float:
    """The level of each test at which a false discovery rate is controlled.

    It is rate * k / m for m p-values, of which the k smallest are significant. If none is, it is
    the level rate / m that a first one would have to reach.

    Source: Benjamini and Hochberg, 1995, Equation 1.

    Examples:
        >>> controlled_level([0.01, 0.02, 0.5, 0.9])
        0.025
        >>> controlled_level([0.04, 0.5, 0.6, 0.9])
        0.0125
    """
    ordered = sorted(p_values)
    ranks = [rank for rank, p in enumerate(ordered, 1) if p * len(ordered) <= rate * rank]
    return rate * max(ranks, default=1) / max(len(ordered), 1)


def rule_of(judged: Sequence[Judged]) -> PaperRule:
    """The rule of a paper, given all its artefacts with their cells."""
    levels = _levels(judged)
    decided = [(spec, [at_levels(cell, levels) for cell in cells]) for spec, cells in judged]
    chosen = {spec.name: _chosen(spec, cells, decided) for spec, cells in decided}
    return PaperRule(levels, {name: found for name, found in chosen.items() if found})


def _levels(judged: Sequence[Judged]) -> Levels:
    """The levels that control the false discovery rate over the distinct cells of a paper."""
    repeated = repeated_cells(judged)
    found = [
        cell.default.comparison
        for _, cells in judged
        for cell in cells
        if cell.default and cell.verdict.is_compared and cell not in repeated
    ]
    return Levels(
        controlled_level(one.p_equivalent for one in found),
        controlled_level(one.p_different for one in found),
    )


def _chosen(
    spec: Spec, own: Sequence[JudgedCell], decided: Sequence[Judged]
) -> dict[str, list[str]]:
    """The variants of each method that bring out most cells of the other artefacts of a part.

    A variant must bring out more cells than the default variant of the method. Numbers that the
    artefact prints itself do not count. A variant of the data is applied to all methods alike, so
    that the cells of all methods count.
    """
    of_data = {dataset.variant for dataset in spec.datasets if dataset.variant}
    known = {cell.experiment for cell in own}
    gains: dict[str, Counter[str]] = {}
    shared: Counter[str] = Counter()
    for cell in _others(spec, decided):
        if cell.experiment not in known:
            known.add(cell.experiment)
            gain = gains.setdefault(cell.published.method, Counter())
            for variant in cell.others:
                count = shared if variant.name in of_data else gain
                count[variant.name] += variant.verdict.passes - cell.verdict.passes
    methods = {cell.published.method for cell in own if cell.others}
    found = {method: _best(gains.get(method, Counter()) + shared) for method in sorted(methods)}
    return {method: best for method, best in found.items() if best}


def _others(spec: Spec, decided: Sequence[Judged]) -> Iterable[JudgedCell]:
    """Yields the compared cells of the other artefacts of the same part of a paper."""
    for other, cells in decided:
        if other is not spec and part_of(other) == part_of(spec):
            yield from (cell for cell in cells if cell.verdict.is_compared)


def _best(gain: Counter[str]) -> list[str]:
    most = max(gain.values(), default=0)
    return sorted(name for name, count in gain.items() if count == most and most > 0)


def read_rule(results: Path, paper: str) -> PaperRule:
    """The rule of a paper as its results contain it; without such a file, that of single tests."""
    file = results / paper / FILE
    if not file.is_file():
        return PaperRule()
    content = json.loads(file.read_text(encoding="utf-8"))
    return PaperRule(Levels(**content["levels"]), content["chosen"])


def write_rule(rule: PaperRule, results: Path, paper: str) -> None:
    """Writes results/<paper>/rule.json."""
    text = json.dumps(asdict(rule), indent=1)
    (results / paper / FILE).write_text(f"{text}\n", encoding="utf-8", newline="\n")
