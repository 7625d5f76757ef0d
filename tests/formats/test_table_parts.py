"""A table that is read in parts has the rows of the table that is read as a whole."""

import gzip
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.formats.table_parts import RecordsReader, cut, part_reader
from dpfair_cli.formats.user_records import read_user_records

DOMAIN = """age: {low: 0, high: 100}
work: {levels: [a, b, "c\\nd", missing]}
sex: {levels: [f, m]}
rich: {levels: [no, yes]}
"""
HEADING = "age,work,sex,rich\n"
ROWS = (
    "10,a,f,no\n20,b,m,yes\n\n30,,f\n40.5,a,m,yes,more\n"
    '50,"c\nd",f,no\n60,"a ""b"", c",m,yes\n,"?",x,maybe\n'
)


def written(folder, content, domain=DOMAIN):
    """The options of a table with this content and of its domain file."""
    (folder / "own.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "own.yaml").write_text(domain)
    names = {"label": "rich", "protected": "sex", "positive": ""}
    return {"file": str(folder / "own.csv"), **names, "domain": str(folder / "own.yaml")}


def opened(options):
    """The reader of the records of a table, and the place of its first row."""
    known = read_user_records(**options).known
    names = (*known.column_types, known.schema.label)
    reader, start = part_reader(options["file"], known.form, names)
    return RecordsReader(reader, known, "one_hot", names), start


def in_parts(options, size):
    """The records of each part of about `size` bytes."""
    reader, start = opened(options)
    return [reader.records(part) for part in cut(reader.table, start, size=size)]


def require_same(options, size):
    whole, parts = read_user_records(**options).encoded("one_hot"), in_parts(options, size)
    assert np.array_equal(np.vstack([part.X for part in parts]), whole.X)
    assert np.concatenate([part.y for part in parts]).tolist() == whole.y.tolist()
    assert np.concatenate([part.protected for part in parts]).tolist() == whole.protected.tolist()
    assert all(part.domain == whole.domain for part in parts)
    return len(parts)


@pytest.mark.parametrize("domain", [DOMAIN, DOMAIN.replace("100}", "100, missing: yes}")])
@pytest.mark.parametrize("size", [20, 33, 64, 1000])
def test_rows_with_line_breaks_in_cells_are_kept_whole(tmp_path, size, domain):
    require_same(written(tmp_path, HEADING + ROWS, domain), size)


def test_a_small_part_holds_few_rows(tmp_path):
    assert require_same(written(tmp_path, HEADING + "10,a,f,no\n" * 12), 25) == 4


@pytest.mark.parametrize(
    "content",
    [
        (HEADING + ROWS).replace("\n", "\r\n"),
        "\n\r\n" + HEADING + ROWS,
        (HEADING + ROWS).rstrip("\n"),
        HEADING + ROWS + "\n\n",
        HEADING + "1\r2,a\x1b,f,no\n" + ROWS,
        b"\xef\xbb\xbf" + (HEADING + ROWS).encode(),
        HEADING + "7,5 inch,f,yes\n" + ROWS,
    ],
    ids=["crlf", "blank above", "no end", "blank below", "controls", "mark", "plain"],
)
def test_every_form_of_lines_gives_the_rows_of_the_whole(tmp_path, content):
    for size in (24, 40, 70):
        require_same(written(tmp_path, content), size)


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("separator: ';'\ndecimal: ','", "age;work;sex;rich\n" + "1,5;a;f;no\n2,5;b;m;yes\n" * 4),
        ("header: [age, work, sex, rich]", "10,a,f,no\n20,b,m,yes\n30,a,f,yes\n" * 4),
        ("separator: ' '\nheader: [age, work, sex, rich]", "10  a f no\n20 b   m yes\n" * 4),
        ("encoding: latin-1", "age,work,sex,rich,\xe9\n" + "1,a,f,no,\xe9\n2,b,m,yes,\xe9\n" * 4),
    ],
    ids=["semicolons", "no heading", "blanks", "latin-1"],
)
def test_every_dialect_gives_the_rows_of_the_whole(tmp_path, form, content):
    domain = f"confirmed: yes\n{form}\n---\n{DOMAIN}"
    assert require_same(written(tmp_path, content.encode("latin-1"), domain), 20) > 1


cells = st.text(alphabet='ab "\n1.?', max_size=6)


rows_of_cells = st.lists(st.lists(cells, min_size=2, max_size=5), min_size=1, max_size=12)


@settings(max_examples=40)
@given(rows=rows_of_cells)
def test_any_rows_of_quoted_cells_are_read_as_in_the_whole(tmp_path_factory, rows):
    lines = [",".join(map(_quoted, row)) for row in rows]
    options = written(tmp_path_factory.mktemp("rows"), HEADING + "\n".join(lines) + "\n")
    for size in (80, 120):  # a row has at most 5 cells of 14 characters
        require_same(options, size)


@settings(max_examples=60)
@given(rows=rows_of_cells)
def test_any_rows_with_stray_quotes_are_read_as_in_the_whole_or_refused(tmp_path_factory, rows):
    lines = map(",".join, rows)
    options = written(tmp_path_factory.mktemp("rows"), HEADING + "\n".join(lines) + "\n")
    for size in (9, 30, 100):
        with suppress(DpfairError):
            require_same(options, size)


def _quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADING + '10,"a,f,no\n' + "20,b,m,yes\n" * 9, "is a quote not closed"),
        (HEADING.replace("sex", "gender") + ROWS, "own.csv lacks the column 'sex'"),
        (HEADING, "has a heading only"),
        (HEADING + "1" * 90 + ",a,f,no\n", "a row .* must have at most 30 bytes"),
        (HEADING.replace("\n", "\r") + "10,a,f,no\r", "must end with a line feed"),
        (gzip.compress((HEADING + ROWS).encode()), "is compressed"),
    ],
    ids=["open quote", "column", "heading only", "long row", "cr", "gzip"],
)
def test_a_table_that_cannot_be_cut_is_refused(tmp_path, content, message):
    with pytest.raises(DpfairError, match=message):
        in_parts(written(tmp_path, content), 30)


def test_an_encoding_without_bytes_of_lines_is_refused(tmp_path):
    domain = f"confirmed: yes\nencoding: utf-16\n---\n{DOMAIN}"
    options = written(tmp_path, (HEADING + ROWS).encode("utf-16"), domain)
    with pytest.raises(DpfairError, match=r"encoding .* must be utf-8 or have one byte"):
        in_parts(options, 30)


def test_another_content_at_the_place_of_a_part_is_refused(tmp_path):
    options = written(tmp_path, HEADING + ROWS)
    reader, start = opened(options)
    part = next(cut(reader.table, start, size=30))
    written(tmp_path, HEADING + ROWS.replace("10,a", "11,a"))
    with pytest.raises(DpfairError, match="changed while the command ran, or is another file"):
        reader.records(part)


def test_a_worker_without_the_table_says_so(tmp_path):
    options = written(tmp_path, HEADING + ROWS)
    reader, start = opened(options)
    part = next(cut(reader.table, start, size=30))
    (tmp_path / "own.csv").unlink()
    with pytest.raises(DpfairError, match="must be on every worker under the same path"):
        reader.records(part)
