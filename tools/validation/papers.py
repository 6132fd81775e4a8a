"""The five papers, the toolkit itself, and what is measured for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from validation import (
    contact,
    contact_checks,
    contact_gaits,
    contact_guesses,
    data_ankle,
    data_beams,
    data_footprint,
    data_rubber,
    data_sand,
    footholds,
    footholds_foot,
    footholds_maps,
    footholds_pressed,
    footholds_recorded,
    footholds_stairs,
    footholds_walks,
    ground,
    ground_checks,
    ground_recorded,
    ground_tosses,
    ground_walks,
    soft_bodies,
    soft_bodies_speed,
    soft_feet,
    soft_robots,
    softfoot_bench,
    softfoot_coman,
    softfoot_fast,
    softfoot_heel,
    softfoot_impact,
    softfoot_mechanism,
    softfoot_mounting,
    softfoot_press,
    softfoot_recorded,
    softfoot_sensitivity,
    softfoot_walking,
    softfoot_walks,
    softfoot_windlass,
    toolkit_design,
    toolkit_learn,
    toolkit_robustness,
    toolkit_sweeps,
)
from validation.records import Record


@dataclass(frozen=True, kw_only=True)
class Paper:
    """One page."""

    title: str
    """Heading of the page."""
    short: str
    """Heading in the table of docs/validation.md."""
    about: str
    """What the page is about, in sentences."""
    measures: Mapping[str, Callable[[], Record]] = field(default_factory=dict)
    """Measurements by name, in the order of the page."""


PAPERS: dict[str, Paper] = {
    "softfoot": Paper(
        title="SoftFoot: the paper's tables, figures and claims",
        short="SoftFoot",
        about="Crotti et al., *Soft Adaptive Feet for Legged Robots: An Open-Source Model for Locomotion Simulation* "
        "(2024). The measured forces and rotations of the paper are not public: agreement with the prototype is not "
        "claimed anywhere.",
        measures={
            "mounting": softfoot_mounting.mounting,
            "press_errors": softfoot_press.press_errors,
            "sensitivity": softfoot_sensitivity.sensitivity,
            "stiffness": softfoot_mechanism.stiffness,
            "windlass": softfoot_windlass.windlass,
            "impact": softfoot_impact.impact,
            "coman": softfoot_coman.coman,
            "walks": softfoot_walks.walks,
            "heel": softfoot_heel.heel,
            "bench": softfoot_bench.the_bench,
            "twin": softfoot_bench.twin,
            "fast": softfoot_fast.fast,
            "bench_recorded": softfoot_recorded.bench,
            "mounting_recorded": softfoot_walking.mounting,
            "walking_recorded": softfoot_walking.walking,
            "level": softfoot_walking.level,
        },
    ),
    "ground": Paper(
        title="Ground: the paper's figures",
        short="Ground",
        about="Gora and Dutta, *Foot-terrain Deformation based Parameters Identification of MuJoCo for Simulation of "
        "Bipedal Locomotion on Deformable Terrain*.",
        measures={
            "figure2": ground.default_ball,
            "figure3": ground.ball,
            "figure4": ground.box,
            "figure5": ground.robot,
            "table1": ground_checks.table1,
            "laws": ground_checks.laws,
            "standing": ground_checks.standing,
            "walks": ground_walks.walks,
            "fits": ground_recorded.fits,
            "cone": ground_tosses.cone,
            "tosses": ground_tosses.tosses,
            "soil": ground_recorded.soil,
            "terrains": ground_recorded.terrains,
        },
    ),
    "contact": Paper(
        title="Contact: hard against soft",
        short="Contact and gaits",
        about="Raff and Remy, *Hard vs. Soft Contacts in Trajectory Optimization of Legged Robots: An Example with a "
        "Compliant Rubber Foot* (2023). Its recorded drops and squats are not public: drops and squats here are "
        "synthetic.",
        measures={
            "figure1": contact.drops,
            "figure2": contact.law,
            "figure3": contact.squats,
            "figure4": contact_gaits.hopper,
            "guesses": contact_guesses.guesses,
            "checks": contact_checks.checks,
            "families": contact_checks.families,
        },
    ),
    "soft_robots": Paper(
        title="Soft robots: sizes and times",
        short="Soft robots and soft bodies",
        about="Coevoet et al., *Software toolkit for modeling, simulation, and control of soft robots* (2017).",
        measures={
            "sizes": soft_robots.sizes,
            "fetch": soft_robots.fetch,
            "bodies": soft_bodies.bodies,
            "speed": soft_bodies_speed.speed,
            "feet": soft_feet.feet,
            "robots": soft_feet.robots,
        },
    ),
    "footholds": Paper(
        title="Footholds: networks, costs and walks",
        short="Footholds",
        about="Bednarek et al., *CNN-based Foothold Selection for Mechanically Adaptive Soft Foot* (2020).",
        measures={
            "figure7": footholds_maps.figure7,
            "figure9": footholds_stairs.figure9,
            "table2": footholds.confusion,
            "times": footholds.times,
            "walks": footholds_walks.walks,
            "foot": footholds_foot.foot,
            "pressed": footholds_pressed.pressed,
            "scanner": footholds_pressed.scanner,
            "checks": footholds_recorded.checks,
            "speeds": footholds_recorded.speeds,
        },
    ),
    "data": Paper(
        title="Measured data: predicted first, then fitted",
        short="Measured data",
        about="Numbers that others measured: rubbers, silicone beams, a compliant ankle-foot, sand, a human footprint. "
        "The files are not part of Plantar; the measurements below need `../shared/data/real`.",
        measures={
            "rubbers": data_rubber.rubbers,
            "beams": data_beams.beams,
            "dynamometer": data_ankle.dynamometer,
            "footprint": data_footprint.footprint,
            "sand": data_sand.sand,
        },
    ),
    "toolkit": Paper(
        title="The toolkit itself",
        short="The toolkit itself",
        about="What no paper claims: sweeps, views, design, learning, robustness.",
        measures={
            "held_out": toolkit_design.held_out,
            "search": toolkit_design.search,
            "learned": toolkit_learn.learned,
            "learning": toolkit_learn.speed,
            "sweeps": toolkit_sweeps.sweeps,
            "gpu": toolkit_sweeps.gpu,
            "checks": toolkit_sweeps.checks,
            "views": toolkit_robustness.views,
            "front_door": toolkit_robustness.front_door,
            "robustness": toolkit_robustness.robustness,
            "start": toolkit_robustness.start,
        },
    ),
}
"""By name on the command line."""
