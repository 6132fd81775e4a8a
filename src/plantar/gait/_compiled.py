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
from typing import Any

import mujoco
import numpy as np


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

    @numba.njit(error_model="numpy")
    def run(model, data, controls, ctrl, xpos, xipos, cvel, com, wrench, balls, roots, state, law, radius, step):  # noqa: ANN001, ANN202
        stiffness, damping, damping_speed, full, k_t, d_t, alpha, friction, rate, edge = law
        peak = 0.0
        for n in range(controls.shape[0]):
            first(model, data)
            for i in range(balls.shape[0]):
                b, root = balls[i], roots[i]
                rx, ry, rz = xpos[b, 0] - com[root, 0], xpos[b, 1] - com[root, 1], xpos[b, 2] - com[root, 2]
                wx, wy, wz = cvel[b, 0], cvel[b, 1], cvel[b, 2]
                sink = -(cvel[b, 5] + wx * ry - wy * rx)
                slip = cvel[b, 3] + wy * rz - wz * ry - radius * wy
                deep = max(radius - xpos[b, 2], 0.0)
                x = min(deep / full, 1.0)
                across = stiffness * deep * deep + damping * math.tanh(sink / (2 * damping_speed)) * x * x * (3 - 2 * x)
                low = min(deep, alpha)
                stick = (low * low / (2 * alpha) + deep - low) * (k_t * state[i] + d_t * slip)
                limit = friction * across
                along = -stick * limit / math.sqrt(math.sqrt(limit**4 + stick**4 + edge**4))
                ax, az = xpos[b, 0] - xipos[b, 0], xpos[b, 2] - xipos[b, 2]
                wrench[b, 0], wrench[b, 2] = along, across
                wrench[b, 4] = (az - radius) * along - ax * across
                y = low / alpha
                held = y * (2 - y)
                sliding = stick**8 / (limit**8 + stick**8 + edge**8)
                free = rate * (1 - held + held * sliding)
                decay = math.exp(-free * step)
                gain = (1 - decay) / free if free * step > 1e-9 else step
                state[i] = state[i] * decay + slip * gain
                peak = max(peak, across)
            for k in range(ctrl.shape[0]):
                ctrl[k] = controls[n, k]
            second(model, data)
        return peak

    return run


def run(feet: Any, data: mujoco.MjData, controls: np.ndarray) -> float:
    """Step once for each row of `controls` with the feet's forces; return the largest force across."""
    model, law = feet.model, feet.law
    numbers = (law.stiffness, law.damping, law.damping_speed, law.transition_depth)
    numbers += (law.tangential_stiffness, law.tangential_damping, law.smoothing_depth)
    numbers += (law.friction, law.release_rate, law.edge)
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
