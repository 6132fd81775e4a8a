"""Soft bodies: finite elements, cables, pressure, contact, and their inverse."""

from plantar._extras import require_extra

require_extra("soft")

from plantar.soft.fem.beam import BeamBody as BeamBody  # noqa: E402
from plantar.soft.fem.beam import Section as Section  # noqa: E402
from plantar.soft.fem.material import Corotational as Corotational  # noqa: E402
from plantar.soft.fem.material import Material as Material  # noqa: E402
from plantar.soft.fem.material import NeoHookean as NeoHookean  # noqa: E402
from plantar.soft.fem.material import StableNeoHookean as StableNeoHookean  # noqa: E402
from plantar.soft.fem.material import StVenantKirchhoff as StVenantKirchhoff  # noqa: E402
from plantar.soft.fem.springs import SpringBody as SpringBody  # noqa: E402
from plantar.soft.mesh import shapes as shapes  # noqa: E402
from plantar.soft.mesh.files import read_mesh as read_mesh  # noqa: E402
from plantar.soft.mesh.mesh import Mesh as Mesh  # noqa: E402
from plantar.soft.scene.body import SoftBody as SoftBody  # noqa: E402
from plantar.soft.scene.bond import FixedDistance as FixedDistance  # noqa: E402
from plantar.soft.scene.bond import FixedPosition as FixedPosition  # noqa: E402
from plantar.soft.scene.cable import Cable as Cable  # noqa: E402
from plantar.soft.scene.cavity import Cavity as Cavity  # noqa: E402
from plantar.soft.scene.contact import Contact as Contact  # noqa: E402
from plantar.soft.scene.contact_near import Touch as Touch  # noqa: E402
from plantar.soft.scene.file import load_scene as load_scene  # noqa: E402
from plantar.soft.scene.goal import Goal as Goal  # noqa: E402
from plantar.soft.scene.load import Load as Load  # noqa: E402
from plantar.soft.scene.mapping import Barycentric as Barycentric  # noqa: E402
from plantar.soft.scene.obstacle import Ball as Ball  # noqa: E402
from plantar.soft.scene.obstacle import Box as Box  # noqa: E402
from plantar.soft.scene.obstacle import Capsule as Capsule  # noqa: E402
from plantar.soft.scene.obstacle import Cylinder as Cylinder  # noqa: E402
from plantar.soft.scene.obstacle import Plane as Plane  # noqa: E402
from plantar.soft.scene.obstacle import Surface as Surface  # noqa: E402
from plantar.soft.scene.record import Recorder as Recorder  # noqa: E402
from plantar.soft.scene.rigid import RigidBody as RigidBody  # noqa: E402
from plantar.soft.scene.scene import Scene as Scene  # noqa: E402
from plantar.soft.scene.skin import Skin as Skin  # noqa: E402
from plantar.soft.solve.inverse import InverseResult as InverseResult  # noqa: E402
from plantar.soft.solve.inverse import InverseStatus as InverseStatus  # noqa: E402
from plantar.soft.solve.inverse import build_inverse as build_inverse  # noqa: E402
from plantar.soft.solve.inverse import solve_inverse as solve_inverse  # noqa: E402
