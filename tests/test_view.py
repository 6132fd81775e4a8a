"""Clips, pages, films and `plantar view`: what is shown is what was simulated."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar import feet
from plantar._extras import EXTRAS
from plantar.bench.clips import press_clip
from plantar.bench.press.press import Trial
from plantar.bench.trying import LOAD, FootToTry
from plantar.cli.app import run
from plantar.cli.subjects import find_subject
from plantar.errors import InvalidInput, PlantarError
from plantar.show import shapes
from plantar.show.clip import Clip, Shape
from plantar.show.contacts import loads_of
from plantar.show.recorder import ClipRecorder
from plantar.show.view import View

FAST = "softfoot:fast"
Keep = Callable[[str, object], None]


@pytest.fixture(scope="module")
def pressed() -> Clip:
    return press_clip(feet.get(FAST), Trial(24.0, 0.015, 3))


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


@pytest.mark.parametrize("mesh", [shapes.box(), shapes.cylinder(), shapes.ball(), shapes.capsule(2.0)])
def test_every_edge_of_a_shape_lies_between_two_triangles(mesh: shapes.Mesh):
    """A ball had no top."""
    same = np.unique(np.round(mesh.corners, 6) + 0.0, axis=0, return_inverse=True)[1].reshape(-1)[mesh.faces]
    faces = [face for face in same.tolist() if len(set(face)) == 3]
    edges = {(a, b) for x, y, z in faces for a, b in ((x, y), (y, z), (z, x))}
    assert len(edges) == 3 * len(faces) and all((b, a) in edges for a, b in edges)


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


def test_a_press_ends_where_the_bench_says(pressed: Clip, record_property: Keep):
    from plantar import bench

    (row,) = bench.press(feet.get(FAST), loads=[24.0], heights=[0.015], positions=[3])
    last = {name: float(values[-1]) for name, values in pressed.readings.items()}
    apart = [abs(last[f"{name} [N]"] - row[f"force_{name}"]) for name in ("heel", "module", "metatarsus")]
    record_property("view.press.force_apart", max(apart))
    assert max(apart) < 0.02
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


def test_a_page_is_one_small_file_without_an_address(pressed: Clip, tmp_path: Path, record_property: Keep):
    pytest.importorskip("viser", reason="the extra show is not installed")
    from plantar.show.page import write_page

    text = write_page(tmp_path / "page.html", pressed).read_text(encoding="utf-8")
    addresses = set(re.findall(r"https?://[\w./-]+", text))
    record_property("view.page.addresses", len(addresses - {"http://www.w3.org/2000/svg"}))
    record_property("view.page.bytes", len(text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert len(text) < 1.5e6
    assert pressed.title in text


def test_view_says_what_can_be_viewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("viser", reason="the extra show is not installed")
    assert run(["view", "nosuch"]) == 2
    assert run(["view", str(tmp_path)]) == 2
    assert run(["view", FAST, "--html", str(tmp_path / "x.txt")]) == 2
    assert run(["view", FAST, "--position", "99", "--html", str(tmp_path / "x.html")]) == 2
    for option in ("--toes=nan", "--toes=400", "--toes=-3", "--seconds=nan", "--seconds=-1"):
        assert run(["view", FAST, option, "--html", str(tmp_path / "x.html")]) == 2, option
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 9 and not (tmp_path / "x.html").exists()
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


def test_the_record_says_where_the_page_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("viser", reason="the extra show is not installed")
    path = tmp_path / "foot.html"
    assert run(["view", FAST, "--html", str(path), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["html"] == str(path) and path.stat().st_size < 2e6
    assert 0.2 < record["seconds"] < 2.0


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


@pytest.mark.parametrize("why", ["Ctrl-C", "full disk"])
def test_a_film_that_is_cut_off_leaves_nothing(
    why: str, pressed: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    pytest.importorskip("imageio_ffmpeg", reason="the extra show is not installed")
    resource = pytest.importorskip("resource", reason="no limits on the size of files here")
    from plantar.show.theatre import Theatre
    from plantar.show.video import write_video

    def stop(self: Theatre, frame: int) -> np.ndarray:
        raise KeyboardInterrupt

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if why == "Ctrl-C":
        monkeypatch.setattr(Theatre, "picture", stop)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        with pytest.raises(KeyboardInterrupt if why == "Ctrl-C" else PlantarError) as caught:
            write_video(tmp_path / "press.mp4", pressed, size=(160, 120), rate=10)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "\n" not in str(caught.value)
    del caught  # which keeps alive what was cut off
    assert list(tmp_path.iterdir()) == [] and caplog.records == []


def test_shapes_whose_inertia_is_wrong_by_rounding_are_filmed(tmp_path: Path):
    pytest.importorskip("imageio_ffmpeg", reason="the extra show is not installed")
    from plantar.ground.terrain.elevation_map import ElevationMap

    heights = 0.02 * np.sin(6 * np.linspace(0, 1, 40))[None, :] * np.ones((40, 1))
    ElevationMap(heights=heights, cell=0.02).save(tmp_path / "map.npz")
    film = ["--video", str(tmp_path / "map.mp4"), "--out", str(tmp_path / "out")]
    assert run(["foothold", "map", str(tmp_path / "map.npz"), *film]) == 0
    assert (tmp_path / "map.mp4").stat().st_size > 1000


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


def test_what_a_soft_robot_grasps_is_in_its_clip_and_follows_it():
    pytest.importorskip("numba", reason="the extra soft is not installed")
    from plantar.soft import robots
    from plantar.soft.scene.clips import SceneFilm

    scene = robots.get("grasper").scene()
    film = SceneFilm(scene)
    film.take()
    scene.step()
    film.take()
    clip = film.clip("grasper")
    cube = next(shape for shape in clip.shapes if shape.name == "bodies/box")
    place = next(body.position for body in scene.bodies.values() if body.name == "cube")
    assert len(cube.places) == 2 and np.allclose(cube.places[0, 0], place, atol=1e-4)
    assert [marks.name for marks in clip.marks] == ["cables"] and clip.marks[0].counts.all()


def test_a_body_that_deforms_can_be_filmed(tmp_path: Path, record_property: Keep):
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="the extra show is not installed")
    pytest.importorskip("numba", reason="the extra soft is not installed")
    from plantar.show.video import write_video
    from plantar.soft.scene.clips import scene_clip

    (tmp_path / "beam.yaml").write_text(BEAM)
    clip = scene_clip(tmp_path / "beam.yaml")
    path = write_video(tmp_path / "beam.mp4", clip, size=(160, 120), rate=20)
    reader = ffmpeg.read_frames(str(path))
    next(reader)
    images = [np.frombuffer(raw, np.uint8).reshape(120, 160, 3) for raw in reader]
    record_property("view.film.frames", [len(images), round(20 * clip.seconds)])
    assert len(images) == round(20 * clip.seconds)
    assert np.abs(images[0].astype(int) - images[-1])[60:].max() > 40, "it sags"


def test_soft_robots_are_viewed_by_the_names_of_their_command():
    pytest.importorskip("numba", reason="the extra soft is not installed")
    from plantar.cli.subjects import SOFT_ROBOTS
    from plantar.soft import robots
    from plantar.soft.robots.clips import robot_clip

    assert set(SOFT_ROBOTS) == set(robots.names())
    octopus = robots.get("octopus")
    clip = robot_clip(octopus, duration=5 * octopus.dt)
    assert clip.seconds == pytest.approx(5 * octopus.dt) and "octopus" in clip.title
    assert any(shape.name.startswith("ground/") for shape in clip.shapes), "the rod that it curls around"


@pytest.mark.parametrize("what", ["biped", "grasper", "map.npz", "ground.json"])
def test_changes_of_what_has_no_fields_are_refused(what: str, tmp_path: Path):
    """`--set` was left out in silence."""
    (tmp_path / "ground.json").write_text('{"kind": "stairs"}')
    place = str(tmp_path / what) if "." in what else what
    with pytest.raises(InvalidInput, match="--set friction is not allowed"):
        find_subject(place, None, ["friction=0.2"], {})


def _of_one_body(scale: float, colour: tuple[float, float, float, float], name: str = "bodies/mesh 0") -> Clip:
    still = {"places": np.zeros((1, 1, 3)), "turns": np.array([[[1.0, 0, 0, 0]]]), "sizes": np.ones((1, 1, 3))}
    mesh = shapes.box()
    shape = Shape(name=name, corners=scale * mesh.corners, faces=mesh.faces, colours=np.array([[colour]]), **still)
    view = View(distance=1.0, centre=(0.0, 0.0, 0.0))
    return Clip(title="one", times=np.zeros(1), shapes=(shape,), view=view)


def test_a_clip_that_takes_the_place_of_another_is_shown_as_it_is_and_hidden_layers_stay_hidden():
    """A body of another shape or colour kept those of the first, and a layer that was hidden came back."""
    stages = pytest.importorskip("plantar.show.stage", reason="needs the extra show")
    server = stages.start_server()
    try:
        red, name = (1.0, 0.0, 0.0, 1.0), "bodies/mesh 0"
        stage = stages.Stage(server, _of_one_body(1.0, red))
        stage.hide("bodies", True)
        for clip in (_of_one_body(2.0, red), _of_one_body(2.0, (0.0, 0.0, 1.0, 1.0))):
            stage.replace(clip)
            node = stage._nodes[name]
            assert node.vertices == pytest.approx(clip.shapes[0].corners) and not node.visible
        assert node.batched_colors.tolist() == [[0, 0, 255]]
        stage.hide("bodies", False)
        stage.replace(_of_one_body(2.0, (0.0, 0.0, 1.0, 1.0)))
        assert stage._nodes[name] is node and node.visible, "what is alike is not made anew"
    finally:
        stages.stop_server(server)


def test_a_slider_holds_the_value_it_starts_at():
    """`plantar view softfoot --load 0.5` was a traceback: the slider of loads begins at 1 N."""
    load = FootToTry(feet.get("softfoot:fast"), load=0.5).sliders[0]
    assert (load.low, load.value, load.high) == (0.5, 0.5, 100.0)
