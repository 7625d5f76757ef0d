"""A privacy ledger: what was spent on releases about one table, what is left, and its text.

The file has one JSON object on each line. The first line is the heading, with the budget. Each
other line is an entry, in the order in which the entries were made (lines are wrapped here):

    {"ledger": 1, "domain": "3f...", "neighbours": "replace-one", "epsilon": "3", "delta": "0",
     "entries": 1, "last": "a1..."}
    {"entry": 1, "spent on": "model.json by pflr", "status": "proved",
     "neighbours": "replace-one", "epsilon": "1", "delta": "0", "sha256": "a1..."}

`domain` is the SHA-256 of the content of the domain file. The `sha256` of an entry is that of the
entry and of the `sha256` before it, beginning with that of the heading (a hash chain). The heading
repeats the number of entries and the last `sha256`. Therefore a text in which a line was changed,
deleted, repeated or cut off is refused. Somebody who computes all hashes again can write any
ledger: the hashes find mistakes, and do not stop a forger.

Numbers are decimal texts, and sums are exact: 0.1 and 0.2 are 0.3. The epsilon of a fit is the
shortest decimal number that is read as its double. The double can be larger than that, by 2^-53 of
it; the grid of the noise allows for 2^-20 (mechanisms/noise.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal, InvalidOperation
from hashlib import sha256
from typing import Any

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours, Status
from dpfair_cli.mechanisms.accounting.conversion import converted

FORMAT = 1
COUNTED = (Status.PROVED, Status.AS_PUBLISHED, Status.CONDITIONAL)
SUM = Context(prec=1000)  # more digits than a sum of the amounts below can have
MOST_DIGITS, FARTHEST = 40, 300  # digits of an amount, and its largest power of ten
SHOWN_DIGITS = 12
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class LedgerEntry:
    """One release that a ledger counts."""

    purpose: str  # what the budget was spent on
    status: str  # the status of the guarantee, with its conditions
    neighbours: Neighbours
    epsilon: Decimal
    delta: Decimal

    def cost(self, counted: Neighbours) -> tuple[Decimal, Decimal]:
        """The (epsilon, delta) of this entry in a ledger for the neighbours `counted`.

        Raises:
            DpfairError: the guarantee does not protect the neighbours `counted`.
        """
        try:
            return converted(self.epsilon, self.delta, stated=self.neighbours, counted=counted)
        except ValueError as error:
            raise DpfairError(
                f"{self.purpose}: its guarantee is for the neighbours {self.neighbours}, and "
                f"does not count in a ledger for the neighbours {counted}"
            ) from error


@dataclass(frozen=True)
class Ledger:
    """The budget of a table and the releases that it was spent on."""

    domain: str  # the SHA-256 of the content of the domain file
    neighbours: Neighbours  # the neighbours for which all entries are counted
    epsilon: Decimal  # the budget of epsilon
    delta: Decimal  # the budget of delta
    entries: tuple[LedgerEntry, ...] = ()  # what was spent, in order

    @property
    def spent(self) -> tuple[Decimal, Decimal]:
        """The sums (epsilon, delta) of all entries (basic composition)."""
        epsilon = delta = Decimal(0)
        for entry in self.entries:
            more_epsilon, more_delta = entry.cost(self.neighbours)
            epsilon, delta = SUM.add(epsilon, more_epsilon), SUM.add(delta, more_delta)
        return epsilon, delta

    @property
    def left(self) -> tuple[Decimal, Decimal]:
        """The (epsilon, delta) that is not spent."""
        epsilon, delta = self.spent
        return SUM.subtract(self.epsilon, epsilon), SUM.subtract(self.delta, delta)

    def with_entries(self, entries: Iterable[LedgerEntry]) -> Ledger:
        """The ledger with further entries.

        Raises:
            DpfairError: an entry has no guarantee that counts, or the budget does not suffice.
        """
        entries = tuple(entries)
        for entry in entries:
            require_counted(entry)
        new = replace(self, entries=(*self.entries, *entries))
        if min(new.left) < 0:  # exact decimals: 0.1 + 0.2 does not exceed 0.3
            asked = replace(self, entries=entries).spent
            raise DpfairError(
                f"the budget does not suffice: {in_words(*self.left, ROUND_DOWN)} is left, and "
                f"{' and '.join(entry.purpose for entry in entries)} would spend "
                f"{in_words(*asked, ROUND_UP)} ({self.neighbours}){self._hint_of_delta(asked[1])}"
            )
        return new

    def _hint_of_delta(self, asked: Decimal) -> str:
        """What to do about a delta that is asked of a budget without delta; else empty."""
        if self.delta or not asked:
            return ""
        return (
            ": the budget has no delta (`dpfair budget init --delta`), so only methods without a "
            "delta can be paid, such as functional_mechanism"
        )


def in_words(epsilon: Decimal, delta: Decimal, rounding: str) -> str:
    """A budget as text, such as "epsilon 1, delta 1E-6"; delta is left out if it is 0."""
    shown = Context(prec=SHOWN_DIGITS, rounding=rounding)
    texts = [
        str(shown.plus(amount)) if amount else "0"  # not 0E-20
        for amount in (epsilon, delta)
    ]
    return f"epsilon {texts[0]}" + (f", delta {texts[1]}" if delta else "")


def amount(text: str) -> Decimal:
    """The number that a text states exactly; a ValueError if it is below 0 or no double."""
    try:
        number = Decimal(text)
    except InvalidOperation as error:
        raise ValueError(f"must be a number, got {text!r}") from error
    if not number.is_finite() or number.is_signed():
        raise ValueError(f"must be a finite number of 0 or more, got {text}")
    far = number and abs(number.adjusted()) > FARTHEST
    if far or len(number.as_tuple().digits) > MOST_DIGITS:
        raise ValueError(
            f"must be a number of at most {MOST_DIGITS} digits, from 1E-{FARTHEST} to 1E{FARTHEST}"
        )
    return number


def text_of(ledger: Ledger) -> str:
    """The text of a ledger, which `parse` reads."""
    heading = {"ledger": FORMAT, "domain": ledger.domain, **_texts(ledger)}
    last, lines = _hash("", heading), []
    for number, entry in enumerate(ledger.entries, start=1):
        fields = {"entry": number, "spent on": entry.purpose, "status": entry.status}
        fields |= _texts(entry)
        last = _hash(last, fields)
        lines.append(fields | {"sha256": last})
    first = heading | {"entries": len(lines), "last": last}
    return "".join(json.dumps(line) + "\n" for line in (first, *lines))


def parse(text: str) -> Ledger:
    """The ledger with this text; a DpfairError if the text is not what `text_of` wrote."""
    try:
        heading, *lines = map(json.loads, text.splitlines())
        entries = [LedgerEntry(one["spent on"], one["status"], **_amounts(one)) for one in lines]
        ledger = Ledger(str(heading["domain"]), **_amounts(heading), entries=tuple(entries))
        # written again, it has the same bytes: hashes, numbers and order need no check of their own
        whole = text_of(ledger) == text and min(ledger.left) >= 0
    except (*UNREADABLE, DpfairError):
        whole = False
    if not whole:
        raise DpfairError(
            "is damaged: a line was changed, removed or repeated, or the file is cut off. Nothing "
            "can be spent from it"
        )
    return ledger


def _texts(amounts: Ledger | LedgerEntry) -> dict[str, Any]:
    """The amounts of a line of the file, as exact texts."""
    epsilon, delta = str(amounts.epsilon), str(amounts.delta)
    return {"neighbours": amounts.neighbours, "epsilon": epsilon, "delta": delta}


def _amounts(fields: dict[str, Any]) -> dict[str, Any]:
    """The amounts that a line of the file states; a ValueError if one is no usual number."""
    return {
        "neighbours": Neighbours(fields["neighbours"]),
        "epsilon": amount(fields["epsilon"]),
        "delta": amount(fields["delta"]),
    }


def _hash(before: str, fields: dict[str, Any]) -> str:
    """The hash of the fields of a line and of the hash before it."""
    return sha256(f"{before}{json.dumps(fields)}".encode()).hexdigest()


def require_counted(entry: LedgerEntry) -> None:
    """Refuses an entry whose status is void, refuted or not private, or whose cost is unknown."""
    if entry.status.partition(":")[0] not in COUNTED:
        raise DpfairError(
            f"{entry.purpose} has the status {entry.status}, so its privacy loss cannot be counted"
        )
    if not (entry.epsilon.is_finite() and entry.epsilon > 0 and 0 <= entry.delta < 1):
        raise DpfairError(f"{entry.purpose}: epsilon and delta must be positive and finite")
