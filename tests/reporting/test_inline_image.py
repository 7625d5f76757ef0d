"""Embedded pictures: small copies with the points of the figure."""

from __future__ import annotations

import base64
import io
import json

from PIL import Image as Pillow
from PIL.PngImagePlugin import PngInfo

from dpfair_cli.reporting.figures import pictures
from dpfair_cli.reporting.figures.pictures import HoverPoint
from dpfair_cli.reporting.html_page import WIDEST, embed


def draw(file, colour, size=(40, 20), points=()):
    information = PngInfo()
    information.add_itxt(pictures.POINTS, json.dumps(points), zip=True)
    Pillow.new("RGB", size, colour).save(file, pnginfo=information)


def pixel(image):
    content = base64.b64decode(image.address.removeprefix("data:image/webp;base64,"))
    return Pillow.open(io.BytesIO(content)).convert("RGB").getpixel((0, 0))


def test_a_picture_is_embedded_with_its_points(tmp_path):
    draw(tmp_path / "a.png", "white", points=[HoverPoint(1, 2, "LR: x 1, y 2")])
    image = embed(tmp_path / "a.png")
    assert (image.width, image.height) == (40, 20)
    assert pixel(image) == (255, 255, 255)
    assert [*image.points] == [HoverPoint(1, 2, "LR: x 1, y 2")]


def test_a_wide_picture_becomes_narrower(tmp_path):
    draw(tmp_path / "a.png", "white", size=(2 * WIDEST, 100))
    image = embed(tmp_path / "a.png")
    assert (image.width, image.height) == (WIDEST, 50)


def test_another_picture_of_the_same_name_is_another_copy(tmp_path):
    draw(tmp_path / "a.png", "white")
    embed(tmp_path / "a.png")
    draw(tmp_path / "a.png", "black")
    assert pixel(embed(tmp_path / "a.png")) == (0, 0, 0)
