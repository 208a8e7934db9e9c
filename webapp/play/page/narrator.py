"""Texts in the viewer's language for a ruleset's events, windows, phases, endings and labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.engine import rulesets
from game.engine.events import Event, Moment
from game.engine.labels import label_kind
from game.engine.ruleset import Ruleset, role_of, team_named, team_of
from game.engine.state import State
from game.engine.visibility import View
from game.engine.windows import Window
from game.engine.wording import (
    EventTexts,
    PhaseTexts,
    Text,
    concerned_seats,
    event_facts,
    event_figures,
    sentence_for,
)

# The titles of the time before the first phase and of the end, which no ruleset declares.
_EDGE_TITLES = {"": gettext_lazy("The players gather"), "over": gettext_lazy("The end")}
_EDGE_ICONS = {"": "day", "over": "over"}
# Texts of the labels of answers (`game.engine.labels`).
LABELS = {
    "stand-in": gettext_lazy("a computer player answered"),
    "timeout": gettext_lazy("time ran out"),
    "late": gettext_lazy("answered late"),
    "fallback": gettext_lazy("stand-in answer"),
    "fallback:refusal": gettext_lazy("the model refused: stand-in answer"),
    "fallback:unspeakable": gettext_lazy("its text could not be used: stand-in answer"),
    "repaired": gettext_lazy("asked twice"),
    "shortened": gettext_lazy("shortened"),
    "trimmed": gettext_lazy("cleaned up"),
    "left-out": gettext_lazy("without the oldest part of the talk"),
    "without:favor": gettext_lazy("without its likes and dislikes"),
    "without:judgement": gettext_lazy("without its judgement"),
    "without:reliability": gettext_lazy("without a judgement of trust"),
    "without:strategy": gettext_lazy("without a plan"),
    "stale:favor": gettext_lazy("with older likes and dislikes"),
    "stale:judgement": gettext_lazy("with an older judgement"),
    "stale:reliability": gettext_lazy("with an older judgement of trust"),
    "stale:strategy": gettext_lazy("with an older plan"),
    "budget": gettext_lazy("by the built-in player: the model’s daily limit was reached"),
    "unread": gettext_lazy("did not understand a long statement"),
    "template": gettext_lazy("stock phrase"),
    "over:skip": gettext_lazy("no pass was left"),
    "over:empty": gettext_lazy("no usable text was left"),
}


class Narrator:
    """Describes a ruleset's events to the viewer in seat `viewer`, 0 for none.

    `seats` are the names of the seats, in order.
    """

    def __init__(self, ruleset: Ruleset, seats: Sequence[str], viewer: int = 0) -> None:
        self.ruleset, self.wording = ruleset, ruleset.wording
        self.seats, self.viewer = seats, viewer

    @classmethod
    def of(cls, view: View) -> Self:
        """Return the narrator of a view, for its viewer."""
        return cls(rulesets.get(view.state.ruleset), view.state.seats, view.seat)

    # -- names: these methods are the protocol `game.engine.wording.Names`

    def seat_name(self, number: int) -> str:
        return self.seats[number - 1]

    def join_names(self, names: Sequence[str]) -> str:
        return join_names(names)

    def role_name(self, key: str) -> str:
        return role_name(self.ruleset.name, key)

    def option_text(self, kind: str, word: str) -> str:
        """Translate an option that is no seat, of windows of that kind."""
        window = self.wording.windows.get(kind)
        return _(window.options[word]) if window and word in window.options else word

    def badges(self, state: State, seat: int) -> tuple[tuple[str, str], ...]:
        """Return the badges that `seat` holds: (key, title of the holder)."""
        badge_keys = [key for key, holder in state.badges.items() if holder == seat]
        return tuple((key, _(self.wording.badge(key))) for key in badge_keys)

    # -- events

    def event_text(self, event: Event) -> str:
        """Return the text of an event for the viewer, "" if it has none."""
        wording = self.wording_of(event)
        is_own = wording.own and self.viewer in concerned_seats(event)
        ending = {}
        if wording.shape == "over":
            ending["why"] = self.ending_reason(event["reason"])
            ending["headline"] = self.headline(event["winner"])
        return self.say(wording.own if is_own else wording.table, event, **ending).strip()

    def say(self, text: Text, event: Event, **more: Any) -> str:
        """Return the sentence of `text` that fits an event, "" for none.

        `more` are further facts. Those that are strings can also be inserted into the sentence.
        """
        facts = {**event_facts(event, self.viewer, self.ruleset.deck), **more}
        sentence = sentence_for(text, facts)
        if not sentence:
            return ""
        extra_figures = {key: value for key, value in more.items() if isinstance(value, str)}
        return _(sentence).format(**self._figures(event), **extra_figures)

    def say_as_html(self, text: Text, event: Event) -> SafeString:
        """Return the sentence of `text` as HTML, with the names of seats marked, "" for none.

        Unlike `say`, it takes no further facts, and `text` must not contain `{goal}`.
        """
        sentence = sentence_for(text, event_facts(event, self.viewer, self.ruleset.deck))
        if not sentence:
            return SafeString("")
        names = _MarkedNames(self.ruleset, self.seats, self.viewer)
        return format_html(_(sentence), **event_figures(event, self.viewer, names))

    def _figures(self, event: Event) -> dict[str, str]:
        texts = event_figures(event, self.viewer, self)
        if role := event.data.get("role"):
            team = team_named(self.ruleset, team_of(self.ruleset, role))
            texts["goal"] = _(team.goal)
        return texts

    def wording_of(self, event: Event) -> EventTexts:
        return self.wording.event(event.kind)

    # -- phases

    def phase_texts(self, key: str) -> PhaseTexts | None:
        """Return a phase's texts, None before the first phase and at the end."""
        return None if key in _EDGE_TITLES else self.wording.phase(key)

    def phase_title(self, moment: Moment, phase: str = "") -> str:
        """Return the title of a moment: "Round 2 of 3", "The vote", "The end"."""
        key = phase or moment.phase
        wording = self.phase_texts(key)
        return self.phase_text(wording.title, moment) if wording else str(_EDGE_TITLES[key])

    def present_title(self, state: State) -> str:
        return self.phase_title(state.moment, state.phase)

    def phase_text(self, text: Text, moment: Moment) -> str:
        """Return the sentence of `text` for a phase, with its figures."""
        figures = {"day": moment.day, "round": moment.round}
        sentence = sentence_for(text, figures)
        return _(sentence).format(**figures, rounds=self.ruleset.rounds) if sentence else ""

    def step_name(self, phase: str, moment: Moment) -> str:
        """Return the name of a phase in the day's bar."""
        return self.phase_text(self.wording.phase(phase).step, moment)

    def phase_icon(self, phase: str) -> str:
        """Return the name of the icon beside a phase's title."""
        wording = self.phase_texts(phase)
        return wording.icon if wording else _EDGE_ICONS[phase]

    def is_night(self, phase: str) -> bool:
        """Return whether the page is dark in that phase."""
        wording = self.phase_texts(phase)
        return wording is not None and wording.light == "night"

    # -- endings

    def ending_reason(self, reason: str) -> str:
        return _(self.wording.ending(reason).why)

    def winner_clause(self, winner: str) -> str:
        """Return who wins as a clause to follow a colon ("the village wins.")."""
        if not winner:
            return _("no one wins.")
        return _("{team} wins.").format(team=_(team_named(self.ruleset, winner).name))

    def headline(self, winner: str) -> str:
        """Return who wins as a sentence."""
        return str(capfirst(self.winner_clause(winner)))

    def private_facts(self, view: View, *, is_of_another: bool = False) -> list[str]:
        """List what the view's seat privately knows beyond its role, in sentences.

        With `is_of_another` they are about another player, as everyone reads them at the end.
        """
        sentences = []
        kinds = [kind for kind, wording in self.wording.events.items() if wording.end]
        for _position, event in reversed([*view.newest_events(kinds)]):
            wording = self.wording_of(event)
            if event.audience.kind == "seats" and view.seat in event.audience.seats:
                own = wording.own if view.seat in concerned_seats(event) else wording.table
                sentences.append(self.say(wording.end if is_of_another else own, event))
        return [text for text in sentences if text]

    # -- windows

    def window_text(
        self, text: Text, window: Window, *, is_repeated: bool = False, **figures: str
    ) -> str:
        """Return the sentence of `text` that fits a window, "" for none.

        The facts that choose it: whether one seat alone answers, whether the vote is repeated, the
        day, and whether the viewer may choose its own seat.

        Args:
            is_repeated: An earlier ballot of this kind in the phase decided nothing.
            figures: Texts to insert into the sentence.
        """
        facts = {
            "alone": len(window.seats) == 1,
            "again": is_repeated,
            "day": window.moment.day,
            "own": self.viewer in window.options_for(self.viewer),
        }
        sentence = sentence_for(text, facts)
        return _(sentence).format(**figures) if sentence else ""

    def passed_text(
        self, kind: str, manner: str, seats: Sequence[int], *, is_everyone: bool
    ) -> str:
        """Return who said nothing in one pass of a talk, in a sentence.

        `manner` is "skip" (nothing now) or "over" (nothing more). `is_everyone`: `seats` are all
        players of the pass.
        """
        is_many = len(seats) > 1
        facts = {"manner": manner, "many": is_many, "everyone": is_everyone and is_many}
        text = sentence_for(self.wording.window(kind).passed, facts)
        return _(text).format(names=self.join_names([self.seat_name(seat) for seat in seats]))

    def exit_cause_text(self, cause: str) -> str:
        text = self.wording.causes.get(cause)
        return _(text) if text else _("Out of the game")

    def waiting_text(self, window: Window, name: str = "", *, is_away: bool = False) -> str:
        """Return the text of an open window for players who need not answer it, "" for none.

        `name` is that of the only player who must answer.
        """
        wording = self.wording.window(window.kind)
        text = (is_away and wording.waiting_for_absent) or wording.waiting
        return self.window_text(text, window, name=name)


class _MarkedNames(Narrator):
    """Gives names as HTML, with marks around the names of seats."""

    def seat_name(self, number: int) -> str:
        return format_html('<span class="speaker">{}</span>', super().seat_name(number))

    def join_names(self, names: Sequence[str]) -> str:
        if len(names) < 2:
            return names[0] if names else ""
        most = format_html(", ".join(["{}"] * (len(names) - 1)), *names[:-1])
        return format_html(_("{most} and {last}"), most=most, last=names[-1])


def role_name(ruleset_name: str, key: str) -> str:
    """Return the translated name of a role, "" for none."""
    return _(role_of(rulesets.get(ruleset_name), key).name) if key else ""


def join_names(names: Sequence[str]) -> str:
    """Join names as in "Beta", "Beta and Zeta", "Beta, Zeta and Eta"."""
    if len(names) < 2:
        return "".join(names)
    return _("{most} and {last}").format(most=", ".join(names[:-1]), last=names[-1])


def tally_sentence(votes: Mapping[str, int]) -> str:
    """Return votes by name as a sentence, most first ("Delta has 5 votes, Beta 3.")."""
    ranked_counts = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    voted = [(name, count) for name, count in ranked_counts if count]
    if not voted:
        return _("No one has a vote.")
    (leader, leader_count), *followers = voted
    text = ngettext("{name} has {count} vote", "{name} has {count} votes", leader_count)
    count_texts = [
        text.format(name=leader, count=leader_count),
        *(f"{name} {count}" for name, count in followers),
    ]
    return ", ".join(count_texts) + "."


def label_text(labels: Iterable[str]) -> str:
    """Return the labels of an answer, translated and without repeats, "" for none."""
    texts = [LABELS.get(label) or LABELS.get(label_kind(label)) or label for label in labels]
    return ", ".join(str(text) for text in dict.fromkeys(texts))


def vote_label(labels: Iterable[str], is_counted: bool) -> str:
    """Return the labels of a vote, translated. After a timeout they say what was counted."""
    label_list = tuple(labels)
    if "timeout" not in label_list:
        return label_text(label_list)
    drawn, not_counted = _("time ran out: drawn at random"), _("time ran out: no vote counted")
    other_labels = label_text(label for label in label_list if label != "timeout")
    return ", ".join(filter(None, [drawn if is_counted else not_counted, other_labels]))
