"""The talk as numbered lines, sorted by the seat's trust in the speaker (SPEC 2.6).

A line's number counts all lines of the seat from 1. It never changes, so evidence can cite
it. Facts are lines that do not depend on another player's word: the agent's own seat, role and
known partners, announcements, votes, its actions and what it learned, and its own statements.
Statements of others are sorted by the speaker's latest score. Statements since the last reasoning
are not judged yet. In the context `evidence`, only statements cited at a vote are shown after it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents import reliability_scale as scale
from agents.decision import Decision
from agents.faculties.reliability import cited_evidence, current_scores
from agents.llm.narration import dealt_sentences, event_sentence, joint_lines, phase_heading
from agents.llm.player_names import list_players, player_name
from agents.llm.transcript import last_omitted_position, said_line
from game.engine.events import Event

# Groups of lines: facts, and statements of others by whether they are believed.
FACTS_HEADING = "WHAT IS CERTAIN, AND WHAT YOU YOURSELF SAID"
HEADING_BY_BELIEF = {
    True: "WHAT MAY BE TRUE: said by those whom you believe",
    False: "WHAT MAY BE FALSE: said by those whom you doubt",
    None: "WHAT YOU HAVE NOT JUDGED YET",
}
UNSORTED_HEADING = "WHAT HAPPENED SO FAR"


@dataclass(frozen=True)
class NumberedLine:
    """Line of a numbered context."""

    number: int  # number of the line in the prompt, from 1
    position: int  # position of the line's event in the view
    speaker: int  # seat of the speaker if it is another player, else 0
    phase: str  # heading above the lines of the same phase
    text: str


def number_lines(decision: Decision) -> list[NumberedLine]:
    """Return all lines of this seat, in order."""
    line_texts = _LineTexts(decision)
    phase = ""
    lines: list[NumberedLine] = []
    for position, event in enumerate(decision.view.events, 1):
        if event.kind == "phase_opened":
            phase = phase_heading(event, decision)
            continue
        is_statement = line_texts.is_statement(position, event)
        speaker = event["seat"] if is_statement and event["seat"] != decision.seat else 0
        for text in filter(None, line_texts.texts_of(position, event)):
            lines.append(NumberedLine(len(lines) + 1, position, speaker, phase, text))
    return lines


class _LineTexts:
    """The texts of an agent's lines, event by event in the order of the view."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self._turn_positions = {turn.position for turn in decision.view.turns}
        self._speech_kinds = decision.ruleset.wording.kinds_of_shape("statement")
        # The first answer to a question gets the line of all of them, so it leaves this dict.
        self._joint_line_by_window = joint_lines(decision)
        self._dealt_lines = dealt_sentences(decision)

    def is_statement(self, position: int, event: Event) -> bool:
        return position in self._turn_positions or event.kind in self._speech_kinds

    def texts_of(self, position: int, event: Event) -> list[str]:
        """Return the texts of an event's lines, "" for a line that is left out."""
        decision = self._decision
        if event.kind == "role_dealt" and event["seat"] == decision.seat:
            # Two lines, so that the name and the role can be cited.
            role = decision.pack.one(decision.view.role)
            return [f"You are {player_name(decision.seat, decision)}.", f"You are {role}."]
        if self.is_statement(position, event):
            return [said_line(decision, event)]
        joint_line = self._joint_line_by_window.pop(event.data.get("window", ""), "")
        line = joint_line or event_sentence(event, decision)
        return [self._dealt_lines.get(position) or line]


def _is_reasoning(decision: Decision) -> bool:
    """Return whether the method's switches let the agent reason about reliability."""
    return decision.switch_value(scale.REASONING) != scale.NONE


def map_lines_to_positions(decision: Decision) -> dict[int, int]:
    """Return line number -> event position, for the visible lines.

    Lines that were dropped after a vote are missing: a citation would make them visible again.
    """
    lines = _iter_visible(decision, number_lines(decision), 0)
    return {line.number: line.position for line in lines}


def format_numbered_lines(decision: Decision, omitted_turn_count: int = 0) -> str:
    """Return the numbered lines as a prompt contains them.

    The oldest `omitted_turn_count` turns are left out, except the seat's own.
    """
    parts = [f"STILL IN THE GAME BESIDES YOU\n{list_players(decision.living_others, decision)}."]
    lines = list(_iter_visible(decision, number_lines(decision), omitted_turn_count))
    is_sorted = decision.switch_value(scale.SORTING) == scale.ON and _is_reasoning(decision)
    if not is_sorted:
        return "\n\n".join([*parts, _format_part(UNSORTED_HEADING, lines)])
    scores = current_scores(decision)
    headings = (FACTS_HEADING, *HEADING_BY_BELIEF.values())
    lines_by_heading = {heading: list[NumberedLine]() for heading in headings}
    for line in lines:
        heading = FACTS_HEADING
        if line.speaker:
            heading = HEADING_BY_BELIEF[scores.is_believed(line.speaker, line.position)]
        lines_by_heading[heading].append(line)
    parts += [_format_part(heading, own) for heading, own in lines_by_heading.items() if own]
    return "\n\n".join(parts)


def _iter_visible(
    decision: Decision, lines: Sequence[NumberedLine], omitted_turn_count: int
) -> Iterator[NumberedLine]:
    """Yield facts, and those statements of others that were neither pruned nor left out.

    Pruning drops the statements before the last vote that were not cited at it. The oldest
    `omitted_turn_count` turns are left out.
    """
    omitted_until = last_omitted_position(decision, omitted_turn_count)
    is_pruning = decision.context == "evidence" and _is_reasoning(decision)
    last_vote_position, evidence = cited_evidence(decision) if is_pruning else (0, frozenset[int]())
    for line in lines:
        is_pruned = line.position <= last_vote_position and line.position not in evidence
        if not line.speaker or not (is_pruned or line.position <= omitted_until):
            yield line


def _format_part(title: str, lines: Sequence[NumberedLine]) -> str:
    """Return a heading and its lines, grouped by phase."""
    part_lines, phase = [title], ""
    for line in lines:
        if line.phase != phase:
            phase = line.phase
            part_lines.append(f"-- {phase}")
        part_lines.append(f"[{line.number}] {line.text}")
    return "\n".join(part_lines)
