"""Whether trials can run on a GPU here."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from plantar.errors import InvalidInput, MissingExtra
from plantar.sweep._work import name_of

METHOD = "run_batch_gpu"


def require_gpu(function: Any) -> None:
    """Raise unless `function` has a GPU form and this machine can run it.

    Raises:
        InvalidInput: If the function has no method `run_batch_gpu`, or there is no GPU.
        MissingExtra: If MuJoCo Warp is not installed.
    """
    if not hasattr(function, METHOD):
        raise InvalidInput(
            f"engine = 'gpu' is not allowed for {name_of(function)}, which has no method {METHOD}(configs, seeds): "
            "give engine='threads', or an object that has one"
        )
    missing = [name for name in ("warp", "mujoco_warp") if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f"engine = 'gpu' needs {', '.join(missing)}: install with `pip install 'plantar[gpu]'`")
    if count_gpus() == 0:
        raise InvalidInput("engine = 'gpu' is not allowed: Warp finds no NVIDIA GPU here; give engine='threads'")


def count_gpus() -> int:
    """GPUs that Warp can use."""
    warp = importlib.import_module("warp")
    warp.config.quiet = True
    warp.init()
    return warp.get_cuda_device_count()
