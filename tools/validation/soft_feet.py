"""Soft feet and soft robots: condensed, coupled, reduced and driven, as tests and benchmarks have recorded it."""

from __future__ import annotations

from validation.figures import Figures, read
from validation.records import Record, Row
from validation.soft_bodies import percent

GROUNDS = ("flat", "edge", "rod", "tilted")


def feet() -> Record:
    """Rubber soles: condensed, as a flex, coupled with a robot, drawn by hand."""
    f = Figures("soft")
    rows = [_curve(f), _card(f), _flex(f), _cosim(f), _own(f)]
    return f.record("Soft feet against finite elements", rows)


def robots() -> Record:
    """Soft robots reduced and driven, and the room that holds them."""
    f = Figures("soft")
    return f.record("Soft robots: reduced, driven, and their modules", [_reduced(f), _serial(f), _modules(f)])


def _curve(f: Figures) -> Row:
    card, curve, whole = f["foot.card"], f["foot.curve_ratio"], f["foot.whole_ratio"]
    near = card["error_percent"] < 5
    return f.row(
        "foot.card",
        good=near and min(curve, whole) >= 100,
        otherwise="only in a regime" if near and curve >= 100 else "not confirmed",
        what="rubber sole (`SolidFoot`), press curve of the condensed MuJoCo foot against finite elements, up to "
        f"{card['load_N']:.0f} N on a flat floor",
        published="within 5 %, at least 100 times faster",
        ours=f"{card['error_percent']:.2g} %, {curve:.0f} times, {whole:.0f} times with both models built "
        "(whole curve, processor time of one core)",
        regime="" if whole >= 100 else "models that are built already",
    )


def _card(f: Figures) -> Row:
    errors = {ground: f[f"card.{ground}_error"] for ground in GROUNDS}
    trusted = {ground: f[f"card.{ground}_trusted"] for ground in GROUNDS}
    return f.row(
        "card.flat_error",
        good=trusted["flat"] and all(error < 0.1 or not trusted[ground] for ground, error in errors.items()),
        what=f"condensed solid foot (cells of 20 mm, 6 x 2 pads) against finite elements: {', '.join(GROUNDS)}",
        published="within 10 % or refused",
        ours=", ".join(
            percent(error) if trusted[ground] else f"refused ({100 * error:.0f} %)" for ground, error in errors.items()
        ),
        n="100, 300 and 500 N",
    )


def _flex(f: Figures) -> Row:
    elements, plain, hard = (f[f"foot.{name}_more"] for name in ("fe", "flex", "flex_hard"))
    return f.row(
        "foot.fe_more",
        good=abs(plain / elements - 1) < 0.02,
        otherwise="only in a regime" if abs(hard / elements - 1) < 0.02 else "not confirmed",
        what="rubber sole as a MuJoCo flex, 100 N more on a floor, cells of 30 mm",
        published=f"as finite elements ({1e3 * elements:.4f} mm)",
        ours=f"{1e3 * plain:.4f} mm at steps of 2 ms, {1e3 * hard:.4f} mm with harder contact at 0.5 ms "
        "([why](solid_foot.md#as-a-flex))",
        regime="harder contact and steps of 0.5 ms",
    )


def _cosim(f: Figures) -> Row:
    falls = [f[f"cosim.fall_{mass}_g"] for mass in (20000, 1000, 100)]
    energy = {step: f[f"cosim.energy_{step}_us"] for step in (160, 80, 20)}
    kept = [step for step, lost in energy.items() if abs(lost) < 0.01]
    moves = max(abs(fall / 9.81 - 1) for fall in falls) < 1e-3 and max(f["cosim.momentum"], f["cosim.turning"]) < 0.01
    return f.row(
        "cosim.momentum",
        "cosim.energy_20_us",
        good=moves and len(kept) == len(energy),
        otherwise="only in a regime" if moves and kept else "not confirmed",
        what="co-simulation: free fall of robots of 20, 1, 0.1 kg; linear and angular momentum through a bounce; "
        "energy at steps of 160, 80, 20 us (light rubber)",
        published="9.81 m/s^2; 1 %; 1 %",
        ours=", ".join(f"{fall:.3f}" for fall in falls)
        + f"; {percent(f['cosim.momentum'])}, {percent(f['cosim.turning'])}; "
        + ", ".join(f"{100 * lost:+.1f} %" for lost in energy.values()),
        regime=f"energy at steps of {', '.join(map(str, kept))} us alone: backward Euler loses in proportion to "
        "its step",
    )


def _own(f: Figures) -> Row:
    error, status = f["own_foot.error"], f["own_foot.status"]
    return f.row(
        "own_foot.error",
        good=error < 0.05 and status == "WALKED",
        what="a foot drawn as STL: filled, pressed, mounted on the biped, walks",
        published="one page, run by a test",
        ours=f"condensed within {percent(error)} of finite elements; {status}, peak load "
        f"{f['own_foot.force_peak']:.2f} body weights",
        n=f"{' and '.join(f'{load:g}' for load in f['own_foot.loads'])} N; two steps, seed 0",
    )


def _reduced(f: Figures) -> Row:
    found = {name: f[f"reduced.{name}"] for name in ("fetch", "sofia")}
    return f.row(
        "reduced.fetch",
        "reduced.sofia",
        good=None,
        what="the reduced fetch and sofia against the whole ones, every node, over the whole demonstration",
        published="near",
        ours=", ".join(f"{name} {card['error_percent']:.1f} %" for name, card in found.items()) + " of the motion ("
        + ", ".join(f"{card['modes']}" for card in found.values()) + " modes)",
    )  # fmt: skip


def _serial(f: Figures) -> Row:
    names = [name.removeprefix("soft.") for name in read("soft") if name.startswith("soft.serial.")]
    lost = [f[name] for name in names if name.startswith("serial.lost_")]
    ends = [f[name] for name in names if not name.startswith("serial.lost_")]
    rested, fastest = sum(end[0] for end in ends), max(end[1] for end in ends)
    return f.row(
        *names,
        good=rested == len(ends) and fastest < 1 + 1e-5 and all(lost),
        what=f"serial stream on a pseudo-terminal: {len(ends)} ways to end it (errors, signals, a storm of them, "
        f"threads, a deaf board), and a port lost in {len(lost)} places",
        published="rest arrives, within the rate limit; a lost port is one error",
        ours=f"rest in {rested} of {len(ends)}, at most {fastest:.4f} of the rate limit; one error in {sum(lost)} of "
        f"{len(lost)}",
    )


def _modules(f: Figures) -> Row:
    circle, writes = f["modules.circle"], f["modules.writes"]
    return f.row(
        "modules.circle",
        good=not circle and not writes,
        what="soft: modules of the room that import each other in a circle, and writes to a scene's state outside "
        "`soft/solve`",
        published="none",
        ours=f"{', '.join(circle) or 'none'}; {', '.join(writes) or 'none'} ({f['modules.count']} modules with "
        f"{f['modules.imports']} imports of each other)",
    )
