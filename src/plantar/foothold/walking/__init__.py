"""A quadruped that walks over rough ground and chooses where to step."""

from plantar.foothold.walking.body import FourLegged as FourLegged
from plantar.foothold.walking.chooser import CHOOSERS as CHOOSERS
from plantar.foothold.walking.chooser import Question as Question
from plantar.foothold.walking.chooser import find_chooser as find_chooser
from plantar.foothold.walking.controller import Controller as Controller
from plantar.foothold.walking.controller import Step as Step
from plantar.foothold.walking.eyes import Eyes as Eyes
from plantar.foothold.walking.measures import legs_of as legs_of
from plantar.foothold.walking.metrics import WalkFigures as WalkFigures
from plantar.foothold.walking.result import CrossResult as CrossResult
from plantar.foothold.walking.result import CrossStatus as CrossStatus
from plantar.foothold.walking.simulation import Simulation as Simulation
from plantar.foothold.walking.terrains import TERRAINS as TERRAINS
from plantar.foothold.walking.terrains import make_terrain as make_terrain
from plantar.foothold.walking.terrains import map_of as map_of
from plantar.foothold.walking.trial import Crossing as Crossing
from plantar.foothold.walking.trot import TrotController as TrotController
from plantar.foothold.walking.tuning import Crawl as Crawl
from plantar.foothold.walking.tuning import Trot as Trot
from plantar.foothold.walking.tuning import Tuning as Tuning
