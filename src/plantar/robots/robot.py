"""A robot as Plantar sees it: a spec, its base, the places of its feet and a standing posture."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import mujoco

from plantar.errors import InvalidInput
from plantar.model.tree import below
from plantar.robots.place import Place

if TYPE_CHECKING:
    from plantar.robots.report import MountReport


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A robot without ground. `load` makes one, `mount` makes another with different feet."""

    name: str
    """Its name."""
    spec: mujoco.MjSpec
    """The robot without ground; use `spec.copy()` before editing it."""
    base: str
    """Body with the free joint."""
    places: tuple[Place, ...]
    """Where its feet are, left before right, front before hind."""
    keyframe: str
    """Name of the keyframe in which it stands."""
    source: Path | None = None
    """File it was read from; None for built-in robots and specs."""
    bare: Robot | None = field(default=None, repr=False)
    """The robot before feet were mounted; None if it has its own."""
    change: MountReport | None = field(default=None, repr=False)
    """What mounting changed; None if it has its own feet."""

    _compiled: list[mujoco.MjModel] = field(default_factory=list, init=False, repr=False, compare=False)

    def model(self) -> mujoco.MjModel:
        """The robot alone, without ground, compiled; every call returns a new model that the caller may edit."""
        if not self._compiled:
            self._compiled.append(compiled(self.spec.copy(), self.name))
        return copy.copy(self._compiled[0])

    def place(self, name: str) -> Place:
        """The place called `name`.

        Raises:
            InvalidInput: If there is none; the message lists those that exist.
        """
        for place in self.places:
            if place.name == name:
                return place
        raise InvalidInput(f"{self.name} has no foot {name!r}: it has {', '.join(p.name for p in self.places)}")

    def foot_bodies(self, model: mujoco.MjModel) -> dict[str, list[int]]:
        """Bodies of each foot in a model that the robot is part of, by the name of the link that carries it."""
        carriers = {place.body: model.body(place.body).id for place in self.places}
        return {name: [body, *below(model, body)] for name, body in carriers.items()}

    def with_change(self, change: MountReport) -> Robot:
        """The same robot, which knows what mounting changed."""
        told = replace(self, change=change)
        told._compiled.extend(self._compiled)
        return told

    def report(self) -> MountReport:
        """What mounting changed: mass, height, inertia, stance, and a diff of the elements.

        Raises:
            InvalidInput: If nothing was mounted.
        """
        if self.change is None:
            raise InvalidInput(f"{self.name} has its own feet: only plantar.robots.mount gives a report")
        return self.change

    def export(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write a folder that plain MuJoCo opens; see `plantar.robots.export`."""
        from plantar.robots.export.export import export  # noqa: PLC0415  (it draws pictures; keep lazy)

        return export(self, folder, overwrite=overwrite)


def compiled(spec: mujoco.MjSpec, name: str) -> mujoco.MjModel:
    """Compile a spec.

    Raises:
        InvalidInput: If MuJoCo cannot; the message is its own.
    """
    try:
        return spec.compile()
    except ValueError as error:
        raise InvalidInput(f"robot {name!r} cannot be compiled by MuJoCo: {' '.join(str(error).split())}") from error
