"""Clips, pages and the viewer: what is shown is what was simulated, and the browser shows it."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from browser import Window, chromium, differ

from plantar import feet, robots
from plantar._extras import EXTRAS
from plantar.bench.clips import press_clip
from plantar.bench.press.press import Trial
from plantar.bench.trying import HEIGHT, LOAD, FootToTry
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.robots.clips import robot_clip
from plantar.show import shapes
from plantar.show.clip import Clip
from plantar.show.contacts import loads_of
from plantar.show.recorder import ClipRecorder

FAST = "softfoot:fast"


@pytest.fixture(scope="module")
def pressed() -> Clip:
    return press_clip(feet.get(FAST), Trial(24.0, 0.015, 3))


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


def volume(mesh: shapes.Mesh) -> float:
    a, b, c = np.moveaxis(mesh.corners[mesh.faces], 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize(
    ("mesh", "exact"),
    [
        (shapes.box(), 1.0),
        (shapes.cylinder(48), np.pi),
        (shapes.capsule(0.0, 64, 16), 4 / 3 * np.pi),
        (shapes.capsule(2.0, 64, 16), 4 / 3 * np.pi + 4 * np.pi),
    ],
)
def test_shapes_are_closed_and_face_outwards(mesh: shapes.Mesh, exact: float):
    assert volume(mesh) == pytest.approx(exact, rel=0.01)


def test_a_shape_stands_where_its_geom_is():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(pos=[0.1, 0.2, 0.3], euler=[0, 0, 30])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.01, 0.02, 0.03], pos=[0.05, 0, 0])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    recorder = ClipRecorder(model)
    recorder.take(0.0, data)
    (shape,) = recorder.clip("box", data=data).shapes
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, shape.turns[0, 0])
    corners = (shape.corners * shape.sizes[0, 0]) @ turn.reshape(3, 3).T + shape.places[0, 0]
    assert np.abs((corners - data.geom_xpos[0]) @ data.geom_xmat[0].reshape(3, 3)).max(axis=0) == pytest.approx(
        [0.01, 0.02, 0.03]
    )


def test_arrows_add_up_to_load_and_weight():
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    body = spec.worldbody.add_body(pos=[0, 0, 0.05])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.05, 0.05], mass=2.0)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 2000)
    loads = loads_of(model, data)
    points, forces = loads.by_body()
    assert forces[0] == pytest.approx([0, 0, 2.0 * 9.81], abs=1e-3)
    assert points[0, :2] == pytest.approx([0, 0], abs=1e-4)
    assert np.ptp(loads.support()[:, 0], axis=0)[:2] == pytest.approx([0.2, 0.1], abs=1e-3)


def test_a_press_ends_where_the_bench_says(pressed: Clip):
    from plantar import bench

    (row,) = bench.press(feet.get(FAST), loads=[24.0], heights=[0.015], positions=[3])
    last = {name: float(values[-1]) for name, values in pressed.readings.items()}
    for name in ("heel", "module", "metatarsus"):
        assert last[f"{name} [N]"] == pytest.approx(row[f"force_{name}"], abs=0.02)
    assert 0.2 < pressed.seconds < 2.0
    forces = next(marks for marks in pressed.marks if marks.name == "forces").at(len(pressed.times) - 1)
    assert (np.diff(forces, axis=1)[:, 0, 2] > 0).all(), "the bench pushes the foot up"


def test_a_clip_survives_its_file(pressed: Clip, tmp_path: Path):
    again = Clip.load(pressed.save(tmp_path / "view.npz"))
    assert (again.title, again.notes, again.view, again.floor) == (
        pressed.title, pressed.notes, pressed.view, pressed.floor,
    )  # fmt: skip
    assert np.array_equal(again.times, pressed.times)
    for one, other in zip(pressed.shapes, again.shapes, strict=True):
        assert np.allclose(one.places, other.places, atol=1e-6) and one.name == other.name
    assert [m.kind for m in again.marks] == [m.kind for m in pressed.marks]
    assert (tmp_path / "view.npz").stat().st_size < 500_000


def test_a_file_that_is_no_clip_is_refused(tmp_path: Path):
    np.savez(tmp_path / "other.npz", heights=np.zeros(3))
    (tmp_path / "text.npz").write_text("not one")
    for name in ("other.npz", "text.npz", "none.npz"):
        with pytest.raises(InvalidInput, match="clip"):
            Clip.load(tmp_path / name)


def test_softer_bands_yield_more():
    tried = FootToTry(feet.get(FAST), load=24.0, height=0.015)
    slider = next(s for s in tried.sliders if "hardness" in s.name)
    soft, hard = (tried.clip({slider.name: value}).readings["module [N]"][-1] for value in (30.0, 80.0))
    assert soft < hard, "a stiffer foot leans harder on the obstacle"
    assert tried.clip({LOAD: 60.0}).readings["heel [N]"][-1] > tried.clip().readings["heel [N]"][-1]
    raised = tried.clip({"toes up [deg]": 15.0})
    assert 10.0 < raised.readings["toes up [deg]"][-1] < 15.1 and raised.readings["tension [N]"][-1] > 5.0


def test_a_page_is_one_small_file_without_an_address(pressed: Clip, tmp_path: Path):
    pytest.importorskip("viser", reason="the extra show is not installed")
    from plantar.show.page import write_page

    text = write_page(tmp_path / "page.html", pressed).read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[\w./-]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert len(text) < 1.5e6
    assert pressed.title in text


def test_view_says_what_can_be_viewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("viser", reason="the extra show is not installed")
    assert run(["view", "nosuch"]) == 2
    assert run(["view", str(tmp_path)]) == 2
    assert run(["view", FAST, "--html", str(tmp_path / "x.txt")]) == 2
    assert run(["view", FAST, "--position", "99", "--html", str(tmp_path / "x.html")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 4
    assert "plantar feet list" in errors[0] and "view.npz" in errors[0]


def test_a_port_in_use_is_one_line(capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("viser", reason="the extra show is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["view", "ball", "--port", str(port), "--no-browser"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"port {port} is not free" in line


def test_without_the_extra_an_error_names_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    import dataclasses

    monkeypatch.setitem(EXTRAS, "show", dataclasses.replace(EXTRAS["show"], modules=("no_such_module",)))
    assert run(["view", "softfoot"]) == 1
    assert "plantar[show]" in capsys.readouterr().err


def test_the_offline_page_plays_and_scrubs(browser: Any, pressed: Clip, tmp_path: Path):
    from plantar.show.page import write_page

    with Window(browser, write_page(tmp_path / "press.html", pressed).as_uri()) as window:
        page, bar = window.page, window.page.locator("[role=slider]").first
        assert float(bar.get_attribute("aria-valuemax") or 0) == pytest.approx(pressed.seconds, rel=0.05)
        moments = {bar.get_attribute("aria-valuenow")}
        window.until(lambda: moments.add(bar.get_attribute("aria-valuenow")), lambda _: len(moments) > 3)
        page.keyboard.press("Space")
        page.wait_for_timeout(1000)
        box = page.locator(".mantine-Slider-track").first.bounding_box()

        def scrub(share: float) -> tuple[np.ndarray, float]:
            page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
            page.mouse.down()
            page.wait_for_timeout(200)
            page.mouse.up()
            reached = share * pressed.seconds
            window.until(lambda: float(bar.get_attribute("aria-valuenow")), lambda t: abs(t - reached) < 0.02)
            page.wait_for_timeout(300)
            return window.still(), float(page.locator("#plantar td >> nth=3").inner_text())

        (early, light), (late, heavy), (back, again) = scrub(0.02), scrub(0.98), scrub(0.02)
        assert differ(early, late) and differ(back, late) and not differ(back, early)
        assert light == again == 0.0
        assert heavy == pytest.approx(float(pressed.readings["heel [N]"][-1]), rel=0.05)
        page.keyboard.press("Space")
        window.changed(back)


def test_a_film_lasts_as_long_as_the_motion(browser: Any, tmp_path: Path):
    from plantar.show.page import write_page

    clip = falling_ball(seconds=2.0)
    with Window(browser, write_page(tmp_path / "ball.html", clip).as_uri()) as window:
        bar = window.page.locator("[role=slider]").first
        assert float(bar.get_attribute("aria-valuemax") or 0) == pytest.approx(2.0, rel=0.05)
        lasted = window.page.evaluate(TIME_OF_A_ROUND)
        # a loaded machine draws late: what is late at both ends does not count, what differs does
        assert min(lasted) < 2.0 * 1.15 and max(lasted) > 2.0 * 0.85


TIME_OF_A_ROUND = """async () => {
    const now = () => +document.querySelector("[role=slider]").getAttribute("aria-valuenow");
    const round = async () => {
        for (let last = now(); now() >= last; await new Promise(r => setTimeout(r, 4))) last = now();
        return performance.now() / 1000;
    };
    const ends = [];
    for (let k = 0; k < 4; k++) ends.push(await round());
    return [1, 2, 3].map(k => ends[k] - ends[k - 1]);
}"""
"""Seconds that a film takes from one beginning to the next, three times."""


def falling_ball(seconds: float) -> Clip:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(pos=[0, 0, 1.0])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0], rgba=[0.8, 0.1, 0.1, 1])
    spec.option.gravity = [0, 0, -0.1]
    model = spec.compile()
    data, recorder = mujoco.MjData(model), ClipRecorder(model)
    mujoco.mj_forward(model, data)
    for k in range(round(25 * seconds) + 1):
        recorder.take(k / 25, data)
        mujoco.mj_step(model, data, 20)
    return recorder.clip("a ball", data=data)


def test_a_slider_runs_the_foot_again_in_every_window(browser: Any):
    from plantar.show.live import Viewer

    tried = FootToTry(feet.get(FAST), load=24.0, height=0.0)
    viewer = Viewer(tried.clip(), sliders=tried.sliders, maker=tried.clip)
    try:
        with Window(browser, viewer.address) as first, Window(browser, viewer.address) as second:
            before = first.drawn()
            second.drawn()
            load, height = (first.page.locator("[role=slider]").nth(k) for k in range(2))
            for _ in range(3):
                load.press("ArrowRight")
            first.until(lambda: viewer.values[LOAD], lambda value: value == 27.0)
            for window in (first, second):
                shown = window.page.locator("td strong").first
                window.until(shown.inner_text, lambda text: text == "27")
            height.press("End")
            first.until(lambda: viewer.values[HEIGHT], lambda value: value == 25.0)
            first.changed(before)
            _send_nonsense(viewer)
    finally:
        viewer.close()


def _send_nonsense(viewer: Any) -> None:
    """What cannot be read, names no control or sets what it may not is refused and changes nothing."""
    import msgspec
    import viser
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    uuids = list(viewer.server.gui._gui_input_handle_from_uuid)
    before = (dict(viewer.values), viewer.runs, [_state(viewer, uuid) for uuid in uuids])
    for value in (1e9, -5.0, float("nan"), "27", None, [1], True):
        for uuid in [*uuids[:2], "nobody"]:
            _tell(viewer, {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value}})
    for updates in ({"update_cb": []}, {"removed": True}, {"value": 30.0, "removed": True}, [], {}):
        _tell(viewer, {"type": "GuiUpdateMessage", "uuid": uuids[0], "updates": updates})
    _tell(viewer, {"type": "ShareUrlRequest"})
    protocol = viser.__version__
    with connect(f"ws://127.0.0.1:{viewer.port}", subprotocols=[f"viser-v{protocol}"], max_size=None) as wire:  # type: ignore[list-item]
        wire.send(b"\xff\x00 no message")
        with pytest.raises(ConnectionClosed):
            while True:
                wire.recv(timeout=20)
    assert msgspec.msgpack.encode(1), "the encoder works"
    assert (dict(viewer.values), viewer.runs, [_state(viewer, uuid) for uuid in uuids]) == before


def _state(viewer: Any, uuid: str) -> tuple[Any, ...]:
    inner = viewer.server.gui._gui_input_handle_from_uuid[uuid]._impl
    return inner.value, inner.removed, len(inner.update_cb)


def _tell(viewer: Any, message: dict[str, Any]) -> None:
    """Send one message as a window of its own, and wait until it was read."""
    import msgspec
    import viser
    from websockets.sync.client import connect

    name = f"viser-v{viser.__version__}"
    with connect(f"ws://127.0.0.1:{viewer.port}", subprotocols=[name], max_size=None) as wire:  # type: ignore[list-item]
        wire.send(msgspec.msgpack.encode(message))
        wire.ping().wait(20)


def test_a_robot_stands_on_the_floor(browser: Any, tmp_path: Path):
    from plantar.show.page import write_page

    clip = robot_clip(robots.mount("biped", feet.get(FAST)))
    with Window(browser, write_page(tmp_path / "robot.html", clip).as_uri()) as window:
        dark = (window.drawn().max(axis=2) < 0.45).mean()
    assert dark > 0.01, "the robot stands out from floor and sky"


def test_the_record_says_where_the_page_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("viser", reason="the extra show is not installed")
    path = tmp_path / "foot.html"
    assert run(["view", FAST, "--html", str(path), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["html"] == str(path) and path.stat().st_size < 2e6
    assert 0.2 < record["seconds"] < 2.0


def test_the_old_film_plays_at_true_speed_and_says_so(browser: Any, tmp_path: Path):
    from plantar.show.film import Film, write_film

    spec = mujoco.MjSpec()
    spec.worldbody.add_body().add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
    times = np.linspace(0, 2, 41)
    positions, turns = np.zeros((41, 1, 2, 3)), np.tile(np.eye(3).ravel(), (41, 1, 2, 1))
    positions[:, 0, 1, 0] = times / 4
    film = Film(spec.compile(), list(times), positions, turns, ["one"])
    with Window(browser, write_film(tmp_path / "film.html", "a box", film).as_uri()) as window:
        page = window.page
        assert "true speed" in page.locator("#speed option:checked").inner_text()
        read = "parseFloat(document.getElementById('clock').textContent)"
        late = page.evaluate(
            f"""async () => {{
                while ({read} > 0.5) await new Promise(r => setTimeout(r, 5));
                const [t, f] = [performance.now(), {read}];
                while ({read} < f + 0.8) await new Promise(r => setTimeout(r, 5));
                return (performance.now() - t) / 1000 - ({read} - f);
            }}"""
        )
        assert abs(late) < 0.25


def test_a_film_has_a_frame_for_every_moment_and_says_its_speed(pressed: Clip, tmp_path: Path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="the extra show is not installed")
    from plantar.show.video import write_video

    path = write_video(tmp_path / "press.mp4", pressed, size=(160, 120), rate=10)
    frames, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert frames == round(10 * pressed.seconds)
    assert seconds == pytest.approx(pressed.seconds, abs=0.06)
    reader = ffmpeg.read_frames(str(path))
    assert next(reader)["size"] == (160, 120)
    images = [np.frombuffer(raw, np.uint8).reshape(120, 160, 3) for raw in reader]
    assert np.abs(images[0].astype(int) - images[-1]).max() > 60, "the foot has moved"


def test_a_map_is_higher_where_it_is_lighter_and_open_where_it_was_not_seen(tmp_path: Path):
    from plantar.cli.subjects import find_subject
    from plantar.ground.terrain.elevation_map import ElevationMap

    heights = np.tile(np.linspace(0.0, 0.1, 30), (20, 1))
    heights[5, 5] = np.nan
    path = ElevationMap(heights=heights, cell=0.02).save(tmp_path / "map.npz")
    clip = find_subject(str(path), None, None, {}).clip()
    level = [float(shape.corners[:, 2].mean()) for shape in clip.shapes]
    light = [float(shape.colours[0, 0, :3].sum()) for shape in clip.shapes]
    assert level == sorted(level) and light == sorted(light)
    whole = 2 * 19 * 29
    assert sum(len(shape.faces) for shape in clip.shapes) == whole - 6, "six triangles meet in the cell not seen"
    assert len(find_subject("stairs", None, None, {}).clip().shapes) > 3


BEAM = """
dt: 0.01
gravity: [0, 0, -9.81]
duration: 0.1
bodies:
  - name: beam
    mesh: {shape: box, size: [0.1, 0.02, 0.02], cells: [6, 2, 2]}
    regions: {base: {box: [[-0.001, -1, -1], [0.001, 1, 1]]}}
    material: {law: corotational, young: 6.0e+5, poisson: 0.45}
    mass: 0.035
    fixed: [base]
"""


def test_a_soft_body_sags_in_its_clip(tmp_path: Path):
    pytest.importorskip("numba", reason="the extra soft is not installed")
    from plantar.soft.scene.clips import scene_clip

    (tmp_path / "beam.yaml").write_text(BEAM)
    clip = scene_clip(tmp_path / "beam.yaml")
    (shape,) = clip.shapes
    assert shape.corners.shape[0] == len(clip.times) and clip.seconds == pytest.approx(0.1)
    tip = shape.corners[0, :, 0].argmax()
    assert shape.corners[-1, tip, 2] < shape.corners[0, tip, 2] - 1e-4, "it hangs under gravity"
    root = shape.corners[0, :, 0].argmin()
    assert np.allclose(shape.corners[:, root], shape.corners[0, root], atol=1e-6)
