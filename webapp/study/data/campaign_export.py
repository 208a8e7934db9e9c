"""The export of a campaign as one ZIP: ratings, transcripts, raters, codebook, manifest.

The same data give the same bytes at any time and on any machine. docs/data.md lists the files.
"""

from django.utils.translation import override

from webapp.study.data import archive, codebook
from webapp.study.data.campaign_files import TABLES
from webapp.study.data.campaign_source import CAMPAIGN_EXPORT_VERSION, CampaignSource
from webapp.study.models import Campaign
from webapp.study.program import app_version

_FILE_BUILDERS = {
    **{name: table.build for name, table in TABLES.items()},
    "codebook.md": codebook.render_markdown,
    "codebook.json": codebook.render_json,
}
MANIFEST_FILE = "manifest.json"
FILE_NAMES = (*_FILE_BUILDERS, MANIFEST_FILE)


def build_files(campaign: Campaign, *, anonymous: bool = False) -> dict[str, bytes]:
    """Return file name -> content. The last file is the manifest with the hashes of the others.

    If `anonymous`, texts lack contact data and outside names (`CampaignSource`).
    """
    source = CampaignSource(campaign, anonymous=anonymous)
    with override("en"):  # the same bytes for every reader
        contents = {name: build(source) for name, build in _FILE_BUILDERS.items()}
    manifest_facts = {
        "export_schema_version": CAMPAIGN_EXPORT_VERSION,
        "campaign_id": campaign.code,
        "campaign_config_hash": source.config_hash,
        "app_version": app_version(),
        **({"anonymous": True} if anonymous else {}),
    }
    return {**contents, MANIFEST_FILE: archive.build_manifest(manifest_facts, contents)}


def build_file(campaign: Campaign, name: str, *, anonymous: bool = False) -> bytes:
    """Return the content of the file with one of FILE_NAMES."""
    if name == MANIFEST_FILE:
        return build_files(campaign, anonymous=anonymous)[name]
    with override("en"):
        return _FILE_BUILDERS[name](CampaignSource(campaign, anonymous=anonymous))


def build_zip(campaign: Campaign, *, anonymous: bool = False) -> bytes:
    """Return all files as one ZIP archive, without times and owners."""
    return archive.zip_files(build_files(campaign, anonymous=anonymous))
