"""Gaits through hard and soft contact: laws, fits, squats, optimal gaits and their proof in MuJoCo."""

from plantar.gait.check import check as check
from plantar.gait.compare_contact import compare_contact as compare_contact
from plantar.gait.compare_contact import synthetic_squat as synthetic_squat
from plantar.gait.drops import synthetic_drops as synthetic_drops
from plantar.gait.families import family as family
from plantar.gait.fit_drops import fit_drops as fit_drops
from plantar.gait.footfalls import gait_name as gait_name
from plantar.gait.legged import Biped as Biped
from plantar.gait.legged import Hopper as Hopper
from plantar.gait.legged import LeggedRobot as LeggedRobot
from plantar.gait.legged import Quadruped as Quadruped
from plantar.gait.motor import Motor as Motor
from plantar.gait.mujoco_contact import RubberFeet as RubberFeet
from plantar.gait.patterns import PATTERNS as PATTERNS
from plantar.gait.ramone import Ramone as Ramone
from plantar.gait.replay import replay as replay
from plantar.gait.request import Request as Request
from plantar.gait.result import GaitResult as GaitResult
from plantar.gait.result import Status as Status
from plantar.gait.rigid import RigidContact as RigidContact
from plantar.gait.rubber import RubberContact as RubberContact
from plantar.gait.solve import Effort as Effort
from plantar.gait.solve import solve as solve
from plantar.gait.squat import Squat as Squat
from plantar.gait.squat import simulate as simulate
