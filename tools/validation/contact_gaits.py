"""Contact: Figure 4 of Raff and Remy, the optimal hop on rigid and on rubber feet, and where their losses part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plantar.gait import GaitResult, Hopper, RubberContact, check, solve
from plantar.gait._dynamics import Dynamics
from plantar.gait.plots import plot_gaits
from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from validation.drawing import picture
from validation.records import Record, Row

COMMAND = "`python tools/validate.py contact --only figure4`, `plantar gait solve --contact both`"
SHAPES = {"height": 1, "pitch": 2, "hip angle": 3, "leg length": 4}
"""Coordinates that are compared over the share of the stride."""
Balance = dict[str, float]


def simpson(result: GaitResult) -> np.ndarray:
    """Weights of all points for integrals over the stride."""
    parts = []
    for segment in result.segments:
        weights = np.zeros(2 * len(segment.mesh) + 1)
        for k, share in enumerate(segment.mesh):
            weights[2 * k : 2 * k + 3] += share / 6 * np.array([1, 4, 1])
        parts.append(segment.duration * weights)
    return np.concatenate(parts)


def balance(result: GaitResult) -> Balance:
    """Where energy goes, over weight and distance: work of the motors, heat of series dampers, ground and impact."""
    model, weights = Dynamics(result.robot), simpson(result)
    t, n = model.terms(result.q, result.v, result.deflection), model.bodies
    motor, joint = result.v[:, n:], result.v[:, 3:n]
    damping = np.array([result.robot.hip_damping, result.robot.leg_damping])
    feet = np.einsum("nfb,nb->nf", t["jacobian"], result.v[:, :n])
    hip, leg = weights @ (model.loss_factor * result.torque**2)
    impact, row = 0.0, 0
    for i, segment in enumerate(result.segments):
        if i and set(segment.phase.stance) - set(result.segments[i - 1].phase.stance):
            before, after = result.v[row - 1, :n], result.v[row, :n]
            impact += float(before @ t["mass"][row] @ before - after @ t["mass"][row] @ after) / 2
        row += len(segment.points)
    found = {
        "losses": result.cost, "hip": hip, "leg": leg,
        "work": weights @ (result.torque * motor).sum(axis=1),
        "series dampers": weights @ (damping * (motor - joint) ** 2).sum(axis=1),
        "foot": impact - weights @ (result.force * feet).sum(axis=1),
    }  # fmt: skip
    depth = max(0.0, -float(result.feet[:, 1].min()))
    return {k: float(v) / result.distance for k, v in found.items()} | {"depth": depth}


def feet() -> dict[str, tuple[Hopper, Any]]:
    """Hoppers that differ in their feet alone."""
    hopper, law = Hopper(), RubberContact()
    softer = {f"damper x {f:g}": replace(law, damping=f * law.damping) for f in (0.01, 4, 16)}
    for f in (4, 16):
        along = f * law.tangential_stiffness
        softer[f"stiffness x {f:g}"] = replace(law, stiffness=f * law.stiffness, tangential_stiffness=along)
    others: dict[str, tuple[Hopper, Any]] = {k: (replace(hopper, contact=v), "soft") for k, v in softer.items()}
    return {"rigid": (hopper, "hard"), "rubber": (hopper, "soft"), **others}


def hopper() -> Record:
    """Figure 4: both gaits, how alike they are, and the losses of feet between the two."""
    found: dict[str, GaitResult] = {}
    with Progress(len(feet()), "feet") as shown:
        for name, (robot, contact) in feet().items():
            found[name] = solve(robot, contact)
            shown.advance()
    books = {name: balance(result) for name, result in found.items()}
    rigid, rubber = found["rigid"], found["rubber"]
    alike = _alike(rigid, rubber)
    cells = [
        [name, f"{v['losses']:.4f}", f"{v['hip']:.4f}", f"{v['leg']:.4f}", f"{v['work']:.3f}"]
        + [f"{v['series dampers']:.3f}", f"{v['foot']:.3f}", f"{v['depth']:.4f}", found[name].status.name.lower()]
        for name, v in books.items()
    ]
    columns = ["feet", "losses", "of them hip", "leg", "work of the motors", "heat in series dampers"]
    columns += ["heat in foot or impact", "deepest [leg lengths]", "solve"]
    two = "Figure 4b: optimal hops on rigid (red) and rubber feet (blue); apex 1.2, speed 0.5"
    why = "Losses over weight and distance of feet that differ in damper or stiffness; dashed: rigid feet"
    return Record(
        title="Figure 4: an optimal hop on hard and on soft feet",
        text="Losses are those of the motors' windings, as in the paper; all energies are over weight and distance. A "
        "foot that differs from the racquetball in one number shows what the losses hang on. Work of the motors "
        "is what series dampers and foot turn to heat; the balance is closed by the integrals to the digits shown.",
        rows=[_similar(alike, books), _why(books), *_solved(rigid, rubber)],
        tables=[{"title": "Energies of a stride over weight and distance", "columns": columns, "rows": cells}],
        pictures=[
            picture("contact", "figure4", _smaller(plot_gaits([rigid, rubber])), two),
            picture("contact", "figure4_why", _draw(books), why),
        ],
        values={"alike": alike, "energies": books},
    )


def _alike(one: GaitResult, two: GaitResult) -> dict[str, float]:
    share = np.linspace(0, 1, 400)
    a, b = (r.at(share * r.stride_time) for r in (one, two))
    found = {name: np.corrcoef(a["q"][:, k], b["q"][:, k])[0, 1] for name, k in SHAPES.items()}
    for k, name in enumerate(("hip motor force", "leg motor force")):
        found[name] = np.corrcoef(a["torque"][:, k], b["torque"][:, k])[0, 1]
    return {k: float(v) for k, v in found.items()}


def _less(books: dict[str, Balance], name: str) -> float:
    return 100 * (1 - books[name]["losses"] / books["rigid"]["losses"])


def _similar(alike: dict[str, float], books: dict[str, Balance]) -> Row:
    return Row(
        what="optimal hop on rigid and on rubber feet: correlation over the stride; losses over weight and distance",
        place="Section III, Figure 4b",
        published='"highly similar", no figures',
        ours=", ".join(f"{k} {v:.3f}" for k, v in alike.items())
        + f"; {books['rigid']['losses']:.4f} and {books['rubber']['losses']:.4f}, {_less(books, 'rubber'):.0f} % less",
        n="one locally optimal gait each from the same crude guess; deterministic",
        verdict="only in a regime",
        regime="shapes of the motion; not the losses",
        command=COMMAND,
    )


def _why(books: dict[str, Balance]) -> Row:
    stiff, damp = (_less(books, f"{k} x 16") for k in ("stiffness", "damper"))
    hard, soft = books["rigid"], books["rubber"]
    series = (hard["series dampers"] - soft["series dampers"]) / (hard["work"] - soft["work"])
    return Row(
        what="why losses differ: rubber feet's losses less than rigid ones, as they are; damper nearly 0; 16 times "
        "the damper; 4 and 16 times the stiffness",
        place="Section III, Figure 4b",
        published="parameters of hopper and damper are not printed",
        ours=f"{_less(books, 'rubber'):.0f}; {_less(books, 'damper x 0.01'):.0f}; {damp:.0f}; "
        f"{_less(books, 'stiffness x 4'):.0f}, {stiff:.0f} %. The ball gives by "
        f"{100 * soft['depth'] / Hopper().foot_radius:.0f} % of its radius, a second spring in series with the leg: "
        f"motors do {100 * (1 - soft['work'] / hard['work']):.0f} % less work, {100 * series:.0f} % of that saved in "
        f"the series dampers and the rest because the rubber keeps less ({soft['foot']:.3f}) than a plastic impact "
        f"takes ({hard['foot']:.3f})",
        n="feet that differ in one number; deterministic",
        controls="rubber that is stiffer comes near to rigid feet; a damper that turns more energy to heat than the "
        "impact does not explain it alone",
        verdict="reported",
        command=COMMAND,
    )


def _solved(rigid: GaitResult, rubber: GaitResult) -> list[Row]:
    checks = [check(r) for r in (rigid, rubber)]
    return [
        Row(
            what="both hops from one crude guess: largest violation; processor time with refinement",
            published="below 1e-6; below 5 s",
            ours=f"{rigid.violation:.0e} and {rubber.violation:.0e}; {rigid.cpu_seconds:.1f} and "
            f"{rubber.cpu_seconds:.1f} s",
            n="rigid and rubber",
            verdict="confirmed" if max(rigid.violation, rubber.violation) < 1e-6 else "not confirmed",
            command=COMMAND,
        ),
        Row(
            what="the same integrated with DOP853, rtol 1e-9: end against start; losses",
            published="1e-3; 1 %",
            ours=" and ".join(f"{c.return_error:.1e}" for c in checks)
            + "; " + " and ".join(f"{100 * c.cost_error:.0e}" for c in checks) + " %",
            n="rigid and rubber",
            verdict="confirmed" if max(c.return_error for c in checks) < 1e-3 else "not confirmed",
            command=COMMAND,
        ),
    ]  # fmt: skip


def _smaller(fig: Figure) -> Figure:
    fig.set_size_inches(8.6, 7)
    for ax in fig.axes:
        ax.title.set_fontsize(8.5)
    return fig


def _draw(books: dict[str, Balance]) -> Figure:
    with house_style():
        fig, axes = figure(1, 1, size=(8, 3.2))
        names = list(books)
        for part, colour, below in (("hip", COLOURS[0], None), ("leg", COLOURS[3], "hip")):
            low = [books[n][below] if below else 0.0 for n in names]
            axes[0, 0].bar(names, [books[n][part] for n in names], bottom=low, color=colour, label=f"{part} motor")
        axes[0, 0].axhline(books["rigid"]["losses"], color="black", ls="--", lw=1)
        axes[0, 0].set_ylabel("losses [weight x distance]")
        axes[0, 0].tick_params(axis="x", labelsize=8)
        axes[0, 0].set_ylim(0, 1.3 * max(v["losses"] for v in books.values()))
        axes[0, 0].legend(loc="upper right", ncols=2)
    return fig
