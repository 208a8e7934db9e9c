"""`StartupError`: one sentence for the console, with passwords masked."""

import re
from urllib.parse import unquote, urlsplit


class StartupError(Exception):
    """Fabula can't start or continue. The message is one sentence for the console."""


def mask_password(url: str) -> str:
    """Return the URL with its password replaced: `postgres://ann:***@host/db`."""
    masked = re.sub(r"//([^:@/]*):.*@", r"//\1:***@", url)
    masked = re.sub(r":[^:@/]*@", ":***@", masked)  # mask text that only looks like a URL
    return re.sub(r"(password=)[^&]*", r"\1***", masked, flags=re.IGNORECASE)


def masked_reason(error: BaseException, url: str = "") -> str:
    """Return the first line of an error, with the URL and its password masked."""
    text = str(error).strip() or type(error).__name__
    line = text.splitlines()[0].strip().rstrip(".")
    if not url:
        return line
    line = line.replace(url, mask_password(url))
    try:
        password = urlsplit(url).password or ""
    except ValueError:
        return line
    for secret in {password, unquote(password)} - {""}:
        line = line.replace(secret, "***")
    return line
