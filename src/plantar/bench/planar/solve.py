"""Let the pressed foot come to rest: an overdamped descent that ends as Newton's method.

Without inertia the foot moves down by D dq/dt = -dU/dq + contact, loop and tendon forces. An implicit
step of length h is the quadratic programme

    min_p  dU p + 1/2 p^T (H + D / h) p,      loop + C p = 0,      g + G p >= 0

with H the second derivative of the Lagrangian. Steps are short on the way down, so that of several
equilibria the one is found into which the foot sinks; they grow at its end, where the programme is
Newton's and its multipliers are the forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from scipy.linalg import null_space

from plantar.bench.planar.kinematics import SLIDER
from plantar.bench.planar.model import PlanarModel, build_model
from plantar.bench.planar.qp import Step, solve_qp
from plantar.bench.press.press import Trial
from plantar.bench.press.rig import PressRig
from plantar.feet.softfoot.softfoot import SoftFoot

FIRST_TIME, LAST_TIME = 0.005, 1.0
"""Length of the first and of the last steps [s]."""
TURN, DROP = 0.02, 0.0008
"""The most that an angle and the slider may move in a step [rad, m]."""
AT_REST = 1e-9
"""A last step shorter than this leaves less than a millionth of a newton unbalanced [rad, m]."""


class Status(Enum):
    """How a solution ended; the text is the advice."""

    SETTLED = "in stable equilibrium"
    UNSTABLE = "balanced on an edge: move a support or the obstacle by 0.1 mm and compare"
    SLOW = "still moving after the last iteration: allow more iterations or look for two states it jumps between"
    BLOCKED = "no posture meets loop, contacts and limits: look for supports or an obstacle that overlap the foot"


@dataclass(frozen=True)
class Touch:
    """One place where the sole presses on the bench."""

    body: str
    """Part of the sole: heel, module1, ..."""
    bench: str
    """Part of the bench: heel_support, obstacle, metatarsus_support, floor."""
    edge: bool
    """True where the bench's edge or round presses on an underside, False at a corner of the sole."""
    force: float
    """Along the normal [N]."""
    vertical: float
    """Its vertical part [N]."""


@dataclass(frozen=True)
class PlanarResult:
    """Equilibrium of one trial."""

    trial: Trial
    q: np.ndarray
    """Slider height [m], heel, anterior arch and coupling angles [rad]."""
    rotations: np.ndarray
    """Pitch of modules, metatarsus and toes, front down, in the world [rad]."""
    touches: tuple[Touch, ...]
    loop: np.ndarray
    """Force (x, z) of the anterior arch on the metatarsal joints of all chains [N]."""
    tension: float
    """Tension of each tendon [N]."""
    weight: float
    """Weight of the foot [N]."""
    residual: float
    """Gap that the loop is left with [m]."""
    violation: float
    """Deepest overlap, or angle or length beyond a limit [m, rad]."""
    iterations: int
    status: Status

    @property
    def settled(self) -> bool:
        """True in a stable equilibrium."""
        return self.status is Status.SETTLED

    def force(self, *, bench: str | None = None, body: str | None = None) -> float:
        """Vertical force on a part of the bench, or of a part of the sole, or of both [N]."""
        wanted = (t for t in self.touches if bench in (None, t.bench) and body in (None, t.body))
        return sum((touch.vertical for touch in wanted), 0.0)


def solve_trial(
    foot: SoftFoot, rig: PressRig, trial: Trial, *, start: np.ndarray | None = None, iterations: int = 400
) -> PlanarResult:
    """Find the equilibrium into which a foot sinks.

    Args:
        foot: The foot.
        rig: The bench; without friction.
        trial: Load, height and place of the obstacle.
        start: Coordinates to start from, for instance of another result; by default the straight
            foot over the bench. Where there are two equilibria the start chooses.
        iterations: Most steps.

    Returns:
        The equilibrium; look at its `status`.

    Raises:
        InvalidInput: If the press is not planar and free of friction.
    """
    model = build_model(foot, rig, trial)
    q = model.start if start is None else np.array(start, float)
    equal, above = np.zeros(2), np.zeros(len(model.inequalities(q)[0]))
    status, time, count = Status.SLOW, FIRST_TIME, 0
    while count < iterations:
        count += 1
        step = _step(model, q, equal, above, time)
        if step is None:
            status = Status.BLOCKED
            break
        equal, above = step.equal, step.above
        q, share, size = _advance(q, step.p)
        if share == 1 and size < AT_REST:
            status = _stability(model, q, equal, above)
            break
        if share == 1 and size < TURN / 2:
            time = min(1.5 * time, LAST_TIME)
    return _result(model, foot, trial, q, equal, above, status, count)


def _step(model: PlanarModel, q: np.ndarray, equal: np.ndarray, above: np.ndarray, time: float) -> Step | None:
    c, C = model.linkage.gaps(q)
    g, G = model.inequalities(q)
    H = model.hessian(q, equal, above) + np.diag(model.damping / time)
    return solve_qp(H, model.gradient(q), C, c, G, g)


def _advance(q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Go along `p` as far as a step may; returns also the share taken and the size of `p`."""
    turn, drop = float(np.abs(p[1:]).max()), abs(float(p[SLIDER]))
    share = min(1.0, TURN / max(turn, TURN), DROP / max(drop, DROP))
    return q + share * p, share, max(turn, drop)


def _stability(model: PlanarModel, q: np.ndarray, equal: np.ndarray, above: np.ndarray) -> Status:
    """Look for a way to move, along the constraints that carry force, on which energy falls."""
    _, C = model.linkage.gaps(q)
    _, G = model.inequalities(q)
    Z = null_space(np.vstack([C, G[above > 0]]))
    least = np.linalg.eigvalsh(Z.T @ model.hessian(q, equal, above) @ Z).min(initial=np.inf)
    return Status.SETTLED if least > 0 else Status.UNSTABLE


def _result(
    model: PlanarModel,
    foot: SoftFoot,
    trial: Trial,
    q: np.ndarray,
    equal: np.ndarray,
    above: np.ndarray,
    status: Status,
    iterations: int,
) -> PlanarResult:
    g, G = model.inequalities(q)
    forces, tension = model.split(above)
    touches = [
        Touch(pair.box.name, pair.bench.name, pair.moving, float(force), float(force * slope[SLIDER]))
        for pair, force, slope in zip(model.contacts.pairs, forces, G, strict=False)
        if force > 0
    ]
    return PlanarResult(
        trial=trial,
        q=q,
        rotations=model.linkage.pitches(q),
        touches=tuple(touches),
        loop=equal,
        tension=tension / foot.chains,
        weight=model.energy.weight,
        residual=float(np.linalg.norm(model.linkage.gaps(q)[0])),
        violation=max(0.0, -float(g.min())),
        iterations=iterations,
        status=status,
    )
