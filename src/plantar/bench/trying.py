"""A foot to try: sliders for load, obstacle, stiffness and toes, and the clip that follows from them."""

from __future__ import annotations

import math

import mujoco

from plantar._checks import require
from plantar.bench.clips import CLOSE, press_clip, windlass_clip
from plantar.bench.press.press import Trial
from plantar.bench.press.rig import PressRig
from plantar.bench.windlass.toes import find_toes
from plantar.errors import InvalidInput
from plantar.feet.export import scene_spec
from plantar.feet.foot import Foot
from plantar.show.clip import Clip
from plantar.show.recorder import ClipRecorder
from plantar.show.sliders import Slider

LOAD, HEIGHT, PLACE, TOES = "load [N]", "obstacle [mm]", "under module", "toes up [deg]"
HIGHEST_TOES = math.radians(40.0)
"""How far toes are raised, at most [rad]."""
STIFF = {
    "band.hardness": ("band hardness [Shore A]", 1.0, 20.0, 80.0, 1.0),
    "arch_stiffness": ("arch stiffness [N m/rad]", 1.0, 0.5, 20.0, 0.5),
    "contact.stiffness": ("sole stiffness [N/mm^3]", 1e9, 0.05, 5.0, 0.05),
}
"""Fields that say how soft a foot is, softest part first: name with unit, unit in SI, smallest, largest, step."""


class FootToTry:
    """A foot on the bench whose load, obstacle, stiffness and toes can be changed.

    Args:
        foot: The foot.
        load: Load at the start [N].
        height: Height of the obstacle [m].
        place: Module over it, 1 next to the heel; None takes the middle one.
        toes: How far the toes are raised [rad]; above 0 the foot stands on the floor and there is no obstacle.
    """

    def __init__(
        self, foot: Foot, *, load: float = 24.0, height: float = 0.012, place: int | None = None, toes: float = 0.0
    ):
        require(0 <= toes <= HIGHEST_TOES, "toes", toes, "an angle from 0 to 40 degrees")
        self.foot, self._field = foot, _softest(foot)
        self._rig = _rig(foot)
        modules = len(foot.stations.module_x) if self._rig is not None else 1
        self.values = {
            LOAD: load,
            HEIGHT: 1e3 * height,
            PLACE: float(place or (modules + 1) // 2),
            TOES: math.degrees(toes),
        }
        """Values at the start, by name with unit."""
        if self._rig is not None:
            self._trial(self.values, modules)
        self.sliders = self._sliders(modules)
        """What can be changed."""

    def _sliders(self, modules: int) -> tuple[Slider, ...]:
        if self._rig is None:
            return ()
        made = [
            Slider.holding(LOAD, 1.0, 100.0, self.values[LOAD], step=1.0),
            Slider.holding(HEIGHT, 0.0, 25.0, self.values[HEIGHT], step=0.5),
        ]
        if modules > 1:
            made.append(Slider.holding(PLACE, 1, modules, self.values[PLACE], step=1))
        if self._field is not None:
            name, unit, low, high, step = STIFF[self._field]
            now = _value(self.foot, self._field) / unit
            made.append(Slider.holding(name, low, high, now, step))
        if _has_toes(self.foot):
            made.append(Slider.holding(TOES, 0.0, round(math.degrees(HIGHEST_TOES), 6), self.values[TOES], step=1.0))
        return tuple(made)

    def clip(self, values: dict[str, float] | None = None) -> Clip:
        """The clip for values of the sliders; those not given are as at the start."""
        values = self.values | (values or {})
        foot = self._softened(values)
        if self._rig is None:
            return still_clip(foot)
        if values[TOES] > 0:
            return windlass_clip(foot, math.radians(values[TOES]), values[LOAD])
        return press_clip(foot, self._trial(values, len(foot.stations.module_x)), self._rig)

    def _trial(self, values: dict[str, float], modules: int) -> Trial:
        place = round(values[PLACE])
        if not 1 <= place <= modules:
            raise InvalidInput(f"position = {place} is not allowed: give a module from 1 to {modules} of this foot")
        return Trial(values[LOAD], values[HEIGHT] / 1e3, place)

    def _softened(self, values: dict[str, float]) -> Foot:
        if self._field is None or STIFF[self._field][0] not in values:
            return self.foot
        name, unit, *_ = STIFF[self._field]
        return self.foot.with_(**{self._field: values[name] * unit})


def still_clip(foot: Foot) -> Clip:
    """A foot that stands unloaded."""
    model = scene_spec(foot).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    recorder = ClipRecorder(model, overlays=False)
    recorder.take(0.0, data)
    low = float(data.geom_xpos[:, 2].min()) if model.ngeom else 0.0
    return recorder.clip(foot.title or foot.name, view=CLOSE, data=data, floor=min(low, 0.0))


def _rig(foot: Foot) -> PressRig | None:
    """The bench on which a foot can lie: supports, or a floor; None where there is none."""
    for rig in (PressRig(), PressRig(flat=True)):
        try:
            rig.start_height(foot, 0.0)
            if rig.flat or len(foot.stations.module_x) > 1:
                rig.spec(foot)
                return rig
        except InvalidInput:
            continue
    return None


def _softest(foot: Foot) -> str | None:
    return next((name for name in STIFF if _value(foot, name) is not None), None)


def _value(foot: Foot, field: str) -> float:
    value = foot
    for name in field.split("."):
        value = getattr(value, name, None)
    return value  # type: ignore[return-value]


def _has_toes(foot: Foot) -> bool:
    try:
        find_toes(foot)
    except InvalidInput:
        return False
    return True
