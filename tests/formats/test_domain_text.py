"""The first part of a domain file: the mark of a privacy ledger and the confirmation."""

from __future__ import annotations

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.formats.domain_file import marked_text, read_domain

AGE = "age: {low: 18, high: 90}  # the questionnaire allows no other\n"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "people.yaml"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (AGE, f"ledger: yes\n---\n{AGE}"),
        (f"# people\n\n{AGE}", f"ledger: yes\n---\n# people\n\n{AGE}"),
        (f"---\n{AGE}", f"ledger: yes\n---\n{AGE}"),
        (f"separator: ';'\n---\n{AGE}", f"ledger: yes\nseparator: ';'\n---\n{AGE}"),
        (f"# a\nconfirmed: yes\n---\n{AGE}", f"ledger: yes\n# a\nconfirmed: yes\n---\n{AGE}"),
        (
            f"# a\n--- # b\nconfirmed: yes\n---\n{AGE}",
            f"# a\n--- # b\nledger: yes\nconfirmed: yes\n---\n{AGE}",
        ),
        (f"\ufeff{AGE}", f"\ufeffledger: yes\n---\n{AGE}"),
        ("a: {low: 0, high: 1}", "ledger: yes\n---\na: {low: 0, high: 1}"),
        ("ledger: {low: 0, high: 1}\n", "ledger: yes\n---\nledger: {low: 0, high: 1}\n"),
        (
            "confirmed: yes\r\n---\r\na: {low: 0, high: 1}\r\n",
            "ledger: yes\r\nconfirmed: yes\r\n---\r\na: {low: 0, high: 1}\r\n",
        ),
    ],
)
def test_a_mark_is_one_key_of_the_first_part_and_changes_nothing_else(file, text, marked):
    assert marked_text(text) == marked
    file.write_bytes(text.encode())
    before = read_domain(str(file))
    file.write_bytes(marked.encode())
    after = read_domain(str(file))
    assert (before.has_ledger, after.has_ledger) == (False, True)
    for name in ("columns", "form", "confirmed"):
        assert getattr(after, name) == getattr(before, name)


@pytest.mark.parametrize("first", ["{confirmed: yes}", "  confirmed: yes"])
def test_a_first_part_of_another_layout_is_refused(first):
    with pytest.raises(DpfairError, match="write above the line `---` one key a line"):
        marked_text(f"{first}\n---\n{AGE}")


def test_a_column_may_be_called_ledger(file):
    file.write_text("ledger: {levels: [no, yes]}\n")
    found = read_domain(str(file))
    assert list(found.columns) == ["ledger"]
    assert not found.has_ledger


@pytest.mark.parametrize("value", ["no", "", "true", "[yes]"])
def test_a_mark_with_another_value_is_refused(file, value):
    file.write_text(f"ledger: {value}\n---\n{AGE}")
    with pytest.raises(DpfairError, match="`ledger` must be yes"):
        read_domain(str(file))


def test_a_misspelt_mark_is_refused(file):
    file.write_text(f"ledgr: yes\n---\n{AGE}")
    with pytest.raises(DpfairError, match="did you mean"):
        read_domain(str(file))


@pytest.mark.parametrize("value", ["maybe", "", "[yes]", "{yes: no}"])
def test_a_confirmation_with_another_value_is_refused(file, value):
    file.write_text(f"confirmed: {value}\n---\n{AGE}")
    with pytest.raises(DpfairError, match="`confirmed` must be yes or no"):
        read_domain(str(file))
