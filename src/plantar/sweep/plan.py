"""Which sweep this is: what runs, over which trials, and whether a folder belongs to it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plantar
from plantar._files import UNITS
from plantar.errors import InvalidInput
from plantar.sweep.identity import describe
from plantar.sweep.record import Cell, NotPlain, flatten, is_record, same

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
HASH_BLOCK = 256
"""Configs that are hashed together."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A sweep before it runs."""

    identity: dict[str, Any]
    """What two runs must share to belong to the same sweep."""
    fixed: dict[str, Cell]
    """Fields of the configs that are the same in every trial."""
    varying: tuple[str, ...]
    """Fields that differ between trials; they are columns of the table."""

    def cells(self, config: Any) -> list[Cell]:
        """The varying fields of one config."""
        flat = flatten(config)
        return [flat.get(name) for name in self.varying]

    def record(self) -> dict[str, Any]:
        """The plan as it is written to `sweep.json`."""
        return {**self.identity, "units": UNITS, "fixed": self.fixed, "varying": list(self.varying)}

    def require_same(self, record: dict[str, Any], folder: Path) -> None:
        """Raise unless `record`, read from `folder`, is of this sweep.

        Raises:
            InvalidInput: The message names what differs.
        """
        for name, mine in self.identity.items():
            theirs = record.get(name)
            if theirs != mine:
                what = "its {} is {} there and {} here".format(*_difference(name, theirs, mine))
                what = "its trials differ" if name == "digest" else what
                raise InvalidInput(f"out = {str(folder)!r} holds another sweep: {what}; give another folder")


def make_plan(function: Any, trials: Sequence[Any], seed: int, version: str) -> Plan:
    """Go through all trials once: what they share, what varies, and a hash of them.

    Raises:
        InvalidInput: If a config is not plain data.
    """
    digest = hashlib.sha256()
    fixed: dict[str, Cell] = {}
    names: dict[str, None] = {}
    waiting: list[dict[str, Cell]] = []
    for index, config in enumerate(trials):
        flat = _flat_config(config, index)
        if index == 0:
            fixed, names = dict(flat), dict.fromkeys(flat)
        for name in [name for name, value in fixed.items() if name not in flat or not same(flat[name], value)]:
            del fixed[name]
        if len(flat) != len(names) or flat.keys() != names.keys():
            names |= dict.fromkeys(flat)
        waiting.append(flat)
        if len(waiting) == HASH_BLOCK or index == len(trials) - 1:
            digest.update(_encode(waiting).encode())
            waiting = []
    identity = {
        "plantar": plantar.__version__,
        "mujoco": importlib.metadata.version("mujoco"),
        "function": describe(function),
        "version": version,
        "seed": int(seed),
        "trials": len(trials),
        "digest": digest.hexdigest(),
    }
    return Plan(identity=identity, fixed=fixed, varying=tuple(name for name in names if name not in fixed))


def _flat_config(config: Any, index: int) -> dict[str, Cell]:
    if not is_record(config):
        kind = type(config).__name__
        raise InvalidInput(f"trial {index} is a {kind}: give a dict or a dataclass, as in {{'load': 12.0}}")
    try:
        return flatten(config)
    except NotPlain as error:
        raise InvalidInput(f"trial {index} cannot be used: {error}") from None


def _difference(name: str, theirs: Any, mine: Any) -> tuple[str, str, str]:
    """The first thing in which two values differ: its name, and what it is in each."""
    if isinstance(theirs, dict) and isinstance(mine, dict) and theirs.keys() == mine.keys():
        key = next(key for key in mine if theirs[key] != mine[key])
        return _difference(f"{name}.{key}", theirs[key], mine[key])
    return name, _short(theirs), _short(mine)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:60] + f"... ({hashlib.sha256(text.encode()).hexdigest()[:8]})"
