"""Embeds a picture in a page: a smaller copy of a PNG file as a data address."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
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


class SmallCopy(NamedTuple):
    """A small copy of a figure, with a digest of all that decides it."""

    digest: str
    """The digest of the figure's file, of this code and of its library."""

    text: str
    """The address of the copy, its width and its height, as JSON."""


def embed(png: Path, *, made: Mapping[str, str] = MappingProxyType({})) -> Image:
    """The figure in a PNG file as an embedded, lossless WebP image of about a third of the size.

    `made` are the texts of small copies that were made before, by digest.
    """
    from PIL import Image as Pillow

    with Pillow.open(png) as opened:
        points = read_from(opened.info)
    content = png.read_bytes()
    text = made.get(_digest(content)) or small_copy(content).text
    address, width, height = json.loads(text)
    return Image(address, width, height, points)


def small_copy_of(png: Path) -> SmallCopy:
    """The small copy of the figure in a PNG file."""
    return small_copy(png.read_bytes())


def small_copy(content: bytes) -> SmallCopy:
    """The small copy of the figure in a PNG file with this content; it is made once."""
    digest = _digest(content)
    make = partial(_made, content)
    return SmallCopy(digest, kept_files.made_once(FOLDER, digest, make, most=MOST))


def _digest(content: bytes) -> str:
    """A digest of all that decides the small copy: the file, this code and its library."""
    from PIL import __version__, features

    made_by = (Path(__file__).read_text(encoding="utf-8"), __version__, features.version("webp"))
    return hashlib.sha256(repr(made_by).encode() + content).hexdigest()


def _made(content: bytes) -> str:
    """The address of a small copy of a figure, its width and its height, as JSON."""
    from PIL import Image as Pillow

    with Pillow.open(io.BytesIO(content)) as opened:
        picture = opened.convert("RGB")
    if picture.width > WIDEST:
        picture = picture.resize(
            (WIDEST, round(picture.height * WIDEST / picture.width)), Pillow.Resampling.LANCZOS
        )
    few = picture.quantize(
        COLOURS, method=Pillow.Quantize.FASTOCTREE, dither=Pillow.Dither.NONE
    ).convert("RGB")
    small = io.BytesIO()
    few.save(small, "WEBP", lossless=True, method=3)
    address = f"data:image/webp;base64,{base64.b64encode(small.getvalue()).decode()}"
    return json.dumps([address, *picture.size])
