"""Makes small copies of figures, which fit into a page with all figures of a paper.

A copy is a lossless WebP image of a third of the size of the PNG file, or less.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.contracts import kept_files

WIDEST = 1000  # pixels
FOLDER = "pictures"  # in the cache folder
MOST = 200  # kept copies; the oldest ones are deleted
COLOURS = 128  # chosen by an octree; a median cut would use most colours for shades of grey
EFFORT = {"method": 3, "quality": 20}  # more effort takes twice the time for 10 % smaller files


class SmallCopy(NamedTuple):
    """A small copy of a figure, with a digest of all that decides it."""

    digest: str
    """The digest of the figure's file, of this code and of its library."""

    text: str
    """The `data:` address of the copy, its width and its height, as JSON."""


def copy_of_file(png: Path) -> SmallCopy:
    """The small copy of the figure in a PNG file."""
    return copy_of(png.read_bytes())


def copy_of(content: bytes) -> SmallCopy:
    """The small copy of the figure in a PNG file with this content; it is made once."""
    digest = digest_of(content)
    make = partial(_made, content)
    return SmallCopy(digest, kept_files.made_once(FOLDER, digest, make, most=MOST))


def digest_of(content: bytes) -> str:
    """A digest of all that decides the small copy: the file, this code and its library."""
    from PIL import __version__, features

    made_by = (Path(__file__).read_text(encoding="utf-8"), __version__, features.version("webp"))
    return hashlib.sha256(repr(made_by).encode() + content).hexdigest()


def _made(content: bytes) -> str:
    """The address of a small copy of a figure, its width and its height, as JSON."""
    from PIL import Image

    with Image.open(io.BytesIO(content)) as opened:
        picture = opened.convert("RGB")
    if picture.width > WIDEST:
        size = WIDEST, round(picture.height * WIDEST / picture.width)
        picture = picture.resize(size, Image.Resampling.HAMMING)
    octree, no_dither = Image.Quantize.FASTOCTREE, Image.Dither.NONE
    few = picture.quantize(COLOURS, method=octree, dither=no_dither).convert("RGB")
    small = io.BytesIO()
    few.save(small, "WEBP", lossless=True, **EFFORT)
    address = f"data:image/webp;base64,{base64.b64encode(small.getvalue()).decode()}"
    return json.dumps([address, *picture.size])
