"""The toy project as a repository."""

import pytest

from tests.diff.toy_project import commit, git, rows, write_project


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The toy project, whose results agree with what was published, in a repository with one
    commit: the folder.
    """
    folder = tmp_path / "project"
    write_project(folder, rows())
    git(folder, "init", "-q")
    commit(folder, "one")
    monkeypatch.chdir(folder)
    return folder
