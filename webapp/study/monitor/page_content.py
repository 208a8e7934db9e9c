"""The content of the monitor's three pages: a study, a participant, a game."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from game.models import Player
from webapp.study.design.exits import EXITS
from webapp.study.design.stages import Design
from webapp.study.models import Message, Participant, Slot, Study
from webapp.study.monitor import audit_event_lines, model_requests
from webapp.study.monitor.active_participants import ActiveParticipants, find_seatings
from webapp.study.monitor.durations import format_age, format_duration
from webapp.study.monitor.frames import PageContent, render_part, render_row
from webapp.study.monitor.model_requests import RequestStats
from webapp.study.monitor.researcher_blinding import Blinding
from webapp.study.monitor.study_games import StudyGames
from webapp.study.sessions import slots
from webapp.study.sessions.participant_state import Step, step_name

MAX_RECENT_GAMES = 30  # the pace is computed from this many of the latest games
MAX_ROWS_SHOWN = 40  # the page lists this many failed games and pending messages


def _pending_messages(study: Study) -> QuerySet[Message]:
    return study.messages.filter(from_participant=True, seen_at=None).order_by("pk")


def find_page_content(study: Study, about: str, is_lifted: bool) -> PageContent | None:
    """Return the content of the page "" (the study), people/P001 or games/7, else None."""
    kind, _slash, name = about.partition("/")
    try:
        if not about and study.state != Study.DRAFT:
            return study_content(study, is_lifted)
        if kind == "people":
            return participant_content(study, is_lifted, name)
        return game_content(study, is_lifted, int(name)) if kind == "games" else None
    except (Participant.DoesNotExist, Slot.DoesNotExist, ValueError):
        return None


def study_content(study: Study, is_lifted: bool) -> PageContent:
    """Return the page of a study, in at most fifteen queries. `is_lifted`: see `Blinding`."""
    design, now = Design.from_json(study.design), timezone.now()
    blinding = Blinding(design, is_lifted)
    active = ActiveParticipants(study, design, now)
    wanted_games = slots.count_blocks(study, design)
    games = StudyGames(study, blinding, wanted_games, active.seatings, now)
    counts = games.count_by_state()
    exits = Counter(study.participants.exclude(exit="").values_list("exit", flat=True))
    models = model_requests.request_stats(study)
    failures = audit_event_lines.failure_counts(counts["causes"], models.failed, exits["technical"])
    listed, events = active.list_participants(), study.audit_events.all()
    people_count = None if study.is_experiment else len(listed)
    parts: dict[str, dict[str, Any]] = {
        "state": {},
        "calls": (calls := _calls_context(study, now)),
        "counts": {"counts": counts, "on_the_way": people_count},
        "conditions": {"conditions": counts["conditions"], "lifted": is_lifted},
        "models": {"models": models, "lifted": is_lifted},
        "faults": {"faults": failures},
        "record": {"lines": audit_event_lines.event_lines(events, blinding)},
    }
    lists = {"monitor-tables": {
        f"table-{game.number}": render_row("table_row", game=game, code=study.code)
        for game in map(games.build_game, games.playing)
    }}  # fmt: skip
    if study.is_experiment:
        parts["pace"] = {"pace": find_pace(study, design, models)}
    else:
        parts["stages"] = {"stages": active.count_stages()}
        parts["exits"] = {
            "exits": _exit_rows({"completed": 0, **exits}),
            "turned_away": _exit_rows(study.turned_away),
        }
        lists["monitor-people"] = {
            f"person-{person.pseudonym}": render_row("person_row", person=person, code=study.code)
            for person in listed
        }
    game_ids = frozenset(slot.game_id for slot in games.playing if slot.game_id)
    return PageContent(calls["n"], _render_parts(study, parts), lists, game_ids)


def _calls_context(study: Study, now: datetime) -> dict[str, Any]:
    pending = list(_pending_messages(study).select_related("participant", "utterance"))
    calls = [(row, format_age(row.at, now)) for row in pending[:MAX_ROWS_SHOWN]]
    return {"calls": calls, "n": len(pending)}


def _render_parts(study: Study, contexts: Mapping[str, Mapping[str, Any]]) -> dict[str, SafeString]:
    return {
        f"monitor-{name}": render_part(name, study=study, code=study.code, **context)
        for name, context in contexts.items()
    }


def _exit_rows(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return {"name", "n"} of each exit in `counts`."""
    return [{"name": EXITS[kind], "n": counts[kind]} for kind in EXITS if kind in counts]


def participant_content(study: Study, is_lifted: bool, pseudonym: str) -> PageContent:
    """Return the page of a participant, or raise Participant.DoesNotExist."""
    design, now = Design.from_json(study.design), timezone.now()
    rows = study.participants.select_related("study").filter(consented_at__isnull=False)
    row = rows.get(pseudonym=pseudonym)
    blinding = Blinding(design, is_lifted)
    active = ActiveParticipants(study, design, now)
    events = study.audit_events.filter(participant=row)
    thread = row.messages.select_related("utterance", "slot").order_by("pk")
    games_each = design.assignment.games_each
    parts: dict[str, dict[str, Any]] = {
        "state": {},
        "where": {
            "participant": row,
            "person": active.build_participant(row),
            "exits": _exit_rows({row.exit: 1}) if row.exit else (),
        },
        "thread": {"thread": list(thread), "participant": row},
        "visits": {"visits": _visit_rows(row, active.steps, games_each)},
        "record": {"lines": audit_event_lines.event_lines(events, blinding)},
    }
    return PageContent(_pending_messages(study).count(), _render_parts(study, parts))


def _visit_rows(
    participant: Participant, steps: Sequence[Step], games_each: int
) -> list[dict[str, Any]]:
    """Return {"name", "came", "went", "by"} of each visit to a stage, with times as datetimes."""
    names = {step.key: step_name(step, games_each) for step in steps}
    return [
        {
            "name": names.get(visit["step"], visit["step"]),
            "came": datetime.fromisoformat(visit["came"]),
            "went": datetime.fromisoformat(visit["went"]) if visit["went"] else None,
            "by": visit["by"],
        }
        for visit in participant.visits
    ]


def game_content(study: Study, is_lifted: bool, number: int) -> PageContent:
    """Return the page of a game, or raise Slot.DoesNotExist."""
    now = timezone.now()
    slot = study.slots.select_related("game").get(index=number)
    design = Design.from_json(study.design)
    blinding = Blinding(design, is_lifted)
    games = StudyGames(study, blinding, design.assignment.games, find_seatings(study), now)
    players = slot.game.players.all() if slot.game and is_lifted else ()
    events = study.audit_events.filter(slot=slot)
    parts: dict[str, dict[str, Any]] = {
        "state": {},
        "table": {
            "game": games.build_game(slot),
            "slot": slot,
            "seats": [(player, _describe_agent(player)) for player in players],
            "why": blinding.redact_void_reason(slot.void_reason),
        },
        "record": {"lines": audit_event_lines.event_lines(events, blinding)},
    }
    game_ids = frozenset({slot.game_id} if slot.game_id and slot.state == Slot.PLAYING else ())
    return PageContent(_pending_messages(study).count(), _render_parts(study, parts), {}, game_ids)


def _describe_agent(player: Player) -> str:
    """Return backend and method of an agent, "" for a person."""
    if player.kind == Player.PERSON:
        return ""
    recipe = player.recipe
    return " · ".join(str(recipe[key]) for key in ("backend", "method") if recipe.get(key))


def find_pace(study: Study, design: Design, stats: RequestStats) -> dict[str, Any]:
    """Return the pace of an experiment, in five queries.

    `per_hour` is None before two games have ended and while no game begins, and `left` is "" then.
    `reason` is why the experiment is paused. `failed` has (index of the slot, cause).
    """
    per_hour = _games_per_hour(study) if study.state == Study.OPEN else None
    missing = study.slots.filter(state__in=(Slot.FREE, Slot.PLAYING)).count()
    left = format_duration(3600 * missing / per_hour) if per_hour and missing else ""
    is_paused = study.state == Study.PAUSED
    event = study.audit_events.filter(what="paused").last() if is_paused else None
    failed = study.slots.filter(state=Slot.FAILED).values_list("index", "void_reason")
    return {
        "per_hour": per_hour,
        "left": left,
        "costs": _expected_costs(study, design, stats, missing),
        "reason": event.reason if event else "",
        "failed": list(failed[:MAX_ROWS_SHOWN]),
    }


def _games_per_hour(study: Study) -> float | None:
    """Return the pace of the latest games, None before two have ended."""
    ended = study.slots.filter(state=Slot.DONE).order_by("-ended_at")
    times = [at for at in ended.values_list("ended_at", flat=True)[:MAX_RECENT_GAMES] if at]
    seconds = (times[0] - times[-1]).total_seconds() if times else 0
    return 3600 * (len(times) - 1) / seconds if seconds else None


def _expected_costs(
    study: Study, design: Design, stats: RequestStats, missing: int
) -> list[tuple[str, float, float, float]]:
    """Return (name, spent, expected for all games, limit or 0) of each cost of an experiment.

    Missing games are expected to cost as much as ended ones, because conditions advance evenly.
    """
    budget = design.experiment.budget
    ended = study.slots.filter(ended_at__isnull=False).count()
    figures = (
        (_("requests"), stats.requests, budget.requests),
        (_("tokens"), stats.tokens_in + stats.tokens_out, budget.tokens),
        (_("money"), sum(stats.costs.values()), budget.money),
    )
    ratio = (ended + missing) / ended if ended else 0
    return [(name, spent, spent * ratio, limit) for name, spent, limit in figures if spent or limit]
