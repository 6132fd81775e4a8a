"""Whether trials can run on a GPU here, and on which device."""

from __future__ import annotations

import importlib
import os
from typing import Any

from plantar._extras import require_extra
from plantar.errors import InvalidInput
from plantar.sweep.job import name_of

METHOD = "run_batch_gpu"
DEVICE = "PLANTAR_WARP_DEVICE"
"""Environment variable that names Warp's device: `cuda:1` for a second card, `cpu` for (slow) debugging."""


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
    require_device()


def require_device() -> None:
    """Raise unless this machine can run MuJoCo Warp.

    Raises:
        InvalidInput: If there is no GPU, or not the one that `PLANTAR_WARP_DEVICE` names.
        MissingExtra: If MuJoCo Warp is not installed.
    """
    require_extra("gpu")
    wanted = os.environ.get(DEVICE, "")
    if wanted != "cpu" and count_gpus() == 0:
        raise InvalidInput("engine = 'gpu' is not allowed: Warp finds no NVIDIA GPU here; give engine='threads'")
    if wanted and wanted not in device_names():
        known = ", ".join(device_names())
        raise InvalidInput(f"{DEVICE} = {wanted!r} is not allowed: Warp has {known} here; give one of them or nothing")


def count_gpus() -> int:
    """GPUs that Warp can use."""
    return quiet_warp().get_cuda_device_count()


def device_names() -> list[str]:
    """Devices that Warp has here."""
    return [device.alias for device in quiet_warp().get_devices()]


def chosen_device() -> str:
    """The device that trials run on."""
    return os.environ.get(DEVICE) or "cuda:0"


def quiet_warp() -> Any:
    """The module `warp`, with its own output silenced."""
    warp = importlib.import_module("warp")
    # older versions know `quiet`, newer ones a level
    warp.config.quiet = True
    warp.config.log_level = getattr(warp, "LOG_ERROR", 0)
    warp.init()
    return warp
