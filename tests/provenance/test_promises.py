"""The two promises about other machines: the same bytes, and the same verdicts.

tests/provenance/test_arithmetic.py has what the first one rests on, and tests/code_lock repeats
committed runs. Here are verdicts: on committed runs by another arithmetic, and on runs that differ
from the committed ones as those of another processor may.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from dpfair_cli import paths
from dpfair_cli.provenance import arithmetic
from dpfair_cli.reproduction.artefact import artefact_named
from dpfair_cli.reproduction.runs import RunOptions
from tests.built_wheel import ROOT

# what a processor of another kind would choose, as far as this one can play it
OTHER = {
    arithmetic.CHOICE: "native",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 X86_V3 AVX512F X86_V4",
    "PYTHONHASHSEED": "1",
}


def checked(**environment):
    """The verdicts on the committed runs of a paper, as JSON."""
    command = [sys.executable, "-W", "ignore", "-m", "dpfair_cli", "check", "ding2020", "--json"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_verdicts_are_the_same_by_another_arithmetic():
    here = checked()
    assert '"verdict": "reproduced"' in here
    assert checked(**OTHER) == here


@pytest.mark.parametrize("name", ["ding2020/table1", "xu2021/table8.2"])
def test_verdicts_are_the_same_on_rows_within_the_tolerance(name):
    def verdicts(change):
        options = RunOptions(paths.data_folder(), paths.shipped("results"), collect=True)
        found = artefact_named(name, options)
        names = set(map(str, found.spec.task.study.scores))
        scores = [one for one in found.runs.table if one in names]
        assert scores
        found.runs.table = found.runs.table.assign(
            **{score: found.runs.table[score] * change(len(found.runs.table)) for score in scores}
        )
        return [(cell.description, cell.verdict) for cell in found.verdicts().cells]

    rng = np.random.default_rng(0)
    moved = verdicts(lambda n: 1 + arithmetic.TOLERANCE * rng.uniform(-1, 1, n))
    assert moved == verdicts(np.ones)
