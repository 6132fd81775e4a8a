"""Courses: obstacles on a robot's path, drawn by a seed at a given difficulty; the same for any number of legs."""

from plantar.walk.courses import bars as _bars  # noqa: F401  (each module adds its courses)
from plantar.walk.courses import fields as _fields  # noqa: F401
from plantar.walk.courses.course import COURSES as COURSES
from plantar.walk.courses.course import CourseKind as CourseKind
from plantar.walk.courses.course import Layout as Layout
from plantar.walk.courses.course import Way as Way
from plantar.walk.courses.course import find as find
from plantar.walk.courses.course import lay as lay
from plantar.walk.courses.course import register as register
from plantar.walk.courses.course import terrain_of as terrain_of
