"""The data sets on which bars are measured."""

from __future__ import annotations


def here(name: str) -> bool:
    """Whether the real data are present; prints a line if they are not."""
    from dpfair_cli import catalog, data_access, paths
    from dpfair_cli.contracts.errors import DpfairError

    try:
        data_access.locate(catalog.data_set(name), data_dir=paths.data_folder())
    except DpfairError as error:
        print(f"not measured: {error}")
        return False
    return True


def read(name: str):
    """A data set with the default options."""
    from dpfair_cli import catalog, data_access, paths

    located = data_access.locate(catalog.data_set(name), data_dir=paths.data_folder())
    return data_access.load(located)


def adult():
    """Adult in one-hot columns: the real one, or its replica."""
    from dpfair_cli import catalog, data_access, paths

    dataset = catalog.data_set("adult", {"encoding": "one_hot"})
    located = data_access.locate(dataset, data_dir=paths.data_folder(), replica_ok=True)
    return data_access.load(located)


def adult_case():
    """The first split of Adult."""
    import numpy as np

    from dpfair_cli.tasks import classification

    return classification.split(adult(), rng=np.random.default_rng(0))
