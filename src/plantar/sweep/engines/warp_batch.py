"""Many simulations at once in MuJoCo Warp: models that differ only in numbers share a launch, in chunks that fit."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from plantar.errors import Diverged
from plantar.sweep.engines.aligned import mujoco_warp
from plantar.sweep.engines.gpu import chosen_device, quiet_warp

IDLE_FIELDS = frozenset({"dof_length", "dof_M0", "bvh_aabb"})
"""Fields of a model that Warp keeps once for all worlds or not at all, and that no step of ours reads: they
serve sleeping bodies and rays."""
PARTS = 25
"""Parts of a run, after each of which worlds that diverged are found."""
MEMORY_SHARE = 0.5
"""Fraction of a device's free memory that the worlds of a chunk may take."""
TRIES = 4
"""How often the room for contacts is doubled before a chunk is given up."""


@dataclass(frozen=True, kw_only=True)
class Start:
    """Initial states of worlds, one row per world; SI units."""

    qpos: np.ndarray
    ctrl: np.ndarray
    mocap_pos: np.ndarray
    """Places of the mocap bodies, (worlds, bodies, 3)."""

    def rows(self, chosen: np.ndarray) -> Start:
        """Some of the worlds."""
        return Start(qpos=self.qpos[chosen], ctrl=self.ctrl[chosen], mocap_pos=self.mocap_pos[chosen])


@dataclass(frozen=True, kw_only=True)
class End:
    """Final states of worlds, one row per world."""

    sensordata: np.ndarray
    xmat: np.ndarray
    """Frames of the bodies by rows, (worlds, bodies, 9)."""
    qvel: np.ndarray
    diverged: dict[int, Diverged]
    """What became of the worlds that blew up."""


def share_launch(base: mujoco.MjModel, other: mujoco.MjModel) -> frozenset[str] | None:
    """Fields in which `other` differs from `base`, or None if they cannot be worlds of one launch."""
    if other.nbody != base.nbody or other.names != base.names or _options(other) != _options(base):
        return None
    different = set()
    for name in _array_fields():
        a, b = getattr(base, name), getattr(other, name)
        if a.shape != b.shape:
            return None
        if not np.array_equal(a, b):
            different.add(name)
    different -= IDLE_FIELDS
    return frozenset(different) if different <= _world_fields() else None


def run_worlds(
    models: Sequence[mujoco.MjModel], model_of: np.ndarray, start: Start, steps: int, *, speed_limit: float
) -> End:
    """Step worlds and read them.

    Args:
        models: Models that can share a launch.
        model_of: Number of each world's model.
        start: How the worlds begin.
        steps: Steps of each.
        speed_limit: A joint faster than this has diverged [rad/s, m/s].

    Raises:
        MemoryError: If contacts do not fit, however much room they are given.
    """
    fields = sorted(set().union(*(share_launch(models[0], other) or () for other in models[1:])))
    room = _Room.guess(models[0])
    worlds, ends, done = len(model_of), [], 0
    while done < worlds:
        size = min(worlds - done, _fitting(models[0], room))
        rows = np.arange(done, done + size)
        end = _run_chunk(models, fields, model_of[rows], start.rows(rows), steps, room, speed_limit)
        if end is None:
            room = room.doubled()
            continue
        ends.append(end)
        done += size
    diverged, before = {}, 0
    for end in ends:
        diverged |= {before + i: error for i, error in end.diverged.items()}
        before += len(end.qvel)
    blocks = {name: np.concatenate([getattr(end, name) for end in ends]) for name in ("sensordata", "xmat", "qvel")}
    return End(**blocks, diverged=diverged)


@dataclass(frozen=True)
class _Room:
    """Most contacts and constraint rows of a world."""

    contacts: int
    rows: int
    tries: int = 0

    @staticmethod
    def guess(model: mujoco.MjModel) -> _Room:
        touching = int(np.count_nonzero(model.geom_contype | model.geom_conaffinity))
        contacts = max(32, 4 * touching)
        limits = int(np.count_nonzero(model.jnt_limited) + np.count_nonzero(model.tendon_limited))
        width = int(model.geom_condim.max(initial=1))
        return _Room(contacts, width * contacts + 6 * model.neq + min(limits, 64))

    def doubled(self) -> _Room:
        if self.tries >= TRIES:
            raise MemoryError(f"a world has more than {self.contacts} contacts or {self.rows} constraint rows")
        return _Room(2 * self.contacts, 2 * self.rows, self.tries + 1)


def _run_chunk(
    models: Sequence[mujoco.MjModel],
    fields: Sequence[str],
    model_of: np.ndarray,
    start: Start,
    steps: int,
    room: _Room,
    limit: float,
) -> End | None:
    """Run worlds that fit in memory together; None if contacts or constraints found no room."""
    wp, mjw = quiet_warp(), mujoco_warp()
    with wp.ScopedDevice(chosen_device()):
        m = _put_models(mjw, models, fields, model_of)
        # what overflows is found below and run again with more room
        m.opt.warn_overflow = 0
        d = mjw.make_data(models[0], nworld=len(model_of), nconmax=room.contacts, njmax=room.rows)
        for name in ("qpos", "ctrl", "mocap_pos"):
            array, value = getattr(d, name), getattr(start, name)
            if value.size:
                array.assign(np.ascontiguousarray(value, dtype=np.float32))
        launch = _stepper(wp, mjw, m, d)
        diverged: dict[int, Diverged] = {}
        done = 0
        for part in range(1, PARTS + 1):
            end = round(steps * part / PARTS)
            for _ in range(end - done):
                launch()
            done = end
            _find_diverged(models[0], d, start, limit, diverged)
        if d.overflow.numpy()[[i for i in range(len(model_of)) if i not in diverged]].any():
            return None
        frames = d.xmat.numpy().reshape(len(model_of), -1, 9)
        return End(sensordata=d.sensordata.numpy(), xmat=frames, qvel=d.qvel.numpy(), diverged=diverged)


def _put_models(mjw: Any, models: Sequence[mujoco.MjModel], fields: Sequence[str], model_of: np.ndarray) -> Any:
    """The first model on the device, with one row per world for the fields in which models differ."""
    m = mjw.put_model(models[0], batch_sizes=dict.fromkeys(fields, len(model_of)))
    for name in fields:
        values = np.stack([getattr(model, name) for model in models])[model_of]
        array = getattr(m, name)
        array.assign(np.ascontiguousarray(values.reshape(array.numpy().shape), dtype=array.numpy().dtype))
    return m


def _stepper(wp: Any, mjw: Any, m: Any, d: Any) -> Any:
    """What makes one step; on a GPU the launches of a step are recorded once and played."""
    if not wp.get_device().is_cuda:
        return lambda: mjw.step(m, d)
    start = {name: getattr(d, name).numpy() for name in ("qpos", "qvel", "time", "qacc_warmstart")}
    mjw.step(m, d)  # compiles the kernels, which cannot be done while recording
    with wp.ScopedCapture() as capture:
        mjw.step(m, d)
    for name, value in start.items():
        getattr(d, name).assign(value)
    d.overflow.zero_()
    return lambda: wp.capture_launch(capture.graph)


def _find_diverged(model: mujoco.MjModel, d: Any, start: Start, limit: float, known: dict[int, Diverged]) -> None:
    """Record worlds that are no longer valid, and reset them, so that they do not affect others."""
    speed = np.abs(d.qvel.numpy())
    wrong = np.flatnonzero(~(speed.max(axis=1, initial=0.0) < limit))
    if len(wrong) == 0:
        return
    time = d.time.numpy()
    for i in wrong:
        fastest = int(np.argmax(np.nan_to_num(speed[i], nan=np.inf)))
        body = model.body(model.dof_bodyid[fastest]).name
        message = "a world blew up: use a smaller timestep or softer constraints"
        known.setdefault(int(i), Diverged(message, time=float(time[i]), body=body))
    qpos = d.qpos.numpy()
    qpos[wrong] = start.qpos[wrong]
    d.qpos.assign(qpos)
    for name in ("qvel", "qacc_warmstart"):
        values = getattr(d, name).numpy()
        values[wrong] = 0.0
        getattr(d, name).assign(values)


def _fitting(model: mujoco.MjModel, room: _Room) -> int:
    """Number of worlds that fit in the device's memory."""
    wp, mjw = quiet_warp(), mujoco_warp()
    device = wp.get_device(chosen_device())
    if not device.is_cuda:
        return 2**31
    with wp.ScopedDevice(device):
        few = 8
        probe = mjw.make_data(model, nworld=few, nconmax=room.contacts, njmax=room.rows)
        each = _bytes(wp, probe) / few
    return max(1, int(MEMORY_SHARE * device.free_memory / each))


def _bytes(wp: Any, record: Any) -> int:
    """Memory of all arrays of a record and those in it."""
    total = 0
    for item in dataclasses.fields(record):
        value = getattr(record, item.name)
        if isinstance(value, wp.array):
            total += value.capacity
        elif dataclasses.is_dataclass(value):
            total += _bytes(wp, value)
    return total


@functools.lru_cache(maxsize=1)
def _array_fields() -> tuple[str, ...]:
    """Names of the arrays of any model."""
    model = mujoco.MjSpec().compile()
    names = (name for name in dir(model) if not name.startswith("_"))
    return tuple(name for name in names if isinstance(getattr(model, name), np.ndarray))


@functools.lru_cache(maxsize=1)
def _world_fields() -> frozenset[str]:
    """Fields of a model that Warp can hold per world."""
    model_class = mujoco_warp().Model
    shapes = {item.name: getattr(item.type, "shape", ()) for item in dataclasses.fields(model_class)}
    return frozenset(name for name, shape in shapes.items() if shape and shape[0] == "*")


def _options(model: mujoco.MjModel) -> dict[str, Any]:
    """The options of a model as plain data."""
    names = (name for name in dir(model.opt) if not name.startswith("_"))
    values = {name: getattr(model.opt, name) for name in names}
    return {name: np.ravel(value).tolist() for name, value in values.items() if not callable(value)}
