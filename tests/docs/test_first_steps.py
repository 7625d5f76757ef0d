"""The commands of the first steps run as pasted, in a folder with nothing but the example."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "first-steps.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example, and a folder with the command `dpfair`."""
    place = tmp_path_factory.mktemp("first")
    (place / "bin").mkdir()
    command = place / "bin" / "dpfair"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dpfair_cli "$@"\n')
    command.chmod(0o755)
    (place / "my-folder").mkdir()
    shutil.copy(ROOT / "examples" / "people.csv", place / "my-folder")
    return place


def pasted(block: str, folder: Path) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    variables |= {"PYTHONPATH": str(ROOT)}
    variables.pop("DPFAIR_DATA", None)
    return subprocess.run(
        ["bash", "-e"],
        input=block,
        cwd=folder / "my-folder",
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_block_runs_in_its_order_and_leaves_what_the_page_says(folder: Path) -> None:
    before = (folder / "my-folder" / "people.csv").read_bytes()
    for block in BLOCKS:
        done = pasted(block, folder)
        assert done.returncode == 0, (block, done.stderr)
    made = {path.name for path in (folder / "my-folder").iterdir()}
    named = {"people.yaml", "model.json", "decisions.csv", "table.json", "made.csv", "results"}
    cards = {"model.card.md", "table.card.md"}
    assert made == {"people.csv", *named, *cards}
    assert (folder / "my-folder" / "people.csv").read_bytes() == before
    assert '"status": "proved"' in (folder / "my-folder" / "model.json").read_text()


def test_the_page_has_the_blocks_that_are_tried() -> None:
    assert len(BLOCKS) == 7
    assert sum(block.count("dpfair ") for block in BLOCKS) == 9
