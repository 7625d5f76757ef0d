"""Numbers that are possible and would be unlikely by chance: repetitions, and low accuracies.

Each check yields tests, whose chance bounds the probability of such numbers in a sound table:

- means that are identical to the last digit over epsilons, or over methods
- interventions whose scores all equal those of the method without the intervention
- accuracies below that of the constant answer with the majority class
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import comb, prod

from scipy.special import stdtr

from dpfair_cli.addons.forensics.chances import chance_of_equal
from dpfair_cli.addons.forensics.declaration import found
from dpfair_cli.addons.forensics.finding import CheckedNumbers, Kind
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper, groups

MOST_VALUES = 3  # that a finding names
ERRORS = ("error", "error_rate", "misclassification")  # scores that are one minus an accuracy

Pair = tuple[PrintedCell, PrintedCell]  # a cell with an intervention, and the one without


def check_epsilons(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a test for each method and score: its cells over epsilons, at each setting."""
    private = [one for one in paper.cells if one.uses_epsilon]
    for cells in groups(private, lambda one: (*_score(one), one.published.method)).values():
        lines = groups(cells, lambda one: one.setting)
        yield from _test_of_lines(Kind.REPEATED_EPSILON, lines.values())


def check_methods(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a test for each score: its cells over methods, at each epsilon and setting."""
    private = [one for one in paper.cells if one.uses_epsilon]
    for cells in groups(private, _score).values():
        lines = groups(cells, lambda one: (one.epsilon, one.setting))
        yield from _test_of_lines(Kind.REPEATED_METHODS, lines.values())


def _score(cell: PrintedCell) -> tuple[str, str, str]:
    """What the cells of all methods, settings and epsilons of a score have in common."""
    one = cell.published
    return one.artefact, one.dataset, one.metric


def _test_of_lines(kind: Kind, lines: Iterable[Sequence[PrintedCell]]) -> Iterator[CheckedNumbers]:
    """Yields the test whether lines of a table repeat a mean, if two cells of a line can be tested.

    The chance is the product of the chances of the repetitions, times the number of choices of
    their lines. A repetition that can be by chance does not count.
    """
    testable = [line for line in map(_testable, lines) if len(line) > 1]
    if not testable:
        return
    found_in_lines = list(chain.from_iterable(map(_repetitions, testable)))
    # without the certain ones, or else any line of few digits would hide a clear repetition
    repetitions = [one for one in found_in_lines if one[0] < 1]
    if not repetitions:
        yield CheckedNumbers(kind, [*chain.from_iterable(testable)], 1.0)
        return
    choices = comb(max(len(testable), len(repetitions)), len(repetitions))
    chance = choices * prod(chance for chance, _, _ in repetitions)
    words = [text for _, _, text in repetitions[:MOST_VALUES]]
    if len(repetitions) > MOST_VALUES:
        words.append(f"and {len(repetitions) - MOST_VALUES} more")
    cells = [*chain.from_iterable(cells for _, cells, _ in repetitions)]
    yield CheckedNumbers(kind, cells, min(chance, 1.0), "; ".join(words))


def _testable(line: Sequence[PrintedCell]) -> list[PrintedCell]:
    """The cells of a line whose chance of a repetition is known."""
    return [one for one in line if chance_of_equal([one]) is not None]


def _repetitions(
    line: Sequence[PrintedCell],
) -> Iterator[tuple[float, Sequence[PrintedCell], str]]:
    """Yields each mean that several cells of a line print: its chance, these cells, and words.

    That g given cells print the same mean has at most the chance p^(g-1), where p is the largest
    chance of two of them. There are C(m, g) choices of g of m cells.
    """
    for same in groups(line, lambda one: one.mean.value).values():
        if len(same) > 1:
            pair = chance_of_equal(same) or 1.0
            chance = min(1.0, comb(len(line), len(same)) * pair ** (len(same) - 1))
            yield chance, same, f"{same[0].as_printed} stands in {len(same)} of {len(line)} cells"


def check_unchanged(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a test for each declared intervention on each data set of an artefact."""
    cells = {_identity(one, one.published.method): one for one in paper.cells}
    pairs = []
    for one in paper.cells:
        baseline = found(paper.declaration.baseline, one.published)
        other = cells.get(_identity(one, baseline.of)) if baseline else None
        if other and other is not one and chance_of_equal([one]) is not None:
            pairs.append((one, other))
    for own in groups(
        pairs, lambda pair: (*_score(pair[0])[:2], pair[0].published.method)
    ).values():
        yield _test_of_pairs(own)


def _identity(cell: PrintedCell, method: str) -> tuple[object, ...]:
    """What a cell has in common with that of another method in the same place."""
    return (*_score(cell), method, *_parameters(cell))


def _parameters(cell: PrintedCell) -> tuple[tuple[str, object], ...]:
    """The parameters of a cell with epsilon, which tell its setting from others."""
    return tuple(cell.published.parameters.items())


def _test_of_pairs(pairs: Sequence[Pair]) -> CheckedNumbers:
    """The test whether an intervention changes a score in each setting of its parameters.

    The scores of a setting depend on each other. Therefore the chance that all are equal is bounded
    by the smallest chance of one. There are C(m, g) choices of g unchanged settings of m.
    """
    settings = groups(pairs, lambda pair: _parameters(pair[0])).values()
    equal = [own for own in settings if _are_equal(own)]
    if not equal:
        return CheckedNumbers(Kind.UNCHANGED, [one for one, _ in pairs], 1.0)
    chances = map(_chance_of_setting, equal)
    chance = comb(len(settings), len(equal)) * prod(chances)
    cells = [one for one, _ in chain.from_iterable(equal)]
    name = equal[0][0][1].published.method
    what = (
        f"all scores equal those of {name} to the last digit in {len(equal)} of {len(settings)} "
        "settings"
    )
    return CheckedNumbers(Kind.UNCHANGED, cells, min(chance, 1.0), what)


def _chance_of_setting(pairs: Sequence[Pair]) -> float:
    """The smallest chance that one of the pairs of a setting is equal."""
    return min(chance_of_equal(pair) or 1.0 for pair in pairs)


def _are_equal(pairs: Sequence[Pair]) -> bool:
    """Whether both cells of each pair print the same mean, and the same deviation or both none."""
    return all(_printed(one) == _printed(other) for one, other in pairs)


def _printed(cell: PrintedCell) -> tuple[float, float | None]:
    """The mean and the deviation of a cell, without their rounding."""
    return cell.mean.value, cell.std.value if cell.std else None


def check_majority(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a test for each accuracy or error with a declared majority share and a deviation.

    The chance is that of such an accuracy if the expected one is that of the majority class. With a
    printed deviation of k runs it is that of Student's distribution with k - 1 degrees of freedom.
    """
    for cell in paper.cells:
        accuracy, share = _largest_accuracy(cell), cell.majority
        deviation = cell.std.high if cell.std else cell.spread.most if cell.spread else 0.0
        if math.isnan(share) or not cell.runs or accuracy is None or not deviation:
            continue
        error = deviation / math.sqrt(cell.runs)
        # a declared limit of the deviation is no estimate: the normal distribution
        freedom = cell.runs - 1 if cell.std and cell.runs > 1 else math.inf
        chance = float(stdtr(freedom, (accuracy - share) / error))
        is_error = cell.published.metric in ERRORS
        word, side = ("error", "above one minus") if is_error else ("accuracy", "below")
        what = (
            f"the {word} {cell.as_printed} is {side} {share:.4g}, the share of the majority class"
        )
        yield CheckedNumbers(Kind.MAJORITY, [cell], chance, what)


def _largest_accuracy(cell: PrintedCell) -> float | None:
    """The largest accuracy that is printed like this; None for another score."""
    if cell.published.metric.startswith("accuracy"):
        return cell.mean.high
    return 1 - cell.mean.low if cell.published.metric in ERRORS else None
