"""Labels from physics: a foot pressed and pushed on thousands of footholds, and scores that are fitted to them."""

from plantar.foothold.physics.data import PhysicsData as PhysicsData
from plantar.foothold.physics.data import load_physics as load_physics
from plantar.foothold.physics.distil import distil as distil
from plantar.foothold.physics.labels import Labels as Labels
from plantar.foothold.physics.model import HoldModel as HoldModel
from plantar.foothold.physics.model import load_model as load_model
from plantar.foothold.physics.model import shipped as shipped
from plantar.foothold.physics.mosaic import FITTING as FITTING
from plantar.foothold.physics.mosaic import FOLDS as FOLDS
from plantar.foothold.physics.mosaic import HELD_OUT as HELD_OUT
from plantar.foothold.physics.mosaic import Mosaic as Mosaic
from plantar.foothold.physics.mosaic import MosaicConfig as MosaicConfig
from plantar.foothold.physics.mosaic import make_mosaic as make_mosaic
from plantar.foothold.physics.plan import PressPlan as PressPlan
from plantar.foothold.physics.press import PhysicsConfig as PhysicsConfig
from plantar.foothold.physics.press import Presser as Presser
from plantar.foothold.physics.rig import PushRig as PushRig
from plantar.foothold.physics.train import TrainConfig as TrainConfig
from plantar.foothold.physics.train import config_for as config_for
from plantar.foothold.physics.train import train as train
