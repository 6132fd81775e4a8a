"""`python -m plantar` is the command `plantar`; it is ready for signals before anything large is imported."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn

from plantar._signals import Stopped, asked_to_stop, ignore_signals, stop_on_signals


def main() -> None:
    """Run the command line and leave with its exit code."""
    code = 0
    # where a stream is closed there is nobody to write to, and nothing to be read
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))
    sys.stdin = sys.stdin or open(os.devnull)
    os.environ["MPLBACKEND"] = "agg"  # figures go to files, whatever is meant to show others
    try:
        stop_on_signals()
        from plantar.cli.app import run  # noqa: PLC0415  (slow, and a signal may come meanwhile)

        code = run()
        ignore_signals()
    except Stopped as stop:
        print(f"plantar: error: {stop}", file=sys.stderr)
        code = 128 + stop.signal
    if asked_to_stop() or any(thread.name != "signals" for thread in threading.enumerate()[1:]):
        # a thread may still be inside MuJoCo, or a signal have cut a C library off halfway: Python would crash while it
        # takes itself apart
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """End this process as it is, after what the end of any process does for others."""
    sys.stdout.flush()
    sys.stderr.flush()
    if used := sys.modules.get("multiprocessing"):
        for child in used.active_children():  # of work that a signal has cut off
            child.kill()
    atexit._run_exitfuncs()  # gives back semaphores and temporary folders
    os._exit(code)


if __name__ == "__main__":
    main()
