"""A table of people that is made once, samples of it, and a rule that predicts the label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.people import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic_rule import logistic


@dataclass(frozen=True, eq=False)
class FixedPeople(NotSaved):
    """People to sample from, and logistic regression fitted to them."""

    people: Records
    classifier: LinearClassifier
    reads_group: ClassVar[bool] = False

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """So many of the people (n), everyone once before anybody again."""
        rounds = [rng.permutation(len(self.people)) for _ in range(-(-n // len(self.people)))]
        return self.people.take(np.concatenate([*rounds, np.zeros(0, dtype=np.int64)])[:n])

    def predict(self, records: Records) -> Floats:
        """The decision as a probability, 0.0 or 1.0, (n,)."""
        return self.classifier.predict(records)


def fixed_people(people: Records) -> FixedPeople:
    """These people, with logistic regression."""
    return FixedPeople(people, logistic(people, l2=1.0))
