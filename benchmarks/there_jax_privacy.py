"""Compiled DPSGD of jax-privacy for logistic regression, to be run in its environment."""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # read by jax's import
)
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import jax_privacy
import numpy as np
from jax_privacy import noise_addition

CLIP_NORM, LEARNING_RATE = 0.5, 0.5
STATE = {}  # the records and the batches, once they are read


def read(file: str) -> None:
    """Reads records and batches of equal size."""
    with np.load(file) as data:
        X = np.hstack([data["X"], np.ones((len(data["X"]), 1))])
        STATE.update(X=jnp.asarray(X, jnp.float32), y=jnp.asarray(data["y"], jnp.float32))
        STATE.update(batches=jnp.asarray(data["batches"], jnp.int32))  # (steps, batch)


def fit(seed: int) -> list[float]:
    """The weights after a step on each batch."""
    found = trained(STATE["X"], STATE["y"], STATE["batches"], jax.random.key(seed))
    return found.block_until_ready().tolist()


def loss(w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """The logistic loss of one record."""
    return jnp.logaddexp(0.0, (1 - 2 * y) * (x @ w))


@jax.jit
def trained(X: jax.Array, y: jax.Array, batches: jax.Array, key: jax.Array) -> jax.Array:
    """The weights after all steps, which are compiled as one loop."""
    total = jax_privacy.clipped_grad(
        loss, l2_clip_norm=CLIP_NORM, batch_argnums=(1, 2), keep_batch_dim=False
    )
    noise = noise_addition.gaussian_privatizer(stddev=CLIP_NORM, prng_key=key)
    w = jnp.zeros(X.shape[1], jnp.float32)

    def step(carry, rows):
        w, state = carry
        noisy, state = noise.update(total(w, X[rows], y[rows]), state)
        return (w - LEARNING_RATE * noisy / batches.shape[1], state), None

    (w, _), _ = jax.lax.scan(step, (w, noise.init(w)), batches)
    return w
