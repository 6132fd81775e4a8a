"""What the mechanism benches share: a table of the foot, and tables of reference feet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from plantar._rows import table_text
from plantar.bench.result import Result
from plantar.bench.units import COLUMN_UNITS
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row, Table

OWN = "foot"
"""Name of the foot in question among the others."""


@dataclass(frozen=True, kw_only=True)
class MechanismResult(Result):
    """A curve of the foot, and of feet beside it."""

    report: ClassVar[str] = "plantar.bench.mechanism_report"
    name: ClassVar[str]
    """Verb that found it."""
    shown: ClassVar[tuple[str, ...]]
    """Columns that are printed."""

    tables: Mapping[str, Table]
    """The rows of every foot, by its name; that of the foot in question is `foot`."""
    feet: Mapping[str, Foot]
    """The feet, by the same names."""
    settings: Mapping[str, Any]
    """How they were measured."""

    @property
    def table(self) -> Table:  # type: ignore[override]
        """The rows of the foot in question."""
        return self.tables[OWN]

    @property
    def summary(self) -> Table:
        """One row per foot: the key figures of its table."""
        return Table({"foot": name, **self.verdict(table)} for name, table in self.tables.items())

    @staticmethod
    def verdict(table: Table) -> Row:
        """Key figures of a foot's table."""
        raise NotImplementedError

    def found(self) -> str:
        """The result in a sentence."""
        raise NotImplementedError

    def text(self) -> str:
        """The result in words, the key figures of all tables, and the foot's table."""
        summary, table = (
            table_text(self.summary, units=COLUMN_UNITS),
            table_text(self.table, self.shown, units=COLUMN_UNITS),
        )
        return f"{self.found()}\n\n{summary}\n\n{table}"

    def beside(self, column: str, text: Callable[[float], str]) -> str:
        """What the other feet have in a column of the summary, in brackets; empty if there are none."""
        others = [f"{row['foot']}: {text(row[column])}" for row in self.summary[1:] if row[column] is not None]
        return f" ({', '.join(others)})" if others else ""

    def record(self) -> dict[str, Any]:
        """All tables and their key figures."""
        return {"summary": list(self.summary), "tables": {name: list(rows) for name, rows in self.tables.items()}}


def measure_all(foot: Foot, beside: Mapping[str, Foot] | None, measure: Callable[[Foot], Table]) -> dict[str, Any]:
    """The fields of a `MechanismResult`: the foot and those beside it, measured alike."""
    feet = {OWN: foot, **(beside or {})}
    return {"tables": {name: measure(one) for name, one in feet.items()}, "feet": feet}


def references(foot: Foot) -> dict[str, Foot]:
    """Reference feet for a SoftFoot: itself without its tendons, and the released twin; none for other feet."""
    if not isinstance(foot, SoftFoot) or foot.rigid:
        return {}
    feet: dict[str, Foot] = {"no tendons": foot.without_tendons()} if foot.tendon.present else {}
    if foot != SoftFoot.published():
        feet["released"] = SoftFoot.published().with_(chains=foot.chains, chain_offsets=None)
    return feet
