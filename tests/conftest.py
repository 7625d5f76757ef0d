"""Where the real data are, for the tests that need them."""

import os
from pathlib import Path

import pytest

import dpfair_cli  # noqa: F401 - before any test imports NumPy

MIRROR = Path(__file__).resolve().parent.parent.parent / "shared" / "data-mirror"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real data: $DPFAIR_DATA, or a mirror beside the checkout."""
    folder = Path(os.environ.get("DPFAIR_DATA", MIRROR))
    if not (folder / "adult" / "adult.data").is_file():
        pytest.skip("the real data are not here: run `dpfair fetch-data --all` and set DPFAIR_DATA")
    return folder
