"""Spends from the privacy ledger of a domain file, before anything is released.

The ledger of people.yaml is the file people.yaml.ledger beside it. `spend` takes the lock on the
folder, reads the ledger, refuses what the budget does not cover, and writes the ledger with the new
entries to the disk. Only then does the caller fit. A process that is killed later has
spent. Nothing is ever given back, because the reason why a fit ended can depend on the data.

A line `ledger: yes` in the domain file, the mark, says that there is a ledger, so that a deleted
ledger is noticed. Mark and ledger count only together: a marked file without ledger is refused, and
so is a ledger whose domain file has no mark. `create` writes the ledger first and then the mark. A
process that is killed in between leaves a ledger from which nothing can be spent, and `create` with
the same budget then writes the mark. In the other order, what the killed process leaves would look
like a deleted ledger.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any

from dpfair_cli.contracts.declarations import Method
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import write_durably
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.formats.domain_file import (
    LEDGER_MARK,
    confirmed_text,
    marked_text,
    read_domain,
    read_draft,
)
from dpfair_cli.mechanisms.accounting.conversion import ALLOWED
from dpfair_cli.release.privacy_ledger import Ledger, LedgerEntry, parse, text_of
from dpfair_cli.running import folder_lock

SUFFIX = ".ledger"
MOST_SECONDS = 20.0  # of waiting for another process, which holds the lock for milliseconds
LOCK = ".budget.lock"  # the file of the lock, in the folder of the ledger


def read(domain: Path) -> Ledger:
    """The ledger of a domain file.

    Raises:
        DpfairError: the ledger is missing, damaged, a link, or that of another domain file.
    """
    path = ledger_path(domain)
    ledger = _read(path)
    if ledger.domain != digest(domain):
        raise DpfairError(
            f"{path} is not the ledger of {domain} as it now is: restore the domain file with "
            "which the ledger was made"
        )
    return ledger


def spend(domain: Path, entries: Iterable[LedgerEntry]) -> Ledger:
    """The ledger after it was written to the disk with further entries, all or none of them.

    Raises:
        DpfairError: the budget does not suffice, an entry cannot be counted, the ledger cannot be
            used, or the domain file has no mark.
        OSError: the ledger cannot be written.
    """
    path = ledger_path(domain)
    with _locked(path.parent):
        ledger = read(domain)
        if not read_domain(str(domain)).has_ledger:
            raise DpfairError(
                f"{domain} has a ledger, but no line `{LEDGER_MARK}`: write the line by `dpfair "
                "budget init` with the budget that `dpfair budget show` prints"
            )
        if not path.stat().st_mode & stat.S_IWUSR:
            raise DpfairError(f"{path} is read-only, so nothing can be spent from it")
        try:
            new = ledger.with_entries(entries)
        except DpfairError as error:
            raise DpfairError(f"{path}: {error}") from error
        write_durably(path, text_of(new))  # on the disk before the caller fits
    return new


def create(domain: Path, *, epsilon: Decimal, delta: Decimal, neighbours: Neighbours) -> Ledger:
    """A new ledger for a confirmed domain file; the ledger and the mark are written to the disk.

    A ledger with this budget whose domain file has no mark stays as it is, with its entries, and
    only the mark is written.

    Raises:
        DpfairError: the domain file is a draft, has or had a ledger, or cannot be marked.
    """
    if not read_domain(str(domain)).confirmed:
        raise DpfairError(
            f"{domain} is a draft, so no fit is private: replace the drafted values by public "
            f"facts and run `dpfair domain --confirm {quote(str(domain))}`"
        )
    path, ledger = ledger_path(domain), Ledger(digest(domain), neighbours, epsilon, delta)
    with _locked(path.parent):
        exists = has_ledger(domain)
        if exists:
            ledger = _without_mark(domain, ledger)
        file = _file(domain)
        try:
            marked = marked_text(file.read_bytes().decode("utf-8"))
        except DpfairError as error:
            raise DpfairError(f"{domain} {error}") from error
        if not exists:
            write_durably(path, text_of(ledger))
        write_durably(file, marked)
    return ledger


def _without_mark(domain: Path, wanted: Ledger) -> Ledger:
    """The ledger of a domain file without a mark, with the budget of the ledger `wanted`.

    Raises:
        DpfairError: the domain file is marked, or the ledger has another budget.
    """
    once = f"{ledger_path(domain)} exists already, and a budget is set only once"
    if read_domain(str(domain)).has_ledger:
        raise DpfairError(once)
    ledger = read(domain)
    if replace(ledger, entries=()) != wanted:
        raise DpfairError(f"{once}: give the budget that `dpfair budget show` prints")
    return ledger


def require_ledger(domain: Path, folders: Collection[Path] = ()) -> None:
    """Refuses a marked domain file whose ledger is missing; arguments as in `has_ledger`."""
    if read_domain(str(domain)).has_ledger:
        has_ledger(domain, folders)


def has_ledger(domain: Path, folders: Collection[Path] = ()) -> bool:
    """Whether a domain file has a ledger.

    Ledgers are also looked for in `folders`, such as that of the table.

    Raises:
        DpfairError: only a ledger of another name has the content of this domain file, as after
            the domain file was renamed or copied; such a ledger is damaged; or the domain file is
            marked, and its ledger is missing.
    """
    is_marked = read_domain(str(domain)).has_ledger  # read first, because it is written last
    own = ledger_path(domain)
    if os.path.lexists(own):
        return True
    for other in sorted(ledgers_in([own.parent, *folders])):
        if _read(other).domain == digest(domain):
            raise DpfairError(
                f"{other} is the ledger of a domain file with the content of {domain}: give the "
                f"domain file {other.name.removesuffix(SUFFIX)}, or move the ledger to {own}"
            )
    if is_marked:
        same = ledgers_of_same_columns(domain, folders)
        hint = f" ({same[0]} is the ledger of the same columns)" if same else ""
        raise DpfairError(
            f"{domain} has a privacy budget, but its ledger {own.name} is missing: restore the "
            f"ledger, without which nothing tells what was spent{hint}"
        )
    return False


def require_no_other(domain: Path, folders: Collection[Path] = ()) -> None:
    """Refuses a domain file without a ledger if there is a ledger about the same columns.

    A copy of a domain file with another range must not be a way around the ledger.
    """
    for ledger in ledgers_of_same_columns(domain, folders):
        other = ledger.name.removesuffix(SUFFIX)
        raise DpfairError(
            f"{domain} has no ledger and describes the columns of {other}, whose ledger {ledger} "
            f"counts releases: give {other}, or set a budget for {domain} by `dpfair budget init`"
        )


def ledgers_of_same_columns(domain: Path, folders: Collection[Path] = ()) -> list[Path]:
    """The ledgers of other domain files that describe the columns of a domain file.

    The columns of one of both files are all in the other. Arguments as in `has_ledger`.
    """
    own, found = ledger_path(domain), []
    for ledger in sorted(ledgers_in([own.parent, *folders]) - {own}):
        columns = _columns(ledger.with_name(ledger.name.removesuffix(SUFFIX)))
        shared = columns & _columns(domain)
        if shared and shared in (columns, _columns(domain)):
            found.append(ledger)
    return found


def _columns(domain: Path) -> set[str]:
    """The columns that a domain file describes; empty if the file is missing or malformed."""
    try:
        return set(read_draft(str(domain)).columns)
    except DpfairError:
        return set()


def ledgers_in(folders: Iterable[Path]) -> set[Path]:
    """The ledgers in some folders."""
    found = chain.from_iterable(folder.resolve().glob(f"*{SUFFIX}") for folder in folders)
    # a name with a dot at its beginning is that of a draft that a killed process left
    return {file for file in found if not file.name.startswith(".")}


def ledger_path(domain: Path) -> Path:
    """The path of the ledger of a domain file, beside the file that a link leads to."""
    file = _file(domain)
    return file.with_name(f"{file.name}{SUFFIX}")


def digest(domain: Path) -> str:
    """The SHA-256 of what a domain file says; remarks and layout do not count."""
    return sha256(confirmed_text(read_domain(str(domain))).encode()).hexdigest()


def entry_of_fit(
    purpose: str, method: Method, *, broken: Collection[str], records: int
) -> LedgerEntry:
    """The entry for a fit to so many records that breaks the conditions `broken`."""
    guarantee, params = method.algorithm.guarantee, method.params
    delta = guarantee.stated_delta(params, records) if "delta" in params else 0.0
    return entry_of(purpose, guarantee, params, broken=broken, delta=delta)


def price_in_words(domain: Path, wanted: LedgerEntry) -> str:
    """What a release costs if not its epsilon, and the epsilon whose cost is that; else empty.

    The ledger of the domain file can count neighbours that cost more than those of the guarantee.

    Raises:
        DpfairError: as `read`.
    """
    counted = read(domain).neighbours
    if not wanted.epsilon.is_finite() or (wanted.neighbours, counted) not in ALLOWED:
        return ""  # `spend` refuses it
    cost, _ = wanted.cost(counted)
    if cost == wanted.epsilon:
        return ""
    half = wanted.epsilon * wanted.epsilon / cost
    return (
        f"{ledger_path(domain).name} counts {counted}, which costs more than the "
        f"{wanted.neighbours} of {wanted.purpose}: --eps {wanted.epsilon} spends epsilon {cost}, "
        f"and --eps {half.normalize():f} spends epsilon {wanted.epsilon}"
    )


def entry_of(
    purpose: str,
    guarantee: Guarantee,
    params: Mapping[str, Any],
    *,
    broken: Collection[str],
    delta: float = 0.0,
) -> LedgerEntry:
    """The entry for a release with the epsilon in `params` that breaks the conditions `broken`."""
    status = guarantee.for_fit(params, broken)
    conditional = status.status is Status.CONDITIONAL
    words = f"{status}: {guarantee.conditions}" if conditional else str(status)
    epsilon = exact(float(params.get("epsilon", math.inf)))
    return LedgerEntry(purpose, words, guarantee.neighbours, epsilon, exact(delta))


def exact(number: float) -> Decimal:
    """The shortest decimal number that is read as this double, as a user types it."""
    return Decimal(repr(float(number)).removesuffix(".0"))


def _file(domain: Path) -> Path:
    return domain.expanduser().resolve()  # a link would have a ledger of its own


def _read(path: Path) -> Ledger:
    """The ledger in a file; a DpfairError if it is a link, not a file, or damaged."""
    if path.is_symlink() or not path.is_file():
        raise DpfairError(f"{path} must be a file and not a link, so that there is one ledger")
    try:
        return parse(path.read_bytes().decode("utf-8"))
    except (UnicodeDecodeError, DpfairError) as error:
        words = error if isinstance(error, DpfairError) else "is damaged: it must be UTF-8"
        raise DpfairError(f"{path} {words}") from error


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """A context in which no other process spends from a ledger in `folder`.

    Raises:
        DpfairError: the file system has no locks, or another process does not end.
    """
    with ExitStack() as locks:
        try:
            # a file of its own, because the file of a ledger is replaced when it is written
            locks.enter_context(folder_lock.held(folder / LOCK, seconds=MOST_SECONDS))
        except OSError as error:
            raise DpfairError(
                f"{folder} cannot be locked, so nothing can be spent from a ledger in it: wait for "
                "other processes, or move the folder to a file system with locks"
            ) from error
        yield
