"""Feet: parametric descriptions that build their own `mujoco.MjSpec`."""

import importlib
from typing import TYPE_CHECKING

from plantar.feet import readings as readings
from plantar.feet.ball import BallFoot as BallFoot
from plantar.feet.contact import Contact as Contact
from plantar.feet.contact import set_contact as set_contact
from plantar.feet.flat import FlatFoot as FlatFoot
from plantar.feet.foot import Foot as Foot
from plantar.feet.parts import Part as Part
from plantar.feet.parts import Parts as Parts
from plantar.feet.registry import get as get
from plantar.feet.registry import load as load
from plantar.feet.registry import names as names
from plantar.feet.registry import parse as parse
from plantar.feet.registry import register as register
from plantar.feet.registry import save as save
from plantar.feet.softfoot.bands import Band as Band
from plantar.feet.softfoot.bands import band_stiffness as band_stiffness
from plantar.feet.softfoot.bands import joint_stiffness as joint_stiffness
from plantar.feet.softfoot.bands import young_from_shore_a as young_from_shore_a
from plantar.feet.softfoot.fast import Fast as Fast
from plantar.feet.softfoot.softfoot import SoftFoot as SoftFoot
from plantar.feet.softfoot.tendon import Tendon as Tendon
from plantar.feet.softfoot_q.softfoot_q import FastQ as FastQ
from plantar.feet.softfoot_q.softfoot_q import SoftFootQ as SoftFootQ
from plantar.feet.sole import Sole as Sole
from plantar.feet.stations import Stations as Stations

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot as SolidFoot


def __getattr__(name: str) -> type[Foot]:
    if name == "SolidFoot":  # defined in a room below this one, which needs an extra
        return importlib.import_module("plantar.soft.foot.solid").SolidFoot
    raise AttributeError(f"module 'plantar.feet' has no attribute {name!r}")
