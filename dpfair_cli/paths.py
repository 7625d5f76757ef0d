"""Paths of the folders experiments, results and data.

A working folder with specs in `experiments` is a project and contains all folders. The papers of
dpfair that it does not have itself are found by their names. In any other working folder, a
checkout uses its own folders. An installed package reads the specs, replicas and committed results
that it contains, writes results to the working folder, and keeps data in the user's data folder.
"""

from __future__ import annotations

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGED = Path(__file__).resolve().parent / "committed"  # exists in a wheel, not in a checkout


def folder(name: str) -> Path:
    """The folder `experiments`, `results` or `data`."""
    here = Path.cwd()
    if is_project(here):
        return here / name
    if not PACKAGED.is_dir():
        return CHECKOUT / name
    return {
        "experiments": PACKAGED / "experiments",
        "results": here / "results",
        "data": _users_data(here),
    }[name]


def shipped(name: str) -> Path:
    """The folder `experiments`, `results` or `data` of dpfair, whatever the working folder is."""
    return (PACKAGED if PACKAGED.is_dir() else CHECKOUT) / name


def paper_folder(paper: str) -> Path:
    """The folder with the specs of a paper: that of the project, or else that of dpfair."""
    own = folder("experiments") / paper
    return own if own.is_dir() else shipped("experiments") / paper


def data_folder() -> Path:
    """The data folder: the path in $DPFAIR_DATA, or else the folder `data`."""
    chosen = os.environ.get("DPFAIR_DATA")
    return Path(chosen) if chosen else folder("data")


def replica_folder() -> Path:
    """The folder of the replicas: that of the project, or else that of dpfair."""
    own = folder("data") / "replicas"
    if own.is_dir():
        return own
    return shipped("data") / "replicas"


def committed(name: str) -> Path:
    """The path of a committed result of dpfair; a missing path for a paper of the project."""
    here = Path.cwd()
    if not is_project(here):
        return PACKAGED / "results" / name
    paper, _, inside = name.partition("/")
    own = not inside or (here / "experiments" / paper).is_dir()
    return PACKAGED / "none" if own else shipped("results") / name


def committed_journal(artefact: str) -> Path:
    """The path of the committed runs of an artefact, which an installed package compresses."""
    packed = committed(f"{artefact}/runs.jsonl.xz")
    return packed if packed.exists() else packed.with_suffix("")


def results_file(out: Path, name: str) -> Path:
    """The path of a result in `out`, or in the installed package if only the package has it."""
    file, packed = out / name, committed(name)
    return packed if packed.exists() and not file.exists() else file


def is_project(here: Path) -> bool:
    """Whether a folder is a project, that is, has specs."""
    return any((here / "experiments").glob("*/*.yaml"))


def _users_data(here: Path) -> Path:
    """The folder `data` in `here` if it exists, or else the user's data folder for dpfair."""
    from platformdirs import user_data_path

    return here / "data" if (here / "data").is_dir() else user_data_path("dpfair", appauthor=False)
