"""Examines papers by their keys, with the numbers of runs that their specs state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.forensics.examining import Examination, examine
from dpfair_cli.forensics.printed import read_printed
from dpfair_cli.paths import folder
from dpfair_cli.running import artefact_names
from dpfair_cli.verdicts.cells.published import PublishedCell

STATED, ASSUMED = "published_runs", "published_runs_by"  # keys of a spec


def papers_named(names: Sequence[str]) -> list[str]:
    """The keys of the papers of the named artefacts or papers; without names, of all papers.

    Raises:
        DpfairError: a name is unknown.
    """
    chosen = artefact_names.artefacts_named(names)
    return list(dict.fromkeys(one.split("/")[0] for one in chosen))


def examine_paper(name: str) -> Examination:
    """The findings in the printed numbers of the paper experiments/<name>.

    Raises:
        DpfairError: a file of the paper has a mistake.
    """
    try:
        specs = {
            one.split("/")[1]: yaml_files.read(artefact_names.spec_file(one))
            for one in artefact_names.artefacts(name)
        }
        return examine(read_printed(folder("experiments") / name, lambda one: _runs(one, specs)))
    except DpfairError as error:
        raise DpfairError(f"{name}/{error}") from error


def _runs(cell: PublishedCell, specs: Mapping[str, Any]) -> int:
    """The number of runs that the spec of a cell states; 0 if it states none or an assumed one."""
    content = specs.get(cell.artefact, {})
    if content.get(ASSUMED):
        return 0
    own = content.get("per_dataset", {}).get(cell.dataset, {})
    return int(own.get(STATED, content.get(STATED, 0)))
