"""A fitted generator of records, with a classifier: numbers alone, so that sampling needs no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import FittedFields
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression import linear
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis.generator_weights import GeneratorWeights
from dpfair_cli.models.synthesis.likeness import (
    COLLAPSED,
    chance_shares,
    marginal_differences,
    nearest_shares,
)
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups
from dpfair_cli.models.synthesis.saved_domain import restored_domain, saved_domain


@dataclass(frozen=True, eq=False)
class GeneratedRecords(FittedFields):
    """New records from `generator`, in the `domain` of those that it learned from, and a rule that
    predicts the label.

    `nearest` are the shares of generated records who differ from the nearest that it learned from
    in 0, 1, 2, and 3 or more columns, `by_chance` those of real records from other real records;
    `marginals` the total variation distance of each attribute.
    """

    generator: GeneratorWeights
    classifier: LinearClassifier
    domain: Domain
    nearest: Floats
    by_chance: Floats
    marginals: Floats
    reads_group: ClassVar[bool] = False

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """So many new records (n)."""
        return drawn_records(self.generator, self.domain, n, rng=rng)

    def predict(self, records: Records) -> Floats:
        """The decision as a probability, 0.0 or 1.0, (n,)."""
        return self.classifier.predict(records)

    def described(self) -> list[str]:
        """That nothing is private here, how near generated records are to real ones, and whether it
        has collapsed.
        """
        worst = list(self.domain.attributes)[int(self.marginals.argmax())]
        collapsed = ": it has collapsed" if self.marginals.max() > COLLAPSED else ""
        return [
            "not private: the generator saw every record, and neither noise nor a bound keeps one from showing",
            f"columns in which a generated person differs from the nearest real one: {_in_words(self.nearest)}",
            f"and a real person from the nearest of the other half: {_in_words(self.by_chance)}",
            f"largest total variation distance of an attribute: {self.marginals.max():.3f} ({worst}){collapsed}",
        ]

    def saved(self) -> dict[str, Any]:
        """Weights, shares, classifier and domain, for a model file."""
        return {
            "form": "generated_records",
            "weights": {name: value.tolist() for name, value in self.generator.weights.items()},
            "sizes": list(self.generator.groups.sizes),
            "shares": self.generator.shares.tolist(),
            "classifier": self.classifier.saved(),
            "nearest": self.nearest.tolist(),
            "by_chance": self.by_chance.tolist(),
            "marginals": self.marginals.tolist(),
            "domain": saved_domain(self.domain),
        }


def _in_words(shares: Floats) -> str:
    return ", ".join(
        f"{k}{' or more' * (k == len(shares) - 1)} in {share:.0%}" for k, share in enumerate(shares)
    )


def drawn_records(
    generator: GeneratorWeights, domain: Domain, n: int, *, rng: np.random.Generator
) -> Records:
    """So many new records (n) of a domain."""
    return Records(*generator.draw(n, rng=rng), domain)


def generated_records(
    generator: GeneratorWeights, classifier: LinearClassifier, records: Records, made: Records
) -> GeneratedRecords:
    """The generator that learned from `records`, and of which `made` is a sample, with a
    classifier.
    """
    alike = (
        nearest_shares(made, records),
        chance_shares(records),
        marginal_differences(made, records),
    )
    return GeneratedRecords(generator, classifier, records.domain, *alike)


def restore(saved: Mapping[str, Any]) -> GeneratedRecords:
    """The generator and classifier in a model file.

    Raises:
        ValueError: the weights do not fit together.
    """
    groups, shares = OneHotGroups(tuple(saved["sizes"])), np.array(saved["shares"], dtype=float)
    weights = {name: np.array(value, dtype=float) for name, value in saved["weights"].items()}
    return GeneratedRecords(
        GeneratorWeights(weights, groups, shares),
        linear.restore(saved["classifier"]),
        restored_domain(saved["domain"]),
        *(np.array(saved[name], dtype=float) for name in ("nearest", "by_chance", "marginals")),
    )
