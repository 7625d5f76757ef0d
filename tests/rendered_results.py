"""The committed results, rendered again by `dpfair reproduce --collect` in another folder."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from dpfair_cli.commands import main
from dpfair_cli.running import spec
from tests.made_once import made_once

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
PAPERS = {path.parent.name for path in ROOT.glob("experiments/*/*.yaml")}
FOLDERS = {
    f"{path.parent.parent.name}/{path.parent.name}": path.parent
    for path in sorted(RESULTS.glob("*/*/check.md"))
    if path.parent.parent.name in PAPERS
}
# a figure of each layout, to be drawn again: a digest does not cover the code that draws
FIGURES = {type(spec.load(name).layout): name for name in FOLDERS if "/figure" in name}
DRAWN_AGAIN = tuple(FIGURES.values())
PRINTED_TEXT = "printed.json"


def rendered(factory: pytest.TempPathFactory, data: Path) -> Path:
    """The folder of the results, made once for all tests and from any folder of data."""
    return made_once(factory, "results", partial(_render, data=data))


def printed_text(folder: Path) -> str:
    """What the command printed that rendered the results in a folder; it must have succeeded."""
    code, text, error = json.loads((folder / PRINTED_TEXT).read_text(encoding="utf-8"))
    assert code == 0, text + error
    return str(text)


def _render(out: Path, *, data: Path) -> None:
    """Copies the committed results to `out`, and renders them there; keeps what is printed."""
    for name, folder in FOLDERS.items():
        shutil.copytree(folder, out / name)
    for name in DRAWN_AGAIN:
        for png in (out / name).glob("*.png"):
            png.unlink()
    shutil.copy(RESULTS / "audit.csv", out)  # the evidence of claims about privacy
    words = ["reproduce", "--collect", "--data-dir", str(data), "--out", str(out)]
    ended = CliRunner().invoke(main, words)
    said = [ended.exit_code, ended.stdout, repr(ended.exception)]
    (out / PRINTED_TEXT).write_text(json.dumps(said), encoding="utf-8")
