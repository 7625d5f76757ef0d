"""The same bytes on every machine: OpenBLAS's kernel is settled before NumPy is imported, whatever
the processor.

Sums in another order have other last digits, and OpenBLAS chooses its order by the processor. The
committed results are from its kernel for Haswell (that for Zen is the same code), which runs
wherever there is AVX2. Chapter 9 of xu2021 also needs AVX-512, with which NumPy takes exponentials
and logarithms (for the nearly exact accountant) and torch trains networks; all else is the same
without it. Where the arithmetic is another one, rows are compared within TOLERANCE.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

CHOICE = "DPFAIR_ARITHMETIC"  # "native": leave everything to the processor
NEEDED = {"avx2", "fma"}  # by the kernel for Haswell, as /proc/cpuinfo names them
KERNELS = {"Haswell", "Zen"}
VECTORS = "AVX-512"
# what would keep NumPy and torch from the widest vector instructions
LIMITS = ("NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA",
          "DNNL_MAX_CPU_ISA", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS")  # fmt: skip
# of a score, in parts of it or of 1, between any two kernels: noise multipliers are found to 5
# digits
TOLERANCE = 1e-5
STATEMENT = "arithmetic.txt"  # in the folder of the results
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")


class ArithmeticWarning(UserWarning):
    """Results may differ from the committed ones in their last digits."""


class Profile(NamedTuple):
    """What computes here: kernel and threads of each package's BLAS, and NumPy's widest vector
    instructions.
    """

    kernels: Mapping[str, str]
    threads: Mapping[str, int]
    vectors: str


def settle() -> None:
    """Choose the arithmetic of the committed results, for this process and those it starts,
    whatever was asked for.

    Says so if NumPy is here already with another one.
    """
    if hindrance():
        return
    for name in LIMITS:
        os.environ.pop(name, None)
    os.environ["OPENBLAS_CORETYPE"] = "Haswell"
    if "numpy" in sys.modules:
        warn(unsettled())


def hindrance() -> str:
    """Why no kernel can be chosen here; "" if one can."""
    if os.environ.get(CHOICE) == "native":
        return f"{CHOICE}=native"
    return "" if _flags() >= NEEDED else "/proc/cpuinfo names no x86-64 processor with AVX2"


def _flags() -> set[str]:
    """What the first processor can do, as Linux tells; nothing elsewhere."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            return set(next((line for line in lines if line.startswith("flags")), "").split())
    except OSError:
        return set()


@cache
def profile() -> Profile:
    """What is really in use, once NumPy and SciPy are loaded."""
    import numpy as np
    import scipy.linalg  # noqa: F401 - it has an OpenBLAS of its own
    from threadpoolctl import threadpool_info

    found = {
        _owner(part["filepath"]): part for part in threadpool_info() if part["user_api"] == "blas"
    }
    kernels = {
        owner: found[owner].get("architecture", found[owner]["internal_api"])
        for owner in sorted(found)
    }
    simd = set(
        np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    )  # its names are others since NumPy 2.4
    wide = "AVX2" if simd & {"AVX2", "X86_V3"} else "none"
    vectors = VECTORS if simd & {"AVX512_SKX", "X86_V4"} else wide
    return Profile(kernels, {owner: found[owner]["num_threads"] for owner in kernels}, vectors)


def _owner(file: str) -> str:
    """The package whose wheel brought a library: numpy for .../numpy.libs/libscipy_openblas64_.so."""
    return Path(file).parent.name.partition(".")[0] or file


@cache
def unsettled() -> str:
    """What computes here in place of the arithmetic of the committed results, and why; "" if that
    is in use.
    """
    found = profile()
    foreign = [
        f"{owner} with {kernel}" for owner, kernel in found.kernels.items() if kernel not in KERNELS
    ]
    foreign += [] if found.kernels else ["numpy without OpenBLAS"]
    why = hindrance() or "NumPy was imported before dpfair_cli"
    said = [f"{', '.join(foreign)} in place of Haswell ({why})"] * bool(foreign)
    said += [f"vectors of {found.vectors} in place of {VECTORS}"] * (found.vectors != VECTORS)
    return "; ".join(said)


@cache
def warn(difference: str) -> None:
    """Say once that results may differ, if they may."""
    if difference:
        words = f"{difference}: scores are the committed ones to 5 digits (of networks to 2), not to the byte"
        warnings.warn(words, ArithmeticWarning, stacklevel=1)


def in_words() -> list[str]:
    """What computes here, in two lines."""
    kernels, threads, vectors = profile()
    parts = [
        f"{owner}: kernel {kernel}, {threads[owner]} threads" for owner, kernel in kernels.items()
    ]
    return ["; ".join([*parts, f"vectors of {vectors}"]), f"settled: {unsettled() or 'yes'}"]


def statement() -> str:
    """What the results were made with, in a text without date or place: versions, kernels, vector
    instructions.
    """
    versions = {"Python": ".".join(map(str, sys.version_info[:3]))} | {
        name: _version(name) for name in PACKAGES
    }
    kernels, _, vectors = profile()
    used = {f"BLAS kernel of {owner}": kernel for owner, kernel in kernels.items()} | {
        "vectors": vectors
    }
    facts = versions | used | {"settled": unsettled() or "yes"}
    return "".join(f"{name}: {fact}\n" for name, fact in facts.items())


def _version(package: str) -> str:
    """Without the label of a build, such as +cpu."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return "not installed"
