"""Embeds a picture in a page: a smaller copy of a PNG file as a data address."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.reporting.figures.hover import Point, read_from

WIDEST = 1000  # pixels
COLOURS = 128  # chosen by an octree; a median cut would use most colours for shades of grey


class Image(NamedTuple):
    """A figure as a `data:` address, with its size in pixels and its points."""

    address: str
    width: int
    height: int
    points: Sequence[Point] = ()


def embed(png: Path) -> Image:
    """The figure in a PNG file as an embedded, lossless WebP image of about a third of the size."""
    from PIL import Image as Pillow

    with Pillow.open(png) as opened:
        picture, points = opened.convert("RGB"), read_from(opened.info)
    if picture.width > WIDEST:
        picture = picture.resize(
            (WIDEST, round(picture.height * WIDEST / picture.width)), Pillow.Resampling.LANCZOS
        )
    few = picture.quantize(
        COLOURS, method=Pillow.Quantize.FASTOCTREE, dither=Pillow.Dither.NONE
    ).convert("RGB")
    content = io.BytesIO()
    few.save(content, "WEBP", lossless=True, method=3)
    return Image(
        f"data:image/webp;base64,{base64.b64encode(content.getvalue()).decode()}",
        *picture.size,
        points,
    )
