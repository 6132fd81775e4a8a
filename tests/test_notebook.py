"""What people see of configurations, tables and results: at the prompt, in `help`, in notebooks."""

from __future__ import annotations

import ast
import dataclasses
import json
import pydoc
import sys
import types
from html.parser import HTMLParser
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from typer.testing import CliRunner

import plantar
from plantar._config import Checked
from plantar._fields import FieldRow
from plantar._notebook import MOST_ROWS, fields_table
from plantar.cli.app import app
from plantar.table import Table
from plantar.walk.result import WalkResult

NOTEBOOKS = Path(__file__).parents[1] / "examples" / "notebooks"


class Cells(HTMLParser):
    """Cells of all tables, and how many tags are open at the end."""

    def __init__(self, text: str):
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("img", "br"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plate(Checked):
    """A plate."""

    length: float = 0.2
    """Its length [m]."""
    holes: tuple[float, ...] = ()
    """Places of its holes [m]; none by default."""
    mark: str = "<b>"
    """What is printed on it."""
    solimp: tuple[float, ...] = (0.9, 0.001)
    """(impedance, width [m])."""


def test_a_repr_says_what_is_not_as_it_comes() -> None:
    foot = plantar.feet.SoftFoot(chains=3)
    assert repr(foot) == "SoftFoot(chains=3)"
    assert repr(foot.with_(band__hardness=70)) == "SoftFoot(chains=3, band=Band(hardness=70))"
    assert repr(Plate()) == "Plate()"
    assert repr(Plate(holes=tuple(np.linspace(0, 1, 1000)))) == "Plate(holes=(0, 0.001001, ... 1000 in all))"


def test_help_has_every_field_with_its_unit() -> None:
    text = pydoc.render_doc(plantar.feet.SoftFoot, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
    assert "chain_spacing (0.0185): Lateral distance between chains [m]." in text
    assert all(f" {field.name} (" in text for field in dataclasses.fields(plantar.feet.SoftFoot))
    assert (Plate.__doc__ or "").startswith("A plate.\n\nFields:\n    length (0.2): Its length [m].")


def test_fields_in_a_notebook_have_units_and_are_escaped() -> None:
    page = Cells(Plate(length=0.3)._repr_html_())
    assert page.open == []
    assert page.rows == [
        ["field", "value", "unit", "meaning"],
        ["length", "0.3", "m", "Its length."],
        ["holes", "()", "m", "Places of its holes; none by default."],
        ["mark", "<b>", "", "What is printed on it."],
        ["solimp", "(0.9, 0.001)", "", "(impedance, width [m])."],
    ]


@pytest.mark.parametrize(
    ("doc", "unit"), [("A [m], b.", "m"), ("Rolling [m] friction.", ""), ("From a [m] to b [s].", ""), ("None.", "")]
)
def test_a_unit_is_that_of_the_whole_field(doc: str, unit: str) -> None:
    assert FieldRow("x", 1.0, doc).unit == unit


def test_a_foot_shows_its_picture() -> None:
    text = plantar.feet.FlatFoot()._repr_html_()
    start = text.index("base64,") + 7
    assert text[start:].startswith("iVBORw0KGgo"), "a PNG"
    assert Cells(text).open == []
    assert ["length", "0.265", "m"] in [row[:3] for row in Cells(text).rows]


def test_a_long_table_shows_its_head_and_says_so() -> None:
    table = Table({"trial": k, "force [N]": 0.5 * k, "name": "<x>"} for k in range(3 * MOST_ROWS))
    page = Cells(table._repr_html_())
    assert page.rows[0] == ["trial", "force [N]", "name"]
    assert page.rows[3] == ["2", "1", "<x>"]
    assert len(page.rows) == MOST_ROWS + 1
    assert f"{MOST_ROWS} of {3 * MOST_ROWS} rows" in table._repr_html_()
    assert Table([])._repr_html_().startswith("<table>")


def test_a_table_goes_to_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table([{"a": 1, "b": 2.0}])
    made = types.SimpleNamespace(DataFrame=lambda rows, columns: (list(rows), columns))
    monkeypatch.setitem(sys.modules, "pandas", made)
    assert table.to_pandas() == ([{"a": 1, "b": 2.0}], ["a", "b"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(plantar.MissingExtra, match="pip install pandas"):
        table.to_pandas()


def test_a_result_of_the_bench_is_its_text_and_table() -> None:
    result = plantar.bench.press(plantar.feet.SoftFoot(chains=1, fidelity="fast"))
    assert repr(result).startswith("PressResult(Table(48 rows: trial, load")
    page = Cells(result._repr_html_())
    assert page.open == []
    assert page.rows[0] == result.columns


def test_results_of_other_rooms_have_a_short_repr_and_a_table() -> None:
    assert WalkResult.__repr__ is Checked.__repr__
    place = plantar.robots.load("biped").places[0]
    assert len(repr(place)) < 250
    assert "body" in [row[0] for row in Cells(place._repr_html_()).rows]


def test_fields_of_a_class_have_its_defaults() -> None:
    rows = {row["field"]: row for row in fields_table(plantar.bench.PressRig)}
    assert rows["tilt"]["unit"] == "rad"
    assert rows["tilt"]["value"] == pytest.approx(np.deg2rad(2.5))
    assert {row["field"]: row["value"] for row in fields_table(plantar.ground.HeightField)}["grid"] == "(must be given)"


@pytest.mark.parametrize(
    ("command", "field", "unit"),
    [
        (("feet", "fields", "softfoot"), "band.width", "m"),
        (("bench", "fields"), "tilt", "rad"),
        (("bench", "fields", "windlass"), "stand", "N"),
        (("ground", "fields", "slope"), "angle", "rad"),
    ],
)
def test_the_command_line_lists_fields(command: tuple[str, ...], field: str, unit: str) -> None:
    rows = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)["fields"]
    assert {row["field"]: row["unit"] for row in rows}[field] == unit


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    mpl.use("agg")
    book = json.loads(path.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {"__name__": "__main__"}
    for k, text in enumerate(cells):
        body = ast.parse(text).body
        last = body[-1] if isinstance(body[-1], ast.Expr) else None
        body = body[:-1] if last is not None else body
        exec(compile(ast.Module(body, []), f"cell {k}", "exec"), names)
        if last is not None:  # what a notebook would show
            shown = eval(compile(ast.Expression(last.value), f"cell {k}", "eval"), names)
            html = getattr(shown, "_repr_html_", None)
            assert html is None or Cells(html()).open == []
    assert not any(cell.get("outputs") for cell in book["cells"]), "results are not kept in the repository"
    assert len(sorted(NOTEBOOKS.glob("*.ipynb"))) == 3
