"""Recorded motions of a free rigid body that falls on level ground: the file and its checks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar._mjcf import read_by_mujoco
from plantar._read import read_arrays, reading
from plantar.errors import InvalidInput

ARRAYS = ("position", "quaternion_wxyz", "velocity", "angular_velocity", "offset", "dt", "mass")
"""What a file must hold; besides these the shape: `side`, `size` or `radius`, unless a body is given as MJCF."""
GRAVITY = 9.81


@dataclass(frozen=True, kw_only=True, eq=False)
class Motions(Checked):
    """Motions recorded one after the other, each from free flight to rest.

    The body is convex and its frame lies in its centre of mass. Ground is where z is about 0.
    """

    position: np.ndarray
    """Centre of mass (n, 3) [m]."""
    quaternion: np.ndarray
    """Attitude wxyz (n, 4)."""
    velocity: np.ndarray
    """Of the centre of mass, in the world (n, 3) [m/s]."""
    angular_velocity: np.ndarray
    """In the frame of the body (n, 3) [rad/s]."""
    offset: np.ndarray
    """First row of each motion, and the number of rows at the end (motions + 1)."""
    dt: float
    """Time between rows [s]."""
    mass: float
    """Mass [kg]."""
    inertia: np.ndarray
    """Moments of inertia about the body's axes (3) [kg m^2]."""
    size: np.ndarray
    """Full sides of the box (3) [m], or the diameter of a sphere (1); of a body from a file its extent."""
    body: str = ""
    """MJCF of the body; empty for a box or a sphere."""

    def __post_init__(self) -> None:
        """Check that the arrays fit each other and look like SI units."""
        n = len(self.position)
        for name, width in (("position", 3), ("quaternion", 4), ("velocity", 3), ("angular_velocity", 3)):
            value = getattr(self, name)
            require(value.shape == (n, width), name, value.shape, f"an array of shape ({n}, {width})")
            require(bool(np.isfinite(value).all()), name, "not finite", "finite numbers")
        require(self.offset.ndim == 1 and self.offset.size > 1, "offset", self.offset.shape, "a row of two or more")
        good = self.offset[0] == 0 and self.offset[-1] == n and bool((np.diff(self.offset) >= 3).all())
        require(
            good, "offset", self.offset[:3].tolist(), f"rising row numbers from 0 to {n}, motions of 3 rows or more"
        )
        for name in ("dt", "mass"):
            value = getattr(self, name)
            require(math.isfinite(value) and value > 0, name, value, "a number above 0")
        require(bool((self.inertia > 0).all()), "inertia", self.inertia, "numbers above 0 [kg m^2]")
        require(bool((self.size > 0).all()), "size", self.size, "lengths above 0 [m]")

    def __len__(self) -> int:
        """Number of motions."""
        return len(self.offset) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Rows of each motion."""
        return np.diff(self.offset)

    @property
    def scale(self) -> float:
        """Length to which errors of position are compared: the longest side [m]."""
        return float(self.size.max())

    @property
    def ground_height(self) -> float:
        """Where the ground seems to be: half a side below where the body ends up [m]; 0 for other shapes."""
        if self.body:
            return 0.0
        return float(np.median(self.position[self.offset[1:] - 1, 2]) - self.size.min() / 2)

    def first_states(self, which: np.ndarray) -> np.ndarray:
        """Positions and velocities of MuJoCo at the start of motions (m, 13)."""
        rows = self.offset[which]
        parts = (self.position, self.quaternion, self.velocity, self.angular_velocity)
        return np.concatenate([part[rows] for part in parts], axis=1)

    def pick(self, which: np.ndarray) -> Motions:
        """Some of the motions."""
        rows = np.concatenate([np.arange(int(self.offset[i]), int(self.offset[i + 1])) for i in which])
        lengths = self.lengths[which]
        return Motions(
            position=self.position[rows],
            quaternion=self.quaternion[rows],
            velocity=self.velocity[rows],
            angular_velocity=self.angular_velocity[rows],
            offset=np.concatenate([[0], np.cumsum(lengths)]),
            dt=self.dt,
            mass=self.mass,
            inertia=self.inertia,
            size=self.size,
            body=self.body,
        )

    def segments(self, rows: int, every: int) -> tuple[Motions, np.ndarray]:
        """Pieces of `rows` rows at regular intervals, as motions, and the motion that each is from."""
        starts, owners = [], []
        for i in range(len(self)):
            first = np.arange(int(self.offset[i]), int(self.offset[i + 1]) - rows + 1, every)
            starts.append(first)
            owners.append(np.full(len(first), i))
        start = np.concatenate(starts)
        index = (start[:, None] + np.arange(rows)).ravel()
        columns = ("position", "quaternion", "velocity", "angular_velocity")
        parts = {name: getattr(self, name)[index] for name in columns}
        return replace(self, **parts, offset=np.arange(len(start) + 1) * rows), np.concatenate(owners)

    def add_body(self, spec: mujoco.MjSpec) -> None:
        """Add the body, free, to the world of `spec`."""
        if self.body:
            frame = spec.worldbody.add_frame()
            spec.attach(mujoco.MjSpec.from_string(self.body), frame=frame, prefix="body_")
            return
        body = spec.worldbody.add_body(name="body", mass=self.mass, inertia=self.inertia, explicitinertial=True)
        body.add_freejoint()
        box = len(self.size) == 3
        kind = mujoco.mjtGeom.mjGEOM_BOX if box else mujoco.mjtGeom.mjGEOM_SPHERE
        half = self.size / 2 if box else np.array([self.size[0] / 2, 0, 0])
        body.add_geom(name="body", type=kind, size=half)

    @classmethod
    def load(cls, path: str | Path, body: str | Path | None = None) -> Motions:
        """Read an .npz file; docs/ground_fit.md has the layout.

        Args:
            path: The file.
            body: MJCF of the body, if it is neither a box nor a sphere.

        Raises:
            InvalidInput: If the file cannot be read, lacks an array, or is not in SI units; one line says which.
        """
        arrays = _read(path)
        missing = [name for name in ARRAYS if name not in arrays]
        if missing:
            raise InvalidInput(f"motion file {str(path)!r} has no array {missing[0]!r}: it needs {', '.join(ARRAYS)}")
        size, inertia, text = _shape(arrays, body, str(path))
        norms = np.linalg.norm(arrays["quaternion_wxyz"], axis=1, keepdims=True)
        require(bool((abs(norms - 1) < 0.05).all()), "quaternion_wxyz", "not of length 1", "unit quaternions wxyz")
        made = cls(
            position=arrays["position"].astype(float),
            quaternion=arrays["quaternion_wxyz"] / norms.astype(float),
            velocity=arrays["velocity"].astype(float),
            angular_velocity=arrays["angular_velocity"].astype(float),
            offset=arrays["offset"].astype(int),
            dt=float(arrays["dt"]),
            mass=float(arrays["mass"]),
            inertia=inertia,
            size=size,
            body=text,
        )
        _check_units(made, str(path))
        return made


def _read(path: str | Path) -> dict[str, Any]:
    with reading(path, "motion file", "give an .npz file"), read_arrays(path) as file:
        return {name: file[name] for name in file.files}


def _shape(arrays: dict[str, Any], body: str | Path | None, path: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Sides, moments of inertia and MJCF of the body."""
    if body is not None:
        return _from_mjcf(Path(body))
    mass = float(arrays["mass"])
    if "radius" in arrays:
        size = np.atleast_1d(2 * arrays["radius"]).astype(float)
        moments = np.full(3, 0.1 * mass * size[0] ** 2)
    elif "side" in arrays or "size" in arrays:
        size = np.broadcast_to(np.asarray(arrays.get("side", arrays.get("size")), dtype=float), 3).copy()
        moments = mass / 12 * (np.sum(size**2) - size**2)
    else:
        raise InvalidInput(f"motion file {path!r} has no shape: give side, size or radius [m], or a body as MJCF")
    if "inertia" in arrays:
        moments = np.broadcast_to(np.asarray(arrays["inertia"], dtype=float), 3).copy()
    return size, moments, ""


def _from_mjcf(path: Path) -> tuple[np.ndarray, np.ndarray, str]:
    with read_by_mujoco(path, "body"):
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    free = model.njnt == 1 and model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE and model.nbody == 2
    if not free or np.linalg.norm(model.body_ipos[1]) > 1e-6:
        raise InvalidInput(f"body {str(path)!r} is not one free body with its origin in its centre of mass")
    radius = float(model.geom_rbound.max())
    return np.full(3, 2 * radius), model.body_inertia[1].copy(), spec.to_xml()


def _check_units(motions: Motions, path: str) -> None:
    """Detect millimetres, other quaternion orders and other frames from the data."""
    inside = np.ones(len(motions.position), bool)
    inside[motions.offset[1:] - 1] = False
    here = np.flatnonzero(inside)
    moved = np.linalg.norm(motions.position[here + 1] - motions.position[here], axis=1)
    told = np.linalg.norm(motions.velocity[here], axis=1) * motions.dt
    fast = told > np.quantile(told, 0.5)
    ratio = float(np.median(moved[fast] / np.maximum(told[fast], 1e-12)))
    if not 0.5 < ratio < 2:
        raise InvalidInput(
            f"motion file {path!r}: positions move {ratio:.3g} times as far as the velocities say: "
            "give metres, metres per second and dt in seconds"
        )
    lies = float(np.median(motions.position[motions.offset[1:] - 1, 2]))
    if not 0.2 < lies / motions.scale < 1.5:
        raise InvalidInput(
            f"motion file {path!r}: at the end the body lies {lies:.3g} m above z = 0, its side is "
            f"{motions.scale:.3g} m: give metres, with the ground at z = 0"
        )
    _check_turning(motions, here[fast], path)


def _check_turning(motions: Motions, rows: np.ndarray, path: str) -> None:
    """Angular velocities must turn the attitude: in the body's frame, quaternions in the order wxyz."""
    rate = np.linalg.norm(motions.angular_velocity[rows], axis=1)
    rows = rows[rate > np.quantile(rate, 0.5)][:2000]
    now, then = motions.quaternion[rows], motions.quaternion[rows + 1]
    omega = motions.angular_velocity[rows]
    readings = {
        "": _turning_error(now, then, omega, motions.dt, False),
        "angular velocities are in the world's frame": _turning_error(now, then, omega, motions.dt, True),
        "quaternions are in the order xyzw": _turning_error(
            np.roll(now, 1, axis=1), np.roll(then, 1, axis=1), omega, motions.dt, False
        ),
        "angular velocities are in degrees per second": _turning_error(now, then, np.radians(omega), motions.dt, False),
    }
    best = min(readings, key=lambda name: readings[name])
    if best and readings[best] < 0.5 * readings[""]:
        raise InvalidInput(
            f"motion file {path!r}: {best}, it seems: give quaternions wxyz and angular velocities in the body's "
            "frame [rad/s]"
        )


def _turning_error(now: np.ndarray, then: np.ndarray, omega: np.ndarray, dt: float, world: bool) -> float:
    """Median angle between the next attitude and the one that the angular velocity leads to [rad]."""
    angles = []
    for q, p, w in zip(now, then, omega, strict=True):
        turned, spin = q.copy(), w.copy()
        if world:
            mujoco.mju_rotVecQuat(spin, w, q * [1, -1, -1, -1])
        mujoco.mju_quatIntegrate(turned, spin, dt)
        angles.append(2 * math.acos(min(1.0, abs(float(turned @ p)))))
    return float(np.median(angles))
