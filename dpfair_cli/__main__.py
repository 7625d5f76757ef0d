"""`python -m dpfair_cli` is `dpfair`."""

from dpfair_cli.commands import main

if __name__ == "__main__":
    main(prog_name="dpfair")
