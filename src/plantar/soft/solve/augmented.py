"""Large scenes: conjugate gradients instead of a factorisation, rows by augmented Lagrangian.

With many contacts the compliance between all rows would cost a solution for each. Instead every row that acts is a
stiff spring whose rest position is moved until its row is met: forces are l = proj(l - r w), the projection on what the
row allows, and a Newton step solves A + s^2 H^T r H. A contact with the ground adds to one block on the diagonal only,
which the multigrid knows of; the rank that cables add is small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from plantar.soft.scene.contact_near import NearContact
from plantar.soft.solve.complementarity import Forces
from plantar.soft.solve.cycle import Bordered, Cycles
from plantar.soft.solve.factor import Singular
from plantar.soft.solve.multigrid import Hierarchy, build_hierarchy
from plantar.soft.solve.projection import Projection, project
from plantar.soft.solve.row_products import local, nodes_a_row, on_nodes, without
from plantar.soft.solve.rubbing import Rubbing, least

if TYPE_CHECKING:
    from plantar.soft.solve.large import LargeProblem
    from plantar.soft.solve.sparse_rows import SparseRows

ACCURACY = 1e-6
"""Force out of balance that is left, as a fraction of all forces."""
STIFF = 5.0
"""Stiffness of a row that acts, in units of that of the nodes it acts on."""
FEW = 40
"""Most rows on several nodes, such as cables, whose rank the preconditioner knows."""
OUTER = 60
"""Most Newton steps."""
WORN = 1.6
"""Coarse levels are rebuilt when conjugate gradients take this many times their initial iterations."""


@dataclass(frozen=True, eq=False)
class Guess:
    """What a large step leaves to the next."""

    u: np.ndarray
    """Change of the free numbers."""
    levels: Hierarchy
    """Coarse levels."""
    first: float
    """Iterations for a digit of accuracy when they were new."""
    last: float
    """Iterations for a digit in the last step."""


class Search:
    """Newton steps on the augmented Lagrangian of a problem."""

    def __init__(self, p: LargeProblem):
        self.p = p
        self.HT = csr_array(p.H.T)
        self.spread = nodes_a_row(p.H) > 1
        self.iterations = self.digits = 0.0
        self.fresh = False
        old = p.state.guess if isinstance(p.state.guess, Guess) and len(p.state.guess.u) == len(p.b) else None
        self.old = old
        self.levels = self._levels() if old is None or old.last > WORN * old.first + 0.5 else old.levels
        self.cycles = Cycles(p.A, self.levels)
        self.stiff = STIFF / np.maximum(p.s**2 * local(p.H, self.cycles.inverse), 1e-300)
        self.u = self._start(old)
        self.accuracy = ACCURACY
        self.weight = float(np.linalg.norm(p.s * p.model.system.mass * np.linalg.norm(p.model.gravity)))

    def _levels(self) -> Hierarchy:
        system = self.p.model.system
        self.fresh = True
        frames = system.number[system.frame_block]
        return build_hierarchy(self.p.A, self.p.state.x[system.free], frames[frames >= 0])

    def _start(self, old: Guess | None) -> np.ndarray:
        """The change of the last step, where that is nearer than none."""
        p = self.p
        zero = np.zeros_like(p.b)
        if old is None or p.method.h is None:
            return zero
        force = p.b + p.s * (p.G.T @ p.guess())
        return old.u.copy() if np.linalg.norm(force - p.A @ old.u) < np.linalg.norm(force) else zero

    def leave(self) -> Guess:
        """What the next step starts from."""
        pace = self.iterations / max(self.digits, 1.0)
        first = pace if self.fresh or self.old is None else self.old.first
        return Guess(self.u, self.levels, first, pace)

    def run(self) -> Forces:
        """Forces that balance and meet every row."""
        p = self.p
        if (rubbing := Rubbing.of(self, FEW)) is not None:
            return rubbing.run(p.guess(), self._if_closed)
        found = self._minimise(p.delta, p.guess())
        if (delta := self._if_closed(found.value)) is not None:
            found = self._minimise(delta, found.value)
        return found

    def _if_closed(self, force: np.ndarray) -> np.ndarray | None:
        """Rows without force where a gap closed within the step: only the slip after that counts."""
        p = self.p
        closed = p.method.h is not None and any(c.closes(f) for c, f in _parts(p.active, force))
        return self._after_impact() if closed else None

    def _minimise(self, delta: np.ndarray, force: np.ndarray) -> Forces:
        """Newton steps on the augmented Lagrangian until forces balance and every row is met.

        Friction is held below a bound that is fixed while the rows that act are sought, and then taken from the normal
        forces that were found: with those of contacts that have only just been met it would run away.
        """
        p = self.p
        rubs = np.flatnonzero(p.rows.friction >= 0)
        bound = p.rows.friction[rubs] * force[rubs]
        scale = max(float(np.abs(delta).max(initial=0.0)), 1e-4 * p.model.size)
        tolerance = max(p.model.contact_tolerance, 1e-6)
        kept: Projection | None = None
        off = error = np.inf
        now = Projection.none(p.rows)
        for _ in range(OUTER):
            now, left, w = self._residual(delta, force, bound)
            pull = p.s * (p.G.T @ now.force)
            size = float(np.linalg.norm(p.b)) + float(np.linalg.norm(pull)) + 1e-3 * self.weight
            gap, off = float(np.linalg.norm(left)), now.violation(w) / scale
            wanted = p.rows.friction[rubs] * now.force[rubs]
            cone = float(np.abs(bound - wanted).max(initial=0.0)) / (float(np.abs(wanted).max(initial=0.0)) or 1.0)
            error = max(off, gap / size, 1e-3 * cone)
            if not np.isfinite(error) or error <= min(tolerance, ACCURACY):
                break
            if kept is not None and now.same(kept) and gap <= 1e-3 * size:
                # the rows that act are known: move the rest positions of their springs
                force, bound = now.force, wanted
                now, left, w = self._residual(delta, force, bound)
                gap = float(np.linalg.norm(left))
            # while rows still change there is no use in balancing the others
            digits = 0.03 if kept is not None and now.same(kept) else 0.2
            kept = now
            step = self._newton(now, left, max(digits * gap, 0.5 * ACCURACY * size))
            self.u = self.u + self._share(step, w, force, bound) * step
        return Forces(now.force, int(self.iterations), off, bool(error <= 10 * max(tolerance, ACCURACY)))

    def _share(self, step: np.ndarray, w: np.ndarray, force: np.ndarray, bound: np.ndarray) -> float:
        """Fraction of a Newton step that goes to the least of the augmented Lagrangian along it.

        That is convex, so that its slope only grows; without the share, rows would change places for ever.
        """
        p = self.p
        if not len(w):
            return 1.0
        along = p.s * (p.H @ step)
        slope0, curve = float(step @ (p.A @ self.u - p.b)), float(step @ (p.A @ step))

        def slope(t: float) -> float:
            here = project(p.rows, force, w + t * along, self.stiff, bound)
            return slope0 + t * curve - float(along @ here.force)

        return least(slope)

    def _residual(
        self, delta: np.ndarray, force: np.ndarray, bound: np.ndarray
    ) -> tuple[Projection, np.ndarray, np.ndarray]:
        """Forces of the rows as they stand, what they leave out of balance, and the rows."""
        p = self.p
        w = delta + p.s * (p.H @ self.u)
        now = project(p.rows, force, w, self.stiff, bound)
        return now, p.b + p.s * (p.G.T @ now.force) - p.A @ self.u, w

    def _newton(self, now: Projection, left: np.ndarray, enough: float) -> np.ndarray:
        """Solve with the stiffness of the rows that act."""
        p = self.p
        D = now.matrix(self.stiff * p.s**2)
        far = self.spread & (D.diagonal() > 0)
        few = int(far.sum()) <= FEW
        near = D if not few else without(D, far)
        node, stiff = on_nodes(p.H, near)
        cycle = self.cycles.stiffened(node, stiff)
        solver = Bordered(cycle, p.H[np.flatnonzero(far)], D.diagonal()[far]) if few and far.any() else cycle

        def product(x: np.ndarray) -> np.ndarray:
            return p.A @ x + (self.HT @ (D @ (p.H @ x)) if D.nnz else 0.0)

        return self.gradients(product, solver, left, enough)

    def gradients(
        self,
        product: Callable[[np.ndarray], np.ndarray],
        cycle: Callable[[np.ndarray], np.ndarray],
        b: np.ndarray,
        enough: float,
        share: float = 0.0,
    ) -> np.ndarray:
        """Conjugate gradients until what is left is small enough, or has this share of the energy norm it had."""
        x, r = np.zeros_like(b), b.copy()
        z = cycle(r)
        d, rz = z, float(r @ z)
        goal = share**2 * rz
        first = size = float(np.linalg.norm(r))
        if size <= enough:
            return x
        for _ in range(500):
            q = product(d)
            curve = float(d @ q)
            if not curve > 0:
                raise Singular("the stiffness is not positive: conjugate gradients need a factorisation here")
            x += (rz / curve) * d
            r -= (rz / curve) * q
            self.iterations += 1
            size = float(np.linalg.norm(r))
            if size <= enough:
                break
            z = cycle(r)
            new = float(r @ z)
            if new <= goal:
                break
            d = z + (new / rz) * d
            rz = new
        self.digits += np.log10(max(first / max(size, 1e-300), 1.0))
        return x

    def _after_impact(self) -> np.ndarray:
        """Rows without force, with the slip before an impact left out."""
        p = self.p
        left = p.b - p.A @ self.u
        free = self.u + self._newton(Projection.none(p.rows), left, 1e-4 * float(np.linalg.norm(p.b)))
        start = p.delta + p.s * (p.H @ free)
        end = start.copy()
        for contact, part in _parts(p.active, end):
            contact.after_impact(part)
        return p.delta + (end - start)


def _parts(active: SparseRows, rows: np.ndarray) -> Iterator[tuple[NearContact, np.ndarray]]:
    """Contacts and their part of the rows."""
    row = 0
    for name, count in active.names:
        if name in active.near:
            yield active.near[name], rows[row : row + count]
        row += count
