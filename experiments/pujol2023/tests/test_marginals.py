"""Distances between marginals, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.papers.pujol2023.models import marginals
from dpfair_cli.papers.pujol2023.models.stored_tables import LEVELS

SEX = [*LEVELS].index("sex")


def table(sexes):
    """Records that have the code 0 in each column but that of the sex."""
    found = np.zeros((len(sexes), len(LEVELS)), dtype=np.int64)
    found[:, SEX] = sexes
    return found


def test_the_distance_of_one_attribute_is_a_part_of_the_mean():
    """Shares of the sexes (1, 0) and (1/2, 1/2); the other 13 attributes have equal shares."""
    found = marginals.marginal_distances(table([0, 0, 0, 0]), table([0, 1]), 1)
    assert found["tv_distance_1way"] == pytest.approx(0.5 / 14)
    # counts (4, 0) and (1, 1) of the sexes: (3 + 1) / 2; 4 and 2 of one cell in 13 others
    assert found["tv_distance_1way_counts"] == 2 + 13 * 1


def test_a_pair_differs_if_one_of_its_attributes_does():
    """All 91 pairs have at most 100 * 100 cells, and 13 of them have the sex."""
    found = marginals.marginal_distances(table([0, 0, 0, 0]), table([0, 1]), 2)
    assert found["tv_distance_2way"] == pytest.approx(13 * 0.5 / 91)
    assert found["tv_distance_2way_counts"] == 13 * 2 + 78 * 1


@pytest.mark.parametrize("least", [0, 1])  # the notebooks replace 0 by 1
def test_the_association_reads_records_as_a_table_of_counts(least):
    """chi2 = 20 (81 - 1)^2 / 10^4 = 12.8 of 20 in all; (0.64 - 1/19) / (18/19) = 0.62."""
    found = marginals.association(np.array([[9, least], [least, 9]]))
    assert found == pytest.approx(np.sqrt(0.62))


def test_a_table_has_no_distance_from_itself():
    own = np.random.default_rng(0).integers(2, size=(30, len(LEVELS)))
    for found in (
        marginals.marginal_distances(own, own, 1),
        marginals.marginal_distances(own, own, 2),
        marginals.association_distances(own, own),
    ):
        assert set(found.values()) == {0.0}
