"""The verdicts on one artefact: its published cells, its claims, and what they are explained by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimLevels
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.trust import Pairing, variant_pairings, wrong_pairings
from dpfair_cli.verdicts.whole_tables import JudgedColumn, JudgedOrder, judge_columns, judge_orders


@dataclass(frozen=True, eq=False)
class Verdicts:
    """An artefact with the verdicts on its published cells and claims.

    Attributes:
        spec: The spec of the artefact.
        cells: The published cells.
        claims: The parts of claims that the artefact decides.
        standins: The data sets that are not the paper's, with "REPLICA" or "SUBSTITUTE".
        authors: The values of the authors' program, if we ran it.
        impossible_scores: The runs with a score outside its range, in words.
        under_variants: The claims that a variant explains, as the runs of the variant decide them,
            by the id of the claim and the name of the variant.
        deviations: The deviations about the artefact.
        stale_deviations: Those that no cell or claim needs, in words.
        unsupported_deviations: Those without the evidence of their kind, in words.
        order_levels: The levels of the tests of orders of methods.
        column_levels: The levels of the tests of columns.
    """

    spec: Spec
    cells: tuple[JudgedCell, ...] = ()
    claims: tuple[JudgedClaim, ...] = ()
    standins: Mapping[str, str] = field(default_factory=dict)
    authors: tuple[JudgedAuthorsValue, ...] = ()
    impossible_scores: tuple[str, ...] = ()
    under_variants: Mapping[tuple[str, str], tuple[JudgedClaim, ...]] = field(default_factory=dict)
    deviations: tuple[Deviation, ...] = ()
    stale_deviations: tuple[str, ...] = ()
    unsupported_deviations: tuple[str, ...] = ()
    order_levels: ClaimLevels = field(default_factory=ClaimLevels)
    column_levels: ClaimLevels = field(default_factory=ClaimLevels)

    @property
    def cell_counts(self) -> Counter[str]:
        """The number of the artefact's published cells with each verdict and kind of deviation."""
        return Counter(cell.full_verdict for cell in self.cells)

    @property
    def compared(self) -> list[JudgedCell]:
        """The published cells of the artefact that were compared with our runs."""
        return [cell for cell in self.cells if cell.verdict.is_compared]

    @property
    def failures(self) -> tuple[str, ...]:
        """Each cell and claim that needs a deviation and has none, in words; `check` fails then."""
        words = []  # cells first, as on the page of the artefact
        for cell in self.cells:
            if cell.is_unexplained:
                hint = f" ({cell.hint})" if cell.hint else ""
                words.append(f"{cell.description}: {cell.verdict}{hint}")
        failing = (claim.part.id for claim in self.claims if claim.is_unexplained)
        return (*words, *(f"{name}: fails" for name in failing))

    def covered_by(self, deviation: Deviation) -> int:
        """The number of the artefact's cells and claims that a deviation explains."""
        return sum(one.deviation is deviation for one in (*self.cells, *self.claims))

    # the page of the artefact and the scoreboard show the same four: they are computed once

    @cached_property
    def orders(self) -> list[JudgedOrder]:
        """The verdict on the order of each two methods that are printed a margin apart."""
        return judge_orders(self.cells, self.order_levels)

    @cached_property
    def columns(self) -> list[JudgedColumn]:
        """The verdict on all cells of each method and score together."""
        return judge_columns(self.cells, self.column_levels)

    @cached_property
    def wrong_pairings(self) -> list[Pairing]:
        """Our means of the artefact, each paired with the published values of other methods."""
        return wrong_pairings(self.cells)

    @cached_property
    def variant_pairings(self) -> list[Pairing]:
        """The cells of methods with variants, paired with published values that differ from them.

        The other values are those of other methods at the same data set, score and parameters.
        """
        return variant_pairings(self.cells)
