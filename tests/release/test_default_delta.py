"""The delta of a fit to a table of one's own."""

import pytest

from dpfair_cli import catalog
from dpfair_cli.release.default_delta import with_default_delta


@pytest.mark.parametrize(
    ("records", "delta"), [(9, 1e-3), (100, 1e-3), (101, 1e-4), (45_222, 1e-6), (10**7, 1e-8)]
)
def test_a_default_delta_is_a_power_of_ten_of_at_most_a_tenth_of_1_over_n(records, delta):
    method = catalog.method("relaxed_functional_mechanism", {})
    assert with_default_delta(method, records).params["delta"] == delta


def test_a_small_delta_and_a_method_without_delta_stay_as_they_are():
    for name in ("dpsgd", "pflr", "logistic_regression"):
        method = catalog.method(name, {})
        assert with_default_delta(method, 100) == method
