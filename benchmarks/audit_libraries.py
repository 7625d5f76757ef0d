"""Audits mechanisms of other libraries, and writes results/audit-libraries.md.

    python -m benchmarks.audit_libraries

Each library has its own environment, which is made on first use. A mechanism is called broken only
if a pair of neighbours shows a privacy loss above the claim.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from benchmarks.process import OPENDP, ROOT, python_of, surroundings

PAGE = ROOT / "results" / "audit-libraries.md"
EPSILON, DELTA, SECONDS = 1.0, 1e-5, 15.0
ENVIRONMENTS = {
    "bench": "diffprivlib",
    "bench-deep": "opacus",
    **{f"audit-opendp-{version}": "opendp" for version in OPENDP},
}
HEAD = """# Audits of other libraries

`make audit-libraries` makes this page.
[Audit your code](../docs/audit-your-code.md) explains the audits and shows how to ask for one.

- *claimed*: the epsilon that the function is given, or the epsilon or rho that the library
  computes.
- *found*: by noise, the largest privacy loss between the neighbours that were tried, with all
  intermediate releases published. By outcomes, a lower bound with 99.9 % confidence, which is often
  far below the true privacy loss.
- *verdict*: *broken* if an audit contradicts the claim; the last table has the pair of neighbours.
  *Not refuted* is no proof.
- *why*: what is known of the mechanism. The functions of diffprivlib and Opacus are in
  `benchmarks/audit_subjects.py`, those of OpenDP in `benchmarks/audit_opendp.py`.

"""


def main() -> None:
    """Audits all libraries and writes the page."""
    from dpfair_cli.contracts.writing import write_text

    rows = []
    for name, library in ENVIRONMENTS.items():
        command = [str(python_of(name)), "-W", "ignore", "-m", "benchmarks.audit_libraries"]
        done = subprocess.run(
            [*command, library],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=surroundings(settled=True),
            cwd=ROOT,
        )
        rows += [json.loads(line) for line in done.stdout.splitlines()]
    write_text(PAGE, page(rows))
    print(PAGE)


def page(rows: list[dict[str, str]]) -> str:
    """The page of these audits as Markdown."""
    columns = ("library", "mechanism", "neighbours", "claimed", "found", "verdict", "why")
    rows = [{key: text.replace("|", "/") for key, text in row.items()} for row in rows]
    table = [columns, ["---"] * len(columns), *([row[key] for key in columns] for row in rows)]
    broken = [row for row in rows if row["verdict"] == "broken"]
    pairs = [("library", "mechanism", "pair of neighbours and release"), ["---"] * 3]
    pairs += [(row["library"], row["mechanism"], row["pair"]) for row in broken]
    lines = ["| " + " | ".join(cells) + " |" for cells in table]
    shown = ["| " + " | ".join(cells) + " |" for cells in pairs]
    return HEAD + "\n".join([*lines, "", "## What is shown of the broken ones", "", *shown, ""])


def audited(library: str) -> Iterator[dict[str, str]]:
    """The audits of the mechanisms of a library, which this environment has."""
    from dpfair_cli.auditing.any_function import audit_by_outcomes, audit_function, subject_of
    from dpfair_cli.auditing.assertions import evidence
    from dpfair_cli.auditing.outcomes import OutcomeFinding

    version = f"{library} {metadata.version(library)}"
    for name, audit, subject, neighbours, why in subjects(library, subject_of):
        run = audit_by_outcomes if audit == "outcomes" else audit_function
        found = run(subject, seconds=SECONDS, seed=0)
        by_outcomes = isinstance(found, OutcomeFinding)
        what = f"at least {found.bound:.4g}" if by_outcomes else f"{found.found:.4g}"
        yield {
            "library": version,
            "mechanism": f"`{name}`",
            "neighbours": neighbours,
            "claimed": str(subject.claim),
            "found": f"{what}, by {'outcomes' if by_outcomes else 'noise'}",
            "verdict": "not refuted" if found.holds else "broken",
            "why": why,
            "pair": "" if found.holds else "; ".join(evidence(subject, found, seed=0)),
        }


def subjects(library: str, subject_of: Any) -> Iterator[tuple[str, str, Any, str, str]]:
    """The mechanisms of a library: name, kind of audit, subject, neighbours and reason."""
    import inspect

    import numpy as np

    from dpfair_cli.auditing.any_function import random_records
    from dpfair_cli.auditing.outcomes import Claim

    records = random_records(np.random.default_rng(0))
    if library == "opendp":
        from benchmarks.audit_opendp import mechanisms

        for name, one in mechanisms().items():
            yield (
                name,
                "outcomes",
                subject_of(one.call, one.claim, one.pairs, records),
                "given",
                one.why,
            )
        return
    from benchmarks import audit_subjects

    for name, (relation, expected) in audit_subjects.METHODS.items():
        function = getattr(audit_subjects, name)
        delta = DELTA if "delta" in inspect.signature(function).parameters else 0.0
        subject = subject_of(function, Claim(EPSILON, delta), relation, records)
        why = " ".join(inspect.getdoc(function).split())
        followed = expected != audit_subjects.NOT_FOLLOWED
        yield name, "noise" if followed else "outcomes", subject, relation, why


if __name__ == "__main__":
    if sys.argv[1:]:
        for row in audited(sys.argv[1]):
            print(json.dumps(row), flush=True)
    else:
        main()
