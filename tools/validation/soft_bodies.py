"""Soft bodies: agreement with SOFA, with theory, and with themselves, as tests and benchmarks have recorded it."""

from __future__ import annotations

from typing import Any

from validation.figures import Figures
from validation.records import Record, Row

FILES = ("case1_finger", "case2_diamond_direct", "case2_diamond_inverse", "case3_springy")
POLAR = ("case1_finger", "case2_diamond_direct", "case3_springy")
EXACT, NEAR = 1e-3, 0.05
"""Of the displacement: within which the same element agrees, and another one."""
LAWS = ("polar", "neo_hookean", "stable", "st_venant_kirchhoff")
EDGE = ("edge", "edge_polar")
BARS = ("pulled", "pulled_far", "squeezed")


def bodies() -> Record:
    """What the finite elements were held against."""
    f = Figures("soft")
    rows = [_sofa(f), _polar(f), _bars(f), _hard(f), _theory(f), _multigrid(f), _step(f), _diamond(f)]
    return f.record("Soft bodies: agreement with SOFA and with theory", rows)


def percent(share: float, digits: int = 2) -> str:
    """A share with so many digits."""
    return f"{100 * share:.{digits}g} %"


def _sofa(f: Figures) -> Row:
    names = [*(f"sofa.{name}" for name in FILES), "sofa.beams"]
    same, rubbing = [x for name in names for x in f[name]], f["sofa.friction"]
    count = len(same) + len(rubbing)
    good = sum(x < EXACT for x in [*same, *rubbing])
    return f.row(
        *names,
        "sofa.friction",
        good=good == count,
        what=f"soft: {good} of {count} states that SOFA settled to (finger, diamond direct and inverse, springy under "
        'pressure, cantilevers, beam on a floor), same element (`rotation="edge"`, SOFA\'s `large`)',
        published="within 0.1 % of the displacement",
        ours=f"within {percent(max(same))}, but friction (path dependent) {percent(max(rubbing))}",
        n=f"{count} states; {f['sofa.failed_there']} more of the files failed in SOFA itself",
    )


def _polar(f: Figures) -> Row:
    names = [f"polar.{name}" for name in POLAR]
    pairs = [pair for name in names for pair in zip(f[name], f[f"{name}_by_sofa"], strict=True)]
    far = [(ours, sofa) for ours, sofa in pairs if ours > NEAR]
    blown = f["polar.case3_springy"][4]
    others = sorted(ours for ours, _ in far if ours != blown)
    theirs = sorted(sofa for _, sofa in far)
    beyond = [f"polar.{name}_beyond" for name in ("case3_springy", "case1_finger")]
    return f.row(
        *names,
        *beyond,
        good=not far,
        otherwise="only in a regime",
        what='the same with the textbook element F = R S (`rotation="polar"`, the default): finger, diamond, springy',
        published=f"within {percent(NEAR)}",
        ours=f"{len(pairs) - len(far)} of {len(pairs)} states; {100 * others[0]:.1f} to {100 * others[-1]:.1f} % in "
        f"{len(others)} where cables or pressure balance gravity, {percent(blown)} in springy at +4 cm3. Beyond the "
        f"files, against `edge`: springy at +8 cm3 {100 * f[beyond[0]]:.1f} %, finger at 1000 mN with gravity "
        f"{100 * f[beyond[1]]:.1f} %",
        n=f"{len(pairs)} states, and {len(beyond)} beyond",
        regime="states in which cables or pressure do not balance gravity. SOFA's own polar method is "
        f"{100 * theirs[0]:.0f} to {100 * theirs[-1]:.0f} % from its large one in the same states",
    )


def _bars(f: Figures) -> Row:
    found: list[dict[str, Any]] = [f[f"bars.{name}"] for name in BARS]
    polar = [bar["polar"][-1] for bar in found]
    off = max(abs(end / bar["exact"] - 1) for bar, ends in zip(found, polar, strict=True) for end in ends)
    finest = ", ".join(_ends(bar["edge"][-1]) for bar in found)
    coarse = "; ".join(_ends(bar["edge"][0]) for bar in found)
    share = [round(100 * bar["exact"] / bar["length"]) for bar in found]
    return f.row(
        *(f"bars.{name}" for name in BARS),
        good=off < 1e-3,
        what=f"soft: which rotation is right: bars with Poisson's ratio 0 that their weight stretches by {share[0]} "
        f"and {share[1]} % and squeezes by {-share[2]} %, on three meshes, vertices listed in three orders",
        published="linear elasticity in the stretch: " + ", ".join(f"{1e3 * bar['exact']:g}" for bar in found) + " mm; "
        "the better one is the default",
        ours="`polar` " + ", ".join(_ends(ends) for ends in polar) + f" mm on the finest mesh (within {percent(off)}); "
        f"`edge` {finest} mm by the order of vertices, and on the coarsest mesh {coarse}",
        n="three bars, three meshes, three orders; deterministic",
        controls="Saint Venant-Kirchhoff and Neo-Hookean elements on the same meshes: other materials at these strains "
        f"({_ends(found[0]['StVK'][-1])} and {_ends(found[0]['Neo-Hookean'][-1])} mm at {share[0]} %)",
    )


def _ends(ends: list[float | None]) -> str:
    """Displacements of the orders of vertices [mm], each once."""
    return " or ".join(dict.fromkeys("does not settle" if end is None else f"{1e3 * end:.2f}" for end in ends))


def _hard(f: Figures) -> Row:
    both = ("hard.weight", "hard.no_weight")
    most = max(f[f"{name}_iterations"] for name in both)
    settles = most <= 100 and all(f[f"{name}_closed"] for name in both)
    edge = ("hard.edge_weight", "hard.edge_no_weight")
    failed = sorted(load for name in edge for load in f[f"{name}_failed"])
    tried = sum(f[f"{name}_loads"] for name in edge)
    where = f" (at {' and '.join(f'{load:g}' for load in failed)} N), with advice" if failed else ""
    return f.row(
        "hard.weight_iterations",
        "hard.edge_weight_failed",
        good=settles and not failed,
        otherwise="only in a regime" if settles else "not confirmed",
        what="soft: finger pulled hard, 4 N of cable",
        published="settles",
        ours=f"settles in at most {most} iterations a load, with and without gravity, with a status that says that way "
        f"points have met; with `edge` {len(failed)} of {tried} loads end in `Diverged`{where}",
        regime='`rotation="polar"`, the default' if failed else "",
    )


def _theory(f: Figures) -> Row:
    rigid = [f[f"elements.rigid_{law}"] for law in (*LAWS, *EDGE)]
    patch, edge = ([f[f"elements.patch_{law}"] for law in laws] for laws in (LAWS, EDGE))
    tangent = [f[f"elements.tangent_{law}"] for law in LAWS]
    rates = [f["elements.stretch_rate"], f["elements.beam_rate"]]
    beam, circle = f["elements.beam_error"], max(f["elements.elastica_gap"], abs(f["elements.elastica_height"]))
    contact = [f["contact.complementarity"], f["contact.depth"], f["contact.outside_cone"]]
    small = max(rigid) < 1e-10 and max(patch) < 1e-10 and max(tangent) < 1e-6 and f["elements.scikit_fem"] < 1e-8
    theory = all(abs(rate - 2) < 0.4 for rate in rates) and beam < 0.01 and circle < 0.02
    met = small and theory and max(contact) < 1e-8
    return f.row(
        "elements.rigid_polar",
        good=met and max(edge) < 1e-10,
        otherwise="only in a regime" if met else "not confirmed",
        what="soft: force of a rigid rotation; patch test; tangents against differences; scikit-fem at small strain; "
        "rates of a stretched bar and of a cantilever, and the cantilever's limit against Timoshenko; a beam rolled "
        "into a circle; complementarity, depth and friction cone of a block on a floor",
        published="1e-10; exact; 1e-6; 1e-8; rates of 2, 1 %; 2 %; 1e-8",
        ours=f"{max(rigid):.0e}; {max(patch):.0e} (`edge` rotations {max(edge):.0e}); {max(tangent):.0e}; "
        f"{f['elements.scikit_fem']:.0e}; {rates[0]:.2f} and {rates[1]:.2f}, {percent(beam)}; {percent(circle)}; "
        + ", ".join(f"{x:.0e}" if x else "0" for x in contact),
        n="six laws; tangents of those with a potential",
        regime=""
        if max(edge) < 1e-10
        else "all but the patch test of `edge`, whose frames turn with a symmetric strain, by its square",
    )


def _multigrid(f: Figures) -> Row:
    bars = ["bar_corotational_0", "bar_corotational_6", "bar_neohookean_3", "equilibrium"]
    apart, bonds = max(f[f"multigrid.{name}"] for name in bars), f["multigrid.bonds"]
    return f.row(
        "multigrid.bonds",
        good=max(apart, bonds) < 1e-4,
        what="soft: multigrid against factorisation, bars; with bonds and rigid parts",
        published="the same",
        ours=f"{apart:.0e}; {bonds:.0e} of the displacement",
    )


def _step(f: Figures) -> Row:
    cable, pressure = (max(f[f"step.{name}"]) for name in ("cable", "pressure"))
    return f.row(
        "step.cable",
        good=max(cable, pressure) < 0.005,
        what="soft: settled cable and pressure results at dt, dt/2, dt/10",
        published="within 0.5 %",
        ours=f"{percent(cable)}; {percent(pressure)}",
    )


def _diamond(f: Figures) -> Row:
    circle, targets = f["diamond.circle_error"], f["diamond.target_error"]
    return f.row(
        "diamond.circle_error",
        good=max(circle, targets) < 1e-4,
        what=f"diamond inverse: 10 mm circle in {f['diamond.circle_steps']} steps, every step; {f['diamond.targets']} "
        "random targets of the workspace",
        published="within 0.1 mm",
        ours=f"{1e3 * circle:.1g} mm; {1e3 * targets:.1g} mm",
    )
