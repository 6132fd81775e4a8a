"""Records on disk: what goes in comes out, and a table does not depend on how its rows were parted."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plantar.feet import SoftFoot
from plantar.sweep import _parts
from plantar.sweep._parts import read_lines, read_part, write_part
from plantar.sweep._table import blocks, find_form, read_table, write_table
from plantar.sweep.job import judged
from plantar.sweep.record import NotPlain, common_kind, converter, flatten, kinds_of

numbers = st.floats(allow_nan=False) | st.integers(-(2**63) + 1, 2**63 - 1) | st.booleans()
cells = numbers | st.none() | st.text(max_size=5) | st.lists(numbers, max_size=3)
records = st.dictionaries(st.sampled_from(["a", "b", "keys", "über", "x.y"]), cells, min_size=1, max_size=4)


def make_rows(found: list[dict]) -> list[tuple]:
    """Rows as a run makes them from what trials return."""
    rows = []
    for i, record in enumerate(found):
        outcome = judged(i, record)
        rows.append((*outcome, 1000 + i, [i / 2, "c"]))
    return rows


@given(st.lists(records, min_size=1, max_size=8))
def test_a_part_gives_back_every_cell_as_it_was(tmp_path_factory: pytest.TempPathFactory, found: list[dict]) -> None:
    rows = make_rows(found)
    folder = tmp_path_factory.mktemp("parts")
    for suffix in (_parts.PARQUET, _parts.JSON):
        path = folder / f"part-000000{suffix}"
        write_part(path, rows, ["half", "text"])
        assert repr(read_part(path, ["half", "text"])) == repr(_parts.to_columns(rows, ["half", "text"]))


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(st.lists(records, min_size=2, max_size=10), st.integers(0, 1000))
def test_the_table_does_not_depend_on_how_rows_came(
    tmp_path_factory: pytest.TempPathFactory, found: list[dict], seed: int
) -> None:
    rows = make_rows(found)
    rng = random.Random(seed)
    tables = []
    for shuffled in (rows, rng.sample(rows, len(rows))):
        folder = tmp_path_factory.mktemp("sweep")
        (folder / "parts").mkdir()
        (folder / "sweep.json").write_text(json.dumps({"varying": ["half", "text"]}))
        cut = rng.randint(0, len(rows))
        for number, part in enumerate(p for p in (shuffled[:cut], shuffled[cut:]) if p):
            suffix = rng.choice([_parts.PARQUET, _parts.JSON])
            path = folder / "parts" / f"part-{number:06d}{suffix}"
            write_part(path, sorted(part, key=lambda row: row[0]), ["half", "text"])
        tables.append(write_table(folder).read_bytes())
        by_lines = [repr(block) for block in blocks(folder, find_form(folder))]
        assert by_lines == [repr(block) for block in read_table(folder / "table.parquet")]
    assert tables[0] == tables[1]


def test_a_journal_cut_anywhere_gives_the_lines_before_the_cut(tmp_path: Path) -> None:
    first, second = make_rows([{"a": 1.5}, {"a": 2}]), make_rows([{"b": "ü"}])
    text = (_parts.line(first) + _parts.line(second)).encode()
    for cut in range(len(text) + 1):
        (tmp_path / "journal").write_bytes(text[:cut])
        found = len(read_lines(tmp_path / "journal"))
        assert found in (0, 2, 3)
        assert found >= 2 * (cut >= len(_parts.line(first)))


def test_nested_records_become_dotted_names() -> None:
    @dataclass
    class Inner:
        a: int = 1
        b: tuple[float, ...] = (0.5, 1)

    @dataclass
    class Outer:
        inner: Inner = field(default_factory=Inner)
        size: np.float32 = np.float32(0.25)

    assert flatten(Outer()) == {"inner.a": 1, "inner.b": [0.5, 1.0], "size": 0.25}
    assert flatten({"foot": SoftFoot(chains=2)})["foot.chains"] == 2
    assert flatten({"m": np.eye(2)}) == {"m": [[1.0, 0.0], [0.0, 1.0]]}
    with pytest.raises(NotPlain, match="z is a complex"):
        flatten({"z": 1j})


def test_columns_take_the_kind_that_holds_all_their_cells() -> None:
    def kind(*column: object) -> str | None:
        return common_kind(kinds_of(column))  # type: ignore[arg-type]

    assert kind(1, None, 2) == "int"
    assert kind(1, 2.5) == "float"
    assert kind(None) is None
    assert kind([], [1.0], None) == "[float]"
    assert kind([[1]], [[2.5], []]) == "[[float]]"
    assert kind(1, "a") == kind(True, 1) == kind([1], 1) == "json"
    change = converter("json")
    assert change is not None and change([1, "a"]) == '[1, "a"]' and change(None) is None
