"""dpfair sample: generated people in the columns of the user's own table, and one line for every
mistake.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from tests.commands.invoking import dpfair, works  # noqa: E402
from tests.commands.material import PUBLIC, people  # noqa: E402

GENERATORS = ("fair_gan", "fair_gan_plus")
SETTINGS = ("--set", "epochs=2", "--set", "batch_size=20")
every = pytest.mark.parametrize("method", GENERATORS)


def train(method="fair_gan_plus", save="model.json", **options):
    more = [word for key, value in ({"seed": 0} | options).items() for word in (f"--{key}", value)]
    return works("train", "own.csv", *PUBLIC, "--method", method, *SETTINGS, *more, "--save", save)


def sample(out="fair.csv", rows=100, **options):
    more = [word for key, value in options.items() for word in (f"--{key}", value)]
    return works("sample", "model.json", "--rows", rows, "--out", out, *more)


def read(path="fair.csv"):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@every
@pytest.mark.usefixtures("own")
def test_a_sample_has_the_columns_and_values_of_the_training_table(method):
    """Attributes, protected column, label; ages are whole, in the public range of 18 to 90."""
    train(method)
    sample(rows=300)
    found = read()
    assert list(found) == ["age", "work", "sex", "rich"]
    assert len(found) == 300
    assert set(found["work"]) <= {"a", "b", "c"}
    assert set(found["sex"]) <= {"f", "m"}
    assert set(found["rich"]) <= {"no", "yes"}
    assert all(age.isdigit() and 18 <= int(age) <= 90 for age in found["age"])


@pytest.mark.usefixtures("own")
def test_labels_and_groups_are_drawn_from_their_shares_in_the_table():
    """Of 2000 people of FairGAN+: up to 5 deviations, and that the table that is learned from may
    be a part of it.
    """
    train("fair_gan_plus")
    sample(rows=2000)
    found, table = read(), pd.DataFrame(people(), columns=["age", "work", "sex", "rich"])
    for name, value in (("rich", "yes"), ("sex", "m")):
        share = (table[name] == value).mean()
        assert (found[name] == value).mean() == pytest.approx(share, abs=0.06 + 5 * 0.5 / 2000**0.5)


@pytest.mark.parametrize("rows", [1, 7, 1000])
@pytest.mark.usefixtures("own")
def test_there_are_as_many_rows_as_asked_for(rows):
    train()
    sample(rows=rows)
    assert len(read()) == rows


@every
@pytest.mark.usefixtures("own")
def test_a_seed_gives_the_same_bytes_and_another_one_others(method):
    train(method)
    for out, seed in (("one.csv", 3), ("two.csv", 3), ("other.csv", 4)):
        sample(out, seed=seed)
    one, two, other = (Path(name).read_bytes() for name in ("one.csv", "two.csv", "other.csv"))
    assert one == two != other


@pytest.mark.usefixtures("own")
def test_a_model_trained_twice_is_the_same_file_and_gives_the_same_sample():
    for name in ("one", "two"):
        train(save=f"{name}.json")
        works("sample", f"{name}.json", "--rows", 50, "--out", f"{name}.csv", "--seed", 1)
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    train(save="other.json", seed=1)
    works("sample", "other.json", "--rows", 50, "--out", "other.csv", "--seed", 1)
    assert Path("other.csv").read_bytes() != Path("one.csv").read_bytes()


@pytest.mark.usefixtures("own")
def test_neither_training_nor_sampling_lets_anybody_take_it_for_private():
    trained, sampled = train(), sample()
    assert "not private" in (sampled.stdout + sampled.stderr).lower()
    assert "not private" in (trained.stdout + trained.stderr).lower()


@pytest.mark.usefixtures("own")
def test_training_says_how_near_generated_people_are_to_those_learned_from():
    """The distance to the nearest record is said in a line with a number."""
    result = train()
    lines = [
        line for line in (result.stdout + result.stderr).splitlines() if "nearest" in line.lower()
    ]
    assert any(any(word[0].isdigit() for word in line.split()) for line in lines), result.output


@pytest.mark.usefixtures("own")
def test_sampling_writes_nothing_but_the_file_and_leaves_the_model_alone():
    train()
    model, before = Path("model.json").read_bytes(), {path.name for path in Path.cwd().iterdir()}
    sample()
    assert Path("model.json").read_bytes() == model
    assert {path.name for path in Path.cwd().iterdir()} - before == {"fair.csv"}


@pytest.mark.usefixtures("own")
def test_a_model_works_without_the_table_it_was_learned_from():
    train()
    Path("own.csv").unlink()
    Path("domain.yaml").unlink()
    sample()
    assert len(read()) == 100


def refused(*arguments):
    """The last line of a refusal: no traceback, exit code 1 or 2, nothing on stdout, no file."""
    result = dpfair(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert not Path("fair.csv").exists()
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    return last


@pytest.mark.parametrize("rows", ["0", "-3", "1.5", "many"])
@pytest.mark.usefixtures("own")
def test_no_rows_or_no_number_of_them_is_refused(rows):
    train()
    assert "rows" in refused("sample", "model.json", "--rows", rows, "--out", "fair.csv")


@pytest.mark.usefixtures("own")
def test_a_folder_that_is_not_there_is_refused_by_its_name():
    train()
    assert "nowhere" in refused("sample", "model.json", "--rows", "5", "--out", "nowhere/fair.csv")


@pytest.mark.parametrize("seed", ["-1", "one"])
@pytest.mark.usefixtures("own")
def test_a_seed_that_is_none_is_refused(seed):
    train()
    assert "seed" in refused(
        "sample", "model.json", "--rows", "5", "--out", "fair.csv", "--seed", seed
    )


@pytest.mark.parametrize("setting", ["epochs=0", "batch_size=1000", "data_fairness=-1"])
@pytest.mark.usefixtures("own")
def test_a_setting_that_cannot_be_trained_with_is_one_line_that_names_it(setting):
    name = setting.partition("=")[0]
    last = refused(
        "train",
        "own.csv",
        *PUBLIC,
        "--method",
        "fair_gan_plus",
        "--set",
        setting,
        "--save",
        "fair.csv",
    )
    assert name in last
