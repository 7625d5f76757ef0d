"""The records and the guarantee of a method that is registered for one test, and a clock."""

from itertools import count

from dpfair_cli.contracts.guarantees import Guarantee, Status

D = 8
"""The number of features of the records that are audited."""


def toy_guarantee(neighbours):
    """A guarantee for these neighbours."""
    return Guarantee("the result", neighbours, "nothing", Status.AS_PUBLISHED)


class Clock:
    """A clock on which each look takes the same time, however busy the machine is."""

    def __init__(self, seconds):
        self.looks, self.seconds = count(), seconds

    def monotonic(self):
        return next(self.looks) * self.seconds
