"""Two records, for which coefficients are worked by hand."""

import pytest


@pytest.fixture
def couple(records):
    """x = 1, y = 1 in group 0 and x = 1/2, y = 0 in group 1.

    linear = -1/2 * 1 + 1/2 * 1/2 = -1/4;  square = (1 + 1/4) / 8 = 5/32;  s_bar = 1/2
    g = -1/2 * 1 + 1/2 * 1/2 = -1/4;  with absolute values 1/2 + 1/4 = 3/4
    """
    return records([[1], [0.5]], [1, 0], [0, 1])
