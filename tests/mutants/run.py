"""Plants every privacy mistake, one at a time, and prints which check finds it (`make mutants`).

Exit code 1 if a mutant survives or does not run, or if the audit or a test fails without a mutant.
Findings are kept in .mutants/ as long as neither the code nor the tests change, so that an
interrupted run can be resumed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from tqdm import tqdm

from tests.mutants.catalogue import ROOT, Mutant, every_mutant, quick_part
from tests.mutants.planting import Copy
from tests.mutants.trying import Finding, audited, tested, tried, tried_until_found

KEPT = ROOT / ".mutants"
Trial = Callable[[Copy], Finding]


def main() -> int:
    """Tries the chosen mutants and prints which check finds each; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the first mutant of every place; `make test` went before",
    )
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="those with these words in name, field or file"
    )
    parser.add_argument(
        "--jobs", type=int, default=2, metavar="N", help="copies that are tried at once"
    )
    options = parser.parse_args()
    chosen = quick_part(every_mutant()) if options.quick else every_mutant()
    mutants = [one for one in chosen if options.only in f"{one.name} {one.field} {one.file}"]
    alone = {} if options.quick or options.only else without_a_mutant(mutants)
    attempt, file = (tried_until_found, "quick.jsonl") if options.quick else (tried, "whole.jsonl")
    trials = dict(alone)
    for mutant in mutants:
        trials[mutant.name] = partial(attempt, mutant=mutant)
    found = findings(trials, options.jobs, KEPT / file)
    alarms = [f"without a mutant: {name}" for name in alone if not found[name].quiet]
    print(*table(mutants, found), *summary(mutants, found), *alarms, sep="\n")
    return 0 if not alarms and all(_is_done(found[mutant.name]) for mutant in mutants) else 1


def _is_done(finding: Finding) -> bool:
    return finding.runs and not finding.survives


def without_a_mutant(mutants: Sequence[Mutant]) -> Mapping[str, Trial]:
    """A trial without a mutant of every audit and test file: one that fails would show nothing."""
    trials: dict[str, Trial] = {}
    for mutant in mutants:
        if mutant.audit:
            trials[f"audit {mutant.audit}"] = partial(_audit_alone, mutant.audit)
        for file in mutant.test_files:
            trials[file] = partial(_tests_alone, file)
    return trials


def _audit_alone(arguments: str, copy: Copy) -> Finding:
    return Finding(f"audit {arguments}", audited(copy, arguments), "-", "")


def _tests_alone(file: str, copy: Copy) -> Finding:
    return Finding(file, "-", *tested(copy, file))


def findings(trials: Mapping[str, Trial], jobs: int, file: Path) -> dict[str, Finding]:
    """The finding of every trial by name; those that `file` has of the same code are reused."""
    digest = code_digest()
    found = {finding.name: finding for finding in kept(file, digest) if finding.name in trials}
    missing = {name: trial for name, trial in trials.items() if name not in found}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        free: SimpleQueue[Copy] = SimpleQueue()
        for number in range(min(jobs, len(missing))):
            free.put(Copy(Path(folder) / str(number)))
        futures = [pool.submit(_in_a_free_copy, free, trial) for trial in missing.values()]
        try:
            for future in tqdm(as_completed(futures), total=len(futures), unit="mutant"):
                finding = future.result()
                found[finding.name] = finding
                keep(file, digest, finding)
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupt does not wait for the others
    return found


def _in_a_free_copy(free: SimpleQueue[Copy], trial: Trial) -> Finding:
    copy = free.get()
    try:
        return trial(copy)
    finally:
        free.put(copy)


def code_digest() -> str:
    """SHA-256 of the package, the papers, their tests and the list of mutants."""
    sources = sorted(
        file
        for folder in ("dpfair_cli", "experiments", "tests")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".py", ".yaml"}
    )
    lines = [
        f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sources
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def kept(file: Path, digest: str) -> Iterator[Finding]:
    """The findings of earlier runs on the same code; a truncated line is ignored."""
    for line in file.read_text().splitlines() if file.is_file() else []:
        with suppress(json.JSONDecodeError):
            entry = json.loads(line)
            if entry.pop("code") == digest:
                yield Finding(**entry)


def keep(file: Path, digest: str, finding: Finding) -> None:
    """Writes a finding to a file for the next run."""
    file.parent.mkdir(exist_ok=True)
    with file.open("a") as lines:
        lines.write(json.dumps({"code": digest, **asdict(finding)}) + "\n")


def table(mutants: Sequence[Mutant], found: Mapping[str, Finding]) -> Iterator[str]:
    """A line for each mutant: name, field, found by the audit, by the tests, and by which first."""
    width = max(len(mutant.name) for mutant in mutants)
    fields = max(len(mutant.field) for mutant in mutants)
    yield f"{'mistake':{width}}  {'field':{fields}}  audit  tests  first test that fails"
    for mutant in mutants:
        one = found[mutant.name]
        last = one.first
        if not one.runs:
            last = "DOES NOT RUN"
        elif one.survives:
            last = "SURVIVOR"
        found_by = f"{one.audit:5}  {one.tests:5}  {last}"
        yield f"{one.name:{width}}  {mutant.field:{fields}}  {found_by}".rstrip()


def summary(mutants: Sequence[Mutant], found: Mapping[str, Finding]) -> Iterator[str]:
    """The number of mutants that are found, and the number of mutants of each field."""
    those = [found[mutant.name] for mutant in mutants]
    survivors = sum(one.survives for one in those)
    by_audit = sum(one.audit == "found" for one in those)
    by_tests = sum(one.tests == "found" for one in those)
    found_by = f"by the audit {by_audit}, by the tests {by_tests}"
    yield f"\nplanted {len(those)}; found {len(those) - survivors}: {found_by}"
    yield f"survivors {survivors}; rate of finding {1 - survivors / len(those):.1%}"
    fields = Counter(mutant.field for mutant in mutants)
    yield "fields: " + ", ".join(f"{name} ({count})" for name, count in fields.items())


if __name__ == "__main__":
    sys.exit(main())
