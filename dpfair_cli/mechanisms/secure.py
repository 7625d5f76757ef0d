"""A cryptographic generator for releases: ChaCha with 20 rounds, keyed by the operating system.

NumPy's own generators are not secret: a few hundred outputs of the generator PCG64 reveal its
state, and the state reveals all earlier and later noise. A `SecureGenerator` can be passed wherever
a generator is expected. NumPy draws permutations and batches from a `SecureGenerator`, and the
mechanisms in `EXACT` draw noise on a grid with exact probabilities (`noise`).

Source: Bernstein 2008 (ChaCha); test vector: RFC 8439; implementation: randomgen.
"""

from __future__ import annotations

import os
import secrets
from functools import cache
from typing import Any, NoReturn, Self
from weakref import WeakSet

import numpy as np

KEY_BITS = 256
# mechanisms that have exact probabilities with a SecureGenerator; `row_laplace`, the only other
# mechanism, draws ordinary floating-point noise from the secret stream
EXACT = frozenset(
    {
        "laplace",
        "gaussian",
        "exponential",
        "above_threshold",
        "randomised_response",
        "subset_selection",
    }
)
NOT_COPIED = (
    "a secure generator cannot be copied or sent to another process, because both copies would "
    "draw the same noise: create a new SecureGenerator in each process"
)
_streams: WeakSet[Any] = WeakSet()  # of all secure generators of the process


class SecureGenerator(np.random.Generator):
    """A generator with a secret stream: it takes no seed and cannot be copied or pickled.

    After a fork, the generators of the child process have new keys.
    """

    def __init__(self) -> None:
        # from the operating system, never from a seed
        super().__init__(_chacha(secrets.randbits(KEY_BITS)))

    @classmethod
    def _with_key(cls, key: int) -> Self:
        """A repeatable generator with a known key; outside tests its noise would hide nothing."""
        known = cls.__new__(cls)
        np.random.Generator.__init__(known, _chacha(key))
        return known

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Independent generators whose keys are drawn from this generator's stream."""
        return [
            self._with_key(int.from_bytes(self.bytes(KEY_BITS // 8), "little"))
            for _ in range(n_children)
        ]

    def __reduce__(self) -> NoReturn:
        raise TypeError(NOT_COPIED)


def _chacha(key: int) -> Any:
    stream = _stream_class()(key=key, rounds=20)
    _streams.add(stream)  # to be keyed anew after a fork
    return stream


@cache
def _stream_class() -> Any:
    from randomgen import ChaCha  # slow to import, and only releases need it

    class Stream(ChaCha):  # type: ignore[misc]
        """The stream of a secure generator, which cannot be copied or pickled either."""

        def __reduce__(self) -> NoReturn:
            raise TypeError(NOT_COPIED)

    return Stream


def _draw_new_keys() -> None:
    """Gives every stream a new secret key, also the streams of generators with a known key."""
    for stream in _streams:
        # otherwise parent and child would draw the same noise
        stream.seed(key=secrets.randbits(KEY_BITS))


if hasattr(os, "register_at_fork"):  # a system without it cannot fork
    os.register_at_fork(after_in_child=_draw_new_keys)
