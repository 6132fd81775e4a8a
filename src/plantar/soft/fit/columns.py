"""Which column of a table is the stretch and which the stress, by its name, and how its unit converts its numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.fit.laws import Floats

UNITS = {"pa": 1.0, "kpa": 1e3, "mpa": 1e6, "gpa": 1e9, "psi": 6894.757, "percent": 0.01, "%": 0.01}
"""Units that names may end with: `stress_mpa`, `strain [%]`."""
STRETCH: dict[str, Callable[[Floats], Floats]] = {
    **dict.fromkeys(("stretch", "stretch ratio", "extension ratio", "lambda"), lambda s: s),
    **dict.fromkeys(("strain", "nominal strain", "engineering strain"), lambda e: 1 + e),
    **dict.fromkeys(("true strain", "logarithmic strain"), np.exp),
}
"""Names that a stretch goes by, and how it follows from the numbers."""
STRESS: dict[str, Callable[[Floats, Floats], Floats]] = {
    **dict.fromkeys(
        ("stress", "nominal stress", "engineering stress", "pk1 stress", "piola stress"), lambda p, stretch: p
    ),
    # incompressible: the loaded area shrinks as one over the stretch in every kind of test
    **dict.fromkeys(("true stress", "cauchy stress"), lambda p, stretch: p / stretch),
}
"""Names that a stress goes by, and how the nominal one follows from it and the stretch."""
MODE = ("mode", "test", "kind", "test type", "test mode", "type of test", "loading mode", "deformation mode")
RUBBER = ("rubber", "material")
SPREAD = r"(.*[^a-z])?(sd|std|se|sem|err|error|uncertainty)([^a-z].*)?"
"""Names of columns that hold how far numbers scatter, and are not used."""


@dataclass(frozen=True)
class Columns:
    """Columns of a table by what they hold."""

    stretch: tuple[str, float, Callable[[Floats], Floats]]
    """Name, unit, and what makes stretches of the numbers."""
    stress: tuple[str, float, Callable[[Floats, Floats], Floats]]
    """Name, unit, and what makes nominal stresses of the numbers and the stretches."""
    unit_named: bool
    """Whether the name of the stress gives its unit."""
    mode: str | None
    """Name of the column with the kind of test."""
    rubber: str | None
    """Name of the column with the rubber."""


def find_columns(names: list[str], where: object) -> Columns:
    """The columns of a table with these names.

    Raises:
        InvalidInput: If stretch or stress is missing, duplicate, or in an unknown unit.
    """
    kinds = {name: _words(name) for name in names}
    stretch = _one([n for n in names if kinds[n][0] in STRETCH], "stretch", "stretch or strain", names, where)
    stress = _one([n for n in names if kinds[n][0] in STRESS], "stress", "stress or true_stress", names, where)
    for name in names:
        if re.fullmatch(SPREAD, kinds[name][0]):
            continue
        if re.match("(stretch|strain|stress)", kinds[name][0]) and name not in (stretch, stress):
            raise InvalidInput(f"{where}: column {name!r} is not known: give {stretch!r} and {stress!r} alone")
    for name, fits in ((stretch, ("", "percent", "%")), (stress, ("", "pa", "kpa", "mpa", "gpa", "psi"))):
        if kinds[name][1] not in fits:
            raise InvalidInput(f"{where}: column {name!r} has a unit that is not allowed: give one of {fits[1:]}")
    return Columns(
        (stretch, UNITS.get(kinds[stretch][1], 1.0), STRETCH[kinds[stretch][0]]),
        (stress, UNITS.get(kinds[stress][1], 1.0), STRESS[kinds[stress][0]]),
        bool(kinds[stress][1]),
        next((n for n in names if kinds[n][0] in MODE), None),
        next((n for n in names if kinds[n][0] in RUBBER), None),
    )


def _words(name: str) -> tuple[str, str]:
    """The words of a name, and its unit: `Stress [MPa]` is `stress` and `mpa`."""
    # N/mm^2 is MPa
    words = re.findall(r"[a-z0-9]+|%", re.sub(r"n\s*/\s*mm\s*(\^|\*\*)?\s*(2|²)", "mpa", name.lower()))
    unit = words.pop() if len(words) > 1 and (words[-1] in UNITS or re.search(r"[\[(]\s*\w+\s*[\])]\s*$", name)) else ""
    return " ".join(words), unit


def _one(found: list[str], what: str, wanted: str, names: list[str], where: object) -> str:
    if len(found) > 1:
        raise InvalidInput(f"{where} has several columns for the {what}: keep one of {', '.join(found)}")
    if not found:
        commas = ", with commas between cells" if any(";" in n or "\t" in n for n in names) else ""
        there = ", ".join(names) or "none"
        raise InvalidInput(f"{where} has no column {what!r}: it has {there}; name one {wanted}{commas}")
    return found[0]
