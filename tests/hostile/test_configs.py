"""Every configuration refuses what it cannot use, with `InvalidInput` that names the field, and nothing else."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields

import pytest

from plantar._config import Checked

from .configs import attempt, cases, classes, configurations, example

CLASSES = configurations()


def test_every_class_that_checks_itself_does_so_by_the_one_mechanism() -> None:
    others = {c.__name__ for c in classes() if hasattr(c, "__post_init__") and not issubclass(c, Checked)}
    assert others == set()
    assert len(CLASSES) > 90


@functools.cache
def tried(cls: type) -> tuple[int, list[str]]:
    """How many hostile values a class was given, and what was wrong with how it took them."""
    found = [attempt(cls, *case) for case in cases(cls)]
    return len(found), [wrong for wrong in found if wrong]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
def test_hostile_values_are_refused_by_name(cls: type) -> None:
    example(cls)
    assert tried(cls)[1] == []


def test_hostile_values_are_many(record_property: Callable[[str, object], None]) -> None:
    counts, wrong = zip(*(tried(cls) for cls in CLASSES), strict=True)
    record_property("hostile.configs.classes", len(CLASSES))
    record_property("hostile.configs.cases", sum(counts))
    record_property("hostile.configs.wrong", sum(map(len, wrong)))
    assert sum(counts) > 30_000
    assert all(count > 0 or not fields(cls) for cls, count in zip(CLASSES, counts, strict=True))
