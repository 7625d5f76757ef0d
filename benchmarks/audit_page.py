"""The page results/audit-libraries.md, from the rows of all audits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.audit_releases import FIXES, Fix

BROKEN, SOUND, UNCLAIMED = "broken", "sound as far as looked", "not claimed"
COLUMNS = ("library", "mechanism", "neighbours", "claimed", "found", "looked at", "verdict", "why")
HEAD = """# Audits of other libraries

`make audit-libraries` makes this page. A run that was interrupted goes on after its last audit.
[Audit your code](../docs/audit-your-code.md) explains the audits and shows how to ask for one.

- *neighbours*: the relation for which the library claims privacy. diffprivlib states none; that of
  a mechanism is the one for which its sensitivities are.
- *claimed*: the epsilon and delta that the function is given, or the epsilon or rho that the
  library computes.
- *found*: by noise, the largest privacy loss between the neighbours that were tried, with all
  intermediate releases published; it is exact. By outcomes, a lower bound with 99.9 % confidence,
  which is often far below the true privacy loss.
- *looked at*: how many pairs of neighbours, or how many runs for the bound.
- *verdict*: *broken* if the loss exceeds the claim, or if something that is released depends on the
  data without noise; a table below has the pair of neighbours.
  *Sound as far as looked* is no proof. *Not claimed*: the loss exceeds epsilon, but for neighbours
  of which the library claims nothing.
- *why*: what is known of the mechanism. `benchmarks/audit_releases.py` names the releases and the
  files with their mechanisms.

"""


def page(rows: Sequence[Mapping[str, str]], missing: Sequence[tuple[str, str]]) -> str:
    """The page of these audits, and of the releases that are `missing`, as Markdown."""
    shown = [row for row in rows if row["verdict"] != SOUND]
    pairs = [(row["library"], row["mechanism"], row["pair"]) for row in shown]
    sections = [
        HEAD + table(COLUMNS, [[row[key] for key in COLUMNS] for row in rows]),
        "## What is shown of those that lose more than claimed\n\n"
        + table(("library", "mechanism", "pair of neighbours and release"), pairs),
        "## Before and after a fix\n\n"
        + table(
            ("library", "mechanism", "fix", "before", "after"),
            [fixed(fix, rows) for fix in FIXES],
        ),
        "## What was not audited\n\n"
        + (table(("release", "reason"), missing) if missing else "Nothing.\n"),
    ]
    return "\n".join(sections)


def fixed(fix: Fix, rows: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """The row of a fix: the audits of the releases before and after it."""
    audits = {(row["library"], row["mechanism"]): row for row in rows}
    cells = []
    for version in (fix.before, fix.after):
        row = audits.get((f"{fix.library} {version}", f"`{fix.mechanism}`"))
        result = f"claimed {row['claimed']}, found {row['found']}: {row['verdict']}" if row else ""
        cells.append(f"{version}: {result or 'not audited'}")
    return (fix.library, f"`{fix.mechanism}`", fix.source, *cells)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; a bar inside a cell becomes a slash."""
    lines = [columns, ["---"] * len(columns), *rows]
    cleaned = [[cell.replace("|", "/").replace("\n", " ") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in cleaned)
