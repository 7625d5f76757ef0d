"""`dpfair budget`: sets the privacy budget of a table, and prints what is spent and left."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from pathlib import Path
from shlex import quote

import click

from dpfair_cli.commands import options, own_data, terminal
from dpfair_cli.commands.options import argument, declared, option
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
    dpfair budget init --eps 3 --delta 1e-5 people.yaml  makes people.yaml.ledger
    dpfair budget show people.yaml                       what was spent on what

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
    if asked.action == "init":
        ledger = _created(asked)
    elif (asked.epsilon, asked.delta, asked.neighbours) != (None, None, None):
        raise click.UsageError("`show` has no --eps, --delta and --neighbours")
    elif not spending.has_ledger(asked.domain):
        hint = f"set a budget with `dpfair budget init --eps E {quote(str(asked.domain))}`"
        raise DpfairError(f"{asked.domain} has no ledger: {hint}")
    else:
        ledger = spending.read(asked.domain)
    path = spending.ledger_path(asked.domain)
    _show(path, ledger, as_json=asked.as_json)
    if asked.action == "init":
        for written in (path, asked.domain):  # the domain file got its mark
            click.echo(written, err=True)


def _created(asked: BudgetOptions) -> privacy_ledger.Ledger:
    """The ledger of `dpfair budget init`.

    Raises:
        click.UsageError: epsilon is missing or zero, delta is 1 or more, or one is no number.
    """
    epsilon = own_data.parse_amount("--eps", asked.epsilon or "")
    delta = own_data.parse_amount("--delta", asked.delta or "0")
    if delta >= 1:  # which would promise nothing
        raise click.UsageError("--delta must be smaller than 1")
    neighbours = guarantees.Neighbours(asked.neighbours or NEIGHBOURS[0])  # the strictest
    ledger = spending.create(asked.domain, epsilon=epsilon, delta=delta, neighbours=neighbours)
    for other in spending.ledgers_of_same_columns(asked.domain, [Path.cwd()]):
        terminal.warn(
            f"Warning: {other} counts releases about the same columns: if they are of the same "
            "table, what both ledgers spend adds up"
        )
    return ledger


def _show(path: Path, ledger: privacy_ledger.Ledger, *, as_json: bool) -> None:
    """Prints the entries of a ledger, and the sums; in JSON, amounts are exact texts."""
    facts = {"ledger": str(path), "neighbours": str(ledger.neighbours)}
    costs = [(one, one.cost(ledger.neighbours)) for one in ledger.entries]
    sums = {"budget": (ledger.epsilon, ledger.delta), "spent": ledger.spent, "left": ledger.left}
    if as_json:
        entries = [
            {
                "spent on": one.purpose,
                "status": one.status,
                "neighbours": one.neighbours,
                **_exact(cost),
            }
            for one, cost in costs
        ]
        pairs = {name: _exact(amounts) for name, amounts in sums.items()}
        terminal.echo_json(facts | pairs | {"entries": entries})
        return
    for number, (one, cost) in enumerate(costs, start=1):
        words = privacy_ledger.in_words(*cost, ROUND_UP)
        terminal.echo(f"{number:>3}  {words}: {one.purpose} ({one.status})", indent=5)
    if costs:
        click.echo()
    for name, amounts in sums.items():
        # what is spent is rounded up, and what is left down: no reader overrates the budget
        rounding = ROUND_UP if name == "spent" else ROUND_DOWN
        facts[name] = privacy_ledger.in_words(*amounts, rounding)
    terminal.echo_fields(facts)


def _exact(amounts: tuple[Decimal, Decimal]) -> dict[str, str]:
    """Epsilon and delta as texts, by name."""
    epsilon, delta = amounts
    return {"epsilon": str(epsilon), "delta": str(delta)}
