"""Noisy maxima: the index of the largest score plus noise, recorded as one release.

With Gumbel noise, the choice is that of the exponential mechanism. With exponential noise, it is
that of permute-and-flip (Ding, Kifer, Steinke, Wang, Xiao and Zhang 2021): the k-th candidate is
accepted with probability exp((score - largest score) / scale), in a random order, until one is.
Scores plus such noise are an array whose `argmax` (for scores minus noise, `argmin`) is a release.
Any other use of the array is that of an array, and the audit does not follow it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpfair_cli.addons.foreign_audits import library_laws  # noqa: F401 - adds "choice"
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.ledger import release

UNDECLARED = 0.0  # recorded sensitivity of a release without a declared one


class ScoreNoise(np.ndarray[Any, np.dtype[np.float64]]):
    """Noise of a known law and scale that may be added to scores."""

    law = ""
    scale = 0.0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(part) if isinstance(part, ScoreNoise) else part for part in inputs]
        result = getattr(ufunc, method)(*plain, **options)
        others = [part for part in inputs if part is not self]
        if method != "__call__" or options or len(others) != 1 or not self.scale:
            return result
        return self._followed(ufunc, np.asarray(others[0]), result, first=inputs[0] is self)

    def _followed(self, ufunc: np.ufunc, other: Any, result: Any, *, first: bool) -> Any:
        """The result of `ufunc`, which remembers its scores or its scale if it still has a law.

        Noise times a positive number is noise of another scale; scores plus or minus noise are
        noisy scores. Noise minus scores, or divided into something, is an array like any other.
        """
        if ufunc in (np.multiply, np.true_divide) and other.size == 1 and other.min() > 0:
            if ufunc is np.true_divide and not first:
                return result
            factor = float(other.item())
            scale = self.scale / factor if ufunc is np.true_divide else self.scale * factor
            return noise_for_scores(result, self.law, scale)
        if ufunc is np.add or (ufunc is np.subtract and not first):
            return _noisy(result, other, self, np.add if ufunc is np.add else np.subtract)
        return result


class NoisyScores(np.ndarray[Any, np.dtype[np.float64]]):
    """Scores plus noise, or scores minus noise, one score for each candidate."""

    law = ""
    scale = 0.0
    sign = 1.0
    scores: Floats = np.zeros(0)

    def argmax(self, *options: Any, **named: Any) -> Any:
        """The index of the largest noisy score, which is released."""
        return self._chosen(np.asarray(self).argmax(*options, **named), 1.0)

    def argmin(self, *options: Any, **named: Any) -> Any:
        """The index of the smallest noisy score, which is released."""
        return self._chosen(np.asarray(self).argmin(*options, **named), -1.0)

    def _chosen(self, index: Any, sign: float) -> Any:
        """The index, released if it is the maximum of scores plus noise of a known scale."""
        if sign != self.sign or self.scores.shape != self.shape or self.ndim != 1:
            return index
        scores = sign * self.scores
        if self.law == "gumbel":
            return release(
                "exponential", scores, int(index), sensitivity=UNDECLARED, scale=self.scale
            )
        logs = permute_and_flip(scores / self.scale)
        return release("choice", logs, int(index), sensitivity=UNDECLARED, scale=1.0)


def noise_for_scores(values: Any, law: str, scale: float) -> ScoreNoise:
    """The noise `values`, an array, with its law and scale."""
    noise = np.asarray(values, dtype=float).view(ScoreNoise)
    noise.law, noise.scale = law, scale
    return noise


def permute_and_flip(scores: Floats) -> Floats:
    """The log probability of each candidate under permute-and-flip with scale 1, (d,).

    A candidate that is considered at the time t, uniform on [0, 1], is chosen if it is accepted and
    no other one that is considered before t is: q_i times the integral of the product over j of
    1 - t q_j, where q are the probabilities of acceptance.

    >>> import numpy as np
    >>> np.exp(permute_and_flip(np.zeros(2))).round(3).tolist()
    [0.5, 0.5]
    >>> np.exp(permute_and_flip(np.array([1.0, 0.0]))).round(3).tolist()  # 1 - 1 / (2 e)
    [0.816, 0.184]
    """
    logs = scores - scores.max()
    accepted = np.exp(logs)
    nodes, weights = np.polynomial.legendre.leggauss(len(scores) // 2 + 1)  # exact
    t = (nodes + 1) / 2
    misses = 1 - t[:, None] * accepted  # (nodes, d)
    others = np.exp(np.log(misses).sum(axis=1, keepdims=True) - np.log(misses))
    integrals: Floats = logs + np.log((weights / 2) @ others)
    return integrals


def _noisy(result: Any, scores: Any, noise: ScoreNoise, ufunc: np.ufunc) -> Any:
    """The sum or difference of scores and noise, which remembers both; only of equal shapes."""
    if np.shape(scores) != noise.shape:
        return result
    found = np.asarray(result, dtype=float).view(NoisyScores)
    found.law, found.scale = noise.law, noise.scale
    found.scores, found.sign = np.array(scores, dtype=float), 1.0 if ufunc is np.add else -1.0
    return found
