"""Records of which each individual randomises some attributes before sending them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self, cast

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import fingerprint, sample
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True, eq=False)
class LocalRecords(Records):
    """Records with a 0/1 column for each level of an attribute, of which some are randomised.

    Neighbours differ in the randomised attributes of one record, in any way. The label and all
    other attributes are the same in both. A protected attribute can be a randomised one; the groups
    are then for scoring, and a fit must not read them.

    Raises:
        ValueError: a randomised attribute is unknown, or its columns do not have one 1 in each row.
    """

    randomised: tuple[str, ...] = ()  # the attributes that each individual randomises
    # the attribute whose level is the group of a record; empty if there is none
    protected_attribute: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        known = self.domain.attributes
        for name in filter(None, (*self.randomised, self.protected_attribute)):
            if name not in known:
                raise ValueError(f"unknown randomised attribute {name!r}: {nearest(name, known)}")
            # randomised response reads the level of a record as the place of its 1
            block = self.X[:, list(known[name])]
            if not (np.isin(block, (0, 1)).all() and (block.sum(axis=1) == 1).all()):
                raise ValueError(
                    f"the attribute {name!r} must have a 0/1 column for each level, with one 1 in "
                    "each row"
                )

    def take(self, rows: Ints) -> Self:
        """The records whose indices are `rows`, in the order of `rows`."""
        return replace(self, X=self.X[rows], y=self.y[rows], protected=self.protected[rows])

    def fingerprint(self) -> str:
        """The SHA-256 digest of everything that a fit to the records reads."""
        return fingerprint((super().fingerprint(), self.randomised, self.protected_attribute))

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Records, Records]]:
        """`count` pairs of neighbouring samples of these records, random and adversarial.

        In every second pair, all randomised attributes of one record change. In the other pairs
        they have random levels. Other relations are those of `Records`.
        """
        if relation is not Neighbours.RANDOMISED_ATTRIBUTES:
            yield from super().neighbours(relation, count=count, rng=rng)
            return
        for k in range(count):
            left = cast("LocalRecords", sample(cast("Records", self), k, rng=rng))
            # the record in which both samples differ
            place = int(rng.integers(len(left)))
            right = left
            for name in self.randomised:
                least = (k + 1) % 2  # 1: another level than before
                right = right._moved(place, name, int(rng.integers(least, left._size(name))))
            yield left, right

    def altered(
        self, other: Records, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Records, Records]:
        """The records and their neighbour `other` after a change of one randomised attribute.

        The change is made in the differing record of one neighbour, or in the same other record of
        both. Other relations are those of `Records`.
        """
        if relation is not Neighbours.RANDOMISED_ATTRIBUTES or not isinstance(other, LocalRecords):
            return super().altered(other, relation, rng=rng)
        rows = self.differing_rows(other)
        # mostly in the differing record; a change in both keeps them neighbours, too
        place = int(rows[0]) if len(rows) and rng.integers(4) else int(rng.integers(len(self)))
        name = self.randomised[rng.integers(len(self.randomised))]
        steps = int(rng.integers(self._size(name)))
        if place in rows:
            return self, other._moved(place, name, steps)
        return self._moved(place, name, steps), other._moved(place, name, steps)

    def _size(self, name: str) -> int:
        """The number of levels of an attribute."""
        return len(self.domain.attributes[name])

    def _moved(self, place: int, name: str, steps: int) -> LocalRecords:
        """The records, with the level of an attribute `steps` levels further in one record.

        The first level follows the last one. The group of the record follows its attribute.
        """
        columns = list(self.domain.attributes[name])
        X: Floats = self.X.copy()
        X[place, columns] = np.roll(X[place, columns], steps)
        # inputs are never changed
        protected = self.protected.copy()
        if name == self.protected_attribute:
            protected[place] = X[place, columns].argmax()
        return replace(self, X=X, protected=protected)
