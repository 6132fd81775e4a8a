"""What a search found, for people and programs."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plantar._folders import holding, open_output
from plantar._rows import table_text
from plantar.design.front import usable
from plantar.design.judge import Judgement
from plantar.design.measure import Goal
from plantar.design.problem import Problem
from plantar.feet.foot import Foot

_NUMBER = re.compile(r"(?<![\w'])[-+]?\.?\d")


@dataclass(frozen=True, kw_only=True)
class DesignResult:
    """The answer to a design problem."""

    problem: Problem
    """The question."""
    goals: tuple[Goal, ...]
    """Its goals."""
    rows: list[dict[str, Any]]
    """Every foot that was tried, in order: values, measures, `violation` (0 where limits are kept), `reason`."""
    pressed: list[dict[str, Any]]
    """The same of the presses that came before walks."""
    front: list[dict[str, Any]]
    """The feet on the Pareto front."""
    values: Mapping[str, Mapping[str, Any]]
    """Values of the chosen feet by name; `rounded` is the first of them in available increments."""
    verified: list[dict[str, Any]]
    """Start, chosen and rounded feet, measured again on draws that the search did not use."""
    sensitivity: list[dict[str, Any]]
    """What each field and pair of fields explains; see `plantar.design.sensitivity`."""
    judgement: Judgement | None
    """Walks of full feet on fresh draws, if requested."""

    @property
    def feet(self) -> dict[str, Foot]:
        """The chosen feet by name, the one to build first; empty if no foot meets all limits."""
        return {label: self.problem.space.build(values) for label, values in self.values.items()}

    @property
    def foot(self) -> Foot | None:
        """The foot to build, before rounding; None if no foot meets all limits."""
        return self.feet.get("chosen")

    @property
    def broken(self) -> dict[str, int]:
        """Why feet could not be used, with how many there were of each reason, most frequent first."""
        found: dict[str, int] = {}
        for row in self.rows:
            if row["violation"] > 0:
                reason = _without_numbers(row["reason"])
                found[reason] = found.get(reason, 0) + 1
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def text(self) -> str:
        """The chosen feet and what they measure."""
        used = f"{len(usable(self.rows))} of {len(self.rows)} feet meet all limits; {len(self.front)} on the front"
        if not self.values:
            why = "; ".join(f"{count}: {reason}" for reason, count in list(self.broken.items())[:3])
            return f"{used}. No foot can be chosen ({why})"
        columns = ["foot", *(goal.label for goal in self.goals)]
        fields = [{"foot": label, **values} for label, values in self.values.items()]
        units = {goal.label: goal.asked.measure.unit for goal in self.goals}
        measured = table_text([{c: row[c] for c in columns} for row in self.verified], units=units)
        wrong = [f"{row['foot']} cannot be used: {row['reason']}" for row in self.verified if row["violation"] > 0]
        return "\n".join([used, "", table_text(fields), "", "measured again, on fresh draws:", measured, *wrong])

    def record(self) -> dict[str, Any]:
        """The answer as plain data."""
        return {
            "evaluations": len(self.rows),
            "usable": len(usable(self.rows)),
            "front": self.front,
            "values": {label: dict(values) for label, values in self.values.items()},
            "foot": self.foot,
            "verified": self.verified,
            "sensitivity": self.sensitivity,
        }

    @holding()
    def write(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write tables, figures, feet, parts lists and a report; returns the report.

        Args:
            folder: Output folder; created if missing.
            overwrite: Whether a folder that holds files may be used; files of the same name are replaced.
        """
        return importlib.import_module("plantar.design.report").write(open_output(folder, overwrite=overwrite), self)


def _without_numbers(reason: str) -> str:
    """The reason up to its first number, so that similar ones are counted together; the 3 of a name does not count."""
    found = _NUMBER.search(reason)
    return reason if found is None else reason[: found.start()].rstrip(" =-(.") + " ..."
