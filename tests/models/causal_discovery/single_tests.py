"""Independence tests, asked for one at a time."""

import numpy as np


def p_value(test, i, j, given=()):
    """The p-value of the test whether i and j are independent given the variables `given`."""
    return test.p_values(np.array([[i, j, *given]])).item()
