"""Without torch the causal generators are still there, and one line says what to install."""

import subprocess
import sys
from pathlib import Path

import pytest

import dpfair_cli

ROOT = Path(dpfair_cli.__file__).resolve().parent.parent
BLOCKED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, Blocker())
"""
FITTED = """
import dpfair_cli
import numpy as np
from dpfair_cli.algorithms.synthesis import {name}
from dpfair_cli.contracts.errors import DpfairError
from tests.models.causal_fairness.made_records import unfair_people
try:
    {name}.fit(unfair_people(300), epochs=1, batch_size=50, rng=np.random.default_rng(0))
except DpfairError as error:
    print(error)
"""
SAMPLED = """
import dpfair_cli
import numpy as np
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution, restore
from tests.models.causal_fairness.made_records import random_joint, unfair_people
people = unfair_people(10)
model = RecordDistribution(random_joint(4, 0), people.domain, people.graph)
print(len(restore(model.saved()).sample(7, rng=np.random.default_rng(0))))
"""


def printed(code):
    """What a separate process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["causal_gan", "cfgan"])
def test_missing_torch_is_one_line_that_names_the_extra(name):
    line = printed(BLOCKED + FITTED.format(name=name))
    assert "torch" in line
    assert "pip install torch" in line
    assert "\n" not in line


def test_a_saved_distribution_is_sampled_without_torch():
    assert printed(BLOCKED + SAMPLED) == "7"


@pytest.mark.parametrize("name", ["causal_gan", "cfgan"])
def test_importing_them_does_not_import_torch(name):
    code = (
        f"import sys; from dpfair_cli.algorithms.synthesis import {name}; print('torch' in "
        f"sys.modules)"
    )
    assert printed(code) == "False"
