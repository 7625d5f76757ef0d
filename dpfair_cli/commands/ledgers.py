"""The privacy ledger of the data that a command reads: finds it, and says what was spent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands import terminal
from dpfair_cli.contracts import declarations
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.release import privacy_ledger, released_scores, spending


def account_of(data: declarations.DataSet) -> spending.LedgerAccount | None:
    """The ledger of the domain file of a data set; None if the data set has no ledger.

    A line, also with -q, says so if there are ledgers nearby, which are of other domain files.

    Raises:
        DpfairError: the domain file was renamed or copied away from its ledger, or the ledger is
            missing.
    """
    if not data.options.get("domain"):
        return None
    domain, folders = _places(data.options)
    found = spending.find(domain, folders)
    if found is None:
        beside = spending.ledger_path(domain).parent
        others = [file.name for file in sorted(spending.ledgers_in([beside, *folders]))]
        if others:
            terminal.warn(
                f"{domain} has no ledger, so nothing is counted; {', '.join(others)} is the ledger "
                "of another domain file"
            )
    return found


def require_ledger(data: declarations.DataSet) -> None:
    """Refuses a data set whose domain file says that it has a ledger, which is missing.

    Raises:
        DpfairError: the ledger is missing.
    """
    if data.options.get("domain"):
        spending.require_ledger(*_places(data.options))


def _places(options: Mapping[str, Any]) -> tuple[Path, list[Path]]:
    """The domain file of a data set with a domain file, and where ledgers are looked for."""
    table = Path(str(options.get("file"))).expanduser()
    return Path(str(options["domain"])), [Path.cwd(), table.parent]


@dataclass(frozen=True)
class PlannedRelease:
    """A model that will be saved, perhaps with scores, and what it costs."""

    data: declarations.DataSet
    """The data that the model is fitted to."""

    save: Path | None
    """The model file; without one, nothing is released."""

    method: declarations.Method
    """The method that is fitted."""

    score_epsilon: float | None
    """The epsilon of the released scores; None if only the model is released."""

    @cached_property
    def account(self) -> spending.LedgerAccount | None:
        """The ledger that pays; None without a ledger or without a release."""
        return account_of(self.data) if self.save else None

    def require_countable(self, study: declarations.Study, protocol: Mapping[str, Any]) -> None:
        """Refuses a study whose releases cannot be counted.

        Raises:
            DpfairError: the study makes several fits, the choice among which no entry counts, or
                it has no held-out records to score.
        """
        scored = released_scores.STUDY
        if self.score_epsilon is not None and study.name != scored:
            raise DpfairError(
                f"--release-scores needs the task {scored}, got {study.name}: leave it out"
            )
        fits = study.fits(study.complete(protocol))
        if self.account and fits > 1:
            raise DpfairError(
                f"the task {study.name} makes {fits} fits, which a ledger does not count: use "
                "another task"
            )

    def reserve(self, records: int, broken: Collection[str]) -> None:
        """Spends what the release costs, before the fit.

        Raises:
            DpfairError: the ledger refuses, or scores are asked of a model without a guarantee.
        """
        if self.save is None:
            return
        name = self.save.name
        purpose = f"{name} by {self.method.name}"
        entries = [spending.entry_of_fit(purpose, self.method, broken=broken, records=records)]
        if self.score_epsilon is not None:
            params = {"epsilon": self.score_epsilon}
            promise = released_scores.PROMISE
            entries += [spending.entry_of(f"scores of {name}", promise, params, broken=broken)]
            for entry in entries:
                privacy_ledger.require_counted(entry)
        spend(self.account, entries)


def parse_amount(option: str, text: str) -> Decimal:
    """The value of an option as an exact decimal number, above 0 for --eps.

    Raises:
        click.UsageError: the text is no such number.
    """
    try:
        amount = privacy_ledger.amount(text)
    except ValueError as error:
        raise click.UsageError(f"{option} {error}") from error
    if option == "--eps" and not amount:
        raise click.UsageError("--eps must be larger than 0")
    return amount


def spend(
    account: spending.LedgerAccount | None, entries: Sequence[privacy_ledger.LedgerEntry]
) -> None:
    """Spends from a ledger, if there is one, and says what was spent and what is left.

    Raises:
        DpfairError: the budget does not suffice, or an entry cannot be counted.
    """
    if account is None:
        return
    ledger, in_words = account.spend(entries), privacy_ledger.in_words
    for entry in entries:
        # what is spent is rounded up, and what is left down: no reader overrates the budget
        cost = in_words(*entry.cost(ledger.neighbours), ROUND_UP)
        click.echo(f"{account.path.name}: {cost} is spent on {entry.purpose}", err=True)
    click.echo(f"{account.path.name}: {in_words(*ledger.left, ROUND_DOWN)} is left", err=True)
