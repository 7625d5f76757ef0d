"""`dpfair budget`: sets the privacy budget of a table, and prints what is spent and left."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import options, own_data, terminal
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared, option

if TYPE_CHECKING:
    from decimal import Decimal

    from dpfair_cli.release.privacy_ledger import Ledger
    from dpfair_cli.release.spending import LedgerAccount

NEIGHBOURS = ("replace-one", "add-or-remove-one", "one protected attribute")


@dataclass(frozen=True)
class BudgetOptions:
    """The arguments and options of the command."""

    action: str = argument(type=click.Choice(["init", "show"]))
    domain: Path = argument(type=click.Path(exists=True, dir_okay=False, path_type=Path))
    epsilon: str | None = option("--eps", metavar="E", help="init: the budget of epsilon.")
    delta: str | None = option(
        "--delta",
        metavar="D",
        help="init: the budget of delta.  [default: 0, so that methods with a delta are refused]",
    )
    neighbours: str | None = option(
        "--neighbours",
        type=click.Choice(NEIGHBOURS),
        help="init: what is to be protected.  [default: replace-one, a whole record]",
    )
    as_json: bool = options.json_option()


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
    from dpfair_cli.release import spending

    own_data.keep_private()
    domain, is_new = asked.domain, asked.action == "init"
    if is_new:
        account, ledger = _created(domain, asked.epsilon, asked.delta, asked.neighbours)
    else:
        if (asked.epsilon, asked.delta, asked.neighbours) != (None, None, None):
            raise click.UsageError("`show` has no --eps, --delta and --neighbours")
        account = _existing(domain)
        ledger = account.read()
    echo_json(_plain(account, ledger)) if asked.as_json else _print(account, ledger)
    if is_new:
        for written in (spending.ledger_path(domain), domain):
            click.echo(written, err=True)


def _created(
    domain: Path, epsilon: str | None, delta: str | None, neighbours: str | None
) -> tuple[LedgerAccount, Ledger]:
    """The account and the ledger of `dpfair budget init`."""
    from dpfair_cli.contracts.guarantees import Neighbours
    from dpfair_cli.release import spending

    budget, slack = _amount("--eps", epsilon or ""), _amount("--delta", delta or "0")
    if not budget:
        raise click.UsageError("--eps must be larger than 0")
    if slack >= 1:
        raise click.UsageError("--delta must be smaller than 1")
    wanted = Neighbours(neighbours or NEIGHBOURS[0])
    return spending.create(domain, epsilon=budget, delta=slack, neighbours=wanted)


def _existing(domain: Path) -> LedgerAccount:
    """The ledger of a domain file.

    Raises:
        DpfairError: the domain file has no ledger.
    """
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.release import spending

    account = spending.find(domain)
    if account is None:
        raise DpfairError(
            f"{domain} has no ledger: set a budget with `dpfair budget init --eps E {domain}`"
        )
    return account


def _amount(option: str, text: str) -> Decimal:
    """The value of an option as an exact decimal number."""
    from dpfair_cli.release.privacy_ledger import amount

    try:
        return amount(text)
    except ValueError as error:
        raise click.UsageError(f"{option} {error}") from error


def _print(account: LedgerAccount, ledger: Ledger) -> None:
    """Prints the entries of a ledger as a table, and the sums."""
    from dpfair_cli.release.privacy_ledger import in_words

    for number, entry in enumerate(ledger.entries, start=1):
        cost = in_words(*entry.cost(ledger.neighbours), ROUND_UP)
        terminal.echo(f"{number:>3}  {cost}: {entry.purpose} ({entry.status})", indent=5)
    if ledger.entries:
        click.echo()
    terminal.echo_fields(
        {
            "ledger": str(account.path),
            "neighbours": str(ledger.neighbours),
            "budget": in_words(ledger.epsilon, ledger.delta, ROUND_DOWN),
            "spent": in_words(*ledger.spent, ROUND_UP),
            "left": in_words(*ledger.left, ROUND_DOWN),
        },
        width=len("neighbours"),
    )


def _plain(account: LedgerAccount, ledger: Ledger) -> dict[str, Any]:
    """A ledger as mappings and lists for JSON; amounts are texts, which are exact."""
    pairs = {
        "budget": (ledger.epsilon, ledger.delta),
        "spent": ledger.spent,
        "left": ledger.left,
    }
    return {
        "ledger": str(account.path),
        "neighbours": ledger.neighbours,
        **{name: _pair(*pair) for name, pair in pairs.items()},
        "entries": [
            {
                "spent on": entry.purpose,
                "status": entry.status,
                "neighbours": entry.neighbours,
                **_pair(*entry.cost(ledger.neighbours)),
            }
            for entry in ledger.entries
        ],
    }


def _pair(epsilon: Decimal, delta: Decimal) -> dict[str, str]:
    return {"epsilon": str(epsilon), "delta": str(delta)}
