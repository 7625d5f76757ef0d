"""Embedded pictures: the same from the cache, and made again when the picture changes."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image as Pillow
from PIL.PngImagePlugin import PngInfo

from dpfair_cli.reporting import small_copies
from dpfair_cli.reporting.figures import hover
from dpfair_cli.reporting.figures.hover import Point
from dpfair_cli.reporting.inline_image import embed
from dpfair_cli.reporting.small_copies import WIDEST


def draw(file, colour, size=(40, 20), points=()):
    information = PngInfo()
    hover.add_to(information, list(points))
    Pillow.new("RGB", size, colour).save(file, pnginfo=information)


def pixel(image):
    content = base64.b64decode(image.address.removeprefix("data:image/webp;base64,"))
    return Pillow.open(io.BytesIO(content)).convert("RGB").getpixel((0, 0))


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A cache folder; the result lists the pictures of which a small copy was made."""
    monkeypatch.setenv("DPFAIR_CACHE", str(tmp_path / "cache"))
    found, small_copy = [], small_copies._made

    def spy(content):
        found.append(content)
        return small_copy(content)

    monkeypatch.setattr(small_copies, "_made", spy)
    return found


def test_a_picture_is_embedded_with_its_points(tmp_path):
    draw(tmp_path / "a.png", "white", points=[Point(1, 2, "LR: x 1, y 2")])
    image = embed(tmp_path / "a.png")
    assert (image.width, image.height) == (40, 20)
    assert pixel(image) == (255, 255, 255)
    assert [*image.points] == [Point(1, 2, "LR: x 1, y 2")]


def test_a_wide_picture_becomes_narrower(tmp_path):
    draw(tmp_path / "a.png", "white", size=(2 * WIDEST, 100))
    image = embed(tmp_path / "a.png")
    assert (image.width, image.height) == (WIDEST, 50)


def test_the_copy_of_an_unchanged_picture_is_kept(tmp_path, made):
    draw(tmp_path / "a.png", "white", points=[Point(1, 2, "LR")])
    assert embed(tmp_path / "a.png") == embed(tmp_path / "a.png")
    assert made == [(tmp_path / "a.png").read_bytes()]


def test_another_picture_of_the_same_name_is_another_copy(tmp_path, made):
    draw(tmp_path / "a.png", "white")
    embed(tmp_path / "a.png")
    draw(tmp_path / "a.png", "black")
    assert pixel(embed(tmp_path / "a.png")) == (0, 0, 0)
    assert len(made) == 2


def test_a_small_copy_made_before_is_embedded(tmp_path, made, monkeypatch):
    draw(tmp_path / "a.png", "white")
    small = small_copies.copy_of_file(tmp_path / "a.png")
    made.clear()
    monkeypatch.setenv("DPFAIR_CACHE", "")
    assert pixel(embed(tmp_path / "a.png", made=dict([small]))) == (255, 255, 255)
    assert made == []


def test_a_small_copy_of_an_earlier_picture_is_not_embedded(tmp_path):
    draw(tmp_path / "a.png", "white")
    small = small_copies.copy_of_file(tmp_path / "a.png")
    draw(tmp_path / "a.png", "black")
    assert pixel(embed(tmp_path / "a.png", made=dict([small]))) == (0, 0, 0)
