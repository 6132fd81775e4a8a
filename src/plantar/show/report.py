"""A report people can keep: one HTML file with text, tables and pictures inside it."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import plantar
from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._files import write_text
from plantar._rows import Rows, cell_text, columns_of, for_people, head_text, is_numeric, scalar

STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
KINDS = {".png": "image/png", ".svg": "image/svg+xml", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a report; whatever is given appears in the order of the fields."""

    title: str
    """Heading."""
    text: str = ""
    """Paragraphs separated by empty lines; `code`, **bold**, `[links](page.html)`; lines with `- ` are a list."""
    film: str | Path | Sequence[str | Path] | None = None
    """Pages beside the report: the first plays in it, and it links to all."""
    table: Rows | None = None
    """Rows; numbers are shown with 4 significant digits."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of columns, for their heads, by name or pattern as in `force_*`; rad is shown as deg and m as mm."""
    picture: str | Path | Sequence[str | Path] | None = None
    """PNG, SVG or JPEG files, copied into the report."""
    caption: str = ""
    """Line under the pictures."""


@checks_arguments
def write_report(
    folder: str | Path,
    title: str,
    sections: Sequence[Section],
    *,
    summary: str = "",
    headline: Mapping[str, Any] | None = None,
    name: str = "report.html",
) -> Path:
    """Write a self-contained HTML report.

    Args:
        folder: An existing folder.
        title: Heading of the report.
        sections: Its parts, in order.
        summary: A paragraph under the title.
        headline: A few results in large type: label to value, for example `{"trials settled": "48 of 48"}`.
        name: File name.

    Returns:
        Path of the report.
    """
    body = "\n".join(
        [
            f"<header><p class='brand'>Plantar {plantar.__version__}</p><h1>{_escape(title)}</h1>",
            _prose(summary),
            _tiles(headline or {}),
            _contents(sections),
            "</header>",
            *(_section(i, section) for i, section in enumerate(sections)),
            "<footer>Numbers are from the run that wrote this file; config.json beside it has its settings.</footer>",
        ]
    )
    page = (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{_escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<style>\n{STYLE}</style></head>\n<body><main>\n{body}\n</main></body></html>\n"
    )
    return write_text(Path(folder) / name, page)


def in_words(asked: str, found: str, sure: str) -> str:
    """The first paragraph of a report: question, result and confidence."""
    return f"**Question:** {asked} **Result:** {found} **Confidence:** {sure}"


def _section(index: int, section: Section) -> str:
    pictures = section.picture or ()
    if isinstance(pictures, str | Path):
        pictures = (pictures,)
    parts = [f"<section id='s{index}'><h2>{_escape(section.title)}</h2>", _prose(section.text)]
    films = (section.film,) if isinstance(section.film, str | Path) else section.film or ()
    pages = [_escape(Path(film).name) for film in films]
    if pages:
        parts.append(f"<iframe src='{pages[0]}' title='{_escape(section.title)}' loading='lazy'></iframe>")
        links = ", ".join(f"<a href='{page}'>{page}</a>" for page in pages)
        parts.append(f"<p>As a separate file: {links}</p>")
    if section.table:
        parts.append(_table(section.table, section.units))
    if pictures:
        images = "".join(_image(Path(p), section.caption or section.title) for p in pictures)
        caption = f"<figcaption>{_inline(section.caption)}</figcaption>" if section.caption else ""
        parts.append(f"<figure>{images}{caption}</figure>")
    return "\n".join([*parts, "</section>"])


def _image(path: Path, alt: str) -> str:
    require(path.suffix.lower() in KINDS, "picture", str(path), "a file that ends in " + ", ".join(KINDS))
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"<img alt='{_escape(alt)}' src='data:{KINDS[path.suffix.lower()]};base64,{data}'>"


def _tiles(headline: Mapping[str, Any]) -> str:
    tiles = "".join(f"<div><b>{_cell(v)}</b><span>{_escape(k)}</span></div>" for k, v in headline.items())
    return f"<div class='tiles'>{tiles}</div>" if tiles else ""


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 4:
        return ""
    links = "".join(f"<a href='#s{i}'>{_escape(s.title)}</a>" for i, s in enumerate(sections))
    return f"<nav>{links}</nav>"


def _table(rows: Rows, units: Mapping[str, str]) -> str:
    rows, units = for_people(rows, units)
    columns = [c for c in columns_of(rows) if any(cell_text(row.get(c)) for row in rows)]
    kind = {c: " class='n'" if is_numeric(rows, c) else "" for c in columns}
    head = "".join(f"<th{kind[c]}>{_escape(head_text(c, units).replace('_', ' '))}</th>" for c in columns)
    lines = ("".join(f"<td{kind[c]}>{_cell(row.get(c))}</td>" for c in columns) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f"<div class='table'><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"


def _cell(value: Any) -> str:
    value = scalar(value)
    text = _escape(cell_text(value))
    if value is False:
        return f"<em>{text}</em>"
    if not isinstance(value, float):
        return text
    mantissa, _, power = text.partition("e")
    typeset = f"{mantissa} × 10<sup>{int(power)}</sup>" if power else mantissa
    return typeset.replace("-", "\N{MINUS SIGN}")


def _prose(text: str) -> str:
    blocks = [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    return "\n".join(_list(b) if b.startswith("- ") else f"<p>{_inline(b)}</p>" for b in blocks)


def _list(block: str) -> str:
    items = re.split(r"(?m)^- ", block)[1:]
    return "<ul>" + "".join(f"<li>{_inline(item.strip())}</li>" for item in items) + "</ul>"


def _inline(text: str) -> str:
    safe = re.sub(r"\[([^\]]+)\]\(([\w./-]+)\)", r"<a href='\2'>\1</a>", _escape(text))
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", re.sub(r"`(.+?)`", r"<code>\1</code>", safe))


def _escape(text: str) -> str:
    return html.escape(text, quote=True)
