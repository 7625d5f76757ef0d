"""Sweeps over a small table of one's own, and the bytes of their journals."""

import math
from dataclasses import replace

import numpy as np

from dpfair_cli.reproduction.artefact import Artefact, RunOptions
from dpfair_cli.running import sweeps
from dpfair_cli.running.workers import Workers

DOMAIN = "age: {low: 18, high: 90}\nwork: {levels: [a, b, c]}\nsex: {levels: [f, m]}\nrich: {levels: [no, yes]}\n"
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
    """A sweep of these methods alone, without baselines beside them, with the folder that all of
    them share here.
    """
    named = named_sweep(folder, methods, **what)
    asked = tuple(part for part in named.algorithms if part.name in methods)
    return replace(named, artefact="sweeps/own", algorithms=asked)


def named_sweep(folder, methods=METHODS, epsilons=(0.1, 1.0, math.inf), seeds=4, **settings):
    """A sweep with the folder and the baselines that the command gives it."""
    options = {"file": str(folder / "own.csv"), "label": "rich", "protected": "sex"}
    options["domain"] = str(folder / "domain.yaml")
    return sweeps.spec(
        "csv", options, methods=methods, epsilons=epsilons, settings=settings, seeds=seeds
    )


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
    return {pending.reason for pending in artefact(spec, out).planned}
