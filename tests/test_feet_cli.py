"""`plantar feet`: what it prints, what it writes and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import pytest
from typer.testing import CliRunner

from plantar import InvalidInput, feet
from plantar.cli.app import app
from plantar.feet import export, registry

ONE_CHAIN = ("--set", "chains=1")


def run(*args: str, code: int = 0, stdin: str | None = None):
    result = CliRunner().invoke(app, ["feet", *args], input=stdin)
    assert result.exit_code == code, result.output
    return result


def test_list_names_every_foot_its_builds_and_its_package():
    table = run("list").output
    assert all(name in table for name in feet.names())
    rows = json.loads(run("list", "--json").output)["feet"]
    light, own = ["full", "hinge", "fast"], "plantar"
    builds = {"ball": ["full"], "flat": ["full"], "softfoot": light, "softfoot_published": light}
    builds |= dict.fromkeys(("softfoot_q", "softfoot_q_three"), ["full", "hinge", "fast"]) | {"solid": ["full", "fast"]}
    assert {row["name"]: (row["fidelities"], row["package"]) for row in rows} == {
        n: (b, own) for n, b in builds.items()
    }
    assert all(row["what"].endswith(".") for row in rows)


def test_what_is_listed_without_building_is_true():
    entry = next(e for e in registry.entries() if e.name == "solid")
    cls = feet.SolidFoot
    assert (entry.summary, entry.fidelities) == ((cls.__doc__ or "").split("\n")[0], cls.fidelities)


def test_show_tells_fields_units_and_what_follows():
    text = run("show", "softfoot", "--set", "band.hardness=70").output
    assert "Shore A hardness" in text and "[N m/rad]" in text
    record = json.loads(run("show", "softfoot", "--set", "band.hardness=70", "--json").output)
    assert record["foot"]["band"]["hardness"] == 70
    derived = record["derived"]
    assert (derived["degrees of freedom"], derived["equalities"], derived["tendons"]) == (92, 50, 5)
    assert derived["mass [kg]"] == pytest.approx(0.937, rel=1e-3)
    assert derived["joint stiffness [N m/rad]"] == feet.get("softfoot", band__hardness=70).band.hinge_stiffness  # type: ignore[attr-defined]


def test_values_of_every_kind_can_be_set():
    sets = ["chains=2", "side=right", "chain_offsets=[-0.01, 0.01]", "tendon.rest_length=null", "tendon.present=true"]
    args = [word for text in sets for word in ("--set", text)]
    record = json.loads(run("show", "softfoot", *args, "--json").output)["foot"]
    assert (record["chains"], record["side"], record["chain_offsets"]) == (2, "right", [-0.01, 0.01])


def test_a_foot_is_read_from_its_file(tmp_path: Path):
    path = feet.save(feet.get("softfoot", chains=3), tmp_path / "mine.json")
    assert json.loads(run("show", str(path), "--json").output)["foot"]["chains"] == 3
    assert feet.get(str(path), chains=2) == feet.get("softfoot", chains=2)


@pytest.mark.parametrize("name", ["softfoot:fast", "softfoot_published", "softfoot_q:hinge", "flat", "ball"])
def test_what_show_prints_is_a_foot_again(name: str, tmp_path: Path):
    printed = run("show", name, "--set", "friction=0.7", "--json").output
    foot = feet.get(name, friction=0.7)
    assert feet.parse(printed) == foot
    again = json.loads(run("show", "-", "--json", stdin=printed).output)
    assert again == json.loads(printed)
    file = tmp_path / "printed.json"
    file.write_text(printed)
    assert feet.get(str(file)) == foot


def test_what_export_prints_and_writes_is_a_foot_again(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(export, "draw", lambda foot, path: None)
    printed = run("export", "softfoot:fast", str(tmp_path / "foot"), *ONE_CHAIN, "--json").output
    assert feet.parse(printed) == feet.load(tmp_path / "foot" / "softfoot.json") == feet.get("softfoot:fast", chains=1)


def test_a_name_carries_its_fidelity():
    assert feet.get("softfoot:fast") == feet.get("softfoot", fidelity="fast")
    assert feet.get("softfoot_q_three:hinge", friction=0.5).fidelity == "hinge"
    with pytest.raises(InvalidInput, match="fidelity = 'quick' is not allowed: give one of 'full', 'hinge', 'fast'"):
        feet.get("softfoot:quick")
    with pytest.raises(InvalidInput, match="fidelity = ''"):
        feet.get("softfoot:")


def test_export_writes_a_folder_that_opens(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(export, "draw", lambda foot, path: None)
    folder = tmp_path / "foot"
    record = json.loads(run("export", "softfoot", str(folder), *ONE_CHAIN, "--json").output)
    assert set(record["files"]) == {p.name for p in folder.iterdir()}
    assert mujoco.MjModel.from_xml_path(str(folder / "scene.xml")).nv == 21
    assert "already holds files" in run("export", "flat", str(folder), code=2).stderr
    run("export", "softfoot", str(folder), *ONE_CHAIN, "--overwrite")


def test_picture(tmp_path: Path):
    path = tmp_path / "foot.png"
    run("show", "ball", "--picture", str(path))
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "exists" in run("show", "ball", "--picture", str(path), code=2).stderr
    assert "cannot be written" in run("show", "ball", "--picture", str(tmp_path / "no" / "x.png"), code=2).stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["show", "softfot"], "did you mean 'softfoot'"),
        (["show", "softfoot", "--set", "chains=0"], "chains = 0"),
        (["show", "softfoot", "--set", "chains=6"], "1 to 5"),
        (["show", "softfoot", "--set", "pitch=-0.02"], "pitch = -0.02"),
        (["show", "softfoot", "--set", "pitch=wide"], "pitch = 'wide'"),
        (["show", "softfoot", "--set", "pitch=NaN"], "pitch = nan"),
        (["show", "softfoot", "--set", "colour=red"], "colour"),
        (["show", "softfoot", "--set", "band.hardness"], "FIELD=VALUE"),
        (["show", "absent.json"], "cannot be read"),
        (["show", "softfoot:quick"], "'full', 'hinge', 'fast'"),
        (["show", "published"], "did you mean 'softfoot_published'"),
        (["show", "-"], "stdin is not a foot"),
        (["check", "scene.xml", "--set", "chains=1"], "no fields"),
        (["export", "softfoot", "/proc/plantar"], "cannot be written"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(args, words):
    result = run(*args, code=2)
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert "Traceback" not in result.output


def test_a_bad_part_is_named_by_its_path():
    assert "parts.module.mass = -1.0" in run("show", "softfoot", "--set", "parts.module.mass=-1", code=2).stderr


def test_the_tendon_of_a_light_build_has_the_length_of_the_full_one():
    lengths = []
    for fidelity in ("full", "fast"):
        shown = json.loads(run("show", f"softfoot:{fidelity}", "--json").stdout)
        lengths.append(shown["derived"]["tendon path length [m]"])
    assert lengths[0] == lengths[1] > 0.1
