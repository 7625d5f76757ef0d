"""`dpfair choose`: the method that is best for a table, chosen with differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import ledgers, options, output_file, own_data, terminal
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared, group, option

if TYPE_CHECKING:
    from collections.abc import Collection

    from dpfair_cli.release.choosing import Chosen

MOST_TRIES = 1000


@dataclass(frozen=True)
class ChooseOptions:
    """The arguments and options of the command."""

    dataset: str = argument(shell_complete=options.complete_dataset)
    methods: tuple[str, ...] = option(
        "--method",
        multiple=True,
        required=True,
        metavar="NAME[:KEY=VALUE,...]",
        shell_complete=options.complete_method,
        help="A method to choose from, such as pflr or pflr:fairness=shift; may be repeated.",
    )
    epsilon: str = option(
        "--eps", required=True, metavar="E", help="The epsilon of the whole choice."
    )
    tries: int = option(
        "--tries",
        type=click.IntRange(1, MOST_TRIES),
        default=20,
        show_default=True,
        help="The mean number of fits. The number is random and secret, and does not change "
        "epsilon.",
    )
    settings: tuple[str, ...] = options.set_option()
    save: Path = output_file.target("--save", "The model file (JSON) to write.", required=True)
    force: bool = output_file.force()
    as_json: bool = options.json_option()
    own: options.OwnFile = group(options.OwnFile)
    data_dir: Path = options.data_option()


@declared("choose", ChooseOptions)
def command(asked: ChooseOptions) -> None:
    """Choose the most accurate of several methods with differential privacy, and save its model.

    Each try fits one of the methods, drawn at random, to 80 % of the data, and counts the correct
    decisions about the rest, with noise. The best of a random number of tries is saved. One try has
    a third of the epsilon: 80 % of it for the fit and 20 % for the count. The name of the method,
    the model and the noisy accuracy may be published. The running time may not: it shows the number
    of tries.

    If the domain file of your table has a privacy ledger, the command spends from it before the
    first fit. See `dpfair budget --help`.
    """
    from dpfair_cli import catalog
    from dpfair_cli.catalog import matching
    from dpfair_cli.commands import making, preview
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.release import choosing, saving

    total = _epsilon(asked.epsilon)
    names = [text.partition(":")[0] for text in asked.methods]
    algorithms = list(map(catalog.algorithm, names))
    for algorithm in algorithms:
        if not matching.can_be_saved(algorithm):
            raise DpfairError(f"a model file cannot hold the result of {algorithm.name}")
        if not algorithm.guarantee.is_private:
            raise DpfairError(f"{algorithm.name} cannot be a candidate: it has no guarantee")
    given = options.parse_settings(asked.settings)
    save, inputs = asked.save, [asked.dataset, *asked.own.given().values(), given.get("file")]
    output_file.require_free(save, "--save", inputs=inputs, force=asked.force)
    data, params = own_data.resolve_data_set(asked.dataset, asked.own, given, algorithms)
    params |= {"epsilon": choosing.budget_of_try(total)[0]}
    candidates = {
        catalog.method(name, {**params, **_settings_in(text)}): text
        for name, text in zip(names, asked.methods, strict=True)
    }
    for candidate in candidates:
        choosing.require_candidate(candidate)
    for method, reason in preview.show(data, list(candidates)).items():
        raise DpfairError(f"{method.name} on {data.name}: {reason}")
    account = ledgers.account_of(data)
    purpose = f"{save.name} chosen from {', '.join(asked.methods)}"

    def reserve(broken: Collection[str]) -> None:
        ledgers.spend(account, [choosing.entry_of_choice(purpose, total, broken)])

    with making.notice_if_slow(names):
        chosen = choosing.choose(
            data,
            list(candidates),
            epsilon=total,
            mean_tries=asked.tries,
            data_dir=asked.data_dir,
            before_fit=reserve,
        )
    saving.write(save, chosen.model, chosen.origin)
    name = candidates[chosen.method]
    echo_json(_plain(name, chosen)) if asked.as_json else _echo(name, chosen)
    click.echo(save, err=True)


def _settings_in(candidate: str) -> dict[str, Any]:
    """The settings in the text of a candidate, such as fairness=shift in pflr:fairness=shift.

    Raises:
        click.UsageError: a setting is malformed, or is epsilon, which the budget decides.
    """
    _, _, text = candidate.partition(":")
    found = options.parse_settings(tuple(text.split(","))) if text else {}
    if "epsilon" in found:
        raise click.UsageError(f"{candidate} has an epsilon: leave it out, --eps decides it")
    return found


def _epsilon(text: str) -> Decimal:
    """The value of `--eps`.

    Raises:
        click.UsageError: it is not a positive number, or so small that noise overflows.
    """
    from dpfair_cli.release.choosing import budget_of_try
    from dpfair_cli.release.privacy_ledger import amount

    try:
        epsilon = amount(text)
    except ValueError as error:
        raise click.UsageError(f"--eps {error}") from error
    if not epsilon:
        raise click.UsageError("--eps must be larger than 0")
    options.require_usable_epsilon(min(budget_of_try(epsilon)))
    return epsilon


def _echo(name: str, chosen: Chosen) -> None:
    """Prints the chosen method, its model and the guarantee."""
    stated = chosen.origin.guarantee.in_words()
    accuracy = f"{chosen.accuracy:.4f} (with noise, and too large on average: the best of several)"
    facts = {"chosen": name, "accuracy": accuracy}
    width = max(map(len, [*facts, *stated]))
    terminal.echo_model(facts, chosen.model.described(), stated, width=width)


def _plain(name: str, chosen: Chosen) -> dict[str, Any]:
    """The chosen method, its noisy accuracy, its model and the guarantee for JSON."""
    return {
        "chosen": name,
        "accuracy": chosen.accuracy,
        "model": list(chosen.model.described()),
        "guarantee": chosen.origin.guarantee.in_words(),
    }
