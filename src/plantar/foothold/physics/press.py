"""Press a foot on the footholds of mosaics and push it, in MuJoCo or by the thousand in MuJoCo Warp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import mujoco

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar.feet import BallFoot
from plantar.feet.foot import Foot
from plantar.foothold.physics._mujoco_run import run_mujoco
from plantar.foothold.physics.data import PhysicsData
from plantar.foothold.physics.labels import Labels, label_presses
from plantar.foothold.physics.mosaic import SPAN, Mosaic, MosaicConfig, make_mosaic
from plantar.foothold.physics.plan import Presses, PressPlan, place, presses
from plantar.foothold.physics.rig import PushRig, field_data, footprint, start_heights
from plantar.foothold.physics.trace import Reader, Traces
from plantar.foothold.sole import sole_of
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.sweep.engines.gpu import require_device

Engine = Literal["threads", "gpu"]


@dataclass(frozen=True, kw_only=True)
class PhysicsConfig(Checked):
    """How labels are made from physics."""

    mosaic: MosaicConfig = field(default_factory=MosaicConfig)
    """The ground."""
    plan: PressPlan = field(default_factory=PressPlan)
    """The presses of each foothold."""
    rig: PushRig = field(default_factory=PushRig)
    """What presses and pushes."""


class Presser:
    """A foot on a rig over one mosaic after another, compiled once."""

    def __init__(
        self,
        foot: Foot,
        config: PhysicsConfig,
        engine: Engine = "threads",
        *,
        worlds: int = 8192,
        threads: int | None = None,
    ) -> None:
        """Choose what runs the presses.

        Args:
            foot: Any foot.
            config: How labels are made.
            engine: `threads` is MuJoCo on this machine's cores, `gpu` is MuJoCo Warp.
            worlds: Worlds per launch on a GPU.
            threads: Threads of the other engine; all cores if None.

        Raises:
            InvalidInput: If the engine is unknown, or there is no GPU.
            MissingExtra: If MuJoCo Warp is not installed.
        """
        require_choice("engine", engine, ("threads", "gpu"))
        require(1 <= worlds <= 10**6, "worlds", worlds, "an integer from 1 to a million")
        if engine == "gpu":
            require_device()
        self.foot, self.config, self.engine, self.threads = foot, config, engine, threads
        self.worlds = worlds
        self._runner: Any = None
        self._model: mujoco.MjModel | None = None
        self._key: tuple | None = None

    def press(
        self, mosaic: Mosaic, start: Presses, progress: Callable[[int], None] | None = None
    ) -> tuple[Labels, Traces]:
        """Run presses on a mosaic; labels and readings of each."""
        return self.press_on(mosaic.ground, start, SPAN, progress)

    def press_on(
        self,
        ground: ElevationMap,
        start: Presses,
        span: tuple[float, float] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> tuple[Labels, Traces]:
        """Run presses on any ground; labels and readings of each.

        Args:
            ground: What is pressed on, with cells of about a centimetre.
            start: The presses.
            span: Lowest and highest ground of all that this presser is used on [m]; None recompiles.
            progress: Called with the number of presses finished since the last call.
        """
        rig = self.config.rig
        model = self._on(ground, span)
        reader = Reader.of(model, self.foot)
        top = start_heights(ground, footprint(model), start.x, start.y, start.yaw)
        heights = top + self.foot.sole_height + rig.clearance
        if self.engine == "threads":
            traces = run_mujoco(model, reader, rig, start, heights, progress, self.threads)
        else:
            traces = self._warp(model, reader, len(start)).run(start, heights, progress)
        return label_presses(traces, start, rig, reader), traces

    def footholds(self, number: int, progress: Callable[[int], None] | None = None) -> PhysicsData:
        """Press all footholds of mosaic `number`."""
        return self.footholds_of(make_mosaic(self.config.mosaic, number), progress)

    def footholds_of(self, mosaic: Mosaic, progress: Callable[[int], None] | None = None) -> PhysicsData:
        """Press all footholds of a mosaic."""
        config = self.config
        chosen = place(mosaic, config.plan)
        start = presses(mosaic, chosen, config.plan)
        labels, _ = self.press(mosaic, start, progress)
        assert self._model is not None
        size = {"height": end_of_leg(self.foot), "half": footprint(self._model)}
        return PhysicsData.of(mosaic, chosen, labels, start.direction, **size)

    def _on(self, ground: ElevationMap, span: tuple[float, float] | None) -> mujoco.MjModel:
        """The model with the heights of a ground; recompiled only if grid or span differ."""
        model = self._model
        key = None if span is None else (ground.shape, ground.cell, ground.origin, span)
        if model is None or key is None or key != self._key:
            self._model, self._key, self._runner = self.config.rig.model(self.foot, ground, span), key, None
            return self._model
        model.hfield_data[:] = field_data(ground, span).ravel()
        return model

    def _warp(self, model: mujoco.MjModel, reader: Reader, count: int) -> Any:
        from plantar.foothold.physics._warp_run import WarpRunner  # noqa: PLC0415  (extra `gpu`)

        if self._runner is None:
            self._runner = WarpRunner(model, reader, self.config.rig, min(self.worlds, count))
        else:
            self._runner.set_ground(model)
        return self._runner


def end_of_leg(foot: Foot) -> float:
    """Leg's end above the ground, from which costs of cells tell the reach [m]: a ball's middle, else the ankle."""
    return sole_of(foot).height if isinstance(foot, BallFoot) else foot.sole_height
