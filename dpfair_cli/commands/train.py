"""`dpfair train`: trains one method on one data set, and states what is private."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import click

from dpfair_cli import catalog
from dpfair_cli.commands import group_table, making, options, own_data, terminal
from dpfair_cli.commands.options import argument, declared, group, option
from dpfair_cli.contracts import declarations, results, training_context
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.mechanisms import secure
from dpfair_cli.metrics import group_rates
from dpfair_cli.release import model_files, privacy_ledger, released_scores, spending, training
from dpfair_cli.reporting import model_card
from dpfair_cli.reproduction import preview

SCORES = (
    "of a random part of the private data (another one in each run without --seed), without noise: "
    "not private, do not publish them"
)
RELEASED = "with noise under a separate epsilon: you may publish them together with the model file"
REPLICA = "REPLICA: not the real data"
FEW_DECISIONS = 0.01  # share of the rarer decision below which a rule counts as constant
DEFAULT_METHOD = "dp_whitened_descent"  # the most accurate private classifier (make bench)
UNPAID = (  # in place of a graph
    "not printed: the domain file has a privacy ledger, which pays only for what --save writes"
)
GAPS = {  # the rates that a setting of `fairness` makes alike
    "demographic_parity": ("selection rate",),
    "equal_opportunity": ("true positive rate",),
    "equalized_odds": ("false positive rate", "true positive rate"),
}
LARGER_STEPS = "larger and more steps, such as --set learning_rate=5 --set epochs=50"


@dataclass(frozen=True)
class TrainOptions:
    """The arguments and options of the command."""

    dataset: str = argument(shell_complete=options.complete_dataset)
    method: str = option(
        "--method",
        "The method; `dpfair info methods` lists all methods.",
        default=DEFAULT_METHOD,
        show_default=True,
        metavar="NAME",
        shell_complete=options.complete_method,
    )
    epsilon: float | None = option(
        "--eps", "The epsilon of the fit.  [default: that of the method]"
    )
    delta: float | None = options.DELTA
    seed: str | None = option(
        "--seed",
        "Draw the noise from the seed N. Everybody who knows N can subtract the noise, so the fit "
        "is not private.  [default: secret noise]",
        metavar="N",
    )
    task: str = options.TASK
    settings: tuple[str, ...] = options.SETTINGS
    save: Path | None = options.target(
        "--save",
        "Write the model to FILE (JSON) and, for your own table, all that is printed to a card "
        "beside it, which is not to be published.",
    )
    score_epsilon: float | None = option(
        "--release-scores",
        "With --save: also print accuracy and gaps with noise, which may be published. They cost "
        "EPS in addition to the epsilon of the fit.",
        metavar="EPS",
    )
    cluster: str = options.cluster_option()
    force: bool = options.FORCE
    as_json: bool = options.JSON
    own: options.OwnFile = group(options.OwnFile)
    data_dir: Path = options.DATA
    device: training_context.Device = options.DEVICE


@declared("train", TrainOptions)
def command(asked: TrainOptions) -> None:
    """Train a method on 80 % of a data set, score the model on the rest, and state what is private.

    \b
    dpfair train people.csv --label hired --protected sex --domain people.yaml \\
        --save model.json
    dpfair train adult --method dp_fair_descent --set fairness_gap=0.02 --eps 1

    A method of causal discovery is fitted to all records, and the command prints the edges that
    the method finds.

    The noise comes from the operating system and cannot be drawn again. The file of --save holds
    the fitted model and public facts; for a private method, the guarantee covers the whole file.
    The printed scores are exact and not private, except those of --release-scores.

    If the domain file of your table has a privacy ledger, --save spends from it before the fit. See
    `dpfair budget --help`.
    """
    wanted = _resolve(asked)
    train = partial(
        training.train,
        wanted.data,
        task=asked.task,
        protocol=wanted.protocol,
        seed=_seed(asked.seed),
        data_dir=asked.data_dir,
        device=asked.device,
    )
    reserve = partial(_reserve, asked, wanted.method, _paying(asked, wanted))
    noisy_scores = partial(_noisy_scores, asked.score_epsilon)
    with making.notice_if_slow([wanted.method.name]):
        trained = train(wanted.method, before_fit=reserve, after_fit=noisy_scores)
    save = asked.save
    if save:  # before anything else that can end the command: a second fit, or a closed pipe
        model_files.write(save, trained.model, trained.origin)
    remark = _remark(trained, wanted.method, train)
    if save and wanted.card:
        model_card.write(wanted.card, _card(save.name, wanted, trained, remark))
    shown = list(trained.model.described())
    if shown and not save and own_data.has_ledger(wanted.data):
        shown = [UNPAID]
    _show(trained, shown, remark, as_json=asked.as_json)
    if save:
        click.echo(save, err=True)
        if wanted.card:
            click.echo(wanted.card, err=True)
        terminal.say_next(*_next_commands(asked, save, trained.model, wanted.method))


@dataclass(frozen=True, eq=False)
class Wanted:
    """What the names in a command mean."""

    data: declarations.DataSet
    study: declarations.Study
    protocol: Mapping[str, Any]  # the parameters of the study that the user gave
    method: declarations.Method
    shown: preview.Preview  # what was printed of a user's table
    card: Path | None  # the file of the card of the model; None if there is no card


def _resolve(asked: TrainOptions) -> Wanted:
    """The data, the study and the method of a command.

    Raises:
        click.UsageError: an option is mistaken, or has no effect.
        DpfairError: a name is unknown, data and method do not fit, or no file can be written.
    """
    from dpfair_cli.catalog import matching  # loads NumPy, for which `--help` does not wait

    options.require_usable_epsilon(1.0 if asked.epsilon is None else asked.epsilon)
    algorithm, given = catalog.algorithm(asked.method), options.parse_settings(asked.settings)
    if asked.save and not matching.can_be_saved(algorithm):
        raise DpfairError(
            f"a model file cannot hold the result of {asked.method}: leave out --save"
        )
    inputs = [asked.dataset, *asked.own.given().values(), given.get("file")]
    # before the fit, which may take hours
    options.require_free(asked.save, "--save", inputs=inputs, force=asked.force)
    data, params = own_data.resolve_data_set(asked.dataset, asked.own, given, [algorithm])
    if asked.cluster:
        data = own_data.in_parts(data, [algorithm], asked.cluster)
    study = matching.study_named(asked.task, data.source, [algorithm])
    # what is left of --set are parameters of the study, and then of the method
    protocol, params = matching.divided(params, study, [algorithm])
    budget = {"epsilon": asked.epsilon, "delta": asked.delta}
    params |= {name: value for name, value in budget.items() if value is not None}
    _require_releasable(asked, study)
    trains = training_context.LIBRARY in (algorithm.needs, data.source.needs)
    no_network = f"{asked.method} on {data.name} trains no network"
    options.require_network(asked.device, trains, no_network)
    asked.device.require()
    options.say_of_delta(params)
    method = catalog.method(asked.method, params)
    card = _card_file(asked.save) if data.source.own_files else None
    options.require_free(card, "--save", inputs=inputs, force=asked.force)
    shown = _previewed(data, study, method, params.get("delta"))
    return Wanted(data, study, protocol, shown.methods[0], shown, card)


def _previewed(
    data: declarations.DataSet,
    study: declarations.Study,
    method: declarations.Method,
    delta: float | None,
) -> preview.Preview:
    """How a user's table is read, which is printed, and the method as it runs on the data.

    `delta` is the one that the user gave, if any.

    Raises:
        DpfairError: the method cannot run; the message names private methods that can.
    """
    shown = own_data.show_preview(data, [method], delta=delta)
    for reason in shown.refusals.values():
        others = ", ".join(preview.private_methods_that_run(data, study))
        cure = f"; private methods that can run: {others}" if others else ""
        raise DpfairError(f"{method.name} on {data.name}: {reason}{cure}")
    return shown


def _next_commands(
    asked: TrainOptions, save: Path, model: Any, method: declarations.Method
) -> list[str]:
    """What a user may do with a saved model: decide, draw records, audit its guarantee."""
    commands = []
    if callable(getattr(model, "predict", None)):
        records = asked.dataset if asked.dataset in catalog.data_sources.names else "FILE"
        commands.append(f"dpfair predict {quote(str(save))} {records}")
    if isinstance(model, results.RecordGenerator):
        commands.append(f"dpfair sample {quote(str(save))} --out FILE")
    if method.is_private:
        commands.append(f"dpfair audit {method.name}")
    return commands


def _seed(text: str | None) -> int | None:
    """The value of `--seed` as a number; None without `--seed`, so that the noise is secret.

    Raises:
        click.UsageError: the text is no number.
    """
    if text == "secret":
        raise click.UsageError(
            "--seed must be a number: leave out --seed for a secret seed, which is the default"
        )
    if text is not None and not text.isdigit():
        raise click.UsageError(f"--seed must be a number, got {text!r}")
    return None if text is None else int(text)


def _require_releasable(asked: TrainOptions, study: declarations.Study) -> None:
    """Refuses scores that could not be released with a guarantee.

    Raises:
        click.UsageError: the epsilon of the scores is not positive and finite, the model is not
            saved, or its noise has a known seed.
        DpfairError: the study has no held-out records to score.
    """
    epsilon = asked.score_epsilon
    if epsilon is None:
        return
    if not 0 < epsilon < math.inf:
        raise click.UsageError(f"--release-scores must be a finite epsilon above 0, got {epsilon}")
    options.require_usable_epsilon(epsilon)
    if asked.save is None or asked.seed is not None:
        raise click.UsageError("--release-scores needs --save and secret noise, without --seed")
    scored = released_scores.STUDY
    if study.name != scored:
        raise DpfairError(
            f"--release-scores needs the task {scored}, got {study.name}: leave it out"
        )


def _paying(asked: TrainOptions, wanted: Wanted) -> Path | None:
    """The domain file whose ledger pays; None without a ledger, or if nothing is released.

    Raises:
        DpfairError: the study makes several fits, the choice among which no entry counts.
    """
    study = wanted.study
    paying = own_data.paying_domain(wanted.data) if asked.save else None
    fits = study.fits(study.complete(wanted.protocol))
    if paying and fits > 1:
        raise DpfairError(
            f"the task {study.name} makes {fits} fits, which a ledger does not count: use another "
            "task"
        )
    method = wanted.method
    fit = spending.entry_of(method.name, method.algorithm.guarantee, method.params, broken=())
    own_data.show_price(paying, fit)  # before the table is read: there is time to stop
    return paying


def _reserve(
    asked: TrainOptions,
    method: declarations.Method,
    paying: Path | None,
    records: int,
    broken: Collection[str],
) -> None:
    """Spends what a saved model and its released scores cost, before the fit.

    `records` is the number of training records, and `broken` are the broken conditions of the
    guarantee.

    Raises:
        DpfairError: the ledger refuses, or scores are asked of a model without a guarantee.
    """
    if asked.save is None:  # nothing leaves, so nothing is paid
        return
    name = asked.save.name
    purpose = f"{name} by {method.name}"
    entries = [spending.entry_of_fit(purpose, method, broken=broken, records=records)]
    if asked.score_epsilon is not None:
        params, promise = {"epsilon": asked.score_epsilon}, released_scores.PROMISE
        entries += [spending.entry_of(f"scores of {name}", promise, params, broken=broken)]
        for entry in entries:  # also without a ledger: the scores are said to be private
            privacy_ledger.require_counted(entry)
    own_data.spend(paying, entries)


def _noisy_scores(
    epsilon: float | None, model: Any, case: Any
) -> Mapping[str, released_scores.ReleasedScore]:
    """Scores from noisy counts of the held-out records; empty without an epsilon."""
    if epsilon is None:
        return {}  # exact scores are not released
    rng = secure.SecureGenerator()
    return released_scores.released_scores(model, case.test, epsilon=epsilon, rng=rng)


def _is_constant(trained: training.Trained) -> bool:
    """Whether the model decides the same for nearly all tested records."""
    rate = trained.scores.get("selection_rate")
    if not isinstance(rate, float):  # a rate for each of several classes, or none
        return False
    return not FEW_DECISIONS <= rate <= 1 - FEW_DECISIONS


def _remark(
    trained: training.Trained,
    method: declarations.Method,
    train: Callable[[declarations.Method], training.Trained],
) -> str:
    """What a reader of the scores should know about the model; empty for a usual model.

    If a method with noise decides the same for nearly all records, `train` trains a second model
    without noise to find the cause.
    """
    scores, params = trained.scores, method.params
    if not _is_constant(trained):
        if scores.get("accuracy", 1.0) <= scores.get("majority_accuracy", 0.0):
            return (
                f"{method.name} is no more accurate than always deciding for the more frequent "
                "label"
            )
        return _missed_gap(trained, params)
    found = f"{method.name} decides {scores['selection_rate']:.0f} for nearly all records"
    if params.get("epsilon", math.inf) < math.inf:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # shown for the first fit
            noiseless = train(catalog.method(method.name, {**params, "epsilon": math.inf}))
        if not _is_constant(noiseless):
            return f"{found}, but not without noise: it needs more records or a larger epsilon"
        found = f"{found}, also without noise"
    return f"{found}: train it with {LARGER_STEPS}" if "epochs" in params else found


def _missed_gap(trained: training.Trained, params: Mapping[str, Any]) -> str:
    """What a reader should know if the gaps are surely above the one that was asked for."""
    asked, names = params.get("fairness_gap"), GAPS.get(str(params.get("fairness")), ())
    if asked is None or not trained.groups:
        return ""
    found = group_rates.gaps(trained.counts)
    missed = [f"{name} {found[name].value:.4f}" for name in names if found[name].low > asked]
    if not missed:
        return ""
    return (
        f"the tested records have a larger gap than the {asked:g} that was asked for: "
        f"{', '.join(missed)}; more records or a larger epsilon make it smaller"
    )


def _show(
    trained: training.Trained, described: Sequence[str], remark: str, *, as_json: bool
) -> None:
    """Prints the scores of a trained model, its description and the privacy guarantee."""
    stated = trained.origin.guarantee.in_words()
    if as_json:
        terminal.echo_json(
            {
                "scores": trained.scores,
                "rates": group_table.rates_as_json(trained.counts, trained.groups),
                "remark": remark,
                "scores are": SCORES,
                "replica": bool(trained.origin.replica),
                "model": list(described),
                "guarantee": stated,
                "released scores": {name: vars(score) for name, score in trained.released.items()},
            }
        )
        return
    if trained.groups:  # below the scores, which are of the same records
        rates = group_table.lines(trained.counts, trained.groups)
        table = [f"rates by group: {group_table.EXACT}", *rates]
        described = [*table, "", *described] if described else table
    facts = {"scores": SCORES} | _scores(trained, remark)
    # that the data are made is said first, before what is promised of them
    blocks = [facts, ({"data": REPLICA} if trained.origin.replica else {}) | stated]
    if trained.released:
        blocks.append({"released scores": RELEASED} | _released(trained))
    terminal.echo_model(*blocks, described=described)


def _card_file(save: Path | None) -> Path | None:
    """The file of the card beside a model file; None if the model is not saved in a file."""
    if save is None or (save.exists() and not save.is_file()):  # `/dev/stdout`, a pipe
        return None
    return save.with_name(f"{save.name.removesuffix('.json')}.card.md")


def _card(
    name: str, wanted: Wanted, trained: training.Trained, remark: str
) -> model_card.ModelCard:
    """The card of a model that was saved under `name`, after its ledger has paid."""
    ledger, domain = {}, str(wanted.data.options.get("domain") or "")
    if own_data.has_ledger(wanted.data):
        found = spending.read(Path(domain))
        amounts = {"budget": (found.epsilon, found.delta), "spent": found.spent, "left": found.left}
        ledger = {"neighbours": str(found.neighbours)} | {
            # what is left is rounded down: no reader overrates the budget
            name: privacy_ledger.in_words(*amount, ROUND_DOWN if name == "left" else ROUND_UP)
            for name, amount in amounts.items()
        }
    return model_card.ModelCard(
        model=name,
        guarantee=trained.origin.guarantee.in_words(),
        ledger=ledger,
        scores=_scores(trained, remark),
        released=_released(trained),
        rates=group_table.lines(trained.counts, trained.groups) if trained.groups else [],
        data=wanted.shown.facts,
        questions=wanted.shown.questions,
        answers=Path(domain).expanduser().read_text(encoding="utf-8") if domain else "",
    )


def _scores(trained: training.Trained, remark: str) -> dict[str, str]:
    """The exact scores as texts, by name, and a remark about them, if there is one."""
    scores = {name: _text(score) for name, score in trained.scores.items()}
    return scores | ({"remark": remark} if remark else {})


def _released(trained: training.Trained) -> dict[str, str]:
    """The noisy scores as texts, by name."""
    return {name: _with_interval(score) for name, score in trained.released.items()}


def _with_interval(score: released_scores.ReleasedScore) -> str:
    """A released score and the interval of the exact one, if it excludes any value."""
    if not score.is_measurable:
        return "not measurable: with this epsilon the noise hides it; test more records"
    return (
        f"{score.value:.4f}  95 % interval of the exact score {score.low:.4f} to {score.high:.4f}"
    )


def _text(score: Any) -> str:
    """A score as text; of a score with a value for each group, one group per line."""
    if isinstance(score, list):
        return " ".join(f"{_text(value):>8}" for value in score)
    if isinstance(score, str):
        return score
    if math.isnan(score):
        return "not measurable"
    return f"{score:.4f}" if abs(score) < 1000 else f"{score:,.0f}"
