"""Soft bodies: finite elements, cables, pressure, contact, and their inverse."""

from plantar._extras import require_extra

require_extra("soft")

from plantar.soft.beam import BeamBody as BeamBody  # noqa: E402
from plantar.soft.beam import Section as Section  # noqa: E402
from plantar.soft.body import SoftBody as SoftBody  # noqa: E402
from plantar.soft.bond import FixedDistance as FixedDistance  # noqa: E402
from plantar.soft.bond import FixedPosition as FixedPosition  # noqa: E402
from plantar.soft.cable import Cable as Cable  # noqa: E402
from plantar.soft.cavity import Cavity as Cavity  # noqa: E402
from plantar.soft.contact import Contact as Contact  # noqa: E402
from plantar.soft.contact import Touch as Touch  # noqa: E402
from plantar.soft.goal import Goal as Goal  # noqa: E402
from plantar.soft.inverse import InverseResult as InverseResult  # noqa: E402
from plantar.soft.inverse import InverseStatus as InverseStatus  # noqa: E402
from plantar.soft.inverse import build_inverse as build_inverse  # noqa: E402
from plantar.soft.inverse import solve_inverse as solve_inverse  # noqa: E402
from plantar.soft.load import Load as Load  # noqa: E402
from plantar.soft.mapping import Barycentric as Barycentric  # noqa: E402
from plantar.soft.material import Corotational as Corotational  # noqa: E402
from plantar.soft.material import Material as Material  # noqa: E402
from plantar.soft.material import NeoHookean as NeoHookean  # noqa: E402
from plantar.soft.material import StableNeoHookean as StableNeoHookean  # noqa: E402
from plantar.soft.material import StVenantKirchhoff as StVenantKirchhoff  # noqa: E402
from plantar.soft.mesh import Mesh as Mesh  # noqa: E402
from plantar.soft.obstacle import Ball as Ball  # noqa: E402
from plantar.soft.obstacle import Box as Box  # noqa: E402
from plantar.soft.obstacle import Capsule as Capsule  # noqa: E402
from plantar.soft.obstacle import Cylinder as Cylinder  # noqa: E402
from plantar.soft.obstacle import Plane as Plane  # noqa: E402
from plantar.soft.obstacle import Surface as Surface  # noqa: E402
from plantar.soft.record import Recorder as Recorder  # noqa: E402
from plantar.soft.rigid import RigidBody as RigidBody  # noqa: E402
from plantar.soft.scene import Scene as Scene  # noqa: E402
from plantar.soft.scene_file import load_scene as load_scene  # noqa: E402
from plantar.soft.skin import Skin as Skin  # noqa: E402
from plantar.soft.springs import SpringBody as SpringBody  # noqa: E402
