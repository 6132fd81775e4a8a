"""Trainings that go on: what is resumed, what a checkpoint must fit, and what begins anew; needs the extra `learn`."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from plantar._extras import EXTRAS

if EXTRAS["learn"].missing:
    pytest.skip(f"the extra learn is not installed: {', '.join(EXTRAS['learn'].missing)}", allow_module_level=True)

import torch

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.learn import TaskConfig, TrainConfig
from plantar.learn.card import card_of, read_card
from plantar.learn.checkpoint import check_fits, read_checkpoint
from plantar.learn.entity import prepared
from plantar.learn.exporting import lighten
from plantar.learn.training import train
from plantar.learn.worlds import Worlds

CHECKPOINTS = Path(__file__).resolve().parents[1] / "tools" / "checkpoints"
SMALL = ["--worlds", "4", "--steps", "3", "--hidden", "8,8", "--device", "cpu", "--threads", "1"]
BIPED = ["learn", "train", "biped", "--foot", "plate", *SMALL]


def config(iterations: int, **fields) -> TrainConfig:
    return TrainConfig(worlds=4, steps=3, hidden=(8, 8), iterations=iterations, **fields)


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A training of two updates."""
    place = tmp_path_factory.mktemp("resume") / "begun"
    assert run([*BIPED, "--iterations", "2", "--out", str(place)]) == 0
    return place


@pytest.fixture
def folder(begun, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(begun, tmp_path / "copy"))


def rows(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "history.csv").open()))


def numbers(value: object, found: list[torch.Tensor]) -> list[torch.Tensor]:
    """All tensors in nested dictionaries."""
    if isinstance(value, torch.Tensor):
        found.append(value)
    for one in value.values() if isinstance(value, dict) else ():
        numbers(one, found)
    return found


def test_overwriting_with_other_settings_begins_anew_and_with_the_same_ones_resumes(folder):
    assert run([*BIPED, "--iterations", "3", "--overwrite", "--out", str(folder)]) == 0
    assert [row["iteration"] for row in rows(folder)] == ["1", "2", "3"]
    other = [*BIPED, "--iterations", "1", "--task-set", "push=0", "--out", str(folder)]
    assert run(other) == 2, "not without --overwrite"
    assert run([*other, "--overwrite"]) == 0
    saved = read_checkpoint(folder / "checkpoint.pt")
    assert saved["iteration"] == 1 and len(rows(folder)) == 1 and read_card(saved["card"]).task.push == 0


def test_overwriting_without_a_folder_resumes_the_same_training(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "runs" / "learn-train"
    assert run([*BIPED, "--iterations", "1", "--overwrite"]) == 0
    first = rows(place)
    assert run([*BIPED, "--iterations", "2", "--overwrite"]) == 0
    assert rows(place)[:1] == first and len(rows(place)) == 2, "with the time that it took: not made again"
    assert [other.name for other in place.parent.iterdir()] == ["learn-train"]


def test_overwriting_that_is_refused_leaves_the_training(folder, capsys):
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert run(["learn", "train", "nobody", *SMALL, "--overwrite", "--out", str(folder)]) == 2
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    with pytest.raises(InvalidInput, match="give more minutes"):
        train("biped", "plate", config=config(1), out=folder, device="cpu", minutes=1e-4, overwrite=True)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert run([*BIPED, "--start", str(folder / "checkpoint.pt"), "--out", str(folder), "--overwrite"]) == 2
    assert "resume without --start" in capsys.readouterr().err


def test_a_folder_knows_the_checkpoint_it_was_started_from(begun, tmp_path, capsys):
    first, second, out = tmp_path / "first.pt", tmp_path / "second.pt", tmp_path / "out"
    shutil.copy(begun / "checkpoint.pt", first)
    lighten(first, second)
    for updates in ("3", "4"):
        assert run([*BIPED, "--iterations", updates, "--start", str(first), "--out", str(out)]) == 0
    assert read_checkpoint(out / "checkpoint.pt")["iteration"] == 4
    for more in (["--start", str(second)], []):
        assert run([*BIPED, "--iterations", "5", *more, "--out", str(out)]) == 2
        assert "was started with different settings" in capsys.readouterr().err
    first.rename(tmp_path / "moved.pt")
    assert run([*BIPED, "--iterations", "5", "--start", str(tmp_path / "moved.pt"), "--out", str(out)]) == 0


def test_what_is_saved_is_what_goes_on(folder):
    """A finished training that is resumed makes no update and saves what it loaded."""
    before = read_checkpoint(folder / "checkpoint.pt")
    assert run([*BIPED, "--iterations", "2", "--out", str(folder)]) == 0
    after = read_checkpoint(folder / "checkpoint.pt")
    pairs = list(zip(numbers(before["learner"], []), numbers(after["learner"], []), strict=True))
    assert len(pairs) > 40, "weights, and what the optimiser remembers of each"
    assert all(torch.equal(one, other) for one, other in pairs) and before["history"] == after["history"]


def test_a_training_starts_from_the_weights_of_a_light_checkpoint(begun, tmp_path):
    light = lighten(begun / "checkpoint.pt", tmp_path / "light.pt")
    assert set(read_checkpoint(light)["learner"]) == {"actor_state_dict", "critic_state_dict"}
    train("biped", "plate", config=config(3, seed=7), out=tmp_path / "on", device="cpu", threads=1, start=light)
    saved = read_checkpoint(tmp_path / "on" / "checkpoint.pt")
    old, new = read_checkpoint(light)["learner"]["actor_state_dict"], saved["learner"]["actor_state_dict"]
    assert saved["iteration"] == 3
    assert all(torch.allclose(old[name], new[name], atol=5e-3) for name in old if name.startswith("mlp."))


def test_every_piece_of_a_training_draws_anew_and_a_training_as_ever(tmp_path, monkeypatch):
    """Pieces used to begin with the same random numbers; the weight of a reward was that of the first stage."""
    drawn, step = [], Worlds.step

    def recorded(self, actions):
        part = self.parts[0]
        weight = part.reward_manager.get_term_cfg("action_rate_l2").weight
        drawn.append((self.episode_length_buf.clone(), part.sim.data.qpos[:, :2].clone(), weight))
        return step(self, actions)

    monkeypatch.setattr(Worlds, "step", recorded)
    monkeypatch.setattr("plantar.learn.tasks.SMOOTH", ((0, -0.01), (3, -0.1)))
    for name, pieces in (("one", (1, 2, 3)), ("other", (1,))):
        for updates in pieces:
            (tmp_path / name).mkdir(exist_ok=True)
            train("biped", "plate", config=config(updates), out=tmp_path / name, device="cpu", threads=1)
    first, second, third, again = drawn[::3]
    for one, other in ((first, second), (first, third), (second, third)):
        assert not torch.equal(one[0], other[0]) and not torch.equal(one[1], other[1])
    assert torch.equal(first[0], again[0]) and torch.equal(first[1], again[1])
    assert (first[2], second[2]) == (-0.01, -0.1)


def test_robots_that_stand_stay_on_ground_of_the_difficulty_they_were_resumed_on():
    """Moved to their ground, robots were taken to have walked there, and moved up at their next reset."""
    worlds = Worlds([prepared("biped", "plate")], TaskConfig(terrain="bars"), 4, "cpu", 0, 1)
    levels = torch.tensor([5, 0, 8, 2])
    worlds.resume([levels], 9600)
    part = worlds.parts[0]
    away = part.scene["robot"].data.root_link_pos_w[:, :2] - part.scene.env_origins[:, :2]
    assert away.norm(dim=1).max() < 1.0 and part.common_step_counter == 9600
    part.command_manager.get_command("twist")[:] = 0  # which standing obeys
    part.reset()
    assert torch.equal(worlds.levels()[0], levels)
    assert part.reward_manager.get_term_cfg("action_rate_l2").weight == -0.1
    worlds.close()


def test_checkpoints_of_other_robots_feet_and_joints_are_refused(begun, tmp_path):
    file = begun / "checkpoint.pt"
    saved = read_checkpoint(file)
    card = read_card(saved["card"])
    weaker = (replace(card.drives[0], share=0.5), *card.drives[1:])
    for fields, says in (
        ({"robot": "quadruped"}, "with robot = 'biped', not 'quadruped'"),
        ({"feet": ("own",)}, "with feet = 'plate', not 'own'"),
        ({"foot": 2}, "with foot = 0, not 2"),
        ({"drives": card.drives[1:]}, f"joints differ by {card.drives[0].joint!r}"),
        ({"drives": card.drives[::-1]}, "joints come in another order"),
        ({"drives": weaker}, r"by 0\.4375 rad, not 0\.875"),
    ):
        with pytest.raises(InvalidInput, match=says):
            check_fits(file, saved, replace(card, **fields), same=False)
    other = replace(card, task=TaskConfig(terrain="bars", locked=0.5), training=config(9, seed=4))
    check_fits(file, saved, other, same=False)
    with pytest.raises(InvalidInput, match=r"task\.terrain = 'flat', not 'bars'"):
        check_fits(file, saved, other, same=True)
    with pytest.raises(InvalidInput, match=r"checkpoint\.pt' is from another training, with feet = 'plate', not 'own'"):
        train("biped", "own", config=config(3), out=tmp_path, device="cpu", start=file)
    with pytest.raises(InvalidInput, match=r"iterations = 2 is not allowed: give more than the 2 updates"):
        train("biped", "plate", config=config(2), out=tmp_path, device="cpu", start=file)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("robot", "kinds", "joints", "name"),
    [
        ("quadruped", ["softfoot_q:fast"], "all", "quadruped_softfoot_q.pt"),
        ("unitree_g1", ["own", "plate"], "legs", "g1_legs_rigid1.pt"),
    ],
)
def test_shipped_checkpoints_fit(robot, kinds, joints, name):
    task = TaskConfig(joints=joints)
    subjects = [prepared(robot, kind, joints=joints) for kind in kinds]
    worlds = Worlds(subjects, task, 2, "cpu", 0, 1)
    path = CHECKPOINTS / name
    check_fits(path, read_checkpoint(path), card_of(worlds, subjects, kinds, task, config(9), robot), same=False)
    worlds.close()


def damaged(saved: dict, kind: str) -> dict:
    actor = {name: value.clone() for name, value in saved["learner"]["actor_state_dict"].items()}
    actor["mlp.0.weight"][0, 0] = float("nan")
    card = json.loads(saved["card"])
    return saved | {
        "history": {"history": "["},
        "rows": {"history": '[{"iteration": 1}]'},
        "iteration": {"iteration": "x"},
        "levels": {"levels": 3},
        "deep": {"levels": [torch.tensor([99])]},
        "nan": {"learner": saved["learner"] | {"actor_state_dict": actor}},
        "learner": {"learner": {}},
        "network": {"learner": saved["learner"] | {"actor_state_dict": {"mlp.0.weight": torch.zeros(3)}}},
        "card": {"card": 3},
        "text": {"card": "3"},
        "task": {"card": json.dumps({**card, "task": {"terrain": "sea"}})},
    }[kind]  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    ["history", "rows", "iteration", "levels", "deep", "nan", "learner", "network", "card", "text", "task"],
)
def test_damaged_checkpoints_are_one_line(begun, tmp_path, capsys, kind):
    bad = tmp_path / "bad.pt"
    torch.save(damaged(read_checkpoint(begun / "checkpoint.pt"), kind), bad)
    assert run(["learn", "export", str(bad)]) == 2
    told = capsys.readouterr().err.strip()
    assert "bad.pt" in told and "\n" not in told and list(tmp_path.iterdir()) == [bad]


def test_a_damaged_checkpoint_starts_nothing(begun, tmp_path, capsys):
    saved = read_checkpoint(begun / "checkpoint.pt")
    saved["learner"]["optimizer_state_dict"] = {"state": 3}
    torch.save(saved, tmp_path / "bad.pt")
    assert run([*BIPED, "--iterations", "3", "--start", str(tmp_path / "bad.pt"), "--out", str(tmp_path / "on")]) == 2
    assert "bad.pt" in (told := capsys.readouterr().err.strip().splitlines()[-1]) and "does not match" in told
    assert not (tmp_path / "on").exists()


def test_episodes_that_end_because_a_number_is_not_finite_are_counted(tmp_path, monkeypatch):
    step = Worlds.step

    def diverging(self, actions):
        seen, rewards, dones, extras = step(self, actions)
        return seen, rewards, dones, extras | {"log": [{"Episode_Termination/diverged": 2}, {}]}

    monkeypatch.setattr(Worlds, "step", diverging)
    result = train("biped", "plate", config=config(1), out=tmp_path, device="cpu", threads=1)
    assert result.last["diverged"] == 6, "two in each of three steps"
