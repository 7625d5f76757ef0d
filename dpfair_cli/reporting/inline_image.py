"""Embeds a picture in a page: a smaller copy of a PNG file as a data address."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from dpfair_cli.reporting import small_copies
from dpfair_cli.reporting.figures.hover import Point, read_from


class Image(NamedTuple):
    """A figure as a `data:` address, with its size in pixels and its points."""

    address: str
    width: int
    height: int
    points: Sequence[Point] = ()


def embed(png: Path, *, made: Mapping[str, str] = MappingProxyType({})) -> Image:
    """The figure in a PNG file as an embedded small copy.

    `made` are the texts of small copies that were made before, by digest.
    """
    from PIL import Image as Pillow

    with Pillow.open(png) as opened:
        points = read_from(opened.info)
    content = png.read_bytes()
    text = made.get(small_copies.digest_of(content)) or small_copies.copy_of(content).text
    address, width, height = json.loads(text)
    return Image(address, width, height, points)
