"""Published values of other methods in the place of a cell.

Two cells are in the same place if they have the same data set and score, and the same value of each
parameter that both name. A cell without epsilon, such as the one of a method that is not private,
is therefore in the same place as the cells of every epsilon.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.means import is_equal


def other_methods(cells: Iterable[PublishedCell]) -> Mapping[PublishedCell, list[float]]:
    """The published means of other methods in the place of each cell of an artefact."""
    return {cell: [rival.mean for rival in found] for cell, found in rivals(cells).items()}


def rivals(cells: Iterable[PublishedCell]) -> dict[PublishedCell, list[PublishedCell]]:
    """The cells of other methods in the place of each cell of an artefact."""
    groups: dict[tuple[str, str], list[PublishedCell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.metric), []).append(cell)
    found: dict[PublishedCell, list[PublishedCell]] = {}
    for group in groups.values():
        found |= _rivals_in(group)
    return found


def _rivals_in(group: Sequence[PublishedCell]) -> dict[PublishedCell, list[PublishedCell]]:
    """The cells of other methods in the place of each cell, for cells of one data set and score."""
    points = {cell: frozenset(cell.parameters.items()) for cell in group}
    distinct = {point: dict(point) for point in points.values()}
    place = {
        point: {other for other in distinct if are_in_one_place(own, distinct[other])}
        for point, own in distinct.items()
    }
    found = {}
    for cell in group:
        here = place[points[cell]]
        found[cell] = [
            other for other in group if other.method != cell.method and points[other] in here
        ]
    return found


def are_in_one_place(ours: Mapping[str, object], others: Mapping[str, object]) -> bool:
    """Whether two cells of the same data set and score have the same value of each parameter."""
    return all(is_equal(ours[name], others[name]) for name in ours.keys() & others.keys())
