"""The bench: what is measured on a foot.

Verbs are functions of the same name as their module: `plantar.bench.press(foot)`,
`plantar.bench.windlass(foot)`.
"""

from plantar.bench._run import Recording as Recording
from plantar.bench.calibrate import calibrate as calibrate
from plantar.bench.compare import compare as compare
from plantar.bench.measured import read_measured as read_measured
from plantar.bench.measured import write_template as write_template
from plantar.bench.press import Trial as Trial
from plantar.bench.press import press as press
from plantar.bench.press import run_trials as run_trials
from plantar.bench.press import trials as trials
from plantar.bench.reduce import reduce as reduce
from plantar.bench.rig import PressRig as PressRig
from plantar.bench.rig import load_rig as load_rig
from plantar.bench.sensitivity import sensitivity as sensitivity
from plantar.bench.stiffness import stiffness as stiffness
from plantar.bench.windlass import windlass as windlass
