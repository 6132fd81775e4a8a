"""Whether trials can run on a GPU here."""

from __future__ import annotations

import importlib
from typing import Any

from plantar._extras import require_extra
from plantar.errors import InvalidInput
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
    require_extra("gpu")
    if count_gpus() == 0:
        raise InvalidInput("engine = 'gpu' is not allowed: Warp finds no NVIDIA GPU here; give engine='threads'")


def count_gpus() -> int:
    """GPUs that Warp can use."""
    warp = importlib.import_module("warp")
    warp.config.quiet = True
    warp.init()
    return warp.get_cuda_device_count()
