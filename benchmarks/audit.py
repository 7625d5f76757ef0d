"""The bars of the audit of other people's code: what is broken in diffprivlib and Opacus is
refuted, what is sound not.

Each library is audited in the environment in which it is measured elsewhere in the bench. Why a
method is called broken, sound or one that cannot be followed is said in
`benchmarks.audit_subjects`, by its docstring.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from benchmarks.process import DIFFPRIVLIB, OPACUS, ROOT, python_of, surroundings
from benchmarks.ratio import Bar

EPSILON, PAIRS = 1.0, 40

SCRIPT = """
import inspect, json, sys, time, warnings
from functools import partial
import numpy as np
import benchmarks.audit_subjects as subjects
from dpfair_cli.auditing.foreign_code import audit_foreign
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.records import Domain, Records
warnings.simplefilter("ignore")
epsilon, pairs = float(sys.argv[1]), int(sys.argv[2])
rng, names = np.random.default_rng(0), tuple("abc")
domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("all",))
records = Records(rng.random((300, 3)), rng.integers(0, 2, 300), np.zeros(300, int), domain)
for name, (relation, expected) in subjects.METHODS.items():
    params = {"epsilon": epsilon}
    if "delta" in inspect.signature(getattr(subjects, name)).parameters:
        params["delta"] = 1e-5
    audit = partial(audit_foreign, relation=Neighbours(relation), params=params, neighbours=pairs)
    began = time.perf_counter()
    try:
        found = audit("benchmarks.audit_subjects:" + name, records)
        cost, verdict = found.found, "holds" if found.holds else "refuted"
        why = "; ".join(found.problems)
    except ValueError as error:
        cost, verdict, why = None, subjects.NOT_FOLLOWED, str(error)
    print(json.dumps([name, expected, cost, verdict, why, time.perf_counter() - began]), flush=True)
"""


def audit_bars() -> list[Bar]:
    """An audit of each method of both libraries."""
    pythons = {DIFFPRIVLIB[0]: python_of("bench"), OPACUS: python_of("bench-deep")}
    return [
        audit_bar(library, *json.loads(line))
        for library, python in pythons.items()
        for line in audited(python)
    ]


def audited(python: Path) -> list[str]:
    """What the script says of each method of the library that this interpreter has, a line each."""
    command = [str(python), "-c", SCRIPT, str(EPSILON), str(PAIRS)]
    printed = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        env=surroundings(settled=True),
        cwd=ROOT,
    )
    return printed.stdout.splitlines()


def audit_bar(
    library: str,
    name: str,
    expected: str,
    cost: float | None,
    verdict: str,
    why: str,
    seconds: float,
) -> Bar:
    """One audit as a bar; why it says so is printed at once."""
    if why:
        print(f"{library}, {name}: {why}")
    found = "" if cost is None else f"found {cost:.4g}, "
    return (
        f"audit of {library}'s {name}, epsilon {EPSILON:g}",
        f"{found}{verdict}, {seconds:.1f} s",
        expected,
        verdict == expected,
    )


if __name__ == "__main__":
    for bar in audit_bars():
        print(*bar, sep="  ")
