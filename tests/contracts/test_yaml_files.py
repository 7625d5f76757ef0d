"""The one loader of specs, claims and deviations: a key that stands twice is refused in one line
with its place.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

import dpfair_cli
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.formats.domain_file import read_domain

PACKAGE = Path(dpfair_cli.__file__).parent
READERS = {
    "contracts/files.py",
    "commands/options.py",
}  # the second: values of --set, which are no files
OWN_DATA = set(PACKAGE.glob("datasets/*.py"))  # a user's own domain and graph


def read(tmp_path, text):
    file = tmp_path / "claims.yaml"
    file.write_text(text)
    return read_yaml(file)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: [1, {c: 2}]\n",
        "- {x: 1}\n- {x: 2}\n",
        "",
        "a: &a {b: 1}\nc: {<<: *a, d: 2}\n",
        "1: a\n'1': b\n",
    ],
)
def test_what_has_no_key_twice_is_what_yaml_says(tmp_path, text):
    assert read(tmp_path, text) == yaml.safe_load(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "claims.yaml, line 3: the key 'a' stands twice, first in line 1"),
        (
            "- x: 1\n- kind: data\n  kind: open\n",
            "claims.yaml, line 3: the key 'kind' stands twice, first in line 2",
        ),
        (
            "a: {b: 1, c: {b: 1, b: 2}}\n",
            "claims.yaml, line 1: the key 'b' stands twice, first in line 1",
        ),
        ("1: a\n2: b\n1: c\n", "claims.yaml, line 3: the key 1 stands twice, first in line 1"),
        ("1: a\n1.0: b\n", "claims.yaml, line 2: the key 1.0 stands twice, first in line 1"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_its_place(tmp_path, text, message):
    assert yaml.safe_load(text)  # YAML itself lets the last one win
    with pytest.raises(DpfairError) as refused:
        read(tmp_path, text)
    assert str(refused.value) == message


@pytest.mark.parametrize("content", [b"a: [1\n", b"a: \xff\n", b"a: b: c\n", b"? [a]\n: 1\n"])
def test_what_is_no_yaml_is_one_line(tmp_path, content):
    (tmp_path / "claims.yaml").write_bytes(content)
    with pytest.raises(DpfairError, match=r"claims\.yaml must be valid YAML: ") as refused:
        read_yaml(tmp_path / "claims.yaml")
    assert "\n" not in str(refused.value)


def test_a_file_that_was_changed_is_read_again(tmp_path):
    assert read(tmp_path, "a: 1\n") == {"a": 1}
    assert read(tmp_path, "a: 2\n") == {"a": 2}


def test_nobody_else_reads_yaml():
    for path in PACKAGE.rglob("*.py"):
        calls = {
            ast.unparse(node.func)
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
        }
        found = {call for call in calls if call in ("yaml.load", "yaml.safe_load")}
        assert not found or path in OWN_DATA or path.relative_to(PACKAGE).as_posix() in READERS, (
            path
        )


def test_a_key_that_stands_twice_in_a_domain_file_is_refused_too(tmp_path):
    file = tmp_path / "people.yaml"
    file.write_text("age: {low: 17, high: 90}\nage: {low: 17, high: 99}\n")
    with pytest.raises(
        DpfairError, match=r"people.yaml, line 2: the key 'age' stands twice, first in line 1$"
    ):
        read_domain(str(file))
