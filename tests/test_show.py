"""Pictures with and without OpenGL, plots and reports."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import matplotlib
import matplotlib.image
import mujoco
import numpy as np
import pytest

from plantar import _opengl
from plantar.errors import InvalidInput
from plantar.show import Section, View, figure, house_style, picture, render, save, write_report
from plantar.show.view import camera_of, find_view

SCENE = """
<mujoco><worldbody>
  <geom name="red" type="box" size=".05 .02 .01" pos="0 0 .01" rgba=".9 .1 .1 1"/>
  <geom name="blue" type="sphere" size=".02" pos=".03 0 .05" rgba=".1 .1 .9 1"/>
  <geom name="hidden" type="sphere" size=".02" pos="-.03 0 .05" rgba=".1 .9 .1 1" group="3"/>
</worldbody></mujoco>
"""
ROPE = """
<mujoco>
  <worldbody>
    <geom size=".01" rgba=".2 .2 .2 1"/>
    <site name="a" pos="-.1 0 0"/>
    <site name="b" pos=".1 0 0"/>
  </worldbody>
  <tendon>
    <spatial width=".003" rgba="1 .7 0 1"><site site="a"/><site site="b"/></spatial>
  </tendon>
</mujoco>
"""
SIZE = (160, 120)
SIDE = find_view("side")
Scene = tuple[mujoco.MjModel, mujoco.MjData]


@pytest.fixture(scope="module")
def scene() -> Scene:
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.fixture
def no_gl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTAR_NO_GL", "1")


def pixel(image: np.ndarray, model: mujoco.MjModel, data: mujoco.MjData, point: np.ndarray) -> np.ndarray:
    (column, row), _ = (a[0] for a in camera_of(SIDE, model, data, SIZE).project(point[None], SIZE))
    return image[int(row), int(column)]


def looks_like(image: np.ndarray, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Each geom is where the camera puts it, in its own colour, and nothing else is."""
    red, blue = (pixel(image, model, data, data.geom(name).xpos) for name in ("red", "blue"))
    assert red[0] > 2 * red[2], "the box is red"
    assert blue[2] > 2 * blue[0], "the ball is blue"
    free = pixel(image, model, data, data.geom("hidden").xpos)
    assert np.ptp(free) < 0.1 and free.min() > 0.8, "group 3 is not drawn: the background is light grey"


def test_ray_cast_picture(scene: Scene, no_gl: None) -> None:
    looks_like(picture.draw(*scene, SIDE, SIZE), *scene)


@pytest.mark.skipif(_opengl.backend() is None, reason="OpenGL is not available here")
def test_opengl_picture_and_ray_cast_picture_show_the_same(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    with_gl = picture.draw(*scene, SIDE, SIZE)
    looks_like(with_gl, *scene)
    monkeypatch.setenv("PLANTAR_NO_GL", "1")
    without = picture.draw(*scene, SIDE, SIZE)
    coloured = [np.ptp(image, axis=2) > 0.2 for image in (with_gl, without)]
    assert np.mean(coloured[0] != coloured[1]) < 0.01, "the same pixels are covered"


def test_everything_visible_is_inside_the_picture(scene: Scene) -> None:
    model, data = scene
    for view in (View(), SIDE, View(azimuth=10, elevation=-80)):
        camera = camera_of(view, model, data, SIZE)
        corners = data.geom("red").xpos + np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (
            model.geom("red").size
        )
        pixels, depth = camera.project(corners, SIZE)
        assert (depth > 0).all()
        assert (pixels >= 0).all() and (pixels <= SIZE).all()


def test_rays_and_projection_are_inverse(scene: Scene) -> None:
    camera = camera_of(View(), *scene, SIZE)
    points = camera.position + 0.3 * camera.rays(SIZE)
    pixels, _ = camera.project(points, SIZE)
    wanted = np.stack(np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1])), axis=-1).reshape(-1, 2) + 0.5
    np.testing.assert_allclose(pixels, wanted, atol=1e-9)


def test_a_tendon_is_drawn_without_opengl(no_gl: None) -> None:
    model = mujoco.MjModel.from_xml_string(ROPE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    view = View(azimuth=90, elevation=0, distance=0.3, centre=(0, 0, 0))
    image = picture.draw(model, data, view, SIZE)
    column = camera_of(view, model, data, SIZE).project(np.array([[0.05, 0, 0]]), SIZE)[0][0, 0]
    red, _, blue = image[SIZE[1] // 2, int(column)]
    assert red > 0.8 and blue < 0.3, "the tendon is yellow"
    assert np.ptp(image[SIZE[1] // 2, SIZE[0] // 2]) < 0.2, "the ball hides the tendon inside it"


def test_render_writes_a_png_and_one_log_line(
    scene: Scene, no_gl: None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    picture._say_once.cache_clear()
    with caplog.at_level(logging.WARNING, logger="plantar"):
        for name in ("a.png", "b.png"):
            assert render(*scene, tmp_path / name, size=(64, 48)) == tmp_path / name
    assert matplotlib.image.imread(tmp_path / "a.png").shape[:2] == (48, 64)
    assert [r.message.split(":")[0] for r in caplog.records] == ["OpenGL is not available"]


def test_a_driver_that_fails_falls_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("driver\nbroke")

    monkeypatch.setattr(_opengl, "backend", lambda: "")
    monkeypatch.setattr(_opengl, "activate", broken)
    with caplog.at_level(logging.WARNING, logger="plantar"):
        looks_like(picture.draw(*scene, SIDE, SIZE), *scene)
    assert "driver broke" in caplog.text


def test_a_backend_that_another_package_named_too_late_is_taken_all_the_same() -> None:
    """MuJoCo reads MUJOCO_GL when it is imported; mjlab sets it after that, and drawing aborted the process."""
    lines = [
        "import os, mujoco",
        "from mujoco.rendering.classic import gl_context",
        "os.environ['MUJOCO_GL'] = 'off'",
        "from plantar import _opengl",
        "_opengl.activate('off')",
        "print(gl_context._MUJOCO_GL)",
    ]
    env = {name: value for name, value in os.environ.items() if name != "MUJOCO_GL"}
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["off"]


def test_the_model_is_left_as_it_was(scene: Scene, tmp_path: Path) -> None:
    model, data = scene
    before = mujoco.mj_sizeModel(model), model.vis.global_.offwidth, model.vis.headlight.ambient.tolist()
    render(model, data, tmp_path / "a.png", size=(700, 500))
    assert (mujoco.mj_sizeModel(model), model.vis.global_.offwidth, model.vis.headlight.ambient.tolist()) == before


def test_bad_views_and_sizes_are_named(scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="camera = 'inside'.*'corner'"):
        render(*scene, tmp_path / "a.png", camera="inside")
    with pytest.raises(InvalidInput, match="size"):
        render(*scene, tmp_path / "a.png", size=(0, 10))
    with pytest.raises(InvalidInput, match="elevation"):
        View(elevation=100)
    assert list(tmp_path.iterdir()) == []


def test_house_style_leaves_the_users_settings_alone(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    with house_style():
        fig, axes = figure(2, 3)
        assert axes.shape == (2, 3)
        axes[0, 0].plot([0, 1], [0, 1])
    path = save(fig, tmp_path / "a.png")
    assert dict(matplotlib.rcParams) == before
    first = path.read_bytes()
    assert save(fig, path).read_bytes() == first, "equal figures give equal files"


class Page(HTMLParser):
    """Collects what a page would fetch, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [v or "" for k, v in attrs if k in ("src", "href", "srcset", "action", "data")]


@pytest.fixture
def page(tmp_path: Path) -> str:
    png = tmp_path / "a.png"
    matplotlib.image.imsave(png, np.zeros((4, 4, 3)))
    sections = [
        Section(title="Pictures", text="Some **bold** `code`.\n\n- one\n- two", picture=[png, png], caption="Both"),
        Section(
            title="Numbers",
            table=[{"load": -12.0, "ok": False, "tiny": 1.5e-9}, {"load": 24.0, "ok": True}],
            units={"loa*": "N"},
        ),
        Section(title="<script>alert(1)</script>", text="a < b & <img src='http://example.org/x.png'>"),
        Section(title="Last"),
    ]
    report = write_report(tmp_path, "Pressed & <measured>", sections, headline={"settled": "48 of 48"})
    assert report == tmp_path / "report.html"
    return report.read_text(encoding="utf-8")


def test_heads_of_columns_have_their_units(page: str) -> None:
    assert ">load [N]</th>" in page and ">ok</th>" in page


def test_a_report_fetches_nothing_and_runs_nothing(page: str) -> None:
    parsed = Page(page)
    outside = [url for url in parsed.fetched if not url.startswith(("data:image/", "#"))]
    assert outside == []
    assert not re.search(r"@import|url\(", page)
    assert "script" not in parsed.tags and "link" not in parsed.tags
    assert parsed.tags.count("img") == 2


def test_a_report_shows_text_tables_and_headlines(page: str) -> None:
    assert "<b>bold</b>" in page and "<code>code</code>" in page and "<li>two</li>" in page
    assert "<td class='n'>\N{MINUS SIGN}12</td><td><em>no</em></td>" in page
    assert "1.5 × 10<sup>\N{MINUS SIGN}9</sup>" in page
    assert "<b>48 of 48</b>" in page
    assert "<title>Pressed &amp; &lt;measured&gt;</title>" in page
    assert Page(page).tags.count("a") == 4, "four sections are listed under the title"


def test_a_picture_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"picture.*\.png"):
        write_report(tmp_path, "t", [Section(title="s", picture=tmp_path / "a.bmp")])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(_opengl.backend() is None, reason="OpenGL is not available here")
def test_shadows_fade_at_their_edges():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><light type='directional' dir='0 0 -1' diffuse='.6 .6 .6' specular='0 0 0'/>"
        "<geom type='plane' size='2 2 .1'/><geom type='box' pos='0 0 .8' size='.2 .2 .01'/></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    image = picture.draw(model, data, View(azimuth=90, elevation=-20, distance=2.5, centre=(0, 0, 0.3)), (320, 240))
    floor = image[160:235].mean(axis=2)
    light, dark = floor.max(), floor.min()
    between = (floor > dark + 0.15 * (light - dark)) & (floor < light - 0.15 * (light - dark))
    assert light - dark > 0.15, "there is a shadow"
    assert between.sum() > 0.3 * (floor <= dark + 0.15 * (light - dark)).sum(), "and it has a soft edge"
