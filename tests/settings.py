"""Settings of the tests: the site's, with a data folder of this run and without Redis.

pytest-django imports this before anything else, so the environment set here also reaches xdist's
workers and every process of a test. No test touches the developer's .data.
"""

import atexit
import os
import shutil
import tempfile

if "FABULA_TEST_RUN" not in os.environ:  # not in xdist's workers: they use the run's own folder
    os.environ["FABULA_TEST_RUN"] = tempfile.mkdtemp(prefix="fabula-test-")
    atexit.register(shutil.rmtree, os.environ["FABULA_TEST_RUN"], ignore_errors=True)
os.environ["FABULA_DATA"] = os.environ["FABULA_TEST_RUN"]
os.environ["REDIS_URL"] = "redis://127.0.0.1:1/0"  # unreachable; tests/live.py starts a real one

from webapp.runtime.children import ONE_THREAD

os.environ |= ONE_THREAD  # before NumPy is loaded; two processes of tests have two processors

from webapp.settings import *  # noqa: F403

# Tasks and broadcasts of a test in this process are discarded. tests/live.py has real ones.
CELERY_BROKER_URL = "memory://"
CHANNEL_LAYERS = {
    name: {"BACKEND": "channels.layers.InMemoryChannelLayer"} for name in ("default", "process")
}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

PASSWORD_HASHERS = ["tests.hashing.QuickHasher", *PASSWORD_HASHERS]  # noqa: F405

RULESETS = ["tests.two_days", *RULESETS]  # noqa: F405  # with those of the site
