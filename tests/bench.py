"""The speed bars, as ratios measured in one run: `make bench`. Prints a table; exit code 1 if a bar is missed.

diffprivlib needs an older scikit-learn, so that it gets an environment of its own, .venv-bench.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from bench_arithmetic import arithmetic_bar
from bench_audit import audit_bars
from bench_causal import causal_fairness_bars
from bench_embedding import embedding_bars
from bench_generators import generator_bars
from bench_noise import noise_bars
from bench_training import training_bars

ROOT = Path(__file__).resolve().parent.parent
DPFAIR = Path(sys.executable).parent / "dpfair"
OPPONENT = ("diffprivlib==0.6.6", "scikit-learn==1.6.1", "numpy<2.3", "setuptools<81")
METHODS = ("functional_mechanism", "relaxed_functional_mechanism", "pflr", "pflr_star")
FITS = 20 * 100 * len(METHODS)

OPPONENT_SCRIPT = """
import json, sys, time, warnings
import numpy as np
from diffprivlib.models import LogisticRegression
warnings.simplefilter("ignore")
data = np.load(sys.argv[1])
X, y = data["X"], data["y"]
times = []
for seed in range(3):
    began = time.perf_counter()
    LogisticRegression(epsilon=1.0, data_norm=float(np.sqrt(X.shape[1])), random_state=seed).fit(X, y)
    times.append(time.perf_counter() - began)
print(json.dumps(min(times)))
"""

Bar = tuple[str, str, str, bool]  # what, measured, bar, whether it is met
LARGE_SCRIPT = """
import json, resource, time
from functools import partial
import numpy as np
from threadpoolctl import threadpool_limits
from dpfair_cli import paths
from dpfair_cli.data_access import loading, locating
from dpfair_cli.algorithms.regression import output_perturbation
from dpfair_cli.tasks import private_gap

def draws(case, sizes, clip_norm):
    began = time.perf_counter()
    for size in sizes:
        fit = partial(output_perturbation.fit, clip_norm=clip_norm, train_size=int(size))
        private_gap.study(fit, case, rng=np.random.default_rng(1))
    return time.perf_counter() - began

slowest, drawing = 0.0, 0.0
with threadpool_limits(1):
    for name, clip_norm in (("celeba", 6.0), ("acs_income", 3.0)):
        began = time.perf_counter()
        records = loading.load(locating.locate(name, {}, data_dir=paths.data_folder()), {})
        slowest = max(slowest, time.perf_counter() - began)
        case = private_gap.split(records, draws=100, rng=np.random.default_rng(0))
        sizes = np.logspace(1, np.log10(len(case.train)), 20)
        draws(case, sizes, clip_norm)  # the fits are remembered
        drawing += draws(case, sizes, clip_norm)
print(json.dumps([slowest, drawing, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6]))
"""


def main() -> int:
    """Run every bar and print it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        bars = [
            *sweep_bars(out),
            *reductions_bars(),
            *postprocessing_bars(out),
            *large_bars(),
            *pc_bars(),
            *causal_bars(),
            *training_bars(out),
            *embedding_bars(out),
            *generator_bars(out),
            *causal_fairness_bars(),
            *noise_bars(),
            *audit_bars(),
            table_bar(out),
            arithmetic_bar(),
            help_bar(),
        ]
    width = max(len(name) for name, *_ in bars)
    for name, measured, bar, met in bars:
        print(f"{name:{width}}  {measured:>24}  bar {bar:>14}  {'met' if met else 'MISSED'}")
    return 0 if all(met for *_, met in bars) else 1


def sweep_bars(folder: Path) -> list[Bar]:
    """8,000 private fits and their scores; the same cached; one fit against diffprivlib's."""
    loading = load_seconds(folder / "adult.npz")
    sweep = [str(DPFAIR), "sweep", "adult", "--eps", "0.01..10:20", "--runs", "100", "--out", str(folder)]
    cold, memory = timed(sweep)
    cached, _ = timed(sweep)
    fit = private_fit_seconds()
    ratio = rival_seconds(folder / "adult.npz") / fit
    return [
        (f"sweep of {FITS} private fits, after loading", f"{cold - loading:.1f} s", "<= 10 s", cold - loading <= 10),
        ("  its largest process", f"{memory:.2f} GB", "<= 1 GB", memory <= 1),
        ("  again, fully cached", f"{cached:.2f} s", "<= 2 s", cached <= 2),
        ("one functional mechanism against diffprivlib", f"{ratio:.0f} times faster", ">= 100 times", ratio >= 100),
    ]


def reductions_bars() -> list[Bar]:
    """DP-oracle-learner without privacy against fairlearn's reductions, at the violation that ours reaches on Adult."""
    import warnings

    import numpy as np
    from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.postprocessing.dp_oracle_learner import fit
    from dpfair_cli.metrics.classification import equalized_odds_violation, tabulate
    from dpfair_cli.tasks import in_sample

    people = training_case()[0].train
    case = in_sample.split(people, rng=np.random.default_rng(0))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        model = fit(people, epsilon=np.inf, fairness_gap=0.5, rng=np.random.default_rng(0))
        ours, middle = in_sample.score(model, case), time.perf_counter()
        gap = ours["equalized_odds_violation"]
        # its bound is on differences to the whole crowd, so that groups end up further apart; 0.6 leads to about `gap`
        bound = EqualizedOdds(difference_bound=0.6 * gap)
        rival = ExponentiatedGradient(LogisticRegression(max_iter=1000), bound, eps=0.01)
        rival.fit(people.X, people.y, sensitive_features=people.protected)
        ratio = (time.perf_counter() - middle) / (middle - began)
    decision = rival._pmf_predict(people.X)[:, 1]
    behind = ours["error"] - float(np.mean(np.abs(decision - people.y)))
    counts = tabulate(decision, people.y, people.protected)
    violations = f"{gap:.3f}, {equalized_odds_violation(counts):.3f}"
    return [
        ("oracle learner against fairlearn's reductions", f"{ratio:.0f} times faster", ">= 5 times", ratio >= 5),
        (f"  its error less fairlearn's (violations {violations})", f"{behind:+.4f}", "<= 0.01", behind <= 0.01),
    ]


def postprocessing_bars(folder: Path) -> list[Bar]:
    """One cell (epsilon, gamma, draw) of jagielski2019's Figure 1 right, a fit whose base is shared; all 43,200."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.postprocessing.dp_postprocessing import fit

    people = training_case()[0].train
    with threadpool_limits(1):
        fit(people, rng=np.random.default_rng(0))
        began = time.perf_counter()
        for seed in range(300):
            fit(people, epsilon=5.0, rng=np.random.default_rng(seed))
        milliseconds = (time.perf_counter() - began) / 300 * 1000
    bars = [("one cell of DP-postprocessing", f"{milliseconds:.2f} ms", "<= 2 ms", milliseconds <= 2)]
    if here("communities"):
        whole, _ = timed([str(DPFAIR), "plot", "jagielski2019/figure1-right", "--out", str(folder)])
        bars.append(("  figure1-right, 72 gammas x 6 epsilons x 100", f"{whole:.1f} s", "<= 60 s", whole <= 60))
    return bars


def large_bars() -> list[Bar]:
    """CelebA and ACSIncome: loading, and mangold2023's 100 draws at 20 sizes of each after the fits."""
    if not (here("celeba") and here("acs_income")):
        return []
    answer = subprocess.run([sys.executable, "-c", LARGE_SCRIPT], check=True, capture_output=True, text=True)
    loading, draws, memory = json.loads(answer.stdout)
    return [
        ("CelebA and ACSIncome, loading the slower", f"{loading:.1f} s", "<= 20 s", loading <= 20),
        ("  100 draws x 20 sizes x both, after the fits", f"{draws:.1f} s", "<= 60 s", draws <= 60),
        ("  largest process", f"{memory:.2f} GB", "<= 3 GB", memory <= 3),
    ]


def here(name: str) -> bool:
    """Whether the real data are here; says so where they are not."""
    from dpfair_cli import paths
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.data_access import locating

    try:
        locating.locate(name, {}, data_dir=paths.data_folder())
    except DpfairError as error:
        print(f"not measured: {error}")
        return False
    return True


def pc_bars() -> list[Bar]:
    """PC against causal-learn's with the same skeleton: G^2 and Fisher's z, 20 and 37 variables, 10,000 records."""
    import numpy as np

    from dpfair_cli.datasets import synthetic_categorical, synthetic_gaussian
    from dpfair_cli.kinds.variables import Observations
    from dpfair_cli.models.causal_discovery.random_dag import bernoulli_dag, gaussian_values

    rng = np.random.default_rng(0)
    alarm = network("alarm").draw(rng)[0]
    made = synthetic_categorical.load(ROOT, nodes=20, sparseness=0.1).draw(rng)[0]
    small = synthetic_gaussian.load(ROOT, nodes=20, sparseness=0.1).draw(rng)[0]
    values = gaussian_values(bernoulli_dag(37, 0.1, rng=rng), 10_000, rng=rng)
    large = Observations(values, tuple(f"v{j}" for j in range(37)))
    cases = {"G^2, p = 20": made, "G^2, ALARM": alarm, "Fisher's z, p = 20": small, "Fisher's z, p = 37": large}
    return [pc_bar(name, observations) for name, observations in cases.items()]


def pc_bar(name: str, observations) -> Bar:
    """The best of three fits, each on records that nothing is remembered of, against one of causal-learn's."""
    import warnings

    import numpy as np
    from causallearn.search.ConstraintBased.PC import pc
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.causal_discovery.pc import fit
    from dpfair_cli.kinds.variables import Observations

    rng, times = np.random.default_rng(0), []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            fresh = Observations(observations.values.copy(), observations.names, observations.levels)
            began = time.perf_counter()
            graph = fit(fresh, freedom="adjusted", rng=rng)
            times.append(time.perf_counter() - began)
        test, values = "gsq" if observations.levels else "fisherz", np.array(observations.values)
        began = time.perf_counter()
        rival = pc(values, 0.01, test, show_progress=False).G.graph != 0
        ratio = (time.perf_counter() - began) / min(times)
    same = bool((rival == graph.skeleton).all())
    measured = f"{ratio:.1f} times faster{'' if same else ', OTHER EDGES'}"
    return f"PC against causal-learn's, {name}", measured, ">= 3 times", same and ratio >= 3


def causal_bars() -> list[Bar]:
    """Seconds of PrivPC and LapMech over 5 graphs as in xu2021, Section 4.6.1 (published: 9 s and 111 s)."""
    from dpfair_cli.algorithms.causal_discovery import lap_mech, priv_pc

    ours = causal_seconds(priv_pc.fit)
    printed = causal_seconds(priv_pc.fit, score="published", adjacency="updated")
    rival = causal_seconds(lap_mech.fit, noise="published", negative_counts="zero", records_per_freedom=10.0)
    return [
        ("PrivPC, n = 5,000, p = 10", f"{ours:.2f} s", "<= 1 s", ours <= 1),
        ("  as published (9 s there)", f"{printed:.2f} s", "<= 1 s", printed <= 1),
        ("  LapMech (111 s there)", f"{rival:.2f} s", "no bar", True),
    ]


def causal_seconds(fit, **options) -> float:
    """The mean over 5 graphs, with epsilon = 5."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from dpfair_cli.datasets import synthetic_categorical

    law, seconds = synthetic_categorical.load(ROOT, records=5000), 0.0
    with threadpool_limits(1):
        for seed in range(5):
            rng = np.random.default_rng(seed)
            observations = law.draw(rng)[0]
            began = time.perf_counter()
            fit(observations, epsilon=5.0, rng=rng, **options)
            seconds += time.perf_counter() - began
    return seconds / 5


def network(name: str):
    """The population of a Bayesian network."""
    from dpfair_cli import catalog, paths
    from dpfair_cli.data_access import loading, locating

    options = catalog.complete("datasets", name, {})
    return loading.load(locating.locate(name, options, data_dir=paths.data_folder()), options)


def table_bar(folder: Path) -> Bar:
    """The whole of Table 9.5 of xu2021 (360 training runs), on the replicas if the data are not here."""
    quick = [] if here("adult") and here("dutch") else ["--quick"]
    seconds, _ = timed([str(DPFAIR), "table", "xu2021/table9.5", *quick, "--out", str(folder)])
    return "xu2021/table9.5" + (" (quick)" if quick else ""), f"{seconds:.0f} s", "<= 60 s", seconds <= 60


def help_bar() -> Bar:
    """The median of several starts."""
    seconds = sorted(timed([str(DPFAIR), "--help"])[0] for _ in range(7))[3]
    return "dpfair --help", f"{seconds:.3f} s", "<= 0.15 s", seconds <= 0.15


def timed(command: list[str]) -> tuple[float, float]:
    """(wall seconds, GB of the largest process of the command's tree)."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    seconds = time.perf_counter() - began
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6


def load_seconds(target: Path) -> float:
    """Seconds to read Adult (real, or its replica); leaves X and y of a training split for the rival."""
    import numpy as np

    case, seconds = training_case()
    np.savez(target, X=case.train.X, y=case.train.y)
    return seconds


def training_case():
    """The first split of Adult and the seconds that loading took."""
    import numpy as np

    from dpfair_cli import paths
    from dpfair_cli.data_access import loading, locating
    from dpfair_cli.tasks import classification

    options = {"encoding": "one_hot"}
    located = locating.locate("adult", options, data_dir=paths.data_folder(), replica_ok=True)
    began = time.perf_counter()
    records = loading.load(located, options)
    seconds = time.perf_counter() - began
    return classification.split(records, rng=np.random.default_rng(0)), seconds


def private_fit_seconds() -> float:
    """Seconds of one private fit, whose counts of the data are shared by all fits on a split, as in a sweep of 80."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.regression.functional_mechanism import fit

    case, _ = training_case()
    with threadpool_limits(1):
        began = time.perf_counter()
        for seed in range(80):
            fit(case.train, epsilon=1.0, rng=np.random.default_rng(seed))
        return (time.perf_counter() - began) / 80


def rival_seconds(data: Path) -> float:
    """The best of three diffprivlib fits on the same records."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [str(diffprivlib_python()), "-c", OPPONENT_SCRIPT, str(data)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return float(json.loads(answer.stdout))


def diffprivlib_python() -> Path:
    """The interpreter of the environment with diffprivlib, made on first use."""
    home = ROOT / ".venv-bench"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *OPPONENT], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
