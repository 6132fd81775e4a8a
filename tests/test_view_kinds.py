"""Every kind of view in a real browser: no error in its console, something drawn, and moving where it moves."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import Window, chromium
from test_view import BEAM

from plantar import bench, feet, robots, walk
from plantar.bench.clips import presses_clip, windlass_clip
from plantar.bench.trying import FootToTry
from plantar.cli.app import run
from plantar.cli.subjects import find_subject
from plantar.ground.soil.yielding import YieldingGround
from plantar.robots.clips import robot_clip
from plantar.settle import Recording
from plantar.show.clip import Clip
from plantar.walk.clips import walk_clip

FAST = "softfoot:fast"


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


def foot(_: Path) -> Clip:
    return FootToTry(feet.get(FAST), load=24.0, height=0.012).clip()


def robot(_: Path) -> Clip:
    return robot_clip(robots.mount("biped", feet.get(FAST)))


def presses(_: Path) -> Clip:
    return presses_clip(bench.press(feet.get(FAST), loads=[24.0], heights=[0.015], recording=Recording()))


def windlass(_: Path) -> Clip:
    return windlass_clip(feet.get(FAST), math.radians(15.0), 24.0)


def terrain(_: Path) -> Clip:
    return find_subject("stairs", None, None, {}).clip()


def soft_body(folder: Path) -> Clip:
    pytest.importorskip("numba", reason="the extra soft is not installed")
    (folder / "beam.yaml").write_text(BEAM)
    return find_subject(str(folder / "beam.yaml"), None, None, {}).clip()


def soft_robot(_: Path) -> Clip:
    pytest.importorskip("numba", reason="the extra soft is not installed")
    from plantar.soft import robots as soft_robots
    from plantar.soft.robots.clips import robot_clip as soft_clip

    return soft_clip(soft_robots.get("grasper"), duration=0.4)


def footholds(folder: Path) -> Clip:
    out = folder / "map"
    assert run(["foothold", "map", "rough", "--cells", "24", "--out", str(out)]) == 0
    return find_subject(str(out), None, None, {}).clip()


def walking(_: Path) -> Clip:
    course = walk.Course(robots.mount("biped", feet.get(FAST)), gait=walk.Gait(steps=4))
    return walk_clip(course.scene, course.run(obstacle=0.01, seed=0, record=True, frames=True))


def tracks(_: Path) -> Clip:
    soil = YieldingGround.of("dry_sand", size=(1.2, 0.8), origin=(-0.4, -0.4))
    course = walk.Course(robots.load("biped"), gait=walk.Gait(steps=2), terrain=soil)
    return walk_clip(course.scene, course.run(seed=0, record=True, frames=True))


SHOWN = [windlass, soft_body, footholds]
LONG = [foot, robot, terrain, soft_robot, presses, walking, tracks]


@pytest.mark.parametrize("kind", [*SHOWN, *(pytest.param(kind, marks=pytest.mark.long) for kind in LONG)])
def test_a_kind_of_view_is_drawn_and_moves(
    browser: Any, tmp_path: Path, kind: Callable[[Path], Clip], record_property: Callable[[str, object], None]
):
    from plantar.show.page import write_page

    clip = kind(tmp_path)
    page = write_page(tmp_path / "page.html", clip)
    record_property(f"view.kinds.{kind.__name__}", page.stat().st_size)
    assert page.stat().st_size < 10e6
    with Window(browser, page.as_uri()) as window:
        first = window.drawn()
        if clip.seconds > 0:
            bar = window.page.locator("[role=slider]").first
            assert float(bar.get_attribute("aria-valuemax") or 0) == pytest.approx(clip.seconds, rel=0.05)
            window.changed(first)
            assert window.page.locator("#plantar p").inner_text() == f"{clip.seconds:.2f} s in real time"
        keep = os.environ.get("PLANTAR_SCREENSHOTS")
        if keep:
            window.page.screenshot(path=str(Path(keep) / f"view_{kind.__name__}.png"))


@pytest.mark.long
def test_a_thousand_slider_moves_do_not_make_the_viewer_grow(record_property: Callable[[str, object], None]):
    """Moves of a window as fast as they are answered; memory after every two hundred and at rest."""
    viser = pytest.importorskip("viser", reason="the extra show is not installed")
    import msgspec
    from websockets.sync.client import connect

    from plantar.show.live import Viewer

    tried = FootToTry(feet.get(FAST), load=24.0, height=0.0)
    viewer = Viewer(tried.clip(), sliders=tried.sliders, maker=tried.clip)
    uuids = list(viewer.server.gui._gui_input_handle_from_uuid)
    sizes, name = [], f"viser-v{viser.__version__}"
    try:
        with connect(f"ws://127.0.0.1:{viewer.port}", subprotocols=[name], max_size=None) as wire:  # type: ignore[list-item]
            reader = threading.Thread(target=_drain, args=(wire,), daemon=True)
            reader.start()
            wire.send(msgspec.msgpack.encode(CAMERA))  # a window counts once it has said from where it looks
            for k in range(1000):
                slider, uuid = tried.sliders[k % 4], uuids[k % 4]
                steps = round((slider.high - slider.low) / slider.step)
                value = slider.low + slider.step * (7 * k % (steps + 1))
                asked = {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": round(value, 6)}}
                before, end = viewer.runs, time.monotonic() + 10
                wire.send(msgspec.msgpack.encode(asked))
                while viewer.runs == before and time.monotonic() < end:
                    time.sleep(0.002)
                if k % 200 == 199:
                    sizes.append(_resident())
                    print(f"\n{k + 1} moves, {viewer.runs} runs: {sizes[-1] / 1e6:.1f} MB", flush=True)
            time.sleep(60)
            sizes.append(_resident())
    finally:
        viewer.close()
    print(f"after a minute of rest: {sizes[-1] / 1e6:.1f} MB")
    record_property("view.sliders.memory", sizes)
    record_property("view.sliders.runs", viewer.runs)
    assert viewer.runs >= 990
    assert max(sizes[1:]) < sizes[0] + 20e6


CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (1.0, 1.0, 1.0),
    "fov": 0.8,
    "near": 0.01,
    "far": 100.0,
    "image_height": 320,
    "image_width": 480,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}


def _drain(wire: Any) -> None:
    with contextlib.suppress(Exception):  # it ends with the connection
        while True:
            wire.recv()


def _resident() -> int:
    """Memory of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
