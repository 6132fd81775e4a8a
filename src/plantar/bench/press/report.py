"""What a press run leaves in its folder: table, figures, film and report."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from plantar._files import write_config, write_table
from plantar.bench.press.plots import plot_forces, plot_models, plot_rotations
from plantar.bench.press.press import Trial
from plantar.bench.press.rig import BenchFoot, PressRig
from plantar.bench.press.settle import Recording
from plantar.bench.units import COLUMN_UNITS
from plantar.show.film import Film, write_film
from plantar.show.picture import draw
from plantar.show.plots import save
from plantar.show.report import Section, write_report
from plantar.show.view import find_view
from plantar.table import Row, Table


def summary(table: Table) -> Row:
    """The checks on a press run, in numbers: what settled, what is in balance, what is closed."""
    expected = table.column("load") + table.column("weight")
    imbalance = np.abs(table.column("force_total") - expected) / expected
    return {
        "trials": len(table),
        "settled": int(table.column("settled").sum()),
        "force_imbalance": float(imbalance.max()),
        "loop_residual": float(table.column("residual").max()),
        "tension": float(table.column("tension").max()),
    }


def write_press(
    folder: Path,
    foot: BenchFoot,
    rig: PressRig,
    table: Table,
    *,
    recording: Recording | None = None,
    planar: Table | None = None,
    model: str = "mujoco",
) -> Path:
    """Write everything about a press run to `folder`; returns the report."""
    write_table(folder, "trials", table)
    write_config(folder, command="bench press", model=model, foot=foot, rig=rig)
    facts = summary(table)
    sections = [_forces(folder, table), _rotations(folder, table)]
    if recording and recording.times:
        sections.insert(0, _film(folder, foot, rig, table, recording))
    if planar is not None:
        write_table(folder, "planar", planar)
        picture = save(plot_models(table, planar), folder / "models.png")
        sections.append(
            Section(
                title="A second opinion",
                text="The planar model finds the same equilibrium without MuJoCo: least energy under the loop, "
                "contact and limit constraints, without friction.",
                picture=picture,
            )
        )
    sections.append(Section(title="All trials", text="Rotations are front down.", table=table, units=COLUMN_UNITS))
    weight = float(table.column("weight")[0])
    return write_report(
        folder,
        f"{(foot.title or foot.name)} on the press",
        sections,
        summary=f"A foot with {foot.chains} chain{'s' if foot.chains > 1 else ''} on a vertical slider is pressed "
        f"on an obstacle under each module. The slider carries the foot's own weight of {weight:.2f} N as well. The "
        f"geometry follows Crotti et al. (2024), who do not state the supports' places and the foot's tilt; here the "
        f"tilt is {np.degrees(rig.tilt):.1f} degrees.",
        headline={
            "trials settled": f"{facts['settled']} of {facts['trials']}",
            "largest imbalance of forces": f"{100 * facts['force_imbalance']:.2g} %",
            "largest gap of a closed loop": f"{1e3 * facts['loop_residual']:.2g} mm",
        },
    )


def captions(table: Table) -> list[str]:
    """A caption a trial."""
    return [f"{r['trial']}: {r['load']:g} N, {1e3 * r['height']:g} mm under module {r['position']}" for r in table]


def _film(folder: Path, foot: BenchFoot, rig: PressRig, table: Table, recording: Recording) -> Section:
    model = rig.spec(foot).compile()
    notes = [
        f"heel {r['force_heel']:.2f} N, module {r['force_module']:.2f} N, metatarsus {r['force_metatarsus']:.2f} N; "
        f"tension {r['tension']:.2f} N; loop gap {1e3 * r['residual']:.3f} mm"
        for r in table
    ]
    positions, frames = np.array(recording.positions), np.array(recording.frames)
    film = Film(model, recording.times, positions, frames, captions(table), notes)
    write_film(folder / "watch.html", f"{(foot.title or foot.name)} on the press: {len(table)} trials", film)
    picture = _last_picture(folder / "press.png", model, foot, rig, table)
    return Section(
        title="Watch it",
        text="Every trial as a film: open `watch.html` beside this file.",
        picture=picture,
        caption=f"Trial {_hardest(table) + 1}: {captions(table)[_hardest(table)].split(': ')[1]}",
    )


def _hardest(table: Table) -> int:
    """The trial to show: highest load and obstacle, next to the middle of the sole."""
    order = [(r["load"], r["height"], -abs(r["position"] - 3.4)) for r in table]
    return order.index(max(order))


def _last_picture(path: Path, model: mujoco.MjModel, foot: BenchFoot, rig: PressRig, table: Table) -> Path:
    import matplotlib.image  # noqa: PLC0415

    row = table[_hardest(table)]
    trial = Trial(row["load"], row["height"], row["position"])
    data = mujoco.MjData(model)
    data.qpos[model.joint("slider").qposadr[0]] = rig.start_height(foot, trial.height)
    data.mocap_pos[0] = (rig.obstacle_x(foot, trial.position), rig.obstacle_y, trial.height)
    data.ctrl[0] = trial.load
    mujoco.mj_step(model, data, round(2.0 / model.opt.timestep))
    mujoco.mj_forward(model, data)
    matplotlib.image.imsave(path, draw(model, data, find_view("corner"), (960, 600)))
    return path


def _forces(folder: Path, table: Table) -> Section:
    picture = save(plot_forces(table), folder / "forces.png")
    return Section(title="Forces", text="Vertical force on each of the three obstacles at the end.", picture=picture)


def _rotations(folder: Path, table: Table) -> Section:
    picture = save(plot_rotations(table), folder / "rotations.png")
    return Section(title="Rotations", text="Pitch of every module of the fascia at the end.", picture=picture)
