"""A generator of records with numbers, a mixture of products over bins, and a rule."""

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
from dpfair_cli.models.synthesis import column_cells
from dpfair_cli.models.synthesis.column_cells import CellBins, columns_of
from dpfair_cli.models.synthesis.product_mixture import Blocks, ProductMixture

DECIMALS = 7  # of the probabilities in a model file


@dataclass(frozen=True, eq=False)
class DrawnRecords:
    """A mixture of products over the bins of the columns of records."""

    mixture: ProductMixture
    bins: tuple[CellBins, ...]  # of each column
    domain: Domain  # the columns of the training records

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """A sample of n new records."""
        drawn = zip(self.bins, self.mixture.sample(n, rng=rng), strict=True)
        *attributes, protected, label = [bins.cells(found, rng=rng) for bins, found in drawn]
        X = np.zeros((n, len(self.domain.columns)))
        columns = columns_of(self.domain)[:-2]
        for column, bins, cells in zip(columns, self.bins, attributes, strict=False):
            features = column.features(cells, rng=rng)
            X[:, list(column.places)] = bins.with_spikes(features, cells, rng=rng)
        return Records(X, label, protected, self.domain)


@dataclass(frozen=True, eq=False)
class MixtureRecords(FittedFields):
    """A generator of records, and a rule that predicts the label."""

    generator: DrawnRecords
    classifier: LinearClassifier  # rule that predicts the label, fitted to a sample
    reads_group: ClassVar[bool] = False  # whether `predict` uses the protected group

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """A sample of n new records from the generator."""
        return self.generator.sample(n, rng=rng)

    def predict(self, records: Records) -> Floats:
        """The decision on each record as a probability, 0.0 or 1.0, (n,)."""
        return self.classifier.predict(records)

    def state(self) -> dict[str, Any]:
        """The probabilities of the mixture, the counts of the cells and the weights of the rule."""
        generator = self.generator
        found = {"probabilities": generator.mixture.probabilities, **self.classifier.state()}
        for k, bins in enumerate(generator.bins):
            found |= {f"places {k}": bins.places, f"counts {k}": bins.counts}
            found[f"spikes {k}"] = np.array([[*vars(spike).values()] for spike in bins.spikes])
        return found

    def saved(self) -> dict[str, Any]:
        """The mixture, the bins and the rule as JSON, for a model file."""
        domain = self.generator.domain
        return {
            "form": "mixture_records",
            "probabilities": self.generator.mixture.probabilities.round(DECIMALS).tolist(),
            "bins": [column_cells.saved(bins) for bins in self.generator.bins],
            "classifier": self.classifier.saved(),
            "columns": list(domain.columns),
            "attributes": {name: list(places) for name, places in domain.attributes.items()},
            "groups": list(domain.groups),
        }


def restore(saved: Mapping[str, Any]) -> MixtureRecords:
    """The generator and the rule that a model file holds."""
    attributes = {name: tuple(places) for name, places in saved["attributes"].items()}
    domain = Domain(tuple(saved["columns"]), attributes, tuple(saved["groups"]))
    bins = tuple(map(column_cells.restored, saved["bins"]))
    probabilities = np.array(saved["probabilities"], dtype=float)
    blocks = Blocks(tuple(one.size for one in bins))
    if probabilities.ndim != 2 or probabilities.shape[1] != sum(blocks.sizes):
        raise ValueError("the mixture in the model file must have a probability for each bin")
    generator = DrawnRecords(ProductMixture(blocks, probabilities), bins, domain)
    return MixtureRecords(generator, linear.restore(saved["classifier"]))
