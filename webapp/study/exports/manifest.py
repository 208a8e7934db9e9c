"""The manifest: which files there are, how long, and their hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from webapp.study.exports.source import SCHEMA, Source, app_version


def manifest(source: Source, files: Mapping[str, bytes]) -> bytes:
    """`sha256sum` of each file finds the same hashes."""
    data = {
        "export_schema_version": SCHEMA,
        "campaign_id": source.campaign.code,
        "campaign_config_hash": source.hash,
        "app_version": app_version(),
        "files": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in sorted(files.items())
        },
    }
    return (json.dumps(data, indent=2) + "\n").encode()
