"""Working folders: with a table of one's own, with a paper, with a table of variables, with
networks.
"""

from __future__ import annotations

import shutil
from math import inf
from pathlib import Path

import numpy as np
import pytest
import yaml

from dpfair_cli import paths
from dpfair_cli.commands import making
from dpfair_cli.running import progress
from tests.blank_pictures import leave_pictures_blank
from tests.commands.invoking import ROOT
from tests.commands.material import DOMAIN, PUBLISHED, TABLE, TOY, VARIABLES, people, write


@pytest.fixture(scope="module", autouse=True)
def _no_words_because_a_run_is_long():
    """On a busy machine any command may take longer than what a user is told about."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "SLOW_SECONDS", 10**6)
        patch.setattr(progress, "LINE_SECONDS", inf)
        yield


@pytest.fixture(scope="module", autouse=True)
def _blank_pictures():
    """Commands write pictures in which nothing is drawn."""
    with pytest.MonkeyPatch.context() as patch:
        leave_pictures_blank(patch)
        yield


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working folder; whatever goes to the default folders stays out of the real checkout."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPFAIR_DATA", raising=False)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("experiments", "data"):
        (checkout / name).symlink_to(ROOT / name, target_is_directory=True)
    monkeypatch.setattr(paths, "CHECKOUT", checkout)
    return tmp_path


@pytest.fixture
def own(place):
    """That folder with a table of one's own and the file of its public domain."""
    write("own.csv", people())
    Path("domain.yaml").write_text(DOMAIN)
    return place


@pytest.fixture
def project(own):
    """That folder as a project with a paper of one table and one figure."""
    paper = own / "experiments" / "toy2020"
    paper.mkdir(parents=True)
    (paper / "table1.yaml").write_text(yaml.safe_dump(TOY | {"table": TABLE}))
    (paper / "figure2.yaml").write_text(
        yaml.safe_dump(TOY | {"lines": {"x": "epsilon", "panels": ["accuracy"]}})
    )
    (paper / "published.csv").write_text(PUBLISHED)
    return own


@pytest.fixture
def variables(place):
    """A working folder with a table of the categories a, b, which copies a nine times in ten, and
    c.
    """
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=400)
    b = np.where(rng.random(400) < 0.9, a, 1 - a)
    rows = [
        ["xy"[i], "uv"[j], str(k)] for i, j, k in zip(a, b, rng.integers(3, size=400), strict=True)
    ]
    write("own.csv", rows, ("a", "b", "c"))
    Path("domain.yaml").write_text(VARIABLES)
    return place


@pytest.fixture
def networks(variables, real_data):
    """A data folder with asia and alarm alone."""
    if not (real_data / "bnlearn" / "asia.bif").is_file():
        pytest.skip("the networks are not here")
    (variables / "real" / "bnlearn").mkdir(parents=True)
    for name in ("asia", "alarm"):
        shutil.copy(real_data / "bnlearn" / f"{name}.bif", variables / "real" / "bnlearn")
    return ("--data-dir", str(variables / "real"))
