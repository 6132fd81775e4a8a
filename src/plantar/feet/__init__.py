"""Feet."""
from plantar.feet.softfoot import SoftFoot as SoftFoot
