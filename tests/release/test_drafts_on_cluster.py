"""The draft of a domain file from the parts of a table is the draft from the whole table."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.formats import user_table
from dpfair_cli.formats.domain_draft import Roles, draft_table, draft_text
from dpfair_cli.formats.user_table import find_form
from dpfair_cli.models.tabular.outside_values import MISSING_SIGNS
from dpfair_cli.release import table_on_cluster
from dpfair_cli.release.table_on_cluster import draft_on_cluster
from tests import made_files
from tests.release.processes_here import Here, cut_at

NO_ROLES = Roles(MISSING_SIGNS)


def require_same(file, roles=NO_ROLES):
    """The draft of a table, which is the same in parts."""
    whole = draft_table(file, find_form(file), roles)
    parted = draft_on_cluster(file, find_form(file), roles, Here())
    assert parted == whole
    assert draft_text(parted) == draft_text(whole)
    return whole


@pytest.mark.parametrize("size", [3000, 20_000])
@pytest.mark.parametrize("name", made_files.NAMES)
def test_the_draft_of_a_known_format_is_that_of_the_whole(tmp_path, monkeypatch, name, size):
    monkeypatch.setattr(table_on_cluster, "cut", cut_at(size))
    label, positive, protected = made_files.ROLES[name]
    roles = Roles(MISSING_SIGNS, label, protected, positive)
    draft = require_same(str(made_files.write(tmp_path, name)), roles)
    assert draft.rows == 300


HEADING = "age,work,sex,rich\n"


@pytest.mark.parametrize(
    "content",
    [
        b"\n\r\n" + (HEADING + "1,a,f,no\n" * 9).encode(),
        (HEADING + "1,a,f,no,more\n2,b\n\n3,c,m,yes\n" * 5).encode(),
        ("name,age\n" + "x,1,2\ny,3,4\n" * 9).encode(),
        ("a,b,a\n" + "1,2,1\n2,1,2\n3,3,3\n" * 9).encode(),
        ("a,b,\n" + "1,2,\n2,1,\n" * 9).encode(),
        "a;b\n1,5;é\n2,5;b\n".encode("latin-1") * 9,
        b"\xef\xbb\xbf" + ("größe,b\n" + "1,ä\n2,b\n" * 9).encode(),
        (HEADING + '1,"a\nb",f,no\n2,"a ""b""",m,yes\n' * 5).encode(),
    ],
    ids=["above", "widths", "names", "twins", "end", "latin-1", "mark", "quotes"],
)
def test_an_odd_table_has_the_same_draft_and_questions(tmp_path, monkeypatch, content):
    monkeypatch.setattr(table_on_cluster, "cut", cut_at(40))
    file = tmp_path / "own.csv"
    file.write_bytes(content)
    require_same(str(file))


def test_twins_differ_if_one_part_differs(tmp_path, monkeypatch):
    monkeypatch.setattr(table_on_cluster, "cut", cut_at(20))
    file = tmp_path / "own.csv"
    rows = "1,1,1,1\n2,2,2,2\n" * 20
    file.write_text("a,b,first,last\n" + "1,1,2,1\n" + rows + "1,1,1,2\n")
    uses = [column.use for column in require_same(str(file)).columns]
    assert uses[1] == "left out: equal to the column a"
    assert uses[2] == uses[3] == uses[0]


cells = st.text(alphabet="ab1.,% ", max_size=6)


@settings(max_examples=40)
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=30))
def test_any_rows_give_the_draft_of_the_whole(tmp_path_factory, rows):
    file = tmp_path_factory.mktemp("draft") / "own.csv"
    lines = (",".join(f'"{cell}"' for cell in row) for row in rows)
    file.write_text("one,two,three\n" + "\n".join(lines) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_on_cluster, "cut", cut_at(100))
        require_same(str(file))


def test_a_label_that_is_not_in_the_heading_is_refused(tmp_path):
    file = made_files.write(tmp_path, "bank")
    with pytest.raises(DpfairError, match="unknown column 'yy' in the table"):
        draft_on_cluster(str(file), find_form(str(file)), Roles((), "yy"), Here())


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,ä\n".encode(),
        "a,b\n1,ä\n".encode("latin-1"),
        b"\xef\xbb\xbfa,b\n1,2\n",
        b"a;b\n1,5;2\n",
        b"1,2\n3,4\n",
        b"",
        b"a,b\n\0,1\n",
        b"PAR1",
        b"a,b\n" + "1,ä\n".encode() * 9 + b"1,\xe4\n",
    ],
)
@pytest.mark.parametrize("encoding", ["", "utf-8", "ascii", "unknown"])
def test_the_dialect_is_that_of_the_whole_or_both_are_refused(
    tmp_path, monkeypatch, content, encoding
):
    file = tmp_path / "own.csv"
    file.write_bytes(content)
    found = []
    for size in (1000, 7):  # with 7 a character may be cut in two
        monkeypatch.setattr(user_table, "PIECE_BYTES", size)
        try:
            found.append(find_form(str(file), encoding=encoding))
        except DpfairError as error:
            found.append(str(error).partition(": ")[0])
    assert found[0] == found[1]


def test_a_compressed_table_says_what_to_do(tmp_path):
    file = tmp_path / "own.csv"
    file.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    with pytest.raises(DpfairError, match=r"is compressed.*: unpack the file"):
        draft_on_cluster(str(file), find_form(str(file)), NO_ROLES, Here())


def test_an_encoding_with_two_bytes_for_a_character_is_refused(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-16")
    with pytest.raises(DpfairError, match="must be utf-8 or have one byte for each character"):
        draft_on_cluster(str(file), find_form(str(file)), NO_ROLES, Here())
