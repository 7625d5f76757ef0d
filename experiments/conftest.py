"""The small crowds of the tests of algorithms, for the tests of the papers' methods."""

from tests.algorithms.conftest import crowd, records_fixture

__all__ = ["crowd", "records_fixture"]
