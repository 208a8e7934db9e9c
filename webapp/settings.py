"""Django settings. Everything that differs between deployments comes from the environment.

docs/running.md lists the variables; FABULA_DEBUG=1 is for development only. The OPENAI_ variables
are read by `agents.model_catalog`.
"""

import os
import secrets
import sys
from pathlib import Path

import dj_database_url

from webapp.runtime.private_files import create_private_folder

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("FABULA_DATA") or BASE_DIR / ".data").expanduser().absolute()
# It also sets the umask, so that only the owner can read files of this process.
create_private_folder(DATA_DIR)


def _secret_key() -> str:
    """Return FABULA_SECRET_KEY, else the key in the data folder, created on the first start."""
    if configured := os.environ.get("FABULA_SECRET_KEY"):
        return configured
    file = DATA_DIR / "secret_key"
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text().strip()
    with os.fdopen(descriptor, "w") as handle:
        key = secrets.token_urlsafe(48)
        handle.write(key)
    return key


SECRET_KEY = _secret_key()
DEBUG = os.environ.get("FABULA_DEBUG") == "1"


def _list_from(variable: str) -> list[str]:
    return [item.strip() for item in os.environ.get(variable, "").split(",") if item.strip()]


# The Origin of a WebSocket must match them too, so that other sites cannot open one.
HOSTS = _list_from("FABULA_HOSTS")
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *HOSTS]
# Behind a proxy that ends TLS, the browser's Origin is https but the site sees http.
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in HOSTS if host != "*"]

# The proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted.
PROXIES = _list_from("FABULA_PROXIES")
# Browsers use https, even if the proxy does not say so.
HTTPS = os.environ.get("FABULA_HTTPS") == "1"
# The HSTS header's lifetime: for this long a browser that came by https uses only https here.
SECURE_HSTS_SECONDS = int(os.environ.get("FABULA_HSTS") or 30 * 24 * 3600)
# Modules that hold external rulesets as RULESET, besides the built-in ones (docs/rulesets.md).
RULESETS = _list_from("FABULA_RULESETS")
# How many people may share one address: the limits for one address grow with it.
CROWD = int(os.environ.get("FABULA_CROWD") or 40)


def _budget_from(variable: str) -> int | None:
    return int(os.environ[variable]) if os.environ.get(variable) else None


# Daily budgets of tables for language models, from midnight to midnight (UTC).
BUDGET = {
    "site": {
        "requests": _budget_from("FABULA_REQUESTS_A_DAY"),
        "tokens": _budget_from("FABULA_TOKENS_A_DAY"),
    },
    "table": {
        "requests": _budget_from("FABULA_TABLE_REQUESTS_A_DAY"),
        "tokens": _budget_from("FABULA_TABLE_TOKENS_A_DAY"),
    },
}

INSTALLED_APPS = [
    # Daphne serves the site (webapp.runtime.daphne). As an app it only changes `runserver`; other
    # commands start 0.2 s faster without it.
    *(["daphne"] if "runserver" in sys.argv else []),
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "game",
    "webapp.play",
    "webapp.study",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "webapp.middleware.set_content_policy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "webapp.middleware.strip_nul",
    "webapp.middleware.forbid_caching",
    "webapp.middleware.rename_cookies",
    "webapp.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "webapp.urls"
ASGI_APPLICATION = "webapp.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "webapp.theme.for_templates",
            ],
            "libraries": {
                "cached_includes": "webapp.template_tags",
                "icons": "webapp.template_tags",
                "monitor": "webapp.study.monitor.frames",
                "scroller": "webapp.template_tags",
                "table_rows": "webapp.study.results.table_files",
            },
        },
    },
]

# SQLite: with these options 8 processes x 500 read-then-write transactions gave no lock error. With
# synchronous=FULL, stored data that a person relies on survive a power cut
# (tests/bench/commits.py).
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;"
        "PRAGMA busy_timeout=20000;PRAGMA foreign_keys=ON;"
    ),
}
_database = os.environ.get("DATABASE_URL") or f"sqlite:///{DATA_DIR / 'fabula.sqlite3'}"
DATABASES = {"default": dj_database_url.parse(_database)}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "webapp.sqlite"
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
    DATABASES["default"]["TEST"] = {"NAME": DATA_DIR / "test.sqlite3"}
else:  # without the server, a request fails before its visitor gives up
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
# /healthz answers 503 if the data folder's disk has fewer megabytes free.
MIN_FREE_MB = int(os.environ.get("FABULA_LEAST_FREE") or 50)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Without REDIS_URL the runtime starts an embedded server and sets the variable for its children.
REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            "hosts": [{"address": REDIS_URL, "socket_timeout": None, "socket_connect_timeout": 2}],
            "prefix": "fabula",
        },
    },
    # For consumers that nothing is sent to: their sockets open and stay open without Redis.
    "process": {"BACKEND": "channels.layers.InMemoryChannelLayer"},
}

# After this many seconds, another worker gets a task's message from a worker that holds it. The
# time is well above the longest task, because a slower task would run twice. The sweeper provides
# quick recovery.
VISIBILITY_TIMEOUT = int(os.environ.get("FABULA_VISIBILITY_TIMEOUT") or 600)

CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT = "webapp.runtime.broker:Transport"
CELERY_TASK_DEFAULT_QUEUE = "fabula"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Threads that wait for a slow model cost little; those of one table (17 at most) must not delay the
# others.
CELERY_WORKER_CONCURRENCY = int(os.environ.get("FABULA_WORKER_THREADS") or 64)
CELERY_DB_REUSE_MAX = 10**9  # webapp/celery.py closes connections that are old or broken
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker outlives any outage of Redis
# A request that queues a task while Redis is away fails within seconds instead of hanging.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": VISIBILITY_TIMEOUT,
    "unacked_restore_interval": max(1, min(10, VISIBILITY_TIMEOUT // 5)),
    "unacked_restore_throttle": 1,
    "socket_timeout": 3,
    "socket_connect_timeout": 2,
}

# Only researchers have accounts, not players and raters. Passwords are hashed one at a time.
PASSWORD_HASHERS = [
    "webapp.password_hashing.LowPriorityHasher",
    "django.contrib.auth.hashers.PBKDF2SHA1PasswordHasher",
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.BCryptSHA256PasswordHasher",
    "django.contrib.auth.hashers.ScryptPasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": f"django.contrib.auth.password_validation.{name}Validator",
        "OPTIONS": {"min_length": 10} if name == "MinimumLength" else {},
    }
    for name in ("UserAttributeSimilarity", "MinimumLength", "CommonPassword", "NumericPassword")
]
LOGIN_URL = "study:sign_in"
LOGIN_REDIRECT_URL = "study:campaigns"

# The names inside the site; at its border they get the port (webapp.middleware).
SESSION_COOKIE_NAME = "fabula_session"
CSRF_COOKIE_NAME = "fabula_csrf"
LANGUAGE_COOKIE_NAME = "fabula_language"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 365
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "webapp.play.error_pages.csrf_failure"
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024

LANGUAGE_CODE = "en"
USE_I18N = True
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
FILE_UPLOAD_PERMISSIONS = 0o600  # also for collected static files: WhiteNoise runs as the same user
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MANIFEST_STRICT = False

# All logs go to standard error, which the supervisor writes to files; Django's default would drop
# the tracebacks of failed requests.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "webapp.runtime.logs.Formatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": ["console"], "level": "INFO", "propagate": False},
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
        "fontTools": {"level": "WARNING"},  # which Matplotlib embeds fonts in PDFs with
        # Two lines for each answer of an agent, 140 for a game; failures are still logged.
        "celery.app.trace": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
    },
}
