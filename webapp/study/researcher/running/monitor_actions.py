"""A researcher's actions in the monitor, with their forms: on a participant, a game or the study.

`interventions` and `sessions.messages` have the rules. A refusal is shown above the form, which
keeps the typed text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.study import interventions
from webapp.study.design.exits import EXITS
from webapp.study.design.refusals import Refused
from webapp.study.experiments import game_starts
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.researcher.fields import MultilineField, ResearcherForm, set_choices
from webapp.study.researcher.responses import run_or_get_errors
from webapp.study.sessions import messages, participant_state


@dataclass(frozen=True)
class MonitorAction:
    """An action of a researcher.

    Attributes:
        fields: Inputs of its form: "text", "minutes", "games", "who", "exit", "reason".
        success_text: Message after success.
        run: Called with the target, and with the inputs and `actor` by name. Raises Refused.
        is_open: Whether the page shows its form unfolded.
    """

    key: str
    label: Any
    help: Any
    fields: Sequence[str]
    success_text: Any
    run: Callable[..., object]
    needs_reason: bool = False
    is_open: bool = False


class ActionForm(ResearcherForm):
    """The form of an action. `people` are the pseudonyms that the input "who" offers."""

    text = MultilineField(
        label=_("Message"), max_length=messages.MAX_CHARS, widget=forms.Textarea(attrs={"rows": 3})
    )
    minutes = forms.IntegerField(
        label=_("Minutes"),
        min_value=1,
        max_value=interventions.MAX_MINUTES_PER_EXTENSION,
        initial=3,
    )
    games = forms.IntegerField(label=_("Games per condition"), min_value=1)
    who = forms.ChoiceField(label=_("Recipient"))
    exit = forms.ChoiceField(
        label=_("Exit"), choices=[(kind, EXITS[kind]) for kind in interventions.LAST_EXITS]
    )
    reason = forms.CharField(
        label=_("Reason (optional)"), max_length=interventions.MAX_REASON_CHARS, required=False
    )

    def __init__(self, action: MonitorAction, people: Sequence[str] = (), data: Any = None) -> None:
        super().__init__(data, prefix=action.key)
        self.action, self.refused = action, list[str]()
        set_choices(self, "who", [(pseudonym, pseudonym) for pseudonym in people])
        if action.needs_reason:
            self.fields["reason"].label, self.fields["reason"].required = _("Reason"), True
        self.fields = {name: self.fields[name] for name in action.fields}

    def run_on(self, target: Any, actor: str) -> bool:
        """Run the action. Return whether it succeeded: if not, the form has the errors."""
        if not self.is_valid():
            return False
        self.refused = run_or_get_errors(
            lambda: self.action.run(target, **self.cleaned_data, actor=actor)
        )
        return not self.refused


def build_action_forms(
    actions: Sequence[MonitorAction], data: Any = None, people: Sequence[str] = ()
) -> tuple[list[ActionForm], ActionForm | None]:
    """Return the forms of the actions, and the one whose action `data` names in `do`."""
    posted_key = data.get("do", "") if data else ""
    action_forms = [
        ActionForm(action, people, data if action.key == posted_key else None) for action in actions
    ]
    return action_forms, next((form for form in action_forms if form.is_bound), None)


def _send_answer(participant: Participant, text: str, actor: str) -> None:
    """Send a message to the participant, and mark the participant's messages as read."""
    messages.send_to_participant(participant, text, actor=actor)
    messages.mark_seen_by_researcher(participant)


_TIME_HELP = _("In a game, all players with an open question get this much more time.")
_HAND_OVER_HELP = _(
    "A computer player has their seat until you give it back. Other players do not see this."
)

PERSON_ACTIONS = (
    MonitorAction("tell", _("Send a message"), "", ("text",), _("Message sent."),
        _send_answer, is_open=True),
    MonitorAction("give_time", _("Give more time"), _TIME_HELP, ("minutes", "reason"),
        _("They have more time."), interventions.extend_time),
    MonitorAction("move_on", _("Move to the next stage"),
        _("The current stage ends, even unfinished. Answers so far are submitted."),
        ("reason",), _("They were moved to the next stage."), interventions.move_to_next_step),
    MonitorAction("let_out", _("End their participation"),
        _("This is their last stage. Answers so far are stored."), ("exit", "reason"),
        _("Their participation has ended."),
        lambda person, exit, **inputs: interventions.exit_from_last_step(person, exit, **inputs)),
    MonitorAction("hand_over", _("Replace with a computer player"), _HAND_OVER_HELP,
        ("reason",), _("A computer player has taken the seat."),
        lambda person, **inputs: interventions.hand_seat_to_agent(_find_seating(person), **inputs)),
    MonitorAction("give_back", _("Give their seat back"), "", ("reason",),
        _("They have their seat back."),
        lambda person, **inputs: interventions.return_seat(_find_seating(person), **inputs)),
    MonitorAction("exclude", _("Exclude from the analysis"),
        _("They continue, but no result includes their data."), ("reason",),
        _("They are excluded from the analysis."),
        interventions.exclude_participant, needs_reason=True),
    MonitorAction("include", _("Include in the analysis again"), "", ("reason",),
        _("They are included again."), interventions.include_participant),
    MonitorAction("remove", _("Remove from the study"),
        _("They leave now, through the exit for removed participants."), ("reason",),
        _("Their participation has ended."),
        interventions.remove_participant, needs_reason=True),
)  # fmt: skip

TABLE_ACTIONS = (
    MonitorAction("tell_table", _("Send a message to the table"),
        _("All its participants get it."), ("text",), _("Message sent."),
        messages.send_to_table, is_open=True),
    MonitorAction("give_time", _("Give more time"), _TIME_HELP, ("minutes", "reason"),
        _("The table has more time."),
        lambda slot, **inputs: interventions.extend_time(_find_participant_at(slot), **inputs)),
    MonitorAction("hand_over", _("Replace a player with a computer player"), _HAND_OVER_HELP,
        ("who", "reason"), _("A computer player has taken the seat."),
        lambda slot, who, **inputs:
            interventions.hand_seat_to_agent(_find_seating_at(slot, who), **inputs)),
    MonitorAction("give_back", _("Give a seat back"), "", ("who", "reason"),
        _("They have their seat back."),
        lambda slot, who, **inputs:
            interventions.return_seat(_find_seating_at(slot, who), **inputs)),
    MonitorAction("end_game", _("End the game"),
        _("The game does not count. Its participants wait for another game."),
        ("reason",), _("The game was canceled."),
        interventions.cancel_game, needs_reason=True),
)  # fmt: skip

STUDY_ACTIONS = (
    MonitorAction("tell_all", _("Send a message to everyone"),
        _("All active participants receive it."), ("text",), _("Message sent."),
        messages.send_to_all),
    MonitorAction("begin_short", _("Start with fewer participants"),
        _("The waiting participants start now. Computer players take the open seats."),
        ("reason",), _("The waiting participants were asked to start."),
        interventions.start_with_agents),
    MonitorAction("stop", _("Stop the study"),
        _(
            "No one can join, games are canceled, and all active participants leave through the"
            " exit for technical problems."),
        ("reason",), _("The study was stopped."),
        interventions.stop_study, needs_reason=True),
)  # fmt: skip

EXPERIMENT_ACTIONS = (
    MonitorAction("extend", _("Add games"),
        _("Enter the new total of games per condition. The extension is recorded."),
        ("games",), _("The games were added."), game_starts.extend_experiment),
)  # fmt: skip

FAILED_GAME_ACTIONS = (
    MonitorAction("restart", _("Play the game again"),
        _("It starts again from the beginning with the same deal."), (),
        _("The game will be played again."),
        lambda slot, actor: game_starts.restart_game(slot.study, slot.index, actor), is_open=True),
)  # fmt: skip


def seated_pseudonyms(slot: Slot) -> list[str]:
    """Return the sorted pseudonyms of the participants who play in the game."""
    rows = slot.seatings.filter(state=Seating.SEATED, participant__exit="")
    return sorted(rows.values_list("participant__pseudonym", flat=True))


def study_actions(study: Study) -> Sequence[MonitorAction]:
    if study.is_experiment:
        return EXPERIMENT_ACTIONS
    if study.state in (Study.OPEN, Study.PAUSED):
        return STUDY_ACTIONS
    is_closed = study.state == Study.CLOSED
    return [action for action in STUDY_ACTIONS if action.key == "tell_all"] if is_closed else ()


def game_actions(slot: Slot) -> Sequence[MonitorAction]:
    if slot.state == Slot.FAILED:
        return FAILED_GAME_ACTIONS
    if slot.study.is_experiment:
        return ()
    return TABLE_ACTIONS if slot.state == Slot.PLAYING else ()


def possible_actions(participant: Participant) -> set[str]:
    """Return the keys of the actions that are possible for the participant now."""
    keys = {action.key for action in PERSON_ACTIONS} - {"exclude", "include"}
    playing = participant.seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    if participant.exit:
        keys = {"tell"}
    elif playing.exists():
        keys -= {"move_on", "let_out"}
    else:
        keys -= {"hand_over", "give_back"}
        keys -= {"move_on" if participant_state.is_at_last_step(participant) else "let_out"}
    return keys | {"include" if participant.excluded else "exclude"}


def _find_seating(participant: Participant) -> Seating:
    """Return the participant's seating in a running game. Raise Refused if there is none."""
    rows = participant.seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    if (seating := rows.last()) is None:
        raise Refused([str(_("They are not in a game."))])
    return seating


def _find_seating_at(slot: Slot, pseudonym: str) -> Seating:
    rows = slot.seatings.filter(state=Seating.SEATED, participant__pseudonym=pseudonym)
    if (seating := rows.last()) is None:
        raise Refused([str(_("They are no longer in this game."))])
    return seating


def _find_participant_at(slot: Slot) -> Participant:
    """Return a participant at the table. Raise Refused if its game is not running.

    It does not matter which one: time that one participant gets applies to all.
    """
    rows = slot.seatings.filter(state=Seating.SEATED, participant__exit="")
    seating = rows.select_related("participant__study").first()
    if seating is None or slot.state != Slot.PLAYING:
        raise Refused([str(_("This game is not in progress."))])
    return seating.participant
