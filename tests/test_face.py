"""`import dpfair`: a few names, of which each is loaded when it is first used."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

import dpfair
from dpfair_cli import paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.estimator import DpfairClassifier
from tests.built_wheel import ROOT

LOADED = """
import os, sys
before = dict(os.environ)
import dpfair
dir(dpfair), dpfair.__version__
assert not {"numpy", "pytest", "dpfair_cli"} & set(sys.modules)
dpfair.DpfairClassifier
assert "dpfair_cli.estimator" in sys.modules
assert "pandas" in sys.modules and "matplotlib" not in sys.modules
assert dict(os.environ) == before  # the arithmetic of the process is its own
"""


def test_a_name_is_loaded_when_it_is_used_and_nothing_before():
    command = [sys.executable, "-W", "error", "-c", LOADED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_there_and_no_other():
    assert dpfair.DpfairClassifier is DpfairClassifier
    assert dpfair.__version__ == version("dpfair")
    assert all(hasattr(dpfair, name) for name in dpfair.__all__)
    assert dir(dpfair) == sorted(dpfair.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'judge_all'"):
        dpfair.judge_all  # noqa: B018 - the access is what is tried


def test_a_table_is_that_of_the_committed_csv_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = dpfair.table("mangold2023/theorem1")
    found.to_csv("table.csv", index=False)
    committed = paths.shipped("results") / "mangold2023" / "theorem1" / "table.csv"
    assert (tmp_path / "table.csv").read_bytes() == committed.read_bytes()
    with pytest.raises(DpfairError, match="did you mean"):
        dpfair.table("mangold2023/theorem11")


def test_an_assertion_needs_no_pytest_and_refutes_too_little_noise():
    def sums(X, rng):
        return X.sum(axis=0) + rng.laplace(scale=0.1, size=X.shape[1])

    with pytest.raises(AssertionError, match="is not private: it claims epsilon 1"):
        dpfair.assert_private(sums, epsilon=1.0, seconds=5, data=(np.eye(3), [0, 1, 1]))
