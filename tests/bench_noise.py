"""The bars of secure noise: a million values under a secure generator against the same call with NumPy's own."""

from __future__ import annotations

import time

VALUES, ROUNDS, BAR = 1_000_000, 9, 5.0
Bar = tuple[str, str, str, bool]


def noise_bars() -> list[Bar]:
    """Laplace and Gaussian noise on a million values, which has a bar, and on 40, which has none."""
    import numpy as np

    from dpfair_cli.mechanisms.gaussian import gaussian
    from dpfair_cli.mechanisms.laplace import laplace

    def add_laplace(value, rng) -> None:
        laplace(value, l1_sensitivity=1.0, epsilon=1.0, rng=rng)

    def add_gaussian(value, rng) -> None:
        gaussian(value, l2_sensitivity=1.0, sigma=1.0, rng=rng)

    bars = []
    for name, add in (("Laplace", add_laplace), ("Gaussian", add_gaussian)):
        ours, rival = noise_seconds(add, np.zeros(VALUES))
        ratio, each = ours / rival, 1e9 / VALUES
        what = f"secure {name} noise against NumPy's ({ours * each:.0f} and {rival * each:.0f} ns a value)"
        bars.append((what, f"{ratio:.1f} times the time", f"<= {BAR:g} times", ratio <= BAR))
        ours, rival = noise_seconds(add, np.zeros(40))
        bars.append((f"  on 40 values ({ours * 1e6:.0f} us)", f"{ours / rival:.0f} times the time", "no bar", True))
    return bars


def noise_seconds(add, value) -> tuple[float, float]:
    """(seconds from a secure generator, from PCG64), the best of several turns of one processor."""
    import numpy as np

    from dpfair_cli.mechanisms.secure import SecureGenerator

    generators, repeats = (SecureGenerator(), np.random.default_rng(0)), max(1, 10_000 // len(value))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for rng, spent in zip(generators, times, strict=True):
            began = time.process_time()
            for _ in range(repeats):
                add(value, rng)
            spent.append((time.process_time() - began) / repeats)
    ours, rival = times
    return min(ours), min(rival)
