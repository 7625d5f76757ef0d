"""Runs the command `dpfair` as `python -m dpfair_cli`."""

from dpfair_cli.commands import main

if __name__ == "__main__":
    main(prog_name="dpfair")
