"""The remover and the reject option from their rules alone, record by record (ficiu2023)."""

from statistics import median_low


def repaired_column(column, groups):
    """The targets of all values, by the rule: distinct values, pieces, smaller lower median."""
    values = {
        g: sorted({x for x, own in zip(column, groups, strict=True) if own == g}) for g in groups
    }
    pieces = min(len(known) for known in values.values())
    target = {}
    cuts = {}
    for g, known in values.items():
        offset, starts = 0.0, []
        for _ in range(pieces):
            starts.append(round(offset))  # Python rounds half to even
            offset += len(known) / pieces
        cuts[g] = [*starts, len(known)]
    for q in range(pieces):
        parts = {g: known[cuts[g][q] : cuts[g][q + 1]] for g, known in values.items()}
        aim = min(median_low(part) for part in parts.values())
        for g, part in parts.items():
            for x in part:
                target[g, x] = aim
    return [target[g, x] for x, g in zip(column, groups, strict=True)]


def decision(score, group, threshold, margin):
    """In the band women (0) get 1 and men (1) get 0; outside it the score decides."""
    if threshold - margin < score <= threshold + margin:
        return 1 if group == 0 else 0
    return 1 if score > threshold else 0


def share(decisions, chosen):
    own = [d for d, c in zip(decisions, chosen, strict=True) if c]
    return sum(own) / len(own)


def search(scores, labels, groups, low, high, pairs):
    """The best pair (threshold, margin): the largest balanced accuracy among the allowed gaps."""
    best, nearest = None, None
    for threshold, margin in pairs:
        found = [decision(s, g, threshold, margin) for s, g in zip(scores, groups, strict=True)]
        women = share(found, [g == 0 for g in groups])
        gap = women - share(found, [g == 1 for g in groups])
        tpr = share(found, [y == 1 for y in labels])
        fpr = share(found, [y == 0 for y in labels])
        balanced = (tpr + 1 - fpr) / 2
        if nearest is None or abs(gap) < nearest[0] - 1e-12:
            nearest = abs(gap), threshold, margin
        if low <= gap <= high and (best is None or balanced > best[0] + 1e-12):
            best = balanced, threshold, margin
    return (best or nearest)[1:]
