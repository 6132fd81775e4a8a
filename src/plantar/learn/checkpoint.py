"""Checkpoints of trainings: read without running code, and compared with the training that goes on from them."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch

from plantar._checks import shown
from plantar._files import to_json
from plantar._read import reason
from plantar.errors import InvalidInput
from plantar.learn.card import Card
from plantar.learn.config import LEVELS
from plantar.learn.drives import Drive

NETWORKS = ("actor_state_dict", "critic_state_dict")
"""Networks of a learner."""
_PARTS = {"learner": dict, "iteration": int, "steps": int, "levels": list, "history": str, "card": str}
_TOLD = {"reward", "length", "falls", "track_linear_velocity"}
"""Figures of the last update that every result repeats."""
_FITTING = ("robot", "feet", "seen", "foot", "period")
"""Fields of a card that must stay the same, beside its joints."""
_LONGEST = 90


def read_checkpoint(path: str | Path, device: str = "cpu") -> dict[str, Any]:
    """What a checkpoint holds; reading it runs no code.

    Raises:
        InvalidInput: If it is not a checkpoint, is damaged, or its networks are not finite.
    """
    try:
        saved = torch.load(path, map_location=device, weights_only=True)
        _check(saved)
    except Exception as error:  # PyTorch raises many kinds
        damage = reason(error)[:_LONGEST]
        raise InvalidInput(f"{str(path)!r} is not a checkpoint of `plantar learn train`: {damage}") from error
    return saved


def _check(saved: Any) -> None:
    """Raise `ValueError` unless this is the content of a checkpoint."""
    _need(isinstance(saved, dict), f"it holds a {type(saved).__name__}")
    for name, kind in _PARTS.items():
        _need(name in saved, f"it has no {name}")
        fits = isinstance(saved[name], kind) and not isinstance(saved[name], bool)
        _need(fits, f"its {name} is a {type(saved[name]).__name__}")
    _need(min(saved["iteration"], saved["steps"]) >= 0, "it counts updates or steps below 0")
    for name in NETWORKS:
        weights = list(saved["learner"].get(name, {}).values())
        _need(bool(weights) and all(isinstance(one, torch.Tensor) for one in weights), f"its learner has no {name}")
        finite = all(bool(torch.isfinite(one).all()) for one in weights)
        _need(finite, f"its {name} has numbers that are not finite")
    levels = all(_are_levels(one) for one in saved["levels"])
    _need(levels, f"its levels are not whole numbers from 0 to {LEVELS - 1}")
    rows = json.loads(saved["history"])
    _need(isinstance(rows, list) and all(isinstance(row, dict) for row in rows), "its history has no rows")
    lost = _TOLD - set(rows[-1]) if rows else set()
    _need(not lost, f"its history lacks {', '.join(sorted(lost))}")


def _need(ok: bool, otherwise: str) -> None:
    if not ok:
        raise ValueError(otherwise)


def _are_levels(levels: Any) -> bool:
    whole = isinstance(levels, torch.Tensor) and levels.ndim == 1 and not levels.is_floating_point()
    return whole and bool(((levels >= 0) & (levels < LEVELS)).all())


def check_fits(path: str | Path, saved: dict[str, Any], card: Card, *, same: bool) -> None:
    """Raise unless a training can go on from a checkpoint: same robot and joints, observations and kinds of feet.

    Args:
        path: The checkpoint.
        saved: What it holds; fields that its card lacks are not compared.
        card: The card of the training.
        same: Whether it must be the same training, too: same task and settings, except the number of updates.

    Raises:
        InvalidInput: If it cannot; the message says what differs.
    """
    try:
        theirs, ours = json.loads(saved["card"]), json.loads(to_json(card))
        found = _difference(theirs, ours) or (_of_settings(theirs, ours) if same else None)
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise InvalidInput(f"{str(path)!r} holds a damaged card: {reason(error)[:_LONGEST]}") from error
    if found:
        advice = "give another folder" if same else "give a checkpoint of the same robot and feet"
        raise InvalidInput(f"{str(path)!r} is from another training, {found}: {advice}")


def _difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """How the robot or the policy of two cards differ."""
    for name in _FITTING:
        if name in theirs and theirs[name] != ours[name]:
            return _told(name, theirs[name], ours[name])
    drives = [{one["joint"]: Drive(**one) for one in card["drives"]} for card in (theirs, ours)]
    first, second = map(list, drives)
    if first != second:
        odd = next(iter(sorted({*first} ^ {*second})), None)
        return f"whose joints {'come in another order' if odd is None else f'differ by {odd!r}'}"
    for name in first:
        before, now = (one[name].scale for one in drives)
        if not math.isclose(before, now, rel_tol=1e-6):
            return f"where an action of 1 moves {name!r} by {before:.4g} rad, not {now:.4g}"
    return None


def _of_settings(theirs: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """How the tasks, the trainings or the descriptions of the feet of two cards differ."""
    if (before := theirs.get("described")) and before != ours["described"]:
        return "whose feet are built differently"
    for part in ("task", "training"):
        for name, value in theirs[part].items():
            if name != "iterations" and value != ours[part].get(name, value):
                return _told(f"{part}.{name}", value, ours[part][name])
    return None


def _told(name: str, before: Any, now: Any) -> str:
    before, now = (", ".join(map(str, one)) if isinstance(one, list) else one for one in (before, now))
    return f"with {name} = {shown(before)}, not {shown(now)}"
