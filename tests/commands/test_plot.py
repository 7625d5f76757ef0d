"""dpfair plot: the picture that it wrote, and one line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.invoking import mistake, works
from tests.commands.material import COMMON


@pytest.mark.usefixtures("project")
def test_plot_prints_the_picture_it_wrote():
    result = works("plot", "toy2020", *COMMON)
    assert result.stdout == "out/toy2020/figure2/figure.png\n"
    assert Path(result.stdout.strip()).read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("project")
def test_plot_with_pdf_also_writes_the_same_picture_as_a_pdf():
    result = works("plot", "toy2020", "--pdf", *COMMON)
    assert result.stdout == "out/toy2020/figure2/figure.png\nout/toy2020/figure2/figure.pdf\n"
    content = Path("out/toy2020/figure2/figure.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert b"/CreationDate" not in content
    Path("out/toy2020/figure2/figure.pdf").unlink()
    assert works("plot", "toy2020", "--pdf", *COMMON).stdout == result.stdout
    assert Path("out/toy2020/figure2/figure.pdf").read_bytes() == content


@pytest.mark.usefixtures("project")
def test_plot_of_a_table_is_the_picture_of_its_differences():
    assert works("plot", "toy2020/table1", *COMMON).stdout == "out/toy2020/table1/difference.png\n"
    Path("experiments/toy2020/published.csv").unlink()
    Path("out/toy2020/table1/difference.png").unlink()
    assert "has no published value to draw" in mistake("plot", "-q", "toy2020/table1", *COMMON)


@pytest.mark.usefixtures("own")
def test_a_misspelt_name_proposes_the_nearest():
    assert "unknown artefact 'xu2012': did you mean 'xu2021'?" in mistake("plot", "xu2012")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plot",), "or all of them by '*'"),
        (("plot", "xu2021/table*"), "include no figure"),
    ],
)
@pytest.mark.usefixtures("own")
def test_wrong_usage_is_one_line_with_exit_code_2(arguments, message):
    assert message in mistake(*arguments, code=2)
