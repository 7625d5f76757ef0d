"""Writes a receipt as a folder that is complete without the project."""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.addons.receipts.content import Receipt
from dpfair_cli.addons.receipts.formats import FORMATS
from dpfair_cli.contracts.files import write_bytes, write_text


def write(receipt: Receipt, target: Path) -> list[Path]:
    """Writes every format and a copy of every file that they name into the folder `target`.

    Returns the paths of the documents, without the copies.

    Raises:
        DpfairError: a format lacks what it needs.
        OSError: a file cannot be read or written.
    """
    documents = {target / one.file: one.text(receipt) for one in FORMATS}
    for file in receipt.every_file():
        copy = target / file.path
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(copy, file.source.read_bytes())
    for path, content in documents.items():
        write_text(path, content)
    return list(documents)
