"""A solved gait: motion, forces, cost, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from plantar._notebook import Shown
from plantar.gait._dynamics import Dynamics
from plantar.gait._layout import Contact, Layout, Phase
from plantar.gait.legged import LeggedRobot
from plantar.gait.request import Request
from plantar.table import Table


class Status(Enum):
    """How a solve ended; the text says what to do."""

    SOLVED = "solved: locally optimal, constraints met, defect below the tolerance"
    COARSE = "locally optimal, but the defect is above the tolerance: allow more refinements"
    INFEASIBLE = "infeasible: no motion meets the request; relax what is listed as violated"
    NOT_CONVERGED = "not converged: try another guess, fewer intervals or a longer time limit"


@dataclass(frozen=True)
class Segment:
    """A phase of a motion on its mesh."""

    phase: Phase
    """Contact and stance."""
    start: float
    """When it begins."""
    duration: float
    """How long it lasts."""
    mesh: np.ndarray
    """Length of each interval as a fraction of the phase."""
    points: np.ndarray
    """Unknowns at nodes and midpoints, one row per point."""

    @property
    def nodes(self) -> np.ndarray:
        """Fractions of the phase at which intervals meet."""
        return np.concatenate([[0.0], np.cumsum(self.mesh)])

    @property
    def times(self) -> np.ndarray:
        """Times of the points."""
        nodes = self.nodes
        shares = np.empty(2 * len(self.mesh) + 1)
        shares[::2], shares[1::2] = nodes, (nodes[1:] + nodes[:-1]) / 2
        return self.start + self.duration * shares

    def at(self, times: np.ndarray, layout: Layout) -> np.ndarray:
        """Points between the mesh's: states on the cubics of the collocation, all else on parabolas."""
        share = np.clip((np.atleast_1d(times) - self.start) / self.duration, 0, 1)
        k = np.clip(np.searchsorted(self.nodes, share, side="right") - 1, 0, len(self.mesh) - 1)
        s = ((share - self.nodes[k]) / self.mesh[k])[:, None]
        w0, wm, w1 = self.points[2 * k], self.points[2 * k + 1], self.points[2 * k + 2]
        values = w0 * (1 - s) * (1 - 2 * s) + wm * 4 * s * (1 - s) + w1 * s * (2 * s - 1)
        rows, step = layout.derivative, (self.duration * self.mesh[k])[:, None]
        f0, fm, f1 = w0[:, rows], wm[:, rows], w1[:, rows]
        cubic = s * f0 + s**2 / 2 * (-3 * f0 + 4 * fm - f1) + s**3 / 3 * (2 * f0 - 4 * fm + 2 * f1)
        values[:, : layout.states] = w0[:, : layout.states] + step * cubic
        return values


@dataclass(frozen=True)
class GaitResult(Shown):
    """A periodic gait, or the best attempt at one; numbers are in the robot's units."""

    robot: LeggedRobot
    """The robot."""
    request: Request
    """The request."""
    contact: Contact
    """Contact model."""
    status: Status
    """How the solve ended."""
    segments: tuple[Segment, ...]
    """The motion, phase by phase."""
    cost: float
    """Cost of the stride, by the request's measure [m g l0]."""
    violation: float
    """Largest constraint violation."""
    defect: float
    """Largest defect between nodes, over the size of its state."""
    iterations: int
    """Iterations of IPOPT, all meshes together."""
    seconds: float
    """Wall time, building included [s]."""
    cpu_seconds: float
    """Processor time, building included [s]."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """One row per mesh."""
    violated: list[str] = field(default_factory=list)
    """What could not be met, most violated first."""

    @property
    def ok(self) -> bool:
        """Whether the gait can be used."""
        return self.status in (Status.SOLVED, Status.COARSE)

    @property
    def stride_time(self) -> float:
        """Time from start to end."""
        return float(sum(s.duration for s in self.segments))

    @property
    def intervals(self) -> int:
        """Intervals of all phases."""
        return sum(len(s.mesh) for s in self.segments)

    @property
    def distance(self) -> float:
        """How far it goes from start to end."""
        return float(self.q[-1, 0] - self.q[0, 0])

    @property
    def transport(self) -> float:
        """Cost of transport: losses over weight times distance."""
        return self.cost / (self.robot.mass * self.distance)

    @property
    def speed(self) -> float:
        """Average speed."""
        return self.distance / self.stride_time

    @cached_property
    def layouts(self) -> list[Layout]:
        """Rows of the segments' points."""
        return [Layout.of(self.robot, s.phase) for s in self.segments]

    @cached_property
    def times(self) -> np.ndarray:
        """Times of all points; where phases meet there are two."""
        return np.concatenate([s.times for s in self.segments])

    @cached_property
    def q(self) -> np.ndarray:
        """Coordinates with motors, one row per point."""
        return np.vstack([s.points[:, lay.q] for s, lay in zip(self.segments, self.layouts, strict=True)])

    @cached_property
    def v(self) -> np.ndarray:
        """Velocities."""
        return np.vstack([s.points[:, lay.v] for s, lay in zip(self.segments, self.layouts, strict=True)])

    @cached_property
    def deflection(self) -> np.ndarray:
        """Deflections of the feet's anchors, zero in rigid phases."""
        return np.vstack([self._anchors(s, lay) for s, lay in zip(self.segments, self.layouts, strict=True)])

    def _anchors(self, segment: Segment, layout: Layout) -> np.ndarray:
        empty = np.zeros((len(segment.points), self.robot.legs))
        return segment.points[:, layout.deflection] if layout.feet else empty

    @cached_property
    def torque(self) -> np.ndarray:
        """Motor forces: hip, leg of each leg."""
        model = Dynamics(self.robot)
        a = np.vstack([s.points[:, lay.a] for s, lay in zip(self.segments, self.layouts, strict=True)])
        joint = model.terms(self.q, self.v)["joint"]
        return joint + model.inertia * a[:, model.bodies :]

    @cached_property
    def force(self) -> np.ndarray:
        """Ground force on each foot: along, across."""
        soft = Dynamics(self.robot).terms(self.q, self.v, self.deflection)["soft"]
        if self.contact == "soft":
            return soft
        force, row = np.zeros_like(soft), 0
        for segment, layout in zip(self.segments, self.layouts, strict=True):
            for i, foot in enumerate(segment.phase.stance):
                at = segment.points[:, layout.force][:, 2 * i : 2 * i + 2]
                force[row : row + len(at), 2 * foot : 2 * foot + 2] = at
            row += len(segment.points)
        return force

    @cached_property
    def feet(self) -> np.ndarray:
        """Centre of each foot along the ground and its gap to it, one pair per foot."""
        return Dynamics(self.robot).terms(self.q, self.v, self.deflection)["place"]

    @property
    def lines(self) -> list[float]:
        """Times at which rigid phases meet."""
        return [s.start for s in self.segments[1:]]

    def at(self, times: np.ndarray) -> dict[str, np.ndarray]:
        """Coordinates, velocities, accelerations, deflections and torques at any times of the stride."""
        times = np.atleast_1d(np.asarray(times, float))
        starts = np.array([s.start for s in self.segments])
        which = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(starts) - 1)
        model = Dynamics(self.robot)
        q, v = np.empty((len(times), model.size)), np.empty((len(times), model.size))
        a, d = np.empty_like(q), np.zeros((len(times), self.robot.legs))
        for i, (segment, layout) in enumerate(zip(self.segments, self.layouts, strict=True)):
            here = which == i
            points = segment.at(times[here], layout)
            q[here], v[here], a[here] = points[:, layout.q], points[:, layout.v], points[:, layout.a]
            if layout.feet:
                d[here] = points[:, layout.deflection]
        joint = model.terms(q, v)["joint"] if len(times) else np.empty((0, 2 * self.robot.legs))
        return {"q": q, "v": v, "a": a, "deflection": d, "torque": joint + model.inertia * a[:, model.bodies :]}

    def table(self) -> Table:
        """The motion, one row per point."""
        names, motors = self.robot.coordinates, self.robot.coordinates[3 + 2 * self.robot.legs :]
        feet = [""] if self.robot.legs == 1 else [f"_{leg}" for leg in self.robot.leg_names]
        rows = []
        for i, time in enumerate(self.times):
            row = {"time": time, **dict(zip(names, self.q[i], strict=True))}
            row |= {f"{n}_speed": v for n, v in zip(names, self.v[i], strict=True)}
            row |= {f"torque_{n}": t for n, t in zip(motors, self.torque[i], strict=True)}
            for k, foot in enumerate(feet):
                row |= {f"foot_x{foot}": self.feet[i, 2 * k], f"foot_gap{foot}": self.feet[i, 2 * k + 1]}
                row |= {f"force_along{foot}": self.force[i, 2 * k], f"force_across{foot}": self.force[i, 2 * k + 1]}
            rows.append(row)
        return Table(rows)

    def summary(self) -> dict[str, Any]:
        """The headline numbers."""
        return {
            "robot": self.robot.name,
            "contact": self.contact,
            "status": self.status.name.lower(),
            "cost": self.cost,
            "cost_of_transport": self.transport,
            "speed": self.speed,
            "stride_time": self.stride_time,
            "violation": self.violation,
            "defect": self.defect,
            "intervals": self.intervals,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }
