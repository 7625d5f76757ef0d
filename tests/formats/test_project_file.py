"""dpfair.yaml: options of one's own table, which are typed once."""

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.formats import project_file


def test_options_are_completed_for_the_file_and_given_ones_win(tmp_path):
    (tmp_path / "people.csv").write_text("a\n1\n")
    (tmp_path / "dpfair.yaml").write_text("file: people.csv\nlabel: hired\npositive: yes\n")
    found = project_file.completed({"label": "paid"}, "people.csv", tmp_path)
    assert found == {"label": "paid", "positive": "yes"}
    assert project_file.completed({"label": "paid"}, "other.csv", tmp_path) == {"label": "paid"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lable: hired", "unknown key 'lable': did you mean 'label'?"),
        ("label: hired", "give a value for file"),
        ("file: [a, b]", "file must be a text or a number"),
        ("people.csv", "must have lines `key: value`"),
        ("file: a.csv\npositive: >15", "dpfair.yaml: put >15 in quotes: '>15'"),
        ("file: a.csv\npositive: >= -1.5", "put >= -1.5 in quotes: '>= -1.5'"),
        ("file: [a", "cannot be read: while parsing a flow sequence"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, text, message):
    (tmp_path / "dpfair.yaml").write_text(text)
    with pytest.raises(DpfairError) as refused:
        project_file.read(tmp_path)
    assert message in str(refused.value)
