"""Made-up files in the formats in which well-known tables are distributed: every row is drawn here,
none is real.

What is theirs is the form alone: separators, headings or none, quotes, codes, signs of missing
values, repeated and empty columns. The label follows from a number in each, so that there is
something to learn.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

ROLES = {  # format -> (label, favourable value, protected column)
    "compas": ("two_year_recid", "0", "sex"),
    "kdd": ("column42", "50000+.", "column13"),
    "german": ("column21", "1", "column9"),
    "bank": ("y", "yes", "marital"),
    "law": ("pass_bar", "1", "race1"),
}
NAMES = {
    "compas": "compas.csv",
    "kdd": "census-income.data",
    "german": "german.data",
    "bank": "bank.csv",
    "law": "law.csv",
}

SEPARATORS = {"compas": ",", "kdd": ",", "german": " ", "bank": ";", "law": ","}


def write(folder: Path, name: str, rows: int = 300) -> Path:
    """Write a made-up file in that format; its path."""
    path = folder / NAMES[name]
    path.write_text(WRITERS[name](rows, np.random.default_rng(0)), encoding="utf-8")
    return path


def pick(rng: np.random.Generator, *values: object) -> object:
    """One of the values."""
    return values[rng.integers(len(values))]


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return int(rng.integers(low, high + 1))


def compas(n: int, rng: np.random.Generator) -> str:
    """A table with duplicate names, identifiers, dates, empty cells and an empty column."""
    heading = (
        "id,name,sex,dob,age,age_cat,race,juv_fel_count,decile_score,priors_count,days_b_screening_arrest,c_case_number,"
        "c_charge_desc,is_recid,violent_recid,decile_score,priors_count,two_year_recid"
    )
    lines = [heading]
    for k in range(n):
        age, priors, decile = between(rng, 18, 69), int(rng.poisson(3)), between(rng, 1, 10)
        category = "Less than 25" if age < 25 else "25 - 45" if age <= 45 else "Greater than 45"
        recid = int(priors + rng.normal() > 3)
        cells: list[object] = [
            k + 1,
            f"person {k}",
            pick(rng, "Male", "Female"),
            f"{2010 - age}-03-{k % 28 + 1:02}",
        ]
        cells += [
            age,
            category,
            pick(rng, "African-American", "Caucasian", "Hispanic", "Other"),
            between(rng, 0, 2),
        ]
        cells += [
            decile,
            priors,
            "" if k % 9 == 0 else between(rng, -30, 29),
            f"{k:08}CF10A" if k % 30 else "",
        ]
        cells += [
            f"Charge {between(rng, 0, 199)}" if k % 40 else "",
            recid if k % 7 else -1,
            "",
            decile,
            priors,
            recid,
        ]
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def kdd(n: int, rng: np.random.Generator) -> str:
    """No heading, a comma and a blank between 42 cells, '?' and words in place of values, a label
    with a full stop.
    """
    lines = []
    for _ in range(n):
        age, weeks = between(rng, 0, 89), between(rng, 0, 52)
        cells = [
            age,
            pick(rng, "Private", "Not in universe", "Local government"),
            between(rng, 0, 51),
            between(rng, 0, 46),
        ]
        cells += [pick(rng, "High school graduate", "Children"), 0, "Not in universe"]
        cells += [
            pick(rng, "Never married", "Divorced"),
            "Retail trade",
            "Sales",
            pick(rng, "White", "Black"),
        ]
        cells += [pick(rng, "All other", "Mexican-American"), pick(rng, "Male", "Female")]
        cells += [pick(rng, "No", "Yes", "Not in universe") for _ in range(2)] + [
            "Full-time schedules"
        ]
        cells += [
            1000 * between(rng, 0, 2),
            500 * between(rng, 0, 1),
            100 * between(rng, 0, 1),
            "Nonfiler",
        ]
        cells += [f"State {between(rng, 0, 49)}" for _ in range(2)] + ["Householder", "Householder"]
        cells += [f"{rng.uniform(100, 4000):.2f}"] + [
            pick(rng, "?", "Nonmover", "MSA to MSA") for _ in range(3)
        ]
        cells += ["?", "Not in universe", between(rng, 0, 6), "Not in universe"]
        cells += [pick(rng, "United-States", "Mexico", "?") for _ in range(3)]
        cells += [
            pick(rng, "Native", "Foreign born"),
            0,
            "Not in universe",
            between(rng, 0, 2),
            weeks,
            94,
        ]
        cells += ["50000+." if age + weeks + rng.normal(0, 10) > 90 else "- 50000."]
        lines.append(", ".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def german(n: int, rng: np.random.Generator) -> str:
    """No heading, blanks between 21 cells, codes such as A11, a label of 1 (good) and 2 (bad)."""
    lines = []
    for _ in range(n):
        months, amount = between(rng, 4, 72), between(rng, 250, 18000)
        cells: list[object] = [
            f"A1{between(rng, 1, 4)}",
            months,
            f"A3{between(rng, 0, 4)}",
            f"A4{between(rng, 0, 9)}",
        ]
        cells += [amount, f"A6{between(rng, 1, 5)}", f"A7{between(rng, 1, 5)}", between(rng, 1, 4)]
        cells += [
            f"A9{between(rng, 1, 4)}",
            f"A10{between(rng, 1, 3)}",
            between(rng, 1, 4),
            f"A12{between(rng, 1, 4)}",
        ]
        cells += [
            between(rng, 19, 75),
            f"A14{between(rng, 1, 3)}",
            f"A15{between(rng, 1, 3)}",
            between(rng, 1, 4),
        ]
        cells += [
            f"A17{between(rng, 1, 4)}",
            between(rng, 1, 2),
            f"A19{between(rng, 1, 2)}",
            f"A20{between(rng, 1, 2)}",
        ]
        lines.append(" ".join(map(str, [*cells, 2 if months + rng.normal(0, 8) > 48 else 1])))
    return "\n".join(lines) + "\n"


def bank(n: int, rng: np.random.Generator) -> str:
    """Semicolons, every word in quotes, a heading in quotes."""
    names = (
        "age",
        "job",
        "marital",
        "education",
        "default",
        "balance",
        "contact",
        "day",
        "duration",
        "pdays",
        "y",
    )
    lines = [";".join(f'"{name}"' for name in names)]
    for _ in range(n):
        duration = between(rng, 0, 1999)
        cells: list[object] = [between(rng, 18, 89), pick(rng, "admin.", "blue-collar", "unknown")]
        cells += [
            pick(rng, "married", "single", "divorced"),
            pick(rng, "primary", "tertiary"),
            pick(rng, "no", "yes"),
        ]
        cells += [
            between(rng, -500, 8999),
            pick(rng, "cellular", "telephone"),
            between(rng, 1, 31),
            duration,
        ]
        cells += [between(rng, -1, 299), "yes" if duration + rng.normal(0, 200) > 1400 else "no"]
        lines.append(
            ";".join(f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in cells)
        )
    return "\n".join(lines) + "\n"


def law(n: int, rng: np.random.Generator) -> str:
    """A column of row numbers without a name, numbers with decimals, 0.0 and 1.0 as levels, a few
    empty cells.
    """
    lines = [",decile1b,lsat,ugpa,fulltime,fam_inc,sex,race1,tier,pass_bar"]
    for k in range(n):
        lsat, ugpa = round(float(rng.uniform(11, 48)), 1), round(float(rng.uniform(1.5, 4)), 2)
        race = pick(rng, *["white"] * 6, "black", "asian", "hisp", "other")
        cells = [
            k,
            float(between(rng, 1, 10)) if k % 25 else "",
            lsat,
            ugpa,
            float(between(rng, 1, 2)),
        ]
        cells += [float(between(rng, 1, 5)), between(rng, 1, 2), race, float(between(rng, 1, 6))]
        lines.append(",".join(map(str, [*cells, int(lsat + 5 * ugpa + rng.normal(0, 4) > 28)])))
    return "\n".join(lines) + "\n"


WRITERS = {"compas": compas, "kdd": kdd, "german": german, "bank": bank, "law": law}
