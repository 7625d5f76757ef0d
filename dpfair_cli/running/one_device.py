"""The device of the networks of an artefact: all rows that a table shows are of one device."""

from __future__ import annotations

from dpfair_cli.contracts.devices import Device
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.rows import device_of


def device_to_make(spec: Spec, journal: Journal, wanted: Device) -> Device:
    """The device `wanted`, on which the missing runs of networks are made.

    Raises:
        DpfairError: the journal has runs of networks that were made on another device.
    """
    others = made_on(spec, journal) - {wanted}
    if others:
        raise _mixture(spec, journal, others, wanted)
    return wanted


def device_to_show(spec: Spec, journal: Journal, wanted: Device) -> Device:
    """The device of the finished runs of networks, if no run is made; `wanted` without such runs.

    Raises:
        DpfairError: the runs were made on several devices, or `wanted` is another accelerator.
    """
    found = made_on(spec, journal)
    if len(found) > 1 or not (wanted.is_processor or found <= {wanted}):
        raise _mixture(spec, journal, found - {wanted}, wanted)
    return next(iter(found), wanted)


def made_on(spec: Spec, journal: Journal) -> set[Device]:
    """The devices on which the runs of networks in a journal were made.

    Runs of data sets or methods that the spec does not have are ignored.
    """
    runs = (setting.run(0) for setting in spec.settings())
    names = {(run.dataset.name, run.method.name) for run in runs if run.trains_network}
    if not names:
        return set()
    rows = journal.rows.values()
    return {device_of(row) for row in rows if (row["dataset"], row["algorithm"]) in names}


def _mixture(spec: Spec, journal: Journal, others: set[Device], wanted: Device) -> DpfairError:
    names = " and ".join(sorted(device.name for device in others))
    return DpfairError(
        f"{spec.artefact}: {journal.path} has networks that were trained on {names}, and a table "
        f"has one device: give --device {names}, or --out with another folder for {wanted.name}"
    )
