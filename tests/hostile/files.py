"""Hostile files: what may stand where a command expects a good one."""

from __future__ import annotations

import copy
import functools
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{c}: &{c} [{','.join([f'*{b}'] * 9)}]\n" for b, c in zip("abcdefghij", "bcdefghijk", strict=True)
)
"""Aliases of aliases: half a kilobyte that stands for ten thousand million values."""
WRONG: tuple[Any, ...] = (None, True, -1, 0, 1e308, float("nan"), "", "../../evil", "/tmp/evil", "0,01", "x" * 300)
WRONG += ([], {}, [0.5], [[1, 2], [3]], {"a": 1}, 10**30, ["a", 1], "\u202e", "a\nb", [None], 10**25)
"""Values in the place of good ones."""


@functools.cache
def damaged(good: Path, folder: Path) -> tuple[Path, ...]:
    """Files like `good`, with its suffix, that are not."""
    return tuple(_damage(good, folder))


def _damage(good: Path, folder: Path) -> Iterator[Path]:
    content, suffix = good.read_bytes(), good.suffix
    text = suffix in (".json", ".yaml", ".csv", ".xml")
    made: dict[str, bytes] = {
        "empty": b"",
        "half": content[: len(content) // 2],
        "tail": content[len(content) // 2 :],
        "short": content[:7],
        "noise": bytes(range(256)) * 40,
        "zeros": b"\0" * 4096,
        "flipped": bytes(b ^ (0x40 if i % 97 == 50 else 0) for i, b in enumerate(content)),
        "other": b"PK\x03\x04" + content,
        "text": b"hello, world\n",
    }
    if text:
        made |= {
            "bom": b"\xef\xbb\xbf" + content,
            "latin": b"# \xe4\xf6\xfc\n" + content,
            "wide": content.decode(errors="replace").encode("utf-16"),
            "deep": b"[" * 100_000,
            "digits": b'{"a": ' + b"9" * 5000 + b"}",
            "null": b"null",
            "list": b"[1, 2, 3]",
            "nan": b'{"foot": NaN, "ground": {"solref": [NaN, 1]}, "terrain": {"kind": NaN}}',
            "bomb": BOMB.encode(),
            "entities": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><mujoco>&b;</mujoco>',
            "tag": b"!!python/object/apply:os.system ['touch evil']",
            "itself": b"a: &a [*a]",
            "crlf": content.replace(b"\n", b"\r\n"),
            "twice": content + content,
            "mixed": content.replace(b"\n", b"\r", 1).replace(b"\n", b"\r\n", 3),
            "nul": content.replace(b"\n", b"\0\n"),
            "endless": re.sub(rb"\d+\.\d+", b"1e400", content),
            "merge": b"a: &a {b: 1}\n<<: [*a, *a]\n<<: 1\n",
        }
    made |= OF_KIND.get(suffix, dict)() if suffix != ".npz" else arrays(good)
    for name, data in made.items():
        path = folder / f"bad_{name}{suffix}"
        path.write_bytes(data)
        yield path
    yield folder / f"absent{suffix}"
    (folder / f"folder{suffix}").mkdir(exist_ok=True)
    yield folder / f"folder{suffix}"


def arrays(good: Path) -> dict[str, bytes]:
    """Archives like a good one whose arrays are of another kind, would run something, or say they are huge."""
    with np.load(good) as archive:
        found = {name: archive[name] for name in archive.files}
    wrong: dict[str, Any] = {
        "pickle": np.array([_Touch()], dtype=object),
        "nan": np.full((40, 40), np.nan),
        "complex": np.ones((40, 40)) * 1j,
        "words": np.array(["a", "b"]),
        "none": np.zeros((0, 0)),
        "point": np.array(0.5),
        "many": np.zeros((2,) * 12),
    }
    made = {}
    for name, value in wrong.items():
        for which in found:
            file = io.BytesIO()
            np.savez(file, **{**found, which: value})
            made[f"{name}_{which}"] = file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for which in found:
            header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**12},), }}".encode().ljust(117) + b"\n"
            archive.writestr(f"{which}.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        archive.writestr("../evil", b"evil")
    return made | {"huge": file.getvalue()}


class _Touch:
    """What writes a file when a pickle of it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, ("evil", "w"))


def models() -> dict[str, bytes]:
    """MJCF that includes itself or what is not its own, or asks for more than there is."""
    inside = {
        "loop": "<include file='bad_loop.xml'/>",
        "include": "<include file='/etc/passwd'/>",
        "mesh": "<asset><mesh name='m' file='/etc/passwd'/></asset>",
        "texture": "<asset><texture type='2d' name='t' file='../../../../etc/shadow'/></asset>",
        "memory": "<size memory='900P'/>",
        "step": "<option timestep='nan'/>",
        "field": "<asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>",
        "plugin": "<extension><plugin plugin='evil.so'/></extension>",
        "size": "<worldbody><geom size='nan'/></worldbody>",
        "nest": "<worldbody>" + "<body>" * 3000 + "</body>" * 3000 + "</worldbody>",
    }
    return {name: f"<mujoco>{text}</mujoco>".encode() for name, text in inside.items()}


def surfaces() -> dict[str, bytes]:
    """STL that lies about its count, or whose corners are nowhere."""
    faces = np.zeros(4, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    made = {"lie": bytes(80) + (2**32 - 1).to_bytes(4, "little") + faces.tobytes()}
    for name, value in (("flat", 0.0), ("nowhere", np.nan), ("far", 1e38), ("one", 1.0)):
        faces["corners"] = value
        made[name] = bytes(80) + len(faces).to_bytes(4, "little") + faces.tobytes()
    return made | {"words": b"solid x\nfacet normal a b c\nouter loop\nvertex 1 2\nendsolid"}


def networks() -> dict[str, bytes]:
    """ONNX with weights in another file, and with dimensions that are absurd (protobuf by hand)."""

    def part(field: int, data: bytes) -> bytes:
        return _whole(field << 3 | 2) + _whole(len(data)) + data

    elsewhere = part(13, part(1, b"location") + part(2, b"/etc/passwd")) + _whole(14 << 3) + _whole(1)
    head = _whole(1 << 3) + _whole(8) + part(8, part(1, b"") + _whole(2 << 3) + _whole(17))
    made = {}
    for name, tail in (("elsewhere", elsewhere), ("absurd", part(9, b"1234"))):
        weights = _whole(1 << 3) + _whole(2**40) + _whole(2 << 3) + _whole(1) + part(8, b"w") + tail
        node = part(1, b"w") + part(2, b"y") + part(4, b"Identity")
        shape = part(1, part(2, b""))
        value = part(1, b"y") + part(2, part(1, _whole(1 << 3) + _whole(1) + part(2, shape)))
        made[name] = head + part(7, part(1, node) + part(2, b"g") + part(5, weights) + part(12, value))
    return made


def _whole(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


OF_KIND: dict[str, Callable[[], dict[str, bytes]]] = {".xml": models, ".stl": surfaces, ".onnx": networks}
"""What only files of a kind can do."""


def wrong_data(data: Any, wrong: tuple[Any, ...] = WRONG) -> Iterator[tuple[str, Any]]:
    """Copies of plain data, each with one value replaced, and the place of that."""
    for place in list(places(data)):
        for bad in wrong:
            changed = copy.deepcopy(data)
            table = changed
            for step in place[:-1]:
                table = table[step]
            table[place[-1]] = bad
            yield f"{'.'.join(map(str, place))} = {repr(bad)[:40]}", changed


def places(data: Any) -> Iterator[tuple[Any, ...]]:
    """Ways to every value in plain data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (key,)
        yield from ((key, *rest) for rest in places(value))


def to_text(data: Any) -> str:
    """Plain data as JSON that YAML reads too, with what neither allows."""
    return json.dumps(data)
