"""A mechanism of a library as it is audited: the function, its claim and the neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

EPSILON, DELTA = 1.0, 1e-5  # claimed where the library takes them as parameters


class Audited(NamedTuple):
    """A mechanism, what its library claims, and what is known of it."""

    call: Callable[..., Any]
    """The function of the features and labels, or of one of two given inputs."""
    claim: ClaimedPrivacy
    """The privacy that the library claims."""
    neighbours: str | Sequence[tuple[Any, Any]]
    """The neighbouring relation, or pairs of neighbouring inputs."""
    relation: str
    """The neighbouring relation in words."""
    why: str
    """What is known of the mechanism, in words."""
    by: Literal["noise or outcomes", "outcomes"] = "outcomes"
    """What the audit compares between neighbours."""
    is_claimed: bool = True
    """Whether the library claims privacy for these neighbours."""
