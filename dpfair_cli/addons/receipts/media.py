"""What the files of a receipt are: their media types, and their content in words."""

from __future__ import annotations

MEDIA_TYPES = {
    "bif": "text/plain",
    "csv": "text/csv",
    "data": "text/csv",
    "gz": "application/gzip",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "png": "image/png",
    "test": "text/csv",
    "tex": "application/x-tex",
    "txt": "text/plain",
    "xz": "application/x-xz",
    "yaml": "application/yaml",
}
WORDS = {
    "README.md": "The artefacts of the paper.",
    "arithmetic.txt": "The libraries and the arithmetic with which the runs were made.",
    "check.md": "The verdict on each published number and claim of the artefact.",
    "checksums.json": "The row counts and SHA-256 of the published values and the journals.",
    "claims.yaml": "Checkable sentences of the paper, as predicates about runs.",
    "covered.json": "Our means of the cells that the deviations cover.",
    "deviations.yaml": "The explanations of differences from the paper.",
    "examined.csv": "Printed numbers that are examined without runs.",
    "forensics.yaml": "What the printed numbers are, for an examination without runs.",
    "published.csv": "The published numbers, with their places.",
    "rule.json": "The levels of the tests that decide the verdicts of the paper.",
    "runs.jsonl": "The finished runs, one line for each fit with its scores.",
    "runs.jsonl.xz": "The finished runs, one line for each fit with its scores, compressed.",
}
BEGINNINGS = {
    "chapter": "A chapter of the paper: what it leaves open, our choices and the results.",
    "difference.": "Our value minus the published value, for each cell.",
    "figure.": "The figure with our means, or its numbers.",
    "paper.": "The paper: what it leaves open, our choices and the results.",
    "table.": "The table with our means and the published values.",
}


def media_type(name: str) -> str:
    """The media type of a file with a name; empty if it is not known."""
    return MEDIA_TYPES.get(name.rpartition(".")[2], "")


def in_words(name: str) -> str:
    """What a file with a name contains; empty if it is not known."""
    if name in WORDS:
        return WORDS[name]
    return next((words for start, words in BEGINNINGS.items() if name.startswith(start)), "")
