"""Sparse factorisation of symmetric matrices behind one interface."""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import sys
import warnings
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp

from plantar._checks import require_choice
from plantar.errors import MissingExtra, PlantarError

Backend = Literal["auto", "pardiso", "eigen", "qdldl", "superlu"]
"""Sparse libraries by name; `auto` takes the first that is installed, in the order pardiso, eigen, qdldl, superlu."""
BACKENDS = ("pardiso", "eigen", "qdldl", "superlu")


class Singular(PlantarError):
    """The matrix has no factorisation: the body is free to move, or the step is too large."""


class Factor(Protocol):
    """A matrix with a fixed pattern that is factorised again and again."""

    def update(self, data: np.ndarray) -> None:
        """Factorise with new values in the upper CSR pattern."""
        ...

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Solve for the rows of `b`, shape (k, n) or (n,); the result has the same shape."""
        ...


def available() -> tuple[str, ...]:
    """Backends that work here."""
    return tuple(name for name in BACKENDS if _works(name))


@functools.cache
def _works(name: str) -> bool:
    if name == "pardiso":
        return importlib.util.find_spec("pypardiso") is not None and _mkl() is not None
    module = {"eigen": "eigenpy", "qdldl": "qdldl", "superlu": "scipy"}[name]
    return importlib.util.find_spec(module) is not None


@functools.cache
def _mkl() -> Any:
    """MKL's library as pypardiso finds it, or None where there is none."""
    try:
        import pypardiso  # noqa: PLC0415  (extra `soft`, x86 only)

        return pypardiso.PyPardisoSolver().libmkl
    except (ImportError, OSError, AttributeError):
        return None


def make_factor(indptr: np.ndarray, indices: np.ndarray, backend: Backend = "auto") -> Factor:
    """A factorisation for the upper CSR pattern (`indptr`, `indices`); symbolic analysis is done once.

    Raises:
        MissingExtra: If a named backend is not installed.
    """
    require_choice("backend", backend, ("auto", *BACKENDS))
    if backend == "auto":
        backend = available()[0]  # type: ignore[assignment]
    elif not _works(backend):
        raise MissingExtra(f"sparse backend {backend!r} is not installed here; what is: {', '.join(available())}")
    return _CLASSES[backend](np.asarray(indptr), np.asarray(indices))


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
        self._wait = 0

    def update(self, data: np.ndarray) -> None:
        """Factorise with new values."""
        if self._wait == 0:
            if self._definite is None:
                self._definite = _fewest_operations(*self._pattern, data)
            self._used = self._definite
            if self._definite.update(data):
                return
            # indefinite tangents come in rows: do not try Cholesky again at once
            self._wait = 10
        self._wait -= 1
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
        mkl = _mkl()
        self._call = mkl.pardiso
        self._call.argtypes = None
        # element loops run on one core too; a second thread costs more than it brings at these sizes
        self._threads = getattr(mkl, "MKL_Set_Num_Threads_Local", None)
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


class Eigen:
    """Eigen's simplicial LDL^T through eigenpy."""

    def __init__(self, indptr: np.ndarray, indices: np.ndarray):
        eigenpy: Any = importlib.import_module("eigenpy")

        self.n = len(indptr) - 1
        self._full = _FullPattern(indptr, indices)
        self._solver = eigenpy.SimplicialLDLT()
        self._solver.analyzePattern(self._full.matrix(np.ones(len(indices))))

    def update(self, data: np.ndarray) -> None:
        """Factorise with new values."""
        self._solver.factorize(self._full.matrix(data))
        if "Success" not in str(self._solver.info()):
            raise Singular(f"Eigen could not factorise the matrix ({self._solver.info()})")

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Solve for rows of `b`."""
        return np.ascontiguousarray(np.asarray(self._solver.solve(np.asfortranarray(b.T))).T).reshape(b.shape)


class Qdldl:
    """QDLDL: LDL^T without pivots, with an approximate minimum degree order."""

    def __init__(self, indptr: np.ndarray, indices: np.ndarray):
        self.n = len(indptr) - 1
        # the upper triangle by rows is the lower by columns; QDLDL wants the upper by columns
        pattern = sp.csr_matrix((np.arange(1, len(indices) + 1), indices, indptr), shape=(self.n, self.n)).tocsc()
        pattern.sort_indices()
        self._order = np.asarray(pattern.data, dtype=np.int64) - 1
        self._matrix = sp.csc_matrix((np.ones(len(indices)), pattern.indices, pattern.indptr), shape=pattern.shape)
        self._solver: Any = None

    def update(self, data: np.ndarray) -> None:
        """Factorise with new values."""
        import qdldl  # noqa: PLC0415

        self._matrix.data = data[self._order]
        try:
            if self._solver is None:
                self._solver = qdldl.Solver(self._matrix, upper=True)
            else:
                self._solver.update(self._matrix, upper=True)
        except (RuntimeError, ValueError) as error:
            raise Singular(f"QDLDL could not factorise the matrix ({error})") from error

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Solve for rows of `b`."""
        if b.ndim == 1:
            return np.asarray(self._solver.solve(b))
        return np.stack([np.asarray(self._solver.solve(row)) for row in b]) if len(b) else b.copy()


class SuperLU:
    """SciPy's SuperLU in symmetric mode: there wherever SciPy is, slower, analysis not reused."""

    def __init__(self, indptr: np.ndarray, indices: np.ndarray):
        self.n = len(indptr) - 1
        self._full = _FullPattern(indptr, indices)
        self._lu: Any = None

    def update(self, data: np.ndarray) -> None:
        """Factorise with new values."""
        from scipy.sparse.linalg import splu  # noqa: PLC0415

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self._lu = splu(
                    self._full.matrix(data),
                    permc_spec="MMD_AT_PLUS_A",
                    diag_pivot_thresh=0.0,
                    options={"SymmetricMode": True},
                )
        except (RuntimeError, Warning) as error:
            raise Singular(f"SuperLU could not factorise the matrix ({error})") from error

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Solve for rows of `b`."""
        return np.ascontiguousarray(self._lu.solve(np.asfortranarray(b.T)).T).reshape(b.shape)


class _FullPattern:
    """Both triangles as CSC from the values of the upper one."""

    def __init__(self, indptr: np.ndarray, indices: np.ndarray):
        n = len(indptr) - 1
        upper = sp.csr_matrix((np.arange(1, len(indices) + 1), indices, indptr), shape=(n, n))
        full = (upper + sp.triu(upper, 1).T).tocsc()
        full.sort_indices()
        self._order = np.asarray(full.data, dtype=np.int64) - 1
        self._csc = sp.csc_matrix((np.ones(full.nnz), full.indices, full.indptr), shape=(n, n))

    def matrix(self, data: np.ndarray) -> sp.csc_matrix:
        """The matrix with these values; the arrays are shared between calls."""
        self._csc.data = data[self._order]
        return self._csc


_CLASSES: dict[str, Any] = {"pardiso": Pardiso, "eigen": Eigen, "qdldl": Qdldl, "superlu": SuperLU}
