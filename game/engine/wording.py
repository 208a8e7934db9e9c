"""The texts of a ruleset: for every kind of event and of window, for phases and endings.

Rulesets load them from files (`ruleset_files`). The site translates them, prompts use
them as they are. A figure replaces each `{…}` (`event_figures`). A text may have cases, between
which the facts of the event decide (`event_facts`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from game.engine.events import Event


def gettext_noop(text: str) -> str:
    """Mark a sentence for translation. The site translates it when it is shown."""
    return text


class MissingWording(LookupError):
    """A ruleset has no text for a kind that it uses. The message names both."""


Facts = Mapping[str, Any]


@dataclass(frozen=True)
class ConditionalText:
    """Several sentences, one of which fits the facts of an event, a window or a phase.

    Attributes:
        cases: (fact -> expected value, sentence). The first case whose facts all have the expected
            values applies. An expected value may be a tuple of permitted values.
        default: the sentence if no case applies, "" for none.
    """

    cases: tuple[tuple[Facts, str], ...]
    default: str = ""


Text = str | ConditionalText  # one sentence, or several with conditions


def cases(*cases: tuple[Facts, str], else_: str = "", **texts: str) -> ConditionalText:
    """Return sentences with conditions.

    `cases(({"own": True, "others": 1}, "…"), else_="…")` tests several facts. `cases(own="…")` is
    short for a test whether one fact is true. The `texts` come after the `cases`.
    """
    return ConditionalText((*cases, *(({fact: True}, text) for fact, text in texts.items())), else_)


def sentence_for(text: Text, facts: Facts) -> str:
    """Return the sentence of `text` that fits `facts`, "" for none."""
    if isinstance(text, str):
        return text
    for expected, sentence in text.cases:
        if all(_is_met(facts.get(name), value) for name, value in expected.items()):
            return sentence
    return text.default


def sentences_in(text: Text) -> list[str]:
    """Return every sentence that `sentence_for` may return, except ""."""
    if isinstance(text, str):
        return [text] if text else []
    return [sentence for _, sentence in (*text.cases, ({}, text.default)) if sentence]


def _is_met(fact: Any, expected: Any) -> bool:
    return fact in expected if isinstance(expected, tuple) else bool(fact == expected)


T = TypeVar("T")
Light = Literal["day", "night"]
# How a line of the transcript looks; "" for kinds without a line.
Shape = Literal["", "phase", "moderator", "private", "statement", "vote", "out", "over"]
# The purpose of picking a player: to vote it out, to elect it, to hand on one's office to it, to
# kill it, to save it from being killed, to learn about it; "" for anything else.
Picks = Literal["", "exile", "trust", "entrust", "harm", "keep", "learn"]
Says = Literal["", "stand", "lead"]


@dataclass(frozen=True)
class EventTexts:
    """The texts for one kind of event.

    Attributes:
        shape: how its line in the transcript looks; "" for no line.
        table: for everyone who sees the event.
        own: for the seats that it concerns (`seat`, `seats`), if they read another text.
        end: what its seat privately knew, for everyone after the game.
        replay: for the replay, which shows everything, if the table did not see the event.
        prompt: for an agent's prompt. The agent's own seat reads "you".
        together, prompt_together: for all answers of a window in one line, with the sentence of
            each in `{each}`. Then `replay` and `prompt` are the part of one answer.
        brief: a short text for everyone who may see the event: as a chapter of the replay, in the
            course of the game at its end, and between the lines that raters read. For a statement,
            a remark beside its speaker.
        is_chapter: whether the replay can jump to it.
        reveals: the kind of secret answers that it publishes later, one event for each answer.
        tied: what decides a ballot without a single leader, shown below its counts if no event
            says so. Its cases may test whether any player has a vote (`voted`).
    """

    shape: Shape = ""
    table: Text = ""
    own: Text = ""
    end: Text = ""
    replay: Text = ""
    prompt: Text = ""
    together: Text = ""
    prompt_together: Text = ""
    brief: Text = ""
    is_chapter: bool = False
    icon: str = ""
    reveals: str = ""
    tied: Text = ""


# The players of one pass of talk who said nothing, in one line. Facts: `manner` ("skip", "over"),
# `many` (several players), `everyone` (all who were asked in the pass). Figure: `{names}`.
PASSED_TEXT = cases(
    ({"manner": "over", "everyone": True}, gettext_noop("Nobody has more to say today.")),
    ({"manner": "over", "many": True}, gettext_noop("{names} are done for today.")),
    ({"manner": "over"}, gettext_noop("{names} is done for today.")),
    everyone=gettext_noop("Nobody says anything."),
    many=gettext_noop("{names} say nothing."),
    else_=gettext_noop("{names} says nothing."),
)


@dataclass(frozen=True)
class WindowTexts:
    """The texts for one kind of window.

    Facts for the cases of `mine`, `waiting`, `waiting_for_absent` and `help`: `alone` (one seat is
    asked) and `day`; for `help` also `own` (the viewer may choose their own seat); for `mine` also
    `again` (an earlier ballot of the phase decided nothing).

    Attributes:
        mine: the table's sentence to the respondent.
        waiting: the sentence to players who see the window and wait for the answer.
        waiting_for_absent: the same, if the respondent is away.
        title, help, button: of the form.
        hears: a sentence on who hears a statement, if that is not everyone.
        sees: a sentence to a model on who sees a choice, if the window's audience does not tell.
        prompt: the question to a model (its figures and facts: `agents.llm.narration`).
        asked_as: the kind of window whose request to a model this one uses word for word.
        name: what is decided, in a list of requests.
        options: option that is a word -> its label.
        is_ballot: whether it is a vote that counts. The end, the chart and the story show it.
        picks: the purpose of picking a player, by which the built-in player chooses. Without it the
            choice is drawn.
        says: the purpose of a statement besides the talk: `stand` for an office, or `lead` the
            others into a vote, which closes the talk of its day.
        skip, over: the buttons of a talk in passes, for nothing now and for nothing more today.
        passed: the sentence about the seats that said nothing in a pass.
    """

    mine: Text
    waiting: Text = ""
    waiting_for_absent: Text = ""
    title: str = ""
    help: Text = ""
    button: str = ""
    hears: str = ""
    sees: str = ""
    prompt: Text = ""
    asked_as: str = ""
    name: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    is_ballot: bool = False
    picks: Picks = ""
    says: Says = ""
    skip: str = gettext_noop("Nothing now")
    over: str = gettext_noop("I’m done for today")
    passed: Text = PASSED_TEXT


@dataclass(frozen=True)
class PhaseTexts:
    """The texts for one phase. Figures: `{day}`, `{round}`, `{rounds}`.

    Attributes:
        title: of its chapter.
        text: the moderator's text when it opens.
        waits: the text while no open question is visible.
        step: its name in the day's bar.
        prompt: its heading in a prompt.
        light: whether pages show day or night.
        is_talk: whether players speak in it. Then they can draft a statement ahead.
        guess: the private question to players who have nothing else to do in it, "" for none.
        icon: beside the title.
    """

    title: Text
    text: Text = ""
    waits: Text = ""
    step: Text = ""
    prompt: Text = ""
    light: Light = "day"
    is_talk: bool = False
    guess: str = ""
    icon: str = "day"


@dataclass(frozen=True)
class EndingTexts:
    """The texts for one reason why a game ends.

    Attributes:
        why: the reason as a sentence.
        role: the key of the role that the reason is about, "" for none.
        headline: for a player. Facts: `holder` (of that role), `out` (in the last vote) and `won`.
            Figures: `{wins}` ("the village wins.") and `{out}`.
        is_result: whether a game with this end counts as a result.
    """

    why: str
    role: str = ""
    headline: Text = ""
    is_result: bool = True


CAUSES = {"vote": gettext_noop("Voted out")}


@dataclass(frozen=True)
class Wording:
    """All texts of a ruleset.

    Attributes:
        badges: badge -> its holder's title.
        causes: cause of a departure (`Death.cause`) -> what happened to the player.
    """

    events: Mapping[str, EventTexts]
    windows: Mapping[str, WindowTexts]
    phases: Mapping[str, PhaseTexts]
    endings: Mapping[str, EndingTexts]
    badges: Mapping[str, str] = field(default_factory=dict)
    causes: Mapping[str, str] = field(default_factory=lambda: CAUSES)

    def event(self, kind: str) -> EventTexts:
        return _lookup(self.events, kind, "kind of event")

    def window(self, kind: str) -> WindowTexts:
        return _lookup(self.windows, kind, "kind of window")

    def phase(self, key: str) -> PhaseTexts:
        return _lookup(self.phases, key, "phase")

    def ending(self, reason: str) -> EndingTexts:
        return _lookup(self.endings, reason, "ending")

    def kinds_of_shape(self, *shapes: Shape) -> frozenset[str]:
        """Return the kinds of events whose lines have one of these shapes."""
        return frozenset(kind for kind, texts in self.events.items() if texts.shape in shapes)

    def badge(self, key: str) -> str:
        return _lookup(self.badges, key, "badge")

    @property
    def ballots(self) -> frozenset[str]:
        """The kinds of votes that count."""
        return frozenset(kind for kind, texts in self.windows.items() if texts.is_ballot)

    def ballot_lines(self, *, can_see_secrets: bool) -> frozenset[str]:
        """Return the kinds of events that show a viewer the ballots, each ballot once.

        A viewer who `can_see_secrets` sees secret ballots before they are revealed.
        """
        kinds = self.kinds_of_shape("vote")
        return frozenset(self.events[k].reveals or k for k in kinds) if can_see_secrets else kinds

    @property
    def public_ballots(self) -> frozenset[str]:
        """The kinds of events that publish the votes that count."""
        revealed = {e.reveals: kind for kind, e in self.events.items() if e.reveals}
        return frozenset(revealed.get(kind, kind) for kind in self.ballots)

    def picks_of(self, kind: str) -> Picks:
        """Return the purpose of the picks in events of that kind, "" for none."""
        event = self.events.get(kind)
        window = self.windows.get(event.reveals if event and event.reveals else kind)
        return window.picks if window else ""


def _lookup(among: Mapping[str, T], key: str, subject: str) -> T:
    try:
        return among[key]
    except KeyError:
        known = ", ".join(sorted(among))
        text = f"no words for the {subject} {key!r}; there are words for {known}"
        raise MissingWording(text) from None


# Keys of an event's data whose values are seats or options, or lists of them.
SEAT_KEYS = ("seat", "seats", "target", "targets", "among", "result")


class Names(Protocol):
    """Gives the names that replace figures in a text, for one kind of reader."""

    def seat_name(self, number: int) -> str: ...

    def join_names(self, names: Sequence[str]) -> str: ...

    def role_name(self, key: str) -> str: ...

    def option_text(self, kind: str, word: str) -> str: ...


def concerned_seats(event: Event) -> tuple[int, ...]:
    """Return the seats that an event is about."""
    seats = event.data.get("seats", ())
    return tuple(int(s) for s in (event.data.get("seat"), *seats) if isinstance(s, int))


def event_facts(event: Event, viewer: int, deck: Sequence[str]) -> dict[str, Any]:
    """Return the facts that the cases of an event's texts may test, for a seat or 0 as the viewer.

    They are the event's data, and `own` (it concerns the viewer), `others` (how many other seats it
    concerns), `chosen` (a player was chosen), `unique` (the deck holds its role once), `told` (it
    names a role), `purpose` (of a draw, without the part that makes it unique).
    """
    data, seats = event.data, concerned_seats(event)
    return {
        **data,
        "own": viewer in seats,
        "others": len([s for s in seats if s != viewer]),
        "chosen": bool(data.get("targets")),
        "unique": deck.count(data.get("role", "")) == 1,
        "told": bool(data.get("role")),
        "purpose": str(data.get("purpose", "")).partition("/")[0],
    }


def event_figures(event: Event, viewer: int, names: Names) -> dict[str, str]:
    """Return figure -> text for an event: its data, and `others`.

    Names replace roles and seats, and lists are joined. `others` are the players whom the event
    concerns, except the viewer.
    """
    texts = {}
    for key, value in event.data.items():
        if key in SEAT_KEYS:
            texts[key] = _option_text(event.kind, value, names)
        elif key == "role":
            texts[key] = names.role_name(str(value)) if value else ""
        elif isinstance(value, str | int) and not isinstance(value, bool):
            texts[key] = str(value)
    other_names = [names.seat_name(s) for s in concerned_seats(event) if s != viewer]
    return {**texts, "others": names.join_names(other_names)}


def _option_text(kind: str, value: Any, names: Names) -> str:
    """Return the names of one seat or option, or of a list of them."""
    options: Iterable[Any] = value if isinstance(value, list | tuple) else (value,)
    return names.join_names(
        [
            names.seat_name(o) if isinstance(o, int) else names.option_text(kind, str(o))
            for o in options
        ]
    )
