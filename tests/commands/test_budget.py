"""Some thirty ways to spend more than the budget of a table; and those that no file prevents."""

from __future__ import annotations

import copy
import json
import os
import pickle
import resource
import shutil
import signal
import stat
import time
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

from dpfair_cli.commands import main
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.estimator import DpfairClassifier
from dpfair_cli.release import choosing, model_files, training
from dpfair_cli.release.spending import LOCK
from tests.commands.invoking import dpfair, mistake, process, works
from tests.commands.material import COLUMNS, DOMAIN, PUBLIC, VARIABLES, people, write
from tests.forking import begun, exit_code

pytestmark = pytest.mark.usefixtures("own")
LEDGER = Path("domain.yaml.ledger")
MARKED = f"ledger: yes\n---\n{DOMAIN}"
PFLR = ("train", "own.csv", *PUBLIC, "--method", "pflr")


def init(*options, domain="domain.yaml"):
    return works("budget", "init", *options, domain)


def left(domain="domain.yaml"):
    """The epsilon and the delta that `show` prints as left."""
    shown = json.loads(works("budget", "show", "--json", domain).stdout)["left"]
    return Decimal(shown["epsilon"]), Decimal(shown["delta"])


def refused(*arguments, code=2):
    """The message of a command that is refused: it spends nothing and makes no file."""
    before, files = LEDGER.read_bytes(), set(Path().rglob("*"))
    message = mistake(*arguments, code=code)
    assert LEDGER.read_bytes() == before
    # the lock of a process that was killed goes with the next command
    assert set(Path().rglob("*")) == files - {Path(LOCK)}
    return message


def killed(place, function, arguments):
    """Runs a command in a fork of this process that is killed at the call of `place.function`."""

    def command():
        setattr(place, function, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        main(list(arguments))

    assert exit_code(begun(command)) == -signal.SIGKILL


def test_a_ledger_counts_over_commands_and_says_what_is_left():
    init("--eps", "3")
    said = works(*PFLR, "--eps", "1", "--save", "a.json").stderr
    assert "domain.yaml.ledger: epsilon 1 is spent on a.json by pflr" in said
    assert "domain.yaml.ledger: epsilon 2 is left" in said
    works(*PFLR, "--eps", "1.5", "--save", "b.json")
    assert left() == (Decimal("0.5"), 0)
    message = refused(*PFLR, "--eps", "1", "--save", "c.json")
    assert "the budget does not suffice: epsilon 0.5 is left" in message
    assert "c.json by pflr would spend epsilon 1" in message
    shown = works("budget", "show", "domain.yaml").stdout
    assert "a.json by pflr (proved)" in shown
    assert "b.json by pflr (proved)" in shown


def test_a_ledger_is_readable_by_its_owner_alone_and_stays_so():
    init("--eps", "3")
    works(*PFLR, "--save", "a.json")
    assert stat.S_IMODE(LEDGER.stat().st_mode) == 0o600


def test_without_save_and_without_a_ledger_nothing_is_spent():
    works(*PFLR, "--save", "before.json")
    assert not LEDGER.exists()
    init("--eps", "3")
    works(*PFLR)
    assert left() == (3, 0)


def test_samples_and_predictions_of_a_model_are_free():
    init("--eps", "3")
    works(*PFLR[:-1], "tree_augmented_records", "--eps", "1", "--save", "tree.json")
    before = LEDGER.read_bytes()
    works("sample", "tree.json", "--rows", "10", "--out", "made.csv")
    works("predict", "tree.json", "own.csv")
    assert LEDGER.read_bytes() == before


# ways to overspend


def test_1_processes_at_once_spend_one_after_the_other():
    init("--eps", "2")
    commands = [[*PFLR, "--eps", "1", "--save", f"{number}.json"] for number in range(4)]
    runs = [begun(lambda command=command: main(command)) for command in commands]
    assert sorted(map(exit_code, runs)) == [0, 0, 2, 2]
    assert len(list(Path().glob("?.json"))) == 2
    assert left() == (0, 0)


def test_2_a_fit_that_is_killed_after_the_reservation_has_spent():
    init("--eps", "1")
    killed(training, "mechanisms_used", [*PFLR, "--eps", "1", "--save", "a"])
    assert not Path("a").exists()
    assert "epsilon 0 is left" in refused(*PFLR, "--eps", "1", "--save", "a")


def test_3_a_fit_that_is_killed_before_its_file_is_written_has_spent():
    init("--eps", "1")
    killed(model_files, "write", [*PFLR, "--eps", "1", "--save", "a"])
    assert not Path("a").exists()
    assert "epsilon 0 is left" in refused(*PFLR, "--eps", "1", "--save", "a")


def test_4_a_process_that_is_killed_while_it_spends_releases_nothing():
    init("--eps", "1")
    before = LEDGER.read_bytes()
    killed(Path, "replace", [*PFLR, "--eps", "1", "--save", "a"])
    assert LEDGER.read_bytes() == before
    assert not Path("a").exists()
    works(*PFLR, "--eps", "1", "--save", "a")
    assert not list(Path().glob(".domain.yaml.ledger*"))  # the draft of the killed process


def test_5_the_ledger_of_another_table_is_refused():
    Path("other.yaml").write_text(DOMAIN.replace("90", "99"))
    init("--eps", "1")
    init("--eps", "100", domain="other.yaml")
    shutil.copy("other.yaml.ledger", LEDGER)
    assert "is not the ledger of domain.yaml as it now is" in refused(*PFLR, "--save", "a")


def test_6_a_changed_domain_file_is_refused_and_its_layout_does_not_count():
    init("--eps", "2")
    Path("domain.yaml").write_text("# a remark\n" + MARKED.replace("low: 18", "low:   18"))
    works(*PFLR, "--eps", "1", "--save", "a")
    Path("domain.yaml").write_text(MARKED.replace("18", "17"))
    assert "restore the domain file" in refused(*PFLR, "--eps", "1", "--save", "b")


def test_7_no_clock_is_used(monkeypatch):
    init("--eps", "1")
    works(*PFLR, "--eps", "1", "--save", "a")
    os.utime(LEDGER, (0, 0))
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert "epsilon 0 is left" in refused(*PFLR, "--eps", "1", "--save", "b")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"epsilon": "3"', '"epsilon": "30"'),
        ('"epsilon": "1"', '"epsilon": "0.1"'),
        ('"neighbours": "replace-one"', '"neighbours": "one edge"'),
        ('"delta": "0"', '"delta": "0.5"'),
        ("a.json", "b.json"),
        ('"entries": 2', '"entries": 1'),
        ("proved", "Proved"),
    ],
)
def test_8_an_edited_ledger_is_refused(old, new):
    init("--eps", "3")
    for name in ("a.json", "aa.json"):
        works(*PFLR, "--eps", "1", "--save", name)
    text = LEDGER.read_text()
    assert old in text
    LEDGER.write_text(text.replace(old, new, 1))
    assert "domain.yaml.ledger is damaged" in refused(*PFLR, "--save", "b")
    assert "is damaged" in mistake("budget", "show", "domain.yaml")
    assert "is set only once" in mistake("budget", "init", "--eps", "1", "domain.yaml")


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[:-1],  # the last entry
        lambda lines: [lines[0], lines[2]],  # the first entry
        lambda lines: [*lines, lines[-1]],
        lambda lines: [lines[0], lines[2], lines[1]],
        lambda lines: lines[:1],
        lambda lines: [],
        lambda lines: [*lines, "\n"],
    ],
    ids=["last", "first", "repeated", "swapped", "heading", "empty", "blank"],
)
def test_9_a_ledger_with_missing_or_repeated_lines_is_refused(damage):
    init("--eps", "3")
    for name in ("a.json", "b.json"):
        works(*PFLR, "--eps", "1", "--save", name)
    LEDGER.write_text("".join(damage(LEDGER.read_text().splitlines(keepends=True))))
    assert "domain.yaml.ledger is damaged" in refused(*PFLR, "--save", "c")


@pytest.mark.parametrize("cut", [1, 40, 200, 300])
def test_10_a_ledger_that_is_cut_off_is_refused(cut):
    init("--eps", "3")
    works(*PFLR, "--eps", "1", "--save", "a.json")
    LEDGER.write_bytes(LEDGER.read_bytes()[:-cut])
    assert "domain.yaml.ledger is damaged" in refused(*PFLR, "--save", "c")


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "1e999", "1e-999", "1/3", "-0", "0", ""])
def test_11_a_budget_is_a_positive_finite_number(text):
    assert "--eps must be" in mistake("budget", "init", "--eps", text, "domain.yaml")
    assert not LEDGER.exists()


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "1e999", "1e-999", "1/3", "-0", "1"])
def test_11_a_delta_is_a_number_below_1(text):
    message = mistake("budget", "init", "--eps", "1", "--delta", text, "domain.yaml")
    assert "--delta must be" in message
    assert not LEDGER.exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-1", "epsilon"),
        ("nan", "epsilon"),
        ("0", "epsilon"),
        ("inf", "not private"),
        ("1e999", "not private"),
    ],
)
def test_12_a_fit_with_no_usual_epsilon_is_refused(text, words):
    init("--eps", "3")
    assert words in refused(*PFLR, f"--eps={text}", "--save", "a")


def test_13_force_replaces_no_ledger_and_spends_again():
    init("--eps", "2")
    for name in (LEDGER, f"./{LEDGER}", LEDGER.resolve()):
        words = "has the name of a privacy ledger and is not written"
        assert words in refused(*PFLR, "--eps", "1", "--save", name, "--force")
    assert words in refused("domain", "--confirm", "domain.yaml", "--out", LEDGER)
    works(*PFLR, "--eps", "1", "--save", "a")
    works(*PFLR, "--eps", "1", "--save", "a", "--force")
    assert "epsilon 0 is left" in refused(*PFLR, "--eps", "1", "--save", "a", "--force")
    assert "a budget is set only once" in refused("budget", "init", "--eps", "9", "domain.yaml")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--method", "pflr", "--seed", "1"), "void: known seed 1"),
        (("--method", "logistic_regression"), "not private"),
        (("--method", "output_perturbation_released_code"), "refuted"),
        (("--method", "pflr", "--eps", "inf"), "not private"),
    ],
    ids=["seed", "no method", "refuted", "infinite"],
)
def test_14_a_fit_without_a_guarantee_is_refused(arguments, status):
    init("--eps", "3", "--delta", "0.1")
    message = refused("train", "own.csv", *PUBLIC, *arguments, "--save", "a")
    assert f"has the status {status}, so its privacy loss cannot be counted" in message


def test_15_a_draft_has_no_ledger_and_spends_from_none():
    Path("draft.yaml").write_text("confirmed: no\n---\n" + DOMAIN)
    assert "is a draft" in mistake("budget", "init", "--eps", "3", "draft.yaml")
    init("--eps", "3")
    Path("domain.yaml").write_text(f"confirmed: no\n{MARKED}")
    assert "not private: bounds from data" in refused(*PFLR, "--save", "a")


def test_16_a_ledger_that_is_a_link_is_refused():
    init("--eps", "3")
    LEDGER.rename("elsewhere")
    LEDGER.symlink_to("elsewhere")
    assert "must be a file and not a link" in refused(*PFLR, "--save", "a")


def test_17_a_link_to_a_domain_file_spends_from_the_ledger_of_the_file():
    init("--eps", "1")
    Path("link.yaml").symlink_to("domain.yaml")
    works("train", "own.csv", *COLUMNS, "--domain", "link.yaml", *PFLR[-2:], "--save", "a")
    assert left() == (0, 0)


def test_18_a_renamed_or_copied_domain_file_is_refused():
    init("--eps", "1")
    for name in ("copy.yaml", "sub/domain.yaml"):
        Path(name).parent.mkdir(exist_ok=True)
        shutil.copy("domain.yaml", name)
        message = refused(*PFLR, "--domain", name, "--save", "a")
        assert "is the ledger of a domain file with the content of" in message
        assert "domain.yaml.ledger is the ledger" in message
    assert "is the ledger of" in mistake("budget", "init", "--eps", "9", "copy.yaml")
    Path("domain.yaml").unlink()
    assert "give the domain file domain.yaml" in refused(
        *PFLR, "--domain", "copy.yaml", "--save", "a"
    )


def test_19_a_read_only_ledger_is_refused():
    init("--eps", "1")
    LEDGER.chmod(0o400)
    assert "is read-only" in refused(*PFLR, "--save", "a")


def test_20_a_full_disk_spends_and_releases_nothing():
    init("--eps", "1")
    before = LEDGER.read_bytes()

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    run = process(*PFLR, "--eps", "1", "--save", "a", preexec_fn=fill)
    assert run.returncode == 3
    assert "delete files to make room" in run.stderr.splitlines()[-1]
    assert LEDGER.read_bytes() == before
    assert not Path("a").exists()


def test_21_sums_are_exact():
    init("--eps", "0.3")
    for number in ("0.1", "0.2"):
        works(*PFLR, "--eps", number, "--save", f"{number}.json")
    assert left() == (0, 0)
    refused(*PFLR, "--eps", "1e-9", "--save", "a")


def test_22_the_least_more_than_the_budget_is_refused():
    init("--eps", "0.3")
    refused(*PFLR, "--eps", "0.30000000000000004", "--save", "a")
    works(*PFLR, "--eps", "0.3", "--save", "a")
    assert left() == (0, 0)


def test_23_delta_is_counted():
    noisy = ("train", "own.csv", *PUBLIC, "--method", "output_perturbation", "--eps", "1")
    init("--eps", "9", "--delta", "3e-6")
    works(*noisy, "--delta", "2e-6", "--save", "a")
    assert left() == (8, Decimal("1e-6"))
    message = refused(*noisy, "--delta", "2e-6", "--save", "b")
    assert "epsilon 8, delta 0.000001 is left" in message
    works(*noisy, "--delta", "1e-6", "--save", "b")
    assert left() == (7, 0)


def test_24_a_ledger_without_delta_refuses_a_method_with_delta():
    init("--eps", "9")
    refused("train", "own.csv", *PUBLIC, "--method", "output_perturbation", "--save", "a")


def test_25_other_neighbours_count_only_by_a_theorem():
    attribute = ("train", "own.csv", *PUBLIC, "--method", "dp_postprocessing", "--eps", "1")
    init("--eps", "3")
    message = refused(*attribute, "--save", "a")
    assert "its guarantee is for the neighbours one protected attribute" in message
    Path("domain.yaml").write_text(DOMAIN)
    LEDGER.unlink()
    init("--eps", "3", "--neighbours", "one protected attribute")
    works(*attribute, "--save", "a")
    works(*PFLR, "--eps", "1", "--save", "b")  # hides the whole record, and so the attribute
    assert left() == (1, 0)


def test_25_a_guarantee_for_removed_records_counts_twice():
    small = ("--set", "epochs=1", "--set", "batch_size=8", "--eps", "1", "--delta", "1e-5")
    noisy = ("train", "own.csv", *PUBLIC, "--method", "dpsgd", *small)
    init("--eps", "3", "--delta", "1e-4")
    said = works(*noisy, "--save", "a").stderr
    assert "epsilon 2, delta 0.0000371828182846 is spent on a by dpsgd" in said  # (1 + e) 1e-5
    assert left()[0] == 1
    assert "would spend epsilon 2" in refused(*noisy, "--save", "b")


def test_26_the_estimator_spends_at_every_save():
    init("--eps", "2")
    table = pd.read_csv("own.csv")
    fitted = DpfairClassifier("functional_mechanism", {"epsilon": 1.0}, domain="domain.yaml").fit(
        table[["age", "work"]], table["rich"]
    )
    assert left() == (2, 0)
    fitted.save("a.json")
    fitted.save("b.json")
    assert left() == (0, 0)
    with pytest.raises(DpfairError, match="the budget does not suffice"):
        fitted.save("c.json")
    assert not Path("c.json").exists()


def test_26_a_pickle_of_a_fit_is_refused_beside_a_ledger():
    table = pd.read_csv("own.csv")
    X, y = table[["age", "work"]], table["rich"]
    classifier = DpfairClassifier("functional_mechanism", domain="domain.yaml")
    assert pickle.loads(pickle.dumps(classifier.fit(X, y))).predict(X).shape == y.shape
    init("--eps", "2")
    for copied in (pickle.dumps, copy.deepcopy):
        with pytest.raises(DpfairError, match=r"domain\.yaml has not paid for: use save\(path\)"):
            copied(classifier)
    assert pickle.loads(pickle.dumps(DpfairClassifier(domain="domain.yaml"))).domain
    assert left() == (2, 0)


def test_27_a_task_of_several_fits_is_refused(monkeypatch):
    from dpfair_cli import catalog

    init("--eps", "3")
    study = catalog.study("classification")
    monkeypatch.setitem(study.__dict__, "fits", lambda protocol: 3)
    assert "makes 3 fits" in refused(*PFLR, "--save", "a")


def without_ledger(*arguments):
    """Asserts that a command is refused because the ledger is missing, and makes no file."""
    files = set(Path().rglob("*"))
    words = "domain.yaml has a privacy budget, but its ledger domain.yaml.ledger is missing"
    assert words in mistake(*arguments)
    assert set(Path().rglob("*")) == files


def test_28_without_its_ledger_a_marked_domain_file_is_refused_by_every_command():
    init("--eps", "3")
    LEDGER.unlink()
    without_ledger(*PFLR, "--save", "a")
    without_ledger(*PFLR)
    without_ledger(*CHOOSE, "--eps", "1", "--save", "a")
    without_ledger("sweep", "own.csv", *PUBLIC, "--method", "pflr")
    without_ledger("audit", "pflr", "own.csv", *PUBLIC)
    without_ledger("budget", "show", "domain.yaml")
    without_ledger("budget", "init", "--eps", "3", "domain.yaml")


@pytest.mark.parametrize("name", ["old", "sub/domain.yaml.ledger", ".domain.yaml.ledger"])
def test_29_a_ledger_that_is_moved_away_is_missed(name):
    init("--eps", "3")
    Path("sub").mkdir()
    LEDGER.rename(name)
    without_ledger(*PFLR, "--save", "a")
    Path(name).rename(LEDGER)
    works(*PFLR, "--eps", "3", "--save", "a")


def test_29_a_ledger_of_another_name_is_to_be_moved_back():
    init("--eps", "3")
    LEDGER.rename("old.ledger")
    for command in (("train", *PFLR[1:], "--save", "a"), PFLR, ("budget", "show", "domain.yaml")):
        assert f"or move the ledger to {LEDGER.resolve()}" in mistake(*command)
    assert not Path("a").exists()


def test_30_the_estimator_misses_a_deleted_ledger():
    init("--eps", "2")
    table = pd.read_csv("own.csv")
    classifier = DpfairClassifier("functional_mechanism", {"epsilon": 1.0}, domain="domain.yaml")
    classifier.fit(table[["age", "work"]], table["rich"])
    LEDGER.unlink()
    with pytest.raises(DpfairError, match=r"its ledger domain\.yaml\.ledger is missing"):
        classifier.save("a")
    assert not Path("a").exists()
    with pytest.raises(DpfairError, match=r"its ledger domain\.yaml\.ledger is missing"):
        classifier.fit(table[["age", "work"]], table["rich"])


def test_31_a_copied_domain_file_is_refused_far_from_its_ledger(place):
    init("--eps", "3")
    (place.parent / "far").mkdir()
    for name in ("own.csv", "domain.yaml"):
        shutil.copy(name, place.parent / "far")
    os.chdir(place.parent / "far")
    without_ledger(*PFLR, "--save", "a")


@pytest.mark.parametrize("number", [1, 2])
def test_32_an_init_that_is_killed_is_completed_by_the_same_init(number):
    init_of_3 = ["budget", "init", "--eps", "3", "domain.yaml"]
    move, moved = Path.replace, []

    def killed_at_a_move(path, target):
        moved.append(target)
        if len(moved) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return move(path, target)

    def command():
        Path.replace = killed_at_a_move
        main(init_of_3)

    assert exit_code(begun(command)) == -signal.SIGKILL
    assert Path("domain.yaml").read_text() == DOMAIN
    assert LEDGER.exists() == (number == 2)
    if number == 2:
        assert "has a ledger, but no line `ledger: yes`" in refused(*PFLR, "--save", "a")
        assert "is set only once" in refused("budget", "init", "--eps", "4", "domain.yaml")
    works(*init_of_3)
    assert Path("domain.yaml").read_text() == MARKED
    assert not list(Path().glob(".*"))  # drafts of the killed process
    works(*PFLR, "--eps", "2", "--save", "a")
    assert left() == (1, 0)
    LEDGER.unlink()
    without_ledger(*PFLR, "--save", "b")


def test_33_a_ledger_whose_mark_was_lost_is_refused_until_init_is_repeated():
    init("--eps", "3")
    works(*PFLR, "--eps", "1", "--save", "a")
    Path("domain.yaml").write_text(DOMAIN)
    assert "has a ledger, but no line `ledger: yes`" in refused(*PFLR, "--save", "b")
    for other in (("--eps", "2"), ("--eps", "3", "--delta", "0.1")):
        message = refused("budget", "init", *other, "domain.yaml")
        assert "give the budget that `dpfair budget show` prints" in message
    init("--eps", "3.0")
    assert Path("domain.yaml").read_text() == MARKED
    assert left() == (2, 0)


def test_34_a_file_that_is_confirmed_again_keeps_the_mark():
    init("--eps", "3")
    Path("domain.yaml").write_text(f"confirmed: no\n{MARKED}")
    works("domain", "--confirm", "domain.yaml")
    works(*PFLR, "--eps", "1", "--save", "a")
    LEDGER.unlink()
    without_ledger(*PFLR, "--save", "b")


def test_35_a_domain_file_that_cannot_be_marked_gets_no_ledger():
    Path("domain.yaml").write_text("{confirmed: yes}\n---\n" + DOMAIN)
    message = mistake("budget", "init", "--eps", "3", "domain.yaml")
    assert "domain.yaml cannot be marked by a line `ledger: yes`" in message
    assert not LEDGER.exists()


def test_a_refusal_before_the_data_are_read_spends_nothing():
    init("--eps", "3")
    refused(*PFLR, "--set", "nothing=1", "--save", "a")
    refused(*PFLR, "--save", "no/folder/a")
    refused("train", "own.csv", *PUBLIC, "--method", "no_method", "--save", "a")
    write("own.csv", people(), ("age", "work", "sex", "poor"))
    refused(*PFLR, "--save", "a")


def test_a_fit_that_fails_has_spent(monkeypatch):
    from dpfair_cli.release import training

    def fail(*_, **__):
        raise ValueError("no luck")

    init("--eps", "1")
    monkeypatch.setattr(training.ReleasedFit, "__call__", fail)
    assert "no luck" in mistake_of(dpfair(*PFLR, "--eps", "1", "--save", "a"))
    assert left() == (0, 0)


def mistake_of(result):
    assert result.exit_code == 2
    return result.stderr.splitlines()[-1]


# what no file prevents, and the line that is said all the same


def test_a_copied_folder_is_not_noticed_and_says_what_it_spends(place):
    init("--eps", "1")
    shutil.copytree(place, place.parent / "copied", symlinks=True)
    for folder in (place, place.parent / "copied"):
        os.chdir(folder)
        assert "epsilon 1 is spent on a" in works(*PFLR, "--save", "a").stderr


def test_a_restored_backup_is_not_noticed_and_says_what_it_spends():
    init("--eps", "1")
    backup = LEDGER.read_bytes()
    works(*PFLR, "--save", "a")
    LEDGER.write_bytes(backup)
    assert "epsilon 1 is spent on b" in works(*PFLR, "--save", "b").stderr


def test_a_ledger_and_its_mark_that_are_both_deleted_are_not_noticed():
    init("--eps", "1")
    LEDGER.unlink()
    Path("domain.yaml").write_text(DOMAIN)
    assert "is spent" not in works(*PFLR, "--save", "a").stderr


def test_a_ledger_of_another_domain_file_nearby_is_said():
    init("--eps", "1")
    Path("other.yaml").write_text(f"{DOMAIN.replace('age', 'years')}weight: {{low: 0, high: 9}}\n")
    write("own.csv", people(), columns=("years", "work", "sex", "rich", "weight"))
    for name, quiet in (("a", ()), ("b", ("-q",))):
        said = works(*PFLR, "--domain", "other.yaml", "--save", name, *quiet).stderr
        assert "other.yaml has no ledger, so nothing is counted" in said
        assert "domain.yaml.ledger is the ledger of another domain file" in said
    assert len(said.splitlines()) == 1


def test_a_ledger_is_named_if_the_domain_file_is_forgotten():
    init("--eps", "1")
    said = works("train", "own.csv", *COLUMNS, "--method", "pflr", "--save", "a").stderr
    assert "there is no --domain, so nothing is counted; domain.yaml has a ledger: if" in said
    assert left() == (1, 0)


COPIES = {
    "another range": DOMAIN.replace("18", "17"),
    "fewer columns": DOMAIN.replace("work: {levels: [a, b, c]}\n", ""),
    "more columns": f"{DOMAIN}weight: {{low: 0, high: 9}}\n",
    "a person": f"person: work\n---\n{DOMAIN}",
}


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES)
def test_33_a_domain_file_of_the_same_columns_does_not_release_beside_a_ledger(text):
    init("--eps", "1")
    write("own.csv", people(), columns=("age", "work", "sex", "rich", "weight"))
    Path("other.yaml").write_text(text)
    message = refused(*PFLR, "--domain", "other.yaml", "--save", "a")
    assert "domain.yaml.ledger" in message
    assert "give domain.yaml, or set a budget for other.yaml" in message
    works(*PFLR, "--domain", "domain.yaml", "--save", "a")


def test_33_the_estimator_does_not_save_beside_the_ledger_of_the_same_columns():
    init("--eps", "1")
    Path("other.yaml").write_text(COPIES["another range"])
    table = pd.read_csv("own.csv")
    classifier = DpfairClassifier("functional_mechanism", {"epsilon": 1.0}, domain="other.yaml")
    classifier.fit(table[["age", "work"]], table["rich"])
    with pytest.raises(DpfairError, match=r"whose ledger .*domain\.yaml\.ledger"):
        classifier.save("a")
    assert not Path("a").exists()


def test_33_a_budget_of_the_same_columns_names_the_other_ledger():
    init("--eps", "1")
    Path("other.yaml").write_text(COPIES["another range"])
    said = init("--eps", "1", domain="other.yaml").stderr
    assert "domain.yaml.ledger counts releases about the same columns" in said
    assert left("other.yaml") == (1, 0)
    works(*PFLR, "--domain", "other.yaml", "--save", "a")


def test_34_a_marked_copy_with_another_range_names_the_ledger():
    init("--eps", "1")
    marked = Path("domain.yaml").read_text()
    Path("other.yaml").write_text(marked.replace("18", "17"))
    message = refused(*PFLR, "--domain", "other.yaml")
    assert "its ledger other.yaml.ledger is missing" in message
    assert "domain.yaml.ledger is the ledger of the same columns" in message


def test_35_the_column_of_persons_cannot_be_removed_under_a_ledger():
    lines = [[*line, str(k // 3)] for k, line in enumerate(people())]
    write("own.csv", lines, columns=("age", "work", "sex", "rich", "patient"))
    Path("domain.yaml").write_text(f"person: patient\n---\n{DOMAIN}")
    init("--eps", "2")
    works(*PFLR, "--eps", "1", "--save", "a")
    whole = Path("domain.yaml").read_text()
    Path("domain.yaml").write_text(whole.replace("person: patient\n", ""))
    message = refused(*PFLR, "--eps", "1", "--save", "b")
    assert "is not the ledger of domain.yaml as it now is" in message
    Path("domain.yaml").write_text(whole)
    works(*PFLR, "--eps", "1", "--save", "b")


def test_what_is_spent_and_left_is_not_said_with_q():
    init("--eps", "1")
    assert works(*PFLR, "--eps", "1", "--save", "a", "-q").stderr == ""
    assert left() == (0, 0)


# released scores


def released(*options):
    """The scores that may be published, by name."""
    return json.loads(works(*PFLR, "--eps", "1", "--save", "a", "--json", *options).stdout)[
        "released scores"
    ]


def test_released_scores_have_their_own_epsilon_and_own_entry():
    init("--eps", "3")
    assert released() == {}
    assert set(released("--release-scores", "0.5", "--force")) >= {
        "accuracy",
        "demographic_parity_difference",
    }
    assert left() == (Decimal("0.5"), 0)
    assert "scores of a (proved)" in works("budget", "show", "domain.yaml").stdout


def test_released_scores_are_noisy_and_drawn_anew():
    # several, because a released score is clipped to its range
    found = [released("--release-scores", "0.5", "--force")["accuracy"]["value"] for _ in range(8)]
    assert len(set(found)) > 2
    exact = json.loads(works(*PFLR, "--eps", "1", "--save", "b", "--json").stdout)["scores"]
    correct = 12 * exact["accuracy"]  # of 12 records
    assert abs(correct - round(correct)) < 1e-6
    assert any(abs(12 * noisy - round(12 * noisy)) > 1e-6 for noisy in found)


def test_a_model_and_its_scores_are_paid_for_together_or_not_at_all():
    init("--eps", "1.2")
    message = refused(*PFLR, "--eps", "1", "--release-scores", "0.5", "--save", "a")
    assert "a by pflr and scores of a would spend epsilon 1.5" in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--release-scores", "1"), "needs --save and secret noise"),
        (("--release-scores", "1", "--save", "a", "--seed", "1"), "without --seed"),
        (("--release-scores", "0", "--save", "a"), "must be a finite epsilon above 0"),
        (("--release-scores", "-1", "--save", "a"), "must be a finite epsilon above 0"),
        (("--release-scores", "nan", "--save", "a"), "must be a finite epsilon above 0"),
        (("--release-scores", "inf", "--save", "a"), "must be a finite epsilon above 0"),
        (("--release-scores", "1e-12", "--save", "a"), "epsilon must be at least"),
        (("--release-scores", "1", "--save", "a", "--eps", "inf"), "cannot be counted"),
    ],
)
def test_scores_that_nothing_protects_are_refused(options, words):
    assert words in mistake(*PFLR, *options)
    assert not Path("a").exists()


def test_scores_without_a_domain_file_are_refused():
    message = dpfair(
        "train", "own.csv", *COLUMNS, "--method", "pflr", "--release-scores", "1", "--save", "a"
    )
    assert "not private: bounds from data, so its privacy loss cannot be counted" in message.stderr
    assert message.exit_code == 2


# the price before the payment


def test_a_fit_that_costs_twice_says_so_and_names_the_epsilon_that_costs_once():
    init("--eps", "3", "--delta", "0.1")
    fit = ("train", "own.csv", *PUBLIC, "--method", "dp_whitened_descent", "--save", "a")
    said = [line for line in works(*fit, "--eps", "1").stderr.splitlines() if "--eps" in line]
    words = "--eps 1 spends epsilon 2, and --eps 0.5 spends epsilon 1"
    assert said == [
        "Warning: domain.yaml.ledger counts replace-one, which costs more than the "
        f"add-or-remove-one of dp_whitened_descent: {words}"
    ]
    assert left()[0] == Decimal(1)
    works(*fit, "--eps", "0.5", "--force")
    assert left()[0] == 0


def test_a_fit_that_costs_its_epsilon_says_nothing_more():
    init("--eps", "3")
    assert "spends epsilon" not in works(*PFLR, "--eps", "1", "--save", "a").stderr
    adding = ("--delta", "0.1", "--neighbours", "add-or-remove-one")
    for file in (LEDGER, Path("domain.yaml")):
        file.unlink()
    Path("domain.yaml").write_text(DOMAIN)
    init("--eps", "3", *adding)
    fit = ("train", "own.csv", *PUBLIC, "--method", "dp_whitened_descent", "--save", "b")
    assert "spends epsilon" not in works(*fit, "--eps", "1").stderr


# private choice


CHOOSE = ("choose", "own.csv", *PUBLIC, "--method", "pflr", "--method", "functional_mechanism")


def test_a_choice_spends_its_epsilon_once_whatever_the_tries():
    init("--eps", "3")
    for tries in ("1", "30"):
        result = works(*CHOOSE, "--eps", "1.5", "--tries", tries, "--save", f"{tries}.json")
        assert "tries" not in result.output
    assert left() == (0, 0)
    assert "is left" in refused(*CHOOSE, "--eps", "1", "--save", "c")
    works("predict", "30.json", "own.csv")
    shown = works("budget", "show", "domain.yaml").stdout
    assert "30.json chosen from pflr, functional_mechanism (proved)" in shown


def test_a_choice_spends_its_delta_once_whatever_the_tries():
    init("--eps", "2", "--delta", "3e-6", "--neighbours", "add-or-remove-one")
    names = ("--method", "dp_whitened_descent", "--method", "dp_whitened_descent:inputs=linear")
    choose = ("choose", "own.csv", *PUBLIC, *names, "--eps", "1", "--delta", "1e-6")
    for tries in ("1", "20"):
        works(*choose, "--tries", tries, "--save", f"{tries}.json")
    shown = works("budget", "show", "domain.yaml").stdout
    assert "epsilon 1, delta 0.000001: 20.json chosen from" in shown
    assert "left        epsilon 0, delta 0.000001" in shown
    assert "add-or-remove-one" in works("budget", "show", "domain.yaml").stdout


def test_the_price_of_a_choice_is_said_before_it_is_paid():
    init("--eps", "2", "--delta", "1e-5")
    choose = ("choose", "own.csv", *PUBLIC, "--method", "dp_whitened_descent", "--save", "a")
    assert (
        "--eps 1 spends epsilon 2, and --eps 0.5 spends epsilon 1"
        in works(*choose, "--eps", "1").stderr
    )


@pytest.mark.parametrize(
    ("method", "delta", "words"),
    [
        ("dp_whitened_descent:delta=1e-7", "1e-6", "leave it out, --delta decides it"),
        ("pflr", "1e-6", "no method has a delta"),
    ],
)
def test_only_a_choice_has_a_delta(method, delta, words):
    choose = ("choose", "own.csv", *PUBLIC, "--method", method, "--delta", delta)
    assert words in mistake(*choose, "--eps", "1", "--save", "a")


def test_a_choice_that_is_killed_has_spent():
    init("--eps", "1")
    killed(
        choosing,
        "best_of_random_tries",
        [*CHOOSE, "--eps", "1", "--save", "a"],
    )
    assert left() == (0, 0)
    assert not Path("a").exists()


@pytest.mark.parametrize("text", ["-1", "0", "nan", "inf", "1e999", "1e-9", "x"])
def test_the_epsilon_of_a_choice_is_a_usual_number(text):
    init("--eps", "3")
    assert "eps" in refused(*CHOOSE, f"--eps={text}", "--save", "a")


def test_a_choice_without_a_domain_file_is_refused():
    result = dpfair("choose", "own.csv", *COLUMNS, "--method", "pflr", "--eps", "1", "--save", "a")
    assert result.exit_code == 2
    assert "not private: bounds from data" in result.stderr
    assert not Path("a").exists()


def test_a_choice_between_settings_names_the_setting():
    one = ("--method", "pflr:fairness=shift", "--method", "pflr:fairness=drift")
    choose = ("choose", "own.csv", *PUBLIC, *one, "--eps", "1", "--save", "a", "--json")
    said = json.loads(works(*choose).stdout)
    assert said["chosen"] in ("pflr:fairness=shift", "pflr:fairness=drift")
    assert json.loads(Path("a").read_text())["params"]["fairness"] in said["chosen"]
    assert said["guarantee"]["epsilon"] == "1"


def test_a_candidate_has_no_epsilon_of_its_own():
    choose = ("choose", "own.csv", *PUBLIC, "--method", "pflr:epsilon=9", "--eps", "1")
    assert "leave it out, --eps decides it" in mistake(*choose, "--save", "a")


def test_a_candidate_without_privacy_is_refused():
    init("--eps", "3")
    assert "it has no guarantee" in refused(
        *CHOOSE, "--method", "majority_class", "--eps", "1", "--save", "a"
    )
    message = refused(*CHOOSE, "--method", "output_perturbation", "--eps", "1", "--save", "a")
    assert "output_perturbation cannot be a candidate" in message


# the command


def test_a_domain_file_without_a_ledger_has_nothing_to_show():
    assert "set a budget with" in mistake("budget", "show", "domain.yaml")


def test_show_takes_no_budget():
    init("--eps", "1")
    assert "`show` has no --eps" in mistake("budget", "show", "--eps", "2", "domain.yaml")


def test_a_ledger_is_found_by_the_project_file():
    init("--eps", "3")
    facts = "file: own.csv\nlabel: rich\nprotected: sex\ndomain: domain.yaml\n"
    Path("dpfair.yaml").write_text(facts)
    works("train", "own.csv", "--method", "pflr", "--eps", "1", "--save", "a")
    assert left() == (2, 0)


def test_a_causal_graph_is_counted_too():
    write("own.csv", [["xy"[i % 2], "uv"[i // 2 % 2], str(i % 3)] for i in range(60)], "abc")
    Path("domain.yaml").write_text(VARIABLES)
    init("--eps", "3")
    train = ("train", "own.csv", "--domain", "domain.yaml", "--method", "priv_pc", "--eps", "2")
    works(*train, "--save", "a")
    assert left() == (1, 0)
    assert "epsilon 1 is left" in refused(*train, "--save", "b")


def test_a_graph_on_the_screen_would_be_a_release_that_nobody_paid():
    write("own.csv", [["xy"[i % 2], "uv"[i % 2], str(i % 3)] for i in range(600)], "abc")
    Path("domain.yaml").write_text(VARIABLES)
    train = ("train", "own.csv", "--domain", "domain.yaml", "--method", "priv_pc", "--eps", "50")
    edge = "a - b"
    assert edge in works(*train).stdout
    init("--eps", "60")
    for shown in (works(*train).stdout, works(*train, "--json").stdout):
        assert edge not in shown
        assert "not printed: the domain file has a privacy ledger" in shown
    assert left() == (60, 0)
    assert edge in works(*train, "--save", "a").stdout
    assert left() == (10, 0)
