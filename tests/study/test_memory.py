"""Tests that a web process does not load the libraries of workers.

These are the statistics, the understanding of talk, the deduction of roles and the players.
"""

from __future__ import annotations

import os
import subprocess
import sys

from webapp.runtime import PROJECT_ROOT

HEAVY_MODULES = (
    *("scipy", "pandas", "matplotlib", "pingouin", "krippendorff", "statsmodels", "choix"),
    *("agents.talk.dialogue", "agents.understanding", "agents.talk.whispers", "agents.house"),
    *("agents.deduction.deals", "agents.deduction.factored_deals", "agents.deduction.likelihoods"),
)
IMPORT_SCRIPT = """
import importlib, pkgutil, sys
import django; django.setup()
import webapp.asgi, webapp.urls
import webapp.play, webapp.study
workers = ("webapp.study.results.", "webapp.study.migrations", "webapp.play.migrations",
           "webapp.play.claim_reading", "webapp.play.management.", "webapp.play.simulation.",
           "webapp.study.management.commands.metrics")
for app in (webapp.play, webapp.study):
    for found in pkgutil.walk_packages(app.__path__, app.__name__ + "."):
        if not found.name.startswith(workers):
            importlib.import_module(found.name)
from webapp.statistics.marks import Mark
from webapp.statistics.rater_behavior import describe_raters  # as `rating.exclusion` does
given = *"aumgcrd", 1, 5, 3, "answered"
once = Mark(*given, False, False, None, 1, 900, False)
describe_raters([once, Mark(*given, True, False, None, 2, 900, False)], ["d"])
print(sorted(set(sys.modules) & set(sys.argv[1:])))
"""


def test_web_process_loads_no_heavy_libraries() -> None:
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PYTHONPATH": str(PROJECT_ROOT),
    }
    completed = subprocess.run(
        [sys.executable, "-c", IMPORT_SCRIPT, *HEAVY_MODULES],
        env=env,
        cwd=PROJECT_ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert completed.stdout.strip() == "[]"
