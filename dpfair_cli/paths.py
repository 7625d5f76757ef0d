"""Where the folders are: in the working folder, in the installed package, or in the checkout.

A working folder with specs in `experiments` is a project, which has all folders itself. Elsewhere
an installed package has specs, replicas and committed results in it, writes results below the
working folder, and keeps data with the user's other data. In a checkout dpfair uses the folders of
the checkout.
"""

from __future__ import annotations

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGED = Path(__file__).resolve().parent / "committed"  # a wheel has it, a checkout has not


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


def data_folder() -> Path:
    """The folder in $DPFAIR_DATA, else `data`."""
    chosen = os.environ.get("DPFAIR_DATA")
    return Path(chosen) if chosen else folder("data")


def replica_folder() -> Path:
    """The folder of the replicas: that of the project, else that of dpfair."""
    own = folder("data") / "replicas"
    if own.is_dir():
        return own
    return (PACKAGED if PACKAGED.is_dir() else CHECKOUT) / "data" / "replicas"


def committed(name: str) -> Path:
    """A file of the results in the installed package; a path that never exists for a project."""
    ours = PACKAGED.is_dir() and not is_project(Path.cwd())
    return PACKAGED / "results" / name if ours else PACKAGED / "none"


def results_file(out: Path, name: str) -> Path:
    """A file of the results in `out`, else in the installed package, if it has the file."""
    file, packed = out / name, committed(name)
    return packed if packed.exists() and not file.exists() else file


def is_project(here: Path) -> bool:
    """Whether a folder has specs."""
    return any((here / "experiments").glob("*/*.yaml"))


def _users_data(here: Path) -> Path:
    """`data` if it exists here, else the user's data folder for dpfair."""
    from platformdirs import user_data_path

    return here / "data" if (here / "data").is_dir() else user_data_path("dpfair", appauthor=False)
