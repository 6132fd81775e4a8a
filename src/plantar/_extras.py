"""Optional dependencies: what each extra unlocks, and the error when one is missing."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from plantar.errors import MissingExtra


@dataclass(frozen=True, kw_only=True)
class Extra:
    """A group of optional packages."""

    modules: tuple[str, ...]
    """Modules that must be importable."""
    unlocks: str
    """What works with it, for people to read."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules that are not installed."""
        return tuple(name for name in self.modules if importlib.util.find_spec(name) is None)


EXTRAS = {
    "calibrate": Extra(
        modules=("absl", "colorama", "imageio", "jinja2", "plotly", "yaml", "tabulate"),
        unlocks="`plantar bench calibrate` (mujoco.sysid)",
    ),
    "fit": Extra(modules=("cmaes",), unlocks="`plantar ground fit` from recorded motions (CMA-ES)"),
    "walk": Extra(modules=("daqp", "qpsolvers", "piqp"), unlocks="`plantar walk` (whole-body and predictive control)"),
    "gym": Extra(modules=("gymnasium",), unlocks="the environment `plantar/Walk-v0`"),
    "table": Extra(modules=("pyarrow",), unlocks="tables as Parquet beside CSV"),
    "gpu": Extra(modules=("warp", "mujoco_warp"), unlocks="`plantar.sweep.run(engine='gpu')` (MuJoCo Warp)"),
    "gait": Extra(modules=("casadi",), unlocks="`plantar gait` (CasADi, IPOPT)"),
    "soft": Extra(
        modules=("numba", "meshio", "qpsolvers", "daqp", "yaml", "serial"),
        unlocks="`plantar soft` (finite elements, cables, pressure, inverse)",
    ),
    "cad": Extra(modules=("cascadio",), unlocks="STEP files in `plantar soft mesh`"),
    "foothold": Extra(
        modules=("numba", "onnxruntime"), unlocks="foothold networks (ONNX Runtime); compiled foothold costs"
    ),
    "train": Extra(modules=("torch", "onnx"), unlocks="`plantar foothold train` (PyTorch, ONNX)"),
    "learn": Extra(
        modules=("torch", "mjlab", "rsl_rl", "tensordict", "mujoco_warp", "onnx"),
        unlocks="`plantar learn` (PyTorch, mjlab, rsl-rl)",
    ),
    "show": Extra(modules=("viser", "imageio_ffmpeg"), unlocks="`plantar view`, pages and films to send"),
    "docs": Extra(modules=("zensical", "mkdocstrings"), unlocks="`python3 start.py docs` (this project's site)"),
    "design": Extra(modules=("optuna", "cmaes"), unlocks="`plantar design` (optuna's samplers, CMA-ES)"),
    "cluster": Extra(modules=("ray",), unlocks="`plantar.sweep.run(engine='ray')`"),
}
"""The extras of `pyproject.toml`, without `all` and `dev`."""


def require_extra(name: str) -> None:
    """Raise `MissingExtra` unless every module of extra `name` is installed.

    Raises:
        MissingExtra: The message names the modules and the command that installs them.
    """
    missing = EXTRAS[name].missing
    if missing:
        raise MissingExtra(
            f"{EXTRAS[name].unlocks} needs {', '.join(missing)}: install with `pip install 'plantar[{name}]'`"
        )
