"""What a viewer shows: shapes, where they are at each moment, and what is drawn over them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar._files import replacing
from plantar._read import read_arrays, reading
from plantar.errors import InvalidInput
from plantar.show.view import View

FORMAT = 1
"""Number of the file format."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One mesh that is drawn at many places; what has a single frame does not change."""

    name: str
    """Name, unlike that of other shapes; `/` makes groups that can be hidden together."""
    corners: np.ndarray
    """Corners of its triangles (n, 3), or (frames, n, 3) of a body that deforms [m]."""
    faces: np.ndarray
    """Three corners per triangle (m, 3)."""
    places: np.ndarray
    """Where it is drawn (frames or 1, copies, 3) [m]."""
    turns: np.ndarray
    """How it is turned (frames or 1, copies, 4), quaternions."""
    sizes: np.ndarray
    """Its size along its own axes (frames or 1, copies, 3); 1 leaves it as it is."""
    colours: np.ndarray
    """Red, green, blue and opacity from 0 to 1 (frames or 1, copies, 4); opacity does not change."""
    open: bool = False
    """Whether it is a sheet that is seen from both sides."""


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Arrows, lines or dots that appear in some frames."""

    name: str
    """Name, as that of a shape."""
    kind: Literal["arrow", "line", "dot"]
    """What is drawn from the first point of each to the second; a dot is at the first."""
    ends: np.ndarray
    """Both ends (all of all frames, 2, 3) [m]."""
    counts: np.ndarray
    """How many of them are in each frame (frames,)."""
    colour: tuple[float, float, float]
    """Red, green and blue from 0 to 1."""
    width: float
    """Radius of arrows and dots, width of lines [m]."""

    def at(self, frame: int) -> np.ndarray:
        """Both ends of those in one frame (n, 2, 3) [m]."""
        start = int(self.counts[:frame].sum())
        return self.ends[start : start + int(self.counts[frame])]


@dataclass(frozen=True, kw_only=True)
class Clip(Checked):
    """A 3D film, or a still picture if it has one frame."""

    title: str
    """What is shown."""
    times: np.ndarray
    """Time of each frame from the first (frames,) [s]."""
    shapes: tuple[Shape, ...]
    """What is drawn."""
    marks: tuple[Marks, ...] = ()
    """What is drawn over it."""
    readings: dict[str, np.ndarray] = field(default_factory=dict)
    """Numbers of each frame (frames,), by name with unit as in `load [N]`."""
    notes: tuple[str, ...] = ()
    """Lines below the title."""
    view: View = View()
    """Viewpoint, with distance and centre given."""
    floor: float | None = 0.0
    """Height of the floor that is drawn; None draws none [m]."""
    follow: np.ndarray | None = None
    """Place that stays in the middle (frames, 3) [m]; None: the world stands still."""

    def __post_init__(self) -> None:
        """Check that everything has as many frames as there are times."""
        n = len(self.times)
        require(np.ndim(self.times) == 1, "times", np.shape(self.times), "a row of numbers")
        require(n > 0 and self.times[0] == 0 and bool((np.diff(self.times) > 0).all()), "times", n, "rising, from 0")
        for shape in self.shapes:
            for name in ("places", "turns", "sizes", "colours"):
                frames = len(getattr(shape, name))
                require(frames in (1, n), f"{shape.name} {name}", frames, f"one frame or {n}")
        for marks in self.marks:
            require(len(marks.counts) == n, f"{marks.name} counts", len(marks.counts), f"{n} frames")

    @property
    def seconds(self) -> float:
        """Duration in real time [s]."""
        return float(self.times[-1])

    def frame_at(self, time: float) -> int:
        """The frame that is shown at a time [s]."""
        return int(np.clip(np.searchsorted(self.times, time + 1e-9, side="right") - 1, 0, len(self.times) - 1))

    def save(self, path: str | Path) -> Path:
        """Write the clip to a .npz file that `plantar view` opens."""
        arrays: dict[str, np.ndarray] = {"times": self.times}
        head: dict[str, Any] = {"format": FORMAT, "title": self.title, "notes": self.notes, "floor": self.floor}
        head |= {"view": dataclasses.asdict(self.view), "readings": list(self.readings), "shapes": [], "marks": []}
        for kind, things in (("shapes", self.shapes), ("marks", self.marks)):
            for k, thing in enumerate(things):
                record = {f.name: getattr(thing, f.name) for f in dataclasses.fields(thing)}
                head[kind].append({key: v for key, v in record.items() if not isinstance(v, np.ndarray)})
                arrays |= {f"{kind}{k}.{key}": _small(v) for key, v in record.items() if isinstance(v, np.ndarray)}
        arrays |= {f"reading{k}": _small(values) for k, values in enumerate(self.readings.values())}
        if self.follow is not None:
            arrays["follow"] = _small(self.follow)
        with replacing(path) as scratch, scratch.open("wb") as file:
            np.savez_compressed(file, head=np.array(json.dumps(head)), **arrays)  # type: ignore[arg-type]
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> Clip:
        """Read a clip; the file is data and never runs code.

        Raises:
            InvalidInput: If the file cannot be read or holds no clip.
        """
        advice = "give a view.npz written by `plantar walk trial` or `bench press`"
        with reading(path, "clip", advice), read_arrays(path) as file:
            head = json.loads(str(file["head"][()]))
            if head["format"] != FORMAT:
                raise InvalidInput(f"{str(path)!r} is of format {head['format']}, not {FORMAT}: make it again")
            shapes = [Shape(**record, **_arrays_of(file, f"shapes{k}.")) for k, record in enumerate(head["shapes"])]
            marks = [
                Marks(**{**record, "colour": tuple(record["colour"])}, **_arrays_of(file, f"marks{k}."))
                for k, record in enumerate(head["marks"])
            ]
            return cls(
                title=head["title"],
                times=file["times"],
                shapes=tuple(shapes),
                marks=tuple(marks),
                readings={name: file[f"reading{k}"] for k, name in enumerate(head["readings"])},
                notes=tuple(head["notes"]),
                view=View(**{**head["view"], "centre": tuple(head["view"]["centre"])}),
                floor=head["floor"],
                follow=file["follow"] if "follow" in file else None,
            )


def _arrays_of(file: Any, prefix: str) -> dict[str, Any]:
    return {key[len(prefix) :]: file[key] for key in file if key.startswith(prefix)}


def _small(array: np.ndarray) -> np.ndarray:
    """The array with half the bytes where that loses nothing that can be seen."""
    return array.astype(np.float32) if array.dtype == np.float64 else array


def gather(name: str, kind: Any, frames: Sequence[np.ndarray], colour: Sequence[float], width: float) -> Marks:
    """Marks of frames that each have their own number (n, 2, 3)."""
    counts = np.array([len(ends) for ends in frames], dtype=np.int32)
    ends = (
        np.concatenate([np.asarray(e, float).reshape(-1, 2, 3) for e in frames]) if len(frames) else np.zeros((0, 2, 3))
    )
    red, green, blue = colour
    return Marks(name=name, kind=kind, ends=ends, counts=counts, colour=(red, green, blue), width=width)
