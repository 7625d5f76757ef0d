"""Every state that an entry can have."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """The state of an entry, in the order of the page."""

    SETTLED = "settled"  # the steps of our runs explain the gap: the rest is equivalent to zero
    # the steps explain a share of the gap, or the rest is too uncertain to be called zero
    IN_PART = "settled in part"
    # the noise is not known or larger than the margin, or our runs do not show the gap
    UNDECIDED = "undecided"
    NOT_ONE = "not one quantity"  # the two numbers or sentences are not about the same thing
    NO_CONTRADICTION = "no contradiction"  # the numbers are equivalent, or both sentences hold
