"""Worlds on a CPU: MuJoCo's own engine on every core, in place of MuJoCo Warp's kernels.

mjlab keeps all worlds in arrays of MuJoCo Warp, which on a CPU steps them one after the other. Here threads do, each
with a model and data of its own on which worlds take turns. State, what is drawn for each world, and results stay in
the arrays where mjlab expects them, so that tasks, rewards and observations are the same as on a GPU.
"""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import mujoco
import mujoco_warp
import numpy as np
from mjlab.sim import Simulation

_STATE = mujoco.mjtState
_STEPPED = {
    "time": _STATE.mjSTATE_TIME,
    "qpos": _STATE.mjSTATE_QPOS,
    "qvel": _STATE.mjSTATE_QVEL,
    "act": _STATE.mjSTATE_ACT,
    "qacc_warmstart": _STATE.mjSTATE_WARMSTART,
}
"""What a step begins with and changes, in the order of MuJoCo's state vector."""
_GIVEN = {
    "ctrl": _STATE.mjSTATE_CTRL,
    "qfrc_applied": _STATE.mjSTATE_QFRC_APPLIED,
    "xfrc_applied": _STATE.mjSTATE_XFRC_APPLIED,
    "eq_active": _STATE.mjSTATE_EQ_ACTIVE,
    "mocap_pos": _STATE.mjSTATE_MOCAP_POS,
    "mocap_quat": _STATE.mjSTATE_MOCAP_QUAT,
}
"""What it begins with besides; it comes after that in the vector."""
_BEGIN, _END = (int(sum(map(int, parts.values()))) for parts in (_STEPPED | _GIVEN, _STEPPED))
_POSES = ("xpos", "xquat", "xmat", "xipos", "ximat", "subtree_com", "cvel", "geom_xpos", "geom_xmat")
_POSES += ("site_xpos", "site_xmat", "ten_length", "ten_velocity")
"""Results that follow from the state alone."""
_FORCES = ("qacc", "actuator_force", "qfrc_actuator")
_ITERATIONS = int(mujoco_warp.OverflowType.ITERATIONS)
_DISABLED = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET | mujoco.mjtDisableBit.mjDSBL_ISLAND)
"""A world whose numbers are not finite is left to the task, which ends its episode. A robot is a single island."""


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class NativePhysics:
    """Steps the worlds of a simulation of mjlab with MuJoCo's own engine.

    It replaces the simulation's `step` and `forward`; the latter computes only what is observed between control steps,
    as `plantar.learn.worlds.refresh_lightly` does. Contacts and constraint rows are counted but not copied; contact
    sensors work.

    Args:
        sim: The simulation on a CPU, with all fields expanded that are drawn for each world.
        threads: Number of threads; the results are the same for any.
        decimation: Steps between two calls of `forward`. Poses and forces are there after the last of them.
    """

    def __init__(self, sim: Simulation, threads: int, decimation: int):
        self._sim, self.worlds, self._decimation, self._steps = sim, sim.num_envs, decimation, 0
        model, at, self._columns = sim.mj_model, 0, {}
        for name, part in (_STEPPED | _GIVEN).items():
            size = mujoco.mj_stateSize(model, int(part))
            if size:
                self._columns[name] = (slice(at, at + size), self.rows(name))
            at += size
        self.state = np.zeros((self.worlds, at))
        fields = sorted(name for name in sim.expanded_fields if hasattr(model, name))
        self._source = {name: self._drawn_rows(name) for name in fields}
        self.drawn = {name: np.array(rows, getattr(model, name).dtype) for name, rows in self._source.items()}
        self.contacts = np.zeros(self.worlds, int)
        shares = np.array_split(np.arange(self.worlds), min(threads, self.worlds))
        self.seats = [_Seat(self, model, share) for share in shares]
        self._pool = ThreadPoolExecutor(len(self.seats), thread_name_prefix="physics")
        sim.step, sim.forward = self.step, self.refresh  # type: ignore[method-assign]

    def step(self) -> None:
        """Step every world."""
        self._steps += 1
        with self._sim.nan_guard.watch(self._sim.data):
            self._run(functools.partial(_Seat.step, tell=self._steps % self._decimation == 0))
            for name, (columns, rows) in self._columns.items():
                if name in _STEPPED:
                    rows[:] = self.state[:, columns]
            self._sim.wp_data.nacon.numpy()[0] = self.contacts.sum()

    def refresh(self) -> None:
        """Compute poses, velocities and their sensors of every world; what touches remains as in the last step."""
        self._steps = 0
        for name, rows in self._source.items():  # an event may have drawn anew
            self.drawn[name][:] = rows
        self._run(_Seat.refresh)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def rows(self, name: str) -> np.ndarray:
        """An array of the simulation's data, flat for each world; it shares its memory."""
        return getattr(self._sim.wp_data, name).numpy().reshape(self.worlds, -1)

    def _drawn_rows(self, name: str) -> np.ndarray:
        """A field of the simulation's model, flat for each world; it shares its memory."""
        values = getattr(self._sim.wp_model, name).numpy()
        flat = values.reshape(len(values), -1)
        return flat if len(flat) == self.worlds else np.broadcast_to(flat, (self.worlds, flat.shape[1]))

    def _run(self, work: Callable[[_Seat], None]) -> None:
        for columns, rows in self._columns.values():
            self.state[:, columns] = rows
        for _ in self._pool.map(work, self.seats):
            pass


class _World:
    """Views of all that belongs to one world, beside where it goes to or comes from on a seat."""

    def __init__(self, physics: NativePhysics, model: mujoco.MjModel, data: mujoco.MjData, index: int):
        self.index = index
        self.state = physics.state[index]
        self.stepped = self.state[: mujoco.mj_stateSize(model, _END)]
        self.drawn = [(getattr(model, name).reshape(-1), rows[index]) for name, rows in physics.drawn.items()]
        self.sensors = physics.rows("sensordata")[index]
        self.poses, self.forces = (
            [(physics.rows(name)[index], getattr(data, name).reshape(-1)) for name in names]
            for names in (_POSES, _FORCES)
        )


class _Seat:
    """A model and data on which the worlds of one thread take turns.

    Python runs in one thread at a time, only MuJoCo in several: views of rows are made once, not in every step.
    """

    def __init__(self, physics: NativePhysics, model: mujoco.MjModel, worlds: Iterable[int]):
        self.model = copy.copy(model)
        self.model.opt.disableflags |= _DISABLED
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE  # a quarter less time, and the same result
        self._data = mujoco.MjData(self.model)
        self._worlds = [_World(physics, self.model, self._data, int(world)) for world in worlds]
        self._counts = (physics.rows("nefc"), physics.contacts, physics.rows("overflow"))
        # sensors of the last stage are of forces, which only a step computes
        early = model.sensor_needstage < int(mujoco.mjtStage.mjSTAGE_ACC)
        self._early = np.flatnonzero(np.repeat(early, model.sensor_dim))

    def step(self, *, tell: bool) -> None:
        """Step the worlds; poses and forces are told if asked for, state and sensors always."""
        model, data, (rows, contacts, overflow) = self.model, self._data, self._counts
        for world in self._worlds:
            self._load(world)
            mujoco.mj_step(model, data)
            mujoco.mj_getState(model, data, world.stepped, _END)
            world.sensors[:] = data.sensordata
            rows[world.index], contacts[world.index] = data.nefc, data.ncon
            if data.solver_niter[0] >= model.opt.iterations:
                overflow[world.index] |= _ITERATIONS
            if tell:
                _copy(world.poses)
                _copy(world.forces)

    def refresh(self) -> None:
        """Compute what is observed of the worlds."""
        model, data, early = self.model, self._data, self._early
        for world in self._worlds:
            self._load(world)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_tendon(model, data)
            mujoco.mj_fwdVelocity(model, data)
            mujoco.mj_sensorPos(model, data)
            mujoco.mj_sensorVel(model, data)
            _copy(world.poses)
            world.sensors[early] = data.sensordata[early]

    def _load(self, world: _World) -> None:
        _copy(world.drawn)
        mujoco.mj_setState(self.model, self._data, world.state, _BEGIN)


def _copy(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> None:
    for to, source in pairs:
        to[:] = source
