"""DP-FERMI and the flips of ghoukasian2024, written anew from the formulas, record by record."""

from __future__ import annotations

import math


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def objective(theta, w, batch, *, trade_off, share):
    """The loss of a batch of (inputs, label, is in the group): lists of numbers throughout."""
    entropy = chance = in_group = 0.0
    for inputs, label, member in batch:
        p = sigmoid(sum(a * b for a, b in zip(inputs, theta, strict=True)))
        entropy -= math.log(p if label else 1 - p)
        chance += p
        in_group += p * member
    b = len(batch)
    penalty = -(w**2) * chance / b + 2 * w / math.sqrt(share) * in_group / b - 1
    return entropy / b + trade_off * penalty


def gradients(theta, w, batch, *, step=1e-5, **settings):
    """Derivatives of `objective` by each weight and by w, as symmetric differences."""
    by_theta = []
    for j in range(len(theta)):
        up, down = list(theta), list(theta)
        up[j] += step
        down[j] -= step
        change = objective(up, w, batch, **settings) - objective(down, w, batch, **settings)
        by_theta.append(change / (2 * step))
    change = objective(theta, w + step, batch, **settings) - objective(
        theta, w - step, batch, **settings
    )
    return by_theta, change / (2 * step)


def lowy_deviations(epsilon, delta, *, n, steps, lipschitz, bound, rho):
    """The published standard deviations of lowy2023 on theta and on w."""
    common = 16 * math.log(1 / delta) * steps / (epsilon**2 * n**2 * rho)
    return lipschitz * bound * math.sqrt(common), math.sqrt(common)


def ghoukasian_deviations(epsilon, delta, *, n, steps, lipschitz, bound, rho, trade_off):
    """The published standard deviations of ghoukasian2024 on theta and on w."""
    common = math.log(1 / delta) * steps / (epsilon**2 * n**2)
    of_theta = 64 * lipschitz**2 * bound**2 * common / rho + 128 * bound**4 * lipschitz**2 * common
    of_w = 32 * common * (bound**2 + 1 / rho)
    return math.sqrt(of_theta), trade_off * math.sqrt(of_w)


def standardised(X):
    """The columns of X with mean 0 and deviation 1 (n - 1), then a 1: lists of rows."""
    columns = []
    for column in zip(*X, strict=True):
        mean = sum(column) / len(column)
        deviation = math.sqrt(sum((x - mean) ** 2 for x in column) / (len(column) - 1))
        columns.append([(x - mean) / deviation for x in column])
    columns.append([1.0] * len(X))
    return [list(row) for row in zip(*columns, strict=True)]


def selection_after_flips(high, low):
    """The rates of two groups after the flips of Algorithm 2, of which `high` is the larger."""
    target = (high + low) / 2
    kept = high * (target / high)
    gained = low + (1 - low) * (target - low) / (1 - low)
    return kept, gained


def clipped_sum(theta, batch, *, clip_norm):
    """The sum of the clipped gradients of the logistic loss, for DPSGD."""
    total = [0.0] * len(theta)
    for inputs, label in batch:
        p = sigmoid(sum(a * b for a, b in zip(inputs, theta, strict=True)))
        gradient = [(p - label) * x for x in inputs]
        norm = math.sqrt(sum(g * g for g in gradient))
        factor = min(1.0, clip_norm / norm) if norm else 1.0
        total = [t + factor * g for t, g in zip(total, gradient, strict=True)]
    return total
