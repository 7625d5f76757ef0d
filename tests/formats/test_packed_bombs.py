"""A compressed file that unpacks to far more than its size is refused before it is all read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import pytest

from dpfair_cli.contracts import files
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import most_unpacked, unpacked
from dpfair_cli.formats.user_table import find_form
from dpfair_cli.running.journal import Journal

ROW = b"0,0\n"
BIG = ROW * 2**19  # 2 MiB


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("own.csv", content)
    return file.getvalue()


PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zip": zipped}
MESSAGE = r" unpacks to more than 1 MiB, .*: if you trust the file, unpack it"


@pytest.fixture
def _low_limit(monkeypatch):
    """A limit of 1 MiB for small files, which a short test exceeds."""
    monkeypatch.setattr(files, "ALWAYS_READ", 2**20)
    monkeypatch.setattr(files, "MOST_TIMES", 1)


@pytest.mark.usefixtures("_low_limit")
@pytest.mark.parametrize("end", PACK)
def test_a_bomb_is_refused_and_a_table_of_equal_rows_is_not(tmp_path, end):
    file = tmp_path / f"own.csv{end}"
    file.write_bytes(PACK[end](BIG))
    with pytest.raises(DpfairError, match=rf"own.csv{end}{MESSAGE}"):
        find_form(str(file))
    file.write_bytes(PACK[end](b"a,b\n" + ROW * 1000))
    assert find_form(str(file)).separator == ","


@pytest.mark.usefixtures("_low_limit")
def test_a_journal_can_be_a_bomb(tmp_path):
    start = tmp_path / "runs.jsonl.xz"
    start.write_bytes(lzma.compress(BIG))
    with pytest.raises(DpfairError, match=f"runs.jsonl.xz{MESSAGE}"):
        Journal(tmp_path / "runs.jsonl", start)


@pytest.mark.usefixtures("_low_limit")
def test_a_parquet_file_can_be_a_bomb(tmp_path):
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    pandas.DataFrame({"a": ["x" * 1000] * 2000}).to_parquet(tmp_path / "own")
    with pytest.raises(DpfairError, match=f"own{MESSAGE}"):
        find_form(str(tmp_path / "own"))


@pytest.mark.usefixtures("_low_limit")
@pytest.mark.parametrize("text", ["", "x" * 1000])
def test_a_workbook_can_be_a_bomb(tmp_path, text):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for _ in range(2000 if text else 40_000):
        sheet.append([text or 1])  # equal texts stand once in a workbook
    book.save(tmp_path / "own.xlsx")
    with pytest.raises(DpfairError, match=f"own.xlsx{MESSAGE}"):
        find_form(str(tmp_path / "own.xlsx"))


def test_the_limit_grows_with_the_file():
    assert most_unpacked(1) == 64 * 2**20
    assert most_unpacked(2**20) == 200 * 2**20


def test_no_more_than_the_limit_is_read(monkeypatch):
    monkeypatch.setattr(files, "ALWAYS_READ", 2**20)
    content = io.BytesIO(bytes(2**23))
    with pytest.raises(DpfairError):
        unpacked("own.gz", content, packed=1)
    assert content.tell() <= 2**21
    assert unpacked("own.gz", io.BytesIO(bytes(2**20)), packed=1) == bytes(2**20)
