"""Pages and the viewer in a real browser; skipped where there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from browser import Window, changed_share, chromium, differ

from plantar import feet, robots
from plantar.bench.clips import press_clip
from plantar.bench.press.press import Trial
from plantar.bench.trying import HEIGHT, LOAD, FootToTry
from plantar.robots.clips import robot_clip
from plantar.show.clip import Clip
from plantar.show.recorder import ClipRecorder

FAST = "softfoot:fast"


@pytest.fixture(scope="module")
def pressed() -> Clip:
    return press_clip(feet.get(FAST), Trial(24.0, 0.015, 3))


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


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

        def scrub(share: float, before: np.ndarray | None = None) -> tuple[np.ndarray, float]:
            page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
            page.mouse.down()
            page.wait_for_timeout(200)
            page.mouse.up()
            reached = share * pressed.seconds
            window.until(lambda: float(bar.get_attribute("aria-valuenow")), lambda t: abs(t - reached) < 0.02)
            page.wait_for_timeout(300)
            if before is not None:  # a machine that draws slowly shows the last picture for a while
                window.changed(before)
                page.wait_for_timeout(1000)
            return window.still(), float(page.locator("#plantar td >> nth=3").inner_text())

        early, light = scrub(0.02, scrub(0.98)[0])
        late, heavy = scrub(0.98, early)
        back, again = scrub(0.02, late)
        # edges of what moves may be drawn half a pixel elsewhere
        assert changed_share(early, late) > 5 * changed_share(back, early) and differ(early, late)
        assert light == again == 0.0
        assert heavy == pytest.approx(float(pressed.readings["heel [N]"][-1]), rel=0.05)
        page.keyboard.press("Space")
        window.changed(back)


def test_a_film_lasts_as_long_as_the_motion(
    browser: Any, tmp_path: Path, record_property: Callable[[str, object], None]
):
    from plantar.show.page import write_page

    clip = falling_ball(seconds=2.0)
    with Window(browser, write_page(tmp_path / "ball.html", clip).as_uri()) as window:
        bar = window.page.locator("[role=slider]").first
        assert float(bar.get_attribute("aria-valuemax") or 0) == pytest.approx(2.0, rel=0.05)
        lasted = window.page.evaluate(TIME_OF_A_ROUND)
        record_property("view.page.lasts_over_motion", [time / clip.seconds for time in lasted])
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
        assert "real time" in page.locator("#speed option:checked").inner_text()
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
