"""A second opinion on the press: planar, quasi-static, rigid, and without MuJoCo."""

from plantar.bench.planar.press import press as press
from plantar.bench.planar.press import run_trials as run_trials
from plantar.bench.planar.solve import PlanarResult as PlanarResult
from plantar.bench.planar.solve import Status as Status
from plantar.bench.planar.solve import Touch as Touch
from plantar.bench.planar.solve import solve_trial as solve_trial
from plantar.bench.press.models import compare as compare
from plantar.bench.press.models import differences as differences
