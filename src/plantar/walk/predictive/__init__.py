"""Whole-body predictive control: a centroidal plan over the next steps, solved anew many times a second."""

from plantar.walk.predictive.horizon import Horizon as Horizon
from plantar.walk.predictive.horizon import Phase as Phase
from plantar.walk.predictive.horizon import Stance as Stance
from plantar.walk.predictive.horizon import horizon as horizon
from plantar.walk.predictive.problem import Aim as Aim
from plantar.walk.predictive.problem import CentroidalProblem as CentroidalProblem
from plantar.walk.predictive.problem import Guess as Guess
from plantar.walk.predictive.problem import PredictiveConfig as PredictiveConfig
from plantar.walk.predictive.problem import build as build
from plantar.walk.predictive.solve import Forecast as Forecast
from plantar.walk.predictive.solve import solve as solve
