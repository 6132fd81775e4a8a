"""Files of policies: which walks they may walk, whose cards are told, and what is refused in one line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from learn_policies import TROTS, Still, altered, network, refused

from plantar import feet, robots
from plantar._files import to_json
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.learn import EvaluateConfig, Policy, TaskConfig, TrainConfig, evaluate, subject_of
from plantar.learn.card import SEEN, card_of, read_card
from plantar.learn.controller import found_file
from plantar.learn.errand import Pace
from plantar.learn.walker import walker_of
from plantar.learn.walks import Walks, course_of, trials_of

SHORT = ["--stiffness", "1", "--levels", "0", "--draws", "1", "--processes", "1", "--json"]
"""One walk."""
GLANCE = ["--distance", "0.2", "--seconds", "0.1", "--no-browser", "--port", "0"]
SOFT, HARD = feet.get("softfoot:fast"), feet.get("softfoot_q:fast").with_(friction=0.3)


@pytest.fixture(scope="module")
def subject():
    return subject_of("biped", SOFT)


def test_play_writes_the_walk_as_a_page(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MENAGERIE_ROOT", str(shared / "models" / "menagerie"))
    page = tmp_path / "walk.html"
    short = ["--distance", "0.3", "--html", str(page), "--json"]
    assert run(["learn", "play", "g1_softfoot.onnx", *short]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["plan"] == "policy" and record["html"] == str(page)
    assert page.stat().st_size > 50_000 and "softfoot" in page.read_text()[:200_000]
    assert run(["learn", "play", "g1_softfoot.onnx", *short, "--overwrite", "--stiffness", "1000"]) == 0
    locked = json.loads(capsys.readouterr().out)
    assert locked["transport"] != record["transport"], "the same walk on locked feet"
    config = EvaluateConfig(stiffness=(1000.0,), levels=(0.0,), draws=1, seconds=0.6)
    shown = evaluate(found_file("g1_softfoot.onnx"), config=config).rows[0]
    assert locked["transport"] == pytest.approx(shown["transport"]), "what is shown is what is measured"


def test_a_policy_that_was_trained_further_walks_anew(tmp_path, monkeypatch, capsys):
    file, other = altered(tmp_path / "p.onnx"), altered(tmp_path / "other.onnx", 0.3)
    monkeypatch.chdir(tmp_path)
    command = ["learn", "evaluate", file, *SHORT, "--seconds", "0.5"]

    def walked(*more: str) -> tuple[float, Path]:
        assert run([*command, *more]) == 0
        found = json.loads(capsys.readouterr().out)
        return found["summary"][0]["transport"], Path(found["report"]).parent

    first, _ = walked("--out", "e")
    assert walked()[0] == first
    os.replace(other, file)
    assert "different settings" in refused(capsys, *command, "--out", "e")
    second, folder = walked("--out", "e", "--overwrite")
    assert second != first and folder.name == "e"
    assert walked()[0] == second and evaluate(file, config=EvaluateConfig(**CELLS)).rows[0]["transport"] == second
    monkeypatch.setattr(Walks, "__call__", None)  # nothing is walked again
    assert walked("--out", "e") == (second, folder)
    assert len(list((tmp_path / "runs").iterdir())) == 2, "each policy has its folder"
    assert json.loads((folder / "config.json").read_text())["models"] == {"p": "plantar"}


CELLS: dict[str, Any] = {"stiffness": (1.0,), "levels": (0.0,), "draws": 1, "seconds": 0.5}


def test_a_robot_whose_file_was_changed_walks_anew(tmp_path):
    file, config = tmp_path / "robot.xml", EvaluateConfig(**CELLS)
    text = robots.load("quadruped").spec.to_xml()
    found = []
    for word in ("one", "two"):
        file.write_text(text.replace("<mujoco", f"<!-- {word} --><mujoco", 1))
        (trial,) = trials_of([TROTS], None, config, str(file))
        found.append(trial)
    assert found[0]["body"] != found[1]["body"] and {trial["model"] for trial in found} == {"file"}


def test_feet_with_changed_fields_are_those_of_the_card(subject, tmp_path):
    changed = SOFT.with_(band__hardness=70.0)
    part = SimpleNamespace(
        observation_manager=SimpleNamespace(
            active_terms={"actor": SEEN[-2:]}, group_obs_term_dim={"actor": [(3,), (2,)]}
        ),
        action_manager=SimpleNamespace(get_term=lambda _: SimpleNamespace(target_names=list(subject.posture))),
        physics_dt=0.005,
    )
    worlds: Any = SimpleNamespace(parts=[part], step_dt=0.02)
    hard = subject_of("biped", changed)
    plate = subject_of("biped", "plate")
    card = card_of(worlds, [hard, plate], [changed, "plate"], TaskConfig(), TrainConfig(), "biped")
    assert card.worn == (changed, "plate") and card.feet == ("softfoot:fast", "plate")
    assert read_card(to_json(card)) == card
    file = altered(tmp_path / "p.onnx", described=[HARD.to_dict()])
    assert Policy(file).feet == (HARD,) and Policy(TROTS).feet == (feet.get("softfoot_q:fast"),)
    config = EvaluateConfig(**CELLS)
    (trial,) = trials_of([file], None, config)
    assert json.loads(trial["worn"]) == json.loads(to_json(HARD.to_dict()))
    assert trial["foot"].startswith("softfoot_q:fast@")
    assert trials_of([TROTS], None, config)[0]["foot"] == "softfoot_q:fast"
    assert evaluate(file, config=config).rows[0]["slip"] == evaluate(TROTS, [HARD], config).rows[0]["slip"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--levels", "0,0.0"], "evaluate.levels = (0.0, 0.0) is not allowed"),
        (["--stiffness", "1,1,1000"], "each once"),
        (["--speeds", "0.5,0.5"], "each once"),
        (["--pushes", "0.3,0.3"], "each once"),
        (["--feet", "softfoot_q:fast,softfoot_q:fast"], "each foot once"),
        (["--stiffness", "1,1001"], "0 to 1000"),
        (["--pushes", "-0.3"], "evaluate.pushes"),
        (["--pushes", "0.3", "--seconds", "2"], "the first comes after 2"),
        (["--speeds", "0"], "a speed from 0.02"),
        (["--speeds", "0.5,9"], "a speed from 0.02"),
        (["--speeds", "0.5,1.5"], "from -1 to 1 m/s, as quadruped_softfoot_q.onnx"),
        (["--levels", "-0.01"], "evaluate.levels"),
        (["--levels", "0.5"], "0.2 at most"),
        (["--course", "heel", "--levels", "0.01"], "at least 4 steps"),
        (["--tendons", "on,off"], "none of these feet has tendons"),
    ],
)
def test_walks_that_cannot_be_walked_are_refused_before_any_is(options, told, tmp_path, capsys):
    command = ["learn", "evaluate", TROTS, *SHORT, "--seconds", "2.5", *options, "--out", tmp_path / "e"]
    assert told in refused(capsys, *command)
    assert not (tmp_path / "e").exists()


def test_a_copy_is_no_other_policy_and_other_feet_have_other_names(tmp_path, capsys):
    copies = [tmp_path / name for name in ("a.onnx", "b.onnx")]
    for file in copies:
        file.write_bytes(TROTS.read_bytes())
    assert "'b' is the same policy as 'a'" in refused(capsys, "learn", "evaluate", *copies, *SHORT, "--seconds", "0.1")
    kinds = [feet.get("softfoot_q:fast"), HARD, HARD.with_(friction=0.4)]
    found = trials_of([TROTS], kinds, EvaluateConfig(**CELLS))
    assert len({trial["foot"] for trial in found}) == 3


def test_only_feet_that_have_tendons_walk_without(subject, tmp_path):
    file = network(tmp_path / "p.onnx", Still(subject).card)
    config = EvaluateConfig(**CELLS | {"tendons": (True, False)})
    found = trials_of([file], ["softfoot:fast", "plate"], config)
    assert [(trial["foot"], trial["tendons"]) for trial in found] == [
        ("softfoot:fast", True),
        ("softfoot:fast", False),
        ("plate", True),
    ]


def test_a_policy_that_does_not_feel_stiffness_walks_at_that_of_its_training(subject, tmp_path, capsys):
    file = network(tmp_path / "p.onnx", Still(subject, feet=("softfoot:fast", "plate")).card)
    command = ["learn", "evaluate", file, *SHORT, "--seconds", "0.1", "--stiffness", "1,4"]
    assert "give 1: p.onnx was trained on several kinds" in refused(capsys, *command)
    assert "several kinds" in refused(capsys, "learn", "play", file, *GLANCE, "--stiffness", "4")
    slack = EvaluateConfig(**CELLS | {"tendons": (True, False)})
    with pytest.raises(InvalidInput, match="give on: p.onnx was trained .* does not observe their tendons"):
        trials_of([file], None, slack)
    assert len(trials_of([file], None, EvaluateConfig(**CELLS))) == 2


DRIVE = {"joint": "left_front_hip_joint", "stiffness": "x", "damping": 1.0, "effort": 80.0, "armature": 0.05}


@pytest.mark.parametrize(
    ("card", "told"),
    [
        ({"posture": {"left_front_hip_joint": 0.0}}, "card.posture"),
        ({"period": "x"}, "card.period = 'x'"),
        ({"period": 0}, "card.period = 0"),
        ({"feet": []}, "card.feet"),
        ({"feet": "own"}, "card.feet"),
        ({"feet": ["softfoo"], "described": []}, "unknown foot 'softfoo'"),
        ({"seen": ["joint_pos", "colour"]}, "card.seen = 'colour'"),
        ({"seen": ["joint_pos"]}, "tells of 12 observations"),
        ({"foot": 3}, "card.foot = 3"),
        ({"drives": [DRIVE]}, "stiffness = 'x'"),
        ({"drives": [DRIVE | {"stiffness": 0.0}]}, "stiffness = 0.0"),
        ({"drives": ["hip"]}, "not the card of a policy"),
        ({"drives": None}, "it has no drives"),
        ({"task": {"terrain": "moon"}}, "task.terrain = 'moon'"),
        ({"colour": "red"}, "colour"),
        ({"described": [{"foot": "softfoot_q", "weight": 1}]}, "unknown field"),
    ],
)
def test_a_damaged_card_is_one_line_that_names_the_file(card, told, tmp_path, capsys):
    file = altered(tmp_path / "p.onnx", **card)
    walks = ["walk", "trial", "quadruped", "--foot", "softfoot_q:fast", "--mode", file, "--out", tmp_path / "w"]
    of_feet = told.startswith("unknown")  # which a trial is given
    short = ["learn", "evaluate", file, *SHORT, "--seconds", "0.1", "--out", tmp_path / "e"]
    for command in (short, ["learn", "play", file, *GLANCE], *([] if of_feet else [walks])):
        line = refused(capsys, *command)
        assert told in line and file in line


def test_play_refuses_what_it_would_ignore(tmp_path, capsys):
    play, page = ["learn", "play", TROTS, *GLANCE], ["--html", tmp_path / "walk.html"]
    assert "course 'nope' is not known" in refused(capsys, *play, "--course", "nope")
    assert "from -1 to 1 m/s" in refused(capsys, *play, "--speed", "1.5")
    assert "--seconds" in refused(capsys, *play, *page, "--seconds", "3")
    assert "no springs" in refused(capsys, *play, "--foot", "own", "--stiffness", "4")
    assert "--foot own" in refused(capsys, *play, "--foot", "own", "--set", "friction=0.3")


def test_a_view_is_called_by_the_policy_that_walks():
    policy = Policy(TROTS)
    walker = walker_of("quadruped", policy.feet[0], policy.card.drives)
    assert course_of(policy, walker, Pace()).mode == "quadruped_softfoot_q.onnx"
