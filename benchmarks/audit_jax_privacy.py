"""The clipped and noisy gradient of JAX Privacy, audited by its outcomes."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import dp_accounting
import jax
import jax.numpy as jnp
import numpy as np
from dp_accounting.pld import accountant, common
from jax_privacy import clipping, noise_addition

from benchmarks.audited import DELTA, EPSILON, Audited
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

RELATION = dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE


def squared_error(weights: Any, X: Any, y: Any) -> Any:
    """The squared error of a linear model on a batch."""
    return jnp.sum((X @ weights - y) ** 2)


GRADIENT = clipping.clipped_grad(squared_error, batch_argnums=(1, 2), l2_clip_norm=1.0)


@cache
def deviation(epsilon: float, delta: float) -> float:
    """The standard deviation that Google's accountant gives for one release."""
    return float(
        accountant.get_smallest_gaussian_noise(
            common.DifferentialPrivacyParameters(epsilon, delta),
            num_queries=1,
            sensitivity=float(GRADIENT.sensitivity(RELATION)),
        )
    )


@partial(jax.jit, static_argnames="stddev")
def released(X: Any, y: Any, key: Any, stddev: float) -> Any:
    """The sum of clipped gradients at 0 with Gaussian noise."""
    gradient = GRADIENT(jnp.zeros(X.shape[1]), X, y)
    privatizer = noise_addition.gaussian_privatizer(stddev=stddev, prng_key=key)
    noisy, _ = privatizer.update(gradient, privatizer.init(gradient))
    return noisy


def noisy_gradient(X: Any, y: Any, epsilon: float, delta: float, rng: np.random.Generator) -> Any:
    """The release for the claimed privacy."""
    key = jax.random.key(int(rng.integers(2**31)))
    return np.asarray(released(X, y.astype(float), key, deviation(epsilon, delta)))


def mechanisms() -> dict[str, Audited]:
    """The mechanisms by name."""
    relation = "add-or-remove-one"
    why = "clipped_grad and gaussian_privatizer, with the sensitivity that the library states"
    claim = ClaimedPrivacy(EPSILON, DELTA)
    return {
        "clipped_grad, gaussian_privatizer": Audited(
            noisy_gradient, claim, relation, f"{relation}, stated by `sensitivity`", why
        )
    }
