"""The bars of the audit of foreign code: broken methods of two libraries are refuted, sound hold.

The libraries are diffprivlib and Opacus, each in the environment of the other benchmarks. The
docstrings in `benchmarks.audit_subjects` say why a method is broken, sound or cannot be followed.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from benchmarks.process import DIFFPRIVLIB, OPACUS, ROOT, python_of, surroundings
from benchmarks.ratio import Bar

EPSILON, PAIRS = 1.0, 40  # promised by each method; neighbouring inputs that are tried

SCRIPT = """
import inspect, json, sys, time, warnings
from functools import partial
import numpy as np
import benchmarks.audit_subjects as subjects
from dpfair_cli.addons.foreign_audits.foreign_code import audit_call, imported, on_arrays
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
    audit = partial(audit_call, relation=Neighbours(relation), params=params, neighbours=pairs)
    began = time.perf_counter()
    try:
        subject = "benchmarks.audit_subjects:" + name
        found = audit(subject, on_arrays(imported(subject)), records, seed=0)
        cost, verdict = found.found, "holds" if found.holds else "refuted"
        why = "; ".join(found.problems)
    except ValueError as error:
        cost, verdict, why = None, subjects.NOT_FOLLOWED, str(error)
    print(json.dumps([name, expected, cost, verdict, why, time.perf_counter() - began]), flush=True)
"""


def audit_bars() -> list[Bar]:
    """An audit of each method of both libraries."""
    bars = []
    for library, name in ((DIFFPRIVLIB[0], "bench"), (OPACUS, "bench-deep")):
        bars += [audit_bar(library, *json.loads(line)) for line in audited(python_of(name))]
    return bars


def audited(python: Path) -> list[str]:
    """A line of JSON for each method of the library that this interpreter has."""
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
    """One audit as a bar; the reason of its verdict is printed at once."""
    if why:
        print(f"{library}, {name}: {why}")
    found = "" if cost is None else f"found {cost:.4g}, "
    what = f"audit of {library}'s {name}, epsilon {EPSILON:g}"
    return what, f"{found}{verdict}, {seconds:.1f} s", expected, verdict == expected


if __name__ == "__main__":
    for bar in audit_bars():
        print(*bar, sep="  ")
