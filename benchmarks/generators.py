"""The bars of the generators of chapter 6, for `make bench`: a round, the time of two tables,
tabfairgdt beside ours.

Seconds, those of a yard too, are of one processor, with one thread each. BENCH_EPOCHS=1 tries it
all in a few minutes; BENCH_SEEDS=3 gives medians of scores beside tabfairgdt, and takes three times
as long.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import mean, median

from benchmarks.epochs import epochs_in_yards
from benchmarks.ratio import Bar, Cost, in_words, middle, yard_bar, yardstick

ROOT = Path(__file__).resolve().parent.parent
EPOCHS = os.environ.get("BENCH_EPOCHS", "")  # of ours beside tabfairgdt; "" is their default
STRENGTHS = (0.5, 1.0)  # lambda of tabfairgdt
SEEDS = int(
    os.environ.get("BENCH_SEEDS", "1")
)  # of every method there, which has no bar and takes most of the bench
OPTIONS = {"encoding": "binned"}
REPEATS = 3  # epochs of a method that are timed
PROFILED, ROUNDS = 5, 10  # profiled epochs of so many rounds, each after one that is not
ALONE = 200  # products of a shape that are timed alone
RUNS, WORKERS, LIMIT = 5, 2, 60  # of Tables 6.1 and 6.2: trainings of each method, at once, minutes

PRODUCTS = ("aten::mm", "aten::addmm")
# kernels that compute; what moves numbers (copy_, cat, index_select, scatter_) and what only calls
# others is neither
MATHS = """
    add add_ sub sub_ mul mul_ div div_ neg log exp tanh tanh_backward sigmoid sigmoid_backward rsub reciprocal sqrt pow
    clamp_min clamp_ clamp threshold_backward log_sigmoid_forward log_sigmoid_backward _softmax _log_softmax argmax
    _softmax_backward_data _log_softmax_backward_data native_batch_norm native_batch_norm_backward sum mean mv addmv_
    uniform_ normal_ remainder floor_divide gt eq bitwise_and _fused_adam_ _foreach_add_
"""

FIT_SCRIPT = """
import json, resource, sys, time
from dpfair_cli import catalog, paths
from dpfair_cli.data_access import loading, locating
from dpfair_cli.tasks import classification
import numpy as np
from threadpoolctl import threadpool_limits
name, settings, seed, file = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
dataset = catalog.data_set("adult", {"encoding": "binned"})
located = locating.locate(dataset, data_dir=paths.data_folder(), replica_ok=True)
case = classification.split(loading.load(located), rng=np.random.default_rng(0))
fit = catalog.algorithm(name).fit
began = time.process_time()
with threadpool_limits(1):
    model = fit(case.train, **settings, rng=np.random.default_rng(seed))
    made = model.sample(len(case.train), rng=np.random.default_rng(seed))
seconds = time.process_time() - began
np.savez(file, X=made.X, y=made.y, protected=made.protected, decision=model.predict(case.test))
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6]))
"""

HEADINGS = ("trained on", "seconds", "GB", "RD of data", "BER", "accuracy", "RD")


def generator_bars(folder: Path) -> list[Bar]:
    """A round of FairGAN+, the time that Tables 6.1 and 6.2 take, and tabfairgdt beside ours."""
    if not find_spec("torch"):
        print("not measured: generators, which need torch: make deep")
        return []
    return [*round_bars(), *table_bars(), *side_by_side_bars(folder)]


def round_bars() -> list[Bar]:
    """Milliseconds of a round, how much of it is arithmetic, and its products against the same ones
    alone.
    """
    seconds, kernels = profiled_rounds()
    products = {key: uses for key, uses in kernels.items() if key[0] in PRODUCTS}
    elementwise = {f"aten::{name}" for name in MATHS.split()}
    maths = sum(spent for (name, _), (_, spent) in kernels.items() if name in elementwise)
    spent = sum(spent for _, spent in products.values())
    alone = sum(count * seconds_alone(shapes) for (_, shapes), (count, _) in products.items())
    share = (spent + maths) / seconds
    return [
        ("a round of FairGAN+ on adult, 200 people", f"{1000 * seconds:.1f} ms", "no bar", True),
        ("  of it products of matrices", f"{spent / seconds:.0%}", "no bar", True),
        ("  of it elementwise maths, sums and Adam", f"{maths / seconds:.0%}", "no bar", True),
        ("  of it arithmetic, both together", f"{share:.0%}", ">= 50%", share >= 0.5),
        (
            "  its products against torch.mm alone",
            f"{spent / alone:.2f} times the time",
            "no bar",
            True,
        ),
    ]


def profiled_rounds() -> tuple[float, dict[tuple[str, str], tuple[float, float]]]:
    """Seconds of a round, and for each (kernel, shapes) how often a round has it and the seconds of
    all of these.

    A kernel's time is by the clock: one that took 5 times as long as usual waited for another
    program.
    """
    import numpy as np
    from torch.profiler import ProfilerActivity, profile

    from dpfair_cli.algorithms.synthesis.fair_gan_plus import fit
    from dpfair_cli.contracts.training_context import TrainingContext
    from dpfair_cli.models.synthesis.game_schedule import DEFAULT_GAME, GameSchedule

    plain: list[float] = []
    found = defaultdict(list)

    def progress(states, *, epochs: int, done: int):
        yield next(states)  # the first one also warms up
        for _ in range(PROFILED):
            began = time.process_time()
            state = next(states)
            plain.append(time.process_time() - began)
            yield state
            with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
                state = next(states)
            for event in profiler.events():
                found[event.name, json.dumps(event.input_shapes)].append(
                    event.self_cpu_time_total / 1e6
                )
            yield state

    people = adult()[0].take(np.arange(ROUNDS * DEFAULT_GAME.batch_size))
    game = GameSchedule(
        epochs=1 + 2 * PROFILED, pretraining_epochs=0, batch_size=DEFAULT_GAME.batch_size
    )
    fit(people, game=game, context=TrainingContext(progress=progress), rng=np.random.default_rng(0))
    rounds = PROFILED * ROUNDS
    kernels = {
        key: (len(times) / rounds, len(times) / rounds * usual(times))
        for key, times in found.items()
    }
    return median(plain) / ROUNDS, kernels


def usual(times: list[float]) -> float:
    """The mean of those that are not far above the median."""
    limit = 5 * median(times)
    return mean(spent for spent in times if spent <= limit)


def seconds_alone(shapes: str) -> float:
    """The mean of torch.mm on matrices of these shapes; of the arguments of addmm the first one is
    added.
    """
    import torch

    left, right = (torch.randn(shape) for shape in json.loads(shapes) if len(shape) == 2)
    times = []
    for _ in range(ALONE):
        began = time.perf_counter()
        torch.mm(left, right)
        times.append(time.perf_counter() - began)
    return usual(times)


def table_bars() -> list[Bar]:
    """An epoch of each method on all of adult, and from these the time of Tables 6.1 and 6.2 as
    they are by default.
    """
    from dpfair_cli import catalog
    from dpfair_cli.algorithms.synthesis import acgan, fair_gan, fair_gan_plus
    from dpfair_cli.algorithms.training import adversarial_debiasing
    from dpfair_cli.models.synthesis.game_schedule import DEFAULT_GAME, GameSchedule

    people, yard = adult()[0], yardstick(clock=time.process_time)
    game = GameSchedule(epochs=REPEATS, pretraining_epochs=1, batch_size=DEFAULT_GAME.batch_size)
    total, bars = Cost(0, 0), []
    for module, times in ((fair_gan, 1), (fair_gan_plus, 2), (acgan, 1)):  # FairGAN+ in two notions
        epochs = epochs_in_yards(partial(module.fit, people, game=game), yard)
        before, played = (
            epochs.first * DEFAULT_GAME.pretraining_epochs,
            middle(epochs.others) * DEFAULT_GAME.epochs,
        )
        total += (before + played + epochs.rest) * times
        name = module.__name__.rpartition(".")[2]
        bars.append((f"an epoch of {name} on adult", in_words(epochs.others), "no bar", True))
    epochs = epochs_in_yards(partial(adversarial_debiasing.fit, people, epochs=1 + REPEATS), yard)
    total += (
        middle(epochs.others) * catalog.algorithm("adversarial_debiasing").complete({})["epochs"]
        + epochs.rest
    )
    bars.append(
        ("an epoch of adversarial_debiasing on adult", in_words(epochs.others), "no bar", True)
    )
    what = f"  so Tables 6.1 and 6.2, {RUNS} runs each, {WORKERS} workers"
    return [*bars, yard_bar(what, [total * (RUNS / WORKERS)], 60 * LIMIT)]


def side_by_side_bars(folder: Path) -> list[Bar]:
    """Prints the table of tabfairgdt and ours, all trained on the same 80 % of adult; how much
    slower ours are.
    """
    import numpy as np

    from dpfair_cli.models.synthesis.game_schedule import DEFAULT_GAME
    from dpfair_cli.tasks import classification

    people, named = adult()
    case = classification.split(people, rng=np.random.default_rng(0))
    rows = {"the real people": [[np.nan, np.nan, *scores(case.train, case)]]}
    rival = f"tabfairgdt {version('tabfairgdt')}" if find_spec("tabfairgdt") else ""
    if not rival:
        print("not measured: tabfairgdt, which is not installed: make deep")
    for strength in STRENGTHS if rival else ():
        pairs = [
            fitted_rows(folder, "tabfairgdt", {"data_fairness": strength}, seed, case)
            for seed in range(SEEDS)
        ]
        rows[f"{rival}, lambda {strength:g}"] = [row for row, _ in pairs]
    epochs = int(EPOCHS or DEFAULT_GAME.epochs)
    ours = {"epochs": epochs, "pretraining_epochs": min(epochs, DEFAULT_GAME.pretraining_epochs)}
    for name in ("fair_gan", "fair_gan_plus"):
        pairs = [fitted_rows(folder, name, ours, seed, case) for seed in range(SEEDS)]
        rows[name] = [row for row, _ in pairs]
        if name == "fair_gan_plus":
            rows["  its own classifier"] = [row for _, row in pairs]
    medians = {name: np.median(row, axis=0) for name, row in rows.items()}
    print_table(
        f"{named}, {len(case.train):,} people; epochs of ours: {epochs}; medians of seeds: {SEEDS}",
        medians,
    )
    theirs = medians.get(f"{rival}, lambda {STRENGTHS[-1]:g}")
    ratios = (
        {}
        if theirs is None
        else {name: medians[name][0] / theirs[0] for name in ("fair_gan", "fair_gan_plus")}
    )
    return [
        (
            f"{name} against {rival}, epochs of ours: {epochs}",
            f"{ratio:.1f} times slower",
            "no bar",
            True,
        )
        for name, ratio in ratios.items()
    ]


def fitted_rows(
    folder: Path, name: str, settings: dict, seed: int, case
) -> tuple[list[float], list[float]]:
    """Seconds, GB and scores of a method, by logistic regression and by the classifier that it
    comes with.
    """
    import numpy as np

    from dpfair_cli.kinds.records import Records

    target = folder / "made.npz"
    spent = answer(
        [sys.executable, "-c", FIT_SCRIPT, name, json.dumps(settings), str(seed), str(target)]
    )
    with np.load(target) as found:
        made = Records(found["X"], found["y"], found["protected"], case.train.domain)
        decision = found["decision"]
    return [*spent, *scores(made, case)], [*spent, *scores(made, case, decision)]


def scores(made, case, decision=None) -> list[float]:
    """RD and BER of generated people; accuracy and RD, on real people held out, of a rule that
    learned from them.
    """
    from dpfair_cli.metrics import classification, generated_data
    from dpfair_cli.models.regression.logistic_rule import logistic

    if decision is None:
        decision = logistic(made, l2=1.0).predict(case.test)
    counts = classification.tabulate(decision, case.test.y, case.test.protected)
    return [
        generated_data.risk_difference(made.y, made.protected),
        generated_data.balanced_error_rate(made.X, made.protected),
        classification.accuracy(counts),
        classification.demographic_parity_difference(counts),
    ]


def print_table(title: str, rows) -> None:
    """A line for each method, with the headings above."""
    width = max(map(len, rows))
    print(title)
    print("  ".join([f"{HEADINGS[0]:{width}}", *(f"{heading:>10}" for heading in HEADINGS[1:])]))
    for name, (seconds, memory, *measured) in rows.items():
        spent = (
            ("", "") if seconds != seconds else (f"{seconds:.1f}", f"{memory:.2f}")
        )  # NaN: nothing was trained
        print(
            "  ".join(
                [
                    f"{name:{width}}",
                    *(f"{text:>10}" for text in (*spent, *(f"{x:.4f}" for x in measured))),
                ]
            )
        )


def adult():
    """The people of adult in levels and bins, and what they are called: the real ones or their
    replica.
    """
    from dpfair_cli import catalog, paths
    from dpfair_cli.data_access import loading, locating

    dataset = catalog.data_set("adult", OPTIONS)
    located = locating.locate(dataset, data_dir=paths.data_folder(), replica_ok=True)
    return loading.load(located), "the replica of adult" if located.replica else "adult"


def answer(command: list[str]) -> list[float]:
    """What a script says in its last line."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    printed = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT
    )
    found: list[float] = json.loads(printed.stdout.splitlines()[-1])
    return found
