"""Where the real data are, for the tests that need them; and what is said of the processor is said before any test."""

import os
import warnings
from pathlib import Path

import pytest

from dpfair_cli import arithmetic  # before any test imports NumPy

MIRROR = Path(__file__).resolve().parent.parent.parent / "shared" / "data-mirror"


@pytest.fixture(scope="session", autouse=True)
def _processor_told() -> None:
    """Without this, the first command of a process would say one line more than the others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arithmetic.ArithmeticWarning)
        arithmetic.warn(arithmetic.unsettled())


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real data: $DPFAIR_DATA, or a mirror beside the checkout."""
    folder = Path(os.environ.get("DPFAIR_DATA", MIRROR))
    if not (folder / "adult" / "adult.data").is_file():
        pytest.skip("the real data are not here: run `dpfair fetch-data --all` and set DPFAIR_DATA")
    return folder
