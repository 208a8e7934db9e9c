"""Tests of single processes, for installations with a supervisor of their own."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from django.conf import settings

from tests.live import Stack, free_port, isolated_environment, wait_until
from webapp.runtime import PROJECT_ROOT, single

COMMAND = [sys.executable, "-m", "webapp.runtime.single"]


def test_second_web_process_runs_on_its_own_port(stack: Stack, tmp_path: Path) -> None:
    port = free_port()
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [*COMMAND, "web"],
            cwd=PROJECT_ROOT,
            env={**stack.env, "PORT": str(port)},
            stdout=log,
            stderr=log,
        )

    def is_answering() -> bool:
        assert process.poll() is None, (tmp_path / "log").read_text()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as response:
                return response.status == 200
        except OSError:
            return False

    try:
        wait_until(is_answering, "the second web process answers", 120)
        os.kill(process.pid, signal.SIGTERM)
        process.wait(60)
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("name", "env", "error"),
    [
        ("webb", {"REDIS_URL": "redis://127.0.0.1:1"}, "web, worker, sweeper"),
        ("sweeper", {}, "REDIS_URL is not set"),
        ("web", {"REDIS_URL": "redis://127.0.0.1:1", "PORT": "none"}, "not a port number"),
    ],
)
def test_invalid_setup_ends_with_a_clear_error(name: str, env: dict[str, str], error: str) -> None:
    process = subprocess.run(
        [*COMMAND, name],
        cwd=PROJECT_ROOT,
        env={**isolated_environment(), **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert process.returncode == 1
    assert error in process.stderr
    assert "Traceback" not in process.stderr


def parse_compose_file() -> dict[str, Any]:
    """Return compose.yaml with the defaults of its variables."""
    text = (PROJECT_ROOT / "compose.yaml").read_text()
    compose: dict[str, Any] = yaml.safe_load(re.sub(r"\$\{\w+:[?-]([^}]*)\}", r"\1", text))
    return compose


def test_compose_file_runs_the_known_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is parsed and checked as far as possible without a Docker daemon."""
    compose = parse_compose_file()
    services = compose["services"]
    own_services = {
        name: service_entry
        for name, service_entry in services.items()
        if service_entry.get("image") == "fabula"
    }
    assert set(own_services) == {"prepare", *single.NAMES}
    code = "".join(path.read_text() for path in (PROJECT_ROOT / "webapp").rglob("*.py"))
    for name, service in own_services.items():
        assert all(variable in code for variable in service["environment"])
        python, flag, module, *arguments = service["command"].split()
        assert (python, flag) == ("python", "-m")
        assert importlib.util.find_spec(module)
        if arguments:
            assert arguments == [name]
            assert service["deploy"]["replicas"] == 2
            assert service["depends_on"]["prepare"]["condition"].endswith("completed_successfully")
            monkeypatch.setattr(os, "environ", {**service["environment"], "PORT": "0"})
            assert single.build_child(name).name == name
    names = {*services, *compose["volumes"], *compose["configs"]}
    for service in services.values():
        sources = [volume.partition(":")[0] for volume in service.get("volumes", [])]
        sources += [config["source"] for config in service.get("configs", [])]
        assert names >= {*service.get("depends_on", []), *sources}
    database, redis = (
        urlsplit(own_services["web"]["environment"]["DATABASE_URL"]),
        services["cache"],
    )
    assert database.hostname in services
    assert urlsplit(own_services["web"]["environment"]["REDIS_URL"]).hostname == "cache"
    assert "noeviction" in redis["command"], "Redis evicts no tasks"


def test_compose_database_has_connections_for_all_threads() -> None:
    services = parse_compose_file()["services"]
    connections = int(services["db"]["command"].partition("max_connections=")[2])
    threads = services["worker"]["deploy"]["replicas"] * settings.CELERY_WORKER_CONCURRENCY
    assert connections >= 2 * threads, "half remain for web, sweepers and more workers"


def test_image_has_no_secrets_and_can_back_up_its_database() -> None:
    services = parse_compose_file()["services"]
    ignored = (PROJECT_ROOT / ".dockerignore").read_text().split()
    assert {".git", ".venv", ".data", ".env"} <= set(ignored)
    assert ".env" in (PROJECT_ROOT / ".gitignore").read_text().split()
    steps = services["prepare"]["build"]["dockerfile_inline"]
    major = services["db"]["image"].partition(":")[2]
    assert f"postgresql-client-{major} " in steps, "pg_dump has the server's version"
    assert "\nUSER fabula\n" in steps
