"""Records on disk: what goes in comes out, and a table does not depend on how its rows came."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from plantar import sweep
from plantar.errors import InvalidInput
from plantar.feet import SoftFoot
from plantar.sweep.job import judged
from plantar.sweep.plan import Plan
from plantar.sweep.record import NotPlain, common_kind, converter, flatten, kind_of
from plantar.sweep.store import open_store

numbers = st.floats() | st.integers(-(2**63) + 1, 2**63 - 1) | st.booleans()
cells = numbers | st.none() | st.text(max_size=5) | st.lists(numbers, max_size=3)
records = st.dictionaries(st.sampled_from(["a", "b", "keys", "über", "x.y"]), cells, min_size=1, max_size=4)


def make_rows(found: list[dict]) -> list[tuple]:
    """Rows as a run makes them from what trials return."""
    rows = []
    for i, record in enumerate(found):
        outcome = judged(i, record)
        rows.append((*outcome, 1000 + i, [i / 2, "c"]))
    return rows


def keep(folder: Path, batches: list[list[tuple]], count: int) -> None:
    """A sweep whose rows come in these batches."""
    identity = {"function": "f", "trials": count, "seed": 0}
    store = open_store(folder, Plan(identity=identity, fixed={}, varying=("half", "text")))
    for batch in batches:
        store.add(batch)
        store.flush()
    store.finish()
    store.close()


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40, deadline=None)
@given(record=records)
def test_a_row_gives_back_every_cell_as_it_was(tmp_path_factory: pytest.TempPathFactory, record: dict) -> None:
    rows = make_rows([record])
    assume(rows[0][1] == "ok")
    folder = tmp_path_factory.mktemp("sweep") / "run"
    keep(folder, [rows], 1)
    (row,) = sweep.load(folder)
    for name, cell in flatten(record).items():
        # a list of numbers and texts, or of numbers and truth values, is a JSON text
        found = json.loads(row[name]) if kind_of(cell) == "[json]" else row[name]
        assert repr(found) == repr(cell), name
    assert (row["config.half"], row["config.text"], row["seed"]) == (0.0, "c", 1000)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40, deadline=None)
@given(st.lists(records, min_size=2, max_size=10), st.integers(0, 1000))
def test_the_table_does_not_depend_on_how_rows_came(
    tmp_path_factory: pytest.TempPathFactory, found: list[dict], seed: int
) -> None:
    rows = make_rows(found)
    rng = random.Random(seed)
    tables = []
    for shuffled in (rows, rng.sample(rows, len(rows))):
        folder = tmp_path_factory.mktemp("sweep") / "run"
        cut = rng.randint(0, len(rows))
        keep(folder, [shuffled[:cut], shuffled[cut:]], len(rows))
        tables.append([(folder / name).read_bytes() for name in ("table.csv", "table.parquet")])
        assert repr(list(sweep.load(folder))) == repr(pq.read_table(folder / "table.parquet").to_pylist())
    assert tables[0] == tables[1]


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


def test_a_name_that_stands_twice_loses_no_value(tmp_path: Path) -> None:
    for record in ({"p.q": 1, "p": {"q": 2}}, {"p": {"q": 2}, "p.q": 1}):
        with pytest.raises(NotPlain, match="'p.*stands twice"):
            flatten(record)
    assert flatten({"p": {"q": 2}, "p.r": 1, "pq": {}}) == {"p.q": 2, "p.r": 1}
    with pytest.raises(InvalidInput, match="trial 0 cannot be used: the name 'p'"):
        sweep.run(lambda config, seed: {"x": 1}, [{"p.q": 1, "p": {"q": 2}}], out=tmp_path / "run")


def test_values_that_count_as_equal_but_are_not_the_same_are_columns(tmp_path: Path) -> None:
    for values in ([1, True], [1.0, 1], [0.0, -0.0], [[0], [False]]):
        trials = [{"a": value, "b": 7} for value in values]
        table = sweep.run(lambda config, seed: {"x": 1}, trials, out=tmp_path / "run", overwrite=True).load()
        assert "config.a" in table.columns and "config.b" not in table.columns


def test_columns_take_the_kind_that_holds_all_their_cells() -> None:
    def kind(*column: object) -> str | None:
        return common_kind({kind_of(cell) for cell in column} - {""})  # type: ignore[arg-type]

    assert kind(1, None, 2) == "int"
    assert kind(1, 2.5) == "float"
    assert kind(None) is None
    assert kind([], [1.0], None) == "[float]"
    assert kind([[1]], [[2.5], []]) == "[[float]]"
    assert kind(1, "a") == kind(True, 1) == kind([1], 1) == "json"
    change = converter("json")
    assert change is not None and change([1, "a"]) == '[1, "a"]' and change(None) is None
