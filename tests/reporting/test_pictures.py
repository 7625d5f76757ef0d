"""Pictures: a new kind is one new file, and a picture is drawn again only when what it is made from
has changed.
"""

import shutil
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

import dpfair_cli
from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from tests.toy_specs import data_set, method, task

BARS = '''"""A bar for each method: the mean of one score."""

from dataclasses import dataclass

from dpfair_cli.reporting.figures.pictures import PictureLayout
from dpfair_cli.reporting.figures.style import COLOURS, axis_name
from dpfair_cli.verdicts.means import summarise_scores
from dpfair_cli.verdicts.wording import describe_seeds


@dataclass(frozen=True)
class BarsLayout(PictureLayout):
    """The mean of `score`."""

    score: str

    @property
    def scores(self):
        return (self.score,)

    def check(self, known):
        known.require("scores", self.scores)

    def points(self, rows, table, spec):
        return summarise_scores(rows, spec)

    def explain(self, points, rows):
        return f"Mean over {describe_seeds(rows)}"

    def draw(self, figure, points, rows, spec):
        axes = figure.subplots()
        axes.bar(points["method"], points["mean"], color=COLOURS[0])
        axes.set_ylabel(axis_name(self.score, spec))


LAYOUT = BarsLayout
'''
PROGRAM = """
import sys
from pathlib import Path
import pandas as pd
from dpfair_cli.contracts.specs import Table
from dpfair_cli.running import spec

content = {"title": "t", "source": "s", "task": "classification", "datasets": ["adult"], "seeds": 2}
content |= {"algorithms": ["logistic_regression"], "bars": {"score": "accuracy"}}
parsed = spec.parse(content, "a/figure1")
rows = pd.DataFrame({"seed": [0, 1], "accuracy": [0.7, 0.8]})
rows = rows.assign(dataset="adult", method="logistic_regression", algorithm="logistic_regression")
parsed.layout.write(rows, Table("t", (), pd.DataFrame(), pd.DataFrame()), parsed, Path(sys.argv[1]))
print("drawn" if "matplotlib" in sys.modules else "kept")
"""


def output(package: Path, folder: Path) -> str:
    """What PROGRAM prints with a package in the place of the installed one, or the error that it
    ends with.
    """
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    run = subprocess.run(command, cwd=package.parent, text=True, capture_output=True, check=False)
    return run.stdout.strip() or run.stderr


def append_comment(file: Path) -> None:
    file.write_text(file.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")


def test_a_new_kind_of_picture_is_one_new_file(
    tmp_path: Path,
) -> None:
    package, folder = tmp_path / "dpfair_cli", tmp_path / "figure1"
    shutil.copytree(
        Path(dpfair_cli.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    (package / "reporting" / "layouts" / "bars.py").write_text(BARS, encoding="utf-8")
    assert output(package, folder) == "drawn"
    assert sorted(file.name for file in folder.iterdir()) == [
        "figure.csv",
        "figure.png",
    ]
    assert ",0.75," in (folder / "figure.csv").read_text(
        encoding="utf-8"
    )  # the mean of 0.7 and 0.8
    for file in ("layouts/bars.py", "figures/style.py", "figures/pictures.py"):
        append_comment(package / "reporting" / file)
    assert output(package, folder) == "kept"  # and matplotlib was not even imported


def test_a_picture_is_drawn_again_only_when_its_inputs_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bars.py").write_text(BARS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    layout = import_module("bars").BarsLayout("accuracy")
    lr = method("logistic_regression", {}, "LR")
    spec = Spec("a/figure1", "t", "s", task(), (data_set("adult"),), (lr,), 1, layout)
    rows = pd.DataFrame(
        [{"dataset": "adult", "method": "LR", "algorithm": lr.name, "seed": 0, "accuracy": 0.7}]
    )

    def is_drawn(runs: pd.DataFrame = rows, title: str = "t", spec: Spec = spec) -> bool:
        file = tmp_path / "figure.png"
        before = file.stat().st_ino if file.exists() else 0  # a written file replaces the other
        spec.layout.write(runs, Table(title, (), pd.DataFrame(), pd.DataFrame()), spec, tmp_path)
        return file.stat().st_ino != before

    assert is_drawn()
    assert not is_drawn()
    assert is_drawn(rows.assign(accuracy=0.8))
    assert is_drawn()
    assert is_drawn(title="another title")
    assert is_drawn(spec=replace(spec, labels={"accuracy": "share of right decisions"}))
    assert is_drawn()
    with monkeypatch.context() as patched:
        patched.setattr(style, "LOOK", style.LOOK + 1)
        assert is_drawn()
    assert is_drawn()
    (tmp_path / "figure.png").write_bytes(b"half a picture")
    assert is_drawn()
    whole = (tmp_path / "figure.png").read_bytes()
    (tmp_path / "figure.png").write_bytes(whole[:-200])
    assert is_drawn()
    assert (tmp_path / "figure.png").read_bytes() == whole


def test_a_picture_with_another_look_has_another_digest():
    picture = Picture(pd.DataFrame({"a": [1]}), Heading("A", "B"), print)
    assert replace(picture, look=2).digest != picture.digest
    assert replace(picture, draw_panels=repr).digest == picture.digest  # code does not count


def test_a_limit_on_files_is_an_error_of_the_system_wherever_it_stops_the_picture(tmp_path):
    script = """
import resource, signal, sys
from functools import partial
from pathlib import Path
import numpy as np
import pandas as pd
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading

points = np.random.default_rng(1).random((2, 6000))

def panel(figure):
    figure.subplots().plot(*points, ",")  # 50 kB as a PNG file, 100 kB as a PDF file

picture, folder = Picture(pd.DataFrame({"a": [1]}), Heading("A", "B", ()), panel), Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
errors = []
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
sizes = (100, *range(50000, 110000, 10000))
for size in sizes:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        picture.write(folder / "picture.png")
        (folder / "picture.png").unlink()
        picture.write_pdf(folder / "picture.pdf")
    except Exception as error:
        errors.append((type(error).__name__, str(error)))
print(len(errors) == len(sizes), *sorted(set(errors)))
"""
    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    told = [
        ("OSError", f"[Errno 27] File too large: '{tmp_path / 'picture'}.{kind}'")
        for kind in ("pdf", "png")
    ]
    assert ended.stdout == f"True {told[0]} {told[1]}\n"
    assert not list(tmp_path.iterdir())
