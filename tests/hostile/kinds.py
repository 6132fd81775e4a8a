"""What only files of one kind can do, or have wrong with them; each kind takes a good file and gives others by name."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


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


def tables(good: Path) -> dict[str, bytes]:
    """CSV as other programs write it, in other units, and with cells that are no numbers."""
    text = good.read_text()
    names, *rows = list(csv.reader(line for line in io.StringIO(text) if not line.startswith("#")))
    last = len(names) - 1

    def cells(change: Callable[[str], str], columns: range | None = None) -> list[list[str]]:
        where = range(len(names)) if columns is None else columns
        return [[change(cell) if k in where else cell for k, cell in enumerate(row)] for row in rows]

    every = {
        "head": [],
        "row": rows[:1],
        "two": rows[:2],
        "same": [rows[0]] * len(rows),
        "backwards": rows[::-1],
        "scaled": cells(lambda c: _scaled(c, 1e3)),
        "tiny": cells(lambda c: _scaled(c, 1e-9)),
        "vast": cells(lambda c: _scaled(c, 1e200)),
        "minus": cells(lambda c: _scaled(c, -1.0)),
        "percent": cells(lambda c: f"{c}%"),
        "units": cells(lambda c: f"{c} N"),
        "quoted": cells(lambda c: f"'{c}"),
        "blank": cells(lambda c: "", range(last, last + 1)),
        "first": cells(lambda c: "", range(1)),
        "nans": cells(lambda c: "nan", range(last, last + 1)),
        "infs": cells(lambda c: "-inf", range(last, last + 1)),
        "not_there": cells(lambda c: "#N/A", range(last, last + 1)),
        "arabic": cells(lambda c: "".join(chr(0x660 + int(x)) if x in "0123456789" else x for x in c)),
        "under": cells(lambda c: re.sub(r"(\d)(\d)", r"\1_\2", c)),
        "hex": cells(lambda c: "0x1p-3"),
        "noughts": cells(lambda c: "0"),
    }
    made = {name: _written(names, found) for name, found in every.items()}
    made["titled"] = _written([f"{name} [mm]" for name in names], rows)
    made["upper"] = _written([name.upper() for name in names], rows)
    made["unnamed"] = _written(["", *names[1:]], rows)
    made["numbers"] = _written([str(k) for k in range(len(names))], rows)
    made["headless"] = _written(rows[0], rows[1:])
    made["fewer"] = _written(names[:-1], [row[:-1] for row in rows])
    made["trailing"] = text.replace("\n", ",\n").encode()
    made["semicolons"] = text.replace(",", ";").encode()
    made["german"] = text.replace(",", ";").replace(".", ",").encode()
    made["tabs"] = text.replace(",", "\t").encode()
    made["separator"] = b"sep=,\n" + text.encode()
    made["blanks"] = text.replace("\n", "\n\n").replace(",", " , ").encode()
    made["open_quote"] = text.encode() + b'"'
    made["lines"] = text.replace("\n", "\u2028").encode()
    return made


def _scaled(cell: str, factor: float) -> str:
    try:
        return repr(float(cell) * factor)
    except ValueError:
        return cell


def _written(names: list[str], rows: list[list[str]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows([names, *rows])
    return file.getvalue().encode()


def objects(good: Path) -> dict[str, bytes]:
    """JSON with what people and other programs put into it."""
    text = good.read_text()
    made = {
        "doubled": re.sub(r'("\w+": [^,{}\[\]]+)', r"\1, \1", text, count=1),
        "comma": re.sub(r"}\s*$", ",}", text),
        "comment": "// mine\n" + text,
        "single": text.replace('"', "'"),
        "spelled": re.sub(r"(-?\d+\.\d+)", r'"\1"', text),
        "beyond": re.sub(r"-?\d+\.\d+", "1e999", text),
        "lists": re.sub(r"(-?\d+\.\d+)", r"[\1]", text),
        "truths": re.sub(r"-?\d+\.\d+", "true", text),
        "more": re.sub(r"}\s*$", ', "no_such_field": 1}', text),
        "dunder": re.sub(r"}\s*$", ', "__class__": "os.system"}', text),
        "long_key": re.sub(r"}\s*$", ', "' + "k" * 100_000 + '": 1}', text),
        "within": '{"a":' * 5000 + "1" + "}" * 5000,
        "version": re.sub(r'"plantar": "[^"]*"', '"plantar": "99.0"', text),
    }
    return {name: data.encode() for name, data in made.items()}


def more_scenes(good: Path) -> dict[str, bytes]:
    """YAML with what JSON does not have."""
    data = json.loads(good.read_text())
    deep = "".join("  " * k + f"k{k}:\n" for k in range(400))
    made = {
        "documents": f"{json.dumps(data)}\n---\n{json.dumps({**data, 'dt': 0.001})}\n",
        "deep_blocks": deep,
        "octal": json.dumps(data).replace("0.02", "0o17"),
        "sixty": json.dumps(data).replace("0.02", "1:30:00"),
        "norway": json.dumps(data).replace('"beam"', "no"),
        "date": json.dumps(data).replace('"beam"', "2001-01-01"),
        "binary": json.dumps(data).replace('"beam"', "!!binary aGk="),
        "set": json.dumps(data).replace('["base"]', "!!set {base}"),
        "omap": json.dumps(data).replace('["base"]', "!!omap [base: 1]"),
        "merged": f"<<: {json.dumps(data)}\n",
        "keys": "? [1, 2]\n: 3\n? {a: b}\n: 4\n",
        "tabs": json.dumps(data, indent=1).replace(" ", "\t"),
        "directive": "%YAML 9.9\n---\n" + json.dumps(data),
    }
    return {name: text.encode() for name, text in made.items()}


def models(good: Path) -> dict[str, bytes]:
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


def surfaces(good: Path) -> dict[str, bytes]:
    """STL that lies about its count, or whose corners are nowhere."""
    faces = np.zeros(4, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    made = {"lie": bytes(80) + (2**32 - 1).to_bytes(4, "little") + faces.tobytes()}
    for name, value in (("flat", 0.0), ("nowhere", np.nan), ("far", 1e38), ("one", 1.0)):
        faces["corners"] = value
        made[name] = bytes(80) + len(faces).to_bytes(4, "little") + faces.tobytes()
    return made | {"words": b"solid x\nfacet normal a b c\nouter loop\nvertex 1 2\nendsolid"}


def networks(good: Path) -> dict[str, bytes]:
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


OF_KIND: dict[str, Callable[[Path], dict[str, bytes]]] = {
    ".npz": arrays,
    ".csv": tables,
    ".json": objects,
    ".yaml": more_scenes,
    ".xml": models,
    ".stl": surfaces,
    ".onnx": networks,
}
"""Makers of files by the suffix of a good one."""
