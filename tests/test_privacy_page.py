"""Each promise of docs/privacy.md names tests that are there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")


def functions_of(file):
    """The names of the functions in a file."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_tests_that_are_there():
    promises = PAGE.partition("| promise | test |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(promises) > 5
    for promise in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", promise)
        assert named, promise
        assert [name for file, name in named if name not in functions_of(file)] == []
