"""Sweeps over a small table of the user, and the bytes of their journals."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import sweeps
from dpfair_cli.running.pool import Workers

DOMAIN = """age: {low: 18, high: 90}
work: {levels: [a, b, c]}
sex: {levels: [f, m]}
rich: {levels: [no, yes]}
"""


class Threads(ThreadPoolExecutor):
    """Threads in place of processes: `pool._local` gives them in a test."""

    def __init__(self, size, shared):
        super().__init__(size)

    def shutdown(self, wait=True, kill_workers=False):
        super().shutdown(wait)


METHODS = ("functional_mechanism", "pflr_star", "logistic_regression")


def table(n=60, seed=0):
    """A small table in which the older are richer."""
    rng = np.random.default_rng(seed)
    lines = ["age,work,sex,rich"]
    for _ in range(n):
        age = rng.integers(18, 90)
        rich = "yes" if age + rng.normal(0, 15) > 50 else "no"
        lines.append(f"{age},{rng.choice(list('abc'))},{rng.choice(list('fm'))},{rich}")
    return "\n".join(lines) + "\n"


def sweep(folder, methods=METHODS, **what):
    """The spec of a sweep over these methods without references, in a folder that all share."""
    named = named_sweep(folder, methods, **what)
    asked = tuple(method for method in named.methods if method.name in methods)
    return replace(named, artefact="sweeps/own", methods=asked)


def named_sweep(folder, methods=METHODS, epsilons=(0.1, 1.0, math.inf), seeds=4, **settings):
    """The spec of a sweep with the folder and the references that the command gives it."""
    options = {"file": str(folder / "own.csv"), "label": "rich", "protected": "sex"}
    options["domain"] = str(folder / "domain.yaml")
    request = sweeps.request(catalog.data_set("csv", options), methods)
    return request.spec(request.methods(epsilons, settings), seeds=seeds, refused={})


def artefact(spec, out, **how):
    return Artefact(spec, RunOptions(data_dir=out, out=out, **how))


def journal(out):
    return out / "sweeps" / "own" / "runs.jsonl"


def run(spec, out, tick=lambda count: None, jobs=1, cluster="", **how):
    """(the bytes of runs.jsonl, the failures)."""
    with Workers(jobs, cluster) as workers:
        failures = artefact(spec, out, workers=workers, **how).run(tick)
    return (out / spec.artefact / "runs.jsonl").read_bytes(), failures


def reasons(spec, out):
    """Why runs are missing; empty for those that the journal has."""
    return {planned.reason for planned in artefact(spec, out).runs.planned}
