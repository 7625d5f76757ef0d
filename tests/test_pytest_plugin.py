"""The pytest plug-in in a project that is not ours: red for the broken, green for the sound."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import pytest_dpfair

ROOT = Path(__file__).resolve().parents[1]
MECHANISMS = """
    import numpy as np

    def sound_sums(X, epsilon, rng):
        return X.sum(axis=0) + rng.laplace(scale=X.shape[1] / epsilon, size=X.shape[1])

    def broken_sums(X, epsilon, rng):
        return X.sum(axis=0) + rng.laplace(scale=1 / epsilon, size=X.shape[1])

    def sound_answer(answer):
        return answer if np.random.default_rng().random() < 0.73 else not answer

    def broken_answer(answer):
        return answer if np.random.default_rng().random() < 0.9 else not answer
"""
TESTS = """
    import pytest
    from pytest_dpfair import assert_private
    from theirs import broken_answer, broken_sums, sound_answer, sound_sums

    @pytest.fixture
    def sums():
        return {"sound": sound_sums, "broken": broken_sums}

    @pytest.mark.dpfair(epsilon=1.0)
    @pytest.mark.parametrize("kind", ["sound", "broken"])
    def test_sums(sums, kind):
        return sums[kind]

    @pytest.mark.dpfair(epsilon=1.0, neighbours=[(True, False)], seconds=1.0)
    def test_sound_answer():
        return sound_answer

    @pytest.mark.dpfair(epsilon=1.0, neighbours=[(True, False)], seconds=1.0)
    def test_broken_answer():
        return broken_answer

    @pytest.mark.dpfair(epsilon=1.0)
    def test_returns_nothing():
        pass

    def test_assertion():
        assert_private(sound_sums, epsilon=1.0)

    def test_failing_assertion():
        assert_private(broken_sums, epsilon=1.0, neighbours="add-or-remove-one")
"""
UNRELATED = """
    import os
    import sys

    def test_nothing_of_dpfair_is_loaded():
        assert "pytest_dpfair" in sys.modules
        assert not [name for name in sys.modules if name.startswith(("dpfair_cli", "numpy"))]
        assert "OPENBLAS_CORETYPE" not in os.environ
"""


@pytest.fixture
def project(tmp_path):
    """A package with two mechanisms of each kind, and its tests."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "theirs" / "__init__.py").write_text(textwrap.dedent(MECHANISMS))
    (tmp_path / "tests" / "test_theirs.py").write_text(textwrap.dedent(TESTS))
    (tmp_path / "unrelated").mkdir()
    (tmp_path / "unrelated" / "test_unrelated.py").write_text(textwrap.dedent(UNRELATED))
    return tmp_path


def run_pytest(project, *arguments):
    """The output of pytest with the plug-in, and the outcome of each test."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(project)])}
    variables.pop("OPENBLAS_CORETYPE", None)
    variables["COLUMNS"] = "200"
    options = ("-p", "pytest_dpfair", "-p", "no:cacheprovider", "-W", "error", "-v")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments],
        cwd=project,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.split() for line in done.stdout.splitlines() if "::" in line]
    outcomes = {line[0].partition("::")[2]: line[1] for line in lines if line[0].startswith("te")}
    return done.stdout + done.stderr, outcomes


def test_the_broken_are_red_and_the_sound_are_green(project):
    output, outcomes = run_pytest(project, "tests", "--dpfair-audit")
    assert outcomes == {
        "test_sums[sound]": "PASSED",
        "test_sums[broken]": "FAILED",
        "test_sound_answer": "PASSED",
        "test_broken_answer": "FAILED",
        "test_returns_nothing": "FAILED",
        "test_assertion": "PASSED",
        "test_failing_assertion": "FAILED",
    }, output
    for words in (
        "broken_sums is not private: it claims epsilon 1 (replace-one)",
        "found: neighbours cost epsilon 3",
        "by the mechanism laplace with scale 1, of a query that changes by 3",
        "broken_answer is not private: it claims epsilon 1 (given pairs)",
        "must return the function to audit, got None",
        "sound_sums: claimed epsilon 1, found epsilon 1 on 100 pairs of neighbours",
    ):
        assert words in output


def test_marked_tests_are_skipped_with_a_reason_without_the_option(project):
    output, outcomes = run_pytest(project, "tests", "-rs", "-k", "not assertion")
    assert set(outcomes.values()) == {"SKIPPED"}
    assert "an audit of differential privacy: give --dpfair-audit to run it" in output


def test_a_session_without_audits_loads_nothing_of_dpfair(project):
    output, _ = run_pytest(project, "unrelated")
    assert "1 passed" in output, output


def test_strict_markers_know_the_mark(project):
    output, _ = run_pytest(project, "tests", "--strict-markers", "--collect-only")
    assert "error" not in output.lower(), output


def test_a_table_that_differs_fails_with_the_differences():
    published = [{"method": "A", "mean": 0.8, "std": 0.01, "runs": 10}]
    assert pytest_dpfair.assert_reproduced(published, published).differences == ()
    ours = [{**published[0], "mean": 0.7}]
    with pytest.raises(AssertionError, match=r"not reproduced: 1 [^\n]*\n  cell differs: A, score"):
        pytest_dpfair.assert_reproduced(published, ours)
