"""The bench: what is measured on a foot."""

from plantar.bench._run import Recording as Recording
from plantar.bench.press import Trial as Trial
from plantar.bench.press import press as press
from plantar.bench.press import run_trials as run_trials
from plantar.bench.press import trials as trials
from plantar.bench.rig import PressRig as PressRig
