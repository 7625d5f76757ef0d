"""Reports of a few artefacts, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpfair_cli.reporting.html_page import Fact
from dpfair_cli.reporting.report import Report
from dpfair_cli.reporting.shown import ReportedArtefact


def page(artefacts: Sequence[ReportedArtefact], **more: Any) -> str:
    """The report as HTML."""
    return Report(artefacts, **more).page()


def write(
    artefacts: Sequence[ReportedArtefact],
    file: Path,
    *,
    copies: Mapping[Path, Sequence[Fact]] | None = None,
    **more: Any,
) -> Path:
    """The path of the report, which is written."""
    return Report(artefacts, **more).write(file, copies or {})
