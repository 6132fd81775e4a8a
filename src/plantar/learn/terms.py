"""Terms of mjlab's managers for soft feet: what is drawn for each world, and what the policy observes of it."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import math

import numpy as np
import torch
from mjlab.envs import ManagerBasedRlEnv
from mjlab.managers.event_manager import requires_model_fields
from mjlab.managers.scene_entity_config import SceneEntityCfg

from plantar.learn.config import LOCKED, SLACK
from plantar.learn.springs import held


def told(env: ManagerBasedRlEnv, width: int = 1) -> torch.Tensor:
    """What the policy observes about its feet (worlds, width); events write into it.

    Args:
        env: The environment.
        width: Numbers for each world; the first event says how many there are.
    """
    if not hasattr(env, "plantar_told"):
        env.plantar_told = torch.zeros(env.num_envs, width, device=env.device)  # type: ignore[attr-defined]
    return env.plantar_told  # type: ignore[attr-defined]


def _worlds(env: ManagerBasedRlEnv, env_ids: torch.Tensor | None) -> torch.Tensor:
    return torch.arange(env.num_envs, device=env.device) if env_ids is None else env_ids.to(env.device).long()


def _even(count: int, device: str | torch.device) -> torch.Tensor:
    """Numbers from 0 to 1, evenly spread and in random order."""
    return (torch.randperm(count, device=device) + torch.rand(1, device=device)) / count


def tell(env: ManagerBasedRlEnv, env_ids: torch.Tensor | None, values: tuple[float, ...]) -> None:
    """Give the policy the same foot observations in every world."""
    told(env, len(values))[_worlds(env, env_ids)] = torch.tensor(values, device=env.device)


@requires_model_fields("jnt_stiffness", "jnt_stiffnesspoly")
def draw_stiffness(
    env: ManagerBasedRlEnv,
    env_ids: torch.Tensor | None,
    asset_cfg: SceneEntityCfg,
    stiffness: tuple[float, float],
    locked: float,
    width: int,
) -> None:
    """Draw a factor on the stiffness of the feet's springs for each world, and add it to the observations.

    Args:
        env: The environment.
        env_ids: Worlds; None is all.
        asset_cfg: All joints of the feet: those without springs are held in locked feet, too.
        stiffness: Least and largest factor.
        locked: Fraction of the worlds whose feet are locked.
        width: Numbers that the policy observes about its feet.
    """
    worlds = _worlds(env, env_ids)
    low, high = (math.log(value) for value in stiffness)
    factor = torch.exp(low + (high - low) * _even(len(worlds), env.device))
    factor[_even(len(worlds), env.device) < locked] = LOCKED
    joints = env.scene[asset_cfg.name].indexing.joint_ids[asset_cfg.joint_ids].long()
    model, mine = env.sim.mj_model, joints.cpu().numpy()
    fixed = torch.as_tensor(held(model.jnt_stiffness[mine], model.jnt_type[mine]), device=env.device).float()
    for name, stiff in (("jnt_stiffness", fixed), ("jnt_stiffnesspoly", torch.zeros(1, device=env.device))):
        usual = env.sim.get_default_field(name)[joints]
        by = factor.reshape(-1, *[1] * usual.ndim)
        getattr(env.sim.model, name)[worlds[:, None], joints[None, :]] = torch.where(by < LOCKED, by * usual, stiff)
    told(env, width)[worlds, 0] = torch.log(factor) / math.log(LOCKED)


@requires_model_fields("tendon_stiffness", "tendon_stiffnesspoly")
def stiffen_tendons(env: ManagerBasedRlEnv, env_ids: torch.Tensor | None, asset_cfg: SceneEntityCfg) -> None:
    """Make tendons that are springs stiffer by the factor that each world has drawn; in locked feet they stay.

    Args:
        env: The environment.
        env_ids: Worlds; None is all.
        asset_cfg: The tendons.
    """
    worlds = _worlds(env, env_ids)
    seen = told(env)[worlds, 0]
    factor = torch.where(torch.isclose(seen, torch.ones_like(seen)), 1.0, LOCKED**seen)
    tendons = env.scene[asset_cfg.name].indexing.tendon_ids[asset_cfg.tendon_ids].long()
    for name in ("tendon_stiffness", "tendon_stiffnesspoly"):
        usual = env.sim.get_default_field(name)[tendons]
        by = factor.reshape(-1, *[1] * usual.ndim)
        getattr(env.sim.model, name)[worlds[:, None], tendons[None, :]] = by * usual


@requires_model_fields("tendon_range")
def draw_tendons(
    env: ManagerBasedRlEnv,
    env_ids: torch.Tensor | None,
    asset_cfg: SceneEntityCfg,
    share: float,
) -> None:
    """Draw whether the feet have their tendons in each world, and add it to the observations.

    Args:
        env: The environment.
        env_ids: Worlds; None is all.
        asset_cfg: The tendons.
        share: Fraction of the worlds that have them.
    """
    worlds = _worlds(env, env_ids)
    there = _even(len(worlds), env.device) < share
    tendons = env.scene[asset_cfg.name].indexing.tendon_ids[asset_cfg.tendon_ids].long()
    usual = env.sim.get_default_field("tendon_range")[tendons].unsqueeze(0).repeat(len(worlds), 1, 1)
    usual[..., 1] = torch.where(there[:, None], usual[..., 1], SLACK)
    env.sim.model.tendon_range[worlds[:, None], tendons[None, :]] = usual
    told(env)[worlds, 1] = there.float()


@requires_model_fields("geom_friction", "geom_solref", "geom_solimp")
def draw_friction(
    env: ManagerBasedRlEnv,
    env_ids: torch.Tensor | None,
    asset_cfg: SceneEntityCfg,
    friction: np.ndarray,
    solref: np.ndarray | None,
    solimp: np.ndarray | None,
) -> None:
    """Draw the friction of the soles for each world from a few values, with the contact that goes with it.

    Args:
        env: The environment.
        env_ids: Worlds; None is all.
        asset_cfg: The geoms of the soles, in the order of the tables.
        friction: Frictions (n,).
        solref: Contact at each (n, geoms, 2); None leaves it as it is.
        solimp: Contact at each (n, geoms, 5).
    """
    worlds = _worlds(env, env_ids)
    geoms = env.scene[asset_cfg.name].indexing.geom_ids[asset_cfg.geom_ids].long()
    pick = (torch.randperm(len(worlds), device=env.device) * len(friction)) // max(len(worlds), 1)
    at = (worlds[:, None], geoms[None, :])
    values = torch.as_tensor(friction, device=env.device, dtype=torch.float)[pick]
    env.sim.model.geom_friction[(*at, 0)] = values[:, None].expand(-1, len(geoms))
    for name, table in (("geom_solref", solref), ("geom_solimp", solimp)):
        if table is not None:
            chosen = torch.as_tensor(table, device=env.device, dtype=torch.float)[pick]
            getattr(env.sim.model, name)[at] = chosen
