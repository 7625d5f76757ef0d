"""The badge of a receipt: JSON in the endpoint format of shields.io, which draws the badge."""

from __future__ import annotations

from dpfair_cli.addons.receipts import counts
from dpfair_cli.addons.receipts.content import Receipt
from dpfair_cli.contracts.files import as_text

FILE = "badge.json"


def text(receipt: Receipt) -> str:
    """The badge: how many published numbers agree and differ; red if `dpfair check` fails."""
    agree, differ = counts.agreeing(receipt), counts.differing(receipt)
    document = {
        "schemaVersion": 1,
        "label": "published numbers",
        "message": f"{agree} agree, {differ} differ, {counts.undecided(receipt)} undecided",
        "color": "red" if counts.failures(receipt) else "blue",
    }
    return as_text(document)
