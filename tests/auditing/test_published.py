"""Audits of released scores and of a private choice: they hold, and planted mistakes are found."""

from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing.survey import PUBLISHED, audit_published, load_data, surveyed_published
from dpfair_cli.metrics import classification as metrics
from dpfair_cli.release import choosing, released_scores

NAMES = sorted(PUBLISHED)


@pytest.fixture(scope="module")
def records():
    return load_data(catalog.data_set("adult", {}), Path("no data"), seed=0)[1]


def audited(name, records):
    return audit_published(name, records, params={"epsilon": 1.0}, neighbours=40)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_published_holds_and_its_sensitivities_are_reached(name, records):
    found = audited(name, records)
    assert found.holds
    assert min(found.moves.values()) > 0.99


def test_a_try_costs_the_larger_one_of_its_two_budgets(records):
    """A record is either trained on or held out, so that the two budgets do not add up."""
    assert audited("choice_of_a_method", records).found == pytest.approx(0.8, rel=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_the_survey_has_a_line_for_what_is_published(name):
    row = surveyed_published(name)
    assert (row.method, row.data, row.verdict) == (name, "adult", "holds")
    assert not row.contradicts


def plain_counts(decision, test):
    """The counts without a bound on the decisions."""
    groups = len(test.domain.groups)
    return metrics.tabulate(np.asarray(decision), test.y, test.protected, groups=groups)


def counts_of_bounded_decisions(decision, test):
    """The counts in which NaN is not replaced."""
    return plain_counts(np.clip(decision, 0.0, 1.0), test)


def without_noise(value, *, l1_sensitivity, epsilon, rng):
    return np.asarray(value)


def counted_three_times(counts, count=released_scores.correct):
    return 3 * count(counts)


def without_a_share_for_the_count(epsilon):
    """A third of the budget for the fit, and another third for the count."""
    return float(epsilon) / 3, float(epsilon) / 3


MISTAKES = [
    ("released_scores", released_scores, "held_out_counts", plain_counts),
    ("released_scores", released_scores, "held_out_counts", counts_of_bounded_decisions),
    ("released_scores", released_scores, "L1_REPLACED", 1.7),
    ("released_scores", released_scores, "laplace", without_noise),
    ("choice_of_a_method", choosing, "correct", counted_three_times),
    ("choice_of_a_method", choosing, "laplace", without_noise),
    ("choice_of_a_method", choosing, "FACTOR", 1),
    ("choice_of_a_method", choosing, "budget_of_try", without_a_share_for_the_count),
]


@pytest.mark.parametrize(("name", "module", "place", "mistake"), MISTAKES)
def test_a_mistake_is_found(monkeypatch, records, name, module, place, mistake):
    monkeypatch.setattr(module, place, mistake)
    assert not audited(name, records).holds
