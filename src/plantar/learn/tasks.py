"""Velocity tasks of mjlab for robots on soft feet; passive joints are kept out of all rewards."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from mjlab.envs import ManagerBasedRlEnvCfg, mdp
from mjlab.envs.mdp.actions import JointPositionActionCfg
from mjlab.managers.curriculum_manager import CurriculumTermCfg
from mjlab.managers.event_manager import EventTermCfg
from mjlab.managers.observation_manager import ObservationTermCfg
from mjlab.managers.reward_manager import RewardTermCfg
from mjlab.managers.scene_entity_config import SceneEntityCfg
from mjlab.managers.termination_manager import TerminationTermCfg
from mjlab.sensor import ContactMatch, ContactSensorCfg, ObjRef, RingPatternCfg, TerrainHeightSensorCfg
from mjlab.sim import MujocoCfg, SimulationCfg
from mjlab.tasks.velocity import mdp as velocity
from mjlab.tasks.velocity.mdp import UniformVelocityCommandCfg
from mjlab.tasks.velocity.velocity_env_cfg import make_velocity_env_cfg

from plantar.learn import terms
from plantar.learn.config import TaskConfig
from plantar.learn.drives import BIPED
from plantar.learn.entity import entity_of, exactly
from plantar.learn.laws import laws_of
from plantar.learn.subject import Subject
from plantar.learn.terrains import terrain_of
from plantar.sweep.engines.aligned import mujoco_warp

TIMESTEP, DECIMATION = 0.005, 4
"""Physics step [s], and physics steps for each step of the policy."""
FRICTIONS = 16
"""Frictions that worlds draw from, evenly spaced."""
SIZES = {"flat": (110, 450), "rough": (140, 600), "bars": (140, 600)}
"""By terrain, contacts and constraint rows that are kept for each world."""
ITERATIONS, LINE_SEARCH = 50, 30
"""Limits of the solver's iterations and of those of its line search. Soft feet take 7 iterations in the mean, but in
one step of a thousand more than 20 (mjlab's limit is 10)."""
ON_TWO_FEET = {"body_ang_vel": -0.05, "angular_momentum": -0.02}
"""Weights of rewards as in mjlab's G1."""
ON_MORE_FEET = {"air_time": 0.5, "foot_clearance": -0.5}
"""Weights of rewards for robots that stand too well to learn to walk: they are paid for feet in the air, and less is
taken for feet near the ground. Little turning is not asked for, as in mjlab's Go1: trotting takes it."""
SMOOTH = ((0, -0.01), (4800, -0.02), (7200, -0.05), (9600, -0.1))
"""Control steps, and what changes of action weigh from then on; mjlab's weight comes last. With it from the start a
robot of many joints is paid less than nothing while it stands, and learns to fall soon."""
STEPPING = 0.2
"""Command from which feet in the air are paid [m/s]."""
SCAN, LYING = "foot_height_scan", "lying"


@dataclass
class DiscreteCfg(MujocoCfg):
    """Options with MuJoCo's discrete integrator, which mjlab does not offer: stiff springs are stable at any step."""

    def apply(self, model: mujoco.MjModel) -> None:
        """Set them in a compiled model."""
        super().apply(model)
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE


@dataclass(kw_only=True)
class SilentCfg(SimulationCfg):
    """A simulation whose kernels count overflows and print nothing about them."""

    def apply_wp_opt(self, wp_opt: Any) -> None:
        """Set the options of MuJoCo Warp."""
        super().apply_wp_opt(wp_opt)
        wp_opt.warn_overflow = 0


def task(
    subject: Subject,
    config: TaskConfig | None = None,
    *,
    told: tuple[float, ...] = (),
    seed: int = 0,
    play: bool = False,
) -> ManagerBasedRlEnvCfg:
    """The mjlab environment of a velocity task.

    Args:
        subject: The robot on its feet (`plantar.learn.prepared`, `plantar.learn.subject_of`).
        config: The task.
        told: What the policy observes about the feet in every world; only soft feet draw and report their stiffness.
        seed: Seed of ground and draws.
        play: Whether it is for viewing: no noise, no pushes, endless episodes.
    """
    mujoco_warp()  # aligned before mjlab puts the robot there
    config = config or TaskConfig()
    cfg = make_velocity_env_cfg()
    cfg.seed, cfg.decimation, cfg.episode_length_s = seed, DECIMATION, config.episode
    cfg.scene.terrain = terrain_of(config, seed, play=play)
    cfg.scene.entities = {"robot": entity_of(subject)}
    cfg.scene.sensors = _sensors(subject)
    cfg.sim = _simulation(config)
    cfg.viewer.body_name = subject.trunk
    _set_actions(cfg, subject)
    _set_commands(cfg, config)
    _set_events(cfg, subject, config, told)
    _set_observations(cfg, subject, told)
    _set_rewards(cfg, subject)
    _set_ends(cfg, subject, config)
    if play:
        _for_looking(cfg)
    return cfg


def _simulation(config: TaskConfig) -> SimulationCfg:
    contacts, rows = SIZES.get(config.terrain, SIZES["bars"])
    return SilentCfg(
        nconmax=contacts,
        njmax=rows,
        contact_sensor_maxmatch=128,
        mujoco=DiscreteCfg(timestep=TIMESTEP, iterations=ITERATIONS, ls_iterations=LINE_SEARCH, ccd_iterations=50),
    )


def _sensors(subject: Subject) -> tuple[Any, ...]:
    scan = TerrainHeightSensorCfg(
        name=SCAN,
        frame=tuple(ObjRef(type="site", name=site, entity="robot") for site in subject.sites),
        pattern=RingPatternCfg.single_ring(radius=0.03, num_samples=4),
        ray_alignment="yaw",
        max_distance=1.0,
        exclude_parent_body=True,
        include_geom_groups=(0,),
    )
    ground = ContactSensorCfg(
        name="feet_ground_contact",
        primary=ContactMatch(mode="subtree", pattern=tuple(map(exactly, subject.bodies)), entity="robot"),
        secondary=ContactMatch(mode="body", pattern="terrain"),
        fields=("found", "force"),
        reduce="netforce",
        num_slots=1,
        track_air_time=True,
        history_length=DECIMATION,
    )
    whole = ContactMatch(mode="subtree", pattern=subject.base, entity="robot")  # a name: the other side of a contact is
    itself = ContactSensorCfg(
        name="self_collision",
        primary=whole,
        secondary=whole,
        fields=("found", "force"),
        reduce="none",
        num_slots=1,
        history_length=DECIMATION,
    )
    return (scan, ground, itself) if _two_legs(subject) else (scan, ground, itself, _lying(subject))


def _lying(subject: Subject) -> ContactSensorCfg:
    """Contact of the ground with links that should be above it: a robot on four feet can lie down without tilting."""
    return ContactSensorCfg(
        name=LYING,
        primary=ContactMatch(mode="body", pattern=tuple(map(exactly, subject.aloft)), entity="robot"),
        secondary=ContactMatch(mode="body", pattern="terrain"),
        fields=("found", "force"),
        reduce="netforce",
        num_slots=1,
        history_length=DECIMATION,
    )


def _two_legs(subject: Subject) -> bool:
    return len(subject.places) <= BIPED


def _driven(subject: Subject, **more: Any) -> SceneEntityCfg:
    return SceneEntityCfg("robot", joint_names=tuple(exactly(d.joint) for d in subject.drives), **more)


def _set_actions(cfg: ManagerBasedRlEnvCfg, subject: Subject) -> None:
    cfg.actions["joint_pos"] = JointPositionActionCfg(
        entity_name="robot",
        actuator_names=tuple(exactly(d.joint) for d in subject.drives),
        scale={exactly(d.joint): d.scale for d in subject.drives},
        use_default_offset=True,
    )


def _set_commands(cfg: ManagerBasedRlEnvCfg, config: TaskConfig) -> None:
    twist = cfg.commands["twist"]
    assert isinstance(twist, UniformVelocityCommandCfg)
    twist.ranges.lin_vel_x, twist.ranges.lin_vel_y = config.forward, config.sideways
    twist.ranges.ang_vel_z = config.turn
    cfg.curriculum.pop("command_vel", None)
    if config.terrain == "flat":
        cfg.curriculum.pop("terrain_levels", None)


def _set_events(cfg: ManagerBasedRlEnvCfg, subject: Subject, config: TaskConfig, told: tuple[float, ...]) -> None:
    frictions = np.linspace(*config.friction, FRICTIONS)
    laws = laws_of(subject, frictions.tolist())
    soles = SceneEntityCfg("robot", geom_names=tuple(map(exactly, subject.soles)), preserve_order=True)
    cfg.events["foot_friction"] = EventTermCfg(
        mode="startup", func=terms.draw_friction, params={"asset_cfg": soles, **laws._asdict()}
    )
    if told:
        cfg.events["tell"] = EventTermCfg(mode="startup", func=terms.tell, params={"values": told})
    elif subject.soft:
        joints = SceneEntityCfg("robot", joint_names=tuple(map(exactly, subject.springs.joints)))
        drawn = {"asset_cfg": joints, "stiffness": config.stiffness, "locked": config.locked, "width": _width(subject)}
        cfg.events["stiffness"] = EventTermCfg(mode="startup", func=terms.draw_stiffness, params=drawn)
        if subject.springs.tendons:  # after the draw, which they follow
            tendons = SceneEntityCfg("robot", tendon_names=tuple(map(exactly, subject.springs.tendons)))
            follow = EventTermCfg(mode="startup", func=terms.stiffen_tendons, params={"asset_cfg": tendons})
            cfg.events["tendon_stiffness"] = follow
        if subject.cords:
            cords = SceneEntityCfg("robot", tendon_names=tuple(map(exactly, subject.cords)))
            drawn = {"asset_cfg": cords, "share": config.tendons}
            cfg.events["tendons"] = EventTermCfg(mode="startup", func=terms.draw_tendons, params=drawn)
    cfg.events["encoder_bias"].params["asset_cfg"] = _driven(subject)
    cfg.events["base_com"].params["asset_cfg"].body_names = (exactly(subject.trunk),)
    cfg.events["reset_robot_joints"].params["asset_cfg"] = _driven(subject)
    push = cfg.events["push_robot"].params["velocity_range"]
    for axis, usual in push.items():
        share = config.push / 0.5
        push[axis] = (usual[0] * share, usual[1] * share)
    if not config.push:
        cfg.events.pop("push_robot")


def _width(subject: Subject) -> int:
    """Numbers that a policy observes about feet of one kind: stiffness of soft ones, and whether they have tendons."""
    return (1 + bool(subject.cords)) if subject.soft else 0


def _set_observations(cfg: ManagerBasedRlEnvCfg, subject: Subject, told: tuple[float, ...]) -> None:
    """The policy is blind to the ground but observes its feet."""
    width = len(told) or _width(subject)
    for group in cfg.observations.values():
        group.terms.pop("height_scan", None)
        for name in ("joint_pos", "joint_vel"):
            group.terms[name].params["asset_cfg"] = _driven(subject)
        if width:
            group.terms["foot"] = ObservationTermCfg(func=terms.told, params={"width": width})


def _set_rewards(cfg: ManagerBasedRlEnvCfg, subject: Subject) -> None:
    rewards, trunk = cfg.rewards, (exactly(subject.trunk),)
    for name in ("upright", "body_ang_vel"):
        rewards[name].params["asset_cfg"].body_names = trunk
    for name, weight in (ON_TWO_FEET if _two_legs(subject) else ON_MORE_FEET).items():
        rewards[name].weight = weight
    rewards["air_time"].params["command_threshold"] = STEPPING
    stages = [{"step": step, "weight": weight} for step, weight in SMOOTH]
    cfg.curriculum["smooth"] = CurriculumTermCfg(
        func=mdp.reward_curriculum, params={"reward_name": "action_rate_l2", "stages": stages}
    )
    pose = rewards["pose"].params
    pose["asset_cfg"] = _driven(subject)
    for regime in ("standing", "walking", "running"):
        pose[f"std_{regime}"] = {exactly(name): getattr(t, regime) for name, t in subject.tolerances.items()}
    rewards["dof_pos_limits"] = RewardTermCfg(
        func=velocity.joint_pos_limits, weight=-1.0, params={"asset_cfg": _driven(subject)}
    )
    for name in ("foot_clearance", "foot_slip"):
        rewards[name].params["asset_cfg"].site_names = tuple(map(exactly, subject.sites))
    rewards["self_collisions"] = RewardTermCfg(
        func=velocity.self_collision_cost,
        weight=-1.0,
        params={"sensor_name": "self_collision", "force_threshold": 10.0},
    )


def _set_ends(cfg: ManagerBasedRlEnvCfg, subject: Subject, config: TaskConfig) -> None:
    cfg.terminations["fell_over"].params["limit_angle"] = math.radians(70)
    if not _two_legs(subject):
        cfg.terminations[LYING] = TerminationTermCfg(func=velocity.illegal_contact, params={"sensor_name": LYING})
    cfg.terminations["diverged"] = TerminationTermCfg(func=mdp.nan_detection)
    if config.terrain == "flat":
        cfg.terminations.pop("out_of_terrain_bounds", None)


def _for_looking(cfg: ManagerBasedRlEnvCfg) -> None:
    cfg.episode_length_s = 1e9
    cfg.observations["actor"].enable_corruption = False
    cfg.events.pop("push_robot", None)
    cfg.terminations.pop("out_of_terrain_bounds", None)
    cfg.curriculum = {}
