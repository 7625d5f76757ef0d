"""Fits with given releases: one run with chosen outcomes, or the exact law of the result."""

from collections import Counter
from contextlib import contextmanager

import numpy as np
from scipy.special import log_softmax

from dpfair_cli.mechanisms import ledger


@contextmanager
def scripted(outputs):
    """Every release gives the next of `outputs`, then 0; collects the releases."""
    tape, rest = [], list(outputs)

    def listen(entry):
        output = rest.pop(0) if rest else 0
        tape.append(entry)
        return output

    token = ledger._listener.set(listen)
    try:
        yield tape
    finally:
        ledger._listener.reset(token)


def distribution(fit):
    """CPDAG -> exact probability, if all releases are choices: every sequence is played once."""
    found, script = Counter(), []
    while script is not None:
        with scripted(script) as tape:
            graph = fit()
        outputs = script + [0] * (len(tape) - len(script))
        logs = [
            log_softmax(entry.value / entry.scale)[k]
            for entry, k in zip(tape, outputs, strict=True)
        ]
        found[graph.cpdag.tobytes()] += np.exp(sum(logs))
        script = _following(outputs, [np.size(entry.value) for entry in tape])
    return found


def _following(outputs, sizes):
    """The next sequence in the order of an odometer, None after the last one."""
    for step in reversed(range(len(outputs))):
        if outputs[step] + 1 < sizes[step]:
            return [*outputs[:step], outputs[step] + 1]
    return None
