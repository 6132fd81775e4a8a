"""Every configuration refuses what it cannot use, with `InvalidInput` that names the field, and nothing else."""

from __future__ import annotations

import pytest

from plantar._config import Checked

from .configs import attempt, cases, classes, configurations, example

CLASSES = configurations()


def test_every_class_that_checks_itself_does_so_by_the_one_mechanism() -> None:
    others = {c.__name__ for c in classes() if hasattr(c, "__post_init__") and not issubclass(c, Checked)}
    assert others == set()
    assert len(CLASSES) > 90


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
def test_hostile_values_are_refused_by_name(cls: type) -> None:
    example(cls)
    assert [wrong for case in cases(cls) if (wrong := attempt(cls, *case))] == []
