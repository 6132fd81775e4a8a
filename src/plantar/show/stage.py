"""A clip in viser's scene: what the browser draws, frame by frame."""

from __future__ import annotations

import contextlib
import io
import math
from typing import Any

import numpy as np
import viser

from plantar.show.clip import Clip, Marks, Shape
from plantar.show.view import View

FLOOR, CELL, SECTION = (226, 230, 235), (208, 214, 221), (188, 196, 205)
"""Colours of the floor and of its lines."""
SKY = 0.6
"""Strength of the light that comes from everywhere, so that shadows are soft."""
SOLID, SHEET = 1.4, 1.7
"""Powers by which colours are darkened, as the light makes them pale; largest for sheets, which face it."""
WORLD = "/world"
"""Root node of everything, which moves if the view follows something."""


def start_server(port: int = 0, host: str = "127.0.0.1", label: str | None = None) -> viser.ViserServer:
    """A viser server that prints nothing on the terminal and cannot be shared over the internet."""
    with contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
    server.request_share_url = _refuse_to_share  # type: ignore[method-assign]
    server.gui.configure_theme(show_share_button=False, brand_color=(31, 95, 168))
    return server


def stop_server(server: viser.ViserServer) -> None:
    """Stop a server silently."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def _refuse_to_share(*_: Any, **__: Any) -> None:
    """A view stays on this machine."""
    return


class Stage:
    """Nodes of a clip in a server's scene.

    Args:
        server: The server; its scene is this clip's alone.
        clip: What to show; its first frame is shown at once.
    """

    def __init__(self, server: viser.ViserServer, clip: Clip):
        self.server, self.clip = server, clip
        scene = server.scene
        scene.set_up_direction("+z")
        scene.configure_environment_map(hdri=None)  # it costs more than all else where there is no GPU
        scene.add_light_hemisphere("/sky", sky_color=(255, 255, 255), ground_color=(190, 195, 205), intensity=SKY)
        self._world = scene.add_frame(WORLD, show_axes=False)
        self._nodes: dict[str, Any] = {}
        self._hidden: set[str] = set()
        self._frame = 0
        self._build(clip)
        aim(server, clip.view)

    def _build(self, clip: Clip) -> None:
        if clip.floor is not None:
            self._nodes["floor"] = _floor(self.server, clip)
        self._nodes |= {shape.name: _shape(self.server, shape) for shape in clip.shapes}
        self._nodes |= {marks.name: _marks(self.server, marks) for marks in clip.marks}
        self._last: dict[tuple[str, str], np.ndarray] = {}
        self.show(0)
        for name, node in self._nodes.items():
            if name.partition("/")[0] in self._hidden:
                node.visible = False

    def replace(self, clip: Clip) -> None:
        """Show another clip in place of this one, from the same side."""
        if _alike(clip, self.clip):
            self.clip = clip
            self._last = {}
            self.show(0)
            return
        with self.server.atomic():
            for node in self._nodes.values():
                node.remove()
            self._nodes.clear()
            self.clip = clip
            self._build(clip)

    def show(self, frame: int) -> None:
        """Show one frame; what has not changed since the last one is not sent again."""
        clip, self._frame = self.clip, frame
        with self.server.atomic():
            if clip.follow is not None:
                self._world.position = -clip.follow[frame]
            for shape in clip.shapes:
                self._pose(shape, frame)
            for marks in clip.marks:
                if marks.name not in self._hidden:
                    _place(self._nodes[marks.name], marks, marks.at(frame))

    def layers(self) -> list[str]:
        """Names of what can be hidden: the parts before the first `/` of shapes, and the marks."""
        return list(dict.fromkeys(name.partition("/")[0] for name in self._nodes))

    def hide(self, layer: str, hidden: bool) -> None:
        """Hide or show a layer."""
        (self._hidden.add if hidden else self._hidden.discard)(layer)
        with self.server.atomic():
            for name, node in self._nodes.items():
                if name.partition("/")[0] == layer:
                    node.visible = not hidden
            self.show(self._frame)

    def _pose(self, shape: Shape, frame: int) -> None:
        node = self._nodes[shape.name]
        if shape.corners.ndim == 3:
            self._send(shape.name, node, "vertices", _rounded(_at(shape.corners, frame), 2.0**17))
            return
        self._send(shape.name, node, "batched_positions", _rounded(_at(shape.places, frame), 2.0**17))
        self._send(shape.name, node, "batched_wxyzs", _rounded(_at(shape.turns, frame), 2.0**13))
        self._send(shape.name, node, "batched_scales", _at(shape.sizes, frame).astype(np.float32))
        if len(shape.colours) > 1:
            self._send(shape.name, node, "batched_colors", _bytes(_dyed(shape, _at(shape.colours, frame))[:, :3]))

    def _send(self, name: str, node: Any, field: str, value: np.ndarray) -> None:
        if not np.array_equal(self._last.get((name, field), np.zeros(0)), value):
            setattr(node, field, value)
            self._last[name, field] = value


def _alike(one: Clip, other: Clip) -> bool:
    """Whether two clips differ only in what is sent with every frame."""
    if one.floor != other.floor or len(one.shapes) != len(other.shapes):
        return False
    marks = [[(m.name, m.kind, m.colour, m.width) for m in clip.marks] for clip in (one, other)]
    return marks[0] == marks[1] and all(map(_fits, one.shapes, other.shapes))


def _fits(one: Shape, other: Shape) -> bool:
    """Whether the node of one shape can show the other: what deforms sends its corners, others their places."""
    sent = one.corners.ndim == 3 and one.corners.shape[1:] == other.corners.shape[1:]
    corners = sent or np.array_equal(one.corners, other.corners)
    moves = len(one.colours) > 1 and len(other.colours) > 1
    colours = (moves and not sent) or np.array_equal(one.colours[0], other.colours[0])
    kept = (one.name, one.open, one.corners.ndim, one.places.shape[1])
    same = kept == (other.name, other.open, other.corners.ndim, other.places.shape[1])
    return same and corners and colours and np.array_equal(one.faces, other.faces)


def aim(server: viser.ViserServer, view: View, aside: float = 0.0) -> None:
    """Let new windows look from `view`, with what is shown to the left of the middle by a fraction of its distance."""
    assert view.distance is not None and view.centre is not None
    a, e = math.radians(view.azimuth), math.radians(view.elevation)
    forward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    centre = np.array(view.centre) + aside * view.distance * np.array([math.sin(a), -math.cos(a), 0.0])
    camera = server.initial_camera
    camera.look_at = centre
    camera.position = centre - view.distance * (1 + aside) * forward
    camera.fov = math.radians(45)
    camera.near, camera.far = 0.01 * view.distance, 100 * view.distance


def _floor(server: viser.ViserServer, clip: Clip) -> Any:
    reach = clip.view.distance or 1.0
    cell = 10.0 ** math.floor(math.log10(reach / 4))
    return server.scene.add_grid(
        f"{WORLD}/floor",
        width=round(40 * reach),
        height=round(40 * reach),
        cell_size=cell,
        section_size=5 * cell,
        cell_color=CELL,
        section_color=SECTION,
        cell_thickness=0.6,
        section_thickness=1.0,
        fade_distance=12 * reach,
        plane_color=FLOOR,
        plane_opacity=1.0,
        shadow_opacity=0.22,
        position=(0.0, 0.0, float(clip.floor or 0.0) - 2e-4 * reach),
    )


def _shape(server: viser.ViserServer, shape: Shape) -> Any:
    rgba = _dyed(shape, shape.colours[0])
    opacity = float(rgba[:, 3].mean())
    common = {"opacity": None if opacity > 0.99 else opacity, "side": "double" if shape.open else "front"}
    if shape.corners.ndim == 3:
        colour = tuple(_bytes(rgba[0, :3]).tolist())
        return server.scene.add_mesh_simple(
            f"{WORLD}/{shape.name}", shape.corners[0], shape.faces, color=colour, **common
        )
    return server.scene.add_batched_meshes_simple(
        f"{WORLD}/{shape.name}",
        shape.corners,
        shape.faces,
        batched_wxyzs=shape.turns[0],
        batched_positions=shape.places[0],
        batched_scales=shape.sizes[0].astype(np.float32),
        batched_colors=_bytes(rgba[:, :3]),
        lod="off",
        cast_shadow=not shape.open and shape.name != "pressure",  # a surface would darken itself
        receive_shadow=False,  # shadows of bodies on themselves are stripes; the floor has theirs
        **common,
    )


def _dyed(shape: Shape, rgba: np.ndarray) -> np.ndarray:
    """Colours (n, 4) that look as they should in the light of the scene."""
    power = 1.0 if shape.corners.ndim == 3 else SHEET if shape.open else SOLID  # what deforms is shaded smoothly
    return rgba ** np.array([power] * 3 + [1.0])


def _marks(server: viser.ViserServer, marks: Marks) -> Any:
    name, colour = f"{WORLD}/{marks.name}", tuple(_bytes(np.array(marks.colour)).tolist())
    nothing = np.zeros((1, 2, 3))
    if marks.kind == "arrow":
        w = marks.width
        return server.scene.add_arrows(
            name, nothing, colour, shaft_radius=w, head_radius=2.4 * w, head_length=5 * w, visible=False
        )
    if marks.kind == "line":
        return server.scene.add_line_segments(name, nothing, colour, thickness=2 * marks.width, visible=False)
    return server.scene.add_icosphere(name, radius=marks.width, color=colour, visible=False, cast_shadow=False)


def _place(node: Any, marks: Marks, ends: np.ndarray) -> None:
    if bool(node.visible) != bool(len(ends)):
        node.visible = bool(len(ends))
    if not len(ends):
        return
    if marks.kind == "dot":
        node.position = ends[0, 0]
    else:
        node.points = _rounded(ends, 2.0**17)


def _at(frames: np.ndarray, k: int) -> np.ndarray:
    return frames[k if len(frames) > 1 else 0]


def _rounded(values: np.ndarray, steps: float) -> np.ndarray:
    """Numbers with few digits, which files hold in less space."""
    return (np.round(values * steps) / steps).astype(np.float32)


def _bytes(rgb: np.ndarray) -> np.ndarray:
    return np.round(255 * np.clip(rgb, 0, 1)).astype(np.uint8)
