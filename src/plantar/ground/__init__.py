"""Grounds: contact laws in SI units, what MuJoCo makes of them, and the parameters for a wanted sinkage."""

from plantar.ground import materials as materials
from plantar.ground._identification import Identification as Identification
from plantar.ground._identification import Status as Status
from plantar.ground.bekker import BekkerLaw as BekkerLaw
from plantar.ground.explain import Explanation as Explanation
from plantar.ground.explain import explain as explain
from plantar.ground.ground import Ground as Ground
from plantar.ground.hunt_crossley import HuntCrossley as HuntCrossley
from plantar.ground.identify import identify as identify
from plantar.ground.identify import static_parameters as static_parameters
from plantar.ground.impedance import Solver as Solver
from plantar.ground.law import Law as Law
from plantar.ground.linear import ContactLaw as ContactLaw
from plantar.ground.linear import LinearLaw as LinearLaw
from plantar.ground.mujoco_law import MujocoLaw as MujocoLaw
from plantar.ground.sinkage import sinkage as sinkage
