"""The mirror image of a training: the same physics, and twice as much to learn from. Needs the extra `learn`."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

from dataclasses import replace

import pytest

from plantar._extras import EXTRAS

if EXTRAS["learn"].missing:
    pytest.skip(f"the extra learn is not installed: {', '.join(EXTRAS['learn'].missing)}", allow_module_level=True)

import torch

from plantar.errors import InvalidInput
from plantar.learn import TaskConfig, TrainConfig
from plantar.learn.entity import prepared
from plantar.learn.mirror import mirror_of
from plantar.learn.reflection import Reflection
from plantar.learn.tasks import task
from plantar.learn.training import train
from plantar.learn.worlds import Worlds

ALIKE = TaskConfig(friction=(0.8, 0.8), stiffness=(1.0, 1.0), locked=0.0, tendons=1.0, push=0.0)
"""Worlds that differ in nothing."""


def undrawn(*args, **more):
    """A task without noise and without draws of pose, encoders and centre of mass."""
    cfg = task(*args, **more)
    for name in ("encoder_bias", "base_com"):
        cfg.events.pop(name)
    cfg.events["reset_base"].params["pose_range"] = {"z": (0.02, 0.02)}
    cfg.commands["twist"].rel_standing_envs = cfg.commands["twist"].rel_heading_envs = 0.0
    cfg.commands["twist"].rel_forward_envs = 0.0
    for group in cfg.observations.values():
        group.enable_corruption = False
    return cfg


@pytest.mark.parametrize(("robot", "foot"), [("biped", "softfoot:fast"), ("quadruped", "softfoot_q:fast")])
def test_mirrored_actions_make_the_mirrored_walk(robot, foot, monkeypatch):
    """Two worlds, one with the mirror image of the other's actions: all that is observed stays its mirror image."""
    monkeypatch.setattr("plantar.learn.worlds.task", undrawn)
    subject = prepared(robot, foot)
    worlds = Worlds([subject], ALIKE, 2, "cpu", 0, 1)
    reflect = Reflection(worlds, [subject])
    command = worlds.parts[0].command_manager.get_term("twist")
    torch.manual_seed(5)
    seen = worlds.get_observations()
    for step in range(5):  # contacts that slide tell the smallest difference apart before long
        command.vel_command_b[:] = torch.tensor([[0.4, 0.2, 0.0], [0.4, -0.2, 0.0]])
        actions = 0.5 * torch.randn(1, worlds.num_actions)
        seen, rewards, *_ = worlds.step(torch.cat([actions, reflect.moved(actions)]))
        for group in ("actor", "critic"):
            assert torch.allclose(reflect.seen(seen[:1])[group], seen[group][1:], atol=0.05), (step, group)
        assert float(rewards[0]) == pytest.approx(float(rewards[1]), abs=1e-3)
    assert seen["critic"][0].abs().max() > 0.5 and not torch.allclose(seen["actor"][0], seen["actor"][1], atol=0.1)


def test_mirrored_twice_is_as_before():
    subject = prepared("unitree_g1", "softfoot:fast", joints="legs")
    worlds = Worlds([subject], TaskConfig(joints="legs"), 2, "cpu", 0, 1)
    reflect = Reflection(worlds, [subject])
    seen, actions = worlds.get_observations(), torch.randn(2, worlds.num_actions)
    assert torch.equal(reflect.moved(reflect.moved(actions)), actions)
    for group in ("actor", "critic"):
        assert torch.equal(reflect.seen(reflect.seen(seen))[group], seen[group])
        assert not torch.equal(reflect.seen(seen)[group], seen[group])


def test_a_robot_that_is_not_its_own_mirror_image_is_refused():
    subject = prepared("biped", "softfoot:fast")
    with pytest.raises(InvalidInput, match=r"biped is not its own mirror image: 'left_shoulder_pitch_joint' has no"):
        mirror_of(replace(subject, posture={**subject.posture, "left_shoulder_pitch_joint": 0.3}))


def test_a_training_learns_from_mirror_images(tmp_path):
    config = TrainConfig(worlds=4, steps=3, iterations=1, hidden=(8, 8), mirror=True)
    result = train("biped", ["own", "plate"], TaskConfig(), config, out=tmp_path, device="cpu")
    assert result.iterations == 1
