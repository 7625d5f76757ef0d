"""Published values of other methods in the place of a cell.

Two cells are in the same place if they have the same data set and score, and the same value of each
parameter that both name. A cell without epsilon, such as the one of a method that is not private,
is therefore in the same place as the cells of every epsilon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.means import is_equal


def other_methods(cells: Sequence[PublishedCell]) -> Mapping[PublishedCell, list[float]]:
    """The published means of other methods in the place of each cell of an artefact."""
    groups: dict[tuple[str, str], list[PublishedCell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.metric), []).append(cell)
    return {
        cell: [other.mean for other in group if _is_rival(cell, other)]
        for group in groups.values()
        for cell in group
    }


def _is_rival(cell: PublishedCell, other: PublishedCell) -> bool:
    return cell.method != other.method and are_in_one_place(cell.parameters, other.parameters)


def are_in_one_place(ours: Mapping[str, object], others: Mapping[str, object]) -> bool:
    """Whether two cells of the same data set and score have the same value of each parameter."""
    return all(is_equal(ours[name], others[name]) for name in ours.keys() & others.keys())
