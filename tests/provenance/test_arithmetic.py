"""The arithmetic is settled before NumPy comes, in every process; where it is not, that is said
once.
"""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner
from loky import get_reusable_executor

from dpfair_cli.commands import main
from dpfair_cli.provenance import arithmetic
from dpfair_cli.running import runner

ROOT = Path(__file__).parents[2]
NATIVE = os.environ.get(arithmetic.CHOICE) == "native"
SHOW = "from dpfair_cli.provenance import arithmetic; print(*arithmetic.in_use().kernels.values())"
LATE = (
    "import numpy; import dpfair_cli; from dpfair_cli.provenance import arithmetic; "
    "arithmetic.warn(arithmetic.unsettled())"
)

where_it_can_be_settled = pytest.mark.skipif(
    bool(arithmetic.hindrance()) and not NATIVE, reason=arithmetic.hindrance()
)


def python(code, *flags, **environment):
    """A new process."""
    asked = {arithmetic.CHOICE: "", "PYTHONPATH": str(ROOT)} | environment
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(
        command, env=os.environ | asked, capture_output=True, text=True, check=True
    )


@where_it_can_be_settled
@pytest.mark.parametrize("kernel", ["Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX", ""])
def test_the_kernel_is_that_of_the_committed_results_whatever_is_asked_for(kernel):
    assert set(python(SHOW, OPENBLAS_CORETYPE=kernel).stdout.split()) <= arithmetic.KERNELS


@where_it_can_be_settled
def test_native_leaves_the_kernel_alone():
    assert set(
        python(SHOW, OPENBLAS_CORETYPE="Nehalem", DPFAIR_ARITHMETIC="native").stdout.split()
    ) == {"Nehalem"}


@where_it_can_be_settled
def test_worker_processes_have_the_same_kernels():
    kernels = get_reusable_executor(max_workers=1).submit(arithmetic.in_use).result().kernels
    assert kernels == arithmetic.in_use().kernels


@where_it_can_be_settled
def test_settings_that_keep_numpy_from_wide_vectors_are_overridden():
    limits = {
        "NPY_DISABLE_CPU_FEATURES": "AVX2 X86_V3 AVX512F",
        "NPY_ENABLE_CPU_FEATURES": "NONSENSE",
    }
    code = (
        "from dpfair_cli.provenance import arithmetic; import numpy; "
        "print(arithmetic.in_use().vectors)"
    )
    assert python(code, "-W", "error", **limits).stdout == python(code).stdout


@where_it_can_be_settled
def test_numpy_imported_first_with_another_kernel_is_said_once():
    said = python(LATE, OPENBLAS_CORETYPE="Nehalem").stderr
    assert said.count(": ArithmeticWarning: ") == 1
    assert "Nehalem in place of Haswell (NumPy was imported before dpfair_cli)" in said


@where_it_can_be_settled
def test_numpy_imported_first_with_the_same_kernel_is_no_fault():
    assert "Haswell" not in python(LATE, OPENBLAS_CORETYPE="Haswell").stderr


def test_nothing_is_settled_on_a_processor_without_avx2(monkeypatch):
    monkeypatch.setattr(arithmetic, "_flags", lambda: {"sse2", "fma"})
    monkeypatch.setenv(arithmetic.CHOICE, "")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    arithmetic.settle()
    assert os.environ["OPENBLAS_CORETYPE"] == "Nehalem"
    assert "AVX2" in arithmetic.hindrance()


def test_a_worker_with_foreign_arithmetic_is_reported_once(monkeypatch, tmp_path):
    monkeypatch.setattr(
        arithmetic, "unsettled", lambda: "numpy with Prescott in place of Haswell (a test)"
    )
    sweep = [
        "sweep",
        "synthetic_categorical",
        "--method",
        "pc",
        "--runs",
        "3",
        "--set",
        "records=200",
        "--out",
        str(tmp_path),
    ]
    monkeypatch.setattr(
        runner, "REPORT_SECONDS", 0.0
    )  # a worker reports after each of the three runs
    result = CliRunner().invoke(main, [*sweep, "--jobs", "1"])
    assert result.exit_code == 0, result.output
    assert result.stderr.count("Prescott") == 1


def test_info_says_what_computes_here():
    text = CliRunner().invoke(main, ["info", "arithmetic"]).stdout
    for owner, kernel in arithmetic.in_use().kernels.items():
        assert f"{owner}: kernel {kernel}" in text
    assert f"settled: {arithmetic.unsettled() or 'yes'}" in text


@where_it_can_be_settled
@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_command_has_one_thread_unless_another_number_is_asked_for(threads):
    limits = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS")
    own = {name: value for name, value in os.environ.items() if name not in limits}
    own |= {} if threads == "1" else {"OPENBLAS_NUM_THREADS": threads}
    command = [sys.executable, "-m", "dpfair_cli", "info", "arithmetic"]
    text = subprocess.run(command, env=own, capture_output=True, text=True, check=True).stdout
    possible = min(int(threads), os.cpu_count() or 1)
    assert text.count(f", {possible} threads") == 2  # of NumPy and of SciPy


def test_committed_results_name_constrained_versions_and_arithmetic():
    text = (ROOT / "results" / arithmetic.STATEMENT).read_text(encoding="utf-8")
    facts = dict(line.split(": ") for line in text.splitlines())
    pinned = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    )
    assert {name: facts[name] for name in arithmetic.PACKAGES} == {
        name: pinned[name] for name in arithmetic.PACKAGES
    }
    assert re.fullmatch(r"3\.\d+\.\d+", facts["Python"])
    assert {facts["BLAS kernel of numpy"], facts["BLAS kernel of scipy"]} <= arithmetic.KERNELS
    assert (facts["vectors"], facts["settled"]) == (arithmetic.VECTORS, "yes")
    assert list(facts) == [line.split(": ")[0] for line in arithmetic.statement().splitlines()]


def test_an_arithmetic_that_does_not_differ_is_not_mentioned():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arithmetic.warn("")
