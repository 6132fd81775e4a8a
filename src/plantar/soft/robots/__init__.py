"""The seven robots of Coevoet et al. as parametric scenes with our own geometry."""

from plantar.soft.robots.diamond import Diamond as Diamond
from plantar.soft.robots.fetch import Fetch as Fetch
from plantar.soft.robots.flexo import Flexo as Flexo
from plantar.soft.robots.grasper import Grasper as Grasper
from plantar.soft.robots.octopus import OctopusLeg as OctopusLeg
from plantar.soft.robots.registry import get as get
from plantar.soft.robots.registry import names as names
from plantar.soft.robots.robot import Published as Published
from plantar.soft.robots.robot import SoftRobot as SoftRobot
from plantar.soft.robots.run import RobotRun as RobotRun
from plantar.soft.robots.run import run as run
from plantar.soft.robots.sofia import Sofia as Sofia
from plantar.soft.robots.stifface import Stifface as Stifface
