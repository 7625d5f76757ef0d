"""A generator for what is released: ChaCha with 20 rounds, keyed by the operating system.

NumPy's own generators are no secret: a few hundred outputs of PCG64 give its state, and with it all
noise before and after. Wherever a generator is passed, a `SecureGenerator` may be: permutations and
batches are drawn from it by NumPy's code, and the mechanisms in `EXACT` draw noise on a grid with
exact probabilities (`noise`).

Source: Bernstein 2008 (ChaCha); RFC 8439 has the test vector; randomgen has the code.
"""

from __future__ import annotations

import secrets
from typing import Any, NoReturn, Self

import numpy as np

KEY_BITS = 256
# the mechanisms whose arithmetic cannot tell two values apart when they draw from a
# SecureGenerator; the others, of which `row_laplace` is the only one, then draw in floating point,
# from a stream that nobody can predict
EXACT = frozenset({"laplace", "gaussian", "exponential", "above_threshold"})


class SecureGenerator(np.random.Generator):
    """A generator whose stream nobody can predict, repeat or keep: it takes no seed, and is not
    copied or pickled.
    """

    def __init__(self) -> None:
        super().__init__(_chacha(secrets.randbits(KEY_BITS)))

    @classmethod
    def _with_key(cls, key: int) -> Self:
        """A generator that repeats, for tests; its noise hides nothing from whoever knows the key."""
        known = cls.__new__(cls)
        np.random.Generator.__init__(known, _chacha(key))
        return known

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Generators with keys of their own, which are drawn from this one's stream."""
        return [
            self._with_key(int.from_bytes(self.bytes(KEY_BITS // 8), "little"))
            for _ in range(n_children)
        ]

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a secure generator is not copied or sent to another process: both would draw the same noise"
        )


def _chacha(key: int) -> Any:
    from randomgen import ChaCha  # slow to import, and only releases need it

    return ChaCha(key=key, rounds=20)
