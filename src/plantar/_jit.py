"""Numba's compiler; its cache saves time and no more, so whatever is wrong with that leaves the work alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` with compiled code kept on disk where that can be done.

    Args:
        **options: Those of `numba.njit`, without `cache`.
    """
    from numba import njit as compiler  # noqa: PLC0415  (extras `soft` and `foothold` bring it)

    def compile_(function: Callable[..., Any]) -> Any:
        compiled = compiler(**options)(function)
        _keep_on_disk(compiled)
        return compiled

    return compile_


def _keep_on_disk(compiled: Any) -> None:
    """Give a compiled function a cache, if there is a folder for one and Numba is not turned off."""
    from numba.core.caching import FunctionCache  # noqa: PLC0415

    class Cache(FunctionCache):
        """A cache that is as good as empty where it is damaged, and writes nothing where the disk is full."""

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception:  # pickles that are cut off raise nearly anything
                with contextlib.suppress(Exception):
                    self.flush()
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except Exception:
                self.disable()

    if not hasattr(compiled, "enable_caching"):  # NUMBA_DISABLE_JIT leaves functions as they are
        return
    with contextlib.suppress(RuntimeError, OSError):  # neither this folder nor the user's can be written
        compiled._cache = Cache(compiled.py_func)
