"""A researcher's actions in the monitor, as forms: on a participant, a game or the study.

The rules are those of `interventions` and `sessions.messages`. A refusal is shown above the form,
which keeps the typed text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.study import interventions
from webapp.study.design.exits import EXITS
from webapp.study.design.refusals import Refused
from webapp.study.experiments import game_starts
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.researcher.fields import MultilineField, set_error_messages
from webapp.study.sessions import messages, participant_steps

MAX_EXTENSION_MINUTES = 60  # of one extension
FormData = Mapping[str, Any]


@dataclass(frozen=True)
class MonitorAction:
    """An action of a researcher.

    Attributes:
        fields: inputs of its form, of text, minutes, games, who, exit, reason.
        done: message after success.
        run: called with the target, the form's data and the researcher's name. Raises Refused.
        needs_reason: whether a reason is required.
        is_open: whether its form is not folded.
    """

    key: str
    label: Any
    help: Any
    fields: Sequence[str]
    done: Any
    run: Callable[[Any, FormData, str], object]
    needs_reason: bool = False
    is_open: bool = False


class ActionForm(forms.Form):
    """The form of an action. If it needs a participant, `people` are the pseudonyms offered."""

    def __init__(self, act: MonitorAction, people: Sequence[str] = (), data: Any = None) -> None:
        super().__init__(data, prefix=act.key)
        self.act, self.refused = act, list[str]()
        for name in act.fields:
            self.fields[name] = _build_field(name, act, people)
        set_error_messages(self)

    def run_on(self, target: Any, actor: str) -> bool:
        """Run the action and return whether it succeeded. If not, the form has the errors."""
        if not self.is_valid():
            return False
        try:
            self.act.run(target, self.cleaned_data, actor)
        except Refused as refused:
            self.refused = list(refused.sentences)
        return not self.refused

    @property
    def is_unfolded(self) -> bool:
        return self.act.is_open or self.is_bound


def _build_field(name: str, act: MonitorAction, people: Sequence[str]) -> forms.Field:
    if name == "text":
        rows = forms.Textarea(attrs={"rows": 3})
        return MultilineField(label=_("Message"), max_length=messages.MAX_CHARS, widget=rows)
    if name == "minutes":
        return forms.IntegerField(
            label=_("Minutes"), min_value=1, max_value=MAX_EXTENSION_MINUTES, initial=3
        )
    if name == "games":
        return forms.IntegerField(label=_("Games per condition"), min_value=1)
    if name == "exit":
        exits = [(kind, EXITS[kind]) for kind in interventions.LAST_EXITS]
        return forms.ChoiceField(label=_("Exit"), choices=exits)
    if name == "who":
        choices = [(pseudonym, pseudonym) for pseudonym in people]
        return forms.ChoiceField(label=_("Recipient"), choices=choices)
    label = _("Reason") if act.needs_reason else _("Reason (optional)")
    return forms.CharField(label=label, max_length=400, required=act.needs_reason)


def build_action_forms(
    acts: Sequence[MonitorAction], data: Any = None, people: Sequence[str] = ()
) -> tuple[list[ActionForm], ActionForm | None]:
    """Return the forms of the actions, and the one that was posted (by the field `do`)."""
    posted_key = data.get("do", "") if data else ""
    forms_of_actions = [
        ActionForm(act, people, data if act.key == posted_key else None) for act in acts
    ]
    return forms_of_actions, next((form for form in forms_of_actions if form.is_bound), None)


def _find_seat(participant: Participant) -> Seating:
    """Return the participant's seating in a running game. Refuse those without one."""
    rows = participant.seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    if (seat := rows.last()) is None:
        raise Refused([str(_("They are not in a game."))])
    return seat


def _find_seat_at(slot: Slot, pseudonym: str) -> Seating:
    """Return the participant's seating in the game. Refuse those without one."""
    rows = slot.seatings.filter(state=Seating.SEATED, participant__pseudonym=pseudonym)
    if (seat := rows.last()) is None:
        raise Refused([str(_("They are no longer in this game."))])
    return seat


def _send_answer(participant: Participant, data: FormData, actor: str) -> None:
    """Send a message to the participant, and mark theirs as read."""
    messages.send_to_participant(participant, data["text"], actor=actor)
    messages.mark_seen(participant, by_researcher=True)


def _reason_fields(data: FormData, actor: str) -> dict[str, str]:
    return {"actor": actor, "reason": data["reason"]}


_TIME_HELP = _("In a game, all players with an open question get this much more time.")
_HAND_OVER_HELP = _(
    "A computer player has their seat until you give it back. Other players do not see this."
)

PERSON_ACTIONS = (
    MonitorAction(
        "tell", _("Send a message"), "", ("text",), _("Message sent."),
        _send_answer, is_open=True),
    MonitorAction("give_time", _("Give more time"), _TIME_HELP, ("minutes", "reason"),
        _("They have more time."),
        lambda person, fields, actor:
            interventions.extend_time(person, fields["minutes"], **_reason_fields(fields, actor))),
    MonitorAction("move_on", _("Move to the next stage"),
        _("The current stage ends, even unfinished. Answers so far are submitted."),
        ("reason",), _("They were moved to the next stage."),
        lambda person, fields, actor:
            interventions.move_to_next_step(person, **_reason_fields(fields, actor))),
    MonitorAction("let_out", _("End their participation"),
        _("This is their last stage. Answers so far are stored."), ("exit", "reason"),
        _("Their participation has ended."),
        lambda person, fields, actor: interventions.exit_from_last_step(
            person, fields["exit"], **_reason_fields(fields, actor))),
    MonitorAction(
        "hand_over", _("Replace with a computer player"), _HAND_OVER_HELP,
        ("reason",), _("A computer player has taken the seat."),
        lambda person, fields, actor:
            interventions.hand_seat_to_agent(_find_seat(person), **_reason_fields(fields, actor))),
    MonitorAction("give_back", _("Give their seat back"), "", ("reason",),
        _("They have their seat back."),
        lambda person, fields, actor:
            interventions.return_seat(_find_seat(person), **_reason_fields(fields, actor))),
    MonitorAction("exclude", _("Exclude from the analysis"),
        _("They continue, but no result includes their data."), ("reason",),
        _("They are excluded from the analysis."),
        lambda person, fields, actor:
            interventions.exclude_participant(person, fields["reason"], actor=actor),
        needs_reason=True),
    MonitorAction("include", _("Include in the analysis again"), "", ("reason",),
        _("They are included again."),
        lambda person, fields, actor:
            interventions.include_participant(person, fields["reason"], actor=actor)),
    MonitorAction("remove", _("Remove from the study"),
        _("They leave now, through the exit for removed participants."), ("reason",),
        _("Their participation has ended."),
        lambda person, fields, actor:
            interventions.remove_participant(person, **_reason_fields(fields, actor)),
        needs_reason=True),
)  # fmt: skip

TABLE_ACTIONS = (
    MonitorAction("tell_table", _("Send a message to the table"),
        _("All its participants get it."), ("text",), _("Message sent."),
        lambda slot, t, actor: messages.send_to_table(slot, t["text"], actor=actor), is_open=True),
    MonitorAction("give_time", _("Give more time"), _TIME_HELP, ("minutes", "reason"),
        _("The table has more time."),
        lambda slot, t, actor: interventions.extend_time(
            _find_participant_at(slot), t["minutes"], **_reason_fields(t, actor))),
    MonitorAction(
        "hand_over", _("Replace a player with a computer player"), _HAND_OVER_HELP,
        ("who", "reason"),
        _("A computer player has taken the seat."),
        lambda slot, t, actor: interventions.hand_seat_to_agent(
            _find_seat_at(slot, t["who"]), **_reason_fields(t, actor))),
    MonitorAction("give_back", _("Give a seat back"), "", ("who", "reason"),
        _("They have their seat back."),
        lambda slot, t, actor: interventions.return_seat(
            _find_seat_at(slot, t["who"]), **_reason_fields(t, actor))),
    MonitorAction("end_game", _("End the game"),
        _("The game does not count. Its participants wait for another game."),
        ("reason",), _("The game was canceled."),
        lambda slot, t, actor: interventions.cancel_game(slot, **_reason_fields(t, actor)),
        needs_reason=True),
)  # fmt: skip

STUDY_ACTIONS = (
    MonitorAction("tell_all", _("Send a message to everyone"),
        _("All active participants receive it."), ("text",),
        _("Message sent."),
        lambda study, t, actor: messages.send_to_all(study, t["text"], actor=actor)),
    MonitorAction("begin_short", _("Start with fewer participants"),
        _("The waiting participants start now. Computer players take the open seats."),
        ("reason",), _("The waiting participants were asked to start."),
        lambda study, t, actor: interventions.start_with_agents(study, **_reason_fields(t, actor))),
    MonitorAction("stop", _("Stop the study"),
        _(
            "No one can join, games are canceled, and all active participants leave through the"
            " exit for technical problems."),
        ("reason",), _("The study was stopped."),
        lambda study, t, actor: interventions.stop_study(study, **_reason_fields(t, actor)),
        needs_reason=True),
)  # fmt: skip


EXPERIMENT_ACTIONS = (
    MonitorAction("extend", _("Add games"),
        _("Enter the new total of games per condition. The extension is recorded."),
        ("games",), _("The games were added."),
        lambda study, t, actor: game_starts.extend_experiment(study, t["games"], actor)),
)  # fmt: skip

FAILED_GAME_ACTIONS = (
    MonitorAction("restart", _("Play the game again"),
        _("It starts again from the beginning with the same deal."), (),
        _("The game will be played again."),
        lambda slot, t, actor: game_starts.restart_game(slot.study, slot.index, actor),
        is_open=True),
)  # fmt: skip


def _find_participant_at(slot: Slot) -> Participant:
    """Return any participant at the table, because all get the time that one gets.

    Raises:
        Refused: The game is not running.
    """
    rows = slot.seatings.filter(state=Seating.SEATED, participant__exit="")
    seat = rows.select_related("participant__study").first()
    if seat is None or slot.state != Slot.PLAYING:
        raise Refused([str(_("This game is not in progress."))])
    return seat.participant


def seated_pseudonyms(slot: Slot) -> list[str]:
    """Return the sorted pseudonyms of the participants who play there."""
    rows = slot.seatings.filter(state=Seating.SEATED, participant__exit="")
    return sorted(rows.values_list("participant__pseudonym", flat=True))


def study_actions(study: Study) -> Sequence[MonitorAction]:
    """Return the actions that the study's state allows."""
    if study.is_experiment:
        return EXPERIMENT_ACTIONS
    if study.state in (Study.OPEN, Study.PAUSED):
        return STUDY_ACTIONS
    is_closed = study.state == Study.CLOSED
    return [act for act in STUDY_ACTIONS if act.key == "tell_all"] if is_closed else ()


def game_actions(slot: Slot) -> Sequence[MonitorAction]:
    """Return the actions that the state of a game allows."""
    if slot.state == Slot.FAILED:
        return FAILED_GAME_ACTIONS
    if slot.study.is_experiment:
        return ()
    return TABLE_ACTIONS if slot.state == Slot.PLAYING else ()


def possible_actions(participant: Participant) -> set[str]:
    """Return the keys of the actions that are possible for the participant now."""
    keys = {act.key for act in PERSON_ACTIONS} - {"exclude", "include"}
    playing = participant.seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    if participant.exit:
        keys = {"tell"}
    elif playing.exists():
        keys -= {"move_on", "let_out"}
    else:
        keys -= {"hand_over", "give_back"}
        keys -= {"move_on" if participant_steps.is_at_last_step(participant) else "let_out"}
    return keys | {"include" if participant.excluded else "exclude"}
