"""Who finds a mistake: the audit's command line, the tests of the changed code, or nobody.

A mutant has to run. An error that any broken program would give (a name that is not there, say) is
no find, neither is a run that does not end, and no test that compares with committed rows is asked.
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
    """What came of one mutant: "found", "no", "crash", "slow" or "-" (not asked), by the audit and
    by the tests.
    """

    name: str
    audit: str
    tests: str
    first: str  # test that failed

    @property
    def survives(self) -> bool:
        """Nobody found it."""
        return "found" not in (self.audit, self.tests)

    @property
    def runs(self) -> bool:
        """It is a mistake, not a broken program."""
        return "crash" not in (self.audit, self.tests)

    @property
    def quiet(self) -> bool:
        """Nobody complained."""
        return {self.audit, self.tests} <= {"no", "slow", "-"}


def tried(copy: Copy, mutant: Mutant) -> Finding:
    """The mutant planted in the copy, tested and audited."""
    with copy.planted(mutant):
        tests, first = tested(copy, *mutant.tests)
        return Finding(mutant.name, audited(copy, mutant.audit), tests, first)


def tried_until_found(copy: Copy, mutant: Mutant) -> Finding:
    """The mutant planted in the copy and tested, and audited if no test finds it."""
    with copy.planted(mutant):
        tests, first = tested(copy, *mutant.tests)
        return Finding(
            mutant.name, "-" if tests == "found" else audited(copy, mutant.audit), tests, first
        )


def audited(copy: Copy, arguments: str) -> str:
    """What `dpfair audit` says of the copy."""
    if not arguments:
        return "-"
    code, printed = copy.run(
        "-m", "dpfair_cli", "audit", *shlex.split(arguments), seconds=AUDIT_SECONDS
    )
    if code in (0, OUT_OF_TIME):
        return "slow" if code else "no"
    return (
        "found" if code == 1 and REFUTED.search(printed) and "Traceback" not in printed else "crash"
    )


def tested(copy: Copy, *files: str) -> tuple[str, str]:
    """What the tests in `files` say of the copy, and the first one that failed."""
    if not files:
        return "-", ""
    paths = [f"tests/{file}" for file in files]
    code, printed = copy.run(
        "-m", "pytest", "-x", "-p", "no:cacheprovider", *paths, seconds=TEST_SECONDS
    )
    if code in (0, OUT_OF_TIME):
        return "slow" if code else "no", ""
    failed = FAILED.search(printed)
    if failed is None or BROKEN.match(failed["reason"]):
        return "crash", failed["test"] if failed else ""
    return "found", failed["test"]
