"""Audits mechanisms of other libraries, and writes results/audit-libraries.md.

    python -m benchmarks.audit_libraries

Each release has its own environment, which is made on first use. A mechanism is called broken only
if a pair of neighbours shows a privacy loss above the claim, for neighbours of which the library
claims it. A run that was interrupted goes on after its last audit.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.audit_page import BROKEN, SOUND, UNCLAIMED, page
from benchmarks.audit_releases import FOLDER, RELEASES, Release
from benchmarks.process import ROOT, NotInstalledError, python_with, surroundings

PAGE = ROOT / "results" / "audit-libraries.md"
SECONDS = 15.0  # of an audit


def main() -> None:
    """Audits all releases and writes the page."""
    from dpfair_cli.contracts.files import write_text

    rows: list[dict[str, str]] = []
    missing: list[tuple[str, str]] = []
    for release in RELEASES:
        try:
            rows += rows_of(release)
        except NotInstalledError as error:
            missing.append((release.name, str(error)))
    write_text(PAGE, page(rows, missing))
    for journal in FOLDER.glob("*.jsonl"):
        journal.unlink()
    print(PAGE)


def rows_of(release: Release) -> list[dict[str, str]]:
    """The audits of a release; those that an interrupted run has left are not made again.

    Raises:
        NotInstalledError: the release cannot be installed.
    """
    from dpfair_cli.contracts.files import write_text

    python = python_with(release.home, release.requirements)
    journal = FOLDER / f"{release.library}-{release.version}-{fingerprint(release)}.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
    for line in audits_of(python, release, done=[json.loads(line)["mechanism"] for line in lines]):
        lines.append(line)
        write_text(journal, "".join(f"{each}\n" for each in lines))
    return [json.loads(line) for line in lines]


def fingerprint(release: Release) -> str:
    """A hash of the release and of the code of its mechanisms and of all audits."""
    files = [ROOT / "benchmarks" / f"{release.module}.py", Path(__file__)]
    for folder in ("auditing", "addons/foreign_audits"):
        files += sorted((ROOT / "dpfair_cli" / folder).glob("*.py"))
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(repr(release).encode() + content).hexdigest()[:8]


def audits_of(python: Path, release: Release, *, done: Sequence[str]) -> Iterator[str]:
    """Yields a line of JSON for each audit of a release in its environment, but for those `done`.

    Raises:
        CalledProcessError: an audit fails.
    """
    script = "from benchmarks.audit_libraries import print_audits; print_audits()"
    command = [str(python), "-W", "ignore", "-c", script]
    given = [release.library, release.module, *done]
    process = subprocess.Popen(
        [*command, *given],
        stdout=subprocess.PIPE,
        text=True,
        env=surroundings(settled=True),
        cwd=ROOT,
    )
    assert process.stdout is not None
    yield from (line.rstrip("\n") for line in process.stdout)
    if process.wait():
        raise subprocess.CalledProcessError(process.returncode, command)


def print_audits() -> None:
    """Prints the audits that the arguments ask for, each as a line of JSON."""
    import dpfair_cli  # noqa: F401  settles the arithmetic before a library imports NumPy

    library, module, *done = sys.argv[1:]
    found = importlib.import_module(f"benchmarks.{module}").mechanisms()
    version = f"{library} {metadata.version(library)}"
    for name, mechanism in found.items():
        if f"`{name}`" not in done:
            row = {"library": version, "mechanism": f"`{name}`"} | audited(mechanism)
            print(json.dumps(row), flush=True)


def audited(mechanism: Any) -> dict[str, str]:
    """The audit of a mechanism, an `Audited`, as the other cells of its row, and its pair."""
    import numpy as np

    from dpfair_cli.addons.foreign_audits.any_function import (
        audit_by_outcomes,
        audit_function,
        random_records,
        subject_of,
    )
    from dpfair_cli.addons.foreign_audits.assertions import evidence

    records = random_records(np.random.default_rng(0))
    subject = subject_of(mechanism.call, mechanism.claim, mechanism.neighbours, records)
    audit = audit_by_outcomes if mechanism.by == "outcomes" else audit_function
    found = audit(subject, seconds=SECONDS, seed=0)
    verdict = verdict_of(holds=found.holds, is_claimed=mechanism.is_claimed)
    return {
        "neighbours": mechanism.relation,
        "claimed": str(mechanism.claim),
        **amounts(found),
        "verdict": verdict,
        "why": mechanism.why,
        "pair": "" if found.holds else "; ".join(evidence(subject, found, seed=0)),
    }


def verdict_of(*, holds: bool, is_claimed: bool) -> str:
    """The verdict of an audit that contradicts the claim, unless it `holds`."""
    if holds:
        return SOUND
    return BROKEN if is_claimed else UNCLAIMED


def amounts(found: Any) -> dict[str, str]:
    """The cells `found` and `looked at` of the result of an audit."""
    from dpfair_cli.addons.foreign_audits.outcomes import OutcomeFinding

    if isinstance(found, OutcomeFinding):
        return {
            "found": f"at least {found.bound:.4g}, by outcomes",
            "looked at": f"{2 * found.runs} runs",
        }
    return {"found": f"{found.found:.4g}, by noise", "looked at": f"{found.pairs} pairs"}


if __name__ == "__main__":
    main()
