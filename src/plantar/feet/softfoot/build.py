"""Assemble the spec of a SoftFoot from its arches, chains, bands, tendons and sensors."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import mujoco

from plantar.feet import defaults as _looks
from plantar.feet.softfoot.arches import add_arches
from plantar.feet.softfoot.band_tendons import add_band_tendons
from plantar.feet.softfoot.chain import add_chain, add_coupling_class
from plantar.feet.softfoot.layout import chain_layout, chain_offsets
from plantar.feet.softfoot.tendon_route import add_tendon

if TYPE_CHECKING:
    from plantar.feet.softfoot.softfoot import SoftFoot


_SITE, _TENDON = mujoco.mjtObj.mjOBJ_SITE, mujoco.mjtObj.mjOBJ_TENDON


def build_softfoot(foot: SoftFoot) -> mujoco.MjSpec:
    """Build the spec of `foot`, with the length limit of its tendons in place."""
    spec = _build(foot)
    if foot.tendon.present:
        rest = foot.tendon.rest_length
        for c in range(1, foot.chains + 1):
            length = _path_lengths(foot)[c - 1] if rest is None else rest
            spec.tendon(f"tendon{c}").range = [0, length + foot.tendon.slack]
    return spec


@lru_cache(maxsize=256)
def _path_lengths(foot: SoftFoot) -> tuple[float, ...]:
    """Length of each chain's tendon path in the straight foot [m]."""
    model = _build(foot).compile()
    return tuple(float(model.tendon_length0[model.tendon(f"tendon{c}").id]) for c in range(1, foot.chains + 1))


def _build(foot: SoftFoot) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.modelname = foot.name
    spec.compiler.degree = False
    _looks.add_materials(spec)
    _looks.add_classes(spec, foot.friction)
    add_coupling_class(spec, foot)
    layout = chain_layout(foot)
    heel, anterior = add_arches(spec, foot, layout)
    for c, y in enumerate(chain_offsets(foot), start=1):
        add_chain(spec, foot, layout, heel, anterior, chain=c, y=y)
        if foot.band_model == "tendon" and foot.coupling == "rolling":
            add_band_tendons(spec, foot, layout, chain=c, y=y)
        if foot.tendon.present:
            add_tendon(spec, foot, layout, chain=c, y=y)
    _add_sensors(spec, foot)
    return spec


def _add_sensors(spec: mujoco.MjSpec, foot: SoftFoot) -> None:
    """Add tendon tensions and loop residuals.

    - `tendon<c>_tension`: tension of chain c's tendon, positive when it pulls [N];
    - `loop<c>_residual`: gap of chain c's loop, sole from arch, in the arch's frame [m].
    """
    for c in range(1, foot.chains + 1):
        if foot.tendon.present:
            spec.add_sensor(
                name=f"tendon{c}_tension",
                type=mujoco.mjtSensor.mjSENS_TENDONLIMITFRC,
                objtype=_TENDON,
                objname=f"tendon{c}",
            )
        spec.add_sensor(
            name=f"loop{c}_residual",
            type=mujoco.mjtSensor.mjSENS_FRAMEPOS,
            objtype=_SITE,
            objname=f"loop{c}_sole",
            reftype=_SITE,
            refname=f"loop{c}_arch",
        )
