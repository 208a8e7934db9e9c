"""Golden outputs: all exports and printed figures of a packed database, as plain files.

    python -m tests.upgrade.golden [NAME ...]

rewrites `golden/NAME/` (see README.md), and `test_golden.py` compares. The outputs come from the
migrated database through the site's own views, commands and tasks.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

FOLDER = Path(__file__).parent / "golden"
NOW = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)  # later than all events in the databases
LARGE = 200_000  # bytes; larger files are stored as gzip
VERSION = "VERSION"  # Stands for the program's version.
INLINE = frozenset(("a", "abbr", "b", "bdi", "code", "em", "i", "kbd", "q", "s", "small", "span",
                    "strong", "sub", "sup", "time", "u", "var"))  # fmt: skip
SKIPPED_TAGS = frozenset(("script", "style", "svg", "template"))
LONG_NUMBER = re.compile(r"-?[0-9]+\.[0-9]{12,}(?:e[+-]?[0-9]+)?")
CAMPAIGN_PAGES = ("results", "progress", "raters", "judges", "units", "export")
CAMPAIGN_FILES = ("raters/payments.csv",)
STUDY_PAGES = ("results", "payments", "monitor", "people", "data", "ethics")
STUDY_FILES = ("ethics.md", "results/take/estimates", "results/take/comparisons",
               "results/take/md", "results/take/tex")  # fmt: skip

Outputs = dict[str, str]


def names() -> list[str]:
    """Return the names of packed databases with golden outputs."""
    return sorted(path.name for path in FOLDER.iterdir())


def read(name: str) -> Outputs:
    """Map paths to the golden texts of a database."""
    folder, texts = FOLDER / name, {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        path, content = file.relative_to(folder).as_posix(), file.read_bytes()
        is_packed = file.suffix == ".gz"
        texts[path.removesuffix(".gz")] = _text(gzip.decompress(content) if is_packed else content)
    return texts


def write(name: str, outputs: Mapping[str, str]) -> None:
    shutil.rmtree(FOLDER / name, ignore_errors=True)
    for path, text in outputs.items():
        file, content = FOLDER / name / path, text.encode()
        file.parent.mkdir(parents=True, exist_ok=True)
        if len(content) > LARGE:
            file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(content, mtime=0))
        else:
            file.write_bytes(content)


@contextmanager
def neutral() -> Iterator[None]:
    """Fix all variable inputs: time, program version, hash of files, no language model."""
    from django.utils import timezone, translation

    from webapp.study import program

    project_data = {"project": {"version": VERSION}}
    models = [key for key in os.environ if key.startswith(("FABULA_MODELS", "OPENAI_"))]
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ))
        for key in models:
            del os.environ[key]
        stack.enter_context(translation.override("en"))
        stack.enter_context(mock.patch.object(timezone, "now", return_value=NOW))
        toml = mock.patch.object(program.tomllib, "loads", return_value=project_data)
        with toml, mock.patch.object(program, "HASHED_FOLDERS", ()):
            for function in (program.app_version, program.source_hash):
                function.cache_clear()
                stack.callback(function.cache_clear)
                function()  # fills the cache with the fixed value
        yield


def outputs(campaigns: Mapping[str, str], studies: Mapping[str, str]) -> Outputs:
    """Map paths to the texts of all outputs of the open database.

    Args:
        campaigns: name -> code of each campaign outside of studies.
        studies: name -> code of each study.
    """
    from tests.study.desk import sign_in
    from webapp.study.models import Campaign, Study
    from webapp.study.sessions import study_campaigns

    with neutral():
        ada, texts = sign_in("ada"), {}
        for name, code in campaigns.items():
            campaign = Campaign.objects.get(code=code)
            texts |= _within(f"campaigns/{name}", _of_campaign(ada, campaign))
        for name, code in studies.items():
            study = Study.objects.get(code=code)
            texts |= _within(f"studies/{name}", _of_study(ada, study))
            for number, campaign in enumerate(study_campaigns.campaigns_of(study), 1):
                folder = f"studies/{name}/ratings-{number}"
                texts |= _within(folder, _of_campaign(ada, campaign))
    return texts


def _within(folder: str, outputs: Mapping[str, str]) -> Outputs:
    return {f"{folder}/{path}": text for path, text in outputs.items()}


def _of_campaign(ada: Any, campaign: Any) -> Outputs:
    """Return the export, recomputed statistics and pages of a campaign."""
    from webapp.study import tasks
    from webapp.study.models import Analysis

    Analysis.objects.filter(campaign=campaign).delete()
    tasks.analyse(campaign.pk)
    row = Analysis.objects.get(campaign=campaign)
    assert not row.failure
    address = f"/study/{campaign.code}"
    texts = _unzip(_get(ada, f"{address}/export/all.zip"))
    texts |= _figures(row.data)
    # Downloadable tables are hidden while people rate, so they come from the stored results.
    texts |= {"tables.md": row.data["markdown"], "tables.tex": row.data["latex"]}
    texts |= {path.split("/")[-1]: _text(_get(ada, f"{address}/{path}")) for path in CAMPAIGN_FILES}
    return texts | _pages(ada, address, CAMPAIGN_PAGES)


def _of_study(ada: Any, study: Any) -> Outputs:
    """Return the full export, its verification, recomputed results and pages of a study."""
    from webapp.study import tasks
    from webapp.study.data.studies.study_source import StudySource
    from webapp.study.models import StudyAnalysis

    address = f"/study/studies/{study.code}"
    texts = _export_study(study.code)
    StudyAnalysis.objects.filter(study=study).delete()
    tasks.results(study.pk)
    row = StudyAnalysis.objects.get(study=study)
    assert not row.failure
    texts |= _figures(row.data)
    files = (
        STUDY_FILES if StudySource(study).has_ended else STUDY_FILES[:1]
    )  # other files are hidden
    texts |= {path.split("/")[-1]: _text(_get(ada, f"{address}/{path}")) for path in files}
    for batch in study.payment_batches.order_by("number"):
        path = f"payments/batches/{batch.number}/file"
        texts[f"batch-{batch.number}.txt"] = _text(_get(ada, f"{address}/{path}"))
    return texts | _pages(ada, address, STUDY_PAGES)


def _export_study(code: str) -> Outputs:
    """Return the files of `manage.py study export` and the output of `study verify`."""
    from django.core.management import call_command

    with tempfile.TemporaryDirectory() as folder:
        file, messages = Path(folder) / "all.zip", io.StringIO()
        options = {"messages": True, "payments": True, "results": True}
        call_command("study", "export", code, out=file, **options, stdout=io.StringIO())
        call_command("study", "verify", file, stdout=messages)
        verification = messages.getvalue().replace(str(file), "FILE")
        return {**_unzip(file.read_bytes()), "verify.txt": verification}


def _unzip(content: bytes) -> Outputs:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: _text(archive.read(name)) for name in archive.namelist()}


def _figures(data: Mapping[str, Any]) -> Outputs:
    """Return the stored statistics, with hashes instead of pictures."""
    pictures = {
        key: hashlib.sha256(svg.encode()).hexdigest()
        for key, svg in sorted(data.get("figures", {}).items())
    }
    keys = ("results", "judges", "published", "ended")
    data_to_store = {key: data[key] for key in keys if key in data} | {"pictures": pictures}
    text = json.dumps(data_to_store, indent=1, sort_keys=True, ensure_ascii=False)
    return {"statistics.json": f"{text}\n"}


def _get(client: Any, address: str) -> bytes:
    answer = client.get(address)
    assert answer.status_code == 200, f"{address}: {answer.status_code}"
    return bytes(answer.content)


def _pages(client: Any, address: str, pages: Sequence[str]) -> Outputs:
    return {
        f"pages/{page}.txt": page_text(_get(client, f"{address}/{page}").decode()) for page in pages
    }


def page_text(html: str) -> str:
    """Return the text of a page, one line for each table row and each block."""
    from webapp.study.rehearsal.html_page import Page

    main = next(e for e in Page("", 200, html).elements if e.name == "main")
    lines = (" ".join(line.split()) for line in _element_text(main).split("\n"))
    return "\n".join(line for line in lines if line) + "\n"


def _element_text(element: Any) -> str:
    """Return the text of an element, with line breaks between blocks."""
    if element.name in SKIPPED_TAGS:
        return ""
    if element.name == "tr":
        cells = (child for child in element.children if not isinstance(child, str))
        return "\n" + " | ".join(" ".join(_element_text(cell).split()) for cell in cells) + "\n"
    text = "".join(
        re.sub(r"\s+", " ", child) if isinstance(child, str) else _element_text(child)
        for child in element.children
    )
    return text if element.name in INLINE else f"\n{text}\n"


def _text(content: bytes) -> str:
    """Decode UTF-8 and keep line ends."""
    return content.decode()


def differences(golden: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return a sentence for each different file, with the first different line.

    Processors differ in the last digits of a sum, so numbers are compared to twelve digits.
    """
    golden, now = (
        {path: _round_numbers(text) for path, text in texts.items()} for texts in (golden, now)
    )
    messages = [f"{path}: is not made any more" for path in sorted(golden.keys() - now.keys())]
    messages += [f"{path}: is new" for path in sorted(now.keys() - golden.keys())]
    for path in sorted(golden.keys() & now.keys()):
        if golden[path] != now[path]:
            messages.append(_first_difference(path, golden[path], now[path]))
    return messages


def _round_numbers(text: str) -> str:
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.12g}", text)


def _first_difference(path: str, golden: str, now: str) -> str:
    before, after = ([*text.split("\n"), "(end of file)"] for text in (golden, now))
    pairs = enumerate(zip(before, after, strict=False), 1)
    number, (golden_line, current_line) = next((n, pair) for n, pair in pairs if pair[0] != pair[1])
    return f"{path}:{number}\n  golden: {golden_line[:300]!r}\n  now:    {current_line[:300]!r}"


@contextmanager
def own_site() -> Iterator[Path]:
    """Set up Django for tests with an empty data folder. Yields: the database file."""
    os.environ.pop("DATABASE_URL", None)
    with tempfile.TemporaryDirectory(prefix="fabula-upgrade-") as folder:
        os.environ |= {"FABULA_TEST_RUN": folder, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        import django
        from django.conf import settings
        from django.test.utils import setup_test_environment, teardown_test_environment

        django.setup()
        setup_test_environment()  # allows test clients
        yield Path(settings.DATABASES["default"]["NAME"])
        teardown_test_environment()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.upgrade.golden", description=__doc__)
    parser.add_argument("names", nargs="*", help="of databases; all that have such outputs")
    for name in parser.parse_args().names or names():
        with own_site() as file:
            from django.core.management import call_command

            from tests.upgrade import database

            database.unpack(name, file)
            call_command("migrate", verbosity=0)
            facts = database.facts(name)
            codes = {key: campaign["code"] for key, campaign in facts["campaigns"].items()}
            texts = outputs(codes, facts["studies"])
            write(name, texts)
            size = sum(map(len, texts.values())) / 1024
            print(f"{name}: {len(texts)} files, {size:.0f} KB")


if __name__ == "__main__":
    main()
