"""A project with one table on Adult, whose journal is written by hand: no data are read and nothing
is run.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import yaml

from dpfair_cli.data_access import declared
from dpfair_cli.running.plan import identity
from dpfair_cli.running.rows import Row, line
from dpfair_cli.running.spec import parse

NAME = "toy2020/table1"
SPEC = {
    "title": "A toy",
    "source": "Toy 2020",
    "task": "classification",
    "datasets": ["adult"],
    "algorithms": [
        {"name": "functional_mechanism", "method": "FM", "epsilon": [1, 10]},
        {"name": "logistic_regression", "method": "LR"},
    ],
    "seeds": 3,
    "table": {"rows": ["dataset", "epsilon", "method"], "values": ["accuracy"]},
}
HEADER = "artefact,dataset,method,epsilon,metric,mean,std"
PUBLISHED = (HEADER, "table1,adult,LR,1,accuracy,0.8,0.001", "table1,adult,FM,1,accuracy,0.7,0.001")
CLAIM = {
    "id": "better",
    "claim": "LR is better",
    "quote": "...",
    "place": "p. 1",
    "artefact": "table1",
}
HOLDS = {"compare": ["LR", ">", "FM"], "metric": "accuracy"}
CLAIMS = (CLAIM | {"holds": [HOLDS]},)
MEANS = {"LR": 0.8, "FM": 0.7}
SCORES = {
    "majority_accuracy": 0.75,
    "selection_rate": 0.2,
    "demographic_parity_difference": 0.1,
    "equal_opportunity_difference": 0.1,
    "equalized_odds_difference": 0.1,
    "accuracy_difference": 0.1,
}


def rows(spec=None, *, means=None, seeds=None, **changed):
    """The rows of the spec, at the mean of the method and 0.01 below and above it.

    `changed` are keys of every row.
    """
    means = MEANS | (means or {})
    found = parse((spec or SPEC) | ({"seeds": seeds} if seeds else {}), NAME)
    lines = []
    for run in found.runs():
        own = means[run.label] + 0.01 * (run.seed % 3 - 1)
        data = declared(run.dataset, data_dir=Path())
        lines.append({**identity(run, data), **changed, "scores": {"accuracy": own, **SCORES}})
    return lines


def write_project(
    folder,
    lines,
    *,
    spec=None,
    published=PUBLISHED,
    claims=(CLAIM | {"holds": [HOLDS]},),
    deviations=(),
):
    paper, results = folder / "experiments" / "toy2020", folder / "results" / "toy2020" / "table1"
    paper.mkdir(parents=True, exist_ok=True)
    results.mkdir(parents=True, exist_ok=True)
    (paper / "table1.yaml").write_text(yaml.safe_dump(spec or SPEC, sort_keys=False))
    (paper / "published.csv").write_text("\n".join(published) + "\n")
    (paper / "claims.yaml").write_text(yaml.safe_dump(list(claims), sort_keys=False))
    (paper / "deviations.yaml").write_text(yaml.safe_dump(list(deviations), sort_keys=False))
    (results / "runs.jsonl").write_text("".join(line(Row.of(one)) for one in lines))
    return folder


def git(folder, *arguments):
    identity = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "init.defaultBranch=main",
    )
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")
