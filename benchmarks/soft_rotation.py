"""Which rotation of corotational elements is right: all of them on meshes made finer, beside total-Lagrangian laws.

    python benchmarks/soft_rotation.py --bars            # bars that a law stretches by a known length: seconds
    python benchmarks/soft_rotation.py                   # the finger, mesh as it is and finer once
    python benchmarks/soft_rotation.py --levels 2        # and finer twice: minutes a state

Bars hang from one end, with Poisson's ratio 0. Linear elasticity in the stretch U of F = R U, which is what
corotational elements stand for, then stretches them by density * gravity * length^2 / (2 Young): rows are what elements
make of it on meshes made finer, with their vertices listed in three orders.

Every tetrahedron is cut into eight; cables and cavities keep their places. Rows are the largest distance from the
state on the finest mesh by the Saint Venant-Kirchhoff law (total Lagrangian, the same Young's modulus and Poisson's
ratio), as a share of that state's displacement. The reference files are needed (--reference DIR).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from plantar.errors import Diverged
from plantar.soft import Cable, Cavity, Corotational, NeoHookean, Scene, SoftBody, StVenantKirchhoff, shapes
from plantar.soft.fem.material import Material
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.reference.compare import build, settle
from plantar.soft.reference.reference import ReferenceState, read_reference
from plantar.soft.scene.mapping import Barycentric

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference"
LAWS = ("polar", "edge", "edge_polar", "total Lagrangian")
CHILDREN = (
    *((0, 4, 5, 6), (4, 1, 7, 8), (5, 7, 2, 9), (6, 8, 9, 3)),
    *((4, 5, 6, 8), (4, 5, 8, 7), (5, 6, 8, 9), (5, 8, 7, 9)),
)
"""Eight tetrahedra of corners 0 to 3 and the middles of edges 01, 02, 03, 12, 13, 23 (4 to 9)."""

YOUNG, DENSITY = 2e5, 1000.0
"""Of the bars [Pa, kg/m^3]."""
ORDERS = ((0, 1, 2, 3), (1, 2, 0, 3), (3, 2, 1, 0))
"""Orders in which the vertices of every tetrahedron are listed; none turns it inside out."""


def finer(state: ReferenceState) -> ReferenceState:
    """The state on a mesh with every edge halved; old nodes keep their numbers."""
    X, tets = state.mesh.nodes, np.asarray(state.mesh.tets)
    corners = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    edges = np.sort(np.concatenate([tets[:, c] for c in corners]), axis=1)
    unique, where = np.unique(edges, axis=0, return_inverse=True)
    middle = len(X) + where.reshape(6, -1).T
    points = np.concatenate([X, X[unique].mean(axis=1)])
    cells = np.concatenate([tets, middle], axis=1)[:, CHILDREN].reshape(-1, 4)
    number = {(int(a), int(b)): len(X) + i for i, (a, b) in enumerate(unique)}
    fixed = set(np.asarray(state.fixed).tolist())
    held = [*fixed, *(n for (a, b), n in number.items() if a in fixed and b in fixed)]
    actuators = tuple(_finer(a, X, number) for a in state.actuators)
    return replace(state, mesh=Mesh(nodes=points, tets=cells), fixed=np.array(sorted(held)), actuators=actuators)


def _finer(actuator: Cable | Cavity, X: np.ndarray, number: dict[tuple[int, int], int]) -> Cable | Cavity:
    """The same actuator: points stay in place; triangles between nodes are cut into four."""
    points = actuator.points.rest(X) if isinstance(actuator.points, Barycentric) else actuator.points
    if isinstance(actuator, Cable):
        return replace(actuator, points=points, outside="extrapolate")
    triangles = np.asarray(actuator.surface)
    if points is not None:
        return replace(actuator, points=points)
    parts = []
    for a, b, c in triangles.tolist():
        ab, bc, ca = (number[tuple(sorted(e))] for e in ((a, b), (b, c), (c, a)))
        parts += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return replace(actuator, surface=np.array(parts))


def with_law(state: ReferenceState, law: str) -> ReferenceState:
    def turned(material: Material) -> Material:
        young, poisson = material.young, material.poisson
        if law == "total Lagrangian":
            return StVenantKirchhoff(young=young, poisson=poisson)
        return Corotational(young=young, poisson=poisson, rotation=law)  # type: ignore[arg-type]

    # mass by volume: shares that are equal at all nodes would be another body on a finer mesh
    mass = {k: v for k, v in state.mass.items() if k != "lumping"}
    return replace(state, material=turned(state.material), mass=mass)


def settled(state: ReferenceState, count: int) -> tuple[Scene, np.ndarray] | None:
    scene = build(state)
    try:
        settle(scene, state)
    except Diverged:
        return None
    return scene, scene.positions("body")[:count]


def study(state: ReferenceState, levels: int) -> None:
    meshes = [state]
    for _ in range(levels):
        meshes.append(finer(meshes[-1]))
    count = len(state.mesh.nodes)
    ends = {}
    for level, mesh in enumerate(meshes):
        for law in LAWS:
            found = settled(with_law(mesh, law), count)
            if found is not None:
                ends[level, law] = found[1]
    command = ", ".join(f"{v:g}" for v in state.commands.values())
    truth = ends.get((levels, "total Lagrangian"))
    if truth is None:
        print(f"{state.label} [{command}]: the total-Lagrangian law did not settle on the finest mesh", flush=True)
        return
    size = float(np.linalg.norm(truth - state.mesh.nodes, axis=1).max())
    print(f"{state.label} [{command}]: displacement {size:.4g}", flush=True)
    for level, mesh in enumerate(meshes):
        row = []
        for law in LAWS:
            end = ends.get((level, law))
            away = None if end is None else float(np.linalg.norm(end - truth, axis=1).max()) / size
            row.append(f"{law} {'failed' if away is None else f'{100 * away:6.2f} %'}")
        print(f"  finer {level} x ({len(mesh.mesh.tets):6d} tets): {'; '.join(row)}", flush=True)


def bars() -> None:
    """Bars whose own weight stretches them by 10 and 30 % on average, and one that stands and is squeezed by 10 %."""
    long, short = (0.16, 0.02, 0.02), (0.08, 0.04, 0.04)
    for name, size, pull in (("pulled", long, 250.0), ("pulled_far", long, 750.0), ("squeezed", short, -500.0)):
        exact = DENSITY * pull * size[0] ** 2 / (2 * YOUNG)
        print(f"bar of {1e3 * size[0]:g} mm, exact {1e3 * exact:.3f} mm")
        tets, found = [], {}
        for cells in (2, 4, 8):
            mesh = shapes.box(size, (cells * round(size[0] / size[1]), cells, cells))
            tets.append(len(mesh.tets))
            row = []
            for law, (material, orders) in _laws().items():
                ends = [hung(mesh, material, order, pull) for order in orders]
                found.setdefault(law, []).append(ends)
                row.append(f"{law} " + ", ".join("failed" if end is None else f"{1e3 * end:.3f}" for end in ends))
            print(f"  {tets[-1]:6d} tets: {'; '.join(row)}", flush=True)
        told = {"length": size[0], "exact": exact, "tets": tets, **found}
        print(f"figure soft.bars.{name} = {json.dumps(told)}", flush=True)


def _laws() -> dict[str, tuple[Material, tuple[tuple[int, ...], ...]]]:
    """Materials of the bars, each with the orders of vertices that it is computed with."""
    found: dict[str, tuple[Material, tuple[tuple[int, ...], ...]]] = {}
    for law in ("polar", "edge", "edge_polar"):
        found[law] = (Corotational(young=YOUNG, poisson=0.0, rotation=law), ORDERS)  # type: ignore[arg-type]
    found["StVK"] = (StVenantKirchhoff(young=YOUNG, poisson=0.0), ORDERS[:1])
    found["Neo-Hookean"] = (NeoHookean(young=YOUNG, poisson=0.0), ORDERS[:1])
    return found


def hung(mesh: Mesh, material: Material, order: tuple[int, ...], pull: float) -> float | None:
    """By how much a bar's end moves [m]; None where it does not settle."""
    same = Mesh(mesh.nodes, np.asarray(mesh.tets)[:, order], mesh.regions)
    body = SoftBody(name="bar", mesh=same, material=material, density=DENSITY, fixed="x0", check=False)
    scene = Scene([body], mode="static", gravity=(pull, 0, 0))
    try:
        scene.equilibrium()
    except Diverged:
        return None
    end = mesh.region("x1")
    return float((scene.positions("bar")[end] - mesh.nodes[end])[:, 0].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=Path, default=REFERENCE)
    parser.add_argument("--levels", type=int, default=1)
    parser.add_argument("--springy", action="store_true", help="also the states of springy: an hour each")
    parser.add_argument("--bars", action="store_true", help="bars with a known stretch alone")
    options = parser.parse_args()
    if options.bars:
        bars()
        return
    finger = read_reference(options.reference / "case1_finger.json")
    springy = read_reference(options.reference / "case3_springy.json")
    for state in (finger[2], finger[5], replace(finger[5], commands={"cable0": 1000.0}), *finger[7:10]):
        study(state, options.levels)
    for state in (springy[4], replace(springy[4], commands={"cavity": 8.0}), springy[3]) if options.springy else ():
        study(state, options.levels)


if __name__ == "__main__":
    main()
