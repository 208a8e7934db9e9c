"""Tests of logs: bounded size, and the last lines of a dead process."""

from pathlib import Path

from webapp.runtime import logs


def test_oversized_log_is_rotated_while_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "web.log"
    with logs.open_log(file) as output:
        output.write(b"old\n" * 10)
        logs.bound_size(file, limit=30)
        output.write(b"new\n")
    assert file.read_bytes() == b"new\n"
    assert file.with_name("web.log.1").read_bytes() == b"old\n" * 10


def test_small_log_is_not_rotated(tmp_path: Path) -> None:
    file = tmp_path / "web.log"
    file.write_text("short\n")
    logs.bound_size(file, limit=30)
    assert file.read_text() == "short\n"
    assert not file.with_name("web.log.1").exists()


def test_tail_starts_at_the_given_offset(tmp_path: Path) -> None:
    file = tmp_path / "web.log"
    file.write_text("of another\n")
    start = file.stat().st_size
    with open(file, "a") as output:
        output.write("first\n\nsecond\nthird\n")
    assert logs.tail(file, start, lines=2) == ["second", "third"]
    assert logs.tail(file, start) == ["first", "second", "third"]
    assert logs.tail(tmp_path / "none.log") == []
