"""The formats of a receipt, each with its file and the function that writes its text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpfair_cli.addons.receipts import badge, ro_crate, sarif
from dpfair_cli.addons.receipts.content import Receipt


@dataclass(frozen=True)
class Format:
    """A format of a receipt."""

    name: str  # the value of the option --format
    file: str  # the name of the file, which other programs expect
    text: Callable[[Receipt], str]  # `text(receipt)` is the content of the file


FORMATS = (
    Format("ro-crate", ro_crate.FILE, ro_crate.text),
    Format("sarif", sarif.FILE, sarif.text),
    Format("badge", badge.FILE, badge.text),
)
