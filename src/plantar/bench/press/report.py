"""Output of a press run: table, figures, film and report."""

from __future__ import annotations

from pathlib import Path

import matplotlib.image
import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar._files import write_config, write_table
from plantar.bench.clips import presses_clip
from plantar.bench.press.plots import plot_forces, plot_models, plot_rotations
from plantar.bench.press.press import Trial, set_initial_states
from plantar.bench.press.result import PressResult
from plantar.bench.units import COLUMN_UNITS
from plantar.settle import Recording, settle
from plantar.show.film import Film, write_film
from plantar.show.picture import draw
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report
from plantar.show.view import find_view
from plantar.show.watch import watch
from plantar.table import Row, Table

SECOND = "The planar model finds the same equilibrium without MuJoCo: least energy under the loop, contact and limit "
SECOND += "constraints, without friction."


def write(folder: Path, result: PressResult) -> Path:
    """Write everything about a press run to `folder`; returns the report."""
    table, foot, rig, facts = result.table, result.foot, result.rig, result.facts
    write_table(folder, "trials", table)
    write_config(folder, command="bench press", model=result.record()["model"], foot=foot, rig=rig)
    sections = [_forces(folder, table), _rotations(folder, table)]
    if result.recording and result.recording.times:
        sections.insert(0, _film(folder, result, result.recording))
    if result.planar is not None:
        write_table(folder, "planar", result.planar)
        picture = save(plot_models(table, result.planar), folder / "models.png")
        sections.append(Section(title="A second opinion", text=SECOND, picture=picture))
    sections.append(Section(title="All trials", text="Rotations are front down.", table=table, units=COLUMN_UNITS))
    weight = float(table.column("weight")[0])
    return write_report(
        folder,
        f"{foot.title or foot.name} on the press",
        sections,
        summary=in_words(
            f"how {foot.title or foot.name} shares its load when it is pressed on an obstacle, place by place, on a "
            f"vertical slider that carries the foot's own weight of {weight:.2f} N as well.",
            f"the obstacle bears {table.column('force_module').min():.3g} to {table.column('force_module').max():.3g} "
            f"N of {table.column('load').min():g} to {table.column('load').max():g} N.",
            f"forces balance within {100 * facts['force_imbalance']:.2g} %. The geometry follows Crotti et al. (2024), "
            "who do not state the positions of the supports and the foot's tilt; here the tilt is "
            f"{np.degrees(rig.tilt):.1f} degrees, and `plantar bench sensitivity` shows the effect of such unknowns.",
        ),
        headline={
            "trials settled": f"{facts['settled']} of {facts['trials']}",
            "largest imbalance of forces": f"{100 * facts['force_imbalance']:.2g} %",
            "largest gap of a closed loop": f"{1e3 * facts['loop_residual']:.2g} mm",
        },
    )


def captions(table: Table) -> list[str]:
    """One caption per trial."""
    return [f"{r['trial']}: {r['load']:g} N, {1e3 * r['height']:g} mm under module {r['position']}" for r in table]


def _film(folder: Path, result: PressResult, recording: Recording) -> Section:
    table, model = result.table, result.rig.spec(result.foot).compile()
    notes = [
        f"heel {r['force_heel']:.2f} N, module {r['force_module']:.2f} N, metatarsus {r['force_metatarsus']:.2f} N; "
        f"tension {r['tension']:.2f} N; loop gap {1e3 * r['residual']:.3f} mm"
        for r in table
    ]
    positions, frames = np.array(recording.positions), np.array(recording.frames)
    clip, shown = presses_clip(result), _hardest(table)
    return watch(
        folder,
        clip,
        old_film=lambda page: write_film(
            page, clip.title, Film(model, recording.times, positions, frames, captions(table), notes)
        ),
        picture=_picture(folder / "press.png", model, result, table[shown]),
        caption=f"Trial {captions(table)[shown]}",
    )


def _hardest(table: Table) -> int:
    """The trial to show: highest load and obstacle, next to the middle of the sole."""
    middle = float(np.mean(table.column("position"))) - 0.1
    order = [(r["load"], r["height"], -abs(r["position"] - middle)) for r in table]
    return order.index(max(order))


def _picture(path: Path, model: mujoco.MjModel, result: PressResult, row: Row) -> Path:
    """Press that trial once more and draw it."""
    batch = Batch(model, nsim=1, nthread=1)
    set_initial_states(batch, result.foot, result.rig, [Trial(row["load"], row["height"], row["position"])])
    settle(batch, 2.0)
    data = batch.get_data(0)
    mujoco.mj_forward(model, data)
    matplotlib.image.imsave(path, draw(model, data, find_view("corner"), (960, 600)))
    return path


def _forces(folder: Path, table: Table) -> Section:
    picture = save(plot_forces(table), folder / "forces.png")
    return Section(title="Forces", text="Vertical force on each of the three obstacles at the end.", picture=picture)


def _rotations(folder: Path, table: Table) -> Section:
    picture = save(plot_rotations(table), folder / "rotations.png")
    return Section(title="Rotations", text="Pitch of every module of the fascia at the end.", picture=picture)
