"""ONNX files, opened in one place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from plantar._extras import require_extra
from plantar.errors import InvalidInput


def open_network(path: str | Path, threads: int, *, what: str, made_by: str) -> Any:
    """An ONNX Runtime session for a file, on this many threads (0 is all cores).

    Args:
        path: The file.
        threads: Threads.
        what: What it should be, as `network`, for the error.
        made_by: The command that writes such files.

    Raises:
        MissingExtra: If ONNX Runtime is not installed.
        InvalidInput: If the file is not a network.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # or it notes an identifier of this machine and reports it
    try:
        import onnxruntime  # noqa: PLC0415  (extra `foothold`)
    except ImportError:
        require_extra("foothold")
        raise
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads or _cores(), 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(Path(path).read_bytes(), options, providers=["CPUExecutionProvider"])
    # ONNX Runtime raises its own classes for everything that is wrong with a file
    except Exception as error:
        raise InvalidInput(
            f"{str(path)!r} is not a {what} ({type(error).__name__}): give the .onnx file of `{made_by}`"
        ) from error


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
