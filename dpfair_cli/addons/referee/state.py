"""Every state that an entry can have."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """The state of an entry, in the order of the page."""

    SETTLED = "settled"
    """The steps of our runs explain the gap: the rest is equivalent to zero."""

    IN_PART = "settled in part"
    """The steps explain a share of the gap, or the rest is too uncertain to be called zero."""

    UNDECIDED = "undecided"
    """The noise is not known or larger than the margin, or our runs do not show the gap."""

    NOT_ONE = "not one quantity"
    """The two numbers or sentences are not about the same thing."""

    NO_CONTRADICTION = "no contradiction"
    """The numbers are equivalent, or both sentences hold."""
