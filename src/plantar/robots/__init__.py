"""Robots: load them, find their ankles, give them other feet."""

from plantar.robots.load.load import load as load
from plantar.robots.mount.mount import mount as mount
from plantar.robots.place import Place as Place
from plantar.robots.report import MountReport as MountReport
from plantar.robots.robot import Robot as Robot
