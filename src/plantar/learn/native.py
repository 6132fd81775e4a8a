"""Worlds on a CPU: MuJoCo's own engine on every core, in place of MuJoCo Warp's kernels.

mjlab keeps all worlds in arrays of MuJoCo Warp, which on a CPU steps them one after the other. Here threads do, each
with a model and data of its own on which worlds take turns. State, what is drawn for each world, and results stay in
the arrays where mjlab expects them, so that tasks, rewards and observations are the same as on a GPU.
"""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import copy
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
    """

    def __init__(self, sim: Simulation, threads: int):
        self._sim, self.worlds = sim, sim.num_envs
        model, at, self._columns = sim.mj_model, 0, {}
        for name, part in (_STEPPED | _GIVEN).items():
            size = mujoco.mj_stateSize(model, int(part))
            if size:
                self._columns[name] = (slice(at, at + size), self.rows(name))
            at += size
        self.state = np.zeros((self.worlds, at))
        self.contacts = np.zeros(self.worlds, int)
        self.seats = [_Seat(self, model) for _ in range(min(threads, self.worlds))]
        self._shares = np.array_split(np.arange(self.worlds), len(self.seats))
        self._pool = ThreadPoolExecutor(len(self.seats), thread_name_prefix="physics")
        sim.step, sim.forward = self.step, self.refresh  # type: ignore[method-assign]

    def step(self) -> None:
        """Step every world."""
        with self._sim.nan_guard.watch(self._sim.data):
            self._run(_Seat.step)
            for name, (columns, rows) in self._columns.items():
                if name in _STEPPED:
                    rows[:] = self.state[:, columns]
            self._sim.wp_data.nacon.numpy()[0] = self.contacts.sum()

    def refresh(self) -> None:
        """Compute poses, velocities and their sensors of every world; what touches remains as in the last step."""
        self._run(_Seat.refresh)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def rows(self, name: str) -> np.ndarray:
        """An array of the simulation's data, flat for each world; it shares its memory."""
        return getattr(self._sim.wp_data, name).numpy().reshape(self.worlds, -1)

    def drawn(self, name: str) -> np.ndarray:
        """A field of the model, flat for each world; it shares its memory."""
        values = getattr(self._sim.wp_model, name).numpy()
        flat = values.reshape(len(values), -1)
        return flat if len(flat) == self.worlds else np.broadcast_to(flat, (self.worlds, flat.shape[1]))

    def drawn_fields(self) -> list[str]:
        """Fields of MuJoCo's model that are drawn for each world, or follow from those."""
        return sorted(name for name in self._sim.expanded_fields if hasattr(self._sim.mj_model, name))

    def _run(self, work: Callable[[_Seat, Iterable[int]], None]) -> None:
        for columns, rows in self._columns.values():
            self.state[:, columns] = rows
        for _ in self._pool.map(work, self.seats, self._shares):
            pass


class _Seat:
    """A model and data on which the worlds of one thread take turns."""

    def __init__(self, physics: NativePhysics, model: mujoco.MjModel):
        self.model, self._state = copy.copy(model), physics.state
        self.model.opt.disableflags |= _DISABLED
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE  # a quarter less time, and the same result
        self._data = data = mujoco.MjData(self.model)
        self._begin, self._end = sum(map(int, (_STEPPED | _GIVEN).values())), sum(map(int, _STEPPED.values()))
        self._stepped = mujoco.mj_stateSize(model, self._end)
        self._drawn = [(getattr(self.model, f).reshape(-1), physics.drawn(f)) for f in physics.drawn_fields()]
        self._poses = [(physics.rows(name), getattr(data, name).reshape(-1)) for name in _POSES]
        results = [(physics.rows(name), getattr(data, name).reshape(-1)) for name in (*_FORCES, "sensordata")]
        self._results, self._sensors = [*self._poses, *results], physics.rows("sensordata")
        self._counts, self._contacts = physics.rows("nefc"), physics.contacts
        self._overflow = physics.rows("overflow")
        # sensors of the last stage are of forces, which only a step computes
        early = model.sensor_needstage < int(mujoco.mjtStage.mjSTAGE_ACC)
        self._early = np.flatnonzero(np.repeat(early, model.sensor_dim))

    def step(self, worlds: Iterable[int]) -> None:
        """Step some worlds."""
        model, data = self.model, self._data
        for world in worlds:
            self._load(world)
            mujoco.mj_step(model, data)
            mujoco.mj_getState(model, data, self._state[world, : self._stepped], self._end)
            _tell(self._results, world)
            self._counts[world], self._contacts[world] = data.nefc, data.ncon
            if data.solver_niter[0] >= model.opt.iterations:
                self._overflow[world] |= _ITERATIONS

    def refresh(self, worlds: Iterable[int]) -> None:
        """Compute what is observed of some worlds."""
        model, data, early = self.model, self._data, self._early
        for world in worlds:
            self._load(world)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_tendon(model, data)
            mujoco.mj_fwdVelocity(model, data)
            mujoco.mj_sensorPos(model, data)
            mujoco.mj_sensorVel(model, data)
            _tell(self._poses, world)
            self._sensors[world, early] = data.sensordata[early]

    def _load(self, world: int) -> None:
        for field, rows in self._drawn:
            field[:] = rows[world]
        mujoco.mj_setState(self.model, self._data, self._state[world], self._begin)


def _tell(results: Iterable[tuple[np.ndarray, np.ndarray]], world: int) -> None:
    for rows, found in results:
        rows[world] = found
