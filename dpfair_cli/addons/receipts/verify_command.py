"""Verify the files and the signature of a receipt; make runs again.

This module is the command `dpfair verify`; `dpfair --help` prints its first line.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import options

if TYPE_CHECKING:
    from dpfair_cli.reproduction.proof import Repeated


@click.command("verify")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Verify the files and the signature of a receipt; make runs again.

    \b
    dpfair verify receipt-xian2024

    The SHA-256 of all files must be those of the list SHA256SUMS. If the list is signed, the
    fingerprint of the key is printed, to be compared with the one that the signer publishes. Then
    at least one run of each method is made again here, and compared with its row where the data are
    here or made by dpfair. No code of the folder is run.

    The exit code is 1 if a file, the signature or a run is not as it must be.
    """
    from dpfair_cli.addons.receipts import signing
    from dpfair_cli.commands import overview

    changed = signing.changed_files(folder)
    for one in changed:
        click.echo(one)
    click.echo(f"files: {f'{len(changed)} not as listed' if changed else 'all as listed'}")
    said = signing.signer(folder)
    click.echo(f"signature: {said or 'none'}")
    if changed:
        raise click.exceptions.Exit(1)
    repeated = repeated_runs(folder)
    overview.echo_proof(repeated)
    overview.exit_on_failures(repeated)


def repeated_runs(folder: Path) -> list[Repeated]:
    """The runs of a receipt that can be made again here, made again."""
    from dpfair_cli.commands.check import load
    from dpfair_cli.commands.reproduce import repeat_runs
    from dpfair_cli.paths import data_folder
    from dpfair_cli.running import artefact_names

    data = data_folder().absolute()
    with contextlib.chdir(folder):  # which is a project
        run_options = replace(options.ResultsFolder(None).reading(jobs=None), data_dir=data)
        return repeat_runs(load(artefact_names.artefacts(), run_options), run_options)[0]
