"""The identity of data is that of their bytes, and damage is noticed before use."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access import fetching


def dutch(folder: Path) -> data_access.Located:
    """The located data set `dutch` of a data folder."""
    return data_access.locate(catalog.data_set("dutch"), data_dir=folder)


def fetched_dutch(folder: Path, mirror: Path) -> list[Path]:
    """The files of `dutch`, copied into a data folder."""
    source = catalog.data_source("dutch")
    return fetching.fetch(source, data_dir=folder, mirror=str(mirror), offline=True)


def test_a_flipped_byte_is_noticed_before_use(tmp_path, real_data):
    (path,) = fetched_dutch(tmp_path, real_data)
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    with pytest.raises(DpfairError, match="is damaged"):
        data_access.load(dutch(tmp_path))


def test_a_change_in_the_reader_is_noticed(monkeypatch, real_data):
    module = catalog.data_sources.module("dutch")
    read = module.read
    monkeypatch.setattr(module, "read", lambda folder: read(folder).iloc[1:])
    with pytest.raises(DpfairError, match=r"dutch must be .*60419"):
        data_access.load(dutch(real_data))


def test_a_library_that_is_not_here_is_one_line_that_says_what_to_install(monkeypatch, real_data):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    located = data_access.locate(catalog.data_set("us"), data_dir=real_data)
    message = r"^the data set us needs a library that is not installed: pip install pyarrow$"
    with pytest.raises(DpfairError, match=message):
        data_access.load(located)


def test_the_identity_is_of_the_bytes_and_not_of_the_folder(tmp_path, real_data):
    for folder in (tmp_path / "a", tmp_path / "b"):
        fetched_dutch(folder, real_data)
    a, b = (dutch(tmp_path / folder) for folder in "ab")
    assert a.sha256 == b.sha256
    assert len(a.sha256) == 16
    assert not a.replica


@pytest.fixture
def own(tmp_path) -> dict[str, str]:
    (tmp_path / "own.csv").write_text("age,sex,income\n1,a,0\n2,b,1\n")
    (tmp_path / "domain.yaml").write_text(
        "age: {low: 0, high: 9}\nsex: {levels: [a, b]}\nincome: {levels: [0, 1]}\n"
    )
    return {"file": str(tmp_path / "own.csv"), "label": "income", "protected": "sex"}


def located_csv(options: dict[str, str]) -> data_access.Located:
    """The located data set `csv` with these options."""
    return data_access.locate(catalog.data_set("csv", options), data_dir=Path())


def test_the_identity_of_an_own_file_is_its_hash(tmp_path, own):
    located = located_csv(own)
    assert located.sha256 == hashlib.sha256(Path(own["file"]).read_bytes()).hexdigest()[:16]


def test_an_own_file_is_loaded(tmp_path, own):
    options = own | {"domain": str(tmp_path / "domain.yaml")}
    records = data_access.load(located_csv(options))
    assert records.domain.bounds == "public"
    assert records.y.tolist() == [0, 1]


def test_the_domain_file_is_part_of_the_identity(tmp_path, own):
    options = own | {"domain": str(tmp_path / "domain.yaml")}
    first = located_csv(options)
    assert first.sha256 != located_csv(own).sha256
    (tmp_path / "domain.yaml").write_text("age: {low: 0, high: 10}\nsex: {levels: [a, b]}\n")
    assert first.sha256 != located_csv(options).sha256


PARTS = "separator: ';'\n---\nage: {low: 0, high: 9}\nsex: {levels: [a, b]}\n"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (f"ledger: yes\n{PARTS}", True),
        (f"confirmed: yes\n{PARTS}", True),
        (f"# remark\n{PARTS}", True),
        (PARTS.replace("{levels: [a, b]}", "\n  levels:\n  - a\n  - 'b'"), True),
        (f"confirmed: no\n{PARTS}", False),
        (PARTS.replace("';'", "' '"), False),
        (PARTS.replace("low: 0", "low: 0.5"), False),
        (PARTS.replace("high: 9", "high: 9, bins: [0, 5]"), False),
        (PARTS.replace("[a, b]", "[b, a]"), False),
        (PARTS.replace("sex", "group"), False),
    ],
)
def test_what_a_domain_file_says_about_the_data_is_what_counts(tmp_path, own, text, same):
    options = own | {"domain": str(tmp_path / "domain.yaml")}
    (tmp_path / "domain.yaml").write_text(PARTS)
    first = located_csv(options)
    (tmp_path / "domain.yaml").write_text(text)
    assert (located_csv(options).sha256 == first.sha256) == same


def test_an_own_file_that_changed_since_is_refused(tmp_path, own):
    located = located_csv(own)
    Path(own["file"]).write_text("age,sex,income\n1,a,1\n2,b,0\n")
    with pytest.raises(DpfairError, match="changed"):
        data_access.load(located)


def test_an_own_file_must_be_named_and_be_there(tmp_path, own):
    with pytest.raises(DpfairError, match="file=PATH"):
        located_csv(own | {"file": ""})
    with pytest.raises(DpfairError, match="nowhere does not exist"):
        located_csv(own | {"file": "nowhere"})
    source = catalog.data_source("us_ipums")
    with pytest.raises(DpfairError, match="file=PATH"):
        fetching.fetch(source, data_dir=tmp_path, mirror=None, offline=True)
