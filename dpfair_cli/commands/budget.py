"""`dpfair budget`: sets the privacy budget of a table, and prints what is spent and left."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands import ledgers, options, own_data, terminal
from dpfair_cli.commands.records import argument, declared, option
from dpfair_cli.contracts import guarantees
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.release import privacy_ledger, spending

NEIGHBOURS = ("replace-one", "add-or-remove-one", "one protected attribute")


@dataclass(frozen=True)
class BudgetOptions:
    """The arguments and options of the command."""

    action: str = argument(type=click.Choice(["init", "show"]))
    domain: Path = argument(type=click.Path(exists=True, dir_okay=False, path_type=Path))
    epsilon: str | None = option("--eps", "init: the budget of epsilon.", metavar="E")
    delta: str | None = option(
        "--delta",
        "init: the budget of delta.  [default: 0, so that methods with a delta are refused]",
        metavar="D",
    )
    neighbours: str | None = option(
        "--neighbours",
        "init: what is to be protected.  [default: replace-one, a whole record]",
        type=click.Choice(NEIGHBOURS),
    )
    as_json: bool = options.JSON


@declared("budget", BudgetOptions)
def command(asked: BudgetOptions) -> None:
    """Set the privacy budget of a table, or show what is spent and what is left.

    \b
    dpfair budget init --eps 3 people.yaml    makes the ledger people.yaml.ledger
    dpfair budget show people.yaml            what was spent on what

    DOMAIN is the confirmed domain file of the table. With a ledger, every command that saves a
    model or releases scores or a choice spends its epsilon and delta first, and is refused if they
    are not left. Records drawn from a saved model cost nothing, because they reveal no more than
    the model.

    A budget is set once. `init` also writes the line "ledger: yes" into DOMAIN. With this line,
    DOMAIN is refused if its ledger is missing. A file cannot prevent that somebody copies the
    folder, restores an older ledger, or deletes the line and the ledger: keep one ledger for each
    table.
    """
    own_data.keep_private()  # purposes in a ledger name models
    domain, is_new = asked.domain, asked.action == "init"
    if is_new:
        account, ledger = _created(asked)
    elif (asked.epsilon, asked.delta, asked.neighbours) != (None, None, None):
        raise click.UsageError("`show` has no --eps, --delta and --neighbours")
    else:
        account = _existing(domain)
        ledger = account.read()
    terminal.echo_json(_plain(account, ledger)) if asked.as_json else _print(account, ledger)
    for written in (spending.ledger_path(domain), domain) if is_new else ():
        click.echo(written, err=True)


def _created(asked: BudgetOptions) -> tuple[spending.LedgerAccount, privacy_ledger.Ledger]:
    """The account and the ledger of `dpfair budget init`.

    Raises:
        click.UsageError: epsilon is missing or zero, delta is 1 or more, or one is no number.
    """
    epsilon = ledgers.parse_amount("--eps", asked.epsilon or "")
    delta = ledgers.parse_amount("--delta", asked.delta or "0")
    if delta >= 1:
        raise click.UsageError("--delta must be smaller than 1")
    neighbours = guarantees.Neighbours(asked.neighbours or NEIGHBOURS[0])
    return spending.create(asked.domain, epsilon=epsilon, delta=delta, neighbours=neighbours)


def _existing(domain: Path) -> spending.LedgerAccount:
    """The ledger of a domain file.

    Raises:
        DpfairError: the domain file has no ledger.
    """
    account = spending.find(domain)
    if account is None:
        raise DpfairError(
            f"{domain} has no ledger: set a budget with `dpfair budget init --eps E {domain}`"
        )
    return account


def _print(account: spending.LedgerAccount, ledger: privacy_ledger.Ledger) -> None:
    """Prints the entries of a ledger as a table, and the sums."""
    in_words = privacy_ledger.in_words
    for number, entry in enumerate(ledger.entries, start=1):
        cost = in_words(*entry.cost(ledger.neighbours), ROUND_UP)
        terminal.echo(f"{number:>3}  {cost}: {entry.purpose} ({entry.status})", indent=5)
    if ledger.entries:
        click.echo()
    sums = {
        "ledger": str(account.path),
        "neighbours": str(ledger.neighbours),
        "budget": in_words(ledger.epsilon, ledger.delta, ROUND_DOWN),
        "spent": in_words(*ledger.spent, ROUND_UP),
        "left": in_words(*ledger.left, ROUND_DOWN),
    }
    terminal.echo_fields(sums, width=len("neighbours"))


def _plain(account: spending.LedgerAccount, ledger: privacy_ledger.Ledger) -> dict[str, Any]:
    """A ledger as mappings and lists for JSON; amounts are texts, which are exact."""
    entries = [
        {
            "spent on": entry.purpose,
            "status": entry.status,
            "neighbours": entry.neighbours,
            **_pair(*entry.cost(ledger.neighbours)),
        }
        for entry in ledger.entries
    ]
    return {
        "ledger": str(account.path),
        "neighbours": ledger.neighbours,
        "budget": _pair(ledger.epsilon, ledger.delta),
        "spent": _pair(*ledger.spent),
        "left": _pair(*ledger.left),
        "entries": entries,
    }


def _pair(epsilon: Decimal, delta: Decimal) -> dict[str, str]:
    """Epsilon and delta as texts, by name."""
    return {"epsilon": str(epsilon), "delta": str(delta)}
