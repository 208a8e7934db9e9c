"""A researcher's actions in the monitor, as forms: on a participant, a game or the study.

The rules are those of `interventions` and `sessions.messages`. A refusal is shown above the form,
which keeps the typed text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study import interventions
from webapp.study.design.exits import EXITS
from webapp.study.design.value_checks import Refused
from webapp.study.experiments import game_starts
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.researcher.fields import Lines, set_error_messages
from webapp.study.sessions import messages, participant_steps

LONGEST_TIME = 60  # the most minutes in one extension
Typed = Mapping[str, Any]


@dataclass(frozen=True)
class MonitorAction:
    """An action.

    fields: inputs of its form, some of text, minutes, games, who, exit, reason. must: whether a
    reason is required. done: message after success. open: whether its form is not folded.
    """

    key: str
    label: Any
    help: Any
    fields: Sequence[str]
    done: Any
    run: Callable[[Any, Typed, str], object]
    must: bool = False
    open: bool = False


class ActionForm(forms.Form):
    """The form of an action. people: participants to choose from, if the action needs one."""

    def __init__(self, act: MonitorAction, people: Sequence[str] = (), data: Any = None) -> None:
        super().__init__(data, prefix=act.key)
        self.act, self.refused = act, list[str]()
        for name in act.fields:
            self.fields[name] = _field(name, act, people)
        set_error_messages(self)

    def do(self, target: Any, actor: str) -> bool:
        """Run the action. Return whether it succeeded; otherwise the form has the reasons."""
        if not self.is_valid():
            return False
        try:
            self.act.run(target, self.cleaned_data, actor)
        except Refused as refused:
            self.refused = list(refused.sentences)
        return not self.refused

    @property
    def unfolded(self) -> bool:
        return self.act.open or self.is_bound


def _field(name: str, act: MonitorAction, people: Sequence[str]) -> forms.Field:
    if name == "text":
        rows = forms.Textarea(attrs={"rows": 3})
        return Lines(label=_("Your words"), max_length=messages.MAX_CHARS, widget=rows)
    if name == "minutes":
        return forms.IntegerField(
            label=_("Minutes"), min_value=1, max_value=LONGEST_TIME, initial=3
        )
    if name == "games":
        return forms.IntegerField(label=_("Games of each condition"), min_value=1)
    if name == "exit":
        exits = [(kind, EXITS[kind]) for kind in interventions.LAST_EXITS]
        return forms.ChoiceField(label=_("By the exit for"), choices=exits)
    if name == "who":
        choices = [(one, one) for one in people]
        return forms.ChoiceField(label=_("Who"), choices=choices)
    label = _("Why") if act.must else _("Why, if you like")
    return forms.CharField(label=label, max_length=400, required=act.must)


def action_forms(
    acts: Sequence[MonitorAction], data: Any = None, people: Sequence[str] = ()
) -> tuple[list[ActionForm], ActionForm | None]:
    """Return the forms of the actions, and the one that was posted (`do` names it)."""
    do = data.get("do", "") if data else ""
    act_forms = [ActionForm(act, people, data if act.key == do else None) for act in acts]
    return act_forms, next((form for form in act_forms if form.is_bound), None)


def _seat_of(participant: Participant) -> Seating:
    """Return the participant's seating in a running game. Raises Refused if there is none."""
    rows = participant.seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    if (seat := rows.last()) is None:
        raise Refused([_("They are not at a game.")])
    return seat


def _sitting(slot: Slot, pseudonym: str) -> Seating:
    rows = slot.seatings.filter(state=Seating.SEATED, participant__pseudonym=pseudonym)
    if (seat := rows.last()) is None:
        raise Refused([_("They are not at this game any more.")])
    return seat


def _answer(participant: Participant, typed: Typed, actor: str) -> None:
    messages.send_to_participant(participant, typed["text"], actor=actor)
    messages.mark_seen(participant, by_researcher=True)


def _reason_fields(typed: Typed, actor: str) -> dict[str, str]:
    return {"actor": actor, "reason": typed["reason"]}


_TIME = gettext_lazy("At a game, everybody the table waits for has so much longer.")
_HAND = gettext_lazy(
    "A computer player answers in their seat until you give it back. Nobody at the table is told."
)

OF_PERSON = (
    MonitorAction(
        "tell", gettext_lazy("Write to them"), "", ("text",), gettext_lazy("It is sent."), _answer,
        open=True),
    MonitorAction("give_time", gettext_lazy("Give more time"), _TIME, ("minutes", "reason"),
        gettext_lazy("They have more time."),
        lambda person, fields, actor:
            interventions.give_time(person, fields["minutes"], **_reason_fields(fields, actor))),
    MonitorAction("move_on", gettext_lazy("Move them on"),
        gettext_lazy("To the next stage, whatever is unfinished. What is typed is handed in."),
        ("reason",),
        gettext_lazy("They are moved on."),
        lambda person, fields, actor:
            interventions.move_on(person, **_reason_fields(fields, actor))),
    MonitorAction("let_out", gettext_lazy("Let them out"),
        gettext_lazy("This is their last stage. What is typed is stored."), ("exit", "reason"),
        gettext_lazy("They are out of the study."),
        lambda person, fields, actor: interventions.let_out(
            person, fields["exit"], **_reason_fields(fields, actor))),
    MonitorAction(
        "hand_over", gettext_lazy("Hand their seat to a computer player"), _HAND, ("reason",),
        gettext_lazy("A computer player has the seat."),
        lambda person, fields, actor:
            interventions.hand_over(_seat_of(person), **_reason_fields(fields, actor))),
    MonitorAction("give_back", gettext_lazy("Give their seat back"), "", ("reason",),
        gettext_lazy("They have their seat again."),
        lambda person, fields, actor:
            interventions.give_back(_seat_of(person), **_reason_fields(fields, actor))),
    MonitorAction("exclude", gettext_lazy("Exclude from the analyses"),
        gettext_lazy("They go on, and their data stay; no result counts them."), ("reason",),
        gettext_lazy("They are excluded."),
        lambda person, fields, actor:
            interventions.exclude(person, fields["reason"], actor=actor), must=True),
    MonitorAction("include", gettext_lazy("Take into the analyses again"), "", ("reason",),
        gettext_lazy("They count again."),
        lambda person, fields, actor:
            interventions.include(person, fields["reason"], actor=actor)),
    MonitorAction("remove", gettext_lazy("Remove from the study"),
        gettext_lazy("They leave now, by the exit for those whom you remove."), ("reason",),
        gettext_lazy("They are out of the study."),
        lambda person, fields, actor:
            interventions.remove(person, **_reason_fields(fields, actor)), must=True),
)  # fmt: skip

OF_TABLE = (
    MonitorAction("tell_table", gettext_lazy("Write to the table"),
        gettext_lazy("Every person there reads it."), ("text",), gettext_lazy("It is sent."),
        lambda slot, t, actor: messages.send_to_table(slot, t["text"], actor=actor), open=True),
    MonitorAction("give_time", gettext_lazy("Give more time"), _TIME, ("minutes", "reason"),
        gettext_lazy("The table has more time."),
        lambda slot, t, actor: interventions.give_time(
            _any_participant(slot), t["minutes"], **_reason_fields(t, actor))),
    MonitorAction(
        "hand_over", gettext_lazy("Hand a seat to a computer player"), _HAND, ("who", "reason"),
        gettext_lazy("A computer player has the seat."),
        lambda slot, t, actor: interventions.hand_over(
            _sitting(slot, t["who"]), **_reason_fields(t, actor))),
    MonitorAction("give_back", gettext_lazy("Give a seat back"), "", ("who", "reason"),
        gettext_lazy("They have their seat again."),
        lambda slot, t, actor: interventions.give_back(
            _sitting(slot, t["who"]), **_reason_fields(t, actor))),
    MonitorAction("end_game", gettext_lazy("End the game"),
        gettext_lazy("It is called off and does not count. Its people wait for another one."),
        ("reason",), gettext_lazy("The game is called off."),
        lambda slot, t, actor: interventions.end_game(slot, **_reason_fields(t, actor)), must=True),
)  # fmt: skip

OF_STUDY = (
    MonitorAction("tell_all", gettext_lazy("Write to all"),
        gettext_lazy("Everybody who is on the way reads it."), ("text",),
        gettext_lazy("It is sent."),
        lambda study, t, actor: messages.send_to_all(study, t["text"], actor=actor)),
    MonitorAction("begin_short", gettext_lazy("Begin with fewer"),
        gettext_lazy("Those who wait begin now; computer players take the open seats."),
        ("reason",), gettext_lazy("Those who wait are asked to begin."),
        lambda study, t, actor: interventions.begin_short(study, **_reason_fields(t, actor))),
    MonitorAction("stop", gettext_lazy("Stop the study"),
        gettext_lazy(
            "Nobody comes in, games are called off, and all who are on the way go out by the way"
            " out for those for whom something broke."),
        ("reason",), gettext_lazy("The study is stopped."),
        lambda study, t, actor: interventions.stop(study, **_reason_fields(t, actor)), must=True),
)  # fmt: skip


OF_EXPERIMENT = (
    MonitorAction("extend", gettext_lazy("Add games"),
        gettext_lazy("So many games of each condition in all. The extension is recorded."),
        ("games",), gettext_lazy("The games are added."),
        lambda study, t, actor: game_starts.extend(study, t["games"], actor)),
)  # fmt: skip

OF_FAILED_GAME = (
    MonitorAction("restart", gettext_lazy("Play it again"),
        gettext_lazy("With the same deal, from the start."), (),
        gettext_lazy("It is played again."),
        lambda slot, t, actor: game_starts.restart(slot.study, slot.index, actor), open=True),
)  # fmt: skip


def _any_participant(slot: Slot) -> Participant:
    """Return a participant at the table, because time given to one is given to all.

    Raises Refused.
    """
    rows = slot.seatings.filter(state=Seating.SEATED, participant__exit="")
    seat = rows.select_related("participant__study").first()
    if seat is None or slot.state != Slot.PLAYING:
        raise Refused([_("This game is not being played.")])
    return seat.participant


def seated_pseudonyms(slot: Slot) -> list[str]:
    """Return the sorted pseudonyms of the participants who play there."""
    rows = slot.seatings.filter(state=Seating.SEATED, participant__exit="")
    return sorted(rows.values_list("participant__pseudonym", flat=True))


def study_actions(study: Study) -> Sequence[MonitorAction]:
    """Return the actions that the study's state allows."""
    if study.is_experiment:
        return OF_EXPERIMENT
    if study.state in (Study.OPEN, Study.PAUSED):
        return OF_STUDY
    return [act for act in OF_STUDY if act.key == "tell_all"] if study.state == Study.CLOSED else ()


def game_actions(slot: Slot) -> Sequence[MonitorAction]:
    """Return the actions that the state of a game allows."""
    if slot.state == Slot.FAILED:
        return OF_FAILED_GAME
    if slot.study.is_experiment:
        return ()
    return OF_TABLE if slot.state == Slot.PLAYING else ()


def possible_actions(participant: Participant) -> set[str]:
    """Return the keys of the actions that are possible for the participant now."""
    act_keys = {act.key for act in OF_PERSON} - {"exclude", "include"}
    playing = participant.seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    if participant.exit:
        act_keys = {"tell"}
    elif playing.exists():
        act_keys -= {"move_on", "let_out"}
    else:
        act_keys -= {"hand_over", "give_back"}
        act_keys -= {"move_on" if participant_steps.is_at_last_step(participant) else "let_out"}
    return act_keys | {"include" if participant.excluded else "exclude"}
