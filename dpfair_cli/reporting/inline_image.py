"""Embeds a picture in a page: a smaller copy of a PNG file as a data address.

A copy is a lossless WebP image of a third of the size of the PNG file, or less, so that one page
holds all figures of a paper.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.reporting.figures.hover import HoverPoint, read_from

WIDEST = 1000  # pixels
COLOURS = 128  # chosen by an octree; a median cut would use most colours for shades of grey
EFFORT = {"method": 3, "quality": 20}  # more effort takes twice the time for 10 % smaller files


class Image(NamedTuple):
    """A figure as a `data:` address, with its size in pixels and its points."""

    address: str
    width: int
    height: int
    points: Sequence[HoverPoint] = ()


def embed(png: Path) -> Image:
    """The figure in a PNG file as an embedded small copy."""
    from PIL import Image as Pillow

    with Pillow.open(png) as opened:
        points = read_from(opened.info)
        picture = opened.convert("RGB")
    if picture.width > WIDEST:
        size = WIDEST, round(picture.height * WIDEST / picture.width)
        picture = picture.resize(size, Pillow.Resampling.HAMMING)
    octree, no_dither = Pillow.Quantize.FASTOCTREE, Pillow.Dither.NONE
    few = picture.quantize(COLOURS, method=octree, dither=no_dither).convert("RGB")
    small = io.BytesIO()
    few.save(small, "WEBP", lossless=True, **EFFORT)
    address = f"data:image/webp;base64,{base64.b64encode(small.getvalue()).decode()}"
    return Image(address, *picture.size, points)
