"""Many MuJoCo steps with rubber feet in one compiled loop: no Python between steps.

Numba compiles the loop; it calls `mj_step1` and `mj_step2` of the library that MuJoCo's own module has loaded. Where
Numba is not installed, `RubberFeet.run` steps in Python and gives the same numbers.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import mujoco
import numpy as np

from plantar.gait import _formulas


def available() -> bool:
    """Whether the compiled loop can be used here."""
    return importlib.util.find_spec("numba") is not None and _library() is not None


@functools.cache
def _library() -> Path | None:
    folder = Path(mujoco.__file__).parent
    found = [p for pattern in ("libmujoco*.so*", "libmujoco*.dylib", "mujoco.dll") for p in folder.glob(pattern)]
    return found[0] if found else None


@functools.cache
def stepper() -> Callable[..., float]:
    """The compiled loop."""
    import numba  # noqa: PLC0415  (optional)

    library = ctypes.CDLL(str(_library()))
    first, second = library.mj_step1, library.mj_step2
    for function in (first, second):
        function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_void_p], None

    normal, tangential, release, maths = _compiled_formulas(numba.njit(error_model="numpy"))

    @numba.njit(error_model="numpy")
    def run(model, data, controls, ctrl, xpos, xipos, cvel, com, wrench, balls, roots, state, law, radius, step):  # noqa: ANN001, ANN202
        peak = 0.0
        for n in range(controls.shape[0]):
            first(model, data)
            for i in range(balls.shape[0]):
                b, root = balls[i], roots[i]
                rx, ry, rz = xpos[b, 0] - com[root, 0], xpos[b, 1] - com[root, 1], xpos[b, 2] - com[root, 2]
                wx, wy, wz = cvel[b, 0], cvel[b, 1], cvel[b, 2]
                sink = -(cvel[b, 5] + wx * ry - wy * rx)
                slip = cvel[b, 3] + wy * rz - wz * ry - radius * wy
                depth = radius - xpos[b, 2]
                across = normal(law, depth, sink, maths)
                along = tangential(law, depth, sink, slip, state[i], maths)
                ax, az = xpos[b, 0] - xipos[b, 0], xpos[b, 2] - xipos[b, 2]
                wrench[b, 0], wrench[b, 2] = along, across
                wrench[b, 4] = (az - radius) * along - ax * across
                free = release(law, depth, sink, slip, state[i], maths)
                decay = math.exp(-free * step)
                gain = (1 - decay) / free if free * step > 1e-9 else step
                state[i] = state[i] * decay + slip * gain
                peak = max(peak, across)
            for k in range(ctrl.shape[0]):
                ctrl[k] = controls[n, k]
            second(model, data)
        return peak

    return run


class Maths(NamedTuple):
    """What formulas ask of a module like NumPy, compiled."""

    fmin: Any
    fmax: Any
    tanh: Any
    sqrt: Any


def _compiled_formulas(compile_: Callable[[Any], Any]) -> tuple[Any, Any, Any, Maths]:
    """The rubber law's own formulas, compiled as they stand: normal, tangential, release, and the maths they ask for.

    Each function is compiled over a copy of its module in which the others are compiled already.
    """
    module: dict[str, Any] = dict(vars(_formulas))
    for name in ("ramp", "normal", "gate", "capped", "stick_force", "tangential", "release"):
        module[name] = compile_(FunctionType(module[name].__code__, module, name))
    maths = Maths(
        fmin=compile_(lambda a, b: min(a, b)),  # noqa: PLW0108  (Numba compiles functions, not built-ins)
        fmax=compile_(lambda a, b: max(a, b)),  # noqa: PLW0108  (Numba compiles functions, not built-ins)
        tanh=compile_(lambda a: math.tanh(a)),  # noqa: PLW0108  (Numba compiles functions, not built-ins)
        sqrt=compile_(lambda a: math.sqrt(a)),  # noqa: PLW0108  (Numba compiles functions, not built-ins)
    )
    return module["normal"], module["tangential"], module["release"], maths


class Numbers(NamedTuple):
    """What the formulas read of a `RubberContact`."""

    stiffness: float
    damping: float
    damping_speed: float
    transition_depth: float
    tangential_stiffness: float
    tangential_damping: float
    smoothing_depth: float
    friction: float
    release_rate: float
    edge: float


def run(feet: Any, data: mujoco.MjData, controls: np.ndarray) -> float:
    """Step once for each row of `controls` with the feet's forces; return the largest force across."""
    model, law = feet.model, feet.law
    numbers = Numbers(*(float(getattr(law, name)) for name in Numbers._fields))
    return float(
        stepper()(
            model._address,
            data._address,
            np.ascontiguousarray(controls, dtype=float).reshape(len(controls), model.nu),
            data.ctrl,
            data.xpos,
            data.xipos,
            data.cvel,
            data.subtree_com,
            data.xfrc_applied,
            feet.balls.astype(np.int64),
            model.body_rootid[feet.balls].astype(np.int64),
            feet.deflection,
            numbers,
            float(feet.radius),
            float(model.opt.timestep),
        )
    )
