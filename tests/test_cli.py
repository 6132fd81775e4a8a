"""The command line: exit codes, one-line errors, machine-readable output, progress."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

import plantar
from plantar._extras import EXTRAS, Extra, require_extra
from plantar.cli import app as cli
from plantar.cli import lazy
from plantar.cli.common import (
    Draws,
    Json,
    Out,
    Overwrite,
    Progress,
    Seed,
    emit,
    ends_in_a_line,
    results_folder,
    run_command,
    table_text,
)
from plantar.cli.foot_options import Set
from plantar.cli.terminal import fit_table
from plantar.errors import InvalidInput, MissingExtra, PlantarError

SRC = Path(plantar.__file__).parents[1]


def plantar_command(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(SRC), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "plantar", *args],
        env={**os.environ, "PYTHONPATH": path, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """A command line with one command that does as it is told, run through Plantar's own entry point."""
    app = typer.Typer()

    @app.command()
    @run_command
    def work(how: str, out: Out = None, seed: Seed = 0, as_json: Json = False) -> int:
        """Work."""
        errors = {"bad": InvalidInput("load = -1 is not allowed:\ngive 0 or more"), "fail": PlantarError("it broke")}
        if how in errors:
            raise errors[how]
        if how == "crash":
            raise ZeroDivisionError("unforeseen")
        if how == "late":
            results_folder(out, "toy", overwrite=False, settings={"seed": seed})
            raise InvalidInput("start = 'b.pt' is not allowed: it is of another robot")
        if out is not None:
            results_folder(out, "toy", overwrite=False)
        emit({"how": how, "seed": seed, "nan": float("nan")}, as_json=as_json, text="done well")
        return 7

    @app.callback()
    def root() -> None:
        """Toy."""

    monkeypatch.setattr(cli, "app", app)
    return app


@pytest.mark.parametrize(("how", "code"), [("well", 0), ("fail", 1), ("bad", 2)])
def test_exit_codes(toy: typer.Typer, how: str, code: int) -> None:
    assert cli.run(["work", how]) == code


def test_an_error_is_one_line_on_stderr(toy: typer.Typer, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["work", "bad"])
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "plantar: error: load = -1 is not allowed: give 0 or more\n"


def test_the_unforeseen_keeps_its_traceback(toy: typer.Typer) -> None:
    with pytest.raises(ZeroDivisionError):
        cli.run(["work", "crash"])


def test_a_refusal_of_resumable_work_before_its_first_result_leaves_the_folder_free(
    toy: typer.Typer, tmp_path: Path
) -> None:
    here, new = tmp_path / "here", tmp_path / "runs" / "new"
    here.mkdir()
    for folder in (here, new):
        assert cli.run(["work", "late", "--out", str(folder)]) == 2
        assert cli.run(["work", "late", "--seed", "2", "--out", str(folder)]) == 2
    assert list(here.iterdir()) == []
    assert not new.parent.exists()


def test_a_folder_that_was_killed_before_its_first_result_is_free(
    toy: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.json").write_text('{"seed": 1}\n')
    assert cli.run(["work", "late", "--seed", "2", "--out", str(tmp_path)]) == 2
    (tmp_path / "history.csv").write_text("1")
    (tmp_path / "settings.json").write_text('{"seed": 1}\n')
    assert cli.run(["work", "late", "--seed", "2", "--out", str(tmp_path)]) == 2
    assert (tmp_path / "settings.json").read_text() == '{"seed": 1}\n', "results of other settings are kept"


@pytest.mark.parametrize(
    "args", [["work"], ["nothing"], ["work", "well", "--colour"], ["work", "well", "--seed", "-1"], ["--loud"]]
)
def test_usage_errors_are_one_line_and_exit_2(
    toy: typer.Typer, args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("plantar: error: ")
    assert err.count("\n") == 1
    assert "--help`" in err


def test_no_command_ends_in_failure_without_a_line_of_error() -> None:
    """`fail` prints it; an exit code by itself leaves people and programs without a reason."""
    silent = [
        path.name for path in Path(cli.__file__).parent.rglob("*.py") if "Exit(FAILED)" in path.read_text("utf-8")
    ]
    assert silent == []


@pytest.mark.parametrize(
    "text", ["libblas.so: failed to map segment from shared object", "cannot allocate memory in x"]
)
def test_a_library_that_finds_no_memory_is_a_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end, ends_in_a_line():
        raise ImportError(text)
    assert end.value.exit_code == 1
    assert capsys.readouterr().err == f"plantar: error: not enough memory ({text}): do less at once\n"


def test_a_library_that_is_broken_keeps_its_traceback() -> None:
    with pytest.raises(ImportError), ends_in_a_line():
        raise ImportError("no module named x")


def test_json_is_one_strict_line(toy: typer.Typer, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["work", "well", "--json", "--seed", "3"])
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert json.loads(out) == {"how": "well", "seed": 3, "nan": None}
    assert err == ""


def test_an_output_that_is_a_file_exits_2_and_is_not_touched(toy: typer.Typer, tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.write_text("mine")
    assert cli.run(["work", "well", "--out", str(file)]) == 2
    assert file.read_text() == "mine"


def test_letters_that_standard_output_lacks_do_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    emit({"folder": "足"}, as_json=True)
    assert json.loads(raw.getvalue()) == {"folder": "足"}


@pytest.mark.parametrize("line", [["robots", "show", "biped", "--ankle=\udcff"], ["gait", "drops", "\udcff.csv"]])
def test_bytes_that_are_no_text_are_refused(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(line) == 2
    assert "is not valid UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        ["feet", "show", "ball", "--set", "friction=0.5", "--set", "friction=0.8"],
        ["feet", "show", "softfoot", "--set", 'band={"hardness": 50, "hardness": 60}'],
        ["feet", "show", "softfoot", "--set", "band.hardness=50", "--set", "band__hardness=60"],
        ["sweep", "press", "load=12", "height=0.01", "load=24"],
        ["design", "--foot", "ball", "--vary", "radius=0.02..0.04", "--objectives", "sinkage:load=1:load=2"],
    ],
)
def test_what_is_set_twice_is_refused(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(line) == 2
    said = capsys.readouterr().err
    assert "once" in said and said.count("\n") == 1


def test_version_and_entry_point() -> None:
    done = plantar_command("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"plantar {plantar.__version__}\n", "")


def test_a_mistyped_command_exits_2_without_traceback() -> None:
    done = plantar_command("bnech")
    assert done.returncode == 2
    assert done.stderr.startswith("plantar: error: No such command")
    assert done.stderr.count("\n") == 1


def loaded_by(*args: str) -> set[str]:
    """Modules that are there after a command has run in a process of its own."""
    code = f"import sys; from plantar.cli.app import run; assert run({list(args)}) == 0; print(' '.join(sys.modules))"
    path = os.pathsep.join([str(SRC), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


HEAVY = {"plantar.bench", "plantar.walk", "plantar.soft", "plantar.gait", "plantar.foothold", "plantar.sweep"}
HEAVY |= {"plantar.robots", "casadi", "scipy.stats", "matplotlib", "numba"}


def test_help_loads_no_room() -> None:
    loaded = loaded_by("--help")
    assert not loaded & {*HEAVY, "plantar.feet", "plantar.ground", "mujoco", "numpy", "scipy"}
    assert {name for name in loaded if name.startswith("plantar.cli.")} <= {f"plantar.cli.{m}" for m in LIGHT}
    assert not loaded_by("foothold", "--help") & {*HEAVY, "plantar.feet", "plantar.ground", "mujoco", "numpy", "scipy"}


LIGHT = ("app", "common", "lazy", "terminal")


def test_the_bench_is_there_without_what_takes_long_to_import() -> None:
    code = "import plantar.bench, sys; print(' '.join(sys.modules))"
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"scipy", "matplotlib", "warp"}


def test_a_command_loads_only_its_own_room() -> None:
    loaded = loaded_by("feet", "list")
    assert "plantar.cli.feet.list" in loaded and "plantar.feet" in loaded
    assert not loaded & HEAVY
    assert not loaded & {f"plantar.cli.{room}" for room in cli.ROOMS if room != "feet"}


def verbs() -> list[tuple[str, str]]:
    """Every room and verb of the command line."""
    found = []
    for room, (place, _) in cli.ROOMS.items():
        command = lazy.build(room, place)
        found += [(room, verb) for verb in command.list_commands(None)] if hasattr(command, "list_commands") else []
    return found


def test_the_static_help_says_what_rooms_and_verbs_say_themselves() -> None:
    for room, (place, line) in cli.ROOMS.items():
        command = lazy.build(room, place)
        assert (command.help or "").split("\n")[0] == line
        for verb, (where, about) in getattr(command, "table", {}).items():
            assert (lazy.build(verb, where).help or "").split("\n")[0] == about, (room, verb)


def test_options_are_called_alike_in_all_rooms() -> None:
    """What a command takes of feet, seeds and folders has one name and one meaning everywhere."""
    shared = {"--set": Set, "--seed": Seed, "--out": Out, "--json": Json, "--overwrite": Overwrite, "--draws": Draws}
    helps = {name: get_args(option)[1].help for name, option in shared.items()}
    for room, verb in verbs():
        params = {name: p for p in _command(room, verb).params for name in p.opts}
        metavars = {p.metavar for p in params.values()}
        assert not {"--foot", "--feet"} <= set(params) and not {"--seeds", "--force"} & set(params), (room, verb)
        takes_one = "--foot" in params or "FOOT" in metavars
        assert takes_one == ("--set" in params) or (room, verb) in NAME_ONLY, (room, verb)
        for name in set(helps) & set(params):
            own_words = (room, verb, name) in OWN_WORDS
            assert own_words or params[name].help == helps[name], f"{room} {verb} {name}: {params[name].help}"


NAME_ONLY = {("foothold", "calibrate")}
"""Its data say which foot was pressed."""
OWN_WORDS = {("foothold", "evaluate", "--seed"), ("robots", "mount", "--out")}
"""Its seed must differ from the one that the networks were trained on; it writes a model only if asked to."""


def _command(room: str, verb: str) -> Any:
    command = lazy.build(room, cli.ROOMS[room][0])
    return command.get_command(None, verb)


def test_commands_run_where_mujoco_gl_names_an_absent_library() -> None:
    from ctypes.util import find_library

    if sys.platform != "linux" or find_library("OSMesa"):
        pytest.skip("this machine has OSMesa, so the variable names a library that is there")
    done = plantar_command("doctor", "--json", MUJOCO_GL="osmesa")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["opengl"]["available"] is False


def test_doctor_reports_versions_extras_and_opengl(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLANTAR_NO_GL", "1")
    monkeypatch.setitem(EXTRAS, "dream", Extra(modules=("no_such_module",), unlocks="dreams"))
    assert cli.run(["doctor", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    import mujoco

    assert record["packages"]["mujoco"] == mujoco.__version__
    assert record["extras"]["dream"] == {"installed": False, "missing": ["no_such_module"], "unlocks": "dreams"}
    assert record["opengl"]["available"] is False
    assert cli.run(["doctor"]) == 0
    text = capsys.readouterr().out
    assert "pip install 'plantar[dream]'" in text
    assert "ray cast" in text


def test_a_missing_extra_is_named_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "dream", Extra(modules=("json", "no_such_module"), unlocks="dreams"))
    with pytest.raises(MissingExtra, match=r"dreams needs no_such_module.*plantar\[dream\]"):
        require_extra("dream")


def test_extras_are_those_of_the_project_file() -> None:
    import tomllib

    project = tomllib.loads((SRC.parent / "pyproject.toml").read_text())["project"]
    assert set(EXTRAS) == set(project["optional-dependencies"]) - {"all", "dev"}


def test_rooms_are_reached_from_the_top_and_unknown_names_list_them() -> None:
    assert plantar.show.Section is not None
    with pytest.raises(AttributeError, match="rooms are feet, robots, ground, bench, "):
        _ = plantar.attic


def test_table_text_aligns_numbers_right_and_text_left() -> None:
    rows = [{"name": "a", "force": 12.34567, "ok": True}, {"name": "long", "force": 1.0, "ok": False}]
    assert table_text(rows).splitlines() == [
        "name  force  ok",
        "----  -----  ---",
        "a     12.35  yes",
        "long      1  no",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_draws_on_a_terminal_and_wipes_itself() -> None:
    terminal = Terminal()
    with Progress(4, "pressing", terminal) as progress:
        for _ in range(4):
            progress.advance()
    drawings = terminal.getvalue().split("\r")
    assert any("pressing" in d and "4/4" in d for d in drawings)
    assert drawings[-2].strip() == "" and drawings[-1] == ""


def test_progress_is_silent_in_a_pipe() -> None:
    pipe = io.StringIO()
    with Progress(2, "pressing", pipe) as progress:
        progress.advance(2)
    assert pipe.getvalue() == ""


def test_progress_shows_pace_and_time_left() -> None:
    progress = Progress(48, "pressing", io.StringIO())
    progress.advance(12)
    assert progress.line(elapsed=3.0).endswith("12/48  4/s  9 s left")


def test_no_process_is_started_to_look_for_the_library_of_windows():
    """GLFW's package asks a process of its own for the version of each library: time, and a trace if cut off."""
    seen = "import sys, subprocess; subprocess.Popen = None; import plantar.cli, mujoco; print('glfw' in sys.modules)"
    env = {k: v for k, v in os.environ.items() if k not in ("PYGLFW_LIBRARY", "MUJOCO_GL")}
    found = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, env=env, check=False)
    assert found.returncode == 0 and found.stdout in ("True\n", "False\n"), found.stderr[-400:]


def test_a_table_wider_than_the_terminal_is_made_to_fit() -> None:
    rows = [
        {"name": "arm", "largest_tension_of_all": 1.25, "meaning": "How far the tendon passes below the hinge axes"},
        {"name": "stop", "largest_tension_of_all": -3.0, "meaning": "Short"},
    ]
    lines = table_text(rows).split("\n")
    head, body = fit_table(lines, 44)
    assert [*head, *body] == [
        "      largest_",
        "      tension_",
        "name    of_all  meaning",
        "----  --------  ----------------------------",
        "arm       1.25  How far the tendon passes",
        "                below the hinge axes",
        "stop        -3  Short",
    ]
    assert fit_table(lines, 200) == ([lines[0]], lines[1:]), "what fits stays as it is"


def test_text_around_tables_and_pipes_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(["done", "", table_text([{"what": "long " * 40}]), "", "report: runs/x/report.html", "x" * 300])
    pipe, terminal = io.StringIO(), Terminal()
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    for stream in (pipe, terminal):
        monkeypatch.setattr(sys, "stdout", stream)
        emit({}, as_json=False, text=text)
    assert pipe.getvalue() == text + "\n"
    shown = terminal.getvalue().splitlines()
    assert shown[0] == "done" and shown[-2:] == ["report: runs/x/report.html", "x" * 300]
    assert len(shown) > 8 and max(map(len, shown[:-1])) <= 60


def test_every_argument_and_option_says_what_it_is() -> None:
    silent = []
    for room, (place, _) in cli.ROOMS.items():
        command = lazy.build(room, place)
        verbs = (
            {room: command}
            if not hasattr(command, "table")
            else {f"{room} {verb}": lazy.build(verb, where) for verb, (where, _) in command.table.items()}
        )
        for name, verb in verbs.items():
            silent += [f"{name} {option.opts[-1]}" for option in verb.params if not getattr(option, "help", None)]
    assert silent == []
