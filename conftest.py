"""What all tests share: where the real data are, and a processor that was warned of before."""

import gc
import os
import re
import sys
import warnings
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from dpfair_cli.provenance import arithmetic  # before any test imports NumPy

MIRROR = Path(__file__).resolve().parent.parent / "shared" / "data-mirror"
# To rewrite the tests for pytest takes longer than to run most of them: what is compiled for their
# collection is kept, also where Python is told to keep nothing.
sys.dont_write_bytecode = False
DEEP = re.compile(r"pip install (torch|tabfairgdt|lightgbm)")  # in the reason of a skip
# what tests ask for that a system lacks; the files with them are not collected there
LACKING = {
    "darwin": re.compile(r"/proc/|RLIMIT_AS"),
    "win32": re.compile(
        r"/proc/|/dev/|os\.(fork|mkfifo|killpg|getuid)|SIGKILL|\bforking\b|symlink_to|chmod|"
        r"import (fcntl|resource)\b|\bbash\b|#!/bin/sh"
    ),
}
UNMARKED = (
    "skipped without a module that is not here, but not marked deep: "
    "`make test-deep` would leave it out"
)


# Each run of the tests tries the same examples, and none fails because the machine is busy: neither
# an example nor the making of examples has a limit of time.
settings.register_profile(
    "dpfair", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("dpfair")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out files of tests that ask for what only Linux has."""
    lacking = LACKING.get(sys.platform)
    if lacking and collection_path.suffix == ".py":
        return bool(lacking.search(collection_path.read_text(encoding="utf-8"))) or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """The garbage collector need not look at the tests and modules, which stay till the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _no_module_compiled_from_here() -> None:
    """A process of a test with a full disk would leave a truncated compiled file of a module.

    This holds from the first test on, and not for the collection of the tests.
    """
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that is skipped for want of a module fails if `make test-deep` would not run it."""
    report = yield
    if not item.get_closest_marker("deep"):
        allow_no_excuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """So does a file that is skipped as a whole."""
    report = yield
    if not (
        isinstance(collector, pytest.Module)
        and "pytestmark = pytest.mark.deep" in collector.path.read_text()
    ):
        allow_no_excuse(report)
    return report


def allow_no_excuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a failure of a skip for want of torch, tabfairgdt or lightgbm."""
    if report.skipped and DEEP.search(str(report.longrepr)):
        report.outcome, report.longrepr = "failed", UNMARKED
