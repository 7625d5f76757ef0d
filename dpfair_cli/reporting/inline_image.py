"""Embeds a picture in a page: a smaller copy of a PNG file as a data address."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.contracts import kept_files
from dpfair_cli.reporting.figures.hover import Point, read_from

WIDEST = 1000  # pixels
FOLDER = "pictures"  # in the cache folder
MOST = 200  # kept copies; the oldest ones are deleted
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
        points = read_from(opened.info)
    text = kept_files.made_once(FOLDER, _digest(png), partial(_small_copy, png), most=MOST)
    address, width, height = json.loads(text)
    return Image(address, width, height, points)


def _digest(png: Path) -> str:
    """A digest of all that decides the small copy: the file, this code and its library."""
    from PIL import __version__, features

    made_by = (Path(__file__).read_text(encoding="utf-8"), __version__, features.version("webp"))
    return hashlib.sha256(repr(made_by).encode() + png.read_bytes()).hexdigest()


def _small_copy(png: Path) -> str:
    """The address of a small copy of a figure, its width and its height, as JSON."""
    from PIL import Image as Pillow

    with Pillow.open(png) as opened:
        picture = opened.convert("RGB")
    if picture.width > WIDEST:
        picture = picture.resize(
            (WIDEST, round(picture.height * WIDEST / picture.width)), Pillow.Resampling.LANCZOS
        )
    few = picture.quantize(
        COLOURS, method=Pillow.Quantize.FASTOCTREE, dither=Pillow.Dither.NONE
    ).convert("RGB")
    content = io.BytesIO()
    few.save(content, "WEBP", lossless=True, method=3)
    address = f"data:image/webp;base64,{base64.b64encode(content.getvalue()).decode()}"
    return json.dumps([address, *picture.size])
