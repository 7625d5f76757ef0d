"""A fitted generator of records and a classifier, as NumPy arrays, so that no torch is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.results import FittedFields
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression import linear
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis import likeness
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups, restored_domain, saved_domain

BATCH_NORM_EPSILON = 1e-5  # the default of torch.nn.BatchNorm1d
LAYERS = 3  # of networks.Generator


@dataclass(frozen=True, eq=False)
class GeneratorWeights:
    """The weights of a generator, and the distribution of its conditions."""

    weights: Mapping[str, Floats]  # weights and running means by the names of torch's state_dict
    # the one-hot groups of the generated columns; a generated label is the last group
    groups: OneHotGroups
    # the probability of each condition, (groups,), or (groups, labels) if labels are drawn
    shares: Floats

    def draw(self, n: int, *, rng: np.random.Generator) -> tuple[Floats, Ints, Ints]:
        """A sample of n generated records: features (n, d), labels (n,) and groups (n,)."""
        chosen = rng.choice(self.shares.size, size=n, p=self.shares.ravel())
        scores = self.scores(rng.standard_normal((n, self.width)), chosen)
        gumbel = -np.log(-np.log(rng.random(scores.shape)))
        rows = self.groups.rows(np.where(self.groups.room, scores + gumbel, -np.inf).argmax(axis=2))
        if self.shares.ndim == 2:
            protected, y = np.unravel_index(chosen, self.shares.shape)
            return rows, y, protected
        return rows[:, :-2], rows[:, -1].astype(np.int64), chosen

    @property
    def width(self) -> int:
        """The number of noise variables from which the generator makes one record."""
        return int(self.weights["condition.weight"].shape[1])

    def scores(self, noise: Floats, chosen: Ints) -> Floats:
        """The scores that the generator gives to the levels of each attribute.

        The shape is (n, groups, widest group), where a group has the one-hot columns of one
        attribute.

        Args:
            noise: standard normal numbers, (n, width).
            chosen: the number of the condition of each row, (n,).
        """
        w, h = self.weights, noise * self.weights["condition.weight"][chosen]
        for k in range(LAYERS):
            deviation = np.sqrt(w[f"norm.{k}.running_var"] + BATCH_NORM_EPSILON)
            scaled = (h @ w[f"linear.{k}.weight"].T - w[f"norm.{k}.running_mean"]) / deviation
            normed = scaled * w[f"norm.{k}.weight"] + w[f"norm.{k}.bias"]
            h = (np.tanh(normed) if k == LAYERS - 1 else np.maximum(normed, 0)) + h
        return (h @ w["decoder.weight"].T + w["decoder.bias"]).reshape(-1, *self.groups.room.shape)


@dataclass(frozen=True, eq=False)
class GeneratedRecords(FittedFields):
    """A generator of synthetic records, and a rule that predicts the label."""

    generator: GeneratorWeights  # the trained network, as arrays
    classifier: LinearClassifier  # the rule that predicts the label
    domain: Domain  # the columns of the training records
    # the shares of generated records with 0, 1, 2, >= 3 columns unlike the nearest real record
    nearest: Floats
    by_chance: Floats  # same shares for one half of the real records, compared with the other half
    # the total variation distance of each attribute between generated and training records
    marginals: Floats
    reads_group: ClassVar[bool] = False  # whether `predict` uses the protected group

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """A sample of n new records from the generator."""
        return drawn_records(self.generator, self.domain, n, rng=rng)

    def predict(self, records: Records) -> Floats:
        """The decision on each record as a probability, 0.0 or 1.0, (n,)."""
        return self.classifier.predict(records)

    def described(self) -> list[str]:
        """Lines of text on privacy, mode collapse, and the distance from the real records."""
        worst = list(self.domain.attributes)[int(self.marginals.argmax())]
        collapsed = ": it has collapsed" if self.marginals.max() > likeness.COLLAPSED else ""
        distance = f"{self.marginals.max():.3f} ({worst}){collapsed}"
        nearest, by_chance = _in_words(self.nearest), _in_words(self.by_chance)
        return [
            "not private: the generator was trained on every record, without noise",
            f"columns in which a generated record differs from the nearest real record: {nearest}",
            f"and a real record from the nearest one of the other half: {by_chance}",
            f"largest total variation distance of an attribute: {distance}",
        ]

    def saved(self) -> dict[str, Any]:
        """All fields of the generator and its classifier as JSON, for a model file."""
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
    numbers = [str(k) for k in range(len(shares))]
    # the last share counts all larger distances
    numbers[-1] += " or more"
    return ", ".join(f"{k} in {share:.0%}" for k, share in zip(numbers, shares, strict=True))


def drawn_records(
    generator: GeneratorWeights, domain: Domain, n: int, *, rng: np.random.Generator
) -> Records:
    """A sample of n new records from a generator, with the columns of `domain`."""
    return Records(*generator.draw(n, rng=rng), domain)


def fitted_generator(
    generator: GeneratorWeights, classifier: LinearClassifier, records: Records, made: Records
) -> GeneratedRecords:
    """The generator with a classifier, and how far its records `made` are from real ones."""
    return GeneratedRecords(
        generator,
        classifier,
        records.domain,
        nearest=likeness.nearest_shares(made, records),
        by_chance=likeness.chance_shares(records),
        marginals=likeness.marginal_differences(made, records),
    )


def restore(saved: Mapping[str, Any]) -> GeneratedRecords:
    """The generator and the classifier that a model file holds."""
    groups, shares = OneHotGroups(tuple(saved["sizes"])), np.array(saved["shares"], dtype=float)
    weights = {name: np.array(value, dtype=float) for name, value in saved["weights"].items()}
    return GeneratedRecords(
        GeneratorWeights(weights, groups, shares),
        linear.restore(saved["classifier"]),
        restored_domain(saved["domain"]),
        nearest=np.array(saved["nearest"], dtype=float),
        by_chance=np.array(saved["by_chance"], dtype=float),
        marginals=np.array(saved["marginals"], dtype=float),
    )
