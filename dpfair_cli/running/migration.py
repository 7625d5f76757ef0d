"""Journals of earlier forms -> journals of today; no number changes.

    python -m dpfair_cli.running.migration results

A row may lack parameters that its algorithm has gained since: it gets their defaults, which do what
was done before (`make lock` runs a sample again). An old row also has the algorithm's `version`
alone, curves as lists among its scores, and a graph as a score for each pair of variables ("a | b":
0 none, 1 a -> b, 2 b -> a, 3 a - b). Options that were text with a grammar of their own become
tuples.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from dpfair_cli import catalog
from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.running.journal import Row

PAIR = " | "
IDENTITY = ("dataset", "options", "data", "task", "protocol", "algorithm", "params")
FIRST = {"running": 1, "dataset": 1, "task": 1}  # versions of what had none


def migrate(row: Row) -> Row:
    """A row of today's form; one that has it already stays as it is."""
    if "versions" in row:
        return {**row, "params": _completed(row["algorithm"], row["params"])}
    scores = row["scores"]
    curves = {name: value for name, value in scores.items() if isinstance(value, list)}
    pairs = {name: value for name, value in scores.items() if PAIR in name}
    plain = {
        name: value for name, value in scores.items() if name not in curves and name not in pairs
    }
    results = {"curves": curves, "outputs": {"graph": _graph(pairs)} if pairs else {}}
    return {
        **{name: row[name] for name in IDENTITY},
        "params": _completed(row["algorithm"], row["params"]),
        "protocol": _protocol(row["task"], row["protocol"]),
        "versions": {**FIRST, "algorithm": row["version"]},
        "seed": row["seed"],
        "scores": plain,
        **{name: found for name, found in results.items() if found},
    }


def _completed(algorithm: str, params: Row) -> Row:
    """Every parameter that an algorithm has now, in its order; those that the row lacks have their
    defaults.
    """
    known = catalog.algorithm(algorithm).parameters
    defaults = as_json({name: parameter.default for name, parameter in known.items()})
    return {name: params.get(name, defaults[name]) for name in known}


def _graph(pairs: dict[str, float]) -> dict[str, Any]:
    """The graph that one number for each pair of variables stands for."""
    names = [name.split(PAIR) for name in pairs]
    arrows = {
        1: lambda a, b: [a, "->", b],
        2: lambda a, b: [b, "->", a],
        3: lambda a, b: [a, "-", b],
    }
    edges = [
        arrows[int(value)](a, b)
        for (a, b), value in zip(names, pairs.values(), strict=True)
        if value
    ]
    return {
        "variables": list(dict.fromkeys([a for a, _ in names] + [b for _, b in names])),
        "edges": edges,
    }


def _protocol(task: str, protocol: dict[str, Any]) -> Row:
    """The parameters of a task, those that were words and ranges in a text as tuples."""
    changed = dict(protocol)
    if isinstance(protocol.get("compared"), str):
        changed["compared"] = protocol["compared"].split()
    if isinstance(protocol.get("gaps"), str):
        changed["gaps"] = ", ".join(_range(word) for word in protocol["gaps"].split())
    return as_json(catalog.study(task).complete(changed))


def _range(word: str) -> str:
    """low:high:count, with equal steps, in the grammar of contracts/ranges.py; a number as it is."""
    low, *more = word.split(":")
    if not more:
        return low
    high, count = more
    return f"{low}..{high} by {(float(high) - float(low)) / (int(count) - 1):.9g}"


def main(folder: str) -> None:
    """Migrate every journal below a folder, in place and whole or not at all."""
    for file in tqdm(sorted(Path(folder).rglob("runs.jsonl")), desc="journals", delay=2):
        lines = file.read_text(encoding="utf-8").splitlines()
        rows = [migrate(json.loads(line)) for line in lines]
        draft = file.with_suffix(".draft")
        draft.write_text(
            "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows), encoding="utf-8"
        )
        draft.replace(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
