"""Robots that come with Plantar, by name."""

from __future__ import annotations

from collections.abc import Callable

import mujoco

from plantar.robots.built_in.biped import biped
from plantar.robots.built_in.khr3hv import khr3hv
from plantar.robots.built_in.quadruped import quadruped

ROBOTS: dict[str, Callable[[], mujoco.MjSpec]] = {"biped": biped, "khr3hv": khr3hv, "quadruped": quadruped}
"""Builders of the built-in robots."""
