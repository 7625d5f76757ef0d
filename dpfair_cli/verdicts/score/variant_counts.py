"""Every variant of every method next to the default one: how many published cells agree under each.

Where a method has several variants, the spec says what the default one was chosen by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict


@dataclass
class VariantCount:
    """The published cells of a method with each verdict under one variant."""

    method: str
    """The name that the paper gives the method."""

    variant: str
    """The variant; empty for the default one."""

    chosen_by: str = ""
    """What the default variant was chosen by."""

    verdicts: Counter[CellVerdict] = field(default_factory=Counter)
    """How many cells have each verdict; a variant that was not run for a cell does not count it."""

    nearest: int = 0
    """How many cells it is nearest to."""

    @property
    def cells(self) -> int:
        """How many cells were compared under it."""
        return self.verdicts.total()


def count_variants(cells: Iterable[JudgedCell], spec: Spec) -> list[VariantCount]:
    """The counts of each variant of each method that has several."""
    chosen = {method: part.chosen_by for method, part in spec.methods_by_label.items()}
    found: dict[tuple[str, str], VariantCount] = {}
    for cell in cells:
        nearest = cell.nearest
        for variant in cell.variants if nearest else ():
            if variant.verdict.is_compared:
                key = cell.published.method, variant.name
                why = "" if variant.name else chosen.get(variant.label, "")
                count = found.setdefault(key, VariantCount(*key, why))
                count.verdicts[variant.verdict] += 1
                count.nearest += variant is nearest
    return list(found.values())


def add_up(counts: Iterable[VariantCount]) -> list[VariantCount]:
    """The counts of several artefacts, those of one method and variant together."""
    methods: dict[str, dict[str, VariantCount]] = {}
    for one in counts:
        variants = methods.setdefault(one.method, {})
        total = variants.setdefault(one.variant, VariantCount(one.method, one.variant))
        total.verdicts += one.verdicts
        total.nearest += one.nearest
        reasons = [*filter(None, total.chosen_by.split("; ")), *filter(None, [one.chosen_by])]
        total.chosen_by = "; ".join(dict.fromkeys(reasons))
    return [count for variants in methods.values() for count in variants.values()]
