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

import dpfair
from dpfair_cli import catalog
from tests.commands.invoking import NAMES, works

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CODEMETA = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
ZENODO = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
JOURNAL = "results/xian2024/table-law/runs.jsonl"
TRIED = {  # command with --json -> the words that docs/commands.md says of it
    "info": ("info", "--json"),
    "check": ("check", "xian2024", "--json"),
    "check --forensics": ("check", "xian2024", "--forensics", "--json"),
    "explain": ("explain", "xian2024/table-law", "--method", "binning", "--json"),
    "referee": ("referee", "fermi-adult-accuracy", "--json"),
    "fetch-data": ("fetch-data", "--json"),
    "audit": ("audit", "functional_mechanism", "--json"),
    "diff": ("diff", JOURNAL, JOURNAL, "--json"),
}


def test_the_version_is_the_same_everywhere():
    """Because it stands in pyproject.toml alone, from which what is installed has it."""
    assert not [file for file in (CITATION, CODEMETA, ZENODO) if "version" in file]
    assert dpfair.__version__ == PROJECT["version"]


def instructions(name):
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, flags=re.MULTILINE)


def test_the_container_runs_the_commands_of_the_readme():
    blocks = "\n".join(re.findall(r"^```\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL))
    shown = {line.partition("#")[0].strip() for line in blocks.splitlines()}
    *_, setup = instructions("RUN")
    (start,) = instructions("CMD")
    assert setup == "make setup"  # with which make reproduce begins
    assert " ".join(json.loads(start)) in shown


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
    """The rows of the table of sources in data/README.md: folder, address and licence."""
    page = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    table = page.partition("<!-- data -->\n")[2].partition("<!-- end -->")[0]
    row = r"^\| .*?`.* \| `([\w-]+)/` \| \[[^]]+\]\(([^)]+)\) \| (.*) \|$"
    return re.findall(row, table, flags=re.MULTILINE)


def test_the_page_of_the_data_states_the_source_and_licence_of_files():
    sources = [catalog.data_source(name) for name in catalog.data_sources.names]
    files = [file for source in sources for file in source.files]
    assert data_rows()
    for folder, address, licence in data_rows():
        own = [file for file in files if file.path.startswith(f"{folder}/")]
        assert {file.licence for file in own} == {licence}
        assert any(address == url for file in own for url in file.urls)


def test_every_data_file_states_its_licence():
    for name in catalog.data_sources.names:
        assert all(file.licence for file in catalog.data_source(name).files), name


FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
USES = re.compile(r"uses: +(\S+)(.*)$", re.MULTILINE)


def test_the_form_for_a_number_asks_for_both_and_how_they_are_compared():
    (file,) = [file for file in FORMS if file.stem == "different-number"]
    fields = {one["id"]: one for one in yaml.safe_load(file.read_text(encoding="utf-8"))["body"]}
    for name in ("ours", "yours", "comparison"):
        assert fields[name]["validations"] == {"required": True}


def test_forms_are_well_formed_and_name_commands_that_exist():
    for file in FORMS:
        text = file.read_text(encoding="utf-8")
        form = yaml.safe_load(text)
        for command in re.findall(r"`dpfair ([a-z]+) ", text):
            assert command in NAMES
        if file.stem != "config":
            assert {"name", "description", "body"} == set(form)
            assert len({field["id"] for field in form["body"]}) == len(form["body"])


def test_every_action_is_pinned_by_a_commit_with_its_version():
    files = [ROOT / "action.yml", *(ROOT / ".github" / "workflows").glob("*.yml")]
    used = [one for file in files for one in USES.findall(file.read_text(encoding="utf-8"))]
    assert len(used) > 5
    for name, remark in used:
        assert name == "./" or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name), name
        assert name == "./" or re.fullmatch(r"  # v[\d.]+", remark), name


def test_the_workflow_has_every_system_and_the_pythons_that_are_declared():
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    assert [name.partition("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]
    declared = [name.rpartition(" :: ")[2] for name in PROJECT["classifiers"]]
    assert matrix["python"] == [name for name in declared if name.startswith("3.")]


def test_the_documentation_is_built_elsewhere_as_it_is_here():
    content = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))
    files = [one["requirements"] for one in content["python"]["install"] if "requirements" in one]
    assert all((ROOT / file).is_file() for file in files)
    assert (ROOT / content["sphinx"]["configuration"]).is_file()
    assert content["sphinx"]["fail_on_warning"]
