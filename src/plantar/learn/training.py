"""Train a policy: proximal policy optimisation of rsl-rl in parts, each resuming where the last one ended."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from mjlab.utils.random import seed_rng
from mjlab.utils.torch import configure_torch_backends
from rsl_rl.algorithms import PPO

from plantar._checks import require
from plantar._files import replacing, to_json, write_config, write_csv
from plantar._read import DAMAGE, reason
from plantar.errors import InvalidInput, PlantarError
from plantar.learn.card import CARD, Card, card_of
from plantar.learn.checkpoint import check_fits, read_checkpoint
from plantar.learn.config import CHECKPOINT, TaskConfig, TrainConfig
from plantar.learn.entity import prepared
from plantar.learn.kinds import check_kinds, kind_of
from plantar.learn.native import cores
from plantar.learn.reflection import Reflection
from plantar.learn.worlds import Worlds, device_of, quietly

HISTORY, POLICY = "history.csv", "policy.onnx"
"""Files of a training beside its checkpoint: one row per update, and the policy exported at the end."""
MOST_THREADS = 256
"""Threads that a training may start."""
NO_TIME = "no update fits into the time: give more minutes"
LEAST_RATE = 1e-5
"""Least learning rate of rsl-rl's schedule."""
EPISODES = 200
"""Ended episodes whose length and end are averaged."""
_TERMS = ("track_linear_velocity", "track_angular_velocity", "upright", "pose", "action_rate_l2", "foot_slip")
"""Terms of the reward in the history: what they pay per second, as a mean over worlds and steps."""


@dataclass(frozen=True, kw_only=True)
class TrainResult:
    """Result of one part of a training."""

    folder: Path
    """Where checkpoint, history and card are."""
    iterations: int
    """Updates in all parts together."""
    steps: int
    """Control steps of all worlds in all parts together."""
    seconds: float
    """Time of this part [s]."""
    pace: float
    """Control steps of all worlds per second of this part, including updates but not set-up."""
    last: dict[str, Any]
    """The last row of the history."""

    def record(self) -> dict[str, Any]:
        """The result as plain data."""
        return {**asdict(self), "folder": str(self.folder)}

    def text(self) -> str:
        """The result for people."""
        row = self.last
        return (
            f"{self.iterations} updates, {self.steps / 1e6:.3g} million steps; this part {self.seconds:.0f} s at "
            f"{self.pace:.0f} steps/s\nepisodes of {row['length']:.3g} s, {row['falls']:.0%} end in a fall, reward "
            f"{row['reward']:.3g} per second\ncheckpoint: {self.folder / CHECKPOINT}"
        )


def train(
    robot: Any,
    feet: Any = "softfoot:fast",
    task: TaskConfig | None = None,
    config: TrainConfig | None = None,
    *,
    out: str | Path,
    device: str = "auto",
    threads: int = 0,
    minutes: float | None = None,
    save_every: float = 120.0,
    start: str | Path | None = None,
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
    say: Callable[[str], None] | None = None,
) -> TrainResult:
    """Train a policy, or resume the training in a folder.

    Args:
        robot: A name of mjlab, or what `plantar.robots.load` takes.
        feet: One kind of feet or several, whose worlds are mixed: names, feet, `own`, `plate`.
        task: The task.
        config: Worlds, updates, network.
        out: Existing folder for `checkpoint.pt`, `history.csv`, `card.json` and `config.json`; a checkpoint there is
            resumed if it is of the same training.
        device: `auto`, `cpu` or `cuda`.
        threads: Threads that step and learn on a CPU; 0 is all cores. Steps are the same with any number.
        minutes: Stop after this many minutes including set-up, for machines with a time limit.
        save_every: Seconds between two checkpoints.
        start: A checkpoint to start from if `out` holds none; of the same robot, kinds of feet and network.
        overwrite: Whether to discard another training in `out` instead of resuming it.
        progress: Called with the number of updates done.
        say: Called with a line of status whenever a checkpoint is written.

    Raises:
        InvalidInput: If a robot, foot or checkpoint cannot be used.
        PlantarError: If losses are not finite.
    """
    begun, task, config = time.monotonic(), task or TaskConfig(), config or TrainConfig()
    require(0 <= threads <= MOST_THREADS, "threads", threads, f"a number from 0 to {MOST_THREADS}")
    kinds = [kind_of(one) for one in (feet if isinstance(feet, list | tuple) else [feet])]
    place, folder, threads = device_of(device), Path(out), threads or cores()
    torch.manual_seed(config.seed)
    configure_torch_backends()  # as mjlab trains: matrix products in TF32
    subjects = [prepared(robot, kind, joints=task.joints) for kind in kinds]
    check_kinds(kinds, subjects, task)
    worlds = Worlds(subjects, task, config.worlds, place, config.seed, threads)
    learner = algorithm(worlds, config, place, Reflection(worlds, subjects) if config.mirror else None)
    named = str(robot) if isinstance(robot, str | Path) else subjects[0].name
    piece = _Piece(worlds, config, place, threads, card_of(worlds, subjects, kinds, task, config, named), learner)
    if (folder / CHECKPOINT).exists() and not overwrite:
        piece.load(folder / CHECKPOINT, same=True)
    elif start is not None:
        piece.load(Path(start), same=False)
    if not piece.rows and minutes is not None and time.monotonic() - begun > 60 * minutes:
        raise InvalidInput(NO_TIME)
    for name in (CHECKPOINT, HISTORY, POLICY, CARD) if overwrite else ():
        (folder / name).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    write_config(folder, command="learn train", seed=config.seed, robot=named, task=task, training=config)
    piece.card.write(folder)
    result = piece.run(folder, begun, minutes, save_every, progress or (lambda _: None), say or (lambda _: None))
    worlds.close()
    return result


def algorithm(worlds: Worlds, config: TrainConfig, device: str, reflection: Reflection | None) -> PPO:
    """The learner, with the settings of mjlab's G1."""
    network = {"class_name": "MLPModel", "hidden_dims": config.hidden, "activation": "elu", "obs_normalization": True}
    spread = {"class_name": "GaussianDistribution", "init_std": config.spread, "std_type": "scalar"}
    settings = {
        "class_name": "PPO",
        "num_learning_epochs": 5,
        "num_mini_batches": 4,
        "learning_rate": config.rate,
        "schedule": "adaptive",
        "gamma": 0.99,
        "lam": 0.95,
        "entropy_coef": config.entropy,
        "desired_kl": config.divergence,
        "max_grad_norm": 1.0,
        "clip_param": 0.2,
        "rnd_cfg": None,
        "symmetry_cfg": {"data_augmentation_func": reflection, "use_data_augmentation": True} if reflection else None,
    }
    cfg = {
        "algorithm": settings,
        "actor": {**network, "distribution_cfg": spread},
        "critic": dict(network),
        "obs_groups": {"actor": ["actor"], "critic": ["critic"]},
        "num_steps_per_env": config.steps,
        "multi_gpu": None,
    }
    with quietly():
        return PPO.construct_algorithm(worlds.get_observations(), worlds, cfg, device)


class _Piece:
    """One run of `train`."""

    def __init__(self, worlds: Worlds, config: TrainConfig, device: str, threads: int, card: Card, learner: PPO):
        self.worlds, self.config, self.card, self.device, self.threads = worlds, config, card, device, threads
        self.learner = learner
        self.iteration, self.steps, self.rows = 0, 0, []
        self.lengths: deque[float] = deque(maxlen=EPISODES)
        self.fallen: deque[float] = deque(maxlen=EPISODES)
        self._spread_ages()

    def _spread_ages(self) -> None:
        """Let the episodes of the worlds end at different times."""
        ages = self.worlds.episode_length_buf
        self.worlds.episode_length_buf = torch.randint_like(ages, int(self.worlds.max_episode_length))
        self.age = torch.zeros(self.worlds.num_envs, device=self.device)

    def load(self, path: Path, *, same: bool) -> None:
        """Go on from a checkpoint, of the same training or of another one for the same robot and feet."""
        saved = read_checkpoint(path, self.device)
        check_fits(path, saved, self.card, same=same)
        done, most = saved["iteration"], self.config.iterations
        if not same:
            require(most > done, "train.iterations", most, f"more than the {done} updates of {str(path)!r}")
        try:
            whole = "optimizer_state_dict" in saved["learner"]  # a light checkpoint has none
            self.learner.load(saved["learner"], None if whole else {"actor": True, "critic": True}, strict=True)
        except (RuntimeError, *DAMAGE) as error:
            raise InvalidInput(
                f"{str(path)!r} does not match this robot, feet or network: {reason(error)[:90]}"
            ) from error
        if not whole:  # first steps without an optimiser's memory are long; the rate rises as far as it may
            self.learner.learning_rate = LEAST_RATE
        self.iteration, self.steps, self.rows = done, saved["steps"], json.loads(saved["history"])
        if done:
            seed_rng(_seed_from(self.config.seed, done))
            self.worlds.resume(saved["levels"], done * self.config.steps)
            self._spread_ages()

    def save(self, folder: Path) -> None:
        """Write checkpoint and history; a reader sees old ones or new ones."""
        with replacing(folder / CHECKPOINT) as scratch:
            torch.save(
                {
                    "learner": self.learner.save(),
                    "iteration": self.iteration,
                    "steps": self.steps,
                    "levels": self.worlds.levels(),
                    "history": to_json(self.rows),
                    "card": to_json(self.card),
                },
                scratch,
            )
        write_csv(folder / HISTORY, self.rows)

    def run(
        self,
        folder: Path,
        begun: float,
        minutes: float | None,
        save_every: float,
        progress: Callable[[int], None],
        say: Callable[[str], None],
    ) -> TrainResult:
        """Update until all is done or time is up."""
        first, set_up = self.steps, time.monotonic()
        saved = set_up
        progress(self.iteration)
        say(f"set up in {set_up - begun:.0f} s, at update {self.iteration}")
        seen = self.worlds.get_observations().to(self.device)
        self.learner.train_mode()
        longest = 0.0
        while self.iteration < self.config.iterations:
            now = time.monotonic()
            if minutes is not None and now - begun + 1.5 * longest > 60 * minutes:
                break
            seen = self._update(seen)
            longest = max(longest, time.monotonic() - now)
            progress(1)
            if time.monotonic() - saved > save_every:
                self.save(folder)
                saved = time.monotonic()
                say(self._line(first, set_up))
        if not self.rows:
            raise InvalidInput(NO_TIME)
        self.save(folder)
        say(self._line(first, set_up))
        now = time.monotonic()
        return TrainResult(
            folder=folder,
            iterations=self.iteration,
            steps=self.steps,
            seconds=now - begun,
            pace=(self.steps - first) / (now - set_up),
            last=self.rows[-1],
        )

    def _line(self, first: int, set_up: float) -> str:
        row, pace = self.rows[-1], (self.steps - first) / (time.monotonic() - set_up)
        return (
            f"update {self.iteration}: {self.steps / 1e6:.1f} M steps, {pace:.0f} /s, episodes {row['length']:.1f} s, "
            f"falls {row['falls']:.0%}, tracking {row['track_linear_velocity']:.2f}"
        )

    def _update(self, seen: Any) -> Any:
        """Collect steps and improve the policy once."""
        begun, reward, told, paid = time.monotonic(), 0.0, [], []
        torch.set_num_threads(1)  # a step's tensors are small, and waiting threads would slow down the physics
        with torch.inference_mode():
            for _ in range(self.config.steps):
                actions = self.learner.act(seen)
                seen, rewards, dones, extras = self.worlds.step(actions)
                self.learner.process_env_step(seen, rewards, dones, extras)
                reward += float(rewards.mean())
                told += extras["log"]
                paid.append(self.worlds.paid())
                self._count(dones, extras["fallen"])
            self.learner.compute_returns(seen)
        collected = time.monotonic()
        torch.set_num_threads(self.threads)
        losses = self.learner.update()
        if not all(abs(value) < float("inf") for value in losses.values()) or not _finite(self.learner):
            raise PlantarError(
                f"training diverged in update {self.iteration + 1}: its losses or weights are not finite"
            )
        self.iteration += 1
        self.steps += self.config.steps * self.worlds.num_envs
        self.rows.append(
            {
                "iteration": self.iteration,
                "steps": self.steps,
                "collect_s": collected - begun,
                "update_s": time.monotonic() - collected,
                "reward": reward / self.config.steps / self.worlds.step_dt,
                "length": _average(self.lengths) * self.worlds.step_dt,
                "falls": _average(self.fallen),
                **{name: _average([float(one[name]) for one in paid]) for name in _TERMS},
                "diverged": sum(int(one.get("Episode_Termination/diverged", 0)) for one in told),
                **{f"short_{word}": share for word, share in self.worlds.overflows().items()},
                "level": _average([float(level.float().mean()) for level in self.worlds.levels()]),
                "spread": float(self.learner.actor.output_std.detach().mean()),
                "rate": self.learner.learning_rate,
            }
        )
        return seen

    def _count(self, dones: torch.Tensor, fallen: torch.Tensor) -> None:
        self.age += 1
        ended = dones.bool()
        self.lengths.extend(self.age[ended].tolist())
        self.fallen.extend(fallen[ended].float().tolist())
        self.age[ended] = 0


def _average(values: Any) -> float:
    return float(sum(values) / len(values)) if len(values) else 0.0


def _seed_from(seed: int, update: int) -> int:
    """The seed of a part of a training that begins after some updates; no two parts draw the same."""
    return int(np.random.SeedSequence([seed, update]).generate_state(1)[0]) >> 1  # Warp takes 31 bits


def _finite(learner: PPO) -> bool:
    networks = learner.actor, learner.critic
    return all(bool(weights.isfinite().all()) for network in networks for weights in network.parameters())
