"""The guard: it decides whether the model or a prepared line speaks (Guarded 4.4, SPEC 2.8).

The rules are pure functions of a situation, which `read_situation` reads from the talk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.decision import Decision, Faculty, Note, Send
from agents.packs import Pack, Part, Result
from agents.personas import own_style
from agents.personas.styles import GUARD, LineKey, Style, style_of
from agents.talk.course import seats_that_said_over
from game.engine.events import PUBLIC, Action, pick
from game.engine.forms import Illegal, Pick, Speech
from game.engine.labels import TEMPLATE
from game.engine.visibility import View, extend_view
from game.engine.windows import Answer

# Lines after which the agent says only Over on that day.
ENDING_KEYS: tuple[LineKey, ...] = (
    "closing_first", "closing", "resignation_first", "resignation", "farewell",
)  # fmt: skip
# At most this many statements a day may answer one that addresses the agent (Guarded 4.4).
MAX_ADDRESSED_ANSWERS = 4
PRESSING_VOTES = 2  # with this many announced votes against it, the agent no longer inquires


@dataclass(frozen=True)
class ChosenLine:
    """A prepared line that the agent speaks."""

    key: LineKey  # the situation that the line is written for
    target: int = 0  # the seat that the line names, 0 for none
    is_accusation: bool = False  # whether a report says that the target is hunted


@dataclass(frozen=True)
class Situation:
    """The facts that the guard's rules read before the agent speaks.

    Tuples of seats are in ascending order and never contain the agent.
    """

    talk_number: int  # k, the number of this talk among the agent's talks of the day, from 1
    max_talks: int  # n, the talks that the ruleset allows the agent a day
    day: int  # the number of the day, from 1, or 0 for a day without a vote
    part: Part | None  # the part of the agent's role
    other_seats: tuple[int, ...]  # the living players
    # Living players who announced no vote today, may still speak, and whom the agent has not asked
    # for their vote today.
    undecided: tuple[int, ...]
    is_undecided: bool = True  # whether the agent has announced no vote today
    votes_against: int = 0  # S, the announced votes against the agent
    # Whether exactly one statement since the agent's last one addresses the agent, which has given
    # fewer than MAX_ADDRESSED_ANSWERS answers to such statements today.
    is_addressed: bool = False
    lookers: tuple[int, ...] = ()  # players who claim the role that looks at night
    accusers: tuple[int, ...] = ()  # lookers who report the agent as hunted
    finders: tuple[int, ...] = ()  # lookers who report any player as hunted
    claims_looker: bool = False  # whether the agent claims the role that looks
    # The line that reports the agent's newest look, None if it has none to report.
    own_report: ChosenLine | None = None
    opens_day: bool = False  # whether no player has spoken today
    has_ended_talk: bool = False  # whether the agent has ended its talk of the day
    was_vote_required: bool = False  # whether an earlier statement of the day had to name a vote

    @property
    def living_count(self) -> int:
        return len(self.other_seats) + 1

    @property
    def undecided_count(self) -> int:
        """U: the number of undecided players, the agent included."""
        return len(self.undecided) + self.is_undecided

    @property
    def must_name_vote(self) -> bool:
        """Whether the model's statement must name a vote.

        That begins two talks before the last one of the first day, three before that of later
        days, but never with the day's first talk, which reports and greetings take. If a prepared
        line takes that talk, the next statement of the model must name the vote.
        """
        first_talk = max(2, self.max_talks - (2 if self.day == 1 else 3))
        return self.day > 0 and self.talk_number >= first_talk and not self.was_vote_required


Toss = Callable[[], bool]
Draw = Callable[[Sequence[int]], int]
Rule = Callable[[Situation, Toss, Draw], ChosenLine | None]


def choose_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line of the first rule that gives one, None if the model speaks."""
    return next((line for rule in RULES if (line := rule(situation, toss, draw))), None)


def _line_after_end(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line of an agent that has ended its talk of the day."""
    return ChosenLine("over") if situation.has_ended_talk else None


def _greeting_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line of a day without a vote."""
    if situation.day > 0:
        return None
    return ChosenLine("greeting" if situation.talk_number == 1 else "over")


def _ending_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return a line that brings the talk to its end: an inquiry for a vote, or the closing.

    Returns None if the agent is addressed: the model answers first.
    """
    if situation.is_addressed:
        return None
    k, n, is_first_day = situation.talk_number, situation.max_talks, situation.day == 1
    is_pressed = situation.votes_against >= PRESSING_VOTES
    if is_first_day and k == n - 1 and not is_pressed and situation.undecided:
        return ChosenLine("inquiry", draw(situation.undecided))
    # Guarded 4.4: the agent closes once k > n - 1 + U on the first day, k > n - 2 + U later. Each
    # undecided player thus delays the closing by one talk.
    if k <= n - (1 if is_first_day else 2) + situation.undecided_count:
        return None
    if situation.part == "helper" and situation.day == 2:
        return ChosenLine("farewell")
    if situation.votes_against > situation.living_count // 2:
        return ChosenLine("resignation_first" if is_first_day else "resignation")
    return ChosenLine("closing_first" if is_first_day else "closing")


def _false_claim_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line by which a wolf or helper pretends to be the player who looks at night."""
    if situation.day != 1 or situation.claims_looker:
        return None
    lookers, talk_number = situation.lookers, situation.talk_number
    # A wolf claims only in defence: against a sole looker who accuses it, before its last talks.
    if situation.part == "wolf" and talk_number < situation.max_talks - 1 and len(lookers) == 1:
        return ChosenLine("counter", lookers[0]) if lookers == situation.accusers else None
    if situation.part != "helper":
        return None
    # With its first talk the helper claims on a toss, with its second if no other player does.
    claims_early = talk_number == 1 and len(lookers) < 2 and toss()
    if claims_early or (talk_number == 2 and not lookers):
        return ChosenLine("report", draw(situation.other_seats), is_accusation=True)
    # The helper is on the wolves' side and disputes the find of a sole looker.
    if talk_number == 2 and len(lookers) == 1 and lookers == situation.finders:
        return ChosenLine("counter", lookers[0])
    return None


def _report_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the report of the agent's own look, with its first talk of a day."""
    return situation.own_report if situation.talk_number == 1 else None


def _pose_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line with which the helper reveals itself on the second day."""
    is_start_of_second_day = situation.day == 2 and situation.talk_number == 1
    return ChosenLine("pose") if situation.part == "helper" and is_start_of_second_day else None


def _opening_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line of an agent that speaks first on a day."""
    if not situation.opens_day:
        return None
    return ChosenLine("morning_first" if situation.day == 1 else "morning")


# The rules in the order of Guarded 4.4.
RULES: tuple[Rule, ...] = (
    _line_after_end,
    _greeting_line,
    _ending_line,
    _false_claim_line,
    _report_line,
    _pose_line,
    _opening_line,
)


class GuardFaculty(Faculty):
    """Faculty that speaks a prepared line where a rule says so, and votes as announced.

    It makes a note before each talk of the agent:

    - "day", and the paper's "k", "n", "U", "S" (`Situation`)
    - "line": the key of the spoken line, "" if the model speaks
    - "target", "found": the line's `target` and `is_accusation`
    - "addressed": whether the model answers a statement that addresses the agent
    - "names_vote": whether the model's statement must name a vote

    Brief: {"names_vote": True} if the statement must name a vote, else {}.
    """

    name = GUARD

    def consider(self, decision: Decision, send: Send) -> list[Note]:
        if not decision.is_in_talk:
            return []
        situation = read_situation(decision)
        line = choose_line(
            situation,
            toss=lambda: decision.rng.below("guarding/coin", 2) == 1,
            draw=lambda seats: decision.rng.choice("guarding/target", list(seats)),
        )
        data = {
            "day": decision.view.state.day,
            "line": line.key if line else "",
            "target": line.target if line else 0,
            "found": bool(line and line.is_accusation),
            "k": situation.talk_number,
            "n": situation.max_talks,
            "U": situation.undecided_count,
            "S": situation.votes_against,
            "addressed": situation.is_addressed and not line,
            "names_vote": situation.must_name_vote and not line,
        }
        return [Note(self.name, decision.moment, data, decision.window.key)]

    def decide(self, decision: Decision) -> Answer | None:
        if decision.purpose == "exile" and isinstance(decision.window.legal, Pick):
            return Answer(pick(_announced_or_drawn_vote(decision)))
        data = decision.mind.latest(self.name)
        if not decision.is_in_talk or not data["line"]:
            return None
        return answer_with_line(decision, ChosenLine(data["line"], data["target"], data["found"]))

    def complaint(self, decision: Decision, action: Action) -> str:
        """Return a complaint about a statement that must name a vote and names none, else ""."""
        if action.kind != "say" or not self.brief(decision):
            return ""
        from agents.understanding.statements import statement_acts

        view, pack = decision.view, decision.pack
        speaker_seats = [turn.seat for turn in view.turns if turn.text]
        acts = statement_acts(
            action.text, view.seat, view.state.seats,
            speaker_seats[-1] if speaker_seats else 0, pack, view.state.phase,
        )  # fmt: skip
        names_vote = any(act.kind == "vote" and act.targets for act in acts)
        return "" if names_vote else "say in it, by name, whom you will vote for today"

    def fallback_answer(self, decision: Decision) -> Answer | None:
        return answer_with_line(decision, ChosenLine("waiting")) if decision.is_in_talk else None

    def brief(self, decision: Decision) -> dict[str, Any]:
        if not decision.is_in_talk or not decision.mind.latest(self.name).get("names_vote"):
            return {}
        return {"names_vote": True}

    def disguise(self, decision: Decision) -> Decision:
        """Return the decision of a hunted agent in a talk as if it were a plain villager's.

        The model cannot betray what it does not know (Guarded 4.1).
        """
        pack, view = decision.pack, decision.view
        if not decision.is_in_talk or pack.part(view.role) != "wolf":
            return decision
        public_events = (event for event in view.events if event.audience == PUBLIC)
        public_view = extend_view(View(view.viewer), public_events)
        state = replace(public_view.state, roles={decision.seat: pack.plain_role})
        return replace(decision, view=replace(public_view, state=state))


def answer_with_line(decision: Decision, line: ChosenLine) -> Answer | None:
    """Return the answer that speaks a line in the seat's style, None if it is illegal."""
    window, legal = decision.window, decision.window.legal
    if line.key == "over" and isinstance(legal, Speech) and legal.may_over:
        return Answer(Action("over"))
    text = _line_text(decision, line)
    try:
        answer = window.accept(decision.seat, Action("say", text), decision.view.state.seats)
    except Illegal:
        return None
    return replace(answer, labels=(f"{TEMPLATE}:{line.key}", *answer.labels))


def fill_slots(
    style: Style, key: LineKey, pack: Pack, target: str, has_mentions: bool, is_accusation: bool
) -> str:
    """Return the text of a line, with names and roles of the game in its slots.

    With `has_mentions` the game addresses players as "@Beta". With `is_accusation` a report says
    that the target is hunted.
    """
    hunted = pack.one(pack.hunted[0]) if pack.hunted else ""
    slots = {
        "target": target,
        "call": f"@{target}" if has_mentions else f"{target},",
        "looker": pack.one(pack.looker_role(of_exiled=False)),
        "wolf": hunted,
        "answer": hunted if is_accusation else f"not {hunted}",
    }
    return style.lines[key].format_map(slots)


def read_situation(decision: Decision) -> Situation:
    """Return the situation, from the public talk, the agent's role and its own notes."""
    from agents.claims.claim_reading import decision_claim_steps, dialogue_of
    from agents.talk.claim_steps import current_claims

    view, pack, me = decision.view, decision.pack, decision.seat
    day, looker = view.state.day, pack.looker_role(of_exiled=False)
    other_seats = tuple(decision.living_others)
    steps = decision_claim_steps(decision)
    votes = {s.seat: s.targets[0] for s in steps if s.kind == "vote" and s.day == day}
    notes = [n.data for n in decision.mind.of(GUARD) if n.data["day"] == day]
    asked_seats = {n["target"] for n in notes if n["line"] == "inquiry"}
    decided_seats = votes.keys() | seats_that_said_over(view) | asked_seats
    claimants = {seat for seat, role in current_claims(steps).items() if looker and role == looker}
    reports = [s for s in steps if s.kind == "look" and s.seat in claimants - {me}]
    finds = [report for report in reports if pack.accuses(report.result)]
    return Situation(
        was_vote_required=any(n.get("names_vote") for n in notes),
        talk_number=decision.talks_today + 1,
        max_talks=decision.talks_today + decision.talks_left,
        day=max(day, 1) if decision.ruleset.has_vote_on(day) else 0,
        part=pack.part(view.role),
        other_seats=other_seats,
        undecided=tuple(s for s in other_seats if s not in decided_seats),
        is_undecided=me not in votes,
        votes_against=sum(votes.get(seat) == me for seat in other_seats),
        is_addressed=sum(n["addressed"] for n in notes) < MAX_ADDRESSED_ANSWERS
        and _count_addresses(decision, dialogue_of(decision).since(me)) == 1,
        lookers=tuple(sorted(claimants - {me})),
        accusers=tuple(sorted({find.seat for find in finds if me in find.targets})),
        finders=tuple(sorted({find.seat for find in finds})),
        claims_looker=me in claimants,
        own_report=_own_report(pack, looker, pack.looks_in(view), view.role),
        opens_day=all(turn.moment.day != day for turn in view.turns),
        has_ended_talk=any(n["line"] in ENDING_KEYS for n in notes),
    )


def _line_text(decision: Decision, line: ChosenLine) -> str:
    legal, persona = decision.window.legal, decision.persona
    target = decision.view.name(line.target) if line.target else ""
    has_mentions = isinstance(legal, Speech) and legal.has_mentions
    style = style_of(persona.character if persona else "")
    if persona and persona.style:
        style = own_style.parse_own_style(persona.style).style
    return fill_slots(style, line.key, decision.pack, target, has_mentions, line.is_accusation)


def _count_addresses(decision: Decision, statements: Any) -> int:
    """Return how many of the statements address the seat."""
    from agents.language import is_addressed_to

    name = decision.view.name(decision.seat)
    return sum(
        is_addressed_to(statement.text, name)
        or any(act.kind == "question" and decision.seat in act.targets for act in statement.acts)
        for statement in statements
    )


def _own_report(pack: Pack, looker: str, looks: tuple[Result, ...], role: str) -> ChosenLine | None:
    """Return the line that reports the newest own look at one player, None without one."""
    if role != looker or not looks or len(looks[-1].targets) != 1:
        return None
    return ChosenLine("report", looks[-1].targets[0], pack.accuses(looks[-1]))


def _announced_or_drawn_vote(decision: Decision) -> int:
    """Return the seat that the agent announced last as its vote, else a drawn option."""
    from agents.claims.claim_reading import decision_claim_steps

    options = [o for o in decision.window.options_for(decision.seat) if isinstance(o, int)]
    day = decision.view.state.day
    announced = [
        s.targets[0]
        for s in decision_claim_steps(decision)
        if (s.seat, s.kind, s.day) == (decision.seat, "vote", day) and s.targets[0] in options
    ]
    return announced[-1] if announced else decision.rng.choice("guarding/vote", options)
