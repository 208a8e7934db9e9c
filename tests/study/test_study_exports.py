"""Tests of a study's export: reproducible, without identities or withdrawn data, verified."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
import re
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import pandas
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import translation

from game.models import Player
from tests.study import studies
from tests.study.question_games import PERSON, WHY, create_slot, play_game
from tests.study.world import add_rater, create_campaign, create_researcher, ended_game, rate_unit
from webapp.play.models import LLMCall, MindNote
from webapp.play.turns import withdrawals
from webapp.study import csv_cells
from webapp.study.csv_cells import restore_text
from webapp.study.data import campaign_export as data
from webapp.study.data.studies import (
    ExportOptions,
    NotPublishable,
    build_file,
    build_files,
    build_zip,
    codebook,
    verification,
)
from webapp.study.data.studies.study_source import StudySource
from webapp.study.ethics import participant_erasure
from webapp.study.models import AuditLine, Campaign, Identity, Message, Participant, Payment, Study
from webapp.study.planning import study_file
from webapp.study.rating import units
from webapp.study.sessions import participant_state, responses
from webapp.study.sessions.play_answers import read_play_answers
from webapp.study.sessions.responses import Answer

pytestmark = pytest.mark.django_db(transaction=True)

STAGES = [
    {"kind": "consent"},
    {"kind": "game"},
    {"kind": "questionnaire", "instruments": ["who-is-human", "interview"]},
    {"kind": "debriefing"},
]
ALL_OPTIONS = ExportOptions(messages=True, payments=True)
PUBLIC = ExportOptions(messages=True, public=True)
PROLIFIC_ID = "5f8c0ffee5f8c0ffee5f8c0f"  # The Prolific ID of P001.


@pytest.fixture
def study() -> Study:
    """Create a study of two players. P001 answered and P002 withdrew."""
    created = studies.create_study(table={"people": 2}, stages=STAGES, factors=studies.MIND_FACTORS)
    people = studies.seat(created, 2)
    studies.finish_game(people[0])
    Identity.objects.create(participant=people[0], label=PROLIFIC_ID, session="session-77")
    Payment.objects.create(participant=people[0], amount="4.50", reason="completed")
    for person in people:
        save_statement(person, f"Told by {person.pseudonym}, that is {PROLIFIC_ID}.")
    participant_erasure.erase_participant(studies.reload(people[1]), actor="participant")
    return created


def save_statement(person: Participant, words: str) -> None:
    seating = studies.seating_of(person)
    step = participant_state.current_step(studies.reload(person))
    answers = {("interview", "why", 0): Answer(text=words)}
    for other_player in seating.slot.game.players.exclude(seat=seating.seat):  # type: ignore[union-attr]
        answers["who-is-human", "kind", other_player.seat] = Answer(choice="person", number=4)
    responses.save_answers(studies.reload(person), step, answers, revision=0, slot=seating.slot)


def close_study(study: Study) -> Study:
    study.state = Study.CLOSED
    study.save()
    return study


def export_rows(study: Study, name: str) -> list[dict[str, str]]:
    text = build_file(study, name).decode()
    reader = csv.DictReader(io.StringIO(text, newline=""))
    return [{k: restore_text(v) for k, v in row.items()} for row in reader]


def test_same_data_gives_the_same_bytes_in_any_language(study: Study) -> None:
    close_study(study)
    once = build_zip(study, ALL_OPTIONS)
    with translation.override("de"):
        assert build_zip(Study.objects.get(), ALL_OPTIONS) == once
    with zipfile.ZipFile(io.BytesIO(once)) as archive:
        manifest_files = json.loads(archive.read("manifest.json"))["files"]
        for name in set(archive.namelist()) - {"manifest.json"}:
            assert manifest_files[name]["sha256"] == hashlib.sha256(archive.read(name)).hexdigest()
    assert "payments.csv" in manifest_files
    assert "payments.csv" not in build_files(study)


def test_export_contains_no_identity_and_no_researcher(study: Study) -> None:
    close_study(study)
    content = b"".join(build_files(study, ALL_OPTIONS).values())
    for name in (PROLIFIC_ID, "session-77", study.key, study.owner.get_username() + "\r\n"):
        assert name.encode() not in content
    for person in study.participants.all():
        assert person.key.encode() not in content
    assert b"Told by P001" in content


def test_withdrawn_answers_are_not_exported(study: Study) -> None:
    close_study(study)
    assert b"Told by P002" not in b"".join(build_files(study, ALL_OPTIONS).values())
    (withdrawn,) = [r for r in export_rows(study, "participants.csv") if r["participant"] == "P002"]
    assert (withdrawn["withdrew"], withdrawn["quiz_tries"], withdrawn["step"]) == ("true", "", "")
    for name in ("responses_long.csv", "responses_wide.csv", "guesses.csv", "choices.csv"):
        assert {r["participant"] for r in export_rows(study, name)} <= {"P001"}


def test_each_guess_is_exported_beside_the_truth(study: Study) -> None:
    close_study(study)
    guesses = export_rows(study, "guesses.csv")
    game = study.slots.get(state="done").game
    assert game
    people = set(game.players.filter(kind=Player.PERSON).values_list("seat", flat=True))
    assert len(guesses) == game.players.count() - 1
    for row in guesses:
        truth = "person" if int(row["about_seat"]) in people else "computer"
        assert (row["truth"], row["right"]) == (truth, str(truth == "person").lower())
        assert (row["guess"], row["sure"], row["asked"]) == ("person", "4", "human")
        assert int(row["seat"]) in people


def test_kinds_of_players_are_exported_only_after_closing(study: Study) -> None:
    for name in ("guesses.csv", "choices.csv", "llm_calls.csv"):
        assert export_rows(study, name) == []
    for name in ("minds.jsonl", "llm_messages.jsonl"):
        assert build_file(study, name) == b""
    players = export_rows(study, "players.csv")
    assert {(r["speaker_kind"], r["participant"], r["recipe"]) for r in players} == {("", "", "")}
    assert {r["people_seats"] for r in export_rows(study, "assignments.csv")} == {""}
    assert {r["seat"] for r in export_rows(study, "seatings.csv")} == {""}
    assert {r["about_seat"] for r in export_rows(study, "responses_long.csv")} == {""}
    assert {r["speaker_kind"] for r in export_rows(study, "utterances.csv")} == {""}
    person = Player.objects.filter(kind=Player.PERSON).order_by("pk")[0]
    withdrawals.erase_person(person)
    game_ids = {r["game_id"] for r in export_rows(study, "utterances.csv")}
    assert person.game.code not in game_ids, "a removed text would reveal a person"
    close_study(study)
    assert person.game.code in {r["game_id"] for r in export_rows(study, "utterances.csv")}
    kinds = [r["speaker_kind"] for r in export_rows(study, "players.csv")]
    assert sorted(set(kinds)) == ["agent", "person"]
    assert kinds.count("person") == 2
    assert export_rows(study, "utterances.csv")
    assert export_rows(study, "votes.csv")


def test_codebook_describes_each_column_of_each_file(study: Study) -> None:
    close_study(study)
    written = build_files(study, replace(ALL_OPTIONS, results=True))
    columns_of = json.loads(written["codebook.json"])["columns"]
    undescribed = {"codebook.md", "codebook.json", "manifest.json"}
    assert set(codebook.FILE_MEANINGS) - {codebook.JUDGE_SCORES_FILE} == set(written) - undescribed
    for name, content in written.items():
        if name.endswith(".csv"):
            assert next(csv.reader([content.decode().splitlines()[0]])) == list(columns_of[name])
        elif name.endswith(".jsonl") and content:
            assert list(json.loads(content.splitlines()[0])) == list(columns_of[name])
    assert all(meaning for columns in columns_of.values() for meaning in columns.values())


def test_pandas_reads_each_table(study: Study) -> None:
    close_study(study)
    for name, content in build_files(study, ALL_OPTIONS).items():
        if name.endswith(".csv"):
            frame = pandas.read_csv(io.BytesIO(content), keep_default_na=False)
            assert len(frame) == len(export_rows(study, name)), name
    times = pandas.read_csv(io.BytesIO(build_file(study, "participants.csv")))["consented_at_utc"]
    assert str(pandas.to_datetime(times).dt.tz) == "UTC"


def test_exported_study_file_recreates_the_study(study: Study) -> None:
    parsed = study_file.parse_study_file(build_file(study, "study.toml").decode())
    assert parsed.design == StudySource(study).design
    assert (parsed.name, parsed.seed) == (study.name, study.seed)


def test_exported_archive_verifies_and_differences_are_named(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "study.zip"
    call_command("study", "export", study.code, out=file, messages=True)
    assert file.read_bytes() == build_zip(study, ExportOptions(messages=True))
    call_command("study", "verify", file)
    Participant.objects.filter(pseudonym="P001").update(waited_s=4711)
    with pytest.raises(CommandError, match="1 differences"):
        call_command("study", "verify", file)
    assert "participants.csv: differs from line 2 on" in capsys.readouterr().out
    files = build_files(study)
    file.write_bytes(data.archive.zip_files({**files, "votes.csv": b"forged"}))
    with pytest.raises(CommandError):
        call_command("study", "verify", file)
    assert "votes.csv: is not what the manifest has the hash of" in capsys.readouterr().out
    file.write_bytes(b"no archive")
    with pytest.raises(CommandError, match="no whole ZIP"):
        call_command("study", "verify", file)


def create_zip(**entries: bytes) -> bytearray:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return bytearray(buffer.getvalue())


def understate_size(archive: bytearray, declared: int) -> bytearray:
    """Declare another size of the only entry in both of its headers."""
    directory = archive.index(b"PK\x01\x02")
    for offset in (22, directory + 24):
        archive[offset : offset + 4] = declared.to_bytes(4, "little")
    return archive


@pytest.mark.parametrize(
    ("archive", "reason"),
    [
        (create_zip(bomb=bytes(60_000_000)), "bomb would grow from .* more than 200 times"),
        (create_zip(**{f"{n}.csv": b"" for n in range(301)}), "301 entries, and 300 are read"),
        (understate_size(create_zip(bomb=bytes(60_000_000)), 100), "no whole ZIP archive"),
        (create_zip(**{"manifest.json": b"[" * 100_000}), "no manifest"),
        (create_zip(a=b"x").replace(b"\x08\x00", b"\x63\x00"), "no whole ZIP archive"),
    ],
    ids=["ratio", "entries", "declared size", "nesting", "compression"],
)
def test_archive_bomb_is_rejected_before_it_is_unpacked(
    archive: bytearray, reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "study.zip"
    file.write_bytes(archive)
    tracemalloc.start()
    try:
        with pytest.raises(CommandError, match=reason):
            call_command("study", "verify", file)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_archive_is_rejected_by_its_total_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "study.zip"
    file.write_bytes(create_zip(a=random.Random(1).randbytes(30_000), b=b"b" * 30_000))
    monkeypatch.setattr(verification, "MAX_BYTES", 50_000)
    with pytest.raises(CommandError, match=r"unpack to 0\.1 MB"):
        call_command("study", "verify", file)
    monkeypatch.setattr(verification, "MAX_ZIP_BYTES", 10_000)
    with pytest.raises(CommandError, match=r"larger than 0\.0 MB"):
        call_command("study", "verify", file)


def test_archive_of_an_earlier_version_verifies(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The earlier version guarded only the beginning of a text with an apostrophe."""
    file = tmp_path / "study.zip"
    options = ExportOptions(messages=True)
    Participant.objects.filter(pseudonym="P001").update(exclusion_reason="hm;=cmd")
    with monkeypatch.context() as earlier:
        earlier.setattr(csv_cells, "_RISKY", re.compile(r"\A(?=[=+\-@\t\r\n'＝＋－＠])"))
        file.write_bytes(build_zip(study, options))
    assert file.read_bytes() != build_zip(study, options)
    call_command("study", "verify", file)


def test_only_the_owner_can_export_and_it_is_audited(study: Study) -> None:
    client, other_client = Client(), Client()
    client.force_login(study.owner)
    other_client.force_login(create_researcher("eve"))
    page = f"/study/studies/{study.code}/data"
    assert "participants.csv" in client.get(page).content.decode()
    download = client.get(f"{page}/all.zip")
    assert download.content == build_zip(study)
    files = build_files(study, ALL_OPTIONS)
    for name in ("votes.csv", "payments.csv"):
        assert client.get(f"{page}/{name}").content == files[name]
    exported = AuditLine.objects.filter(what="export").values_list("about", flat=True)
    assert list(exported) == [f"{study.code} {n}" for n in ("all.zip", "votes.csv", "payments.csv")]
    assert client.get(f"{page}/secret.csv").status_code == 404
    assert (
        other_client.get(page).status_code == other_client.get(f"{page}/all.zip").status_code == 404
    )
    assert Client().get(f"{page}/all.zip").status_code == 302


def test_minds_and_calls_are_exported_without_messages_unless_asked(study: Study) -> None:
    close_study(study)
    game = study.slots.get(state="done").game
    assert game
    agent = game.players.filter(kind=Player.AGENT)[0]
    game.players.filter(pk=agent.pk).update(name="Zebulon")
    messages = [{"role": "user", "content": "You are Zebulon."}]
    LLMCall.objects.create(
        game=game, seat=agent.seat, window="w", step="s", backend="house", kind="vote", brief={},
        reply={}, seconds=1.5, exchange={"model": "m-1", "messages": messages, "answer": "A plan."},
    )  # fmt: skip
    for faculty in ("favor", "memory"):
        MindNote.objects.create(
            game=game, seat=agent.seat, window="w", faculty=faculty, data={"1": 3}
        )
    (call,) = export_rows(study, "llm_calls.csv")
    assert (call["model_id"], call["seconds"], call["seat"]) == ("m-1", "1.5", str(agent.seat))
    assert b"A plan." not in b"".join(build_files(study).values())
    (words,) = build_file(study, "llm_messages.jsonl").splitlines()
    assert json.loads(words)["answer"] == "A plan."
    assert json.loads(words)["messages"][0]["content"] == f"You are {agent.name}."
    (note,) = build_file(study, "minds.jsonl").splitlines()
    assert (json.loads(note)["faculty"], json.loads(note)["data"]) == ("favor", {"1": 3})


def test_each_answer_given_in_play_is_exported_as_a_row() -> None:
    slot = create_slot(play_game())
    choices = export_rows(close_study(slot.study), "choices.csv")
    assert len(choices) == len(read_play_answers(slot))
    assert {r["what"] for r in choices} == {"rating", "poll", "vote"}
    assert {(r["participant"], r["seat"]) for r in choices} == {("P001", str(PERSON))}
    assert WHY in {r["why"] for r in choices}
    assert {r["score"] for r in choices if r["role_taken_for"] == "seer"} == {"6"}


def test_ratings_of_all_campaigns_are_in_one_file(study: Study) -> None:
    own_campaigns = [create_campaign(ended_game(seed)) for seed in "12"]
    for one in own_campaigns:
        units.draw_units(one)
        rate_unit(add_rater(one), one.units.all()[0], 4)
        Campaign.objects.filter(pk=one.pk).update(study=study)
    ratings = export_rows(study, "ratings_long.csv")
    assert {r["campaign_id"] for r in ratings} == {c.code for c in own_campaigns}
    assert len(ratings) == sum(
        len(data.build_file(c, "ratings_long.csv").splitlines()) - 1 for c in own_campaigns
    )


# -- public export


def test_public_export_omits_contacts_and_codes(study: Study) -> None:
    first, _second = study.participants.order_by("pk")
    with pytest.raises(NotPublishable, match="close the study first"):
        build_files(study, PUBLIC)
    close_study(study)
    contact = "Write to ada.l+x@example.org or call +44 (0)20 7946 0958, on 2026-03-01, please."
    Message.objects.create(
        study=study, participant=first, kind=Message.HELP, from_participant=True, actor="x",
        text=contact,
    )  # fmt: skip
    Study.objects.filter(pk=study.pk).update(
        design={**study.design, "exits": {"completed": {"code_kind": "same", "code": "SECRET-1"}}}
    )
    study.refresh_from_db()
    text = export_text(study)
    for hidden in ("example.org", "7946 0958", "SECRET-1"):
        assert hidden not in text
        assert hidden in export_text(study, ALL_OPTIONS)
    assert "Write to [contact taken out] or call [contact taken out], on 2026-03-01" in text
    assert "Told by P001" in text, "the study did not ask for permission"
    assert study.code in text


def test_public_export_withholds_text_without_permission(study: Study) -> None:
    close_study(study)
    study.participants.filter(pseudonym="P001").update(publish_words=False)
    spoken = [r for r in public_rows(study, "utterances.csv") if r["participant"] == "P001"]
    assert spoken
    assert {(r["said"], r["text"]) for r in spoken} == {("withheld", "[not to be published]")}
    assert "Told by P001" not in export_text(study)
    assert [r["text"] for r in public_rows(study, "responses_long.csv") if r["item"] == "why"] == [
        "[not to be published]"
    ]
    agent_rows = [r for r in public_rows(study, "utterances.csv") if r["speaker_kind"] == "agent"]
    assert "words" in {r["said"] for r in agent_rows}


def public_rows(study: Study, name: str) -> list[dict[str, str]]:
    text = build_files(study, PUBLIC)[name].decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def export_text(study: Study, options: ExportOptions | None = None) -> str:
    files = build_files(study, options or PUBLIC)
    return "\n".join(body.decode() for name, body in files.items() if name != "codebook.md")
