"""The privacy ledger of the data that a command reads: finds it, and says what was spent."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_UP
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from dpfair_cli.contracts.declarations import Study
    from dpfair_cli.contracts.resolved import DataSet
    from dpfair_cli.release.privacy_ledger import Entry
    from dpfair_cli.release.spending import Account


def account_of(data: DataSet) -> Account | None:
    """The ledger of the domain file of a data set; None if there is none.

    A line says so if there are ledgers nearby, which are of other domain files.

    Raises:
        DpfairError: the domain file was renamed or copied away from its ledger.
    """
    from dpfair_cli.release import spending

    domain, table = data.options.get("domain"), data.options.get("file")
    if not domain:
        return None
    folders = [Path.cwd(), Path(str(table)).expanduser().parent]
    found = spending.find(Path(str(domain)), folders)
    if found is None:
        beside = spending.ledger_path(Path(str(domain))).parent
        others = [file.name for file in sorted(spending.ledgers_in([beside, *folders]))]
        if others:
            click.echo(
                f"{domain} has no ledger, so nothing is counted; {', '.join(others)} is the ledger "
                "of another domain file",
                err=True,
            )
    return found


def require_one_fit(study: Study, protocol: Mapping[str, Any]) -> None:
    """Refuses a study that fits several models, because the choice of one of them is not counted.

    Raises:
        DpfairError: the study makes several fits.
    """
    from dpfair_cli.contracts.errors import DpfairError

    fits = study.fits(study.complete(protocol))
    if fits > 1:
        raise DpfairError(
            f"the task {study.name} makes {fits} fits, which a ledger does not count: use "
            "another task"
        )


def spend(account: Account | None, entries: Sequence[Entry]) -> None:
    """Spends from a ledger, if there is one, and says what was spent and what is left.

    Raises:
        DpfairError: the budget does not suffice, or an entry cannot be counted.
    """
    from dpfair_cli.release.privacy_ledger import in_words

    if account is None:
        return
    ledger = account.spend(entries)
    for entry in entries:
        cost = in_words(*entry.cost(ledger.neighbours), ROUND_UP)
        click.echo(f"{account.path.name}: {cost} is spent on {entry.purpose}", err=True)
    click.echo(f"{account.path.name}: {in_words(*ledger.left, ROUND_DOWN)} is left", err=True)
