"""What a data set declares of its public files is what its data say of their bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpfair_cli import catalog

FILES = {
    "own.csv": "a,s,y\n0,f,no\n1,m,yes\n1,f,yes\n0,m,no\n",
    "domain.yaml": "a: {levels: ['0', '1']}\ns: {levels: [f, m]}\ny: {levels: ['no', 'yes']}\n",
    "draft.yaml": "confirmed: no\n---\n"
    "a: {levels: ['0', '1']}\ns: {levels: [f, m]}\ny: {levels: ['no', 'yes']}\n",
    "graph.yaml": "edges: [[s, y], [a, y]]\n",
    "own.edges": "one two\ntwo three\n",
    "nodes.csv": "one,x\ntwo,y\nthree,x\n",
}
ROLES = {"label": "y", "protected": "s"}
GIVEN = {
    "csv": ({"file": "own.csv", **ROLES}, {"domain": "domain.yaml"}),
    "csv_causal": ({"file": "own.csv", "graph": "graph.yaml", **ROLES}, {"domain": "domain.yaml"}),
    "csv_variables": ({"file": "own.csv"}, {"domain": "domain.yaml"}),
    "csv_edges": ({"file": "own.edges", "labels": "nodes.csv"}, {}),
    "csv_links": ({"file": "own.edges"}, {}),
}
PUBLISHED = {
    "acs_income_pums",
    "us_ipums",
}  # copies of what others published, with ranges in its documentation


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content)


@pytest.mark.parametrize(
    "name", [name for name in catalog.data_sources.names if catalog.data_source(name).own_files]
)
@pytest.mark.filterwarnings("ignore::dpfair_cli.contracts.errors.PrivacyLeakWarning")
def test_bounds_are_read_from_the_data_just_where_a_public_file_is_missing(name):
    declared = catalog.data_source(name)
    if name in PUBLISHED:
        assert declared.public_files == ()
        return
    without, more = GIVEN[name]
    drafts = [without | {"domain": "draft.yaml"}] if "domain" in more else []
    for options in (without, without | more, *drafts):
        complete = catalog.data_source(name).complete(options)
        assert (declared.load(Path(), **complete).bounds == "data") == declared.reads_bounds(
            complete
        ), options
        assert declared.reads_bounds(complete) or options not in drafts
    public = catalog.data_source(name).complete(without | more)
    assert declared.reads_bounds(public) == (name == "csv_links")


@pytest.mark.parametrize(
    "name", [name for name in catalog.data_sources.names if not catalog.data_source(name).own_files]
)
def test_other_data_sets_have_their_bounds_in_their_documentation(name):
    assert not catalog.data_source(name).reads_bounds(catalog.data_source(name).complete({}))
