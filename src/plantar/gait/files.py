"""Gaits on disk: one file per gait, sufficient to continue from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from plantar._arguments import checks_arguments
from plantar._fields import from_record
from plantar._files import plain, replacing
from plantar._read import parse_json, read_arrays, reading
from plantar.gait._layout import Phase
from plantar.gait.effort import Effort
from plantar.gait.legged import ROBOTS
from plantar.gait.request import Request
from plantar.gait.result import GaitResult, Segment, Status

NUMBERS = ("cost", "violation", "defect", "seconds", "cpu_seconds")


@checks_arguments
def save_gait(result: GaitResult, path: str | Path, *, effort: Effort | None = None) -> Path:
    """Write a gait of a built-in kind of robot to `path`, a name that ends in .npz.

    Args:
        result: The gait.
        path: The file.
        effort: How hard it was searched for, to be kept with it.
    """
    head: dict[str, Any] = {
        "robot": result.robot.to_dict(),
        "request": result.request,
        "contact": result.contact,
        "status": result.status.name,
        "phases": [{"stance": s.phase.stance, "start": s.start, "duration": s.duration} for s in result.segments],
        "history": result.history,
        "violated": result.violated,
        "iterations": result.iterations,
        "effort": effort,
    } | {name: getattr(result, name) for name in NUMBERS}
    arrays = {f"mesh{i}": s.mesh for i, s in enumerate(result.segments)}
    arrays |= {f"points{i}": s.points for i, s in enumerate(result.segments)}
    path = Path(path)
    with replacing(path) as scratch:
        np.savez_compressed(scratch, allow_pickle=False, head=np.array(json.dumps(plain(head))), **arrays)
    return path


def load_gait(path: str | Path) -> GaitResult:
    """Read a gait back.

    Raises:
        InvalidInput: If the file does not exist or is not a gait.
    """
    with reading(path, "gait", "give one that a sweep has written"), read_arrays(path) as data:
        head = parse_json(str(data["head"]))
        segments = tuple(
            Segment(
                Phase(head["contact"], tuple(phase["stance"])),
                phase["start"],
                phase["duration"],
                data[f"mesh{i}"],
                data[f"points{i}"],
            )
            for i, phase in enumerate(head["phases"])
        )
        name = head["robot"].pop("robot")
        return GaitResult(
            robot=from_record(ROBOTS[name], head["robot"]),
            request=from_record(Request, head["request"]),
            contact=head["contact"],
            status=Status[head["status"]],
            segments=segments,
            history=head["history"],
            violated=head["violated"],
            iterations=int(head["iterations"]),
            **{name: np.nan if head[name] is None else float(head[name]) for name in NUMBERS},
        )


def effort_of(path: str | Path) -> Effort | None:
    """How hard a gait was searched for; None if its file does not say.

    Raises:
        InvalidInput: If the file does not exist or is not a gait.
    """
    with reading(path, "gait", "give one that a sweep has written"), read_arrays(path) as data:
        record = parse_json(str(data["head"])).get("effort")
        return None if record is None else from_record(Effort, record)
