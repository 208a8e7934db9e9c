"""Tests of the start of a separate stack."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from webapp.runtime import separate_stack
from webapp.runtime.separate_stack import Stack


def test_stack_that_cannot_be_built_leaves_no_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(_log_folder: Path) -> None:
        raise OSError("too many open files")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(separate_stack, "ProcessGroup", fail)
    with pytest.raises(OSError, match="too many open files"):
        Stack()
    assert not list(tmp_path.iterdir())
