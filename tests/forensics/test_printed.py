import pytest

from dpfair_cli.addons.forensics.printed import SpecFacts, half_unit, read_printed, rounded
from dpfair_cli.contracts.errors import DpfairError

HEADER = "artefact,dataset,method,epsilon,metric,mean,std,printed,place\n"


@pytest.mark.parametrize(
    ("text", "half"), [("0.80", 0.005), ("3", 0.5), ("-0.125", 0.0005), ("1.5e-3", 5e-5)]
)
def test_half_a_unit_of_the_last_digit(text, half):
    assert half_unit(text) == pytest.approx(half)


def test_a_number_lies_within_its_rounding():
    assert rounded("0.80").low == pytest.approx(0.795)
    assert rounded("0.80").high == pytest.approx(0.805)


def read(tmp_path, line, runs=0):
    (tmp_path / "published.csv").write_text(HEADER + line, encoding="utf-8")
    return read_printed(tmp_path, lambda one: SpecFacts(runs))


@pytest.mark.parametrize(
    ("mean", "printed", "half"),
    [
        ("0.845", "84.5%", 0.0005),
        ("0.8451", "84.5%", 0.0005),
        ("0.800", "0.800±0.010", 0.0005),
        ("0.8", "", 0.05),
        ("0.155", "0.845", 0.0005),
    ],
)
def test_the_fewest_digits_count(tmp_path, mean, printed, half):
    paper = read(tmp_path, f"table1,adult,LR,1,accuracy,{mean},,{printed},Table 1\n")
    assert paper.cells[0].mean.half == pytest.approx(half)


def test_runs_of_the_spec_count_without_a_declaration(tmp_path):
    line = "table1,adult,LR,1,accuracy,0.8,,,Table 1\n"
    assert read(tmp_path, line, runs=7).cells[0].runs == 7
    (tmp_path / "forensics.yaml").write_text("runs: [{value: 5, place: here}]\n", encoding="utf-8")
    assert read(tmp_path, line, runs=7).cells[0].runs == 5


def test_a_mistake_in_the_declaration_names_the_file(tmp_path):
    (tmp_path / "forensics.yaml").write_text("runs: [{value: 5}]\n", encoding="utf-8")
    with pytest.raises(DpfairError, match=r"forensics.yaml, runs, entry 1: missing values"):
        read(tmp_path, "table1,adult,LR,1,accuracy,0.8,,,Table 1\n")
