"""How much a reader must take in, as numbers that may fall and not rise.

Whoever raises one of them says in the commit what went in its place. tests/docs/test_pages.py has
the words of the documentation.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import click

import dpfair_cli
from dpfair_cli.commands import main

PACKAGE = Path(dpfair_cli.__file__).parent
ROOT = PACKAGE.parent
FILES_OF_A_TABLE = 123  # modules that one table imports, and so runs
OPTIONS = 169  # of all commands together
TABLE = "xu2021/table8.2"
COUNTED = """
import sys
from dpfair_cli.commands import main
main(["table", {table!r}, "--collect", "--out", {out!r}], standalone_mode=False)
own = [
    name for name, module in sys.modules.items()
    if name.partition(".")[0] == "dpfair_cli" and type(module) is type(sys)  # it was executed
]
print(len(own), file=sys.stderr)
"""


def test_a_table_runs_few_files(tmp_path):
    for name in (TABLE, "xu2021/rule.json"):
        source = ROOT / "results" / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy(source, tmp_path / name)
    program = COUNTED.format(table=TABLE, out=str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert int(done.stderr.split()[-1]) <= FILES_OF_A_TABLE


def test_there_are_few_options():
    def options(command):
        below = command.commands.values() if isinstance(command, click.Group) else ()
        own = sum(isinstance(one, click.Option) for one in command.params)
        return own + sum(map(options, below))

    context = click.Context(main)
    commands = [main.get_command(context, name) for name in main.list_commands(context)]
    of_dpfair = sum(isinstance(one, click.Option) for one in main.params)
    assert of_dpfair + sum(map(options, commands)) <= OPTIONS


def test_the_name_of_a_class_means_one_thing():
    files = [*PACKAGE.rglob("*.py"), *ROOT.glob("experiments/*/[!t]*/*.py")]
    found = Counter(
        node.name
        for file in files
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in found.items() if count > 1] == []
