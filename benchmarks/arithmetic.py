"""The cost of the settled BLAS kernel, for a product and a fit of mangold2023's Figure 1a."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from benchmarks.ratio import Bar

SCRIPT = """
import json, time
from dpfair_cli.provenance import arithmetic
import numpy as np
from threadpoolctl import threadpool_limits
from dpfair_cli.models.regression.logistic import minimise

rng = np.random.default_rng(0)
A, Z, y = rng.random((1500, 1500)), rng.normal(size=(40_000, 40)), rng.integers(0, 2, 40_000)

def seconds(work):
    times = []
    for _ in range(5):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)

with threadpool_limits(1):
    times = seconds(lambda: A @ A), seconds(lambda: minimise(Z, y, ridge=1e-3))
print(json.dumps([arithmetic.in_use().kernels["numpy"], *times]))
"""


def arithmetic_bar() -> Bar:
    """The duration of each with the settled kernel over the native one; there is no limit."""
    kernel, product, fit = measured("native")
    _, settled_product, settled_fit = measured("")
    ratios = f"{settled_product / product:.2f}, {settled_fit / fit:.2f} times"
    return f"settled against {kernel}: product, fit", ratios, "none", True


def measured(choice: str) -> tuple[str, float, float]:
    """(kernel, seconds of the product, seconds of the fit) with this $DPFAIR_ARITHMETIC."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    environment |= {"DPFAIR_ARITHMETIC": choice}
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True, env=environment
    )
    kernel, product, fit = json.loads(answer.stdout)
    return kernel, product, fit
