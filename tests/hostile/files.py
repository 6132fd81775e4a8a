"""Hostile files: what may stand where a command expects a good one."""

from __future__ import annotations

import copy
import functools
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .kinds import OF_KIND

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
    made |= {"gzip": gzip.compress(content, mtime=0)}
    made |= OF_KIND[suffix](good) if suffix in OF_KIND else {}
    for name, data in made.items():
        path = folder / f"bad_{name}{suffix}"
        path.write_bytes(data)
        yield path
    yield folder / f"absent{suffix}"
    (folder / f"folder{suffix}").mkdir(exist_ok=True)
    yield folder / f"folder{suffix}"


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
