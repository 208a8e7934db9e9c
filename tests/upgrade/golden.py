"""Golden outputs: every export and every printed figure of a packed database, as plain files.

    python -m tests.upgrade.golden [NAME ...]

writes `golden/NAME/` anew (see README.md); `test_golden.py` compares. The outputs come from the
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
NOW = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)  # after all that the databases tell
LARGE = 200_000  # bytes; what is larger is kept as gzip
VERSION = "VERSION"  # of the program
INLINE = frozenset(("a", "abbr", "b", "bdi", "code", "em", "i", "kbd", "q", "s", "small", "span",
                    "strong", "sub", "sup", "time", "u", "var"))  # fmt: skip
UNREAD = frozenset(("script", "style", "svg", "template"))
LONG_NUMBER = re.compile(r"-?[0-9]+\.[0-9]{12,}(?:e[+-]?[0-9]+)?")
CAMPAIGN_PAGES = ("results", "progress", "raters", "judges", "units", "export")
CAMPAIGN_FILES = ("raters/payments.csv",)
STUDY_PAGES = ("results", "payments", "monitor", "people", "data", "ethics")
STUDY_FILES = ("ethics.md", "results/take/estimates", "results/take/comparisons",
               "results/take/md", "results/take/tex")  # fmt: skip

Outputs = dict[str, str]


def names() -> list[str]:
    """The packed databases that have golden outputs."""
    return sorted(path.name for path in FOLDER.iterdir())


def read(name: str) -> Outputs:
    """path -> text of the golden files of a database."""
    folder, found = FOLDER / name, {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        path, content = file.relative_to(folder).as_posix(), file.read_bytes()
        packed = file.suffix == ".gz"
        found[path.removesuffix(".gz")] = _text(gzip.decompress(content) if packed else content)
    return found


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
    """What may vary is constant.

    The time, the program's version, the hash of its files, and that no language model is set up.
    """
    from django.utils import timezone, translation

    from webapp.study import program

    told = {"project": {"version": VERSION}}
    models = [key for key in os.environ if key.startswith(("FABULA_MODELS", "OPENAI_"))]
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ))
        for key in models:
            del os.environ[key]
        stack.enter_context(translation.override("en"))
        stack.enter_context(mock.patch.object(timezone, "now", return_value=NOW))
        toml = mock.patch.object(program.tomllib, "loads", return_value=told)
        with toml, mock.patch.object(program, "HASHED_FOLDERS", ()):
            for cached in (program.app_version, program.source_hash):
                cached.cache_clear()
                stack.callback(cached.cache_clear)
                cached()  # from now on it is what was cached
        yield


def outputs(campaigns: Mapping[str, str], studies: Mapping[str, str]) -> Outputs:
    """path -> text of everything, from the database that is open.

    Args:
        campaigns: name -> code of each campaign that is no study's.
        studies: name -> code of each study.
    """
    from tests.study.desk import sign_in
    from webapp.study.models import Campaign, Study
    from webapp.study.sessions import rated_games

    with neutral():
        ada, found = sign_in("ada"), {}
        for name, code in campaigns.items():
            campaign = Campaign.objects.get(code=code)
            found |= _within(f"campaigns/{name}", _of_campaign(ada, campaign))
        for name, code in studies.items():
            study = Study.objects.get(code=code)
            found |= _within(f"studies/{name}", _of_study(ada, study))
            for number, campaign in enumerate(rated_games.campaigns_of(study), 1):
                where = f"studies/{name}/ratings-{number}"
                found |= _within(where, _of_campaign(ada, campaign))
    return found


def _within(folder: str, outputs: Mapping[str, str]) -> Outputs:
    return {f"{folder}/{path}": text for path, text in outputs.items()}


def _of_campaign(ada: Any, campaign: Any) -> Outputs:
    """Its export, its statistics worked out anew, and its pages."""
    from webapp.study import tasks
    from webapp.study.models import Analysis

    Analysis.objects.filter(campaign=campaign).delete()
    tasks.analyse(campaign.pk)
    row = Analysis.objects.get(campaign=campaign)
    assert not row.failure
    address = f"/study/{campaign.code}"
    found = _unzipped(_get(ada, f"{address}/export/all.zip"))
    found |= _figures(row.data)
    # The tables to take away are hidden while people rate, so they come from the stored results.
    found |= {"tables.md": row.data["markdown"], "tables.tex": row.data["latex"]}
    found |= {path.split("/")[-1]: _text(_get(ada, f"{address}/{path}")) for path in CAMPAIGN_FILES}
    return found | _pages(ada, address, CAMPAIGN_PAGES)


def _of_study(ada: Any, study: Any) -> Outputs:
    """Its export with all that can be asked for, whether that is verified, its results worked out
    anew, and its pages."""
    from webapp.study import tasks
    from webapp.study.data.studies.study_source import StudySource
    from webapp.study.models import StudyAnalysis

    address = f"/study/studies/{study.code}"
    found = _exported(study.code)
    StudyAnalysis.objects.filter(study=study).delete()
    tasks.results(study.pk)
    row = StudyAnalysis.objects.get(study=study)
    assert not row.failure
    found |= _figures(row.data)
    files = (
        STUDY_FILES if StudySource(study).is_ended else STUDY_FILES[:1]
    )  # the others are covered
    found |= {path.split("/")[-1]: _text(_get(ada, f"{address}/{path}")) for path in files}
    for batch in study.payment_batches.order_by("number"):
        path = f"payments/batches/{batch.number}/file"
        found[f"batch-{batch.number}.txt"] = _text(_get(ada, f"{address}/{path}"))
    return found | _pages(ada, address, STUDY_PAGES)


def _exported(code: str) -> Outputs:
    """What `manage.py study export` writes and `study verify` says of it."""
    from django.core.management import call_command

    with tempfile.TemporaryDirectory() as folder:
        file, said = Path(folder) / "all.zip", io.StringIO()
        every = {"messages": True, "payments": True, "results": True}
        call_command("study", "export", code, out=file, **every, stdout=io.StringIO())
        call_command("study", "verify", file, stdout=said)
        told = said.getvalue().replace(str(file), "FILE")
        return {**_unzipped(file.read_bytes()), "verify.txt": told}


def _unzipped(content: bytes) -> Outputs:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: _text(archive.read(name)) for name in archive.namelist()}


def _figures(data: Mapping[str, Any]) -> Outputs:
    """The statistics as they are kept; of pictures their hashes."""
    pictures = {
        key: hashlib.sha256(svg.encode()).hexdigest()
        for key, svg in sorted(data.get("figures", {}).items())
    }
    kept = ("results", "judges", "published", "ended")
    told = {key: data[key] for key in kept if key in data} | {"pictures": pictures}
    text = json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False)
    return {"statistics.json": f"{text}\n"}


def _get(client: Any, address: str) -> bytes:
    answer = client.get(address)
    assert answer.status_code == 200, f"{address}: {answer.status_code}"
    return bytes(answer.content)


def _pages(client: Any, address: str, pages: Sequence[str]) -> Outputs:
    return {
        f"pages/{page}.txt": printed(_get(client, f"{address}/{page}").decode()) for page in pages
    }


def printed(html: str) -> str:
    """What a page says, a line for each row of a table and each block."""
    from webapp.study.rehearsal.html_page import Page

    main = next(e for e in Page("", 200, html).elements if e.name == "main")
    lines = (" ".join(line.split()) for line in _written(main).split("\n"))
    return "\n".join(line for line in lines if line) + "\n"


def _written(element: Any) -> str:
    """The text of an element; "\\n" stands between blocks."""
    if element.name in UNREAD:
        return ""
    if element.name == "tr":
        cells = (child for child in element.children if not isinstance(child, str))
        return "\n" + " | ".join(" ".join(_written(cell).split()) for cell in cells) + "\n"
    text = "".join(
        re.sub(r"\s+", " ", child) if isinstance(child, str) else _written(child)
        for child in element.children
    )
    return text if element.name in INLINE else f"\n{text}\n"


def _text(content: bytes) -> str:
    """UTF-8, with its line ends as they are."""
    return content.decode()


def differences(golden: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """A sentence for each file that is not the same, with the first line that differs.

    Processors differ in the last digits of a sum: numbers are compared to twelve digits.
    """
    golden, now = ({path: _rounded(text) for path, text in of.items()} for of in (golden, now))
    found = [f"{path}: is not made any more" for path in sorted(golden.keys() - now.keys())]
    found += [f"{path}: is new" for path in sorted(now.keys() - golden.keys())]
    for path in sorted(golden.keys() & now.keys()):
        if golden[path] != now[path]:
            found.append(_first_difference(path, golden[path], now[path]))
    return found


def _rounded(text: str) -> str:
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.12g}", text)


def _first_difference(path: str, golden: str, now: str) -> str:
    before, after = ([*text.split("\n"), "(end of file)"] for text in (golden, now))
    pairs = enumerate(zip(before, after, strict=False), 1)
    number, (old, new) = next((n, pair) for n, pair in pairs if pair[0] != pair[1])
    return f"{path}:{number}\n  golden: {old[:300]!r}\n  now:    {new[:300]!r}"


def main() -> None:
    from tests.upgrade.make import own_site

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
            made = outputs(codes, facts["studies"])
            write(name, made)
            size = sum(map(len, made.values())) / 1024
            print(f"{name}: {len(made)} files, {size:.0f} KB")


if __name__ == "__main__":
    main()
