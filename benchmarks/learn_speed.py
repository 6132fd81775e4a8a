"""Environment steps a second of a robot on rigid, soft and locked feet, in turns, under random actions.

One line of JSON for each kind of feet: degrees of freedom, environment steps a second (median and range over the
rounds, resets and observations counted), the cost against the first kind, mean contacts and constraint rows of a world,
shares of the worlds in which rows, contacts or solver iterations were too few, and how many episodes ended because a
number was not finite.

    python benchmarks/learn_speed.py unitree_g1 --worlds 4096 --rounds 3 --seconds 6
    python benchmarks/learn_speed.py unitree_g1 --task rough --feet softfoot:fast --steps 10000000

On a CPU the worlds are stepped by MuJoCo itself on all cores; a foot named `warp:NAME` is stepped by MuJoCo Warp there:

    python benchmarks/learn_speed.py unitree_g1 --feet softfoot:fast warp:softfoot:fast --worlds 64 --device cpu

`--parts` adds what a step consists of [ms], `--iterations`, `--dense` try other settings of the solver.
"""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import functools
import json
import re
import time
from statistics import median
from typing import Any

import torch

from plantar.feet import Foot, get
from plantar.learn import TaskConfig, tasks
from plantar.learn.entity import prepared
from plantar.learn.native import cores
from plantar.learn.worlds import Worlds, device_of

PARTS = {
    "sim": ("step", "forward", "sense"),
    "scene": ("update", "write_data_to_sim"),
    "action_manager": ("apply_action",),
    "termination_manager": ("compute",),
    "reward_manager": ("compute",),
    "event_manager": ("apply",),
    "command_manager": ("compute",),
    "observation_manager": ("compute",),
}
"""What an environment does in a step, by its own names."""
WARP = "warp:"
"""Before the name of a foot: its worlds are stepped by MuJoCo Warp on a CPU, too."""


def foot_named(word: str) -> Foot | str:
    """A foot by its name; `locked:NAME` is the same with every joint fixed, `rod:NAME` touches with rods."""
    word = word.removeprefix(WARP)
    if word.startswith("locked:"):
        return get(word.removeprefix("locked:")).locked()
    return get(word.removeprefix("rod:"), fast__touch="rod") if word.startswith("rod:") else word


class Contestant:
    def __init__(self, robot: str, word: str, args: argparse.Namespace, device: str):
        begun = time.monotonic()
        self.word, self.paces, self.diverged, self.steps = word, [], 0.0, 0
        self.subject = prepared(robot, foot_named(word), joints=args.joints)
        task, threads = TaskConfig(terrain=args.task, joints=args.joints), 0 if word.startswith(WARP) else args.threads
        self.worlds = Worlds([self.subject], task, args.worlds, device, args.seed, threads)
        self.device, self.short = device, {}
        self.run(0.5)
        self.paces.clear()
        self.set_up = time.monotonic() - begun

    def run(self, seconds: float, steps: int | None = None) -> None:
        """Step for so long, or so often, under random actions."""
        worlds, taken = self.worlds, 0
        self._wait()
        begun = time.monotonic()
        with torch.inference_mode():
            while (time.monotonic() - begun < seconds) if steps is None else (taken < steps):
                for _ in range(4):
                    actions = 2 * torch.rand(worlds.num_envs, worlds.num_actions, device=self.device) - 1
                    *_, extras = worlds.step(actions)
                    ended = [float(one.get("Episode_Termination/diverged", 0.0)) for one in extras["log"]]
                    self.diverged += sum(ended)
                taken += 4 * worlds.num_envs
                self._wait()
        self.paces.append(taken / (time.monotonic() - begun))
        self.steps += taken
        for what, share in worlds.overflows().items():
            self.short[what] = max(share, self.short.get(what, 0.0))

    def parts(self, steps: int = 30) -> dict[str, float]:
        """Time of the parts of a step [ms]; each is waited for, so that their sum is a little more than a step."""
        env, spent = self.worlds.parts[0], {}

        def timed(name: str, function: Any) -> Any:
            def wrapped(*args: Any, **kwargs: Any) -> Any:
                self._wait()
                begun = time.monotonic()
                found = function(*args, **kwargs)
                self._wait()
                spent[name] = spent.get(name, 0.0) + time.monotonic() - begun
                return found

            return wrapped

        wrapped = [(getattr(env, owner), name, owner) for owner, names in PARTS.items() for name in names]
        before = [vars(owner).get(name) for owner, name, _ in wrapped]
        for owner, name, label in wrapped:
            setattr(owner, name, timed(f"{label}.{name}", getattr(owner, name)))
        self.run(0.0, steps * self.worlds.num_envs)
        self.paces.pop()
        for (owner, name, _), own in zip(wrapped, before, strict=True):
            delattr(owner, name)
            if own is not None:
                setattr(owner, name, own)
        return {name: round(1e3 * seconds / steps, 2) for name, seconds in spent.items()}

    def _wait(self) -> None:
        if self.device != "cpu":
            torch.cuda.synchronize()

    def record(self) -> dict[str, Any]:
        data = self.worlds.parts[0].sim.data
        return {
            "foot": self.word,
            "nv": int(self.worlds.parts[0].sim.mj_model.nv),
            "steps_per_s": round(median(self.paces)),
            "range": [round(min(self.paces)), round(max(self.paces))],
            "contacts": round(float(torch.as_tensor(data.nacon).sum()) / self.worlds.num_envs, 1),
            "rows": round(float(torch.as_tensor(data.nefc).float().mean()), 1),
            "short": self.short,
            "diverged": self.diverged,
            "steps": self.steps,
            "set_up_s": round(self.set_up, 1),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default="unitree_g1")
    parser.add_argument("--feet", nargs="+", default=["own", "softfoot:fast", "locked:softfoot:fast"])
    parser.add_argument("--task", default="flat")
    parser.add_argument("--joints", default="all", help="joints that are moved: all or legs")
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--steps", type=int, help="environment steps of each, in place of rounds")
    parser.add_argument("--parts", action="store_true", help="time the parts of a step")
    parser.add_argument("--iterations", type=int, default=tasks.ITERATIONS, help="limit of the solver's iterations")
    parser.add_argument("--dense", action="store_true", help="dense matrices in the solver")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=cores(), help="threads on a CPU, with MuJoCo's own engine")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    device = device_of(args.device)
    torch.set_num_threads(1)  # as in trainings: waiting threads would slow down the physics
    tasks.ITERATIONS = args.iterations
    if args.dense:
        tasks.DiscreteCfg = functools.partial(tasks.DiscreteCfg, jacobian="dense")  # type: ignore[misc, assignment]
    racers = [Contestant(args.robot, word, args, device) for word in args.feet]
    for _ in range(1 if args.steps else args.rounds):
        for racer in racers:
            racer.run(args.seconds, args.steps)
    first = median(racers[0].paces)
    for racer in racers:
        line = {
            **racer.record(),
            **({"parts_ms": racer.parts()} if args.parts else {}),
            "cost": round(first / median(racer.paces), 3),
            "task": args.task,
            "worlds": args.worlds,
        }
        line["device"] = torch.cuda.get_device_name() if device != "cpu" else "cpu"
        line["threads"] = 0 if racer.word.startswith(WARP) else args.threads
        print(json.dumps(line), flush=True)
        where = "speed" if device != "cpu" else f"cpu.{args.robot}"
        print(f"figure learn.{where}.{re.sub('[^a-z0-9]+', '_', racer.word)} = {json.dumps(line)}", flush=True)


if __name__ == "__main__":
    main()
