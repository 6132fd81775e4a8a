"""Descriptions of feet: what is refused, how they are changed, saved and found by name."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from feet_scenes import VARIETY
from hypothesis import given, settings
from hypothesis import strategies as st

from plantar import feet
from plantar._fields import field_rows
from plantar.errors import InvalidInput
from plantar.feet import BallFoot, Band, FlatFoot, Foot, Part, SoftFoot, Tendon

SMALL = st.floats(0.001, 0.05)


def numeric_fields(foot: Foot) -> list[str]:
    return [r.name for r in field_rows(foot) if isinstance(r.value, float)]


BAD_VALUES = [
    (SoftFoot, "chains", 0),
    (SoftFoot, "chains", 6),
    (SoftFoot, "chains", 2.5),
    (SoftFoot, "chains", True),
    (SoftFoot, "modules", 0),
    (SoftFoot, "toe_modules", 0),
    (SoftFoot, "pitch", -0.022),
    (SoftFoot, "pitch", "22 mm"),
    (SoftFoot, "coupling_length", 0.03),
    (SoftFoot, "side", "middle"),
    (SoftFoot, "band_model", "springs"),
    (SoftFoot, "coupling", "gear"),
    (SoftFoot, "collider", "mesh"),
    (SoftFoot, "flexion_limit", 90.0),
    (SoftFoot, "extension_limit", 0.0),
    (SoftFoot, "module_half_size", (0.01, -0.005, 0.01)),
    (SoftFoot, "module_half_size", (0.01, math.nan, 0.01)),
    (SoftFoot, "heel_half_size", (0.01, 0.01)),
    (SoftFoot, "heel_joint", (-0.05, 0.07)),
    (SoftFoot, "ankle_half", 0.1),
    (SoftFoot, "rail_radius", 0.0),
    (SoftFoot, "heel_joint", (math.inf, -0.07)),
    (SoftFoot, "chain_offsets", (0.0, 0.01)),
    (SoftFoot, "chain_offsets", (0.037, -0.037, 0.0, 0.0185, -0.0185)),
    (SoftFoot, "friction", -1.0),
    (SoftFoot, "armature", 0.0),
    (SoftFoot, "heel_stiffness", -1.0),
    (SoftFoot, "loop_solref", (0.02, -1.0)),
    (SoftFoot, "coupling_solimp", (0.9, 0.95, 0.001, 0.5, 0.0)),
    (SoftFoot, "band", None),
    (Band, "hardness", 10.0),
    (Band, "hardness", 95.0),
    (Band, "width", -0.005),
    (Band, "stretch", 0.0),
    (Band, "count", 0),
    (Band, "damping", -0.1),
    (Band, "stiffness", -0.8),
    (Tendon, "arm", 0.0),
    (Tendon, "pulley_radius", 0.005),
    (Tendon, "slack", 1.96),
    (Tendon, "rest_length", -0.28),
    (Tendon, "present", "yes"),
    (Tendon, "solref", (0.0, 1.0)),
    (FlatFoot, "length", 0.0),
    (FlatFoot, "thickness", -0.02),
    (FlatFoot, "mass", 0.0),
    (FlatFoot, "collider", "mesh"),
    (FlatFoot, "ankle_offset", (0.0,)),
    (BallFoot, "radius", -0.03),
    (BallFoot, "shank_radius", 0.05),
    (BallFoot, "shank_length", 0.01),
    (BallFoot, "mass", math.nan),
]


@pytest.mark.parametrize(("cls", "field", "value"), BAD_VALUES)
def test_a_bad_value_is_refused_in_one_line_that_names_the_field(cls, field, value):
    with pytest.raises(InvalidInput, match=field) as caught:
        cls(**{field: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["softfoot", "flat", "ball"])
@pytest.mark.parametrize("value", [math.nan, math.inf, "text", [1, 2], True])
def test_every_number_of_every_foot_refuses_what_is_not_a_finite_number(name, value):
    foot = feet.get(name)
    fields = numeric_fields(foot)
    assert len(fields) >= 5
    for field in fields:
        with pytest.raises(InvalidInput, match=field.rpartition(".")[2]):
            foot.with_(**{field: value})


def test_lengths_of_a_softfoot_refuse_to_be_negative():
    for field in ("chain_spacing", "pitch", "coupling_length", "reverse_length", "metatarsus_length", "tip_length"):
        with pytest.raises(InvalidInput, match=field):
            SoftFoot(**{field: -0.01})


@pytest.mark.parametrize(
    "part",
    [{"mass": -1.0}, {"inertia": (1e-6, 1e-6, 3e-6)}, {"products": (5e-6, 0.0, 0.0)}, {"com": (0.0, math.nan, 0.0)}],
)
def test_a_part_that_cannot_exist_is_refused(part):
    good = {"mass": 0.1, "com": (0.0, 0.0, 0.0), "inertia": (1e-6, 1e-6, 1e-6)}
    Part(**good)
    with pytest.raises(InvalidInput, match=f"part.{'inertia' if 'products' in part else next(iter(part))}"):
        Part(**{**good, **part})


def test_a_band_that_would_be_shorter_than_nothing_is_refused_where_it_is_built():
    SoftFoot(band=Band(stiffness=5.0))
    with pytest.raises(InvalidInput, match=r"band\.stiffness"):
        SoftFoot(band=Band(stiffness=5.0), band_model="tendon")


def test_unknown_fields_are_refused_and_the_known_ones_listed():
    with pytest.raises(InvalidInput, match=r"hardnes.*hardness, width"):
        SoftFoot().with_(band__hardnes=70)
    with pytest.raises(InvalidInput, match="chain_spacing"):
        SoftFoot.from_dict({"colour": "red"})


def test_with_reaches_into_parts_and_leaves_the_original_alone():
    foot = SoftFoot()
    harder = foot.with_(band__hardness=70, **{"tendon.slack": 0.001}, chains=3)
    assert (harder.band.hardness, harder.tendon.slack, harder.chains) == (70.0, 0.001, 3)
    assert foot == SoftFoot()
    assert harder.band.hinge_stiffness > foot.band.hinge_stiffness


@settings(max_examples=60, deadline=None)
@given(
    chains=st.integers(1, 5),
    modules=st.integers(1, 12),
    pitch=st.floats(0.0131, 0.05),
    spacing=SMALL,
    hardness=st.floats(20, 80),
    slack=st.floats(-0.01, 0.01),
    side=st.sampled_from(["left", "right"]),
    rest=st.none() | st.floats(0.1, 0.4),
)
def test_json_brings_back_the_same_softfoot(chains, modules, pitch, spacing, hardness, slack, side, rest):
    foot = SoftFoot(
        chains=chains,
        modules=modules,
        pitch=pitch,
        chain_spacing=spacing,
        side=side,
        band=Band(hardness=hardness),
        tendon=Tendon(slack=slack, rest_length=rest),
    )
    again = SoftFoot.from_dict(json.loads(json.dumps(foot.to_dict())))
    assert again == foot
    assert again.fingerprint() == foot.fingerprint()


@pytest.mark.parametrize("kind", VARIETY)
def test_save_and_load(kind, tmp_path: Path):
    foot = VARIETY[kind]
    path = feet.save(foot, tmp_path / "foot.json")
    assert feet.load(path) == foot
    with pytest.raises(InvalidInput, match="exists"):
        feet.save(foot, path)
    feet.save(foot, path, overwrite=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "does not describe a foot"),
        ('{"chains": 3}', "does not describe a foot"),
        ('{"foot": "sofffoot"}', "did you mean 'softfoot'"),
        ('{"foot": "softfoot", "chains": 7}', "chains = 7"),
        ('{"foot": "softfoot", "chains": "5"}', "chains = '5'"),
        ('{"foot": "softfoot", "pitch": NaN}', "NaN is not a JSON number"),
        ('{"foot": "softfoot", "colour": 1}', "colour"),
        ('{"foot": "softfoot", "band": 3}', "band"),
    ],
)
def test_a_file_that_describes_no_foot_is_named_with_the_reason(content, message, tmp_path: Path):
    path = tmp_path / "foot.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=message) as caught:
        feet.load(path)
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_read_or_written(tmp_path: Path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        feet.load(tmp_path / "absent.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="cannot be read"):
        feet.load(tmp_path / "binary.json")
    with pytest.raises(InvalidInput, match="cannot be written"):
        feet.save(SoftFoot(), tmp_path / "absent" / "foot.json")


def test_feet_by_name():
    known = {"ball", "flat", "softfoot", "softfoot_published", "softfoot_q", "softfoot_q_three", "solid"}
    assert set(feet.names()) == known
    assert feet.get("softfoot") == SoftFoot()
    assert feet.get("softfoot_published") == SoftFoot.published()
    assert feet.get("softfoot", chains=2, band__hardness=70).to_dict()["band"]["hardness"] == 70
    with pytest.raises(InvalidInput, match=r"softfoot.*did you mean 'softfoot'"):
        feet.get("soft_foot")


def test_a_new_class_of_feet_can_be_registered(monkeypatch):
    from plantar.feet import registry

    monkeypatch.setattr(registry, "_CLASSES", dict(registry._CLASSES))

    @feet.register
    class Skate(FlatFoot):
        name = "skate"

    assert "skate" in feet.names()
    assert isinstance(feet.get("skate", length=0.3), Skate)


def test_every_field_is_documented():
    for foot in VARIETY.values():
        assert [r.name for r in field_rows(foot) if not r.doc] == []


def test_changes_do_not_depend_on_their_order() -> None:
    """A part that came after one of its own fields took the change back, and of two spellings the last one won."""
    band = Band(width=0.004)
    for changes in ({"band__hardness": 70, "band": band}, {"band": band, "band__hardness": 70}):
        made = SoftFoot().with_(**changes)
        assert (made.band.hardness, made.band.width) == (70.0, 0.004)
    with pytest.raises(InvalidInput, match="band.hardness is changed twice"):
        SoftFoot().with_(**{"band.hardness": 50, "band__hardness": 60})


@pytest.mark.parametrize("field", ["band.hardness", "scale"])
def test_a_number_of_hundreds_of_digits_is_refused(field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        SoftFoot().with_(**{field: 10**400})
