"""Training end to end on the CPU with a toy budget; all of it needs the extra `learn`."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import csv
import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar import robots
from plantar._extras import EXTRAS

if EXTRAS["learn"].missing:
    pytest.skip(f"the extra learn is not installed: {', '.join(EXTRAS['learn'].missing)}", allow_module_level=True)

import torch
from mjlab.terrains.terrain_generator import TerrainGenerator

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.learn import Policy, TaskConfig, TrainConfig, evaluate
from plantar.learn.config import LOCKED
from plantar.learn.controller import PolicyController, PolicyMaker
from plantar.learn.entity import prepared
from plantar.learn.errand import Pace
from plantar.learn.evaluation import EvaluateConfig
from plantar.learn.exporting import export
from plantar.learn.register import names
from plantar.learn.tasks import task
from plantar.learn.terrains import terrain_of
from plantar.learn.training import read_checkpoint, train
from plantar.learn.walker import restrung, walker_of
from plantar.learn.worlds import Worlds
from plantar.walk.control.controllers import Setting
from plantar.walk.control.protocol import Observation
from plantar.walk.control.tuning import Tuning
from plantar.walk.robot.legged import Legged

FELT = {"loads": np.full(2, 200.0), "pressure": np.zeros((2, 2))}
"""What the soles of a robot that stands feel."""
ROOT = Path(__file__).resolve().parents[1]
SMALL = {"worlds": 6, "steps": 3, "hidden": (16, 16)}


@pytest.fixture(scope="module")
def subject():
    return prepared("biped", "softfoot:fast")


@pytest.fixture(scope="module")
def worlds(subject):
    return Worlds([subject], TaskConfig(locked=0.34, tendons=0.5), 6, "cpu", 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A training of two updates, gone on with for a third."""
    place = tmp_path_factory.mktemp("learn")
    for iterations in (2, 3):
        train("biped", "softfoot:fast", config=TrainConfig(iterations=iterations, **SMALL), out=place, device="cpu")
    return place


def test_every_world_draws_its_feet_and_the_policy_is_told(worlds, subject):
    part = worlds.parts[0]
    told, model = part.plantar_told.numpy(), part.sim.mj_model
    factor = LOCKED ** told[:, 0]
    assert (np.isclose(factor, LOCKED, rtol=1e-3)).sum() == 2 and 0.24 < factor.min() < factor.max() <= 1001
    assert set(told[:, 1]) == {0.0, 1.0} and told[:, 1].sum() == 3
    joint = model.joint("robot/left-chain1_module3").id
    stiffness = part.sim.model.jnt_stiffness[:, joint].numpy()
    assert stiffness == pytest.approx(model.jnt_stiffness[joint] * factor, rel=1e-3)
    cord = model.tendon("robot/left-tendon1").id
    limits = part.sim.model.tendon_range[:, cord, 1].numpy()
    assert ((limits == 1.0) == (told[:, 1] == 0)).all()
    soles = [model.geom(f"robot/{name}").id for name in subject.soles]
    friction = part.sim.model.geom_friction[:, soles, 0].numpy()
    assert (friction == friction[:, :1]).all() and len(set(friction[:, 0])) == 6
    assert (part.sim.model.geom_solimp[:, soles[0], 0].numpy().argsort() == friction[:, 0].argsort()).all()
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE


def test_worlds_lock_every_joint_of_a_foot_and_stiffen_its_tendons():
    """Joints without springs are free at any factor below, so that a foot would swing on them when locked."""
    worlds = Worlds([prepared("quadruped", "softfoot_q:fast")], TaskConfig(locked=0.5), 4, "cpu", 0)
    part = worlds.parts[0]
    model, told = part.sim.mj_model, part.plantar_told.numpy()[:, 0]
    locked, drawn = np.isclose(told, 1.0), part.sim.model
    assert locked.sum() == 2
    roll, play = (model.joint(f"robot/left_front-{name}").id for name in ("front_roll", "chain1_link1_play"))
    assert (drawn.jnt_stiffness[:, roll].numpy()[locked] == 1000).all()
    assert (drawn.jnt_stiffness[:, play].numpy()[locked] == 1e7).all()
    assert (drawn.jnt_stiffness[:, [roll, play]].numpy()[~locked] == 0).all()
    spring = drawn.tendon_stiffness[:, model.tendon("robot/left_front-arch_spring").id].numpy()
    assert spring == pytest.approx(5.0 * np.where(locked, 1.0, LOCKED**told), rel=1e-4)
    walked = restrung(robots.mount("quadruped", "softfoot_q:fast", separator="-"), LOCKED).model()
    for joint in (roll, play):
        name = model.joint(joint).name.removeprefix("robot/")
        assert walked.joint(name).stiffness[0] == drawn.jnt_stiffness[:, joint].numpy()[locked][0], "as in walks"
    worlds.close()


def test_refreshing_lightly_changes_neither_motion_nor_what_a_policy_sees(subject, monkeypatch):
    """Between control steps mjlab would look for contacts and solve for forces once more."""
    seen = []
    for light in (True, False):
        if not light:
            monkeypatch.setattr("plantar.learn.worlds.refresh_lightly", lambda sim: None)
        torch.manual_seed(3)
        worlds = Worlds([subject], TaskConfig(episode=0.1, push=0.0), 4, "cpu", 0, threads=0)
        steps = [worlds.step(torch.randn(4, worlds.num_actions)) for _ in range(8)]
        assert any(bool(dones.any()) for _, _, dones, _ in steps), "some worlds are reset on the way"
        seen.append([(observed["actor"], rewards, dones) for observed, rewards, dones, _ in steps])
        worlds.close()
    for light, full in zip(*seen, strict=True):
        assert all(torch.equal(one, other) for one, other in zip(light, full, strict=True))


def test_a_policy_of_the_legs_walks_with_the_arms_held(tmp_path):
    result = train(
        "biped", "plate", TaskConfig(joints="legs"), TrainConfig(iterations=1, **SMALL), out=tmp_path, device="cpu"
    )
    assert result.iterations == 1
    policy = export(tmp_path / "checkpoint.pt", tmp_path / "policy.onnx")
    card = Policy(policy).card
    assert card.task.joints == "legs" and len(card.drives) == 12
    found = evaluate(policy, config=EvaluateConfig(levels=(0.0,), draws=1, seconds=0.3))
    assert len(found.rows) == 1 and not found.broken


def test_passive_joints_are_in_nothing_that_a_policy_is_paid_for(worlds, subject):
    part = worlds.parts[0]
    count = len(subject.drives)
    assert worlds.num_actions == count == part.action_manager.get_term("joint_pos").action_dim
    sizes = dict(
        zip(
            part.observation_manager.active_terms["actor"],
            part.observation_manager.group_obs_term_dim["actor"],
            strict=True,
        )
    )
    assert sizes["joint_pos"] == sizes["joint_vel"] == (count,) and sizes["foot"] == (2,)
    for name in ("pose", "dof_pos_limits"):
        cfg = part.reward_manager.get_term_cfg(name)
        assert len(cfg.params["asset_cfg"].joint_ids) == count


def test_what_a_policy_sees_in_a_walk_is_what_it_saw_in_training(folder, worlds, subject, tmp_path):
    """Same state, same numbers; noise, encoder bias and delays of the training aside."""
    part = worlds.parts[0]
    worlds.step(0.1 * torch.randn(6, worlds.num_actions))
    part.scene["robot"].data.encoder_bias[:] = 0
    manager = part.observation_manager
    clean = {name: term for name, term in zip(manager.active_terms["critic"], range(99), strict=False)}
    seen = manager.compute()["critic"][0].numpy()
    sizes = [int(np.prod(size)) for size in manager.group_obs_term_dim["critic"]]
    starts = dict(zip(manager.active_terms["critic"], np.cumsum([0, *sizes[:-1]]), strict=True))
    policy = Policy(export(folder / "checkpoint.pt", tmp_path / "policy.onnx"))
    legged = Legged(walker_of("biped", "softfoot:fast", policy.card.drives), locked=())
    setting = Setting(legged=legged, gait=Pace(), tuning=Tuning())
    controller = PolicyController(policy, setting, tuple(part.plantar_told[0].tolist()))
    controller._last = part.action_manager.action[0].numpy()
    model = part.sim.mj_model
    joints = [model.joint(f"robot/{name}") for name in legged.joints]
    state = Observation(time=0.0, qpos=legged.nominal.copy(), qvel=np.zeros(legged.nv), **FELT)
    state.qpos[:7], state.qvel[:6] = part.sim.data.qpos[0, :7].numpy(), part.sim.data.qvel[0, :6].numpy()
    state.qpos[legged.q_joint] = part.sim.data.qpos[0].numpy()[[j.qposadr[0] for j in joints]]
    state.qvel[legged.v_joint] = part.sim.data.qvel[0].numpy()[[j.dofadr[0] for j in joints]]
    command = part.command_manager.get_command("twist")[0].numpy()
    ours, at = controller.see(state, command), 0
    for name in policy.card.seen:
        size = sizes[list(clean).index(name)]
        assert ours[at : at + size] == pytest.approx(seen[starts[name] : starts[name] + size], abs=2e-4), name
        at += size
    assert at == len(ours)


@pytest.mark.parametrize(
    ("robot", "foot", "width"), [("biped", "softfoot:fast", 2), ("quadruped", "softfoot_q:fast", 1)]
)
def test_a_walk_tells_a_policy_no_more_of_its_feet_than_the_training(robot, foot, width, tmp_path):
    """Feet without tendons were told to have some in walks, which no world of the training had: the robot fell."""
    train(robot, foot, config=TrainConfig(iterations=1, **SMALL), out=tmp_path, device="cpu")
    policy = Policy(export(tmp_path / "checkpoint.pt", tmp_path / "policy.onnx"))
    assert policy.card.foot == width
    subject = prepared(robot, foot)
    part = Worlds([subject], TaskConfig(locked=0.0, tendons=1.0, stiffness=(1.0, 1.0)), 2, "cpu", 0).parts[0]
    maker = PolicyMaker(policy=policy)
    assert maker.told(maker.legged(walker_of(robot, foot, policy.card.drives))) == pytest.approx(
        part.plantar_told[0].tolist()
    )


def test_a_training_counts_on_where_it_ended(folder):
    saved = read_checkpoint(folder / "checkpoint.pt")
    assert (saved["iteration"], saved["steps"]) == (3, 3 * 18)
    rows = list(csv.DictReader((folder / "history.csv").open()))
    assert [int(row["iteration"]) for row in rows] == [1, 2, 3]
    assert all(float(row["short_rows"]) == float(row["diverged"]) == 0 for row in rows)
    assert not list(folder.glob("*tmp*"))


def test_the_history_says_what_is_paid_now_and_not_how_old_the_episodes_are(tmp_path):
    """After every start the episodes that end are young, and their sums small; terms add up to the reward."""
    result = train("biped", "plate", config=TrainConfig(iterations=1, **SMALL), out=tmp_path, device="cpu")
    worlds = Worlds([prepared("biped", "plate")], TaskConfig(), 6, "cpu", 0)
    *_, rewards, _, _ = worlds.step(torch.zeros(6, worlds.num_actions))
    assert float(sum(worlds.paid().values())) == pytest.approx(float(rewards.mean()) / worlds.step_dt, rel=1e-4)
    assert result.last["upright"] > 0.5, "a robot that has just begun to fall stands nearly upright"


def test_an_exported_policy_says_what_the_network_said(folder, tmp_path):
    saved = read_checkpoint(folder / "checkpoint.pt")["learner"]["actor_state_dict"]
    policy = Policy(export(folder / "checkpoint.pt", tmp_path / "policy.onnx"))
    seen = np.random.default_rng(0).normal(size=saved["mlp.0.weight"].shape[1])
    mean, std = saved["obs_normalizer._mean"][0].numpy(), saved["obs_normalizer._std"][0].numpy()
    out = (seen - mean) / (std + 1e-2)
    layers = sorted({int(name.split(".")[1]) for name in saved if name.startswith("mlp.")})
    for i in layers:
        out = saved[f"mlp.{i}.weight"].numpy() @ out + saved[f"mlp.{i}.bias"].numpy()
        out = np.where(out > 0, out, np.expm1(np.minimum(out, 0))) if i != layers[-1] else out
    assert policy(seen) == pytest.approx(out, abs=1e-4)
    assert policy.card.training.hidden == (16, 16) and len(policy.card.drives) == 28


def test_a_policy_walks_on_feet_of_any_build(folder, tmp_path):
    path = export(folder / "checkpoint.pt", tmp_path / "policy.onnx")
    config = EvaluateConfig(levels=(0.0,), stiffness=(1.0, LOCKED), seconds=0.3, draws=1)
    found = evaluate(path, ["softfoot:fast", "softfoot"], config)
    assert [(row["foot"], row["stiffness"]) for row in found.rows] == [
        ("softfoot:fast", 1.0),
        ("softfoot:fast", LOCKED),
        ("softfoot:full", 1.0),
        ("softfoot:full", LOCKED),
    ]
    assert all(row["lasted"] > 0.6 and row["speed_error"] > 0 for row in found.rows), "it stands before it walks"
    others = [("softfoot:fast", 1.0), ("softfoot:full", 1.0), ("softfoot:full", LOCKED)]
    assert [(row["foot"], row["stiffness"]) for row in found.pairs()] == others, "against the first foot, locked"


@pytest.mark.parametrize("terrain", ["bars", "rough", "slope"])
def test_uneven_ground_is_level_at_the_start_and_stepped_on_without_a_limit(subject, terrain):
    config = TaskConfig(terrain=terrain, **({"height": (0.0, 0.03)} if terrain == "bars" else {}))
    generator = terrain_of(config, 0).terrain_generator
    spec, made = mujoco.MjSpec(), TerrainGenerator(generator)
    made.compile(spec)
    model = spec.compile()
    data, ahead = mujoco.MjData(model), np.array([[1.0, 0], [-1.0, 0], [0, 1.0], [0, -1.0]])
    mujoco.mj_forward(model, data)

    def heights(middle, ways):
        places = [middle + np.array([*(way * far), 2.0]) for far in ways for way in ahead]
        down, geom = np.array([0.0, 0.0, -1.0]), np.zeros(1, np.int32)
        return [2.0 - mujoco.mj_ray(model, data, at, down, None, 1, -1, geom, np.zeros(3)) for at in places]

    for middle in made.terrain_origins[-1]:
        assert max(map(abs, heights(middle, (0.0, 0.2, 0.45)))) < 1e-6
    highest = max(max(heights(middle, np.arange(0.6, 3.8, 0.01))) for middle in made.terrain_origins[-1])
    assert highest == pytest.approx(0.03, abs=1e-6) if terrain == "bars" else 0.03 < highest < 1.5
    worlds = Worlds([subject], TaskConfig(terrain=terrain), 4, "cpu", 0)
    for _ in range(12):
        seen, rewards, *_ = worlds.step(2 * torch.rand(4, worlds.num_actions) - 1)
        assert torch.isfinite(seen["actor"]).all() and torch.isfinite(rewards).all()
    assert worlds.overflows() == {"rows": 0.0, "contacts": 0.0, "iterations": 0.0}


def test_two_commands_train_a_policy_and_let_it_walk(tmp_path, capsys):
    small = ["--worlds", "4", "--steps", "3", "--iterations", "2", "--device", "cpu"]
    out = tmp_path / "toy"
    assert run(["learn", "train", "biped", *small, "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["policy"] == str(out / "policy.onnx")
    quick = ["--levels", "0", "--stiffness", "1", "--draws", "1", "--seconds", "0.2"]
    assert run(["learn", "evaluate", str(out / "policy.onnx"), *quick, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"][0]["walks"] == 1


def test_a_light_checkpoint_is_not_spoilt_by_its_first_update(tmp_path):
    """Without what the optimiser remembers its first steps are as long as the learning rate, whatever the gradient."""
    light = ROOT / "tools" / "checkpoints" / "g1_legs_soft1.pt"
    saved = read_checkpoint(light)
    updates, spread = saved["iteration"] + 1, json.loads(saved["history"])[-1]["spread"]
    config = TrainConfig(worlds=12, steps=6, iterations=updates, seed=1)
    train("unitree_g1", "softfoot:fast", TaskConfig(joints="legs"), config, out=tmp_path, device="cpu", start=light)
    before, after = (
        Policy(export(path, tmp_path / f"{path.stem}.onnx")) for path in (light, tmp_path / "checkpoint.pt")
    )
    seen = saved["learner"]["actor_state_dict"]["obs_normalizer._mean"][0].float().numpy()
    drawn = np.random.default_rng(3).normal(seen, 0.1, (20, len(seen)))
    moved = np.array([after(one) - before(one) for one in drawn])
    assert 0 < 0.5 * np.mean(np.sum((moved / spread) ** 2, axis=1)) < 0.1, "a step of the policy is one of 0.01 to 0.02"


def test_another_robot_is_another_word(tmp_path):
    config = TrainConfig(iterations=1, **SMALL)
    result = train("quadruped", "softfoot_q:fast", TaskConfig(), config, out=tmp_path, device="cpu")
    assert result.last["diverged"] == result.last["short_rows"] == 0
    card = Policy(export(tmp_path / "checkpoint.pt", tmp_path / "policy.onnx")).card
    assert card.robot == "quadruped" and len(card.drives) == 12 and card.foot == 1


@pytest.mark.parametrize(("robot", "weights"), [("biped", [-0.05, -0.02, 0.0]), ("quadruped", [0.0, 0.0, 0.5])])
def test_bipeds_are_paid_for_little_turning_and_quadrupeds_for_steps(robot, weights):
    """With the G1's weights a quadruped learned to stand and turn, and no more."""
    rewards = task(prepared(robot, "own")).rewards
    assert [rewards[name].weight for name in ("body_ang_vel", "angular_momentum", "air_time")] == weights


@pytest.mark.parametrize(("robot", "foot", "links"), [("biped", "own", []), ("quadruped", "own", ["base", "thigh"])])
def test_a_robot_that_can_lie_down_upright_starts_again_when_it_does(robot, foot, links):
    """A quadruped learned to lie on its belly, which tilts it by nothing."""
    subject = prepared(robot, foot)
    worlds = Worlds([subject], TaskConfig(push=0.0), 2, "cpu", 0)
    part = worlds.parts[0]
    assert ("lying" in part.termination_manager.active_terms) == bool(links)
    if not links:
        return
    assert all(any(link in name for name in subject.aloft) for link in links)
    assert not any("shank" in name for name in subject.aloft)
    fold = torch.tensor([0.0, 2.0, -4.0]).repeat(2, 4)
    fold[1] = 0.0  # the second world stands
    ended = torch.stack([worlds.step(fold)[2] for _ in range(40)])
    assert ended[:, 0].any() and not ended[:, 1].any()


@pytest.mark.parametrize("robot", ["biped", "quadruped"])
def test_a_robot_may_change_its_mind_at_first_and_is_smooth_later(robot):
    """Also in a training that is resumed after so many control steps."""
    worlds = Worlds([prepared(robot, "own")], TaskConfig(), 2, "cpu", 0)
    part, paid = worlds.parts[0], []
    for count in (0, 4900, 20000):
        worlds.resume(worlds.levels(), count)
        paid.append(part.reward_manager.get_term_cfg("action_rate_l2").weight)
    assert paid == [-0.01, -0.02, -0.1]


def test_feet_are_mixed_in_one_training(tmp_path):
    config = TrainConfig(iterations=1, **SMALL)
    train("biped", ["own", "plate"], TaskConfig(), config, out=tmp_path, device="cpu")
    policy = Policy(export(tmp_path / "checkpoint.pt", tmp_path / "policy.onnx"))
    assert policy.card.feet == ("own", "plate") and policy.card.foot == 2
    with pytest.raises(InvalidInput, match=r"train\.worlds = 1 is not allowed: give 2 or more, one for each kind"):
        Worlds([prepared("biped", "own"), prepared("biped", "plate")], TaskConfig(), 1, "cpu", 0)
    with pytest.raises(InvalidInput, match="was not trained on 'softfoot': it knows own, plate"):
        evaluate(tmp_path / "policy.onnx", ["softfoot:fast"], EvaluateConfig(seconds=0.1, draws=1, levels=(0.0,)))


def test_the_commands_and_their_errors(folder, tmp_path, capsys, monkeypatch):
    assert run(["learn", "export", str(folder / "checkpoint.pt"), "--to", str(tmp_path / "a.onnx"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["policy"].endswith("a.onnx")
    (tmp_path / "bad.pt").write_bytes(b"no checkpoint")
    assert run(["learn", "export", str(tmp_path / "bad.pt")]) == 2
    assert "is not a checkpoint of `plantar learn train`" in capsys.readouterr().err
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert run(["learn", "train", "biped", "--device", "cuda", "--out", str(tmp_path / "out")]) == 2
    assert "PyTorch finds no CUDA device here" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_mjlab_knows_the_tasks():
    from mjlab.tasks.registry import list_tasks, load_env_cfg

    assert set(names()) <= set(list_tasks())
    cfg = load_env_cfg("Plantar-Bars-Biped", play=True)
    assert cfg.scene.terrain.terrain_type == "generator" and cfg.episode_length_s > 1e6


def test_public_names_stay_functions_once_their_modules_are_loaded():
    from plantar import learn

    assert all(callable(getattr(learn, name)) for name in ("task", "export", "train", "robot", "prepared"))
