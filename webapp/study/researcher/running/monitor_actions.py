"""A researcher's actions in the monitor, with their forms: on a participant, a game or the study.

`interventions`, `sessions.messages` and, for experiments, `game_starts` have the rules. A refusal
is shown above the form, which keeps the typed text.
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
        key: Its name in the form's post (`do`).
        label: Text of the button that shows its form.
        help: Text above the inputs, "" for none.
        fields: Inputs of its form: "text", "minutes", "games", "who", "exit", "reason".
        success_text: Message after success.
        run: Called with the target, and with the inputs and `actor` by name. Raises Refused.
        needs_reason: Whether the input "reason" is required.
        is_open: Whether the page shows its form unfolded.
    """

    key: str
    label: Any
    success_text: Any
    run: Callable[..., object]
    help: Any = ""
    fields: Sequence[str] = ()
    needs_reason: bool = False
    is_open: bool = False


class ActionForm(ResearcherForm):
    """The form of an action, with the inputs of its `fields` only.

    `people` are the pseudonyms that the input "who" offers.
    """

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
    """Return the forms of the actions, and the posted one (`do` in `data`), None without one."""
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

PARTICIPANT_ACTIONS = (
    MonitorAction(
        key="tell",
        label=_("Send a message"),
        fields=("text",),
        success_text=_("Message sent."),
        run=_send_answer,
        is_open=True,
    ),
    MonitorAction(
        key="give_time",
        label=_("Give more time"),
        help=_TIME_HELP,
        fields=("minutes", "reason"),
        success_text=_("They have more time."),
        run=interventions.extend_time,
    ),
    MonitorAction(
        key="move_on",
        label=_("Move to the next stage"),
        help=_("The current stage ends, even unfinished. Answers so far are submitted."),
        fields=("reason",),
        success_text=_("They were moved to the next stage."),
        run=interventions.move_to_next_step,
    ),
    MonitorAction(
        key="let_out",
        label=_("End their participation"),
        help=_("This is their last stage. Answers so far are stored."),
        fields=("exit", "reason"),
        success_text=_("Their participation has ended."),
        run=lambda participant, exit, **inputs: interventions.exit_from_last_step(
            participant, exit, **inputs
        ),
    ),
    MonitorAction(
        key="hand_over",
        label=_("Replace with a computer player"),
        help=_HAND_OVER_HELP,
        fields=("reason",),
        success_text=_("A computer player has taken the seat."),
        run=lambda participant, **inputs: interventions.hand_seat_to_agent(
            _find_seating(participant), **inputs
        ),
    ),
    MonitorAction(
        key="give_back",
        label=_("Give their seat back"),
        fields=("reason",),
        success_text=_("They have their seat back."),
        run=lambda participant, **inputs: interventions.return_seat(
            _find_seating(participant), **inputs
        ),
    ),
    MonitorAction(
        key="exclude",
        label=_("Exclude from the analysis"),
        help=_("They continue, but no result includes their data."),
        fields=("reason",),
        success_text=_("They are excluded from the analysis."),
        run=interventions.exclude_participant,
        needs_reason=True,
    ),
    MonitorAction(
        key="include",
        label=_("Include in the analysis again"),
        fields=("reason",),
        success_text=_("They are included again."),
        run=interventions.include_participant,
    ),
    MonitorAction(
        key="remove",
        label=_("Remove from the study"),
        help=_("They leave now, through the exit for removed participants."),
        fields=("reason",),
        success_text=_("Their participation has ended."),
        run=interventions.remove_participant,
        needs_reason=True,
    ),
)

TABLE_ACTIONS = (
    MonitorAction(
        key="tell_table",
        label=_("Send a message to the table"),
        help=_("All its participants get it."),
        fields=("text",),
        success_text=_("Message sent."),
        run=messages.send_to_table,
        is_open=True,
    ),
    MonitorAction(
        key="give_time",
        label=_("Give more time"),
        help=_TIME_HELP,
        fields=("minutes", "reason"),
        success_text=_("The table has more time."),
        run=lambda slot, **inputs: interventions.extend_time(_find_participant_at(slot), **inputs),
    ),
    MonitorAction(
        key="hand_over",
        label=_("Replace a player with a computer player"),
        help=_HAND_OVER_HELP,
        fields=("who", "reason"),
        success_text=_("A computer player has taken the seat."),
        run=lambda slot, who, **inputs: interventions.hand_seat_to_agent(
            _find_seating_at(slot, who), **inputs
        ),
    ),
    MonitorAction(
        key="give_back",
        label=_("Give a seat back"),
        fields=("who", "reason"),
        success_text=_("They have their seat back."),
        run=lambda slot, who, **inputs: interventions.return_seat(
            _find_seating_at(slot, who), **inputs
        ),
    ),
    MonitorAction(
        key="end_game",
        label=_("End the game"),
        help=_("The game does not count. Its participants wait for another game."),
        fields=("reason",),
        success_text=_("The game was canceled."),
        run=interventions.cancel_game,
        needs_reason=True,
    ),
)

STUDY_ACTIONS = (
    MonitorAction(
        key="tell_all",
        label=_("Send a message to everyone"),
        help=_("All active participants receive it."),
        fields=("text",),
        success_text=_("Message sent."),
        run=messages.send_to_all,
    ),
    MonitorAction(
        key="begin_short",
        label=_("Start with fewer participants"),
        help=_("The waiting participants start now. Computer players take the open seats."),
        fields=("reason",),
        success_text=_("The waiting participants were asked to start."),
        run=interventions.start_with_agents,
    ),
    MonitorAction(
        key="stop",
        label=_("Stop the study"),
        help=_(
            "No one can join, games are canceled, and all active participants leave through the"
            " exit for technical problems."
        ),
        fields=("reason",),
        success_text=_("The study was stopped."),
        run=interventions.stop_study,
        needs_reason=True,
    ),
)

EXPERIMENT_ACTIONS = (
    MonitorAction(
        key="extend",
        label=_("Add games"),
        help=_("Enter the new total of games per condition. The extension is recorded."),
        fields=("games",),
        success_text=_("The games were added."),
        run=game_starts.extend_experiment,
    ),
)

FAILED_GAME_ACTIONS = (
    MonitorAction(
        key="restart",
        label=_("Play the game again"),
        help=_("It starts again from the beginning with the same deal."),
        success_text=_("The game will be played again."),
        run=lambda slot, actor: game_starts.restart_game(slot.study, slot.index, actor),
        is_open=True,
    ),
)


def find_seated_pseudonyms(slot: Slot) -> list[str]:
    """Return the sorted pseudonyms of the participants who play in the game."""
    rows = slot.seatings.filter(state=Seating.SEATED, participant__exit="")
    return sorted(rows.values_list("participant__pseudonym", flat=True))


def study_actions(study: Study) -> Sequence[MonitorAction]:
    """Return the actions on the study in its present state."""
    if study.is_experiment:
        return EXPERIMENT_ACTIONS
    if study.state in (Study.OPEN, Study.PAUSED):
        return STUDY_ACTIONS
    if study.state == Study.CLOSED:  # participants who began before may still be active
        return [action for action in STUDY_ACTIONS if action.key == "tell_all"]
    return ()


def game_actions(slot: Slot) -> Sequence[MonitorAction]:
    """Return the actions on the game in its present state."""
    if slot.state == Slot.FAILED:
        return FAILED_GAME_ACTIONS
    if slot.study.is_experiment:
        return ()
    return TABLE_ACTIONS if slot.state == Slot.PLAYING else ()


def possible_action_keys(participant: Participant) -> set[str]:
    """Return the keys of the actions that are possible for the participant now."""
    keys = {action.key for action in PARTICIPANT_ACTIONS} - {"exclude", "include"}
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
