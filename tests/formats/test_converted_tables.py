"""A Parquet file or a workbook is read as the csv file with its cells; other files are named."""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.formats import file_content
from dpfair_cli.formats.file_content import read_bytes
from dpfair_cli.formats.user_table import TableForm, find_form, read_columns, read_heading
from dpfair_cli.models.tabular.outside_values import MISSING_SIGNS

TABLE = {
    "age": [30, None, 50],
    "score": [0.5, 2.0, float("nan")],
    "work": ["a, b", 'say "c"', " d\r\ne "],
    "late": [True, False, True],
    "born": [datetime(1990, 1, 31), datetime(1991, 2, 1, 10, 30), None],
}
CSV = (
    "age,score,work,late,born\n"
    '30,0.5,"a, b",True,1990-01-31\n'
    ',2,"say ""c""",False,1991-02-01 10:30:00\n'
    '50,,"d\ne",True,\n'
)


@pytest.fixture(autouse=True)
def _nothing_is_kept():
    file_content._from_container.cache_clear()


def parquet(path: Path, columns: dict[str, object], **how: object) -> str:
    pytest.importorskip("pyarrow")
    pd.DataFrame(columns).to_parquet(path, **how)
    return str(path)


def workbook(path: Path, *sheets: list[list[object]]) -> str:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return str(path)


def rows(columns: dict[str, list[object]]) -> list[list[object]]:
    cells = [[None if cell != cell else cell for cell in column] for column in columns.values()]
    return [[*columns], *map(list, zip(*cells, strict=True))]


def test_a_parquet_file_has_the_text_of_its_csv_file(tmp_path):
    columns = {**TABLE, "age": pd.array(TABLE["age"], dtype="Int64")}
    assert read_bytes(parquet(tmp_path / "own.parquet", columns)).decode() == CSV
    with_floats = parquet(tmp_path / "own.csv", TABLE)  # whatever its name is
    assert read_bytes(with_floats).decode() == CSV


def test_a_workbook_has_the_text_of_its_csv_file(tmp_path):
    below = [[], [None, None], []]
    file = workbook(tmp_path / "own.xlsx", [*rows(TABLE), *below])
    assert read_bytes(file).decode().replace("d\n\ne", "d\ne") == CSV


def test_rarer_types_of_parquet_worked_by_hand(tmp_path):
    columns = {
        "single": np.array([0.1, np.nan], dtype=np.float32),
        "decimal": [Decimal("2.00"), Decimal("2.50")],
        "level": pd.Categorical(["x", None]),
        "day": [date(2024, 1, 31), None],
        "text": [b"caf\xc3\xa9", None],
        "large": [2**53 + 1, 0],
        "end": [float("inf"), -0.0],
    }
    heading, first, second = read_bytes(parquet(tmp_path / "own", columns)).decode().splitlines()
    assert heading == ",".join(columns)
    assert first == "0.1,2,x,2024-01-31,café,9007199254740993,inf"
    assert second == ",2.50,,,,0,0"


def test_no_row_changes_the_texts_of_another(tmp_path):
    whole, changed = {"a": [1.0, 2.0]}, {"a": [1.0, 2.5]}
    first = read_bytes(parquet(tmp_path / "own", whole)).splitlines()[1]
    other = read_bytes(parquet(tmp_path / "own", changed)).splitlines()[1]
    assert first == other == b"1"


def test_an_empty_last_row_of_a_parquet_file_is_a_row(tmp_path):
    file = parquet(tmp_path / "own", {"a": ["x", None], "b": ["y", None]})
    assert read_bytes(file) == b"a,b\nx,y\n,\n"


def test_an_index_without_a_name_is_no_column(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3]}).loc[[2, 0]]
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "own")
    assert read_bytes(str(tmp_path / "own")) == b"a\n3\n1\n"


def test_a_wider_row_of_a_workbook_makes_a_column_without_a_name(tmp_path):
    file = workbook(tmp_path / "own.xlsx", [["a"], [1, 2], [3]])
    assert read_bytes(file) == b"a,\n1,2\n3,\n"
    assert read_heading(file, find_form(file)) == ["a", "column2"]


def test_the_dialect_of_a_domain_file_is_that_of_the_text_alone(tmp_path):
    file = parquet(tmp_path / "own", {"1": ["25,5", "3"], "b;c": [1, 2]})
    assert find_form(file, separator=";", encoding="utf-16", header="none").header == ()
    for form in (TableForm(";", "latin-1", ("x", "y"), ","), find_form(file)):
        cells = read_columns(file, {"1": None}, form)
        assert cells["1"].tolist() == ["25.5", "3"]


def test_a_workbook_may_lack_a_heading(tmp_path):
    file = workbook(tmp_path / "own.xlsx", [[1, "x"], [2, "y"]])
    form = TableForm(";", header=("age", "work"))
    assert read_columns(file, {"age": None}, form)["age"].tolist() == ["1", "2"]
    assert find_form(file).header == ("column1", "column2")


def test_one_sheet_has_the_table(tmp_path):
    file = workbook(tmp_path / "own.xlsx", [[]], [["a", "b"], [1, 2]])
    assert read_bytes(file) == b"a,b\n1,2\n"
    file = workbook(tmp_path / "two.xlsx", [["a"]], [["b"]])
    with pytest.raises(DpfairError, match=r"must have one sheet with cells, got Sheet, Sheet1: "):
        read_bytes(file)


class Sheet:
    """A sheet as openpyxl reads it, whose size is wrong until it is counted."""

    def __init__(self, title: str, rows: list[tuple[object, ...]], state: str = "visible") -> None:
        self.title, self.sheet_state, self.rows = title, state, rows[:1]
        self.all = rows

    def reset_dimensions(self) -> None:
        self.rows = self.all

    def iter_rows(self, *, values_only: bool) -> list[tuple[object, ...]]:
        assert values_only
        return self.rows


def test_sheets_worked_by_hand_also_without_openpyxl(tmp_path, monkeypatch):
    table = [(None,), ("a", "b"), (1.0, False, None), (None, 2.5, "x"), (), (3,), (None, None)]
    sheets = [Sheet("old", [("z",)], "hidden"), Sheet("empty", [(None,)]), Sheet("people", table)]
    openpyxl = SimpleNamespace(load_workbook=lambda *_, **__: SimpleNamespace(worksheets=sheets))
    monkeypatch.setitem(sys.modules, "openpyxl", openpyxl)
    (tmp_path / "own").write_bytes(zipped("xl/workbook.xml"))
    assert read_bytes(str(tmp_path / "own")) == b"a,b,\n1,False,\n,2.5,x\n,,\n3,,\n"
    sheets[1].all = [(None,), (0,)]  # a zero is a cell
    file_content._from_container.cache_clear()
    with pytest.raises(DpfairError, match=r"must have one sheet with cells, got empty, people: "):
        read_bytes(str(tmp_path / "own"))


@pytest.mark.parametrize(
    ("library", "content"),
    [("pyarrow", b"PAR1\x15\x04"), ("openpyxl", None)],
)
def test_a_reader_that_is_not_installed_is_named(tmp_path, monkeypatch, library, content):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "own").write_bytes(content or zipped("xl/workbook.xml"))
    with pytest.raises(DpfairError, match=f"pip install {library}, or save the table as csv"):
        find_form(str(tmp_path / "own"))


@pytest.mark.parametrize("content", [b"PAR1\x15\x04", "workbook"])
def test_a_damaged_file_is_named(tmp_path, content):
    pytest.importorskip("pyarrow" if isinstance(content, bytes) else "openpyxl")
    (tmp_path / "own").write_bytes(
        content if isinstance(content, bytes) else zipped("xl/workbook.xml")
    )
    with pytest.raises(DpfairError, match="own is damaged or truncated") as refused:
        find_form(str(tmp_path / "own"))
    assert "\n" not in str(refused.value)


def zipped(*names: str, content: bytes = b"a,b\n1,2\n") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name in names:
            packed.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def tarred() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as packed:
        packed.addfile(tarfile.TarInfo("own.csv"), io.BytesIO())
    return content.getvalue()


OTHERS = {
    "an SPSS file": b"$FL2@(#) SPSS DATA FILE",
    "a SAS file": bytes(12) + b"\xc2\xea\x81\x60\xb3\x14",
    "a SAS transport file": b"HEADER RECORD*******LIBRARY HEADER",
    "a Stata file": b"<stata_dta><header><release>118",
    "a Feather file": b"ARROW1\x00\x00",
    "an HDF5 file": b"\x89HDF\r\n\x1a\n",
    "a pickle file": b"\x80\x04\x95",
    "an R file": b"RDX3\nX\n",
    "a PDF document": b"%PDF-1.7",
    "a picture": b"\x89PNG\r\n",
    "an XML file": b'<?xml version="1.0"?>',
    "a Zstandard file": b"\x28\xb5\x2f\xfd\x04",
    "a 7z archive": b"7z\xbc\xaf\x27\x1c",
    "a tar archive": tarred(),
    "an OpenDocument file": zipped("mimetype", "content.xml"),
    "a binary Excel workbook": zipped("xl/workbook.bin"),
    "a Word document": zipped("word/document.xml"),
    "a compressed file in another one": zipped("own.parquet", content=b"PAR1\x15"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_format_is_named_with_what_to_do(tmp_path, name):
    (tmp_path / "own").write_bytes(OTHERS[name])
    with pytest.raises(DpfairError, match=rf"own is {name}.*: (save the table as csv|unpack it)"):
        find_form(str(tmp_path / "own"))


def test_a_zip_file_with_a_password_is_named(tmp_path):
    content = bytearray(zipped("own.csv"))
    content[6] |= 1  # the flag of an encrypted file
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "own").write_bytes(content)
    with pytest.raises(DpfairError, match=r"cannot be unpacked .*password"):
        find_form(str(tmp_path / "own"))


@pytest.mark.parametrize("heading", ["PK", "PAR1", "BZh9", "FEA1", "RDX2", "Orc", "X", *"is"])
def test_a_heading_may_begin_as_another_format_does(tmp_path, heading):
    (tmp_path / "own.csv").write_text(f"{heading},b\n1,2\n3,4\n")
    file = str(tmp_path / "own.csv")
    assert read_heading(file, find_form(file)) == [heading, "b"]


def test_signs_of_no_value_are_texts_as_in_csv(tmp_path):
    file = parquet(tmp_path / "own", {"a": list(MISSING_SIGNS)})
    assert [line.strip(b'"').decode() for line in read_bytes(file).splitlines()[1:]] == list(
        MISSING_SIGNS
    )
