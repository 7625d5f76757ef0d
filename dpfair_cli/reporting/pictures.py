"""Picture files: a picture carries a digest of what it was made from and is drawn again only when that changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dpfair_cli.contracts.specs import Spec

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_numbers(numbers: pd.DataFrame, folder: Path) -> str:
    """Write figure.csv, the numbers behind a picture; returns its text."""
    folder.mkdir(parents=True, exist_ok=True)
    text: str = numbers.to_csv(index=False, lineterminator="\n")
    (folder / "figure.csv").write_text(text, encoding="utf-8", newline="\n")
    return text


def draw_if_changed(
    draw: Callable[[], Figure], folder: Path, text: str, spec: Spec, seeds: str, notes: Sequence[str]
) -> list[Path]:
    """figure.png and figure.pdf in the folder, drawn again only if what they are made from has changed."""
    png, pdf = folder / "figure.png", folder / "figure.pdf"
    source = source_digest(text, spec, seeds, notes)
    if not (pdf.is_file() and embedded_digest(png) == source):
        from dpfair_cli.reporting import drawing

        drawing.save(draw(), png, pdf, source)
    return [png, pdf]


def source_digest(text: str, spec: Spec, seeds: str, notes: Sequence[str]) -> str:
    """What a picture depends on: its numbers, its words, how it is drawn and by which matplotlib."""
    methods = [part.method for part in spec.algorithms]
    words = (spec.source, spec.title, spec.layout, sorted(spec.labels.items()), methods, seeds, tuple(notes))
    code = [file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parent.glob("*drawing.py"))]
    return hashlib.sha256(repr((text, words, code, version("matplotlib"))).encode()).hexdigest()[:16]


def embedded_digest(png: Path) -> str:
    """The digest that a picture carries; empty if there is no readable picture."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(png) as image:
            return str(image.info.get("Description", ""))
    except (OSError, UnidentifiedImageError):
        return ""
