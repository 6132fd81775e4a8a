"""Design: which foot to build for a robot, its grounds and limits, with reasons and uncertainties."""

from plantar.design import measures as _measures  # noqa: F401  (it registers what comes with Plantar)
from plantar.design.dimension import Dimension as Dimension
from plantar.design.explore import explore as explore
from plantar.design.judge import judge as judge
from plantar.design.measure import MEASURES as MEASURES
from plantar.design.measure import Measure as Measure
from plantar.design.measure import register as register
from plantar.design.parts import check_parts as check_parts
from plantar.design.parts import parts_list as parts_list
from plantar.design.problem import Budget as Budget
from plantar.design.problem import Problem as Problem
from plantar.design.result import DesignResult as DesignResult
from plantar.design.search import search as search
from plantar.design.search import solve as solve
from plantar.design.space import Space as Space
from plantar.design.space import make_space as make_space
