"""Where the parts of a SoftFoot-Q are in the straight foot, and how its links merge in the fast twin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from plantar.feet.parts import Part
from plantar.feet.softfoot.fast_parts import Strip, joined, merged
from plantar.feet.softfoot_q.parts import REFERENCE_WIDTH

if TYPE_CHECKING:
    from plantar.feet.softfoot_q.softfoot_q import SoftFootQ


@dataclass(frozen=True)
class LinkQ:
    """One body of a chain; its origin is its rear pin, its front pin is `length` ahead."""

    name: str
    length: float
    part: Part
    pads: tuple[float, ...]
    """Middles of the pads that it carries, from its rear pin [m]."""
    bars: tuple[float, ...]
    """Middles of the inner links that it carries, from its rear pin [m]."""


@dataclass(frozen=True)
class LayoutQ:
    """The straight foot, from its origin where the leg ends."""

    links: tuple[LinkQ, ...]
    """Bodies of a chain, heel to toe."""
    origins: tuple[float, ...]
    """Rear pin of each, x [m]."""
    roll: tuple[float, float]
    """Front roll hinge, (x, z) from the axis of the arches [m]; the back one is mirrored."""
    pins: tuple[float, float]
    """Front insertion of the chains, (x, z) from the axis of the arches [m]."""
    strips: tuple[Strip, ...]
    """Chains as built; merged neighbours are one."""


def layout(foot: SoftFootQ) -> LayoutQ:
    """Place every part so that the chains are straight between the roll links."""
    links = _merged_links(foot) if foot.fidelity == "fast" else _single_links(foot)
    half = foot.links * foot.pitch / 2
    dx, dz = foot.insertion
    # The roll link is pitched by its tilt, front up: where its own axes point in the straight foot.
    ahead = dx * math.cos(foot.roll_tilt) - dz * math.sin(foot.roll_tilt)
    down = dx * math.sin(foot.roll_tilt) + dz * math.cos(foot.roll_tilt)
    roll = (half - ahead, -foot.roll_drop)
    origins, x = [], -half
    for link in links:
        origins.append(x)
        x += link.length
    return LayoutQ(links, tuple(origins), roll, (half, down - foot.roll_drop), _strips(foot))


def _strips(foot: SoftFootQ) -> tuple[Strip, ...]:
    places = (np.arange(foot.chains) - (foot.chains - 1) / 2) * foot.chain_spacing
    ends = [round(i * foot.chains / foot.built_chains) for i in range(foot.built_chains + 1)]
    found = []
    for a, b in zip(ends, ends[1:], strict=False):
        own = places[a:b]
        middle = float(own.max() + own.min()) / 2
        found.append(Strip(b - a, middle, float(own.max() - middle), float(np.mean((own - middle) ** 2))))
    return tuple(found)


def _single_links(foot: SoftFootQ) -> tuple[LinkQ, ...]:
    share, middle = foot.link_width / REFERENCE_WIDTH, foot.pitch / 2
    found = []
    for i in range(1, foot.links + 1):
        outer = i % 2 == 0
        part = (foot.parts.outer if outer else foot.parts.inner).scaled(share)
        found.append(LinkQ(f"link{i}", foot.pitch, part, (middle,) if outer else (), () if outer else (middle,)))
    return tuple(found)


def _merged_links(foot: SoftFootQ) -> tuple[LinkQ, ...]:
    """Each outer link with half of its inner neighbours, the outermost with all of theirs."""
    share, p, count = foot.link_width / REFERENCE_WIDTH, foot.pitch, foot.links // 2
    inner, outer = foot.parts.inner.scaled(share), foot.parts.outer.scaled(share)
    # Cuts in pitches from the rear end: at the middle of every inner link but the first and the last.
    cuts = [0.0, *(2 * i + 0.5 for i in range(1, count)), float(foot.links)]
    found = []
    for i, (a, b) in enumerate(zip(cuts, cuts[1:], strict=False), start=1):
        pad = 2 * i - 0.5
        bars = [j + 0.5 for j in range(0, foot.links, 2) if a <= j + 0.5 <= b]
        halves = [0.5 if x in (a, b) else 1.0 for x in bars]
        parts = [_moved(outer, (pad - 0.5 - a) * p)]
        parts += [_moved(inner.scaled(h), (x - 0.5 - a) * p) for x, h in zip(bars, halves, strict=True)]
        whole = tuple((x - a) * p for x, h in zip(bars, halves, strict=True) if h == 1.0)
        found.append(LinkQ(f"link{i}", (b - a) * p, joined(*parts), ((pad - a) * p,), whole))
    return tuple(found)


def _moved(part: Part, ahead: float) -> Part:
    x, y, z = part.com
    return replace(part, com=(x + ahead, y, z))


def strip_part(link: LinkQ, strip: Strip) -> Part:
    """The part of a link of all chains of a strip."""
    return merged(link.part, strip)
