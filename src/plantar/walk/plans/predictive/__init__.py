"""Whole-body predictive control: a centroidal plan over the next steps, solved anew many times a second."""

from plantar.walk.plans.predictive.horizon import Horizon as Horizon
from plantar.walk.plans.predictive.horizon import Phase as Phase
from plantar.walk.plans.predictive.horizon import Stance as Stance
from plantar.walk.plans.predictive.horizon import horizon as horizon
from plantar.walk.plans.predictive.problem import Aim as Aim
from plantar.walk.plans.predictive.problem import CentroidalProblem as CentroidalProblem
from plantar.walk.plans.predictive.problem import Guess as Guess
from plantar.walk.plans.predictive.problem import PredictiveConfig as PredictiveConfig
from plantar.walk.plans.predictive.problem import build as build
from plantar.walk.plans.predictive.solve import Forecast as Forecast
from plantar.walk.plans.predictive.solve import solve as solve
