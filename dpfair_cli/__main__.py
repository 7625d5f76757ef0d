"""Runs the command `dpfair`, also as `python -m dpfair_cli`."""

from __future__ import annotations

import sys

INTERRUPTED = 130  # exit code


def main() -> None:
    """Runs the command line; an interrupt ends it with one line, also while it is imported."""
    try:
        from dpfair_cli.commands import main as command
        from dpfair_cli.commands.workflow_commands import disarm_output
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        sys.exit(INTERRUPTED)
    disarm_output()
    command(prog_name="dpfair")


if __name__ == "__main__":
    main()
