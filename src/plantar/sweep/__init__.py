"""Many trials at once: one interface over threads, processes, a GPU or a cluster, resumable after a kill."""

from plantar.sweep.read import load as load
from plantar.sweep.read import status as status
from plantar.sweep.read import tables as tables
from plantar.sweep.run import EngineName as EngineName
from plantar.sweep.run import SweepResult as SweepResult
from plantar.sweep.run import run as run
from plantar.sweep.trials import Trials as Trials
from plantar.sweep.trials import grid as grid
from plantar.sweep.trials import sample as sample
from plantar.sweep.trials import trial_seed as trial_seed
