"""The first use of an estimator may be in several threads at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys, threading
import numpy as np

sys.setswitchinterval(1e-6)
rng = np.random.default_rng(0)
X = rng.random((200, 3))
y, groups = (X[:, 0] > 0.5).astype(int), (X[:, 1] > 0.5).astype(int)
start, failed = threading.Barrier(8), []

def fit():
    start.wait()
    try:
        from dpfair_cli.estimator import DpfairClassifier

        public = {"low": [0] * 3, "high": [1] * 3, "classes": [0, 1], "groups": [0, 1]}
        DpfairClassifier(sys.argv[1], **public).fit(X, y, sensitive_features=groups)
    except Exception as error:
        failed.append(repr(error))

threads = [threading.Thread(target=fit) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit("; ".join(failed) or 0)
"""


@pytest.mark.parametrize("method", ["pflr", "adfc", "dp_oracle_learner"])
def test_eight_threads_can_begin_at_once(method):
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, method], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr  # a processor may be warned about, too
