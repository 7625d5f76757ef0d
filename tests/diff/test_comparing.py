"""What changed between two sides and why: one change at a time, each found under its own name and
no other.
"""

import copy
import math

import pytest
import yaml

from dpfair_cli import paths
from dpfair_cli.diff import rendering
from dpfair_cli.diff.comparing import PRINTED, compare
from dpfair_cli.diff.runs import UNEXPLAINED
from dpfair_cli.diff.sides import read_side
from tests.diff.toy_project import HEADER, NAME, PUBLISHED, SPEC, rows, write_project

HEADER_OF_PRINTED = "artefact,dataset,method,metric,mean,std"
OPEN = {"artefact": "table1", "method": "FM", "kind": "open", "cause": "not known"}


def difference(tmp_path, after_rows, **after):
    """The changes of the one artefact after other rows or files are written."""
    write_project(tmp_path / "a", rows())
    write_project(tmp_path / "b", after_rows, **after)
    found = compare(
        read_side(str(tmp_path / "a"), tmp_path), read_side(str(tmp_path / "b"), tmp_path)
    )
    assert len(found.artefacts) + found.same == 1
    return found


def only(tmp_path, *given, **after):
    (change,) = difference(tmp_path, *given, **after).artefacts
    return change


def with_versions(row, **versions):
    return row | {"versions": row["versions"] | versions}


def test_the_same_project_has_no_difference(tmp_path):
    found = difference(tmp_path, rows())
    assert (found.artefacts, found.same) == ((), 1)


def test_another_version_of_a_method_explains_changed_cells_and_numbers(tmp_path):
    moved = [with_versions(row, algorithm=9) if row["algorithm"] == "functional_mechanism" else row
             for row in rows(means={"FM": 0.75})]  # fmt: skip
    change = only(tmp_path, moved)
    old = rows()[0]["versions"]["algorithm"]
    why = (f"code: functional_mechanism version {old} -> 9",)
    (cell,) = change.cells
    assert (cell.name, cell.causes) == ("adult, FM, epsilon 1, accuracy", why)
    assert (cell.before.mean, cell.after.mean) == (pytest.approx(0.7), pytest.approx(0.75))
    assert (cell.before.full_verdict, cell.after.full_verdict) == ("reproduced", "differs")
    assert (cell.after.published, cell.after.cell.published.line) == (0.7, 3)
    (number,) = change.numbers
    assert (number.name, number.causes) == ("adult, FM, epsilon 10, accuracy", why)
    (claim,) = change.claims  # still true, by another margin
    assert (claim.before.verdict, claim.after.verdict) == ("holds", "holds")
    assert claim.causes == why
    assert [one.name for one in change.verdicts] == [cell.name]
    assert change.causes == {why[0]: 3}


def test_other_data_are_why(tmp_path):
    change = only(tmp_path, rows(means={"LR": 0.81}, data="0123456789abcdef"))
    old = rows()[0]["data"]
    assert set(change.causes) == {f"data: adult {old} -> 0123456789abcdef"}


def test_another_option_is_why(tmp_path):
    changed = SPEC | {"task": {"name": "classification", "test_fraction": 0.3}}
    change = only(tmp_path, rows(changed, means={"LR": 0.81}), spec=changed)
    assert set(change.causes) == {"option: test_fraction 0.2 -> 0.3"}


def test_other_seeds_are_why(tmp_path):
    change = only(tmp_path, rows(seeds=2), spec=SPEC | {"seeds": 2})
    assert set(change.causes) == {"seeds: 3 -> 2"}


def test_a_result_that_changed_alone_has_no_recorded_cause(tmp_path):
    lines = rows()
    lines[0]["scores"]["accuracy"] = 0.9
    change = only(tmp_path, lines)
    assert set(change.causes) == {UNEXPLAINED}


def test_a_result_that_changed_with_the_libraries_has_these_as_its_cause(tmp_path):
    for side, numpy in (("a", "2.4.5"), ("b", "2.4.6")):
        (tmp_path / side / "results").mkdir(parents=True)
        (tmp_path / side / "results" / "arithmetic.txt").write_text(
            f"Python: 3.11.7\nnumpy: {numpy}\n"
        )
    found = difference(tmp_path, rows(means={"LR": 0.81}))
    assert found.libraries == ("library: numpy 2.4.5 -> 2.4.6",)
    assert set(found.artefacts[0].causes) == {"library: numpy 2.4.5 -> 2.4.6"}


def test_another_published_value_is_why_a_verdict_changed(tmp_path):
    change = only(
        tmp_path, rows(), published=(*PUBLISHED[:2], "table1,adult,FM,1,accuracy,0.6,0.001")
    )
    (cell,) = change.cells
    assert cell.causes == ("published.csv: 0.7 -> 0.6",)
    assert (cell.before.full_verdict, cell.after.full_verdict) == ("reproduced", "differs")
    assert not change.numbers


def test_a_deviation_is_why_a_verdict_has_another_kind(tmp_path):
    away = (HEADER, PUBLISHED[1], "table1,adult,FM,1,accuracy,0.6,0.001")
    write_project(tmp_path / "a", rows(), published=away)
    write_project(tmp_path / "b", rows(), published=away, deviations=[OPEN])
    found = compare(
        read_side(str(tmp_path / "a"), tmp_path), read_side(str(tmp_path / "b"), tmp_path)
    )
    (cell,) = found.artefacts[0].cells
    assert (cell.before.full_verdict, cell.after.full_verdict) == ("differs", "differs (open)")
    assert cell.causes == ("deviations.yaml or spec",)


def test_a_published_row_that_is_gone_is_said(tmp_path):
    (cell,) = only(tmp_path, rows(), published=PUBLISHED[:2]).cells
    assert (cell.name, cell.after, cell.causes) == (
        "adult, FM, epsilon 1, accuracy",
        None,
        ("gone from published.csv",),
    )


def test_runs_that_are_gone_are_said(tmp_path):
    left = [row for row in rows() if row["params"].get("epsilon") != 10]
    (number,) = only(tmp_path, left).numbers
    assert (number.name, number.after, number.causes) == (
        "adult, FM, epsilon 10, accuracy", None, ("no runs after",))  # fmt: skip


def test_a_claim_that_fails_now_is_said_with_its_cause(tmp_path):
    (claim,) = only(tmp_path, rows(means={"FM": 0.9}, data="ab")).claims
    assert (claim.before.verdict, claim.after.verdict) == ("holds", "fails")
    assert len(claim.causes) == 1
    assert claim.causes[0].startswith("data: adult ")


def test_a_parameter_that_a_method_has_gained_since_counts_as_its_default(tmp_path):
    old = [copy.deepcopy(row) for row in rows()]
    for row in old:
        row["params"].pop("layout", None)
    assert old != rows()
    assert difference(tmp_path, old).same == 1
    (cell,) = only(
        tmp_path, old, published=(*PUBLISHED[:2], "table1,adult,FM,1,accuracy,0.6,0.001")
    ).cells
    assert cell.after.runs == 3


def test_a_grammar_that_is_not_known_leaves_the_numbers_to_be_compared(tmp_path):
    write_project(
        tmp_path / "a",
        rows(),
        claims=[{"id": "c", "claim": "...", "artefact": "table1", "proves": []}],
    )
    write_project(tmp_path / "b", rows(means={"LR": 0.81}))
    found = compare(
        read_side(str(tmp_path / "a"), tmp_path), read_side(str(tmp_path / "b"), tmp_path)
    )
    (change,) = found.artefacts
    assert [cell.name for cell in change.cells] == ["adult, LR, epsilon 1, accuracy"]
    (remark,) = change.remarks
    assert remark.startswith(f"{found.before}: without claims and deviations: claims.yaml, c")
    (claim,) = change.claims  # the claim of the side that can be read
    assert (claim.before, claim.after.verdict) == (None, "holds")
    assert claim.causes == ("claims.yaml cannot be read there",)


def test_a_spec_that_cannot_be_read_is_remarked_on_its_own_side(tmp_path):
    write_project(tmp_path / "a", rows(), spec=SPEC | {"title": ["no text"]})
    write_project(tmp_path / "b", rows(means={"LR": 0.81}))
    found = compare(
        read_side(str(tmp_path / "a"), tmp_path), read_side(str(tmp_path / "b"), tmp_path)
    )
    (change,) = found.artefacts
    (remark,) = change.remarks
    assert remark.startswith(f"{found.before}: not compared, because its spec cannot be read")


def test_rows_without_a_spec_are_said_not_to_be_compared(tmp_path):
    write_project(tmp_path / "a", rows())
    write_project(tmp_path / "b", rows(means={"LR": 0.81}))
    (tmp_path / "b" / "experiments" / "toy2020" / "table1.yaml").unlink()
    found = compare(
        read_side(str(tmp_path / "a"), tmp_path), read_side(str(tmp_path / "b"), tmp_path)
    )
    (remark,) = found.artefacts[0].remarks
    assert remark.startswith(f"{found.after}: not compared, because its spec cannot be read: ")
    assert found.artefacts[0].every == ()


def test_a_picture_with_other_bytes_is_shown_on_both_sides(tmp_path):
    for side, content in (("a", b"one"), ("b", b"other")):
        (tmp_path / side / "results" / NAME).mkdir(parents=True)
        (tmp_path / side / "results" / NAME / "difference.png").write_bytes(content)
    found = difference(tmp_path, rows())
    assert found.artefacts[0].pictures == ("difference.png",)
    page = rendering.page(found)
    assert page.count("data:image/png;base64,") == 2
    assert 'src="http' not in page
    assert 'href="http' not in page


def test_every_form_says_what_changed_and_why(tmp_path):
    found = difference(tmp_path, rows(means={"LR": 0.9}, data="ab"))
    for form in (rendering.text, rendering.page, rendering.as_json):
        written = form(found)
        assert "adult, LR, epsilon 1, accuracy" in written
        assert f"data: adult {rows()[0]['data']} -> ab" in written.replace("&gt;", ">").replace(
            "\\u003e", ">"
        )
        assert "reproduced" in written
        assert "differs" in written


def test_a_missing_deviation_is_null_in_json(tmp_path):
    found = difference(tmp_path, rows(seeds=1), spec=SPEC | {"seeds": 1})
    assert math.isnan(found.artefacts[0].cells[0].after.std)
    assert '"std": null' in rendering.as_json(found)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """The specs of results without experiments are those of an empty project."""
    (tmp_path / "checkout" / "experiments").mkdir(parents=True)
    monkeypatch.setattr(paths, "CHECKOUT", tmp_path / "checkout")
    monkeypatch.chdir(tmp_path)


def test_a_reanalysis_is_compared_by_its_printed_values(tmp_path):
    """The printed values of a work are its results: it has no journal."""
    spec = {
        "title": "Printed counts",
        "source": "ours",
        "table": {"rows": ["method"], "values": ["mean_difference"]},
    }
    pairs = {"name": "printed_methods", "first": "one", "second": "other"}
    spec["reanalysis"] = {"comparisons": [pairs], "rules": [{"name": "sign_test"}]}
    for side, count in (("a", 12), ("b", 14)):
        paper = tmp_path / side / "experiments" / "toy2020"
        paper.mkdir(parents=True)
        (tmp_path / side / "results" / "toy2020" / "counts").mkdir(parents=True)
        (paper / "counts.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))
        values = [f"table-not-run,x,one,failed,{count},", "table-not-run,x,other,failed,15,"]
        (paper / "published.csv").write_text("\n".join([HEADER_OF_PRINTED, *values, ""]))
    sides = [read_side(str(tmp_path / side), tmp_path) for side in "ab"]
    (change,) = compare(*sides).artefacts
    assert change.remarks == ()
    (number,) = change.numbers
    assert (number.before.mean, number.after.mean) == (3, 1)
    assert number.causes == (PRINTED,)
    assert compare(sides[0], sides[0]).same == 1
    # claims in the syntax of another version leave the printed values to be compared
    claims = [{"id": "c", "claim": "...", "artefact": "counts", "proves": []}]
    old = tmp_path / "a" / "experiments" / "toy2020" / "claims.yaml"
    old.write_text(yaml.safe_dump(claims))
    (change,) = compare(*sides).artefacts
    assert [one.name for one in change.numbers] == [number.name]
