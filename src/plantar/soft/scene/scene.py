"""Scenes: bodies, actuators, bonds and contacts that move together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Duration, NotNegative, Vector, check_value
from plantar._kinds import Long
from plantar.errors import InvalidInput
from plantar.soft.fem.parts import check_unique
from plantar.soft.scene.bond import FixedDistance, FixedPosition, LiveDistance, LivePosition
from plantar.soft.scene.cable import Cable, LiveCable
from plantar.soft.scene.cavity import Cavity, LiveCavity
from plantar.soft.scene.contact import Contact, LiveContact
from plantar.soft.scene.goal import Goal, LiveGoal
from plantar.soft.scene.load import LiveLoad, Load
from plantar.soft.scene.overconstrained import check_held
from plantar.soft.scene.place import Placer
from plantar.soft.scene.skin import LiveSkin, Skin
from plantar.soft.solve.drive import Driver
from plantar.soft.solve.factor import Backend
from plantar.soft.solve.system import System

Actuator = Cable | Cavity


class Scene(Driver):
    """Soft and rigid bodies with what drives, holds and touches them.

    Building one checks everything that can be checked before the first step. All lengths, masses and times may be
    in any consistent units; SI is what files and the rest of Plantar use. Steps are pure functions of the scene, its
    state and its commands (`plantar.soft.solve`): `scene.state` can be kept and given back to `restore`.

    Args:
        bodies: Bodies with different names.
        actuators: Cables and cavities.
        bonds: Distances and positions that are held.
        contacts: What may touch what.
        goals: Points that the inverse brings to their targets.
        loads: Forces on points.
        skins: Other representations of bodies, for contact or display.
        gravity: Acceleration [m/s^2].
        dt: Time step [s].
        mode: `dynamic`: backward Euler with one linearisation per step. `static`: every step is an equilibrium.
        rayleigh: Damping on mass [1/s] and stiffness [s] of bodies without their own.
        backend: Sparse library; see `plantar.soft.solve.factor`.
        dump: Folder for the last good state if a step cannot be saved; None writes none.
    """

    def __init__(
        self,
        bodies: Sequence[Any],
        actuators: Sequence[Actuator] = (),
        *,
        bonds: Sequence[FixedDistance | FixedPosition] = (),
        contacts: Sequence[Contact] = (),
        goals: Sequence[Goal] = (),
        loads: Sequence[Load] = (),
        skins: Sequence[Skin] = (),
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        dt: float = 0.01,
        mode: Literal["dynamic", "static"] = "dynamic",
        rayleigh: tuple[float, float] = (0.1, 0.1),
        backend: Backend = "auto",
        dump: str | Path | None = None,
    ):
        require(len(bodies) > 0, "bodies", 0, "at least one body")
        check_value("dt", dt, Duration)
        check_value("rayleigh", rayleigh, Annotated[Sequence[NotNegative], Long(2)])
        require_choice("mode", mode, ("dynamic", "static"))
        check_value("gravity", gravity, Vector)
        check_unique([*bodies, *actuators, *bonds, *contacts, *goals, *loads, *skins])
        self.dt, self.mode, self.dump = float(dt), mode, dump
        self.gravity = np.asarray(gravity, dtype=float)
        self.bodies = {b.name: b for b in bodies}
        self.system = System(list(bodies), rayleigh, backend)
        system = self.system
        self._placer = Placer(self.bodies, system)
        self.skins = {k.name: LiveSkin(k, self._placer) for k in skins}
        self._build(actuators, bonds, contacts, goals, loads)
        self._finish()
        self.reset()
        check_held(self)

    def _build(
        self,
        actuators: Iterable[Actuator],
        bonds: Iterable[Any],
        contacts: Iterable[Contact],
        goals: Iterable[Goal],
        loads: Iterable[Load],
    ) -> None:
        x, quat = self.system.x0, self.system.quat0
        self.actuators: dict[str, LiveCable | LiveCavity] = {
            a.name: (LiveCable if isinstance(a, Cable) else LiveCavity)(a, self._placer, x, quat)  # type: ignore[arg-type]
            for a in actuators
        }
        self.configs = {a.name: a for a in actuators}
        self._stiffen_cables()
        self.bonds = {
            b.name: (LiveDistance if isinstance(b, FixedDistance) else LivePosition)(b, self._placer, x, quat)  # type: ignore[arg-type]
            for b in bonds
        }
        self.goals = {g.name: LiveGoal(g, self._placer, x, quat) for g in goals}
        self.loads = {g.name: LiveLoad(g, self._placer, x, quat) for g in loads}
        self.contacts = {c.name: LiveContact(c, self._placer, self) for c in contacts}

    def positions(self, body: str) -> np.ndarray:
        """Places of the nodes of a body, or the place of a rigid one."""
        if body not in self.bodies:
            if body in self.system.frame_name:
                return self.state.x[[self.system.frame_block[self.system.frame_name[body]]]]
            raise InvalidInput(f"unknown body {body!r}: the scene has {', '.join(self.bodies)}")
        parts, at = self.system.parts[body], self.system.offset[body]
        p = len(parts.points)
        if p:
            return self.state.x[at : at + p].copy()
        return self.state.x[at : at + parts.size : 2].copy()

    def orientation(self, body: str) -> np.ndarray:
        """Quaternion w x y z of a rigid body or rigid region."""
        if body not in self.system.frame_name:
            raise InvalidInput(f"{body!r} is not rigid; rigid are {', '.join(self.system.frame_name) or 'none'}")
        return self.state.quat[self.system.frame_name[body]].copy()

    def point_map(self, body: str, points: Any, outside: Literal["error", "extrapolate"] = "error") -> Any:
        """Map places of the rest shape onto a body: `.positions(scene.state.x, scene.state.quat)` follows it."""
        return self._placer.map(body, points, "points", outside)

    @property
    def dofs(self) -> int:
        """Degrees of freedom: numbers that can change."""
        return self.system.dofs
