"""Soles that feel where they are pressed, and stiff legs that use it."""

from __future__ import annotations

import numpy as np
import pytest

from plantar import robots
from plantar.ground import YieldingGround
from plantar.walk import Course, Gait
from plantar.walk.control.controller import WalkController
from plantar.walk.control.sensing import Sensing
from plantar.walk.robot.legged import Legged
from plantar.walk.sim.simulation import Simulation
from plantar.walk.study.study import Study
from plantar.walk.study.walks import walk


def standing(course: Course, seconds: float, **how) -> Simulation:
    """A walk that has not begun."""
    controller = course.controller()
    sim = Simulation(course.scene, controller, rate=course.tuning.rate, scatter=0.0, **how)
    for _ in range(round(seconds * course.tuning.rate)):
        sim.tick()
    return sim


def test_only_soft_feet_give() -> None:
    """A locked or rigid foot has no give; a soft one pitches a few degrees under half of the robot."""
    biped = robots.load("biped")
    soft = robots.mount(biped, "softfoot:fast").places[0]
    load = 0.5 * 9.81 * robots.mount(biped, "softfoot:fast").model().body_subtreemass[0]
    assert soft.support is not None
    span = soft.support[0] + soft.support[1]
    assert soft.give * load * span == pytest.approx(np.radians(8.0), rel=0.02)
    assert robots.mount(biped, "flat").places[0].give == 0.0
    assert all(sole.give == 0.0 for sole in Legged(biped).soles)


def test_pressure_is_where_the_contacts_are() -> None:
    """What a sole feels is the middle of its contacts by force, in its own axes."""
    sim = standing(Course(robots.load("biped"), gait=Gait(steps=6)), 0.4)
    d, scene = sim.data, sim.scene
    for i, felt in enumerate(sim.pressure()):
        mine = [k for k in range(d.ncon) if (scene.foot_of_geom[d.contact.geom[k]] == i).any()]
        force = np.array([d.efc_force[d.contact.efc_address[k]] for k in mine])
        middle = force @ d.contact.pos[mine] / force.sum()
        axes = d.site_xmat[scene.sole_sites[i]].reshape(3, 3)
        there = (middle - d.site_xpos[scene.sole_sites[i]]) @ axes - scene.sole_middles[i]
        assert felt == pytest.approx(there[:2], abs=2e-3)
    assert np.abs(sim.pressure()).max() < 0.1


def test_pressure_in_sand_carries_the_robot() -> None:
    """Forces of ground that yields are felt as contacts are: both feet together press under the centre of mass."""
    sim = standing(Course(robots.load("biped"), gait=Gait(steps=6), terrain=YieldingGround()), 0.4)
    d, scene, loads = sim.data, sim.scene, sim.loads()
    points = [
        d.site_xpos[s] + d.site_xmat[s].reshape(3, 3) @ (scene.sole_middles[i] + [*sim.pressure()[i], 0.0])
        for i, s in enumerate(scene.sole_sites)
    ]
    middle = loads @ np.array(points) / loads.sum()
    assert loads.sum() == pytest.approx(scene.legged.mass * scene.legged.gravity, rel=0.1)
    assert middle[:2] == pytest.approx(d.subtree_com[scene.base][:2], abs=0.02)


def test_sensors_feel_with_noise() -> None:
    """With the estimator the place of the pressure is noisy, as large as it was asked for."""
    course = Course(
        robots.load("biped"), gait=Gait(steps=6), mode="impedance", sensing=Sensing(state="estimate", pressure=4e-3)
    )
    sim = Simulation(course.scene, course.controller(), sensing=course.sensing, rate=course.tuning.rate, scatter=0.0)
    felt = []
    for _ in range(100):
        sim.act()
        assert sim.observation.pressure is not None
        felt.append(sim.observation.pressure - sim.pressure())
        sim.advance()
    assert np.std(felt[20:]) == pytest.approx(4e-3, rel=0.3)


def test_a_bar_under_the_heel_of_a_soft_foot_on_stiff_legs() -> None:
    """With soles held level this walk fell."""
    study = Study(
        feet=("softfoot:fast",), modes=("impedance",), courses=("heel",), levels=(0.02,), draws=6, seed=77, rate=250.0
    )
    result = walk(study.trials()[1])
    assert result.success, result.status


def test_feeling_brings_the_pressure_to_where_it_should_be() -> None:
    """On a foot put down askew the planned sole turns until the pressure is where the program has it."""
    far = {}
    for mode in ("position", "impedance"):
        course = Course(robots.load("biped"), gait=Gait(steps=6), mode=mode)
        controller = course.controller()
        assert isinstance(controller, WalkController)
        sim = Simulation(course.scene, controller, rate=course.tuning.rate, scatter=0.0)
        ankle = controller.legged.soles[0].joints[-2]
        offs = []
        for k in range(350):
            sim.act()
            sim.data.ctrl[sim.scene.motors[ankle]] += controller.stiffness[ankle] * 0.02  # an encoder that is off
            sim.advance()
            if k > 250:
                assert controller.solution is not None
                wanted = controller.solution.wrenches[0]
                offs.append(-wanted[4] / wanted[2] - sim.pressure()[0, 0])
        far[mode] = abs(float(np.mean(offs)))
    assert far["impedance"] < 0.5 * far["position"]
    assert far["position"] > 0.003
