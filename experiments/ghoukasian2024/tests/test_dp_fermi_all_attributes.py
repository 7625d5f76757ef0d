"""What the published noise for all attributes does not cover.

tests/algorithms/training/test_dp_fermi.py has the steps, which are those of dp_fermi.
"""

from dpfair_cli.auditing.audit import audit
from dpfair_cli.catalog import algorithm


def test_whole_records_are_not_covered(crowd):
    params = algorithm("dp_fermi_all_attributes").complete({"epochs": 5})
    found = audit("dp_fermi_all_attributes", crowd(n=60, d=2), params=params, neighbours=8)
    assert "the fitted model" in found.leaks  # means and deviations of the inputs
