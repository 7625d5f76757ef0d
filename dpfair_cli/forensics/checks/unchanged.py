"""Interventions whose scores all equal those of the method without the intervention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dpfair_cli.forensics.chances import chance_of_equal
from dpfair_cli.forensics.declaration import found
from dpfair_cli.forensics.finding import Kind, Test
from dpfair_cli.forensics.printed import PrintedCell, PrintedPaper, groups


def check_unchanged(paper: PrintedPaper) -> Iterator[Test]:
    """Yields a test for each declared intervention in each setting."""
    places = groups(paper.cells, _place)
    for cells in places.values():
        methods = groups(cells, lambda one: one.published.method)
        for name, own in methods.items():
            baseline = found(paper.declaration.baseline, own[0].published)
            if baseline and baseline.of in methods and baseline.of != name:
                yield from _tests(_by_score(own), _by_score(methods[baseline.of]))


def _place(cell: PrintedCell) -> tuple[object, ...]:
    one = cell.published
    return one.artefact, one.dataset, tuple(one.parameters.items())


def _by_score(cells: list[PrintedCell]) -> Mapping[str, PrintedCell]:
    return {one.published.metric: one for one in cells}


def _tests(
    changed: Mapping[str, PrintedCell], unchanged: Mapping[str, PrintedCell]
) -> Iterator[Test]:
    """Yields the test whether an intervention changes a score, if a chance is known.

    The scores of a method depend on each other. Therefore the chance that all are equal is bounded
    by the smallest chance of one.
    """
    common = [one for score, one in changed.items() if score in unchanged]
    chances = [chance for chance in map(chance_of_equal, common) if chance is not None]
    if not chances:
        return
    equal = [one for one in common if _is_equal(one, unchanged[one.published.metric])]
    if len(equal) < len(common):
        yield Test(Kind.UNCHANGED, common, 1.0)
        return
    name = next(iter(unchanged.values())).published.method
    what = f"all {len(common)} scores equal those of {name} to the last digit"
    yield Test(Kind.UNCHANGED, common, min(chances), what)


def _is_equal(one: PrintedCell, other: PrintedCell) -> bool:
    stds = [each.std.value if each.std else None for each in (one, other)]
    return one.mean.value == other.mean.value and stds[0] == stds[1]
