"""Recorder of the project's files that a call passes through."""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from pathlib import Path
from types import FrameType

from django.urls import get_resolver

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("game", "agents", "webapp")
HOUSE = tuple(str(ROOT / name) + "/" for name in PARTS)
MODULES = tuple(f"{name}." for name in PARTS)


@contextmanager
def record_called_files() -> Iterator[list[str]]:
    """Yield a list that receives the files whose functions are called inside the block.

    They are paths from the project's root, in the order of their first call, of this thread only.
    """
    entered: dict[str, None] = {}

    def enter(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        function = code.co_flags & inspect.CO_OPTIMIZED  # no module or class that is imported
        if event == "call" and function and code.co_filename.startswith(HOUSE):
            entered.setdefault(str(Path(code.co_filename).relative_to(ROOT)))

    files: list[str] = []
    _ = get_resolver().url_patterns  # imports the views, whose modules call functions
    _clear_caches()
    gc.collect()
    gc.disable()  # collecting a suspended generator resumes it, which counts as a call
    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        yield files
    finally:
        sys.setprofile(before)
        gc.enable()
        files += entered


def _clear_caches() -> None:
    """Clear the caches of functions, so that each function is entered again."""
    modules = [m for name, m in sys.modules.items() if name.startswith(MODULES)]
    for function in (value for module in modules for value in vars(module).values()):
        if isinstance(function, _lru_cache_wrapper):
            function.cache_clear()
