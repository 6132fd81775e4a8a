"""Fill a surface, such as an STL file, with tetrahedra, and report the quality."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar.soft.mesh._sharpen import sharpened
from plantar.soft.mesh.check import keep_cells, pieces
from plantar.soft.mesh.close import Closed, close_surface
from plantar.soft.mesh.distance import SurfaceTree
from plantar.soft.mesh.implicit import fill
from plantar.soft.mesh.mesh import Floats, Ints, Mesh, enclosed_volume
from plantar.soft.mesh.quality import quality, radius_ratio

STAGES = ("close", "fill", "measure")
"""What `mesh_surface` does, in this order, for a progress bar."""
MANY = 3e6
"""Largest number of cells of the desired size in the box around a surface."""


@dataclass(frozen=True, kw_only=True)
class FillReport:
    """How well tetrahedra fill a surface."""

    triangles: int
    """Triangles of the surface."""
    closed_before: bool
    """Whether the surface was closed as it came."""
    closed_after: bool
    """Whether that of the mesh is."""
    joined: int
    """Nodes of the surface that were joined with another."""
    dropped: int
    """Degenerate or duplicate triangles, left out."""
    turned: int
    """Triangles that were inside out."""
    holes: int
    """Holes that were closed."""
    widest_hole: float
    """Widest of them [m]."""
    nodes: int
    """Nodes of the mesh."""
    tetrahedra: int
    """Tetrahedra."""
    angle_least_deg: float
    """Least angle between two faces of a tetrahedron [degrees]; 70.5 in a regular one."""
    angle_most_deg: float
    """Largest [degrees]."""
    radius_ratio_worst: float
    """Three times the radius of the ball inside over that of the ball around: 1 for a regular tetrahedron, 0 for a flat
    one; of the worst."""
    radius_ratio_mean: float
    """Mean of all."""
    volume: float
    """Volume of the mesh [m^3]."""
    volume_surface: float
    """Volume inside the surface [m^3]; overlaps of crossing pieces count twice."""
    volume_error: float
    """Relative difference of both."""
    hausdorff: float
    """Largest distance of a place on either surface to the other [m]."""
    hausdorff_share: float
    """The same over the desired size."""


def extent_text(nodes: Floats) -> str:
    """Lengths of the bounding box, for display."""
    return " x ".join(f"{1e3 * length:.4g}" for length in np.ptp(nodes, axis=0)) + " mm"


def mesh_surface(
    nodes: ArrayLike,
    triangles: ArrayLike,
    size: float,
    *,
    name: str = "surface",
    progress: Callable[[int], object] | None = None,
) -> tuple[Mesh, FillReport]:
    """Close a surface, fill it with tetrahedra and measure them.

    The method is isosurface stuffing on the distance to the surface: it takes any surface, cannot fail on crossing or
    badly shaped triangles, and bounds the angles of all elements. Nodes near sharp edges and corners are then moved
    onto them where no element becomes poor; `hausdorff` gives the remaining rounding.

    Args:
        nodes: Nodes of the surface (n, 3) [m].
        triangles: Its triangles (k, 3).
        size: Target edge length of the tetrahedra [m].
        name: Name of the surface in messages.
        progress: Called with 1 after each of `STAGES`.

    Raises:
        InvalidInput: If the surface encloses nothing, is thinner than the size everywhere, or falls apart.
    """
    tell = progress or (lambda _: None)
    closed = close_surface(np.asarray(nodes, dtype=float), np.asarray(triangles, dtype=np.int64), name=name)
    volume = enclosed_volume(closed.nodes, closed.triangles)
    low, high = closed.nodes.min(axis=0), closed.nodes.max(axis=0)
    # most sizes that are refused are of drawings in another unit
    told = f"{name} is {extent_text(closed.nodes)}, if its unit is right"
    least = float((high - low).min())
    require(0 < size <= least, "size", size, f"a length above 0, at most {least:.4g} m: {told}")
    cells = math.prod(float(length) / size for length in high - low)
    require(cells < MANY, "size", size, f"a larger one, this makes {cells:.2g} cells: {told}")
    require(volume > 1e-9 * float(np.prod(high - low)), name, f"volume {volume:.3g} m^3", "a surface around a body")
    tell(1)
    tree = SurfaceTree(closed.nodes[closed.triangles])
    # edges of a body-centred lattice are 1 and 0.87 of its spacing
    mesh = fill(tree.signed_distance, low, high, size / 0.93, smooth=0)
    mesh = _largest(mesh, name)
    mesh = replace(mesh, nodes=sharpened(mesh, closed.nodes, closed.triangles, tree.signed_distance, size))
    tell(1)
    report = _report(mesh, closed, tree, volume, size)
    tell(1)
    return mesh, report


def _largest(mesh: Mesh, name: str) -> Mesh:
    """The mesh without fragments: walls thinner than the size may leave some behind."""
    groups = pieces(mesh.tets, len(mesh.nodes))
    volumes = np.array([mesh.volumes[group].sum() for group in groups])
    count = int((volumes > 0.01 * volumes.sum()).sum())
    require(count == 1, name, f"{count} separate pieces", "one body, or a smaller size where its walls are thin")
    return mesh if len(groups) == 1 else keep_cells(mesh, groups[int(volumes.argmax())])


def _report(mesh: Mesh, closed: Closed, tree: SurfaceTree, volume: float, size: float) -> FillReport:
    figures = quality(mesh)
    ratio = radius_ratio(mesh.nodes, mesh.tets)
    own = SurfaceTree(mesh.nodes[mesh.boundary])
    there = float(tree.distance(_samples(mesh.nodes, mesh.boundary, size)).max())
    back = float(own.distance(_samples(closed.nodes, closed.triangles, size)).max())
    return FillReport(
        triangles=len(closed.triangles),
        closed_before=closed.was_closed,
        closed_after=bool(np.isclose(enclosed_volume(mesh.nodes, mesh.boundary), mesh.volume, rtol=1e-6)),
        joined=closed.joined,
        dropped=closed.dropped,
        turned=closed.turned,
        holes=closed.holes,
        widest_hole=closed.widest,
        nodes=len(mesh.nodes),
        tetrahedra=len(mesh.tets),
        angle_least_deg=figures["angle_least_deg"],
        angle_most_deg=figures["angle_most_deg"],
        radius_ratio_worst=float(ratio.min()),
        radius_ratio_mean=float(ratio.mean()),
        volume=mesh.volume,
        volume_surface=volume,
        volume_error=mesh.volume / volume - 1,
        hausdorff=max(there, back),
        hausdorff_share=max(there, back) / size,
    )


def _samples(nodes: Floats, triangles: Ints, size: float) -> Floats:
    """Corners, and places on triangles no farther apart than a quarter of `size` or the triangle's tenth."""
    found = [nodes[np.unique(triangles)]]
    corners = nodes[triangles]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    parts = np.clip(np.ceil(4 * longest / size), 1, 40).astype(int)
    for n in np.unique(parts):
        i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
        i, j = i[i + j <= n] / n, j[i + j <= n] / n
        weights = np.stack([i, j, 1 - i - j], axis=1)
        found.append(np.einsum("sc,tcx->tsx", weights, corners[parts == n]).reshape(-1, 3))
    return np.concatenate(found)
