"""A second reader of BIF files and the exact distribution of a small network, for the tests."""

import re
from itertools import product

import numpy as np


def read_bif(text):
    """The levels, the parents and the conditional probabilities of a network.

    (name -> states, name -> names, name -> {parent states: probabilities})
    """
    levels = {
        name: [state.strip() for state in states.split(",")]
        for name, states in re.findall(
            r"variable (\S+) \{\s*type discrete \[ \d+ \] \{([^}]*)\}", text
        )
    }
    parents, cpt = {}, {}
    for head, body in re.findall(r"probability \(([^)]*)\) \{(.*?)\n\}", text, flags=re.DOTALL):
        child, _, given = (part.strip() for part in head.partition("|"))
        parents[child] = [name.strip() for name in given.split(",") if name.strip()]
        cpt[child] = {}
        for states, numbers in re.findall(r"(?:\(([^)]*)\)|table)([^;]*);", body):
            key = tuple(state.strip() for state in states.split(",") if state.strip())
            cpt[child][key] = [float(number) for number in numbers.split(",")]
    return levels, parents, cpt


def joint(levels, parents, cpt):
    """Exact joint probabilities, one axis a variable in the order of the file."""
    names = list(levels)
    table = np.zeros([len(levels[name]) for name in names])
    for states in product(*(range(len(levels[name])) for name in names)):
        value = {name: levels[name][k] for name, k in zip(names, states, strict=True)}
        p = 1.0
        for name, k in zip(names, states, strict=True):
            p *= cpt[name][tuple(value[parent] for parent in parents[name])][k]
        table[states] = p
    return table
