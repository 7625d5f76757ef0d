"""`dpfair choose`: the method that is best for a table, chosen with differential privacy."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import click

from dpfair_cli import catalog
from dpfair_cli.commands import making, options, own_data, terminal
from dpfair_cli.commands.options import argument, declared, group, option
from dpfair_cli.contracts import declarations
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.release import choosing, model_files, spending

MOST_TRIES = 1000


@dataclass(frozen=True)
class ChooseOptions:
    """The arguments and options of the command."""

    dataset: str = argument(shell_complete=options.complete_dataset)
    methods: tuple[str, ...] = option(
        "--method",
        "A method to choose from, such as pflr or pflr:fairness=shift; may be repeated.",
        required=True,
        metavar="NAME[:KEY=VALUE,...]",
        shell_complete=options.complete_method,
    )
    epsilon: str = option("--eps", "The epsilon of the whole choice.", required=True, metavar="E")
    delta: float | None = options.DELTA
    tries: int = option(
        "--tries",
        "The mean number of fits. The number is random and secret, and does not change epsilon.",
        type=click.IntRange(1, MOST_TRIES),
        default=20,
    )
    settings: tuple[str, ...] = options.SETTINGS
    save: Path = options.target("--save", "The model file (JSON) to write.", required=True)
    force: bool = options.FORCE
    as_json: bool = options.JSON
    own: options.OwnFile = group(options.OwnFile)
    data_dir: Path = options.DATA


@declared("choose", ChooseOptions)
def command(asked: ChooseOptions) -> None:
    """Choose the most accurate of several methods with differential privacy, and save its model.

    \b
    dpfair choose adult --method pflr --method pflr_star --eps 3 --save model.json

    Each try fits one of the methods, drawn at random, to 80 % of the data, and counts the correct
    decisions about the rest, with noise. The best of a random number of tries is saved. One try has
    a third of the epsilon: 80 % of it for the fit and 20 % for the count. It has the delta divided
    by the mean number of tries. The name of the method, the model and the noisy accuracy may be
    published. The running time may not: it shows the number of tries.

    If the domain file of your table has a privacy ledger, the command spends from it before the
    first fit. See `dpfair budget --help`.
    """
    from dpfair_cli.catalog import matching  # loads NumPy, for which `--help` does not wait

    total = own_data.parse_amount("--eps", asked.epsilon)  # exact, as a ledger counts it
    options.require_usable_epsilon(min(choosing.budget_of_try(total)))
    names = [text.partition(":")[0] for text in asked.methods]
    algorithms = list(map(catalog.algorithm, names))
    for algorithm in algorithms:
        if not matching.can_be_saved(algorithm):
            raise DpfairError(f"a model file cannot hold the result of {algorithm.name}")
        if not algorithm.guarantee.is_private:
            raise DpfairError(f"{algorithm.name} cannot be a candidate: it has no guarantee")
    given = options.parse_settings(asked.settings)
    if asked.delta is not None:
        given["delta"] = asked.delta
    options.say_of_delta(given)
    save, inputs = asked.save, [asked.dataset, *asked.own.given().values(), given.get("file")]
    options.require_free(save, "--save", inputs=inputs, force=asked.force)
    # which also asks for the options that all candidates need for their data
    data, params = own_data.resolve_data_set(asked.dataset, asked.own, given, algorithms)
    candidates = _candidates(asked.methods, params | {"epsilon": choosing.budget_of_try(total)[0]})
    promised = choosing.promise_of(list(candidates))
    shown = own_data.show_preview(data, list(candidates), delta=params.get("delta"))
    for method, reason in shown.refusals.items():  # any one
        raise DpfairError(f"{method.name} on {data.name}: {reason}")
    # found before the first fit, so that a missing ledger costs no time
    paying = own_data.paying_domain(data)
    methods, delta = list(shown.methods), choosing.delta_of_choice(shown.methods)
    purpose = f"{save.name} chosen from {', '.join(asked.methods)}"
    price = {"epsilon": float(total)}
    own_data.show_price(paying, spending.entry_of("a choice", promised, price, broken=()))

    # `choose` calls it before the first fit: a killed process has spent what it released
    def reserve(broken: Collection[str]) -> None:
        own_data.spend(paying, [choosing.entry_of_choice(purpose, promised, total, delta, broken)])

    with making.notice_if_slow(names):
        chosen = choosing.choose(
            data,
            methods,
            epsilon=total,
            mean_tries=asked.tries,
            data_dir=asked.data_dir,
            before_fit=reserve,
        )
    # before anything is printed: a closed pipe ends the command there
    model_files.write(save, chosen.model, chosen.origin)
    texts = dict(zip(methods, candidates.values(), strict=True))
    _show(texts[chosen.method], chosen, as_json=asked.as_json)
    click.echo(save, err=True)
    terminal.say_next(f"dpfair predict {quote(str(save))} FILE")


def _candidates(texts: Collection[str], params: dict[str, Any]) -> dict[declarations.Method, str]:
    """The methods to choose from, each with its text such as pflr:fairness=shift.

    `params` are the parameters that are given to all of them.

    Raises:
        click.UsageError: a setting is malformed, or is epsilon, which the budget decides.
        DpfairError: a method cannot be a candidate.
    """
    found = {}
    for text in texts:
        name, _, settings = text.partition(":")
        own = options.parse_pairs(settings.split(",")) if settings else {}
        for budget, decided_by in (("epsilon", "--eps"), ("delta", "--delta")):
            if budget in own:
                words = f"{text} has a setting {budget}: leave it out, {decided_by} decides it"
                raise click.UsageError(words)
        has_delta = "delta" in catalog.method(name, own).params
        shared = params if has_delta else {k: v for k, v in params.items() if k != "delta"}
        found[catalog.method(name, shared | own)] = text
    if "delta" in params and not choosing.delta_of_choice(found):
        raise click.UsageError("no method has a delta: leave out --delta")
    return found


def _show(name: str, chosen: choosing.Chosen, *, as_json: bool) -> None:
    """Prints the chosen method, its noisy accuracy, its model and the guarantee."""
    described, stated = list(chosen.model.described()), chosen.origin.guarantee.in_words()
    if as_json:
        found = {"chosen": name, "accuracy": chosen.accuracy}
        terminal.echo_json(found | {"model": described, "guarantee": stated})
        return
    remark = "with noise, and too large on average: the best of several"
    facts = {"chosen": name, "accuracy": f"{chosen.accuracy:.4f} ({remark})"}
    terminal.echo_model(facts, stated, described=described)
