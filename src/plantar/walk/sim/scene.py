"""The world that a robot walks in: robot, ground, motors and sensors in one MuJoCo model."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar._checks import require
from plantar.errors import Diverged
from plantar.feet.contact import set_contact
from plantar.ground.contact.floor import add_ground, check_carries
from plantar.ground.contact.ground import Ground
from plantar.ground.soil.yielding import YieldingGround
from plantar.robots.mount.contacts import solve_fully
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.lock import lock_joints
from plantar.walk.sim.obstacles import Bar
from plantar.walk.sim.parts import hide_doubles, subtree, tops

if TYPE_CHECKING:
    from plantar.ground.terrain.terrain import Terrain
    from plantar.robots import Robot

TIMESTEP = 0.002
"""Time step of walking [s]."""
PREFIX = "walk/"
"""Prefix of everything that a scene adds to a robot."""
NET_FORCE = 3
"""Place of `netforce` among a contact sensor's reductions in the manual: none, mindist, maxforce, netforce."""
FLOOR = Ground(name="floor", priority=0, cone="pyramidal", impratio=1.0)
"""The default ground: MuJoCo's defaults, so that the soles determine the contact."""
AWAY = -10.0
"""Height at which unused bars are parked [m]."""
SMALL = 1e-3
"""Half size of an unused bar, so that it is invisible [m]."""
PASSED = 0.05
"""Depth below the ground beyond which a body has passed through it [m]."""
DEPTH = 0.05
"""How far bars reach into the ground [m]."""


class Scene:
    """A robot on the ground, ready to be simulated.

    Its own actuators are replaced by one motor per joint, so that nothing works against the torques; joints that the
    controller holds rigid are rigid here as well. A scene is shared by all walks and never changed by one: `world`
    gives each its own model, on which bars can be moved without recompiling.

    Args:
        robot: The robot with its feet on.
        legged: The robot as its controller knows it.
        terrain: The ground; None is level and hard. A `YieldingGround` keeps the footprints of one simulation.
        timestep: Time step [s].
        torque_limits: Whether motors have the robot's torque limits, or none.
        bars: How many bars there may be.
        imu: Whether the base has a gyroscope and an accelerometer.
    """

    def __init__(
        self,
        robot: Robot,
        legged: Legged,
        *,
        terrain: Terrain | YieldingGround | None = None,
        timestep: float = TIMESTEP,
        torque_limits: bool = True,
        bars: int = 3,
        imu: bool = False,
    ):
        require(0 < timestep <= 0.01, "timestep", timestep, "a time in seconds above 0, 0.01 at most")
        self.robot, self.legged, self.terrain, self.imu = robot, legged, terrain, imu
        self.yielding = terrain if isinstance(terrain, YieldingGround) else None
        """The ground, if feet leave tracks in it."""
        spec = robot.spec.copy()
        self._strip(spec)
        lock_joints(spec, legged.source, legged.locked)
        spec.option.timestep = timestep
        solve_fully(spec)
        if spec.option.integrator != mujoco.mjtIntegrator.mjINT_DISCRETE:  # some feet need that one
            spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        ground = _add_ground(spec, terrain, bars)
        self._add_motors(spec, torque_limits)
        self._add_sensors(spec)
        worn = {place.prefix: place.foot for place in robot.places if place.foot}
        if worn:  # locked joints and the ground's friction cone change what gives a sole its depth
            set_contact(spec, next(iter(worn.values())), *worn)
        self.spec = spec
        self.model = spec.compile()
        check_carries(self.model, robot.name, robot.foot_bodies(self.model), ground)
        hide_doubles(self.model)
        self._index(bars)

    def _strip(self, spec: mujoco.MjSpec) -> None:
        """Remove what refers to locked joints, keyframes and lights; what belongs to the feet stays."""
        prefixes = tuple(p.prefix for p in self.robot.places if p.prefix)
        for elements in (spec.actuators, spec.sensors, spec.equalities, spec.tendons):
            for element in list(elements):
                if not (prefixes and element.name.startswith(prefixes)):
                    spec.delete(element)
        for element in [*spec.keys, *spec.lights]:  # lamps are made for the robot's own scene, and do not go with it
            spec.delete(element)

    def _add_motors(self, spec: mujoco.MjSpec, torque_limits: bool) -> None:
        for name, limit in zip(self.legged.joints, self.legged.torque_limit, strict=True):
            motor = spec.add_actuator(name=PREFIX + name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            motor.set_to_motor()  # whatever the model's defaults make of an actuator
            motor.biastype, motor.gear = mujoco.mjtBias.mjBIAS_AFFINE, [1.0] + [0.0] * 5
            motor.gainprm[0], motor.biasprm = 1.0, [0.0] * 10
            spec.joint(name).actfrclimited = motor.ctrllimited = motor.forcelimited = mujoco.mjtLimited.mjLIMITED_FALSE
            if torque_limits and np.isfinite(limit):
                motor.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
                motor.forcerange = [-limit, limit]

    def _add_sensors(self, spec: mujoco.MjSpec) -> None:
        """Force, moment and place of everything that pushes a foot; gyroscope and accelerometer of the base."""
        for place in self.legged.places:
            # of a mounted foot only what pushes the foot itself counts, not what hits the shank above it
            mounted = (body.name for body in spec.bodies if place.prefix and body.name.startswith(place.prefix))
            spec.add_sensor(
                name=PREFIX + place.name,
                type=mujoco.mjtSensor.mjSENS_CONTACT,
                reftype=mujoco.mjtObj.mjOBJ_XBODY,  # the body and all below it, as the one that is pushed
                refname=next(mounted, place.body),  # parents come before their children
                intprm=[_bits("FORCE", "TORQUE", "POS"), NET_FORCE, 1],
            )
        if self.imu:
            spec.body(self.robot.base).add_site(name=PREFIX + "imu")
            for name, kind in (
                ("gyro", mujoco.mjtSensor.mjSENS_GYRO),
                ("accel", mujoco.mjtSensor.mjSENS_ACCELEROMETER),
            ):
                spec.add_sensor(name=PREFIX + name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=PREFIX + "imu")

    def _index(self, bars: int) -> None:
        m, lg = self.model, self.legged
        joints = [m.joint(n).id for n in lg.joints]
        base = int(m.body(self.robot.base).jntadr[0])
        q, v = int(m.jnt_qposadr[base]), int(m.jnt_dofadr[base])
        self.q_index, self.v_index = np.empty(lg.model.nq, int), np.empty(lg.nv, int)
        self.q_index[:7], self.v_index[:6] = np.arange(q, q + 7), np.arange(v, v + 6)
        self.q_index[lg.q_joint] = m.jnt_qposadr[joints]
        self.v_index[lg.v_joint] = m.jnt_dofadr[joints]
        self.motors = np.array([m.actuator(PREFIX + n).id for n in lg.joints])
        self.base = m.body(self.robot.base).id
        self.load_index = np.array([m.sensor(PREFIX + p.name).adr[0] for p in lg.places])
        self.lift_index = self.load_index + 2
        self.sole_sites = np.array([m.site(p.site).id for p in lg.places])
        self.sole_middles = np.array([lg.middle(p) for p in lg.places])
        self._index_geoms()
        self.bar_geoms = [m.geom(f"{PREFIX}bar{i}").id for i in range(bars)]
        self.bar_mocaps = [int(m.body(f"{PREFIX}bar{i}").mocapid[0]) for i in range(bars)]
        m.geom_size[self.bar_geoms] = SMALL
        data = mujoco.MjData(m)
        mujoco.mj_kinematics(m, data)
        ground = (self.foot_of_geom < 0) & (self.link_of_geom < 0)
        self.highest = float(tops(m, data)[ground].max(initial=0.0)) + 1e-6
        """Height of the highest ground, without bars [m]."""

    def _index_geoms(self) -> None:
        """Foot of each geom, and link of each geom of the robot that is not of a foot; -1 where there is none."""
        m = self.model
        self.foot_of_geom, self.link_of_geom = np.full(m.ngeom, -1), np.full(m.ngeom, -1)
        mine = np.isin(m.geom_bodyid, subtree(m, self.base))
        self.link_of_geom[mine] = m.geom_bodyid[mine]
        for i, place in enumerate(self.legged.places):
            named = [b for b in range(m.nbody) if place.prefix and m.body(b).name.startswith(place.prefix)]
            foot = np.isin(m.geom_bodyid, named or subtree(m, m.body(place.body).id))
            self.foot_of_geom[foot], self.link_of_geom[foot] = i, -1

    def world(self, bars: Sequence[Bar] = ()) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """A separate model and state, with bars on the ground."""
        model = copy.copy(self.model)
        data = mujoco.MjData(model)
        self.set_bars(model, data, bars)
        return model, data

    def set_bars(self, model: mujoco.MjModel, data: mujoco.MjData, bars: Sequence[Bar]) -> None:
        """Put bars on the ground of a model from `world`, and park the others."""
        most = len(self.bar_geoms)
        require(len(bars) <= most, "bars", len(bars), f"at most {most} bars")
        for i, (geom, mocap) in enumerate(zip(self.bar_geoms, self.bar_mocaps, strict=True)):
            if i >= len(bars):
                data.mocap_pos[mocap] = (0.0, 0.0, AWAY)
                model.geom_size[geom] = SMALL
                continue
            bar = bars[i]
            half = [(bar.width or bar.height) / 2, bar.length / 2, (bar.height + DEPTH) / 2]
            model.geom_size[geom] = half
            model.geom_aabb[geom, 3:] = half
            model.geom_rbound[geom] = math.hypot(*half)
            data.mocap_pos[mocap], data.mocap_quat[mocap] = bar.lying(bar.height - half[2], self.elevation)

    def check_carried(self, data: mujoco.MjData) -> None:
        """Distinguish a fallen robot from one that passed through the ground.

        Raises:
            Diverged: If base or soles are well below ground that does not yield; the message names body and masks.
        """
        if self.yielding is not None:
            return  # sinking in is what it is for
        places = {p.body: data.site(p.site).xpos for p in self.robot.places}
        for body, (x, y, z) in {self.robot.base: data.xpos[self.base], **places}.items():
            depth = self.elevation(float(x), float(y)) - float(z)
            if math.isfinite(depth) and depth > PASSED:
                raise Diverged(
                    f"{body!r} passed through the ground, it is {depth:.2f} m below it: contype/conaffinity of its "
                    f"geoms are {self._masks(body)}, of the ground {self._masks('world')}; if these match, try a "
                    "shorter timestep or stiffer ground",
                    time=data.time,
                    body=body,
                )

    def _masks(self, body: str) -> str:
        """Masks of all geoms of a body and its subtree; for the world, of its own geoms."""
        m = self.model
        bodies = [0] if body == "world" else subtree(m, m.body(body).id)
        mine = np.isin(m.geom_bodyid, bodies)
        both = zip(m.geom_contype[mine], m.geom_conaffinity[mine], strict=True)
        return ", ".join(sorted({f"{a}/{b}" for a, b in both}))

    def elevation(self, x: float, y: float) -> float:
        """Height of the terrain, without bars and tracks [m]."""
        if self.terrain is None or isinstance(self.terrain, YieldingGround):
            return 0.0
        return float(self.terrain.elevation(x, y))


def _bits(*fields: str) -> int:
    """Data fields of a contact sensor as the bits of its first parameter."""
    return sum(1 << int(getattr(mujoco.mjtConDataField, "mjCONDATA_" + name)) for name in fields)


def _add_ground(spec: mujoco.MjSpec, terrain: Terrain | YieldingGround | None, bars: int) -> list[str]:
    """Add terrain and bars; names of the geoms that feet must touch."""
    from plantar.ground.terrain.plain import Flat  # noqa: PLC0415  (scenes without terrain need no more)

    names = (terrain or Flat(ground=FLOOR)).add(spec)
    names = [] if isinstance(terrain, YieldingGround) else names  # it applies its own forces
    for name in [f"{PREFIX}bar{i}" for i in range(bars)]:
        body = spec.worldbody.add_body(name=name, mocap=True, pos=[0, 0, AWAY])
        kind, orange = mujoco.mjtGeom.mjGEOM_BOX, [0.85, 0.45, 0.2, 1]
        add_ground(spec, name, kind, body=body, size=[0.5, 5, 0.15], rgba=orange)
        names.append(name)
    return names
