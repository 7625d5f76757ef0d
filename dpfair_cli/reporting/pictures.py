"""The files of a picture: its PNG carries a digest of what it was made from, and is drawn again when that changes."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting import style
from dpfair_cli.reporting.style import Heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_picture(
    numbers: pd.DataFrame, draw_panels: Callable[[Figure], None], heading: Heading, spec: Spec, folder: Path
) -> list[Path]:
    """Write figure.csv, the numbers, and figure.png and figure.pdf, unless those show just these numbers already.

    `draw_panels` sets the size of an empty figure and adds panels to it; labelled marks enter the legend.
    """
    folder.mkdir(parents=True, exist_ok=True)
    png, pdf, csv = (folder / f"figure.{ending}" for ending in ("png", "pdf", "csv"))
    text: str = numbers.to_csv(index=False, lineterminator="\n")
    csv.write_text(text, encoding="utf-8", newline="\n")
    digest = _digest(text, heading, spec)
    if not (pdf.is_file() and _embedded_digest(png) == digest):
        style.save(style.compose(draw_panels, heading), png, pdf, digest)
    return [png, pdf, csv]


def _digest(text: str, heading: Heading, spec: Spec) -> str:
    """What a picture depends on: its numbers and words, the code of its layout and of the style, and matplotlib."""
    methods = list(spec.methods)
    words = (heading, spec.layout, sorted(spec.labels.items()), methods)
    files = (inspect.getfile(style), inspect.getfile(type(spec.layout)))
    code = [Path(file).read_text(encoding="utf-8") for file in files]
    return hashlib.sha256(repr((text, words, code, version("matplotlib"))).encode()).hexdigest()[:16]


def _embedded_digest(png: Path) -> str:
    """The digest that a picture carries; empty if there is no readable picture."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(png) as image:
            return str(image.info.get("Description", ""))
    except (OSError, UnidentifiedImageError):
        return ""
