"""How a file of a table is written is found out, and said otherwise where that is wrong."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.formats.user_table import (
    TableForm,
    find_form,
    read_columns,
    read_heading,
    read_table,
)
from tests import made_files


def read_whole(path):
    return read_table(str(path), find_form(str(path)))


@pytest.mark.parametrize(
    ("name", "form", "columns"),
    [
        ("compas", TableForm(), 18),
        ("kdd", TableForm(header=tuple(f"column{k}" for k in range(1, 43))), 42),
        ("german", TableForm(" ", header=tuple(f"column{k}" for k in range(1, 22))), 21),
        ("bank", TableForm(";"), 11),
        ("law", TableForm(), 10),
    ],
)
def test_the_form_of_well_knuser_tables_is_found(tmp_path, name, form, columns):
    file = str(made_files.write(tmp_path, name))
    assert find_form(file) == form
    assert len(read_heading(file, form)) == columns
    table = read_table(file, form)
    assert table.shape == (300, columns)
    assert (
        not table.map(lambda cell: isinstance(cell, str) and cell != cell.strip()).to_numpy().any()
    )


TABLES = {  # content -> (separator, encoding, number of named columns without a heading, decimal)
    b"a,b\n1,x\n2,y\n": (",", "utf-8", 0, "."),
    b"a\tb\n1\tx y\n2\ty z\n": ("\t", "utf-8", 0, "."),
    b"a|b\n1|x\n": ("|", "utf-8", 0, "."),
    b"1 x\n2   y\n": (" ", "utf-8", 2, "."),
    b"a;b\n25,5;1\n3;0\n": (";", "utf-8", 0, ","),
    b'a,b\n"25,5",1\n"3,25",0\n': (",", "utf-8", 0, ","),
    b'a,b\n"25,500",1\n"3,250",0\n': (",", "utf-8", 0, "."),  # thousands, perhaps
    b"x,y\nx,z\nw,y\n": (",", "utf-8", 2, "."),  # the first row's cells stand below too
    b"a,caf\xe9\n1,x\n": (",", "latin-1", 0, "."),
    b"\xef\xbb\xbfa,b\n1,x\n": (",", "utf-8-sig", 0, "."),
    "a,b\n1,x\n".encode("utf-16"): (",", "utf-16", 0, "."),
    b"a\n1\n2\n": (",", "utf-8", 0, "."),
}


@pytest.mark.parametrize("content", TABLES)
def test_separator_encoding_heading_and_decimal_sign_are_found(tmp_path, content):
    (tmp_path / "own.csv").write_bytes(content)
    form = find_form(str(tmp_path / "own.csv"))
    assert (form.separator, form.encoding, len(form.header), form.decimal) == TABLES[content]


def test_what_is_said_is_not_looked_for(tmp_path):
    (tmp_path / "own.csv").write_bytes(b"2019;2020\n1;2\n")
    file = str(tmp_path / "own.csv")
    assert find_form(file, header="first") == TableForm(";")
    assert find_form(file, header="none").header == ("column1", "column2")
    assert find_form(file, header=("old", "new"), separator=",").header == ("old", "new")
    assert find_form(file, separator=",").header == ()
    with pytest.raises(DpfairError, match=r"the separator must be one of .*, got '#'"):
        find_form(file, separator="#")
    with pytest.raises(DpfairError, match="cannot be decoded in the encoding nonsense"):
        find_form(file, encoding="nonsense")


def test_a_decimal_comma_is_a_number_and_a_comma_in_words_stays(tmp_path):
    (tmp_path / "own.csv").write_text("a;b\n25,5;x,y\n,5;-1,25\n")
    columns = read_columns(
        str(tmp_path / "own.csv"), {"a": None, "b": None}, TableForm(";", decimal=",")
    )
    assert columns.to_numpy().tolist() == [["25.5", "x,y"], [".5", "-1.25"]]


@pytest.mark.parametrize("blank", [b"", b" "])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_quoted_cell_may_follow_a_blank_in_rows_of_any_end(tmp_path, blank, end):
    path = tmp_path / "t.csv"
    path.write_bytes(end.join([b"a,b", b"1," + blank + b'"x,y"', b"2,z", b""]))
    assert read_table(str(path), TableForm()).to_numpy().tolist() == [["1", "x,y"], ["2", "z"]]


def test_names_that_stand_twice_or_are_empty_are_told_apart(tmp_path):
    (tmp_path / "own.csv").write_text(",a,b,a,\n1,2,3,4,5\n")
    assert read_heading(str(tmp_path / "own.csv"), TableForm()) == [
        "column1",
        "a",
        "b",
        "a_2",
        "column5",
    ]


def test_usual_signs_of_no_value_are_missing_and_others_are_not(tmp_path):
    (tmp_path / "own.csv").write_text("a,b\n?,x\nNA,\n-,none\n")
    assert read_whole(tmp_path / "own.csv").isna().to_numpy().tolist() == [
        [True, False],
        [True, True],
        [False] * 2,
    ]


TABLE = b"a;b\n1;x\n2;y\n"


def packed(*names):
    """A zip file with the table under each of these names, the same at every time of day."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name in names:
            file.writestr(zipfile.ZipInfo(name), TABLE)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.csv.gz", gzip.compress(TABLE, mtime=0)),
        ("own.csv", gzip.compress(TABLE, mtime=0)),
        ("own.csv.bz2", bz2.compress(TABLE)),
        ("own.xz", lzma.compress(TABLE)),
        ("own.zip", packed("folder/", "folder/own.csv")),
    ],
)
def test_a_packed_file_is_read_as_it_was(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert read_whole(tmp_path / name).to_numpy().tolist() == [["1", "x"], ["2", "y"]]


@pytest.mark.parametrize("content", [b"[a],b\n1,2\n", b"{a,b\n1,2\n"])
def test_a_table_may_begin_with_a_bracket(tmp_path, content):
    (tmp_path / "own.csv").write_bytes(content)
    assert read_whole(tmp_path / "own.csv").to_numpy().tolist() == [["1", "2"]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("own.csv", b"", "no columns"),
        ("own.csv", b"a,b\n1,\x00\n", "NUL bytes"),
        (
            "own.csv.gz",
            gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-20],
            "own.csv.gz is damaged or truncated",
        ),
        ("own.csv.gz", b"a,b\n", "own.csv.gz is not a gzip file"),
        ("own.xls", b"\xd0\xcf\x11\xe0\xa1", "own.xls is an Excel workbook"),
        ("own.json", b'[\n  {"a": 1},', "own.json is JSON and not a csv table"),
        ("own.csv", b' {"a": {"0": 1}}', "own.csv is JSON and not a csv table"),
        ("own.csv", b"<!DOCTYPE html>\n<html>", "own.csv is a web page and not a csv table"),
        ("own.zip", packed("a.csv", "b.csv"), "own.zip must hold one file, got 2"),
        ("own.zip", packed("a.csv")[:-30], "own.zip is damaged or truncated"),
        ("own.zip", packed(), "own.zip must hold one file, got 0"),
        ("own.csv.xz", b"a,b\n", "own.csv.xz is damaged or truncated"),
        ("own.csv.bz2", b"a,b\n", "own.csv.bz2 cannot be read"),
    ],
)
def test_a_file_that_is_no_table_is_named_in_one_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DpfairError, match=message) as refused:
        find_form(str(tmp_path / name))
    assert "\n" not in str(refused.value)
    with pytest.raises(DpfairError, match="is a folder: give the path of a file in it"):
        find_form(str(tmp_path))
