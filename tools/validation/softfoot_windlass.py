"""SoftFoot: the windlass in stance and in the air, with and without tendons, and of the released twin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plantar import bench
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from plantar.table import Table
from validation.drawing import picture
from validation.records import Record, Row

STAND, ANGLES, FEW = 200.0, tuple(range(0, 26, 1)), (0, 1, 2, 3, 6, 10, 15, 20, 25)
"""Load of the standing foot [N] and toe angles [degrees]; fewer in the air and for the released twin."""
COMMAND = "`python tools/validate.py softfoot --only windlass`, `plantar bench windlass`"


def windlass() -> Record:
    """Toes raised to 25 degrees: where the arch rises, where it no longer does, and what the tendons do."""
    foot, released = SoftFoot(), SoftFoot.published()
    runs = {
        "stance": (foot, STAND, ANGLES),
        "stance, without tendons": (foot.without_tendons(), STAND, ANGLES),
        "stance, released twin": (released, STAND, FEW),
        "air": (foot, None, FEW),
        "air, without tendons": (foot.without_tendons(), None, FEW),
        "air, released twin": (released, None, FEW),
    }
    tables: dict[str, Table] = {}
    with Progress(sum(len(angles) for _, _, angles in runs.values()), "windlass") as shown:
        for name, (one, stand, angles) in runs.items():
            at = [math.radians(a) for a in angles]
            tables[name] = bench.windlass(one, stand=stand, angles=at, progress=shown.advance).table
    values = {
        name: {"angle": list(runs[name][2])}
        | {key: table.column(key).tolist() for key in ("arch_lift", "tension", "toe_force", "shortening")}
        for name, table in tables.items()
    }
    caption = "Rise of the arch and largest tension of a tendon against the angle of the toes, standing and in the air"
    return Record(
        title="The windlass",
        text="A bar raises the toes. In stance the foot carries its load on a floor and its ankle may pitch; in the "
        "air "
        "its ankle is held.",
        rows=[_stance(values), _human(values), *_air(values)],
        pictures=[picture("softfoot", "windlass", _draw(values), caption)],
        values=values,
    )


def _stance(values: dict[str, Any]) -> Row:
    mine, without = values["stance"], values["stance, without tendons"]
    lift, bare = 1000 * np.array(mine["arch_lift"]), 1000 * np.array(without["arch_lift"])
    twin = 1000 * np.array(values["stance, released twin"]["arch_lift"])
    best = int(lift.argmax())
    above = [a for a, rise in zip(ANGLES, lift, strict=True) if rise > 0]
    return Row(
        what=f"toes of a foot that stands under {STAND:g} N raised to {ANGLES[-1]} degrees: rise of the arch",
        place="Section II-A",
        published="tightening of the plantar fascia by toe dorsiflexion elevates the arch",
        ours=f"{lift[best]:+.2f} mm at {ANGLES[best]} degrees, {lift[-1]:+.2f} mm at {ANGLES[-1]} degrees",
        n=f"{len(ANGLES)} angles at rest; deterministic",
        controls=f"without tendons {bare[best]:+.2f} mm at {ANGLES[best]} degrees, {bare.max():+.2f} mm at most; "
        f"released "
        f"twin {twin.max():+.2f} mm at most",
        verdict="only in a regime",
        regime=f"the arch is above its start up to {max(above)} degrees; beyond, the bar under the toes carries the "
        "forefoot",
        command=COMMAND + ", `--stand 200`",
    )


def _human(values: dict[str, Any]) -> Row:
    mine = values["stance"]
    at = int(np.argmax(mine["arch_lift"]))
    shorter, tension = 1000 * mine["shortening"][at], mine["tension"][at]
    return Row(
        what=f"the same at {ANGLES[at]} degrees: heel to metatarsus; tension of a tendon",
        place="Section II-A",
        published="human arch rises and shortens (Hicks 1954)",
        ours=f"{shorter:.2f} mm shorter; {tension:.0f} N",
        n="deterministic",
        verdict="only in a regime" if shorter > 0 else "not confirmed",
        regime="up to there",
        command=COMMAND + ", `--stand 200`",
    )


def _air(values: dict[str, Any]) -> list[Row]:
    mine, bare, twin = (values[name] for name in ("air", "air, without tendons", "air, released twin"))
    tension = np.array(mine["tension"])
    taut = next((a for a, t in zip(FEW, tension, strict=True) if t > 1.0), None)
    lift, without, end = 1000 * mine["arch_lift"][-1], 1000 * max(bare["arch_lift"]), 1000 * bare["arch_lift"][-1]
    force, less = mine["toe_force"][-1], bare["toe_force"][-1]
    n = f"{len(FEW)} angles at rest; deterministic"
    return [
        Row(
            what="toes raised to 25 degrees in the air: angle at which tendons are taut; their tension",
            place="Section II-A",
            published="the tendons distribute forces: taut within 3 degrees, tension rising",
            ours=f"{taut} degrees; {tension[0]:.1f} N there, {tension[-1]:.1f} N at 25 degrees",
            n=n,
            controls=f"released twin {twin['tension'][-1]:.1f} N at 25 degrees",
            verdict="confirmed" if taut is not None and taut <= 3 and (np.diff(tension) > 0).all() else "not confirmed",
            command=COMMAND,
        ),
        Row(
            what="the same: lift of the middle of the sole",
            place="Section II-A",
            published="at least three times that without tendons",
            ours=f"{lift:.2f} mm against {without:.2f} mm at most ({end:+.2f} mm at 25 degrees)",
            n=n,
            controls=f"released twin {1000 * max(twin['arch_lift']):.2f} mm",
            verdict="confirmed" if lift > 3 * without else "not confirmed",
            command=COMMAND,
        ),
        Row(
            what="the same: force on the toes",
            place="Section II-A",
            published="a stiff lever for propulsion: at least twice that without tendons",
            ours=f"{force:.1f} N against {less:.2f} N: {force / less:.2f} times",
            n=n,
            controls=f"released twin {twin['toe_force'][-1]:.1f} N",
            verdict="confirmed" if force > 2 * less else "not confirmed",
            command=COMMAND,
        ),
    ]


def _draw(values: dict[str, Any]) -> Figure:
    looks = {"": "-", ", without tendons": "--", ", released twin": ":"}
    with house_style():
        fig, axes = figure(1, 2, size=(10.0, 3.6))
        for name, v in values.items():
            kind = name.split(",")[0]
            look = {"color": COLOURS[0 if kind == "stance" else 1], "ls": looks[name.removeprefix(kind)]}
            axes[0, 0].plot(v["angle"], [1000 * x for x in v["arch_lift"]], label=name, **look)
            axes[0, 1].plot(v["angle"], v["tension"], label=name, **look)
        axes[0, 0].axhline(0, color="#9aa3ad", lw=0.8)
        axes[0, 0].set(xlabel="toe angle [degrees]", ylabel="rise of the arch [mm]")
        axes[0, 1].set(xlabel="toe angle [degrees]", ylabel="largest tension [N]")
        axes[0, 0].legend(fontsize=7)
    return fig
