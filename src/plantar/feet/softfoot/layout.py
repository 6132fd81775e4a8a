"""Where the modules of a chain are in the straight foot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plantar.feet.parts import Part

if TYPE_CHECKING:
    from plantar.feet.softfoot.softfoot import HalfSize, SoftFoot


@dataclass(frozen=True)
class Link:
    """One module of a chain; its origin is its rear hinge."""

    name: str
    length: float
    """From the rear to the front hinge, or to the end of the tendon for the tip [m]."""
    part: Part
    half_size: HalfSize
    centre: float
    """Centre of the collider in front of the rear hinge [m]."""
    reversed: bool
    """True where the coupling behind it bends the other way."""
    exit: float
    """Front pulley in front of the rear hinge [m]."""
    lift: float = 0.0
    """Centre of the collider above the chain's axis [m]."""


@dataclass(frozen=True)
class Chain:
    """The links of one chain and the joint that closes its loop."""

    links: tuple[Link, ...]
    origins: tuple[float, ...]
    """Rear hinge of each link, x from the ankle [m]."""
    height: float
    """Height of the chain's axis over the ankle (negative) [m]."""
    metatarsal_joint: tuple[float, float]
    """Joint with the anterior arch, (x, z) from the ankle [m]."""

    @property
    def metatarsus(self) -> int:
        """Index of the metatarsus among the links."""
        return next(i for i, link in enumerate(self.links) if link.name == "metatarsus")


def chain_layout(foot: SoftFoot) -> Chain:
    """Place the links of a chain of `foot`, heel to toe."""
    links = (*_fascia(foot), _metatarsus(foot), *_toes(foot))
    x = foot.heel_joint[0] + foot.chain_start[0]
    origins = []
    for link in links:
        x += foot.coupling_length
        origins.append(x)
        x += link.length
    height = foot.heel_joint[1] + foot.chain_start[1]
    joint_x = origins[foot.modules] + foot.metatarsal_joint[0]
    return Chain(links, tuple(origins), height, (joint_x, height + foot.metatarsal_joint[1]))


def chain_offsets(foot: SoftFoot) -> tuple[float, ...]:
    """Lateral position y of each chain in the foot's frame [m]; medial first."""
    offsets = foot.chain_offsets
    if offsets is None:
        middle = (foot.chains - 1) / 2
        offsets = tuple((c - middle) * foot.chain_spacing for c in range(foot.chains))
    # y points left, which is the lateral side of a left foot.
    return offsets if foot.side == "left" else tuple(-y for y in offsets)


def _fascia(foot: SoftFoot) -> list[Link]:
    length = foot.pitch - foot.coupling_length
    size = foot.module_half_size
    modules = [
        Link(f"module{i}", length, foot.parts.module, size, size[0] / 2, False, length) for i in range(1, foot.modules)
    ]
    size, length = foot.reverse_half_size, foot.reverse_length
    front = length if foot.tendon.reverse_exit is None else foot.tendon.reverse_exit
    centre = 5 / 12 * size[0]
    return [*modules, Link(f"module{foot.modules}", length, foot.parts.reverse, size, centre, False, front)]


def _metatarsus(foot: SoftFoot) -> Link:
    size, length = foot.metatarsus_half_size, foot.metatarsus_length
    front = length if foot.tendon.metatarsus_exit is None else foot.tendon.metatarsus_exit
    return Link("metatarsus", length, foot.parts.metatarsus, size, 5 / 8 * size[0], True, front)


def _toes(foot: SoftFoot) -> list[Link]:
    length = foot.pitch - foot.coupling_length
    size = foot.module_half_size
    toes = [
        Link(f"toe{i}", length, foot.parts.toe, size, size[0] / 2, False, length) for i in range(1, foot.toe_modules)
    ]
    size = foot.tip_half_size
    tip = Link(f"toe{foot.toe_modules}", foot.tip_length, foot.parts.tip, size, 4 / 7 * size[0], False, 0.0)
    first, *others = [*toes, tip]
    return [replace(first, lift=foot.toe_lift), *others]
