"""Tables: means, sample deviations, baselines at every point, and published values."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting import markup, tables, text_writer
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.reporting.markup import LATEX
from dpfair_cli.reporting.tables import RunStatus
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.cells.judging import judge_cells
from dpfair_cli.verdicts.deviations.deviation import Deviation, DeviationKind
from dpfair_cli.verdicts.means import summarise_scores
from tests.toy_specs import data_set, method, task
from tests.verdicts.toy_paper import published_cell

ROOT = Path(__file__).parents[2]
DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
BODY
\end{document}
"""
SPEC = Spec(
    artefact="xu2021/table8.2",
    title="Accuracy with different ε",
    source="Xu 2021, Table 8.2",
    task=task(),
    datasets=(data_set("adult"),),
    methods=(
        method("lr", {}, "LR", "LR"),
        *(method("pflr", {"epsilon": e}, "PFLR*", "PFLR*") for e in (0.1, 10.0)),
    ),
    seeds=3,
    layout=TableLayout(("dataset", "epsilon", "method"), ("accuracy",), ("majority_accuracy",)),
    labels={"adult": "Adult"},
)


def run(
    method: str, algorithm: str, seed: int, accuracy: float, epsilon: float | None = None
) -> dict[str, object]:
    return {
        "dataset": "adult",
        "method": method,
        "algorithm": algorithm,
        "seed": seed,
        "epsilon": epsilon,
        "accuracy": accuracy,
        "majority_accuracy": 0.75,
    }


ROWS = pd.DataFrame(
    [
        *(run("LR", "lr", seed, 0.8) for seed in range(3)),
        *(run("PFLR*", "pflr", seed, value, 0.1) for seed, value in enumerate((0.5, 0.6, 0.7))),
        *(run("PFLR*", "pflr", seed, value, 10.0) for seed, value in enumerate((0.7, 0.7, 0.7))),
    ]
)
PUBLISHED = {
    "artefact": "table8.2",
    "dataset": "adult",
    "method": "PFLR*",
    "epsilon": 0.1,
    "metric": "accuracy",
    "mean": 0.61,
}
CELLS = judge_cells(ROWS, SPEC, [published_cell(PUBLISHED)], standins={})


PROMISED = RunStatus("as-published", "PFLR*", "adult", {"epsilon": 0.1})


def line(epsilon: float, method: str, metric: str = "accuracy") -> pd.Series[Any]:
    frame = summarise_scores(ROWS, SPEC)
    return frame[
        (frame.epsilon == epsilon) & (frame.method == method) & (frame.metric == metric)
    ].iloc[0]


def test_the_mean_and_the_deviation_with_ddof_one_are_those_worked_by_hand() -> None:
    # 0.5, 0.6, 0.7: mean 0.6, squares 0.01 + 0 + 0.01 over 2 = 0.01, root 0.1
    assert line(0.1, "PFLR*")["mean"] == pytest.approx(0.6)
    assert line(0.1, "PFLR*")["std"] == pytest.approx(0.1)
    assert line(0.1, "PFLR*")["runs"] == 3


def test_a_baseline_without_epsilon_stands_at_every_epsilon() -> None:
    assert line(0.1, "LR")["mean"] == line(10.0, "LR")["mean"] == pytest.approx(0.8)


def test_a_table_in_which_no_method_has_the_axis_keeps_all_its_rows() -> None:
    alone = replace(SPEC, methods=SPEC.methods[:1])
    only = ROWS[ROWS.method == "LR"].drop(columns="epsilon")
    assert list(summarise_scores(only, alone)["runs"]) == [3, 3]
    assert len(tables.make(only, alone, CELLS[:0]).formatted) == 1


def test_a_setting_that_did_not_run_leaves_a_gap_in_sight() -> None:
    shown = tables.make(ROWS[ROWS.epsilon != 10.0], SPEC, CELLS).formatted
    assert list(shown["accuracy"])[-1] == "no run"
    assert len(shown) == 4


def test_two_settings_under_one_name_are_refused_rather_than_averaged() -> None:
    with pytest.raises(DpfairError, match="its own `method`"):
        summarise_scores(pd.concat([ROWS, ROWS]), SPEC)


def test_a_failed_score_counts_as_no_run() -> None:
    rows = ROWS.assign(accuracy=ROWS.accuracy.where(ROWS.accuracy != 0.5))
    frame = summarise_scores(rows, SPEC)
    found = frame[
        (frame.method == "PFLR*") & (frame.epsilon == 0.1) & (frame.metric == "accuracy")
    ].iloc[0]
    assert (found["runs"], found["mean"]) == (2, pytest.approx(0.65))


def test_lines_come_in_the_order_of_the_spec() -> None:
    shown = tables.make(ROWS, SPEC, CELLS).formatted
    assert list(zip(shown["epsilon"], shown["method"], strict=True)) == [
        ("0.1", "LR"),
        ("0.1", "PFLR*"),
        ("10", "LR"),
        ("10", "PFLR*"),
    ]


def test_ours_the_published_value_and_the_verdict_stand_side_by_side() -> None:
    shown = tables.make(ROWS, SPEC, CELLS, statuses=[PROMISED]).formatted
    assert shown.iloc[1].to_dict() == {
        "dataset": "Adult",
        "epsilon": "0.1",
        "method": "PFLR*",
        "accuracy": "0.6000 ± 0.1000",
        "accuracy published": "0.6100",
        "accuracy verdict": "undecided (not decidable)",
        "majority accuracy": "0.7500 ± 0.0000",
        "privacy": "as-published",
    }
    assert shown.iloc[0]["accuracy verdict"] == ""


def test_each_line_has_the_privacy_status_of_its_own_setting() -> None:
    statuses = [
        PROMISED,
        RunStatus("not private", "PFLR*", "adult", {"epsilon": 10.0}),
        RunStatus("refuted", "PFLR*", "dutch", {"epsilon": 10.0}),
    ]
    shown = tables.make(ROWS, SPEC, CELLS, statuses=statuses).formatted
    lines = zip(shown["epsilon"], shown["method"], shown["privacy"], strict=True)
    assert list(lines) == [
        ("0.1", "LR", ""),
        ("0.1", "PFLR*", "as-published"),
        ("10", "LR", ""),
        ("10", "PFLR*", "not private"),
    ]


def test_the_kind_of_a_deviation_stands_behind_the_verdict() -> None:
    deviation = Deviation(DeviationKind.OPEN, "not known", artefact=("table8.2",))
    cells = [replace(CELLS[0], verdict=CellVerdict.DIFFERS, deviation=deviation)]
    assert tables.make(ROWS, SPEC, cells).formatted.iloc[1]["accuracy verdict"] == "differs (open)"


def write(folder: Path) -> list[Path]:
    return SPEC.layout.write(ROWS, tables.make(ROWS, SPEC, CELLS), SPEC, folder)


def test_the_csv_file_holds_raw_numbers(tmp_path: Path) -> None:
    write(tmp_path)
    raw = pd.read_csv(tmp_path / "table.csv")
    assert raw.loc[1, "accuracy_published_mean"] == 0.61
    assert raw.loc[1, "accuracy_std"] == pytest.approx(0.1)


def test_markdown_escapes_the_star_and_latex_the_rest(tmp_path: Path) -> None:
    write(tmp_path)
    markdown = (tmp_path / "table.md").read_text(encoding="utf-8")
    latex = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert (
        r"| Adult | 0.1 | PFLR\* | 0.6000 ± 0.1000 | 0.6100 | undecided (not decidable) |"
        in markdown
    )
    assert r"PFLR* & 0.6000 $\pm$ 0.1000 & 0.6100 & undecided" in latex
    assert r"\toprule" in latex
    assert r"$\varepsilon$" in latex
    assert "ε" not in latex


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("1/√t", r"1/$\surd$t"),
        ("λ = 0.5, χ", r"$\lambda$ = 0.5, $\chi$"),
        ("α ≤ β", r"$\alpha$ $\leq$ $\beta$"),
        ("P(A|B) < 5 %", r"P(A$|$B) $<$ 5 \%"),
        ("x_s & {y}", r"x\_s \& \{y\}"),
    ],
)
def test_latex_writes_signs_and_greek_letters_as_commands(text: str, latex: str) -> None:
    table = Table(text, (), pd.DataFrame(), pd.DataFrame({"a": [text]}))
    lines = markup.render("table.tex.j2", table=table).splitlines()
    assert rf"\caption{{{latex}. }}" in lines
    assert rf"{latex} \\" in lines


@pytest.mark.parametrize("name", ["[26]", "*"])
def test_a_name_that_latex_would_take_as_an_argument_is_protected(name: str) -> None:
    table = Table("", (), pd.DataFrame(), pd.DataFrame({name: [name], "b": [name]}))
    text = markup.render("table.tex.j2", table=table)
    assert text.count(f"\n{{}}{name} & ") == 2  # the heading and the line


def test_latex_knows_each_character_of_the_committed_tables() -> None:
    pages = sorted((ROOT / "results").glob("*/*/table.md"))
    found = set("".join(page.read_text(encoding="utf-8") for page in pages))
    assert pages
    assert {sign for sign in found if not sign.isascii()} <= {*map(chr, LATEX)}


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_pdflatex_compiles_every_committed_table(tmp_path: Path) -> None:
    files = sorted((ROOT / "results").glob("*/*/table.tex"))
    # each table is shipped out before the next one, as LaTeX keeps few without a place
    body = "\n".join(rf"\input{{{file}}}\clearpage" for file in files)
    (tmp_path / "all.tex").write_text(DOCUMENT.replace("BODY", body), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stdout.decode(errors="replace")[-1000:]


def test_a_stand_in_is_named_in_the_title_and_below_it() -> None:
    table = tables.make(ROWS, SPEC, CELLS, notes=("REPLICA: adult",))
    assert table.title.endswith("[REPLICA]")
    assert "REPLICA: adult" in text_writer.table(table)


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    files = [write(tmp_path / name) for name in "ab"]
    assert [file.read_bytes() for file in files[0]] == [file.read_bytes() for file in files[1]]


@pytest.mark.parametrize(
    ("means", "published", "expected"),
    [
        ([418.0, 5000.0], [427.0, float("nan")], ["418", "5,000"]),  # a count
        ([418.0, 31.5], [427.0, float("nan")], ["418.0000", "31.5000"]),  # a mean of counts
        ([418.0, 31.0], [427.5, float("nan")], ["418.0000", "31.0000"]),
        ([0.0, 1.0], [1.0, float("nan")], ["0.0000", "1.0000"]),  # a share
    ],
)
def test_a_column_of_counts_has_no_decimals(means, published, expected):
    wide = pd.DataFrame(
        {"n_mean": means, "n_std": float("nan"), "n_runs": 1, "n_published_mean": published}
    )
    wide["n_published_std"], wide["n_verdict"], wide["n_kind"] = (
        float("nan"),
        ["reproduced", None],
        ["", None],
    )
    shown = tables._score_columns(wide, "n", "size", [True] * len(wide), "")
    assert shown["size"] == expected
