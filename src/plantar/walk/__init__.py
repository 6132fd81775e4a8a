"""How a robot walks on its feet: plan, whole-body control, trials, metrics and studies."""

from plantar.walk.adaptation import Adaptation as Adaptation
from plantar.walk.controller import DcmController as DcmController
from plantar.walk.gait import Gait as Gait
from plantar.walk.legged import Legged as Legged
from plantar.walk.metrics import COLUMNS as COLUMNS
from plantar.walk.metrics import Metrics as Metrics
from plantar.walk.obstacles import Bar as Bar
from plantar.walk.protocol import Command as Command
from plantar.walk.protocol import Controller as Controller
from plantar.walk.protocol import Observation as Observation
from plantar.walk.pushes import Push as Push
from plantar.walk.result import WalkResult as WalkResult
from plantar.walk.result import WalkStatus as WalkStatus
from plantar.walk.scene import Scene as Scene
from plantar.walk.sensing import Sensing as Sensing
from plantar.walk.simulation import Simulation as Simulation
from plantar.walk.trial import Course as Course
from plantar.walk.trial import trial as trial
from plantar.walk.tuning import Tuning as Tuning
