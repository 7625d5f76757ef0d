"""Scores of individuals in groups, with the true values that the scores predict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.kinds import fingerprint, sample


@dataclass(frozen=True, eq=False)
class GroupScores:
    """A score of each of n individuals, with the group and the target of the individual.

    Raises:
        ValueError: the arrays have different lengths, a score or a target is not finite, or a group
            has no name.
    """

    scores: dp.Floats  # the scores, such as the predictions of a regression, (n,)
    target: dp.Floats  # the true values that the scores predict, (n,)
    protected: dp.Ints  # the group of each individual as a number from 0, (n,)
    groups: tuple[str, ...]  # the names of the groups
    low: float  # the lowest score that is possible, a public fact
    high: float  # the highest score that is possible, a public fact

    def __post_init__(self) -> None:
        if not self.scores.shape == self.target.shape == self.protected.shape:
            raise ValueError("scores, targets and groups must have the same length")
        if not (np.isfinite(self.scores).all() and np.isfinite(self.target).all()):
            raise ValueError("every score and every target must be finite, got NaN or infinity")
        if not np.isin(self.protected, np.arange(len(self.groups))).all():
            raise ValueError(f"every group must be a number from 0 to {len(self.groups) - 1}")
        if not self.low < self.high:
            raise ValueError(
                f"the lowest score must be below the highest, got {self.low} and {self.high}"
            )
        for column in (self.scores, self.target, self.protected):
            column.flags.writeable = False

    def __len__(self) -> int:
        return len(self.scores)

    def take(self, rows: dp.Ints) -> GroupScores:
        """The individuals whose indices are `rows`, in the order of `rows`."""
        return replace(
            self,
            scores=self.scores[rows],
            target=self.target[rows],
            protected=self.protected[rows],
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values of an individual that a fit uses."""
        return ("score", "group")

    @property
    def bounds(self) -> Literal["public", "data"]:
        """The origin of the range of the scores: a public fact."""
        return "public"

    def counts(self) -> dict[str, Any]:
        """The numbers of individuals and of members of each group, and the mean target."""
        return {
            "rows": len(self),
            "groups": tuple(np.bincount(self.protected, minlength=len(self.groups)).tolist()),
            "mean_target": round(float(self.target.mean()), 4),
        }

    def fingerprint(self) -> str:
        """The SHA-256 digest of everything that a fit to the scores reads."""
        about = len(self), self.groups, self.low, self.high
        return fingerprint(about, self.scores, self.target, self.protected)

    def neighbours(
        self, relation: dp.Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[GroupScores, GroupScores]]:
        """`count` pairs of samples in which one individual is replaced, random and adversarial.

        The new individual has another group and a random score, an end of the range, a score
        outside it, or the score and the group of an individual of the data. In every fourth pair,
        all other individuals have one group and one score.

        Raises:
            DpfairError: the relation of neighbours is not replace-one.
        """
        if relation is not dp.Neighbours.REPLACE_ONE:
            raise dp.DpfairError(
                "an audit on scores needs a guarantee for neighbours that differ in one replaced "
                f"individual, but the neighbours of this guarantee are: {relation}"
            )
        for k in range(count):
            left = sample(self, k, rng=rng)
            place = int(rng.integers(len(left)))
            if k % 4 == 3:
                left = left.take(np.full(len(left), place))
            yield left, left._with(place, *self._individual(k, int(left.protected[place]), rng))

    def altered(
        self, other: GroupScores, relation: dp.Neighbours, *, rng: np.random.Generator
    ) -> tuple[GroupScores, GroupScores]:
        """The individuals and their neighbour `other`, after a change of one individual.

        The change is made in the differing individual of one neighbour, or in the same other
        individual of both.
        """
        rows = self.differing_rows(other)
        place = int(rows[0]) if len(rows) and rng.integers(4) else int(rng.integers(len(self)))
        group = int(self.protected[place])
        new = self._individual(int(rng.integers(5)), group, rng)
        if place in rows:
            return self, other._with(place, *new)
        return self._with(place, *new), other._with(place, *new)

    def differing_rows(self, other: GroupScores) -> dp.Ints:
        """The indices of the individuals that differ from those of the neighbour `other`."""
        unlike = [
            self.scores != other.scores,
            self.target != other.target,
            self.protected != other.protected,
        ]
        return np.flatnonzero(np.any(unlike, axis=0))

    def _individual(self, k: int, group: int, rng: np.random.Generator) -> tuple[float, float, int]:
        """Score, target and group of a new individual that replaces one of the group `group`."""
        row = int(rng.integers(len(self)))
        span = self.high - self.low
        scores = [
            float(rng.uniform(self.low, self.high)),
            self.low,
            self.high,
            self.high + span,
            float(self.scores[row]),
        ]
        next_group = (group + 1 + int(rng.integers(max(len(self.groups) - 1, 1)))) % len(
            self.groups
        )
        chosen = int(self.protected[row]) if k % 5 == 4 else next_group
        return scores[k % 5], float(self.target[row]), chosen

    def _with(self, place: int, score: float, target: float, group: int) -> GroupScores:
        """These individuals, with another one in the row `place`."""
        scores, targets = self.scores.copy(), self.target.copy()
        protected = self.protected.copy()
        scores[place], targets[place], protected[place] = score, target, group
        return replace(self, scores=scores, target=targets, protected=protected)
