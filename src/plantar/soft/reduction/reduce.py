"""Reduce a scene: watch it move, keep the shapes it moves in and the elements that matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._files import replacing
from plantar._notebook import Shown
from plantar._read import read_arrays, reading
from plantar.errors import InvalidInput
from plantar.soft.fem.groups import Group, TetGroup
from plantar.soft.mesh.mesh import Floats, Ints
from plantar.soft.reduction.ecsw import balanced, element_work, sparse_weights
from plantar.soft.reduction.pod import basis, displacement
from plantar.soft.reduction.system import ReducedSystem
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.state import State
from plantar.soft.solve.system import System

DISTURBANCE = 0.5
"""Size of the disturbances that elements are also chosen on, as a fraction of each mode's spread."""
VERSION = 1
"""Layout of the files that `Reduction.save` writes."""


@dataclass(frozen=True, eq=False)
class Reduction(Shown):
    """What a reduced scene needs beside the scene itself."""

    modes: Floats
    """Motion of the free numbers in each mode (dofs, m)."""
    cells: tuple[Ints, ...]
    """Elements kept in each group of tetrahedra."""
    weights: tuple[Floats, ...]
    """Their weights."""
    carrier: str | None = None
    """The free rigid body that carries the modes, if any."""

    @property
    def elements(self) -> int:
        """Number of elements kept."""
        return sum(map(len, self.cells))

    def apply(self, scene: Scene) -> Scene:
        """Make a freshly built scene move in the modes; the same scene is returned.

        Raises:
            InvalidInput: If the scene is not the one that was reduced.
        """
        system = scene.system
        fits = system.dofs == len(self.modes) and len(self.cells) == len(_tet_groups(system))
        require(fits, "scene", f"{system.dofs} degrees of freedom", f"the reduced one, with {len(self.modes)}")
        scene.system = ReducedSystem(system, self.modes, self._groups(system))
        return scene

    def _groups(self, system: System) -> list[Group]:
        kept = iter(zip(self.cells, self.weights, strict=True))
        groups: list[Group] = []
        for group in system.groups:
            if not isinstance(group, TetGroup):
                groups.append(group)
                continue
            cells, weights = next(kept)
            if len(cells):
                own = group.mu[cells] / group.material.lame[1]
                groups.append(TetGroup(system.x0, group.blocks[cells], 0, group.material, own * weights))
        return groups

    def save(self, path: str | Path) -> Path:
        """Write to an .npz file; it holds arrays and names only."""
        path = Path(path)
        parts: dict[str, Any] = {f"cells{i}": c for i, c in enumerate(self.cells)}
        parts |= {f"weights{i}": w for i, w in enumerate(self.weights)}
        with replacing(path) as scratch:
            np.savez_compressed(scratch, version=VERSION, modes=self.modes, carrier=self.carrier or "", **parts)
        return path

    @classmethod
    def load(cls, path: str | Path) -> Reduction:
        """Read a file written by `save`; it never runs code.

        Raises:
            InvalidInput: If the file cannot be read or holds no reduction.
        """
        with reading(path, "reduction", "give a file of `plantar soft reduce`"), read_arrays(path) as data:
            count = sum(name.startswith("cells") for name in data.files)
            cells = tuple(data[f"cells{i}"] for i in range(count))
            weights = tuple(data[f"weights{i}"] for i in range(count))
            return cls(data["modes"], cells, weights, str(data["carrier"]) or None)


def reduce_scene(
    scene: Scene,
    states: Sequence[State],
    *,
    modes: int = 30,
    tolerance: float = 1e-6,
    sampling: float = 0.001,
    elements: int = 400,
    carrier: str | None = None,
    train: int = 40,
) -> Reduction:
    """Modes by proper orthogonal decomposition of `states`, and elements by energy-conserving sampling.

    Args:
        scene: The scene, at rest.
        states: States that it went through, such as `plantar.soft.reduction.snapshots.shake` or a run collects.
        modes: Most modes; fewer if they lose less than `tolerance`.
        tolerance: Fraction of the squared motion that the modes may lose.
        sampling: Relative error of the elements' work that is accepted.
        elements: Most elements in each body.
        carrier: A free rigid body, for mobile robots.
        train: Most states on which elements are chosen.

    Raises:
        InvalidInput: If the states hold no motion, or a name is unknown.
    """
    require(len(states) >= 2, "states", len(states), "two or more states")
    system = scene.system
    if carrier is not None and carrier not in system.frame_name:
        raise InvalidInput(f"carrier {carrier!r} is not rigid: rigid are {', '.join(system.frame_name) or 'none'}")
    U = np.stack([displacement(system, s, carrier) for s in states], axis=1)
    phi = basis(scene, U, modes=modes, tolerance=tolerance, carrier=carrier)
    whole = ReducedSystem(system, phi, list(system.groups))
    amplitude = np.asarray(np.linalg.lstsq(phi, U, rcond=None)[0], dtype=np.float64)
    training = _training(amplitude, train)
    cells, weights = [], []
    for group in _tet_groups(system):
        G = balanced(element_work(group, system.x0, _shapes(whole, training)), whole.dofs)
        c, w = sparse_weights(G, tolerance=sampling, most=elements)
        cells.append(c)
        weights.append(w)
    for group in system.groups:  # they were placed in the projection's pattern above
        group.place(system.pattern)
    return Reduction(phi, tuple(cells), tuple(weights), carrier)


def with_all_elements(reduction: Reduction, system: System) -> Reduction:
    """The same modes with every element, to tell the errors of modes and of sampling apart."""
    groups = _tet_groups(system)
    cells = tuple(np.arange(len(g.blocks)) for g in groups)
    return replace(reduction, cells=cells, weights=tuple(np.ones(len(c)) for c in cells))


def record(states: list[State]) -> Callable[[Scene], None]:
    """A function that keeps a copy of the scene's state, to be called after each step."""

    def keep(scene: Scene) -> None:
        states.append(scene.state)

    return keep


def _tet_groups(system: System) -> list[TetGroup]:
    return [g for g in system.groups if isinstance(g, TetGroup)]


def _training(amplitude: Floats, count: int) -> Floats:
    """Amplitudes on which elements are chosen (m, k): some states, and as many with every mode disturbed.

    States alone lie on few paths; elements that keep their work there need not keep the stiffness around them.
    """
    picked = np.unique(np.linspace(0, amplitude.shape[1] - 1, min(count, amplitude.shape[1])).round().astype(np.int64))
    spread = amplitude.std(axis=1, keepdims=True)
    noise = np.random.default_rng(0).standard_normal((len(amplitude), len(picked)))
    floor = DISTURBANCE * spread.max() / np.sqrt(len(amplitude)) * 0.1
    disturbed = amplitude[:, picked] + np.maximum(DISTURBANCE * spread, floor) * noise
    return np.concatenate([amplitude[:, picked], disturbed], axis=1)


def _shapes(whole: ReducedSystem, amplitudes: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Places of all blocks for amplitudes of the modes, and the modes there."""
    for amplitude in amplitudes.T:
        yield whole.posed(amplitude).x, whole.modes
