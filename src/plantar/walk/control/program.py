"""Inputs, structure and outputs of a whole-body program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar.walk.control.contacts import SoleContact


@dataclass(kw_only=True)
class Targets:
    """What the body should do now, in the world."""

    contacts: tuple[SoleContact, ...]
    """Soles on the ground."""
    com_acceleration: np.ndarray
    """Acceleration of the centre of mass [m/s^2]."""
    base_acceleration: np.ndarray
    """Turn acceleration of the base in its own frame [rad/s^2]."""
    soles: list[np.ndarray | None]
    """Acceleration and turn acceleration of each sole (6,), (3,) of a point; None where it only has to stay."""
    posture_acceleration: np.ndarray | None = None
    """Desired acceleration of each joint where nothing else matters [rad/s^2]; None for none."""
    momentum_rate: np.ndarray | None = None
    """Rate of the angular momentum about the centre of mass [N m]; None lets the momentum decay."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One task of the program, times the root of its weight: rows times the accelerations should equal the target."""

    name: str
    """`com`, `momentum`, `base`, or the name of a sole."""
    rows: np.ndarray
    """(rows, accelerations)."""
    wish: np.ndarray
    """(rows,)."""


@dataclass(kw_only=True)
class Program:
    """A quadratic program: minimise x'Hx / 2 + g'x with lower <= (x, Ax) <= upper."""

    H: np.ndarray
    g: np.ndarray
    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    sense: np.ndarray  # 5 for an equation, 0 for a bound
    forces: int
    """How many of the unknowns are forces; they come first, accelerations after them."""
    contacts: tuple[SoleContact, ...] = ()
    """Soles that push, in the order of the forces."""
    tasks: tuple[Task, ...] = ()
    """The target."""


@dataclass(kw_only=True)
class Solution:
    """Solution of the program."""

    acceleration: np.ndarray
    """Accelerations of the robot."""
    torque: np.ndarray
    """Torque of each joint [N m]."""
    wrenches: np.ndarray
    """Force and moment about its middle on each sole, in the world (feet, 6) [N, N m]."""
    found: bool
    """Whether the solver found the optimum."""
