"""dpfair fetch-data: what is here and what is not, from a mirror without a network."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from dpfair_cli import catalog
from dpfair_cli.commands.fetch_data import command
from dpfair_cli.contracts.errors import DpfairError
from tests.commands.invoking import mistake, works


def run(*arguments, **environment):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], env=environment)


def test_fetch_data_puts_the_result_on_stdout_and_paths_on_stderr(tmp_path, real_data):
    result = run("dutch", "--offline", DPFAIR_MIRROR=str(real_data), DPFAIR_DATA=str(tmp_path))
    assert result.exit_code == 0
    assert result.stdout == "dutch is here\n"
    assert result.stderr.splitlines() == [
        str(tmp_path / "dutch/dutch.csv"),
        "next: dpfair sweep dutch",
        "      dpfair info dutch",
    ]


def test_fetch_data_all_fetches_everything_that_can_be(tmp_path, real_data):
    result = run("--all", "--offline", "--mirror", real_data, "--data-dir", tmp_path)
    every = [catalog.data_source(name) for name in catalog.data_sources.names]
    names = [one.name for one in every if one.files and is_there(one, real_data)]
    assert result.stdout == "".join(f"{name} is here\n" for name in names)
    listed = run("--data-dir", tmp_path).stdout
    assert listed.count(" here ") - listed.count("not here") == len(names)


def is_there(source, folder):
    """Whether a folder has all files of a data source; the mirror lacks the largest one."""
    return all((folder / one.path).is_file() for one in source.files)


def test_a_data_set_that_cannot_be_had_does_not_keep_the_others_away(tmp_path, real_data):
    mirror = tmp_path / "mirror"
    (mirror / "dutch").mkdir(parents=True)
    (mirror / "dutch" / "dutch.csv").symlink_to(real_data / "dutch" / "dutch.csv")
    result = run("--all", "--offline", "--mirror", mirror, "--data-dir", tmp_path / "data")
    assert result.stdout == "dutch is here\ndutch_unbalanced is here\n"  # two samples of one file
    assert isinstance(result.exception, DpfairError)
    assert "could not be fetched" in str(result.exception)
    assert "celeba/list_attr_celeba.txt.gz could not be fetched" in str(result.exception)


def test_all_says_first_how_large_the_missing_files_are_and_names_each_once(tmp_path):
    files = {
        one.path: one.size
        for name in catalog.data_sources.names
        for one in catalog.data_source(name).files
    }
    result = run("--all", "--offline", "--mirror", tmp_path, "--data-dir", tmp_path / "data")
    total = f"{sum(files.values()) / 1e6:,.1f} MB"
    assert result.stderr.splitlines()[0] == f"{len(files)} files to get, {total}"
    assert str(result.exception).count("adult/adult.data could not be fetched") == 1


def test_fetch_data_lists_what_is_not_here(tmp_path):
    result = run("--data-dir", tmp_path)
    assert result.stdout.count("not here") == sum(
        bool(catalog.data_source(n).files) for n in catalog.data_sources.names
    )
    assert "SUBSTITUTE" in result.stdout
    assert "45,222" in result.stdout


@pytest.mark.usefixtures("own")
def test_the_list_of_data_sets_says_what_is_here():
    lines = works("fetch-data", "--data-dir", "none").stdout.splitlines()
    assert any(line.startswith("adult ") and "not here" in line for line in lines)
    assert any(line.startswith("csv ") and "your file" in line for line in lines)


@pytest.mark.usefixtures("own")
def test_what_is_made_is_listed_as_made_and_a_law_has_no_number_of_records():
    lines = works("fetch-data").stdout.splitlines()
    assert (
        next(line for line in lines if line.startswith("synthetic_gaussian")).split()[3] == "made"
    )
    assert next(line for line in lines if line.startswith("asia")).split()[1] == "-"


@pytest.mark.usefixtures("own")
def test_a_misspelt_name_proposes_the_nearest():
    assert "unknown data set 'adlut': did you mean 'adult'?" in mistake("fetch-data", "adlut")


@pytest.mark.usefixtures("own")
def test_json_is_of_the_list():
    assert "name no data set" in mistake("fetch-data", "adult", "--json", code=2)
