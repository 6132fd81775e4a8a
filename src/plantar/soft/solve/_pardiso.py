"""MKL Pardiso, called directly through the library that pypardiso brings."""

from __future__ import annotations

import ctypes
import functools
import os
import site
import sys
from pathlib import Path
from typing import Any

import numpy as np

from plantar.errors import PlantarError


class Singular(PlantarError):
    """The matrix has no factorisation: the body is free to move, or the step is too large."""


@functools.cache
def mkl() -> Any:
    """MKL's library as pypardiso finds it, or None where there is none."""
    _tell_place()
    try:
        import pypardiso  # noqa: PLC0415  (extra `soft`, x86 only)

        return pypardiso.PyPardisoSolver().libmkl
    except (ImportError, OSError, AttributeError):
        return None


def _tell_place() -> None:
    """Tell pypardiso where the wheel of MKL put the library: else it searches the whole environment, for seconds."""
    for root in (sys.prefix, site.USER_BASE or sys.prefix):
        for folder in ("lib", "Library/bin"):
            found = sorted((Path(root) / folder).glob("*mkl_rt*"))
            if found:
                os.environ.setdefault("PYPARDISO_MKL_RT", str(found[0]))
                return


class Pardiso:
    """MKL Pardiso, called directly so that a step costs one call to factorise and one to solve.

    Cholesky first; a matrix that is not positive definite, such as a tangent past a limit point, is factorised as
    LDL^T with pivots instead. Analysis happens at the first `update`, by nested dissection and by minimum degree; the
    one with fewer operations is kept.
    """

    def __init__(self, indptr: np.ndarray, indices: np.ndarray):
        self.n = len(indptr) - 1
        self._pattern = (indptr, indices)
        self._definite: _Pardiso | None = None
        self._indefinite: _Pardiso | None = None
        self._used: _Pardiso | None = None

    def update(self, data: np.ndarray) -> None:
        """Factorise with new values."""
        if self._definite is None:
            self._definite = _fewest_operations(*self._pattern, data)
        self._used = self._definite
        # what was found for other values must not choose the method: the same values give the same bits
        if self._definite.update(data):
            return
        if self._indefinite is None:
            self._indefinite = _Pardiso(*self._pattern, mtype=-2, order=2)
        self._used = self._indefinite
        if not self._indefinite.update(data):
            raise Singular("the matrix is singular: something in the scene is free to move without any force")

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Solve for rows of `b`."""
        assert self._used is not None
        return self._used.solve(b)


def _fewest_operations(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray) -> _Pardiso:
    made = [_Pardiso(indptr, indices, mtype=2, order=order) for order in (2, 0)]
    costs = [p.analyse(data) for p in made]
    return made[int(np.argmin(costs))]


class _Pardiso:
    """One handle of Pardiso."""

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, mtype: int, order: int):
        self.n = len(indptr) - 1
        self._ia, self._ja = (indptr + 1).astype(np.int32), (indices + 1).astype(np.int32)
        self._pt, self._iparm = np.zeros(64, dtype=np.int64), np.zeros(64, dtype=np.int32)
        self._iparm[0] = 1  # no defaults: all of the following counts
        self._iparm[1] = order  # 0 minimum degree, 2 nested dissection
        self._iparm[9] = 8  # pivots below 1e-8 are perturbed
        self._iparm[17] = self._iparm[18] = -1  # report size and cost of the factor
        self._iparm[20] = 1  # Bunch-Kaufman pivots, for LDL^T
        self._iparm[23] = 1 if self.n < 1000 else 0  # the two-level scheduler has less overhead on small matrices
        library = mkl()
        self._call = library.pardiso
        self._call.argtypes = None
        # element loops run on one core too; a second thread costs more than it brings at these sizes
        self._threads = getattr(library, "MKL_Set_Num_Threads_Local", None)
        self._numbers = np.array(
            [1, mtype, 0, self.n, 1, 0, 0], dtype=np.int32
        )  # one, mtype, phase, n, nrhs, msg, error
        base = self._numbers.ctypes.data
        at = [ctypes.c_void_p(base + 4 * i) for i in range(7)]
        self._a, self._b, self._x = ctypes.c_void_p(0), ctypes.c_void_p(0), ctypes.c_void_p(0)
        p = ctypes.c_void_p
        self._arguments = (
            p(self._pt.ctypes.data),
            at[0],
            at[0],
            at[1],
            at[2],
            at[3],
            self._a,
            p(self._ia.ctypes.data),
            p(self._ja.ctypes.data),
            None,
            at[4],
            p(self._iparm.ctypes.data),
            at[5],
            self._b,
            self._x,
            at[6],
        )
        self._analysed = False

    @property
    def error(self) -> int:
        """Pardiso's code of the last error."""
        return int(self._numbers[6])

    def _run(self, phase: int) -> bool:
        self._numbers[2] = phase
        if self._threads:
            before = self._threads(1)
            self._call(*self._arguments)
            self._threads(before)
        else:
            self._call(*self._arguments)
        return not self._numbers[6]

    def analyse(self, data: np.ndarray) -> float:
        """Order and allocate; returns the cost of a factorisation in operations."""
        self._a.value = data.ctypes.data
        if not self._run(11):
            raise Singular(f"MKL Pardiso could not analyse the matrix (error {self.error})")
        self._analysed = True
        return float(self._iparm[18])

    def update(self, data: np.ndarray) -> bool:
        """Factorise; whether it worked."""
        if not self._analysed:
            self.analyse(data)
        self._data = data  # Pardiso reads it again in refinement
        self._a.value = data.ctypes.data
        # a perturbed pivot means that the matrix is singular, whatever Pardiso makes of it
        return self._run(22) and not self._iparm[13]

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Solve for rows of `b`."""
        b = np.ascontiguousarray(b)
        x = np.empty_like(b)
        self._numbers[4] = 1 if b.ndim == 1 else len(b)
        self._b.value, self._x.value = b.ctypes.data, x.ctypes.data
        if not self._run(33):
            raise Singular(f"MKL Pardiso could not solve (error {self.error})")
        return x

    def __del__(self) -> None:
        # at the end of the interpreter memory goes anyway, and modules are gone
        if getattr(self, "_analysed", False) and not sys.is_finalizing():
            self._run(-1)
