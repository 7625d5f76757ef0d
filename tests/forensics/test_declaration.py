import pytest

from dpfair_cli.addons.forensics.declaration import found, parse_declaration, read_declaration
from dpfair_cli.contracts.errors import DpfairError
from tests.forensics.material import cell

CELLS = [cell("0.8", method="LR")[0], cell("0.7", method="PFLR", epsilon=10.0)[0]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"rnus": []}, "forensics.yaml: unknown key 'rnus': did you mean 'runs'?"),
        ({"runs": 10}, "forensics.yaml, runs: must be a list of entries, got 10"),
        (
            {"runs": [{"value": 10}]},
            "forensics.yaml, runs, entry 1: missing values: give a value for place",
        ),
        (
            {"runs": [{"value": 10, "place": ""}]},
            "forensics.yaml, runs, entry 1: the key `place` must not be empty",
        ),
        (
            {"runs": [{"value": 0, "place": "here"}]},
            "forensics.yaml, runs, entry 1: value must be at least 1, got 0",
        ),
        (
            {"runs": [{"value": 10, "method": "PFLRR", "place": "here"}]},
            "forensics.yaml, runs, entry 1: no cell has the method 'PFLRR': did you mean 'PFLR'?",
        ),
        (
            {"runs": [{"value": 10, "method": "LR", "epsilon": 10, "place": "here"}]},
            "forensics.yaml, runs, entry 1: no cell of published.csv has all its values: "
            "correct one of them",
        ),
        (
            {"runs": [{"value": 5, "place": "the errors are multiples of 1/(5 n)"}]},
            "forensics.yaml, runs, entry 1: the place is a deduction from printed digits: name the "
            "scores in `deduced_from`, so that no check of these scores rests on their own digits",
        ),
        (
            {"majority": [{"value": 1.2, "place": "here"}]},
            "forensics.yaml, majority, entry 1: value must be at most 1, got 1.2",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(content, message):
    with pytest.raises(DpfairError) as refused:
        parse_declaration(content, CELLS)
    assert str(refused.value) == message


def test_the_later_entry_holds():
    entries = [
        {"value": 10, "place": "text"},
        {"value": 20, "method": ["PFLR", "PFLR*"], "place": "appendix"},
    ]
    with pytest.raises(DpfairError, match="no cell has the method 'PFLR\\*'"):
        parse_declaration({"runs": entries}, CELLS)
    declared = parse_declaration({"runs": entries})
    assert [found(declared.runs, one).value for one in CELLS] == [10, 20]


def test_a_paper_without_the_file_declares_nothing(tmp_path):
    declared = read_declaration(tmp_path / "forensics.yaml", CELLS)
    assert found(declared.runs, CELLS[0]) is None
