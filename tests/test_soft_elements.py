"""Elements: patch test, rigid motion, tangents, convergence, and the same solution as scikit-fem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from soft_cases import bar, body, internal, start, tangent

from plantar.soft import Corotational, Load, NeoHookean, Scene, SoftBody, StableNeoHookean, StVenantKirchhoff, shapes
from plantar.soft.fem.mat3 import polar_rotation
from plantar.soft.mesh.mesh import Mesh

LAWS = {
    "polar": Corotational(young=1e5, poisson=0.3, rotation="polar"),
    "edge": Corotational(young=1e5, poisson=0.3, rotation="edge"),
    "edge_polar": Corotational(young=1e5, poisson=0.3, rotation="edge_polar"),
    "neo_hookean": NeoHookean(young=1e5, poisson=0.3),
    "stable": StableNeoHookean(young=1e5, poisson=0.3),
    "st_venant_kirchhoff": StVenantKirchhoff(young=1e5, poisson=0.3),
}
LINEAR = Corotational(young=1e5, poisson=0.3, rotation="none")


def free_scene(material):
    return Scene([body(bar(), material, fixed=())], gravity=(0, 0, 0))


@pytest.mark.parametrize("law", LAWS)
def test_rigid_motion_makes_no_force(law, record_property):
    scene = free_scene(LAWS[law])
    turn = Rotation.from_rotvec([0.4, -1.1, 2.0]).as_matrix()
    f = internal(scene, scene.system.x0 @ turn.T + [1.0, 2.0, 3.0])
    stiffness = 1e5 * 0.03  # modulus times length: the scale of forces
    force = float(np.abs(f).max() / stiffness)
    record_property(f"soft.elements.rigid_{law}", force)
    assert force < 1e-10


@pytest.mark.parametrize("law", LAWS)
def test_forces_and_moments_balance(law):
    scene = free_scene(LAWS[law])
    x = scene.system.x0 + 1e-3 * np.random.default_rng(0).normal(size=scene.system.x0.shape)
    f = internal(scene, x)
    assert np.abs(f.sum(axis=0)).max() < 1e-10 * np.abs(f).max()
    if law not in ("edge", "edge_polar"):  # their rotation is not that of the strain: a known flaw of those elements
        assert np.abs(np.cross(x, f).sum(axis=0)).max() < 1e-10 * np.abs(f).max()


@pytest.mark.parametrize("law", ["polar", "neo_hookean", "stable", "st_venant_kirchhoff"])
def test_tangent_and_energy_equal_finite_differences(law, record_property):
    scene, errors = free_scene(LAWS[law]), []
    rng = np.random.default_rng(1)
    turn = Rotation.from_rotvec([0.3, 0.2, -0.5]).as_matrix()
    x = scene.system.x0 @ turn.T + 1e-3 * rng.normal(size=scene.system.x0.shape)
    start(scene, x=x)
    A = tangent(scene)
    for _ in range(5):
        d, h = rng.normal(size=x.shape), 1e-8
        slope = -(internal(scene, x + h * d) - internal(scene, x - h * d)).ravel() / (2 * h)
        errors.append(float(np.abs(A @ d.ravel() - slope).max() / np.abs(slope).max()))
        group = scene.system.groups[0]
        work = (group.energy(x + h * d, scene.state.quat) - group.energy(x - h * d, scene.state.quat)) / (2 * h)
        assert work == pytest.approx(-float((internal(scene, x) * d).sum()), rel=1e-5)
    record_property(f"soft.elements.tangent_{law}", max(errors))
    assert max(errors) < 1e-6


@pytest.mark.parametrize("law", LAWS)
def test_patch_of_uniform_strain_is_exact(law, record_property):
    """Displacements of a uniform strain on the boundary give the same strain inside, and the same stress everywhere."""
    mesh = bar((4, 4, 4), (1.0, 1.0, 1.0))
    G = np.array([[2.0, 1, 0], [1, -1, 0.5], [0, 0.5, 1]]) * 1e-4
    inner = np.setdiff1d(np.arange(len(mesh.nodes)), mesh.boundary_nodes)
    assert len(inner) == 8
    jitter = mesh.nodes.copy()
    jitter[inner] += 0.05 * np.random.default_rng(2).normal(size=(8, 3))
    mesh = type(mesh)(jitter, mesh.tets)
    scene = Scene([body(mesh, LAWS[law], fixed=mesh.boundary_nodes)], gravity=(0, 0, 0), mode="static")
    wanted = mesh.nodes @ G.T
    scene.move("bar", wanted[mesh.boundary_nodes])
    scene.equilibrium(tolerance=1e-14)
    error = np.abs(scene.positions("bar") - mesh.nodes - wanted)[inner].max()
    record_property(f"soft.elements.patch_{law}", float(error / np.abs(wanted).max()))
    # the edge frames turn with a symmetric strain too, by its square
    assert error < (1e-12 if law not in ("edge", "edge_polar") else 1e-8)


def test_small_strains_equal_scikit_fem(record_property):
    import skfem
    from skfem.helpers import ddot, eye, sym_grad, trace

    mesh = bar((7, 3, 3))
    E, nu = 1e5, 0.3
    lam, mu = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
    basis = skfem.Basis(
        skfem.MeshTet(mesh.nodes.T.copy(), mesh.tets.T.copy()), skfem.ElementVector(skfem.ElementTetP1())
    )

    @skfem.BilinearForm
    def elastic(u, v, _):
        e = sym_grad(u)
        return ddot(lam * eye(trace(e), 3) + 2 * mu * e, sym_grad(v))

    @skfem.LinearForm
    def weight(v, _):
        return -9810.0 * v[2]

    clamped = basis.get_dofs(lambda x: x[0] < 1e-9)
    u = skfem.solve(*skfem.condense(elastic.assemble(basis), weight.assemble(basis), D=clamped))
    theirs = np.asarray(u)[basis.nodal_dofs].T
    scene = Scene([body(mesh, LINEAR)], mode="static")
    scene.equilibrium(tolerance=1e-14)
    ours = scene.positions("bar") - mesh.nodes
    apart = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    record_property("soft.elements.scikit_fem", apart)
    assert apart < 1e-8


def test_laws_agree_for_small_strains():
    mesh = bar()
    ends = {}
    for name, law in {**LAWS, "none": LINEAR}.items():
        scene = Scene([body(mesh, law)], gravity=(0, 0, -1e-5), mode="static")
        scene.equilibrium(tolerance=1e-15)
        ends[name] = (scene.positions("bar") - mesh.nodes)[-1, 2]
    assert np.ptp(list(ends.values())) < 1e-5 * abs(ends["none"])


def test_uniaxial_stretch_of_neo_hookean_is_analytic():
    """A bar pulled by its end face, free to shrink sideways: stress and stretch of the law itself."""
    mesh = bar((3, 3, 3), (1.0, 1.0, 1.0))
    law = NeoHookean(young=1e5, poisson=0.3)
    lam, mu = law.lame
    x, y, z = mesh.nodes.T
    from plantar.soft import Barycentric, FixedPosition

    def slide(name, nodes, axis):
        nodes = np.flatnonzero(nodes).reshape(-1, 1)
        return FixedPosition(
            name=name, body="bar", points=Barycentric(nodes=nodes, weights=np.ones(nodes.shape)), axes=axis
        )

    bonds = [slide("x", x < 1e-9, "x"), slide("y", y < 1e-9, "y"), slide("z", z < 1e-9, "z")]
    face = mesh.boundary[(x[mesh.boundary] > 1 - 1e-9).all(axis=1)]
    area = 0.5 * np.linalg.norm(
        np.cross(mesh.nodes[face[:, 1]] - mesh.nodes[face[:, 0]], mesh.nodes[face[:, 2]] - mesh.nodes[face[:, 0]]),
        axis=1,
    )
    share = np.bincount(face.ravel(), np.repeat(area / 3, 3), minlength=len(x))
    force = 3e4
    loads = [
        Load(name=f"n{i}", body="bar", points=Barycentric(nodes=[[i]], weights=[[1.0]]), force=(force * share[i], 0, 0))
        for i in np.flatnonzero(share)
    ]
    scene = Scene([body(mesh, law, fixed=())], bonds=bonds, loads=loads, gravity=(0, 0, 0), mode="static")
    scene.equilibrium()
    long, side = scene.positions("bar")[-1, :2]
    J = long * side**2
    along = mu * (long - 1 / long) + lam * np.log(J) / long
    across = mu * (side - 1 / side) + lam * np.log(J) / side
    assert along == pytest.approx(force, rel=1e-9)
    assert across == pytest.approx(0.0, abs=1e-9 * force)


def test_stretch_of_a_linear_bar_converges_at_second_order(record_property):
    """A bar hanging under its weight: u = rho g (L z - z^2/2)/E where nu = 0; linear tetrahedra are exact at O(h^2)."""
    errors, sizes = [], []
    for n in (3, 5, 9):
        mesh = bar((n, 3, 3), (1.0, 0.2, 0.2))
        scene = Scene(
            [body(mesh, Corotational(young=1e6, poisson=0.0, rotation="none"))], gravity=(9.81, 0, 0), mode="static"
        )
        scene.equilibrium(tolerance=1e-14)
        x = mesh.nodes[:, 0]
        exact = 1000 * 9.81 / 1e6 * (x - x**2 / 2)
        # interpolation error inside the elements, where the exact solution is a parabola
        middle = np.unique(x)[:-1] + 0.5 / (n - 1)
        u = (scene.positions("bar") - mesh.nodes)[:, 0]
        line = np.array([u[np.isclose(x, v)].mean() for v in np.unique(x)])
        inside = 0.5 * (line[1:] + line[:-1])
        errors.append(np.abs(inside - 1000 * 9.81 / 1e6 * (middle - middle**2 / 2)).max() / exact.max())
        sizes.append(1 / (n - 1))
    rate = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    record_property("soft.elements.stretch_rate", float(rate))
    assert rate == pytest.approx(2.0, abs=0.2)


def test_cantilever_converges_to_beam_theory(record_property):
    """Deflection under its own weight against Timoshenko, q L^4 / 8 E I + q L^2 / 2 k G A, error falling as h^2."""
    L, H, E = 1.0, 0.2, 1e7
    q, inertia, area = 1000 * 9.81 * H * H, H**4 / 12, H * H
    shear = E / 2
    exact = q * L**4 / (8 * E * inertia) + q * L**2 / (2 * 5 / 6 * shear * area)
    found = []
    for n in (4, 8, 16):
        mesh = bar((5 * n + 1, n + 1, n + 1), (L, H, H))
        scene = Scene(
            [body(mesh, Corotational(young=E, poisson=0.0, rotation="none"))], gravity=(0, 0, -9.81), mode="static"
        )
        scene.equilibrium(tolerance=1e-12)
        tip = np.isclose(mesh.nodes[:, 0], L)
        found.append(-(scene.positions("bar") - mesh.nodes)[tip, 2].mean())
    errors = 1 - np.array(found) / exact
    rate = np.log(errors[1] / errors[2]) / np.log(2)
    # the limit of the three alone: a rate that knows the exact deflection would lead back to it, whatever was found
    own = (found[1] - found[0]) / (found[2] - found[1])
    extrapolated = found[2] + (found[2] - found[1]) / (own - 1)
    record_property("soft.elements.beam_rate", float(rate))
    record_property("soft.elements.beam_error", float(abs(extrapolated / exact - 1)))
    assert 1.6 < rate < 2.2
    assert extrapolated == pytest.approx(exact, rel=0.01)


@settings(max_examples=40)
@given(st.lists(st.floats(-2, 2), min_size=9, max_size=9))
def test_polar_rotation_is_the_nearest_rotation(values):
    F = np.array(values).reshape(3, 3)
    U, s, Vt = np.linalg.svd(F)
    sign = np.sign(np.linalg.det(U @ Vt))
    if s[1] + sign * s[2] < 1e-3:  # the nearest rotation is not unique
        return
    R = np.zeros((3, 3))
    polar_rotation(F, R, np.zeros((3, 3)))
    assert np.abs(R - U @ np.diag([1, 1, sign]) @ Vt).max() < 1e-9


def test_inverted_elements_are_pushed_back():
    for law in ("polar", "stable"):
        scene = free_scene(LAWS[law])
        start(scene, x=scene.state.x * [-1, 1, 1])  # every element inside out
        assert np.isfinite(internal(scene, scene.state.x)).all()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 2, 0, 3), (3, 2, 1, 0)])
@pytest.mark.parametrize("pull", [250.0, 750.0])
def test_the_default_rotation_converges_to_elasticity_in_the_stretch(order, pull):
    """A hanging bar with Poisson's ratio 0: nominal stress is Young (stretch - 1), whatever the order of vertices."""
    mesh = shapes.box((0.16, 0.02, 0.02), (32, 4, 4))
    mesh = Mesh(mesh.nodes, np.asarray(mesh.tets)[:, order], mesh.regions)
    hanging = SoftBody(name="bar", mesh=mesh, material=Corotational(young=2e5, poisson=0.0), density=1000, fixed="x0")
    scene = Scene([hanging], mode="static", gravity=(pull, 0, 0))
    scene.equilibrium()
    end = mesh.region("x1")
    moved = (scene.positions("bar")[end] - mesh.nodes[end]).mean(axis=0)
    assert moved == pytest.approx([1000 * pull * 0.16**2 / (2 * 2e5), 0, 0], rel=2e-4, abs=1e-6)
