"""Put other feet on a robot."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

from plantar import feet as _feet
from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.model import keyframes as _keys
from plantar.model.keyframes import free_address, posed
from plantar.model.shape import lowest
from plantar.model.tree import collides, geoms_of
from plantar.robots.load.load import load, to_body
from plantar.robots.mount import balance as _balance
from plantar.robots.mount import changes as _changes
from plantar.robots.mount import contacts as _contacts
from plantar.robots.mount import link_mass as _link_mass
from plantar.robots.mount import references as _references
from plantar.robots.mount.notes import notes_on
from plantar.robots.mount.overlap import check_fit
from plantar.robots.mount.placement import FootPlacement, placement_of, shape_of
from plantar.robots.mount.stance import Stance, stance_of
from plantar.robots.place import Place
from plantar.robots.report import MountReport, PlaceChange
from plantar.robots.robot import Robot, compiled

MAX_OFFSET, MAX_PITCH = 0.5, math.radians(45)
"""Largest offset [m] and pitch [rad] allowed."""
SEPARATORS = ("/", "-", "_", ".", ":")
"""Separators allowed between the name of a place and the names in its foot."""


@checks_arguments
def mount(
    robot: Robot | str | Path | mujoco.MjSpec,
    foot: Foot | str,
    *,
    ankles: Sequence[str] | None = None,
    pitch: float | None = None,
    offset: float | None = None,
    separator: str = "/",
) -> Robot:
    """Replace the feet of a robot; the given robot is not changed.

    The geoms of the old feet are removed, and only those; their links keep their mass without a sole. Copies of the
    foot, mirrored where a foot has sides, are attached to them: at the ankle joint where the leg has one, else at the
    end of the shank. Keyframes are carried over, and they and the base are lifted so that the soles touch z = 0.

    Args:
        robot: The robot, or anything that `load` takes. Feet mounted earlier are replaced.
        foot: A foot, or the name of one.
        ankles: Last bodies or joints of the legs; None finds them.
        pitch: Pitch of the feet, toes down [rad]; None solves it for balance.
        offset: How far the feet's ankles sit in front of the robot's [m]; None solves it for balance.
        separator: Separator between the name of a place and the names in its foot, as in `left/heel`. Tools that split
            names at a slash, as mjlab does, need another one.

    Raises:
        InvalidInput: If the robot cannot be loaded, an ankle does not exist, or the foot does not fit.
    """
    _check_number("offset", offset, MAX_OFFSET)
    _check_number("pitch", pitch, MAX_PITCH)
    require(separator in SEPARATORS, "separator", separator, f"one of {' '.join(SEPARATORS)}")
    bare = _bare(robot, ankles)
    return _Mounting(bare, _feet.get(foot) if isinstance(foot, str) else foot, separator).done(offset, pitch)


def _check_number(name: str, value: float | None, most: float) -> None:
    ok = value is None or (math.isfinite(value) and abs(value) <= most)
    require(ok, name, value, f"a number from {-most:.4g} to {most:.4g}")


def _bare(robot: Robot | str | Path | mujoco.MjSpec, ankles: Sequence[str] | None) -> Robot:
    if isinstance(robot, Robot):
        robot = robot.bare or robot
    return load(robot, ankles=ankles)


class _Mounting:
    """One run of `mount`."""

    def __init__(self, robot: Robot, foot: Foot, separator: str):
        self.robot, self.foot, self.separator = robot, foot, separator
        self.spec, self.old = robot.spec.copy(), robot.model()
        self.base = self.old.body(robot.base).id
        self.data = posed(self.old, mujoco.MjData(self.old), self.old.key(robot.keyframe).qpos)
        self.shape = shape_of(foot)
        self.placements = [
            placement_of(self.old, self.data, self.base, place, foot, self.shape) for place in robot.places
        ]
        self.solves = len(self.placements) == 2 and all(placement.ankle is not None for placement in self.placements)

    def done(self, offset: float | None, pitch: float | None) -> Robot:
        """Mount, and return the new robot."""
        self._check_fit(_balance.unsolved(offset or 0.0, pitch or 0.0))  # it is quick, solving is not
        balance = self._balance(offset, pitch)
        self._check_fit(balance)
        _link_mass.bake(self.spec, self.old)
        keys = _keys.take_keys(self.spec, self.old)
        changed = self._remove()
        links = [self._lighten(placement) for placement in self.placements]
        options = _contacts.set_options(self.spec, self.foot)
        _references.spell_out_materials(self.spec)
        for placement in self.placements:
            self._attach(placement, balance)
        _feet.set_contact(self.spec, self.foot, *map(self._prefix, self.placements))
        legs = [(p.place, p.leg, self._prefix(p)) for p in self.placements]
        changed += _contacts.exclude(self.spec, self.old, legs, self.data)
        places = tuple(self._place(placement, balance) for placement in self.placements)
        lifts = self._carry(keys, places)
        mounted = dataclasses.replace(self.robot, spec=self.spec, places=places, bare=self.robot)
        given = {"offset": offset, "pitch": pitch}
        report = MountReport(
            robot=self.robot.name,
            foot=self.foot.name,
            offset=balance.offset,
            pitch=balance.pitch,
            solved=tuple(name for name, value in given.items() if value is None and self.solves),
            balance=balance.places(),
            keyframes=lifts,
            options=options,
            changed=tuple(changed),
            places=tuple(_sized(*row) for row in zip(links, self.robot.places, places, strict=True)),
            **_changes.compare(self.old, mounted.model(), self._stances(mounted)),
        )
        return mounted.with_change(dataclasses.replace(report, notes=notes_on(mounted, report)))

    def _prefix(self, placement: FootPlacement) -> str:
        return placement.place.name + self.separator

    def _check_fit(self, balance: _balance.Balance) -> None:
        check_fit(
            self.robot.name,
            self.foot,
            [(placement.place.name, placement.sole(balance)) for placement in self.placements],
        )

    def _balance(self, offset: float | None, pitch: float | None) -> _balance.Balance:
        """Offset and pitch; legs without ankles, and robots on four feet, keep their soles where they were."""
        com = self.data.subtree_com[self.base]
        target = float(np.mean([(com - p.origin) @ p.forward for p in self.placements]))
        tilt = float(np.mean([p.tilt for p in self.placements]))
        load = _balance.weight(self.old, self.base) / len(self.placements)
        if not self.solves:
            offset, pitch = offset or 0.0, pitch or 0.0
        return _balance.solve(self.foot.surrogate, self.shape.reach, load, target, offset, pitch, tilt)

    def _remove(self) -> list[str]:
        """Remove the geoms of the old feet."""
        stand_in = {geom: f"{self._prefix(p)}ankle" for p in self.placements for geom in p.geoms}
        return _references.remove(self.spec, self.old, stand_in)

    def _lighten(self, placement: FootPlacement) -> PlaceChange:
        """Subtract the mass of the old sole from its link."""
        link, how = _link_mass.lightened(
            self.old, self.data, placement.leg, placement.geoms, placement.ankle, placement.own.middle
        )
        before = float(self.old.body_mass[placement.leg.body])
        for number in {placement.leg.body, *(int(self.old.geom_bodyid[g]) for g in placement.geoms)}:
            kept = link if number == placement.leg.body else _link_mass.link_mass(self.old, number)
            if kept.mass > 0:
                _link_mass.set_link(self.spec.body(self.old.body(number).name), kept)
        return PlaceChange(
            place=placement.place.name,
            body=placement.place.body,
            removed_geoms=tuple(_changes.geom_name(self.old, g) for g in placement.geoms),
            link_mass=(before, link.mass),
            sole_mass=before - link.mass,
            how=how,
            foot_mass=float(placement.foot.model().body_mass.sum()),
            extent=((0.0, 0.0), (0.0, 0.0)),
        )

    def _attach(self, placement: FootPlacement, balance: _balance.Balance) -> None:
        pos, quat = to_body(self.data, placement.leg.body, *placement.frame(balance))
        frame = self.spec.body(placement.place.body).add_frame(pos=pos, quat=quat)
        foot = placement.foot.spec()
        _contacts.set_masks(foot, self.old, placement.geoms)
        prefix = self._prefix(placement)
        try:
            self.spec.attach(foot, frame=frame, prefix=prefix)
        except ValueError as error:
            says = f"{' '.join(str(error).split())}), as one that was exported on such feet"
            advice = f"already has names that begin with {prefix!r} ({says}: mount on the robot as it was before"
            raise InvalidInput(f"robot {self.robot.name!r} {advice}") from error

    def _place(self, placement: FootPlacement, balance: _balance.Balance) -> Place:
        """The place with its new sole; the site moves there."""
        sole = placement.sole(balance)
        site = self.spec.site(placement.place.site)
        site.pos, site.quat = to_body(self.data, placement.leg.body, sole.middle, sole.axes)
        middle, (_, _, right, left) = float(self.shape.sole.middle[0]), sole.extent
        rear, front = balance.reach
        support = (max(middle - rear, 0.0), max(front - middle, 0.0), right, left)
        return dataclasses.replace(
            placement.place,
            extent=sole.extent,
            support=support,
            give=balance.give,
            foot=placement.foot,
            prefix=self._prefix(placement),
        )

    def _carry(self, keys: list[_keys.Key], places: Sequence[Place]) -> dict[str, tuple[float, float]]:
        """Rebuild the keyframes on the new feet; by name, how far the base was lifted and the gap that is left."""
        # not a copy: copies take the objects that sensors had when last compiled
        new = compiled(self.spec, self.robot.name)
        data, base = mujoco.MjData(new), new.body(self.robot.base).id
        at, lifts = free_address(new, base) + 2, {}
        soles = sole_geoms(new, places)
        self._lift_base(new, -lowest(new, posed(new, data, new.qpos0), soles))
        for i, old_key in enumerate(keys):
            key = _keys.carried(old_key, self.old, new)
            lift = -lowest(new, posed(new, data, key.qpos), soles)
            key.qpos[at] += lift
            gap = round(lowest(new, posed(new, data, key.qpos), soles), 9)
            lifts[key.name or f"#{i}"] = (lift, gap + 0.0)
            _keys.add_key(self.spec, key)
        return lifts

    def _lift_base(self, model: mujoco.MjModel, lift: float) -> None:
        """Let the robot stand in its reference posture too, from which simulators without keyframes start."""
        base, number = self.spec.body(self.robot.base), model.body(self.robot.base).id
        if base.frame is not None:  # whichever way that is turned
            base.set_frame(self.spec.worldbody.add_frame())
        base.pos, base.quat = model.body_pos[number] + [0, 0, lift], model.body_quat[number]
        base.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT

    def _stances(self, mounted: Robot) -> tuple[Stance, Stance]:
        new, key = mounted.model(), self.robot.keyframe
        touching = [g for placement in self.placements for g in placement.geoms if collides(self.old, g)]
        before = stance_of(self.old, self.robot.base, key, self.robot.places, touching)
        after = stance_of(new, self.robot.base, key, mounted.places, sole_geoms(new, mounted.places))
        return before, after


def sole_geoms(model: mujoco.MjModel, places: Sequence[Place]) -> list[int]:
    """Geoms of mounted feet that touch the ground."""
    bodies = {model.body(p.prefix + name).id for p in places if p.foot for name in p.foot.contact_bodies}
    return [g for g in geoms_of(model, bodies) if collides(model, g)]


def _sized(change: PlaceChange, old: Place, new: Place) -> PlaceChange:
    """A change that knows the size of the sole before and after."""
    sizes = [(p.extent[0] + p.extent[1], p.extent[2] + p.extent[3]) for p in (old, new)]
    return dataclasses.replace(change, extent=(sizes[0], sizes[1]))
