"""The files about the project for archives, containers and programs agree with the project.

No image is built: the commands of the Dockerfile are compared with those of the README.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from dpfair_cli import catalog
from dpfair_cli.reproduction.file_schemas import FOLDER, SCHEMAS
from tests.commands.invoking import NAMES, works

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CODEMETA = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
ZENODO = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
AGENTS = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
JOURNAL = "results/xian2024/table-law/runs.jsonl"
TRIED = {  # command with --json -> the words that docs/commands.md says of it
    "info": ("info", "--json"),
    "check": ("check", "xian2024", "--json"),
    "check --forensics": ("check", "xian2024", "--forensics", "--json"),
    "explain": ("explain", "xian2024/table-law", "--method", "binning", "--json"),
    "referee": ("referee", "fermi-adult-accuracy", "--json"),
    "fetch-data --list": ("fetch-data", "--list", "--json"),
    "audit": ("audit", "functional_mechanism", "--json"),
    "diff": ("diff", JOURNAL, JOURNAL, "--json"),
}


def test_the_version_is_the_same_everywhere():
    versions = {PROJECT["version"], CITATION["version"], CODEMETA["version"], ZENODO["version"]}
    assert len(versions) == 1


def test_names_authors_and_keywords_are_those_of_the_citation():
    authors = [author["name"] for author in CITATION["authors"]]
    assert CODEMETA["name"] == ZENODO["title"] == CITATION["title"] == PROJECT["name"]
    assert [author["name"] for author in CODEMETA["author"]] == authors
    assert [author["name"] for author in ZENODO["creators"]] == authors
    assert CODEMETA["keywords"] == ZENODO["keywords"] == CITATION["keywords"]
    assert CODEMETA["description"] == ZENODO["description"] == CITATION["abstract"]


def test_codemeta_has_the_requirements_of_the_package():
    assert CODEMETA["softwareRequirements"] == PROJECT["dependencies"]
    assert CODEMETA["programmingLanguage"]["version"] == PROJECT["requires-python"]
    files = [CODEMETA["readme"], CODEMETA["continuousIntegration"], CODEMETA["softwareHelp"]]
    assert all((ROOT / file).is_file() for file in files)
    heading = CODEMETA["buildInstructions"].removeprefix("README.md#")
    assert f"\n## {heading.capitalize()}\n" in README


def test_no_file_states_a_licence_that_the_project_does_not_have():
    has_one = "license" in PROJECT
    assert ("license" in CITATION) is ("license" in CODEMETA) is ("license" in ZENODO) is has_one
    assert has_one or ZENODO["access_right"] == "closed"


def instructions(name):
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, flags=re.MULTILINE)


def test_the_container_runs_the_commands_of_the_readme():
    blocks = "\n".join(re.findall(r"^```\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL))
    shown = {line.partition("#")[0].strip() for line in blocks.splitlines()}
    *_, setup = instructions("RUN")
    (start,) = instructions("CMD")
    assert setup in shown
    assert " ".join(json.loads(start)) in shown


def test_the_container_has_a_python_that_the_package_accepts():
    (image,) = instructions("FROM")
    version = re.fullmatch(r"python:(\d+)\.(\d+)-slim-\w+", image)
    least = re.fullmatch(r">=(\d+)\.(\d+)", PROJECT["requires-python"])
    assert tuple(map(int, version.groups())) >= tuple(map(int, least.groups()))


def test_no_data_and_no_environment_are_copied_into_the_container():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {"data/*/", "!data/replicas/", ".venv*", ".git"} <= set(ignored)


def test_the_development_container_is_made_of_the_dockerfile():
    content = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert content["build"] == {"dockerfile": "../Dockerfile", "context": ".."}
    made, written = content["postCreateCommand"].split(" && ")
    assert f"\n{made.removeprefix('make ')}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert written == ".venv/bin/dpfair new schemas"
    schemas = content["customizations"]["vscode"]["settings"]["yaml.schemas"]
    assert set(schemas) == {f"./{FOLDER}/{one.file}" for one in SCHEMAS}


def test_the_page_for_programs_is_short_and_names_what_is_there():
    assert len(AGENTS.splitlines()) <= 80
    folders = re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|", AGENTS, flags=re.MULTILINE)
    named = [name for row in folders for name in re.findall(r"`([\w/]+)", row)]
    assert len(named) >= 7
    assert all((ROOT / name).is_dir() for name in named)


def documented():
    """The commands in the table of JSON, with what the table says of each."""
    table = COMMANDS_PAGE.partition("\n### JSON\n")[2].partition("\n\n`eval")[0]
    found = {}
    for names, content in re.findall(r"^\| (`.*?) \| (.*) \|$", table, flags=re.MULTILINE):
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", names), content)
    return found


def test_every_command_with_json_is_documented():
    with_json = {name for name in NAMES if "--json" in works(name, "--help").stdout}
    assert with_json == {name.partition(" ")[0] for name in documented()} - {"--dry-run"}


@pytest.mark.parametrize("name", TRIED)
def test_the_documented_keys_are_those_that_are_printed(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    content = json.loads(works(*TRIED[name]).stdout)
    first = content[0] if isinstance(content, list) else content
    nested = first.get("artefacts") or first.get("papers") or []
    known = {*first, *(key for one in nested[:1] if isinstance(one, dict) for key in one)}
    named = set(re.findall(r"`([^`]+)`", documented()[name]))
    assert named <= known | {"name", "description", "title"}


def data_rows():
    """The rows of the table of data sets in the README: folder, address and licence."""
    table = README.partition("<!-- data -->\n")[2].partition("<!-- end -->")[0]
    row = r"^\| .*?`.* \| `([\w-]+)/` \| \[[^]]+\]\(([^)]+)\) \| (.*) \|$"
    return re.findall(row, table, flags=re.MULTILINE)


def test_the_readme_states_the_source_and_licence_of_data_files():
    sources = [catalog.data_source(name) for name in catalog.data_sources.names]
    files = [file for source in sources for file in source.files]
    assert len(data_rows()) >= 17
    for folder, address, licence in data_rows():
        own = [file for file in files if file.path.startswith(f"{folder}/")]
        assert {file.licence for file in own} == {licence}
        assert any(address == url for file in own for url in file.urls)


def test_every_data_file_states_its_licence():
    for name in catalog.data_sources.names:
        assert all(file.licence for file in catalog.data_source(name).files), name
