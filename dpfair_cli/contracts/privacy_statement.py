"""What is promised of a fitted model, about which neighbours, and on which conditions."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class PrivacyStatement:
    """A privacy claim with its scope, each part in words for a reader; empty where a method claims
    nothing.

    `status` is that of the claim: proved, as-published, conditional, refuted, not private, or
    "void: " and every condition that this very fit broke, "not private: " if bounds were read from
    the data. `public` is what the claim takes as known to everybody, `released` what it covers,
    `arithmetic` how the noise was drawn, `sampling` how batches were, `proof` and `tests` where to
    look.
    """

    status: str
    privacy: str
    source: str
    epsilon: str = ""
    delta: str = ""
    neighbours: str = ""
    public: str = ""
    released: str = ""
    arithmetic: str = ""
    sampling: str = ""
    proof: str = ""
    tests: str = ""

    def in_words(self) -> dict[str, str]:
        """Every part that says something, by name."""
        return {name: text for name, text in asdict(self).items() if text}
