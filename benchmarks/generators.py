"""The bars of the generators of xu2021, chapter 6: a round, two tables, comparison with tabfairgdt.

Seconds, also those of a yard, are of one processor, with one thread. BENCH_EPOCHS=1 is a quick
trial of a few minutes; BENCH_SEEDS=3 takes medians of the comparison over three seeds, in three
times the time.
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
# of our methods in the comparison with tabfairgdt; "" is the default of the methods
EPOCHS = os.environ.get("BENCH_EPOCHS", "")
# of every method in the comparison, which has no bar and takes most of the time
SEEDS = int(os.environ.get("BENCH_SEEDS", "1"))
STRENGTHS = (0.5, 1.0)  # lambda of tabfairgdt
OPTIONS = {"encoding": "binned"}
REPEATS = 3  # epochs of a method that are timed
PROFILED, ROUNDS = 5, 10  # profiled epochs, each after one that is not profiled; rounds of each
ALONE = 200  # products of a shape that are timed separately
# Tables 6.1 and 6.2: trainings of each method, trainings at once, minutes of both
RUNS, WORKERS, LIMIT = 5, 2, 60
FAR = 5  # a time this many times the median is that of a turn that waited for another program

PRODUCTS = ("aten::mm", "aten::addmm")
# other kernels that compute; those that move numbers (copy_, cat, index_select, scatter_) or only
# call others are not arithmetic
MATHS = """
    add add_ sub sub_ mul mul_ div div_ neg log exp tanh tanh_backward sigmoid sigmoid_backward
    rsub reciprocal sqrt pow clamp_min clamp_ clamp threshold_backward log_sigmoid_forward
    log_sigmoid_backward _softmax _log_softmax argmax _softmax_backward_data
    _log_softmax_backward_data native_batch_norm native_batch_norm_backward sum mean mv addmv_
    uniform_ normal_ remainder floor_divide gt eq bitwise_and _fused_adam_ _foreach_add_
"""

FIT_SCRIPT = """
import json, sys, time
from benchmarks.process import peak_memory
from dpfair_cli import catalog, paths
from dpfair_cli import data_access
from dpfair_cli.tasks import classification
import numpy as np
from threadpoolctl import threadpool_limits
name, settings, seed, file = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
dataset = catalog.data_set("adult", {"encoding": "binned"})
located = data_access.locate(dataset, data_dir=paths.data_folder(), replica_ok=True)
case = classification.split(data_access.load(located), rng=np.random.default_rng(0))
fit = catalog.algorithm(name).fit
began = time.process_time()
with threadpool_limits(1):
    model = fit(case.train, **settings, rng=np.random.default_rng(seed))
    made = model.sample(len(case.train), rng=np.random.default_rng(seed))
seconds = time.process_time() - began
np.savez(file, X=made.X, y=made.y, protected=made.protected, decision=model.predict(case.test))
print(json.dumps([seconds, peak_memory()]))
"""

HEADINGS = ("trained on", "seconds", "GB", "RD of data", "BER", "accuracy", "RD")


def generator_bars(folder: Path) -> list[Bar]:
    """A round of FairGAN+, the duration of Tables 6.1 and 6.2, and a comparison with tabfairgdt."""
    if not find_spec("torch"):
        print("not measured: generators, which need torch: make deep")
        return []
    return [*round_bars(), *table_bars(), *side_by_side_bars(folder)]


def round_bars() -> list[Bar]:
    """The duration of a round, its share of arithmetic, and its products against torch.mm alone."""
    seconds, kernels = profiled_rounds()
    products = {key: uses for key, uses in kernels.items() if key[0] in PRODUCTS}
    elementwise = {f"aten::{name}" for name in MATHS.split()}
    maths = sum(spent for (name, _), (_, spent) in kernels.items() if name in elementwise)
    spent = sum(spent for _, spent in products.values())
    alone = sum(count * seconds_alone(shapes) for (_, shapes), (count, _) in products.items())
    share = (spent + maths) / seconds
    products_alone = f"{spent / alone:.2f} times the time"
    return [
        ("a round of FairGAN+ on adult, 200 records", f"{1000 * seconds:.1f} ms", "no bar", True),
        ("  of it products of matrices", f"{spent / seconds:.0%}", "no bar", True),
        ("  of it elementwise maths, sums and Adam", f"{maths / seconds:.0%}", "no bar", True),
        ("  of it arithmetic, both together", f"{share:.0%}", ">= 50%", share >= 0.5),
        ("  its products against torch.mm alone", products_alone, "no bar", True),
    ]


def profiled_rounds() -> tuple[float, dict[tuple[str, str], tuple[float, float]]]:
    """Seconds of a round, and (kernel, shapes) -> calls in a round and seconds of these.

    Seconds of a kernel are wall-clock seconds, without calls that waited for another program.
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
                key = event.name, json.dumps(event.input_shapes)
                found[key].append(event.self_cpu_time_total / 1e6)
            yield state

    batch_size = DEFAULT_GAME.batch_size
    records = adult()[0].take(np.arange(ROUNDS * batch_size))
    game = GameSchedule(epochs=1 + 2 * PROFILED, pretraining_epochs=0, batch_size=batch_size)
    context = TrainingContext(progress=progress)
    fit(records, game=game, context=context, rng=np.random.default_rng(0))
    kernels = {}
    for key, times in found.items():
        calls = len(times) / (PROFILED * ROUNDS)
        kernels[key] = calls, calls * usual(times)
    return median(plain) / ROUNDS, kernels


def usual(times: list[float]) -> float:
    """The mean of the times that are not far above the median."""
    limit = FAR * median(times)
    return mean(spent for spent in times if spent <= limit)


def seconds_alone(shapes: str) -> float:
    """The mean seconds of torch.mm on the matrices among arguments of these shapes.

    The first argument of addmm, which is added, is a vector.
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
    """An epoch of each method on all of adult, and the duration of Tables 6.1 and 6.2."""
    from dpfair_cli import catalog
    from dpfair_cli.algorithms.synthesis import acgan, fair_gan, fair_gan_plus
    from dpfair_cli.algorithms.training import adversarial_debiasing
    from dpfair_cli.models.synthesis.game_schedule import DEFAULT_GAME, GameSchedule

    records, yard = adult()[0], yardstick(clock=time.process_time)
    game = GameSchedule(epochs=REPEATS, pretraining_epochs=1, batch_size=DEFAULT_GAME.batch_size)
    total, bars = Cost(0, 0), []
    for module, times in ((fair_gan, 1), (fair_gan_plus, 2), (acgan, 1)):  # FairGAN+ in two notions
        epochs = epochs_in_yards(partial(module.fit, records, game=game), yard)
        before = epochs.first * DEFAULT_GAME.pretraining_epochs
        played = middle(epochs.others) * DEFAULT_GAME.epochs
        total += (before + played + epochs.rest) * times
        name = module.__name__.rpartition(".")[2]
        bars.append((f"an epoch of {name} on adult", in_words(epochs.others), "no bar", True))
    epochs = epochs_in_yards(partial(adversarial_debiasing.fit, records, epochs=1 + REPEATS), yard)
    usual_epochs = catalog.algorithm("adversarial_debiasing").complete({})["epochs"]
    total += middle(epochs.others) * usual_epochs + epochs.rest
    what = "an epoch of adversarial_debiasing on adult"
    bars.append((what, in_words(epochs.others), "no bar", True))
    what = f"  so Tables 6.1 and 6.2, {RUNS} runs each, {WORKERS} workers"
    return [*bars, yard_bar(what, [total * (RUNS / WORKERS)], 60 * LIMIT)]


def side_by_side_bars(folder: Path) -> list[Bar]:
    """The duration of ours over that of tabfairgdt, all trained on the same 80 % of adult.

    Prints a table of seconds, memory and scores.
    """
    import numpy as np

    from dpfair_cli.models.synthesis.game_schedule import DEFAULT_GAME
    from dpfair_cli.tasks import classification

    records, title = adult()
    case = classification.split(records, rng=np.random.default_rng(0))
    rows = {"the real records": [[np.nan, np.nan, *scores(case.train, case)]]}
    rival = f"tabfairgdt {version('tabfairgdt')}" if find_spec("tabfairgdt") else ""
    if not rival:
        print("not measured: tabfairgdt, which is not installed: make deep")
    for strength in STRENGTHS if rival else ():
        settings = {"data_fairness": strength}
        pairs = fitted_rows(folder, "tabfairgdt", settings, case)
        rows[f"{rival}, lambda {strength:g}"] = [row for row, _ in pairs]
    epochs = int(EPOCHS or DEFAULT_GAME.epochs)
    ours = {"epochs": epochs, "pretraining_epochs": min(epochs, DEFAULT_GAME.pretraining_epochs)}
    for name in ("fair_gan", "fair_gan_plus"):
        pairs = fitted_rows(folder, name, ours, case)
        rows[name] = [row for row, _ in pairs]
        if name == "fair_gan_plus":
            rows["  its own classifier"] = [row for _, row in pairs]
    medians = {name: np.median(row, axis=0) for name, row in rows.items()}
    title += f", {len(case.train):,} records; epochs of ours: {epochs}; medians of seeds: {SEEDS}"
    print_table(title, medians)
    theirs = medians.get(f"{rival}, lambda {STRENGTHS[-1]:g}")
    if theirs is None:
        return []
    bars = []
    for name in ("fair_gan", "fair_gan_plus"):
        what = f"{name} against {rival}, epochs of ours: {epochs}"
        ratio = medians[name][0] / theirs[0]
        bars.append((what, f"{ratio:.1f} times slower", "no bar", True))
    return bars


def fitted_rows(
    folder: Path, name: str, settings: dict, case
) -> list[tuple[list[float], list[float]]]:
    """Seconds, GB and scores of a method for each seed, of two classifiers.

    The first is a logistic regression, the second the classifier of the method itself.
    """
    return [fitted_row(folder, name, settings, seed, case) for seed in range(SEEDS)]


def fitted_row(
    folder: Path, name: str, settings: dict, seed: int, case
) -> tuple[list[float], list[float]]:
    """The same for one seed."""
    import numpy as np

    from dpfair_cli.kinds.records import Records

    target = folder / "made.npz"
    arguments = [name, json.dumps(settings), str(seed), str(target)]
    spent = answer([sys.executable, "-c", FIT_SCRIPT, *arguments])
    with np.load(target) as found:
        made = Records(found["X"], found["y"], found["protected"], case.train.domain)
        decision = found["decision"]
    return [*spent, *scores(made, case)], [*spent, *scores(made, case, decision)]


def scores(made, case, decision=None) -> list[float]:
    """RD and BER of generated records, then accuracy and RD of a classifier on real test data.

    Without `decision`, the classifier is a logistic regression fitted to the generated records.
    """
    from dpfair_cli.metrics import classification, generated_data
    from dpfair_cli.models.synthesis.fixed_records import label_rule

    if decision is None:
        decision = label_rule(made).predict(case.test)
    counts = classification.tabulate(decision, case.test.y, case.test.protected, groups=2)
    return [
        generated_data.risk_difference(made.y, made.protected),
        generated_data.balanced_error_rate(made.X, made.protected),
        classification.accuracy(counts),
        classification.demographic_parity_difference(counts),
    ]


def print_table(title: str, rows) -> None:
    """Prints a line for each method below the headings; NaN seconds: nothing was trained."""
    width = max(map(len, rows))
    print(title)
    lines = [list(HEADINGS)]
    for name, (seconds, memory, *measured) in rows.items():
        spent = ["", ""] if seconds != seconds else [f"{seconds:.1f}", f"{memory:.2f}"]
        lines.append([name, *spent, *(f"{x:.4f}" for x in measured)])
    for first, *others in lines:
        print(f"{first:{width}}  " + "  ".join(f"{text:>10}" for text in others))


def adult():
    """The binned records of adult, or of its replica if the real ones are missing, and a title."""
    from dpfair_cli import catalog, data_access, paths

    dataset = catalog.data_set("adult", OPTIONS)
    located = data_access.locate(dataset, data_dir=paths.data_folder(), replica_ok=True)
    return data_access.load(located), "the replica of adult" if located.replica else "adult"


def answer(command: list[str]) -> list[float]:
    """The JSON in the last line that a command prints."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    printed = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT
    )
    found: list[float] = json.loads(printed.stdout.splitlines()[-1])
    return found
