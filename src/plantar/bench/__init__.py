"""The bench: what is measured on a foot.

Verbs are functions of the same name as their module: `plantar.bench.press(foot)`,
`plantar.bench.windlass(foot)`.
"""

from plantar.bench.calibrate.calibrate import calibrate as calibrate
from plantar.bench.compare.compare import compare as compare
from plantar.bench.compare.measured import read_measured as read_measured
from plantar.bench.compare.measured import write_template as write_template
from plantar.bench.press.press import Trial as Trial
from plantar.bench.press.press import press as press
from plantar.bench.press.press import run_trials as run_trials
from plantar.bench.press.press import trials as trials
from plantar.bench.press.rig import PressRig as PressRig
from plantar.bench.press.rig import load_rig as load_rig
from plantar.bench.press.sweep import PressTrials as PressTrials
from plantar.bench.press.terrain import press_terrain as press_terrain
from plantar.bench.reduce.reduce import reduce as reduce
from plantar.bench.sensitivity.sensitivity import sensitivity as sensitivity
from plantar.bench.stiffness import stiffness as stiffness
from plantar.bench.windlass.windlass import windlass as windlass
from plantar.settle import Recording as Recording
