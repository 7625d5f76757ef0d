"""Printed values as comparisons: pairs, selections and refusals on a file of five lines."""

import numpy as np
import pytest

from dpfair_cli import paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.datasets import (
    printed_methods,
    printed_ranges,
    printed_settings,
    printed_tradeoffs,
)

LINES = """artefact,dataset,method,epsilon,random_seed,metric,mean,std,printed,place
table-not-run,d,none,1,7,accuracy,0.6,,0.6,p
table-not-run,d,none,1,7,gap,-0.8,0.1,-0.8±0.1,p
table-not-run,d,other,1,7,accuracy,0.7,,0.7,p
table-not-run,d,other,1,7,gap,0.4,0.2,0.4±0.2,p
table-not-run,d,other,2,7,gap,0.4,,0.4,p
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A project whose work "w" prints the five values."""
    (tmp_path / "experiments/w").mkdir(parents=True)
    (tmp_path / "experiments/w/published.csv").write_text(LINES)
    (tmp_path / "experiments/w/table-not-run.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert paths.folder("experiments") == tmp_path / "experiments"
    return tmp_path


def test_two_methods_are_paired_at_the_same_score_and_parameters(folder):
    found = printed_methods.load(folder, work="w", first="none", second="other", runs=3)
    assert found.metrics == ("accuracy", "gap")
    np.testing.assert_allclose(found.second.mean - found.first.mean, [0.1, 1.2])
    np.testing.assert_allclose(found.first.std, [np.nan, 0.1])
    assert found.first.runs.tolist() == [3, 3]


def test_dropped_signs_compare_absolute_values(folder):
    found = printed_methods.load(
        folder, work="w", first="none", second="other", metrics=("gap",), signs="dropped"
    )
    assert found.first.mean.tolist() == [0.8]
    assert found.second.mean.tolist() == [0.4]


def test_a_value_is_compared_with_that_at_the_reference(folder):
    found = printed_settings.load(folder, work="w", of="other", reference="1")
    assert len(found) == 1
    assert found.names == ("d, gap, epsilon 2, random_seed 7",)
    assert found.first.mean == found.second.mean == [0.4]


def test_a_value_is_compared_with_the_limit(folder):
    found = printed_ranges.load(folder, work="w", metrics=("accuracy",), limit=0.65)
    assert found.first.mean.tolist() == [0.65, 0.65]
    assert (found.second.mean > found.first.mean).tolist() == [False, True]


def test_a_trade_off_is_the_root_of_half_the_squares(folder):
    """sqrt((0.4^2 + 0.8^2) / 2) = sqrt(0.4) and sqrt((0.3^2 + 0.4^2) / 2) = sqrt(0.125)."""
    found = printed_tradeoffs.load(
        folder, work="w", only_value="1", gap="gap", first=("none",), second=("other",)
    )
    assert found.names == ("seed 7",)
    np.testing.assert_allclose(found.first.mean, np.sqrt(0.4))
    np.testing.assert_allclose(found.second.mean, np.sqrt(0.125))


@pytest.mark.parametrize(
    "options", [{"first": "unknown"}, {"metrics": ("unknown",)}, {"work": "unknown"}]
)
def test_values_that_are_not_printed_are_refused(folder, options):
    with pytest.raises(DpfairError):
        printed_methods.load(
            folder, **({"work": "w", "first": "none", "second": "other"} | options)
        )


def test_a_changed_value_changes_the_identity_of_the_data(folder):
    before = printed_methods.DATASET.content(work="w")
    (folder / "experiments/w/published.csv").write_text(LINES.replace("0.7", "0.8"))
    assert printed_methods.DATASET.content(work="w") != before


def test_printed_values_have_no_neighbours(folder):
    found = printed_methods.load(folder, work="w", first="none", second="other")
    with pytest.raises(ValueError, match="public"):
        found.neighbours(None, count=1, rng=np.random.default_rng(0))
    changed = found.take(np.array([1, 0]))
    assert found.differing_rows(changed).tolist() == [0, 1]
    assert found.fingerprint() != changed.fingerprint()
