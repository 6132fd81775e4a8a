"""The forecast of the largest stable step, against closed forms and against runs."""

from __future__ import annotations

import json
import math

import mujoco
import pytest

from plantar.bench.press.check_rig import on_press
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.feet import BallFoot, FlatFoot, SoftFoot
from plantar.feet.timestep import RATIO, check_model


def spring(stiffness: float, damping: float = 0.0) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="mass")
    body.add_joint(
        name="spring", type=mujoco.mjtJoint.mjJNT_SLIDE, stiffness=[stiffness, 0, 0], damping=[damping, 0, 0]
    )
    body.add_geom(size=[0.1, 0, 0], mass=1.0, contype=0, conaffinity=0)
    spec.add_key(name="start", qpos=[0.01])
    spec.option.gravity = [0, 0, 0]
    return spec


@pytest.mark.parametrize("damping", [0.0, 20.0])
def test_a_spring_is_stable_up_to_its_bound_and_not_beyond(damping):
    stiffness = 1e4
    forecast = check_model(spring(stiffness, damping), integrator="implicitfast", verify=False)
    h = forecast.stable
    assert forecast.limiting is not None and (forecast.limiting.what, forecast.limiting.element) == ("spring", "spring")
    if damping == 0:
        assert h == pytest.approx(2 / math.sqrt(stiffness))
    for factor, grows in ((0.98, False), (1.02, True)):
        model = spring(stiffness, damping).compile()
        model.opt.timestep, model.opt.integrator = factor * h, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        data = mujoco.MjData(model)
        data.qpos[0] = 0.01
        mujoco.mj_step(model, data, 20)
        assert (abs(data.qpos[0]) > 0.2) == grows


def test_a_contact_that_is_not_softened_throws_off_what_lands_beyond_its_bound():
    """A mass under gravity on a floor with damping b alone is thrown off if b h > 2."""
    spec = mujoco.MjSpec()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    body = spec.worldbody.add_body(name="mass", pos=[0, 0, 0.1])
    body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    solimp = [0.999, 0.999, 0.001, 0.5, 2]
    body.add_geom(size=[0.1, 0, 0], mass=1.0, condim=1, solref=[-1.0, -100.0], solimp=solimp, solmix=1e9)
    forecast = check_model(spec, verify=False)
    assert forecast.stable == pytest.approx(0.02, rel=0.01)
    for factor, thrown in ((0.9, False), (1.1, True)):
        model = spec.compile()
        model.opt.timestep = factor * forecast.stable
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 200)
        assert (abs(data.qvel[0]) > 0.05) == thrown


def test_the_discrete_integrator_has_no_spring_bound():
    assert math.isinf(check_model(spring(1e6), integrator="discrete", verify=False).stable)


def test_time_constants_bound_the_faithful_step():
    forecast = check_model(on_press(SoftFoot()), verify=False)
    loops = [bound for bound in forecast.bounds if bound.what == "equality" and "loop" in bound.element]
    assert len(loops) == 5 and all(bound.step == pytest.approx(0.0025) and not bound.hard for bound in loops)
    assert forecast.faithful == pytest.approx(0.0025)


FEET = {
    "fast": SoftFoot(fidelity="fast"),
    "hinge": SoftFoot(chains=1, fidelity="hinge"),
    "full": SoftFoot(chains=1),
    "flat": FlatFoot(),
    "ball": BallFoot(),
    "locked": SoftFoot().locked(),
}


@pytest.mark.parametrize("foot", FEET.values(), ids=FEET)
def test_runs_agree_with_the_forecast(foot):
    forecast = check_model(on_press(foot))
    assert forecast.measured is not None and "rad/s" in forecast.failed
    # right or careful: runs go in steps of RATIO, so the true limit lies up to that much above the last that was calm
    assert forecast.stable < forecast.measured * RATIO < 2.2 * forecast.stable
    assert forecast.timestep == 0.002


def test_the_released_foot_does_what_is_forecast(shared):
    file = shared / "models" / "menagerie" / "iit_softfoot" / "softfoot.xml"
    forecast = check_model(on_press(SoftFoot.published(), mujoco.MjSpec.from_file(str(file))))
    assert forecast.measured is not None
    assert forecast.stable < forecast.measured * RATIO < 2.2 * forecast.stable
    # its contact is MuJoCo's own, which is softened before it throws anything off
    assert forecast.limiting is not None and forecast.limiting.what == "landing"


def test_bad_input_is_named(tmp_path, capsys):
    with pytest.raises(InvalidInput, match="integrator = 'magic'"):
        check_model(spring(1.0), integrator="magic")
    assert run(["feet", "check", str(tmp_path / "none.xml")]) == 2
    assert "none.xml" in capsys.readouterr().err


def test_the_command_names_what_limits(capsys):
    assert run(["feet", "check", "softfoot", "--set", "fidelity=fast", "--no-verify", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["limiting"].startswith("contact foot/chain1_")
    assert record["measured"] is None and record["stable"] > 0.005


SPRUNG = {
    "tendon": ('<fixed name="it" stiffness="1e5"><joint joint="x" coef="1"/></fixed>', ""),
    "geared servo": ("", '<position name="it" joint="x" kp="1e3" gear="10"/>'),
    "damped servo": ("", '<position name="it" joint="x" kp="1e3" kv="1" gear="10"/>'),
    "band": ('<spatial name="it" stiffness="1e5" springlength="0 0.5"><site site="a"/><site site="b"/></spatial>', ""),
}


@pytest.mark.parametrize("kind", SPRUNG)
def test_springs_of_tendons_and_of_geared_servos_limit_the_step(kind):
    """A mass of 1 kg on 1e5 N/m: 316 rad/s; the band pulls square to its way, by its tension alone."""
    tendon, servo = SPRUNG[kind]
    spec = mujoco.MjSpec.from_string(f"""<mujoco><option timestep="0.001" integrator="implicitfast" gravity="0 0 0"/>
        <worldbody><site name="a" pos="0 0 1"/><body><joint name="x" type="slide" axis="1 0 0"/>
        <geom size="0.05" mass="1"/><site name="b"/></body></worldbody>
        <tendon>{tendon}</tendon><actuator>{servo}</actuator>
        <keyframe><key qpos="0.001"/></keyframe></mujoco>""")
    found = check_model(spec)
    w2, d = (5e4 if kind == "band" else 1e5), (100.0 if kind == "damped servo" else 0.0)
    assert found.limiting is not None and found.limiting.element == "it"
    assert found.stable == pytest.approx((d + math.sqrt(d * d + 4 * w2)) / w2, rel=0.01)
    assert found.measured is not None and 0.7 < found.stable / found.measured < 1.4
