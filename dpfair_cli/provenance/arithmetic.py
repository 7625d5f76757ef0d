"""Chooses the OpenBLAS kernel before NumPy is imported, for equal bytes on every machine.

Sums of floating-point numbers in another order differ in the last digits, and OpenBLAS chooses the
order by the processor. The committed results come from the kernel for Haswell, which runs on every
processor with AVX2 (the kernel for Zen is the same code). Chapter 9 of xu2021 also needs AVX-512:
NumPy uses AVX-512 for exponentials and logarithms in the PLD accountant, and torch for networks.
All other results are equal without AVX-512. With another arithmetic, rows are compared within
TOLERANCE.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

CHOICE = "DPFAIR_ARITHMETIC"  # with the value "native", the processor decides
NEEDED = {"avx2", "fma"}  # features for the kernel for Haswell, as in /proc/cpuinfo
KERNELS = {"Haswell", "Zen"}
VECTORS = "AVX-512"
# variables that keep NumPy and torch from the widest vector instructions
LIMITS = (
    "NPY_DISABLE_CPU_FEATURES",
    "NPY_ENABLE_CPU_FEATURES",
    "ATEN_CPU_CAPABILITY",
    "ONEDNN_MAX_CPU_ISA",
    "DNNL_MAX_CPU_ISA",
    "MKL_CBWR",
    "MKL_ENABLE_INSTRUCTIONS",
)
# relative difference of a score between kernels: noise multipliers are computed to 5 digits
TOLERANCE = 1e-5
STATEMENT = "arithmetic.txt"  # file in the folder of the results
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")


class ArithmeticWarning(UserWarning):
    """The warning that results may differ from the committed results in the last digits."""


class Arithmetic(NamedTuple):
    """The libraries of linear algebra and the processor features that this process uses."""

    kernels: Mapping[str, str]  # package -> the kernel of its BLAS library
    threads: Mapping[str, int]  # package -> the number of threads of its BLAS library
    vectors: str  # the widest vector instructions that NumPy uses


def settle() -> None:
    """Sets this process and its children to the arithmetic that made the committed results.

    Warns if NumPy was already imported with another arithmetic.
    """
    if hindrance():
        return
    for name in LIMITS:
        os.environ.pop(name, None)  # also for processes that are started later
    os.environ["OPENBLAS_CORETYPE"] = "Haswell"  # read when NumPy loads OpenBLAS
    if "numpy" in sys.modules:
        warn(unsettled())


def hindrance() -> str:
    """The reason why no kernel of OpenBLAS can be chosen here; empty if one can be chosen."""
    if os.environ.get(CHOICE) == "native":
        return f"{CHOICE}=native"
    return "" if _flags() >= NEEDED else "/proc/cpuinfo names no x86-64 processor with AVX2"


def _flags() -> set[str]:
    """The features of the first processor on Linux; empty on other systems."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            return set(next((line for line in lines if line.startswith("flags")), "").split())
    except OSError:
        return set()


@cache
def in_use() -> Arithmetic:
    """The arithmetic that NumPy and SciPy use in this process; imports both libraries."""
    import numpy as np
    import scipy.special  # noqa: F401 - SciPy has its own OpenBLAS
    from threadpoolctl import threadpool_info

    found = {
        _owner(part["filepath"]): part for part in threadpool_info() if part["user_api"] == "blas"
    }
    kernels = {
        owner: found[owner].get("architecture", found[owner]["internal_api"])
        for owner in sorted(found)
    }
    # the names of instruction sets changed in NumPy 2.4
    simd = set(np.show_config(mode="dicts")["SIMD Extensions"]["found"])
    wide = "AVX2" if simd & {"AVX2", "X86_V3"} else "none"
    vectors = VECTORS if simd & {"AVX512_SKX", "X86_V4"} else wide
    return Arithmetic(kernels, {owner: found[owner]["num_threads"] for owner in kernels}, vectors)


def _owner(file: str) -> str:
    """The package of a library file: numpy for .../numpy.libs/libscipy_openblas64_.so."""
    return Path(file).parent.name.partition(".")[0] or file


@cache
def unsettled() -> str:
    """The difference from the arithmetic of the committed results, and why; empty without one."""
    found, differences = in_use(), []
    others = [name for name, kernel in found.kernels.items() if kernel not in KERNELS]
    foreign = [f"{name} with {found.kernels[name]}" for name in others]
    if not found.kernels:
        foreign.append("numpy without OpenBLAS")
    if foreign:
        why = hindrance() or "NumPy was imported before dpfair_cli"
        differences.append(f"{', '.join(foreign)} in place of Haswell ({why})")
    if found.vectors != VECTORS:
        differences.append(f"vectors of {found.vectors} in place of {VECTORS}")
    return "; ".join(differences)


@cache
def warn(difference: str) -> None:
    """Warns once that results may differ; does nothing if the text `difference` is empty."""
    if difference:
        words = "scores are the committed ones to 5 digits (of networks to 2), not to the byte"
        warnings.warn(f"{difference}: {words}", ArithmeticWarning, stacklevel=1)


def in_words() -> list[str]:
    """Lines of text about the arithmetic of this process."""
    kernels, threads, vectors = in_use()
    parts = [
        f"{owner}: kernel {kernel}, {threads[owner]} threads" for owner, kernel in kernels.items()
    ]
    return [
        "; ".join([*parts, f"vectors of {vectors}"]),
        f"settled: {unsettled() or 'yes'}",
        f"devices of networks: {_devices()}",
    ]


def _devices() -> str:
    """The devices on which torch can train networks here, as a text."""
    from dpfair_cli.contracts.training_context import available

    try:
        return ", ".join(available())
    except ImportError:
        return "torch is not installed"


def statement(device: str = "cpu") -> str:
    """The text of results/arithmetic.txt; it names the device unless it is the processor."""
    facts = {"Python": ".".join(map(str, sys.version_info[:3]))}
    facts |= {name: _version(name) for name in PACKAGES}
    kernels, _, vectors = in_use()
    facts |= {f"BLAS kernel of {owner}": kernel for owner, kernel in kernels.items()}
    facts |= {"vectors": vectors, "settled": unsettled() or "yes"}
    facts |= {} if device == "cpu" else {"device of networks": device}
    return "".join(f"{name}: {fact}\n" for name, fact in facts.items())


def _version(package: str) -> str:
    """The version of a package without the label of a build, such as +cpu."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return "not installed"
