"""The two pictures of a published table: their texts, their places and their colours."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dpfair_cli.reporting import printed_picture
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.deciding import decide_artefact
from tests.reporting.compared_paper import ROWS, SPEC, cell
from tests.verdicts.toy_paper import published_cell

SVG = "{http://www.w3.org/2000/svg}"
PAIRS = (("✓ 0.7000", "(0.7100)"), ("✗ 0.7000", "(0.9000)"), ("✗ 0.8000", "(0.9500)"))
CELLS = (cell("us", "FM", 0.1, 0.71), cell("us", "FM", 1.0, 0.9), cell("us", "LR", 1.0, 0.95))


@pytest.fixture
def judged() -> Verdicts:
    paper = Paper([published_cell(one) for one in CELLS])
    return decide_artefact(ROWS, SPEC, paper, standins={})


@pytest.fixture
def pictures(judged: Verdicts, tmp_path: Path) -> dict[str, str]:
    files = printed_picture.write(judged, tmp_path)
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def rgb(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def luminance(channels: list[float]) -> float:
    """The relative luminance of the Web Content Accessibility Guidelines 2.2."""
    shares = [one / 255 for one in channels]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: list[float], other: list[float]) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_there_is_one_picture_for_each_ground(pictures):
    assert list(pictures) == ["printed-light.svg", "printed-dark.svg"]
    light, dark = (re.sub("#[0-9a-f]{6}", "", text) for text in pictures.values())
    assert light == dark
    assert len({*pictures.values()}) == 2


def test_each_cell_has_its_sign_our_value_and_the_published_one(pictures):
    root = ElementTree.fromstring(pictures["printed-light.svg"])
    texts = [text.text for text in root.iter(f"{SVG}text")]
    for ours, published in PAIRS:
        assert texts[texts.index(ours) + 1] == published


def test_each_cell_and_the_legend_have_the_colour_of_their_verdict(pictures):
    root = ElementTree.fromstring(pictures["printed-light.svg"])
    tones = Counter(rect.get("class") for rect in root.iter(f"{SVG}rect") if rect.get("class"))
    # each tone once more in the legend
    assert tones == {"good": 2, "bad": 3}


def test_no_place_of_a_picture_lies_on_another_one(judged):
    printed = printed_picture.printed_table.make(judged.cells, judged.spec)
    boxes = printed_picture._boxes(printed, "title", printed_picture._counts(judged))
    for one, other in combinations(boxes, 2):
        is_beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        is_below = one.y + one.height <= other.y or other.y + other.height <= one.y
        assert is_beside or is_below, (one, other)


def test_texts_can_be_read_on_every_tint(pictures):
    for text in pictures.values():
        ink, soft, good, middle, bad = map(rgb, re.findall(r"fill: (#[0-9a-f]{6})", text))
        ground = rgb(re.findall(r'fill="(#[0-9a-f]{6})"', text)[0])
        share = float(re.findall(r'fill-opacity="([.\d]+)"', text)[0])
        for tone in (good, middle, bad):
            pairs = zip(tone, ground, strict=True)
            tint = [share * own + (1 - share) * below for own, below in pairs]
            assert contrast(ink, tint) >= 7  # level AAA
        assert contrast(soft, ground) >= 4.5  # level AA
