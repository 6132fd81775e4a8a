"""How a robot walks on its feet: plan, whole-body control, trials, metrics and studies."""

from plantar.walk.control.controllers import Setting as Setting
from plantar.walk.control.controllers import register as register
from plantar.walk.control.controllers import register_plan as register_plan
from plantar.walk.control.protocol import Command as Command
from plantar.walk.control.protocol import Controller as Controller
from plantar.walk.control.protocol import Observation as Observation
from plantar.walk.control.sensing import Sensing as Sensing
from plantar.walk.control.tuning import Tuning as Tuning
from plantar.walk.course import Course as Course
from plantar.walk.footholds import Limits as Limits
from plantar.walk.footholds import Question as Question
from plantar.walk.footholds import Step as Step
from plantar.walk.gym import register as register_environment
from plantar.walk.plans.adaptation import Adaptation as Adaptation
from plantar.walk.plans.gait import Gait as Gait
from plantar.walk.plans.gaits import Crawl as Crawl
from plantar.walk.plans.gaits import Trot as Trot
from plantar.walk.plans.plan import Plan as Plan
from plantar.walk.plans.predictive.config import PredictiveConfig as PredictiveConfig
from plantar.walk.result import WalkResult as WalkResult
from plantar.walk.result import WalkStatus as WalkStatus
from plantar.walk.robot.legged import Legged as Legged
from plantar.walk.sim.metrics import Metrics as Metrics
from plantar.walk.sim.obstacles import Bar as Bar
from plantar.walk.sim.pushes import Push as Push
from plantar.walk.sim.scene import Scene as Scene
from plantar.walk.sim.simulation import Simulation as Simulation
from plantar.walk.trial import trial as trial

register_environment()
