"""What the commands are tried on: tables of one's own, and a paper of one table and one figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np

COLUMNS = ("--label", "rich", "--protected", "sex")
PUBLIC = (*COLUMNS, "--domain", "domain.yaml")
DOMAIN = (
    "age: {low: 18, high: 90}\nwork: {levels: [a, b, c]}\nsex: {levels: [f, m]}\nrich: "
    "{levels: [no, yes]}\n"
)
VARIABLES = "a: {levels: [x, y]}\nb: {levels: [u, v]}\nc: {levels: ['0', '1', '2']}\n"
ONE = ("sweep", "own.csv", *PUBLIC, "--runs", "2", "--jobs", "1", "--eps", "1", "--out", "out")
TWO = (
    "sweep",
    "own.csv",
    *PUBLIC,
    "--runs",
    "2",
    "--jobs",
    "1",
    "--eps",
    "1,10",
    "--out",
    "out",
)  # draws a figure
TOY = {
    "title": "A toy",
    "source": "Toy 2020",
    "task": "classification",
    "datasets": [
        {
            "name": "csv",
            "file": "own.csv",
            "label": "rich",
            "protected": "sex",
            "domain": "domain.yaml",
        }
    ],
    "algorithms": [
        {"name": "functional_mechanism", "method": "FM", "epsilon": [1, 10]},
        {"name": "logistic_regression", "method": "LR"},
    ],
    "seeds": 3,
    "quick": {"seeds": 1},
}
TABLE = {"rows": ["dataset", "epsilon", "method"], "values": ["accuracy"]}
PUBLISHED = """\
artefact,dataset,method,epsilon,metric,mean,std
table1,csv,LR,1,accuracy,0.8,0.1
table1,csv,FM,1,accuracy,0.01,0.0
"""
COMMON = ("--out", "out", "--jobs", "1")
PLACE = Path("out/toy2020/table1")


def swept(name="own", out="out"):
    """The one folder of the sweeps of these data."""
    (folder,) = Path(out, "sweeps").glob(f"{name}-*")
    return folder


def journal():
    """The journal of the one sweep of own.csv."""
    return swept() / "runs.jsonl"


def people(n=60):
    """Lines of a table in which the older are richer."""
    rng = np.random.default_rng(0)
    age, noise = rng.integers(18, 90, n), rng.normal(0, 15, n)
    work, sex = rng.choice(list("abc"), n), rng.choice(list("fm"), n)
    rich = np.where(age + noise > 50, "yes", "no")
    return [list(map(str, line)) for line in zip(age, work, sex, rich, strict=True)]


def write(path, lines, columns=("age", "work", "sex", "rich")):
    Path(path).write_text("\n".join(map(",".join, [columns, *lines])) + "\n")


def changed(column, value, every=1):
    """The people with a value replaced, in one of `every` lines."""
    lines = people()
    for line in lines[::every]:
        line[column] = value
    return lines
