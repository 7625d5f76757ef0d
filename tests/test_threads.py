"""The first use of an estimator may be in several threads at once."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

METHODS = ("pflr", "adfc", "dp_oracle_learner")
# one process for all methods: the first one imports the libraries, and each one its own modules
SCRIPT = """
import json, sys, threading
import numpy as np

sys.setswitchinterval(1e-6)
rng = np.random.default_rng(0)
X = rng.random((200, 3))
y, groups = (X[:, 0] > 0.5).astype(int), (X[:, 1] > 0.5).astype(int)
start = threading.Barrier(8)

def fit(method, failed):
    start.wait()
    try:
        from dpfair_cli.estimator import DpfairClassifier

        public = {"low": [0] * 3, "high": [1] * 3, "classes": [0, 1], "groups": [0, 1]}
        DpfairClassifier(method, **public).fit(X, y, sensitive_features=groups)
    except Exception as error:
        failed.append(repr(error))

found = {}
for method in sys.argv[1:]:
    found[method] = []
    threads = [threading.Thread(target=fit, args=(method, found[method])) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def failed():
    """method -> the errors of its eight threads."""
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, *METHODS], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr  # a processor may be warned about, too
    return json.loads(ended.stdout)


@pytest.mark.parametrize("method", METHODS)
def test_eight_threads_can_begin_at_once(method, failed):
    assert failed[method] == []
