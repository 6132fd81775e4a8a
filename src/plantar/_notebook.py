"""How configurations, results and tables present themselves: a short `repr`, fields in `help`, HTML in notebooks."""

from __future__ import annotations

import base64
import dataclasses
import enum
import html
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from plantar._fields import default_of, field_docs, field_rows
from plantar._rows import Rows, cell_text, columns_of, is_numeric

MOST_ROWS = 20
"""Rows of a long table that a notebook shows."""
MOST_WORDS = 240
"""Characters of a `repr`; what is longer is cut."""


class Shown:
    """Base of dataclasses that people look at: a short `repr`, a table in notebooks, fields and units in `help`."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Say the fields in `help` and at the prompt, unless the class says it in its own way."""
        super().__init_subclass__(**options)
        cls.__repr__ = cls.__repr__  # its own or that of a base: a dataclass would write another
        if cls.__dict__.get("__doc__"):
            cls.__doc__ = doc = _WithFields(cls.__dict__["__doc__"])
            doc.owner = cls

    def __repr__(self) -> str:
        """What is not as it comes."""
        return short_repr(self)

    def _repr_html_(self) -> str:
        """The fields as a table, for notebooks."""
        return fields_html(self)


class _WithFields(str):
    """A docstring that ends with the fields of its class and their units, read on demand."""

    owner: type

    def whole(self) -> str:
        """The docstring with the fields."""
        if "__match_args__" not in self.owner.__dict__:  # not a dataclass, or not yet: they ask while they are made
            return str(self)
        docs = field_docs(self.owner)
        said = [f"{f.name}{_default(f)}: {docs.get(f.name, '')}".rstrip(": ") for f in dataclasses.fields(self.owner)]
        lines = [textwrap.fill(line, 100, initial_indent="    ", subsequent_indent="        ") for line in said]
        return "\n".join([inspect.cleandoc(str(self)), "", "Fields:", *lines]) if lines else str(self)

    def __get__(self, instance: object, owner: type | None = None) -> str:
        return self.whole()

    def expandtabs(self, *sizes: Any, **named: Any) -> str:
        """The whole docstring: what `help` does first with that of a class that it reads without asking for it."""
        return self.whole().expandtabs(*sizes, **named)


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return f" ({getattr(field.default_factory, '__name__', 'made')}())"
    return "" if field.default is dataclasses.MISSING else f" ({_short(field.default)})"


def short_repr(config: Any) -> str:
    """The class and the fields that are not as they come, as in `SoftFoot(chains=3)`; long values are cut."""
    said = [f"{f.name}={_short(getattr(config, f.name))}" for f in dataclasses.fields(config) if _is_said(config, f)]
    text = f"{type(config).__name__}({', '.join(said)})"
    return text if len(text) <= MOST_WORDS else f"{text[: MOST_WORDS - 4]}...)"


def _is_said(config: Any, field: dataclasses.Field[Any]) -> bool:
    value, default = getattr(config, field.name), default_of(field)
    if not field.repr or value is default:
        return False
    if isinstance(value, np.ndarray) or isinstance(default, np.ndarray):
        return not np.array_equal(value, default)
    return bool(value != default)


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.ndim:
        return f"<{' x '.join(map(str, value.shape))} {value.dtype}>"
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, tuple | list) and len(value) > 4:
        return f"({_short(value[0])}, {_short(value[1])}, ... {len(value)} in all)"
    if isinstance(value, tuple | list):
        inner = ", ".join(map(_short, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:116]} ..."


def fields_table(config: Any) -> list[dict[str, Any]]:
    """Name, value, unit and meaning of every field of a description or of a class of them, parts included."""
    return [
        {"field": row.name, "value": _plain(row.value), "unit": row.unit, "meaning": row.meaning}
        for row in field_rows(config)
    ]


def _plain(value: Any) -> Any:
    """A value for a cell: numbers stay numbers, what must be given says so."""
    if value is dataclasses.MISSING:
        return "(must be given)"
    return value if isinstance(value, int | float | str | np.number) else _short(value)


def fields_html(config: Any, picture: bytes | None = None) -> str:
    """The table of the fields, below a picture if there is one."""
    about = (type(config).__doc__ or "").strip().split("\n")[0]
    shown = _picture(picture) + rows_html(fields_table(config), most=200, left=("value",))
    return f"<div><b>{type(config).__name__}</b>: {html.escape(about)}{shown}</div>"


def _picture(png: bytes | None) -> str:
    if png is None:
        return ""
    return f'<br><img alt="picture" src="data:image/png;base64,{base64.b64encode(png).decode()}">'


def rows_html(rows: Rows, most: int = MOST_ROWS, left: Sequence[str] = ()) -> str:
    """Rows as a table; of more than `most` the first ones, with a line that says how many there are."""
    columns, shown = columns_of(rows), rows[:most]
    align = {c: "right" if is_numeric(rows, c) and c not in left else "left" for c in columns}
    head = _line("th", columns, align, str)
    body = "".join(_line("td", [row.get(c) for c in columns], align, cell_text, columns) for row in shown)
    more = f"<p>{len(shown)} of {len(rows)} rows</p>" if len(rows) > len(shown) else ""
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{more}"


def _line(
    tag: str,
    cells: Sequence[Any],
    align: dict[str, str],
    text: Callable[[Any], str],
    columns: Sequence[str] | None = None,
) -> str:
    pairs = zip(columns or cells, cells, strict=True)
    inner = "".join(f"<{tag} style='text-align:{align[c]}'>{html.escape(text(v))}</{tag}>" for c, v in pairs)
    return f"<tr>{inner}</tr>"
