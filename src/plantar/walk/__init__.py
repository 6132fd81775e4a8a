"""How a robot walks on its feet: plan, whole-body control, trials, metrics and studies."""

from plantar.walk.control.adaptation import Adaptation as Adaptation
from plantar.walk.control.controller import DcmController as DcmController
from plantar.walk.control.protocol import Command as Command
from plantar.walk.control.protocol import Controller as Controller
from plantar.walk.control.protocol import Observation as Observation
from plantar.walk.control.sensing import Sensing as Sensing
from plantar.walk.control.tuning import Tuning as Tuning
from plantar.walk.plans.gait import Gait as Gait
from plantar.walk.result import WalkResult as WalkResult
from plantar.walk.result import WalkStatus as WalkStatus
from plantar.walk.robot.legged import Legged as Legged
from plantar.walk.sim.metrics import COLUMNS as COLUMNS
from plantar.walk.sim.metrics import Metrics as Metrics
from plantar.walk.sim.obstacles import Bar as Bar
from plantar.walk.sim.pushes import Push as Push
from plantar.walk.sim.scene import Scene as Scene
from plantar.walk.sim.simulation import Simulation as Simulation
from plantar.walk.trial import Course as Course
from plantar.walk.trial import trial as trial
