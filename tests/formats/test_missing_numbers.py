"""With `missing: yes`, a missing cell of a column of numbers is a level of the records."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.missing_numbers import IsMissing, NumberOrMissing
from dpfair_cli.contracts.schemas import Numeric
from dpfair_cli.datasets import csv, csv_variables
from dpfair_cli.formats.domain_draft import Roles, draft_table, draft_text
from dpfair_cli.formats.domain_file import confirmed_text, left_as_drafted, read_domain, read_draft
from dpfair_cli.formats.questions import questions_of_domain_fit
from dpfair_cli.formats.table_in_model import as_json, from_json
from dpfair_cli.formats.user_records import read_user_records
from dpfair_cli.formats.user_table import find_form
from dpfair_cli.models.tabular.decoding import table_of_values
from dpfair_cli.models.tabular.outside_values import MISSING_SIGNS, is_missing, texts_of_columns

DOMAIN = """\
dose: {low: 0, high: 8, missing: yes}
work: {levels: [a, b]}
sex: {levels: [f, m]}
rich: {levels: [no, yes]}
"""
ROLES = {"label": "rich", "protected": "sex"}
CELLS = ["0", "2.0", "8", "9", "-1", "", "NA", "nan", "?", "unknown", "inf", "4"]
NUMBERS = [0, 2, 8, 8, 0, 4, 4, 4, 4, 4, 8, 4]
MISSING = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0]
ROW = st.tuples(
    st.sampled_from(["0", "4", "9", "", "old", *MISSING_SIGNS]),
    st.sampled_from(["a", "b", ""]),
    st.sampled_from(["f", "m"]),
    st.sampled_from(["no", "yes"]),
)


def written(folder, cells, domain=DOMAIN):
    """The options of a table with these cells of `dose`."""
    rows = [
        f"{cell},{'ab'[k % 2]},{'fm'[k % 2]},{('no', 'yes')[k % 3 == 2]}"
        for k, cell in enumerate(cells)
    ]
    (folder / "own.csv").write_text("\n".join(["dose,work,sex,rich", *rows, ""]))
    (folder / "own.yaml").write_text(domain)
    return {"file": str(folder / "own.csv"), "domain": str(folder / "own.yaml"), **ROLES}


def user_records(options):
    return read_user_records(**options, positive="")


def test_a_record_has_the_number_and_whether_it_is_missing(tmp_path):
    found = csv.load(tmp_path, **written(tmp_path, CELLS))
    assert found.columns == ("dose", "dose is missing=yes", "work=b")
    assert (8 * found.X[:, 0]).tolist() == NUMBERS
    assert found.X[:, 1].tolist() == MISSING
    assert list(found.domain.attributes) == ["dose", "dose is missing", "work"]


@pytest.mark.parametrize("cells", [["1", "2"], [""] * 2], ids=["none", "all"])
def test_the_attributes_are_those_of_the_domain_file_alone(tmp_path, cells):
    found = csv.load(tmp_path, **written(tmp_path, cells))
    assert found.columns == ("dose", "dose is missing=yes", "work=b")


@settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.generate,),  # each example reads files
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(ROW, min_size=1, max_size=6), ROW, st.integers(0, 5), st.booleans())
def test_any_change_of_a_row_moves_one_record_at_most(tmp_path, rows, row, place, by_person):
    domain = f"person: id\n---\n{DOMAIN}" if by_person else DOMAIN
    (tmp_path / "own.yaml").write_text(domain)
    place %= len(rows)

    def loaded(rows):
        lines = [",".join((f"p{k}", *each)) for k, each in enumerate(rows)]
        (tmp_path / "own.csv").write_text("\n".join(["id,dose,work,sex,rich", *lines, ""]))
        files = {"file": f"{tmp_path}/own.csv", "domain": f"{tmp_path}/own.yaml"}
        found = csv.load(tmp_path, **files, **ROLES)
        return np.column_stack([found.X, found.y, found.protected])

    before, after = loaded(rows), loaded([*rows[:place], row, *rows[place + 1 :]])
    assert before.shape == after.shape
    changed = np.flatnonzero(np.any(before != after, axis=1))
    assert len(changed) <= 1
    assert by_person or set(changed) <= {place}


@given(st.lists(st.sampled_from(["1", "2", "x", "-7.5", *MISSING_SIGNS]), min_size=1, max_size=9))
def test_whether_a_cell_is_missing_is_read_from_this_cell_alone(cells):
    alone = [is_missing(pd.Series([cell], dtype=object))[0] for cell in cells]
    assert is_missing(pd.Series(cells, dtype=object)).tolist() == alone


@pytest.mark.parametrize("form", ["crlf", "parquet", "decimal commas", "no heading"])
def test_every_form_of_a_table_has_the_same_records(tmp_path, form):
    options = written(tmp_path, ["0", "2.5", "", "8"])
    wanted = csv.load(tmp_path, **options)
    file, domain = Path(options["file"]), Path(options["domain"])
    text = file.read_text()
    if form == "crlf":
        file.write_bytes(text.replace("\n", "\r\n").encode())
    elif form == "parquet":
        pytest.importorskip("pyarrow")
        options["file"] = str(tmp_path / "own.parquet")
        pd.read_csv(file).to_parquet(options["file"])
    elif form == "decimal commas":
        file.write_text(text.replace(",", ";").replace(".", ","))
        domain.write_text(f"separator: ';'\ndecimal: ','\n---\n{DOMAIN}")
    else:
        file.write_text(text.partition("\n")[2])
        domain.write_text(f"header: [dose, work, sex, rich]\n---\n{DOMAIN}")
    assert csv.load(tmp_path, **options).fingerprint() == wanted.fingerprint()


def test_values_of_records_are_blank_where_the_cell_is_missing(tmp_path):
    table = user_records(written(tmp_path, CELLS))
    found = table_of_values(table.encoded("one_hot"), table.known.schema)
    assert list(found) == ["dose", "work", "sex", "rich"]
    assert found["dose"].isna().tolist() == list(map(bool, MISSING))
    lines = found.to_csv(index=False).splitlines()
    assert [line.partition(",")[0] for line in lines[1:7]] == ["0", "2", "8", "8", "0", ""]


def test_the_key_is_read_and_written_again(tmp_path):
    options = written(tmp_path, CELLS)
    found = read_domain(options["domain"])
    assert found.columns["dose"] == NumberOrMissing(0, 8)
    text = confirmed_text(found)
    assert "dose: {low: 0, high: 8, missing: yes}\n" in text
    Path(options["domain"]).write_text(text)
    assert read_domain(options["domain"]) == found
    for said in ("", ", missing: no"):
        Path(options["domain"]).write_text(DOMAIN.replace(", missing: yes", said))
        without = read_domain(options["domain"])
        assert without.columns["dose"] == Numeric(0, 8)
        assert confirmed_text(without) != text  # the identity of runs, and the digest of a ledger


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("dose: {low: 0, high: 8, missing: maybe}", "`missing` of column 'dose' must be yes or no"),
        ("dose: {low: 0, high: 8, missing: [yes]}", "`missing` of column 'dose' must be yes or no"),
        ("dose: {levels: [a, b], missing: yes}", "write the level `missing` in place of"),
        (
            "dose: {low: 0, high: 8, missing: yes}\ndose is missing: {levels: [a, b]}",
            "'dose is missing' cannot be a column, because `missing: yes` makes it of 'dose'",
        ),
    ],
)
def test_a_key_that_has_no_meaning_is_refused(tmp_path, entry, words):
    (tmp_path / "own.yaml").write_text(f"{entry}\nwork: {{levels: [a, b]}}\n")
    with pytest.raises(DpfairError, match=words):
        read_domain(str(tmp_path / "own.yaml"))


def test_a_label_cannot_have_the_name_of_a_second_attribute(tmp_path):
    options = {**written(tmp_path, CELLS), "label": "dose is missing"}
    file = Path(options["file"])
    file.write_text(file.read_text().replace("rich", "dose is missing"))
    with pytest.raises(DpfairError, match="`missing: yes` makes 'dose is missing', which is the"):
        csv.load(tmp_path, **options, positive="yes")


def test_a_column_of_the_table_with_that_name_is_not_used(tmp_path):
    options = written(tmp_path, CELLS)
    wanted, table = csv.load(tmp_path, **options), Path(options["file"])
    lines = table.read_text().splitlines()
    table.write_text(
        "\n".join([f"{lines[0]},dose is missing", *(f"{x},no" for x in lines[1:]), ""])
    )
    assert csv.load(tmp_path, **options).fingerprint() == wanted.fingerprint()


@pytest.mark.parametrize("encoding", ["one_hot", "binned"])
def test_a_model_file_knows_the_key(tmp_path, encoding):
    known = user_records(written(tmp_path, CELLS)).known
    saved = json.loads(json.dumps(as_json(known, encoding)))
    assert list(saved["attributes"]) == ["dose", "work"]
    again, _ = from_json(saved)
    assert again.schema.attributes == known.schema.attributes
    assert again.schema.attributes["dose is missing"] == IsMissing(("no", "yes"), of="dose")


def test_rows_without_a_protected_number_are_a_group(tmp_path):
    text = "dose: {low: 0, high: 8, bins: [0, 4], missing: yes}\n"
    options = written(tmp_path, CELLS, text + DOMAIN.partition("\n")[2])
    found = csv.load(tmp_path, **options | {"protected": "dose"})
    assert found.domain.groups == ("0..3", "4..8", "missing")
    groups = [2 if missing else int(n >= 4) for n, missing in zip(NUMBERS, MISSING, strict=True)]
    assert found.protected.tolist() == groups
    assert list(found.domain.attributes) == ["work", "sex"]


def test_a_missing_label_is_unfavourable_whatever_the_key_says(tmp_path):
    options = written(tmp_path, CELLS) | {"label": "dose"}
    found = csv.load(tmp_path, **options, positive=">3")
    assert found.y.tolist() == [
        int(n > 3 and not missing) for n, missing in zip(NUMBERS, MISSING, strict=True)
    ]
    assert list(found.domain.attributes) == ["work", "rich"]


def test_missing_cells_are_asked_about_only_without_the_key(tmp_path):
    def asked(domain):
        table = user_records(written(tmp_path, ["", "NA", *"0123456780"], domain))
        questions = questions_of_domain_fit(texts_of_columns(table.cells), table.known)
        return [question for question in questions if "dose" in question]

    assert asked(DOMAIN) == []
    (question,) = asked(DOMAIN.replace(", missing: yes", ""))
    assert question.startswith("2 missing cells of dose become 4, the middle of its range: ")
    assert "write `missing: yes` beside the range" in question


def test_words_in_the_column_are_asked_about_also_with_the_key(tmp_path):
    table = user_records(written(tmp_path, ["?", "old", "old", *"0123"]))
    questions = [*questions_of_domain_fit(texts_of_columns(table.cells), table.known)]
    assert any(
        question.startswith("2 cells, such as 'old', of dose become the level missing")
        for question in questions
    )


@pytest.mark.parametrize(("missing", "is_level"), [(0, False), (1, False), (2, True), (60, True)])
def test_a_draft_has_the_key_from_one_percent_on(tmp_path, missing, is_level):
    cells = [""] * missing + [str(k % 9) for k in range(200 - missing)]
    file = written(tmp_path, cells)["file"]
    draft = draft_table(file, find_form(file), Roles(MISSING_SIGNS, "rich", "sex", "yes"))
    (dose,) = [column for column in draft.columns if column.name == "dose"]
    assert isinstance(dose.type, NumberOrMissing) is is_level
    fate = "the level missing" if is_level else "the middle of the range"
    assert (f"{missing} cells without a number become {fate}" in dose.use) is bool(missing)


def test_the_key_of_a_draft_is_noticed_when_it_is_left_or_deleted(tmp_path):
    options = written(tmp_path, [""] * 9 + [str(k % 9) for k in range(200)])
    form = find_form(options["file"])
    draft = draft_table(options["file"], form, Roles(MISSING_SIGNS, "rich", "sex", "yes"))
    domain = tmp_path / "draft.yaml"
    domain.write_text(draft_text(draft))
    assert "dose: {low: 0, high: 8, missing: yes}" in domain.read_text()
    assert "dose" in left_as_drafted(str(domain))
    assert read_draft(str(domain)).columns["dose"] == NumberOrMissing(0, 8)
    domain.write_text(domain.read_text().replace(", missing: yes", ""))
    assert "dose" not in left_as_drafted(str(domain))


def test_causal_discovery_refuses_the_key(tmp_path):
    (tmp_path / "own.csv").write_text("a,b\n1,2\n,3\n")
    text = "a: {low: 0, high: 8, missing: yes}\nb: {low: 0, high: 8}\n"
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(DpfairError, match="leave out this key of a"):
        csv_variables.load(tmp_path, file=f"{tmp_path}/own.csv", domain=f"{tmp_path}/own.yaml")
