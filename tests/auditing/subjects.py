"""The records and the guarantee of a method that is registered for one test."""

from dpfair_cli.contracts.guarantees import Guarantee, Status

D = 8
"""The number of features of the records that are audited."""


def toy_guarantee(neighbours):
    """A guarantee for these neighbours."""
    return Guarantee("the result", neighbours, "nothing", Status.AS_PUBLISHED)
