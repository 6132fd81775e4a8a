# MuJoCo's binary modules carry no types: every name is taken as it comes.
from typing import Any

def __getattr__(name: str) -> Any: ...
