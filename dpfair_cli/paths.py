"""Where the project's folders are: of the working folder, of the installed package, or of the
checkout it is run from.

A working folder with specs in `experiments` is a project, and all its folders are its own.
Elsewhere an installed package brings specs, replicas and committed results with it, writes results
below the working folder, and keeps data with the user's other data; run from a checkout, dpfair
uses the checkout's folders.
"""

from __future__ import annotations

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGED = Path(__file__).resolve().parent / "committed"  # a wheel has it, a checkout has not


def folder(name: str) -> Path:
    """`experiments`, `results` or `data`."""
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


def data_folder() -> Path:
    """$DPFAIR_DATA, else the folder `data`."""
    chosen = os.environ.get("DPFAIR_DATA")
    return Path(chosen) if chosen else folder("data")


def replica_folder() -> Path:
    """Where the replicas are: those of a project that has none are ours."""
    own = folder("data") / "replicas"
    return (
        own if own.is_dir() else (PACKAGED if PACKAGED.is_dir() else CHECKOUT) / "data" / "replicas"
    )


def committed(name: str) -> Path:
    """A file of the results that an installed package has brought; one that is never there for any
    other project.
    """
    ours = PACKAGED.is_dir() and not is_project(Path.cwd())
    return PACKAGED / "results" / name if ours else PACKAGED / "none"


def results_file(out: Path, name: str) -> Path:
    """A file of the results in `out`; where it is not there, the one that an installed package has
    brought, if any.
    """
    return out / name if (out / name).exists() or not committed(name).exists() else committed(name)


def is_project(here: Path) -> bool:
    """Whether a folder has specs of its own."""
    return any((here / "experiments").glob("*/*.yaml"))


def _users_data(here: Path) -> Path:
    """`data` if it is here, else where this user's programs keep their data."""
    from platformdirs import user_data_path

    return here / "data" if (here / "data").is_dir() else user_data_path("dpfair", appauthor=False)
