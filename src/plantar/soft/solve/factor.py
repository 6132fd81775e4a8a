"""Sparse factorisation of symmetric matrices behind one interface."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import warnings
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp

from plantar._checks import require_choice
from plantar.errors import MissingExtra
from plantar.soft.solve._pardiso import Pardiso, Singular, mkl

Backend = Literal["auto", "pardiso", "eigen", "qdldl", "superlu", "multigrid"]
"""Sparse libraries by name; `auto` takes the first that is installed, in the order pardiso, eigen, qdldl, superlu, and
for large scenes `multigrid`: conjugate gradients instead of a factorisation."""
BACKENDS = ("pardiso", "eigen", "qdldl", "superlu")


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
        return importlib.util.find_spec("pypardiso") is not None and mkl() is not None
    module = {"eigen": "eigenpy", "qdldl": "qdldl", "superlu": "scipy"}[name]
    return importlib.util.find_spec(module) is not None


def make_factor(indptr: np.ndarray, indices: np.ndarray, backend: Backend = "auto") -> Factor:
    """A factorisation for the upper CSR pattern (`indptr`, `indices`); symbolic analysis is done once.

    Raises:
        MissingExtra: If a named backend is not installed.
    """
    require_choice("backend", backend, ("auto", *BACKENDS, "multigrid"))
    if backend in ("auto", "multigrid"):
        backend = available()[0]  # type: ignore[assignment]
    elif not _works(backend):
        raise MissingExtra(f"sparse backend {backend!r} is not installed here; what is: {', '.join(available())}")
    return _CLASSES[backend](np.asarray(indptr), np.asarray(indices))


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


__all__ = ["BACKENDS", "Backend", "Factor", "Singular", "available", "make_factor"]

_CLASSES: dict[str, Any] = {"pardiso": Pardiso, "eigen": Eigen, "qdldl": Qdldl, "superlu": SuperLU}
