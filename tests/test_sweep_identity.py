"""Which sweep a folder belongs to: everything that changes its numbers counts, and nothing else."""

from __future__ import annotations

import functools
import logging
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import sweep_functions as functions
from sweep_functions import numbered

from plantar import sweep
from plantar.errors import InvalidInput
from plantar.sweep.identity import describe


class Scale:
    """An object like any other, neither a dataclass nor with `to_dict`."""

    def __init__(self, factor: Any):
        self.factor = factor

    def __call__(self, config: dict, seed: int) -> dict:
        return {"x": 1.0}

    def run(self, config: dict, seed: int) -> dict:
        return self(config, seed)


class InBatches(Scale):
    def run_batch(self, configs: list, seeds: list) -> list:
        return [self(config, seed) for config, seed in zip(configs, seeds, strict=True)]


class Slotted:
    __slots__ = ("factor",)

    def __init__(self, factor: float):
        self.factor = factor


@dataclass(frozen=True)
class Firm:
    gain: float


@dataclass(frozen=True)
class Loose:
    gain: float


def keep(config: dict, seed: int, what: Any = None) -> dict:
    return {"x": 1.0}


def enclosed(what: Any) -> Callable[..., dict]:
    return lambda config, seed: keep(config, seed, what)


def defaulted(what: Any) -> Callable[..., dict]:
    return lambda config, seed, w=what: keep(config, seed, w)


def ball(radius: float) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><geom size='{radius}'/></worldbody></mujoco>")


def weights(last: float) -> np.ndarray:
    return np.append(np.zeros(50_000), last)


PAIRS = {
    "an attribute": (Scale(1.0), Scale(5.0)),
    "an attribute of what runs batches": (InBatches(1.0), InBatches(5.0)),
    "the object of a method": (Scale(1.0).run, Scale(5.0).run),
    "an attribute of an attribute": (Scale(Scale(1.0)), Scale(Scale(5.0))),
    "a slot": (Scale(Slotted(1.0)), Scale(Slotted(5.0))),
    "the class of a part with the same fields": (Scale(Firm(1.0)), Scale(Loose(1.0))),
    "an array": (Scale(weights(0.0)), Scale(weights(1e-9))),
    "a compiled model": (Scale(ball(1.0)), Scale(ball(2.0))),
    "a function": (functools.partial(keep, what=keep), functools.partial(keep, what=enclosed)),
    "NaN and nothing": (functools.partial(keep, what=math.nan), functools.partial(keep, what=None)),
    "two infinities": (functools.partial(keep, what=math.inf), functools.partial(keep, what=-math.inf)),
    "a captured number": (enclosed(1.0), enclosed(5.0)),
    "a captured configuration": (enclosed(Firm(1.0)), enclosed(Firm(5.0))),
    "a default of a lambda": (defaulted(1.0), defaulted(5.0)),
}


@pytest.mark.parametrize("what", PAIRS)
def test_a_function_that_holds_something_else_does_not_get_the_rows_of_another(what: str, tmp_path: Path) -> None:
    one, other = PAIRS[what]
    sweep.run(one, numbered(2), out=tmp_path / "run", workers=1)
    assert sweep.run(one, numbered(2), out=tmp_path / "run", workers=1).ran == 0
    with pytest.raises(InvalidInput, match="holds another sweep: its function"):
        sweep.run(other, numbered(2), out=tmp_path / "run", workers=1)


def test_the_message_names_the_field_that_differs(tmp_path: Path) -> None:
    sweep.run(Scale(Firm(1.0)), numbered(2), out=tmp_path / "run", workers=1)
    with pytest.raises(InvalidInput, match=r"its function\.fields\.factor\.fields\.gain is 1.0 there and 5.0 here"):
        sweep.run(Scale(Firm(5.0)), numbered(2), out=tmp_path / "run", workers=1)


def test_what_a_function_notes_things_in_does_not_count() -> None:
    noted: list[int] = []
    function = enclosed(noted)
    before = describe(function)
    noted.append(1)
    assert describe(function) == before
    assert describe(functions.draw) == "sweep_functions.draw"


def test_objects_that_cannot_be_read_and_those_that_hold_each_other_are_known_all_the_same() -> None:
    one, other = Scale(threading.Lock()), Scale(logging.getLogger("plantar.anything"))
    one.other, other.other = other, one  # type: ignore[attr-defined]
    assert describe(one) == describe(one)
    assert describe(one)["fields"]["other"]["fields"]["other"] == "..."


def test_a_function_is_the_same_in_every_process() -> None:
    code = (
        "import functools, json, numpy as np, sweep_functions as f; from plantar.sweep.identity import describe\n"
        "held = [f.draw, {'b', 'a', 'c'}, f.Point(1.0), np.random.default_rng(3), 1j, f.Batched(2.0).run_batch]\n"
        "print(json.dumps(describe(functools.partial(f.draw, held))))"
    )
    texts = set()
    for number in ("1", "2"):
        surroundings = {**os.environ, "PYTHONHASHSEED": number, "PYTHONPATH": str(Path(__file__).parent)}
        command = [sys.executable, "-c", code]
        texts.add(subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True).stdout)
    assert len(texts) == 1
    assert "0x" not in texts.pop()
