"""Commands that train a network on a small table of the user."""

from click.testing import CliRunner

from dpfair_cli.commands import main
from tests.running import own_sweeps

OWN = ("own.csv", "--label", "rich", "--protected", "sex", "--domain", "domain.yaml")
NETWORK = ("--method", "adversarial_debiasing", "--set", "epochs=1", "--set", "batch_size=20")
SWEEP = ("sweep", *OWN, *NETWORK, "--runs", "1", "--jobs", "1")


def write_table(folder):
    """Writes the table and its domain file, which the commands name."""
    (folder / "own.csv").write_text(own_sweeps.table(), encoding="utf-8")
    (folder / "domain.yaml").write_text(own_sweeps.DOMAIN, encoding="utf-8")


def run(*arguments, code=0):
    """The answer of a command that must end with this exit code."""
    answer = CliRunner().invoke(main, arguments)
    assert answer.exit_code == code, answer.output
    return answer


def last_line(answer):
    """The last line of the messages of a command."""
    return answer.stderr.strip().splitlines()[-1]
