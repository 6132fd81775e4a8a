"""The bench commands: one small good run each, and what they say to input that cannot be used."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from plantar.bench import press
from plantar.bench.compare.measured import write_measured
from plantar.cli.app import run

FEW = ["--loads", "24", "--heights", "0.011", "--positions", "2,4"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Presses of the default foot itself, as if measured."""
    path = tmp_path_factory.mktemp("measured") / "measured.csv"
    return write_measured(path, press(loads=(24,), heights=(0.011,), positions=(2, 3, 4)))


def record(capsys: pytest.CaptureFixture[str]) -> dict:
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("model", ["mujoco", "analytic", "both"])
def test_press(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "press", *FEW, "--model", model, "--json"]) == 0
    found = record(capsys)
    assert found["settled"] == found["trials"] == 2
    names = {path.name for path in Path("runs/press").iterdir()}
    assert {"trials.csv", "config.json", "report.html", "forces.png"} <= names
    assert ("watch.html" in names) == (model != "analytic")
    if model == "both":
        assert max(found["differences"].values()) < 5


def test_a_second_run_takes_a_folder_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("runs/press", "runs/press-2"):
        assert run(["bench", "press", *FEW, "--model", "analytic"]) == 0
        assert folder in capsys.readouterr().out


def test_compare_with_itself_finds_no_error(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "compare", str(measured), "--json", "--out", "out"]) == 0
    ours = record(capsys)["summary"][0]
    assert max(abs(ours[body]) for body in ("heel", "module", "metatarsus")) < 1e-6
    assert len(list(Path("out").glob("figure*.png"))) == 4
    assert "Figure 5" in Path("out/report.html").read_text(encoding="utf-8")


def test_template_is_refused_until_it_is_filled(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "template", "m.csv"]) == 0
    before = Path("m.csv").read_bytes()
    assert run(["bench", "template", "m.csv"]) == 2
    assert run(["bench", "compare", "m.csv"]) == 2
    assert "no row has a measured value" in capsys.readouterr().err
    assert Path("m.csv").read_bytes() == before


def test_windlass_and_stiffness_say_what_they_come_down_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "windlass", "--chains", "1", "--angles", "0,3,25", "--json"]) == 0
    summary = {row["foot"]: row for row in record(capsys)["summary"]}
    assert summary["foot"]["taut_from_angle"] < 0.06
    assert summary["foot"]["toe_force_at_last"] > 2 * summary["no tendons"]["toe_force_at_last"]
    loads = "10,40,100,200"
    assert run(["bench", "stiffness", "--chains", "1", "--loads", loads, "--no-beside", "--json"]) == 0
    assert record(capsys)["summary"][0]["ratio"] > 1


def test_what_can_be_calibrated_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "calibrate", "--parameters", "list", "--json"]) == 0
    assert "rig.tilt" in [row["name"] for row in record(capsys)["parameters"]]


def test_help_keeps_the_units(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "press", "--help"]) == 0
    assert "[m]" in capsys.readouterr().out


@pytest.mark.parametrize(
    "args",
    [
        "press --chains 0",
        "press --chains 6",
        "press --set pitch=-0.022",
        "press --set pitch=22",
        "press --set module_half_size=[10,5.5,10.5]",
        "press --set tendon.arm=3.8",
        "press --positions nan",
        "press --positions 7",
        "press --loads 12,x",
        "press --heights 7",
        "press --duration inf",
        "press --duration -1",
        "press --duration 0.0009",
        "press --rig obstacle_width=-0.01",
        "press --rig radius=5",
        "press --rig timestep=1e-9",
        "press --rig ground_stiffness=-1",
        "press --rig gravity=Infinity",
        "press --model analytic --rig friction=1",
        "press --foot ball",
        "press --foot flat --chains 2",
        "press --foot flat --rig flat=true",
        "press --foot flat --model analytic",
        "windlass --foot flat",
        "windlass --foot ball",
        "windlass --foot softfoot_q",
        "windlass --foot softfoot --set rigid=true",
        "press --out /proc/plantar",
        "press --out /dev/null",
        "windlass --angles 99",
        "windlass --stand -5",
        "stiffness --radius 25",
        "stiffness --loads 40,10",
        "compare nothing.csv",
        "sensitivity nothing.csv",
        "calibrate",
        "calibrate nothing.csv",
        "replay nothing",
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(args: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", *args.split()]) == 2
    error = capsys.readouterr().err.strip()
    assert error.startswith("plantar: error:") and "\n" not in error
    assert not [path for path in Path().rglob("*") if path.is_file() or path.name != "runs"]


@pytest.mark.parametrize("options", [["--parameters", "nope"], ["--bounds", "rig.tilt=5,1"], ["--folds", "1"]])
def test_bad_calibration_is_one_line_and_leaves_nothing(
    options: list[str], measured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", "calibrate", str(measured), *options]) == 2
    assert "\n" not in capsys.readouterr().err.strip()
    assert not Path("runs/calibrate").exists()


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("force_heel", "heel", "force_heel"),
        (",0.011,", ",11,", "millimetres"),
        (",0.011,", ",eleven,", "eleven"),
    ],
)
def test_a_wrong_csv_is_explained(
    old: str, new: str, word: str, measured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("wrong.csv").write_text(measured.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert run(["bench", "compare", "wrong.csv"]) == 2
    error = capsys.readouterr().err.strip()
    assert word in error and "\n" not in error


def test_one_column_in_kilonewtons_is_noticed(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = press(loads=(24,), heights=(0.011,), positions=(2, 3, 4))
    write_measured(Path("kilo.csv"), [row | {"force_heel": row["force_heel"] / 1000} for row in rows])
    assert run(["bench", "compare", "kilo.csv"]) == 2
    assert "kilonewtons" in capsys.readouterr().err


def test_example_finds_that_the_models_agree(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[1] / "examples" / "03_press.py"
    spec = importlib.util.spec_from_file_location("example_03", path)
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    simulated, differences = example.main()
    assert simulated.column("settled").all()
    assert max(differences.values()) < 5
    assert "module 6" in capsys.readouterr().out
