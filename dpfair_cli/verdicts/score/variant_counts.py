"""Counts of the verdicts on published cells under each variant of each method.

If a method has several variants, the spec gives the reason for the choice of the default one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import COMPARED, CellVerdict

# of a table of counts, next to `VariantCount.texts`
VARIANT_HEADINGS = ("method", "variant", "chosen by", *map(str, COMPARED), "nearest", "cells")


@dataclass
class VariantCount:
    """The number of a method's published cells with each verdict under one variant."""

    method: str
    variant: str  # empty for the default one
    chosen_by: str = ""  # reason for the choice of the default variant
    verdicts: Counter[CellVerdict] = field(default_factory=Counter)
    nearest: int = 0  # cells to which this variant is the nearest

    @property
    def cells(self) -> int:
        """The number of the method's published cells that were compared under the variant."""
        return self.verdicts.total()

    @property
    def texts(self) -> list[str]:
        """The texts of the count under the headings VARIANT_HEADINGS."""
        verdicts = [str(self.verdicts[verdict]) for verdict in COMPARED]
        named = [self.method, self.variant or "default", self.chosen_by]
        return [*named, *verdicts, str(self.nearest), str(self.cells)]


def count_variants(cells: Iterable[JudgedCell], spec: Spec) -> list[VariantCount]:
    """The counts of verdicts on `cells`, for each variant of each method with several variants."""
    chosen = {method: part.chosen_by for method, part in spec.methods_by_label.items()}
    found: dict[tuple[str, str], VariantCount] = {}
    for cell in cells:
        nearest = cell.nearest
        for variant in cell.variants if nearest else ():
            if variant.verdict.is_compared:
                key = cell.published.method, variant.name
                reasons = [] if variant.name else [chosen.get(variant.label), spec.task_chosen_by]
                why = "; ".join(filter(None, reasons))
                count = found.setdefault(key, VariantCount(*key, why))
                count.verdicts[variant.verdict] += 1
                count.nearest += variant is nearest
    return list(found.values())


def add_up(counts: Iterable[VariantCount]) -> list[VariantCount]:
    """The counts of verdicts of several artefacts, added up for each method and variant."""
    methods: dict[str, dict[str, VariantCount]] = {}
    for one in counts:
        variants = methods.setdefault(one.method, {})
        total = variants.setdefault(one.variant, VariantCount(one.method, one.variant))
        total.verdicts += one.verdicts
        total.nearest += one.nearest
        reasons = [*filter(None, total.chosen_by.split("; ")), *filter(None, [one.chosen_by])]
        total.chosen_by = "; ".join(dict.fromkeys(reasons))
    return list(chain.from_iterable(variants.values() for variants in methods.values()))
