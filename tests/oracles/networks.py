"""The loss of a small network, record by record, and its gradient by differences (ficiu2023)."""

from itertools import pairwise
from math import exp, log, sqrt


def probability(layers, x):
    """`layers` are lists of rows (weights, then the bias); ReLU between layers, then a sigmoid."""
    for place, layer in enumerate(layers):
        x = [
            sum(w * value for w, value in zip(row[:-1], x, strict=True)) + row[-1] for row in layer
        ]
        if place < len(layers) - 1:
            x = [max(value, 0.0) for value in x]
    return 1 / (1 + exp(-x[0]))


def loss(layers, x, y):
    p = probability(layers, x)
    return -log(p) if y else -log(1 - p)


def unflattened(parameters, sizes):
    """The layers of a network with the numbers of units `sizes`, from one list of parameters."""
    layers, place = [], 0
    for inputs, outputs in pairwise(sizes):
        rows = []
        for _ in range(outputs):
            rows.append(list(parameters[place : place + inputs + 1]))
            place += inputs + 1
        layers.append(rows)
    return layers


def gradient(parameters, sizes, x, y, step=1e-6):
    """The central differences of the loss of one record in all weights and biases."""
    found = []
    for k in range(len(parameters)):
        moved = [list(parameters), list(parameters)]
        moved[0][k] += step
        moved[1][k] -= step
        up, down = (loss(unflattened(each, sizes), x, y) for each in moved)
        found.append((up - down) / (2 * step))
    return found


def clipped(vector, bound):
    norm = sqrt(sum(value**2 for value in vector))
    return [value * min(1.0, bound / norm) for value in vector]


def adam(start, gradients, rate):
    """Adam as printed (Kingma and Ba 2015, Algorithm 1), for one number."""
    w, m, v = start, 0.0, 0.0
    for t, g in enumerate(gradients, start=1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w -= rate * (m / (1 - 0.9**t)) / (sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w
