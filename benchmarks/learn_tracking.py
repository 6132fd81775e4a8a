"""How well the policies of checkpoints track commands in the worlds of their training, by the feet that a world has.

The policies act with the spread of their training and learn nothing. A line of JSON for each checkpoint: what tracking
of the velocity and of the turn rate pays (2 each at most), as a training's history says it, and falls a minute; over
all worlds and over those of each kind: `soft` up to four times the usual stiffness, `stiff`, `locked`; or own feet and
plate. With more than one core, `--threads` must be the same for the same draws.

    python benchmarks/learn_tracking.py tools/checkpoints/g1_legs_soft1.pt tools/checkpoints/g1_legs_rigid1.pt
"""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from plantar.learn.card import Card, read_card
from plantar.learn.config import LOCKED
from plantar.learn.entity import prepared
from plantar.learn.training import algorithm, read_checkpoint
from plantar.learn.worlds import Worlds, device_of

TERMS = ("track_linear_velocity", "track_angular_velocity")
SETTLE = 5.0
"""Seconds after the start that do not count."""
STIFF = 4.0
"""Factor of stiffness from which feet are told apart as stiff."""


def kinds(worlds: Worlds, card: Card) -> dict[str, torch.Tensor]:
    """Which worlds have which feet."""
    found = {"all": torch.ones(worlds.num_envs, dtype=torch.bool, device=worlds.device)}
    told = worlds.get_observations()["actor"][:, -card.foot :] if card.foot else found["all"][:, None]
    if len(card.feet) > 1:
        return found | {name: told[:, k] > 0.5 for k, name in enumerate(card.feet)}
    if card.foot:
        factor = LOCKED ** told[:, 0]
        locked = factor > 0.9 * LOCKED
        return found | {"soft": factor < STIFF, "stiff": (factor >= STIFF) & ~locked, "locked": locked}
    return found


def tracked(path: Path, args: argparse.Namespace) -> dict[str, Any]:
    """What one checkpoint's policy is paid for tracking."""
    saved, device = read_checkpoint(path), device_of(args.device)
    card = read_card(saved["card"])
    task = replace(card.task, locked=args.locked)
    torch.manual_seed(args.seed)
    subjects = [prepared(card.robot, foot, joints=task.joints) for foot in card.worn]
    worlds = Worlds(subjects, task, args.worlds, device, args.seed, args.threads)
    learner = algorithm(worlds, replace(card.training, worlds=args.worlds), device, None)
    learner.load(saved["learner"], {"actor": True}, strict=True)
    learner.eval_mode()
    seen, who = worlds.get_observations(), kinds(worlds, card)
    paid = torch.zeros(len(TERMS), worlds.num_envs, device=worlds.device)
    falls, counted = torch.zeros(worlds.num_envs, device=worlds.device), 0
    columns = [worlds.parts[0].reward_manager.active_terms.index(term) for term in TERMS]
    with torch.inference_mode():
        for step in range(round((SETTLE + args.seconds) / worlds.step_dt)):
            seen, _, _, extras = worlds.step(learner.act(seen))
            if step * worlds.step_dt >= SETTLE:
                paid += torch.cat([part.reward_manager._step_reward for part in worlds.parts])[:, columns].T
                falls += extras["fallen"]
                counted += 1
    worlds.close()
    minutes = counted * worlds.step_dt / 60
    found = {
        name: {
            "worlds": int(mask.sum()),
            "velocity": round(float(paid[0, mask].mean()) / counted, 3),
            "turn": round(float(paid[1, mask].mean()) / counted, 3),
            "falls_per_min": round(float(falls[mask].mean()) / minutes, 2),
        }
        for name, mask in who.items()
        if mask.any()
    }
    return {"checkpoint": path.stem, "steps": saved["steps"], **found}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--locked", type=float, default=0.4, help="share of the worlds whose soft feet are locked")
    parser.add_argument("--seed", type=int, default=9700)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    for path in args.checkpoints:
        line = tracked(path, args)
        print(json.dumps(line), flush=True)
        print(f"figure learn.tracking.{path.stem} = {json.dumps(line)}", flush=True)


if __name__ == "__main__":
    main()
