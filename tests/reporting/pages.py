"""Reports of a few artefacts, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpfair_cli.reporting.report import Report
from dpfair_cli.reporting.shown import ReportedArtefact


def page(artefacts: Sequence[ReportedArtefact], **more: Any) -> str:
    """The report as HTML."""
    return Report(artefacts, **more).page()


def write(
    artefacts: Sequence[ReportedArtefact],
    file: Path,
    **more: Any,
) -> Path:
    """The path of the report, which is written."""
    return Report(artefacts, **more).write(file)
