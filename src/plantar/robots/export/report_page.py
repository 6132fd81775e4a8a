"""The mounting report as a page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from plantar.robots.export.pictures import draw
from plantar.robots.robot import Robot
from plantar.show.report import Section, in_words, write_report


def write_page(robot: Robot, folder: Path, picture: Path | None) -> Path:
    """Write `report.html`: pictures before and after, what changed, and that nothing was lost."""
    change = robot.report()
    pictures = [picture] if picture else []
    own = draw(robot.bare, folder / "before.png") if robot.bare else None
    if own:
        pictures.insert(0, own)
    lost = sum(len(names) for names in change.lost.values())
    page = write_report(
        folder,
        f"{robot.name} on {change.foot}",
        [
            Section(title="Before and after", picture=pictures, caption="In the standing keyframe."),
            Section(title="What changed", table=_stance_rows(robot)),
            Section(title="Legs", table=_leg_rows(robot), text="The link keeps its mass without the sole."),
            Section(
                title="Keyframes",
                table=_key_rows(change.keyframes),
                text="Each was lifted so that the robot stands on its soles.",
            ),
            Section(
                title="Elements",
                table=[
                    {"element": k, "before": a, "after": b, "lost": ", ".join(change.lost.get(k, ())) or "none"}
                    for k, (a, b) in change.counts.items()
                ],
                text="Missing geoms are those of the old feet.",
            ),
            Section(title="Notes", text="\n".join(f"- {line}" for line in (*change.changed, *change.notes)) or "None."),
        ],
        summary=in_words(
            f"what changes when {robot.name} gets {change.foot}.",
            f"{change.mass[1] - change.mass[0]:+.3f} kg and {1e3 * (change.height[1] - change.height[0]):+.1f} mm of "
            f"height; solved: {', '.join(change.solved) or 'neither offset nor pitch'}.",
            "masses and positions are those of the compiled models before and after; every lost element is named.",
        ),
        headline={
            "kg more": f"{change.mass[1] - change.mass[0]:+.3f}",
            "mm higher": f"{1e3 * (change.height[1] - change.height[0]):+.1f}",
            "mm ankle offset": f"{1e3 * change.offset:+.1f}",
            "degrees pitch": f"{math.degrees(change.pitch):+.2f}",
            "elements lost": lost,
        },
    )
    if own:
        own.unlink()  # it is in the page
    return page


def _stance_rows(robot: Robot) -> list[dict[str, object]]:
    change = robot.report()
    pairs = {
        "mass [kg]": change.mass,
        "height of the base over the soles [m]": change.height,
        "centre of mass in front of the base [m]": tuple(c[0] for c in change.centre_of_mass),
        "centre of mass below the base [m]": tuple(-c[2] for c in change.centre_of_mass),
        **{f"inertia {axis} [kg m2]": tuple(v[i] for v in change.inertia) for i, axis in enumerate(("xx", "yy", "zz"))},
        "length of the stance [m]": tuple(s[0] for s in change.support),
        "width of the stance [m]": tuple(s[1] for s in change.support),
    }
    return [{"": name, "before": a, "after": b, "change": b - a} for name, (a, b) in pairs.items()]


def _leg_rows(robot: Robot) -> list[dict[str, object]]:
    return [
        {
            "place": p.place,
            "link": p.body,
            "geoms removed": ", ".join(p.removed_geoms),
            "link before [kg]": p.link_mass[0],
            "link after [kg]": p.link_mass[1],
            "how": p.how,
            "foot [kg]": p.foot_mass,
        }
        for p in robot.report().places
    ]


def _key_rows(keys: Mapping[str, tuple[float, float]]) -> list[dict[str, object]]:
    return [{"keyframe": k, "base lifted [mm]": 1e3 * lift, "gap [mm]": 1e3 * gap} for k, (lift, gap) in keys.items()]
