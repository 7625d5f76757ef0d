"""The documents of a receipt, one in each format of another program, and the folder with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dpfair_cli.addons.receipts import ro_crate, sarif
from dpfair_cli.addons.receipts.content import Receipt
from dpfair_cli.contracts.files import as_text, write_bytes, write_text


@dataclass(frozen=True)
class Document:
    """A format of a receipt."""

    file: str  # the name of the file, which other programs expect
    text: Callable[[Receipt], str]  # `text(receipt)` is the content of the file


def badge(receipt: Receipt) -> str:
    """How many published numbers agree and differ, for a badge; red if `dpfair check` fails.

    The text is JSON in the endpoint format of shields.io, which draws the badge.
    """
    document = {
        "schemaVersion": 1,
        "label": "published numbers",
        "message": f"{receipt.agreeing} agree, {receipt.differing} differ, "
        f"{receipt.undecided} undecided",
        "color": "red" if receipt.failures else "blue",
    }
    return as_text(document)


DOCUMENTS: Mapping[str, Document] = {  # by the value of the option --format
    "ro-crate": Document(ro_crate.FILE, ro_crate.text),
    "sarif": Document(sarif.FILE, sarif.text),
    "badge": Document("badge.json", badge),
}


def write(receipt: Receipt, target: Path) -> list[Path]:
    """Writes every document, and a copy of every file that they name, into the folder `target`.

    The folder is complete without the project. Returns the paths of the documents, without the
    copies.

    Raises:
        DpfairError: a document lacks what it needs.
        OSError: a file cannot be read or written.
    """
    # all texts before the first file: a document that lacks something leaves no half a folder
    texts = {target / one.file: one.text(receipt) for one in DOCUMENTS.values()}
    for file in receipt.every_file():
        copy = target / file.path
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(copy, file.source.read_bytes())
    for path, text in texts.items():
        write_text(path, text)
    return list(texts)
