"""Many worlds at once for rsl-rl: one mjlab environment for each kind of feet, their worlds side by side."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import contextlib
import gc
import io
import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import mujoco_warp
import torch
import warp
from mjlab.envs import ManagerBasedRlEnv
from mjlab.sim import Simulation
from rsl_rl.env import VecEnv
from tensordict import TensorDict

from plantar.errors import InvalidInput
from plantar.learn.config import TaskConfig
from plantar.learn.native import NativePhysics
from plantar.learn.subject import Subject
from plantar.learn.tasks import task

NO_GPU = b"Could not find or load the NVIDIA CUDA driver"
"""What Warp says on machines without a GPU, whatever its settings."""
_KIND = mujoco_warp.OverflowType
OVERFLOWS = {
    "rows": int(_KIND.NEFC | _KIND.NJMAX_NNZ),
    "contacts": int(_KIND.BROADPHASE | _KIND.NARROWPHASE | _KIND.CONTACT_MATCH),
    "iterations": int(_KIND.ITERATIONS),
}
"""Capacities that a world can exceed: constraint rows, contacts, solver iterations."""


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keep the tables of mjlab and the notes of Warp off the output, which is for results."""
    quiet, warp.config.quiet = warp.config.quiet, True
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    warp.config.quiet = quiet


def start_warp() -> None:
    """Start Warp for a CPU, where it need not say that there is no GPU; all else that it says is passed on."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no stderr
        return
    with tempfile.TemporaryFile() as told, quietly():
        os.dup2(told.fileno(), 2)
        try:
            warp.init()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        told.seek(0)
        os.write(2, b"".join(line for line in told if NO_GPU not in line))


def device_of(word: str) -> str:
    """A device of PyTorch by `auto`, `cpu` or `cuda`.

    Raises:
        InvalidInput: If there is no such device here.
    """
    there = torch.cuda.is_available()
    if word == "cuda" and not there:
        raise InvalidInput("device = 'cuda' is not allowed: PyTorch finds no CUDA device here; give cpu")
    return "cuda:0" if word in ("auto", "cuda") and there else "cpu"


def refresh_lightly(sim: Simulation) -> None:
    """Let `sim.forward` compute only what is observed between control steps: poses, velocities and their sensors.

    mjlab calls it once per control step, where it would find contacts and solve for forces once more, which costs as
    much as a physics step. The motion is the same without; what touches remains as in the last physics step.
    """

    def refresh() -> None:
        model, data = sim.wp_model, sim.wp_data
        mujoco_warp.fwd_kinematics(model, data)
        mujoco_warp.com_vel(model, data)
        mujoco_warp.sensor_pos(model, data)
        mujoco_warp.sensor_vel(model, data)

    graph = None
    if sim.use_cuda_graph:
        with warp.ScopedDevice(sim.wp_device):
            refresh()  # kernels are loaded before they are recorded
            gc.collect()
            gc.disable()  # what is freed while recording would be recorded too
            try:
                with warp.ScopedCapture() as capture:
                    refresh()
            finally:
                gc.enable()
            graph = capture.graph

    def forward() -> None:
        with warp.ScopedDevice(sim.wp_device):
            if graph is None:
                refresh()
            else:
                warp.capture_launch(graph)

    sim.forward = forward  # type: ignore[method-assign]


class Worlds(VecEnv):
    """Worlds of one robot on one or several kinds of feet.

    With several, every world observes its kind (one number for each kind, one of them 1), and soft feet are as they
    were built. With one kind, soft feet draw their stiffness and tendons, and observe those.

    Args:
        subjects: The robot on each kind of feet.
        config: The task.
        worlds: Number of worlds.
        device: Where mjlab computes: `cpu`, `cuda:0`.
        seed: Seed of ground and draws.
        threads: Threads that step the worlds on a CPU with MuJoCo itself; 0 steps them with MuJoCo Warp there too.
    """

    def __init__(
        self, subjects: Sequence[Subject], config: TaskConfig, worlds: int, device: str, seed: int, threads: int = 1
    ):
        shares = [worlds // len(subjects) + (i < worlds % len(subjects)) for i in range(len(subjects))]
        if min(shares) < 1:
            raise InvalidInput(
                f"train.worlds = {worlds} is not allowed: give {len(subjects)} or more, one for each kind of feet"
            )
        if device == "cpu":
            start_warp()
        self.parts: list[ManagerBasedRlEnv] = []
        self.physics: list[NativePhysics] = []
        for i, (subject, share) in enumerate(zip(subjects, shares, strict=True)):
            one_of = tuple(float(i == k) for k in range(len(subjects)))
            with quietly():
                cfg = task(subject, config, told=one_of if len(subjects) > 1 else (), seed=seed)
                cfg.scene.num_envs = share
                self.parts.append(ManagerBasedRlEnv(cfg, device=device))
                if device == "cpu" and threads:
                    self.physics.append(NativePhysics(self.parts[-1].sim, threads, cfg.decimation))
                else:
                    refresh_lightly(self.parts[-1].sim)
                self.parts[-1].reset()
        self.shares, self.num_envs, self.device = shares, worlds, torch.device(device)
        self.num_actions = self.parts[0].action_manager.total_action_dim
        self.max_episode_length = self.parts[0].max_episode_length
        self.cfg: Any = self.parts[0].cfg
        self.step_dt = self.parts[0].step_dt

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Steps of each world since its episode began."""
        return torch.cat([part.episode_length_buf for part in self.parts])

    @episode_length_buf.setter
    def episode_length_buf(self, value: torch.Tensor) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        for part, own in zip(self.parts, value.split(self.shares), strict=True):
            part.episode_length_buf = own.clone()

    def get_observations(self) -> TensorDict:
        """Current observations of actor and critic."""
        return self._joined([part.observation_manager.compute() for part in self.parts])

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict]:
        """Step all worlds; those that end are reset."""
        found = [part.step(own) for part, own in zip(self.parts, actions.split(self.shares), strict=True)]
        seen = self._joined([observed for observed, *_ in found])
        rewards, fallen, ended = (torch.cat([one[k] for one in found]) for k in (1, 2, 3))  # type: ignore[misc]
        extras = {"time_outs": ended, "fallen": fallen, "log": [one[4].get("log", {}) for one in found]}
        return seen, rewards, (fallen | ended).long(), extras

    def paid(self) -> dict[str, torch.Tensor]:
        """What each term of the reward pays in this step, per second and as a mean over all worlds.

        mjlab's own log has sums over episodes that end, as a share of the longest episode: they are small after every
        start, when only young episodes have ended.
        """
        sums = torch.stack([p.reward_manager._step_reward.sum(dim=0) for p in self.parts]).sum(dim=0)
        return dict(zip(self.parts[0].reward_manager.active_terms, sums / self.num_envs, strict=True))

    def levels(self) -> list[torch.Tensor]:
        """How hard the ground of each world is, by kind of feet; empty on a plane."""
        grounds = [part.scene.terrain for part in self.parts]
        return [g.terrain_levels for g in grounds if g is not None and g.terrain_origins is not None]

    def set_levels(self, levels: Sequence[torch.Tensor]) -> None:
        """Put every world back on ground of the same difficulty; if the number of worlds differs, start over."""
        for part, own, saved in zip(self.parts, self.levels(), levels, strict=False):
            if own.shape == saved.shape:
                own[:] = saved.to(own.device)
                ground = part.scene.terrain
                assert ground is not None and ground.env_origins is not None
                ground.env_origins[:] = ground.terrain_origins[own, ground.terrain_types]

    def resume(self, levels: Sequence[torch.Tensor], steps: int) -> None:
        """Begin all episodes anew, on ground of the given difficulty, as after so many control steps in each world."""
        self.set_levels(levels)
        for part in self.parts:
            part.common_step_counter = 0  # mjlab takes the way to where a world now is for walked, except at the start
            part.reset()
            part.common_step_counter = steps
            part.curriculum_manager.compute(env_ids=torch.zeros(0, dtype=torch.long, device=part.device))

    def overflows(self) -> dict[str, float]:
        """Fractions of the worlds in which a capacity was ever exceeded, by kind; counting then restarts."""
        found = torch.cat([torch.as_tensor(part.sim.data.overflow).flatten() for part in self.parts]).long()
        for part in self.parts:
            part.sim.data.overflow[:] = 0
        return {word: float(((found & bits) != 0).float().mean()) for word, bits in OVERFLOWS.items()}

    def close(self) -> None:
        """Free what the simulations hold."""
        for part in (*self.parts, *self.physics):
            part.close()

    def _joined(self, seen: list[Any]) -> TensorDict:
        groups = {name: torch.cat([one[name] for one in seen]) for name in seen[0]}
        return TensorDict(groups, batch_size=[self.num_envs])
