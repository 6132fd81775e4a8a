"""A view in the browser: play, scrub, layers, and sliders that rebuild the clip."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Sequence
from typing import Any

from plantar.errors import InvalidInput, PlantarError
from plantar.show.clip import Clip
from plantar.show.guard import Guard, between, one_of
from plantar.show.sliders import Maker, Slider
from plantar.show.stage import Stage, aim, start_server, stop_server

SPEEDS = ("0.1", "0.25", "0.5", "1", "2")
"""Speeds to choose from, as fractions of real time."""
RATE = 30.0
"""Frames per second sent while a clip plays [1/s]."""
HOST = "127.0.0.1"
ASIDE = 0.15
"""How far the subject is shown left of the middle, as the panel is on the right."""


class Viewer:
    """Serves one view to any number of windows, all showing the same moment.

    Args:
        clip: What is shown first.
        sliders: Values that rebuild the clip when they are moved.
        maker: Makes it; needed where there are sliders.
        port: Local port; 0 picks a free one.

    Raises:
        InvalidInput: If the port is in use.
    """

    def __init__(self, clip: Clip, *, sliders: Sequence[Slider] = (), maker: Maker | None = None, port: int = 0):
        _check_free(port)
        self.server = start_server(port, HOST, clip.title.partition(":")[0])
        self.port: int = self.server.get_port()
        self.address = f"http://{HOST}:{self.port}"
        """Address at which it is shown."""
        self.values = {slider.name: slider.value for slider in sliders}
        """Values of the sliders that were last requested."""
        self.runs = 0
        """How many times the clip was rebuilt."""
        self._maker, self._time, self._playing = maker, 0.0, not sliders and clip.seconds > 0
        self._lock, self._wake, self._closed = threading.RLock(), threading.Event(), threading.Event()
        self._wanted = False
        self._guard = Guard(self.server)
        self._stage = Stage(self.server, clip)
        aim(self.server, clip.view, aside=ASIDE)
        self._controls(clip, sliders)
        if sliders:
            self._seek(clip.seconds)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._play, self._remake)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop serving."""
        self._closed.set()
        self._wake.set()
        for thread in self._threads:
            thread.join(timeout=10)
        stop_server(self.server)

    def _controls(self, clip: Clip, sliders: Sequence[Slider]) -> None:
        gui, allow = self.server.gui, self._guard.allow
        self._head = gui.add_markdown(_heading(clip))
        self._text = gui.add_markdown("")
        if sliders:
            with gui.add_folder("Try it"):
                for s in sliders:
                    knob = gui.add_slider(s.name, min=s.low, max=s.high, step=s.step, initial_value=s.value)
                    allow(knob, between(s.low, s.high)).on_update(lambda event, name=s.name: self._ask(name, event))
        with gui.add_folder("Play", visible=clip.seconds > 0) as self._player:
            button = gui.add_button("play / pause")
            allow(button, one_of(True, False)).on_click(lambda _: self._toggle())
            top = max(clip.seconds, 0.01)
            self._bar = gui.add_slider("time [s]", min=0.0, max=top, step=0.001, initial_value=0.0)
            allow(self._bar, self._within)
            self._bar.on_update(self._scrubbed)
            self._speed = allow(
                gui.add_dropdown("speed", SPEEDS, initial_value="1", hint="1 is real time"), one_of(*SPEEDS)
            )
        with gui.add_folder("Layers", expand_by_default=False):
            for name in self._stage.layers():
                box = gui.add_checkbox(name, initial_value=True)
                allow(box, one_of(True, False)).on_update(
                    lambda event, name=name: self._stage.hide(name, not event.target.value)
                )

    def _within(self, moment: Any) -> bool:
        return between(0.0, max(self._stage.clip.seconds, 0.01))(moment)

    def _ask(self, name: str, event: Any) -> None:
        self.values[name] = float(event.target.value)
        self._wanted = True
        self._wake.set()

    def _toggle(self) -> None:
        with self._lock:
            self._playing = not self._playing
            if self._playing and self._time >= self._stage.clip.seconds - 1e-6:
                self._time = 0.0

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None:  # what the player itself sets comes from no window
            with self._lock:
                self._playing = False
                self._seek(float(event.target.value), bar=False)

    def _seek(self, moment: float, bar: bool = True) -> None:
        """Show the frame of a moment, and what is read then."""
        with self._lock:
            clip = self._stage.clip
            self._time = min(moment, clip.seconds)
            frame = clip.frame_at(self._time)
            self._stage.show(frame)
            text = _readings(clip, frame)
            if text != self._text.content:
                self._text.content = text
            if bar:
                self._bar.value = round(self._time, 3)

    def _play(self) -> None:
        last = time.perf_counter()
        while not self._closed.wait(1 / RATE):
            now = time.perf_counter()
            passed, last = now - last, now
            if not self._playing:
                continue
            with self._lock:
                end, moment = self._stage.clip.seconds, self._time + passed * float(self._speed.value)
                self._seek(moment if self._time < end else 0.0)  # the end is shown before it begins again

    def _remake(self) -> None:
        while not self._closed.is_set():
            self._wake.wait()
            self._wake.clear()
            if not self._wanted or self._maker is None or self._closed.is_set():
                continue
            self._wanted = False
            try:
                clip = self._maker(dict(self.values))
            except PlantarError as error:
                self._head.content = f"**this cannot be built:** {error}"
                continue
            with self._lock:
                self._stage.replace(clip)
                self.runs += 1
                self._head.content = _heading(clip)
                self._bar.max = max(clip.seconds, 0.01)
                self._player.visible = clip.seconds > 0
                self._seek(0.0 if self._playing else clip.seconds)


def _check_free(port: int) -> None:
    """Refuse a port that is in use: viser would silently take the next one."""
    if port == 0:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, port))
        except OSError as error:
            raise InvalidInput(
                f"port {port} is not free ({error.strerror}): give another port, or 0 for any"
            ) from error


def _heading(clip: Clip) -> str:
    lines = [f"**{clip.title}**", *(f"- {note}" for note in clip.notes)]
    return "\n".join([lines[0], "", *lines[1:]])


def _readings(clip: Clip, frame: int) -> str:
    if not clip.readings:
        return ""
    rows = [f"| {name} | **{values[frame]:.4g}** |" for name, values in clip.readings.items()]
    return "\n".join(["| | |", "|---|---:|", *rows])
