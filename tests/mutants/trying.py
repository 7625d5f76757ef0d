"""Trials of a mutant: by the command `dpfair audit` and by the tests of the changed code.

A mutant has to run: an error of any broken program (such as a missing name) does not count as
found, nor does a run that does not end. No test that compares with committed rows is used.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from tests.mutants.catalogue import Mutant
from tests.mutants.planting import OUT_OF_TIME, Copy

AUDIT_SECONDS, TEST_SECONDS = 60, 200  # of a processor
REFUTED = re.compile(r"refuted|depends? on the data", re.IGNORECASE)
FAILED = re.compile(r"^FAILED (?:tests/)?(?P<test>.+?) - (?P<reason>.*)$", re.MULTILINE)
BROKEN = re.compile(
    r"(Name|UnboundLocal|Syntax|Indentation|Import|ModuleNotFound|Attribute|Type|Index|Key)Error"
)


@dataclass(frozen=True)
class Finding:
    """The result of one trial."""

    name: str
    """The name of the mutant."""
    audit: str
    """"found", "no", "crash", "slow" or "-" (not asked)."""
    tests: str
    """The same of the tests."""
    first: str
    """The first test that failed."""

    @property
    def survives(self) -> bool:
        """Whether neither the audit nor a test found it."""
        return "found" not in (self.audit, self.tests)

    @property
    def runs(self) -> bool:
        """Whether it is a mistake and not a broken program."""
        return "crash" not in (self.audit, self.tests)

    @property
    def quiet(self) -> bool:
        """Whether neither the audit nor a test failed."""
        return {self.audit, self.tests} <= {"no", "slow", "-"}


def tried(copy: Copy, mutant: Mutant) -> Finding:
    """The mutant planted in the copy, tested and audited."""
    with copy.planted(mutant):
        tests, first = tested(copy, *mutant.test_files)
        return Finding(mutant.name, audited(copy, mutant.audit), tests, first)


def tried_until_found(copy: Copy, mutant: Mutant) -> Finding:
    """The mutant planted in the copy and tested, and audited if no test finds it."""
    with copy.planted(mutant):
        tests, first = tested(copy, *mutant.test_files)
        audit = "-" if tests == "found" else audited(copy, mutant.audit)
        return Finding(mutant.name, audit, tests, first)


def audited(copy: Copy, arguments: str) -> str:
    """The result of `dpfair audit` on the copy."""
    if not arguments:
        return "-"
    command = ("-m", "dpfair_cli", "audit", *shlex.split(arguments))
    code, printed = copy.run(*command, seconds=AUDIT_SECONDS)
    if code in (0, OUT_OF_TIME):
        return "slow" if code else "no"
    refuted = code == 1 and REFUTED.search(printed) and "Traceback" not in printed
    return "found" if refuted else "crash"


def tested(copy: Copy, *files: str) -> tuple[str, str]:
    """The result of the tests in `files` on the copy, and the first one that failed."""
    if not files:
        return "-", ""
    code, printed = copy.run(
        "-m", "pytest", "-x", "-p", "no:cacheprovider", *files, seconds=TEST_SECONDS
    )
    if code in (0, OUT_OF_TIME):
        return "slow" if code else "no", ""
    failed = FAILED.search(printed)
    if failed is None or BROKEN.match(failed["reason"]):
        return "crash", failed["test"] if failed else ""
    return "found", failed["test"]
