"""The talk in a prompt as a seat saw it, and the statements that memory retrieved.

Lines are only appended, so that consecutive prompts share a prefix. `agents.recipe.CONTEXTS` lists
what each context shows. Memory only refers to statements that the talk shows. Agents that score
reliability get numbered lines instead (`numbered_context.py`).
"""

from collections.abc import Collection, Mapping, Sequence

from agents.decision import Decision
from agents.llm.narration import PromptNames, event_sentence, joint_lines, phase_heading
from agents.llm.player_names import player_name
from agents.prompts import format_section
from agents.quotation import MAX_QUOTED_CHARS, quote_text
from game.engine.events import PUBLIC, Event, Moment
from game.engine.ruleset import Ruleset
from game.engine.state import Turn

MAX_PROMPT_CHARS = 13_600  # The limit of a prompt in a limited context (docs/models.md).
FREE_NEWS_CHARS = 400  # The room for events that are no talk. Longer news take room from the talk.
MIN_TALK_CHARS = 3_000  # characters reserved for the talk
MIN_TALK_CHARS_TODAY = 2_000  # characters reserved for the talk in the context `summary`
MIN_TEXT_CHARS = 80  # characters reserved for each statement
LINE_OVERHEAD_CHARS = 20  # characters around a statement: "in round 1: ", quotation marks, line end
# Kind of action -> (text about another player, text about the seat itself).
SILENCE_TEXTS = {
    "nothing": ("says nothing.", "said nothing."),
    "skip": ("passes.", "passed."),
    "over": ("has no more to say.", "had no more to say."),
}


def moment_name(ruleset: Ruleset, moment: Moment, *, show_total: bool = False) -> str:
    """Return "round 2" or "round 2 of 3", "day 2", or in a game of both "round 2 on day 3"."""
    if not ruleset.rounds or not moment.round:
        return f"day {moment.day}"
    rounds = f" of {ruleset.rounds}" if show_total else ""
    day = "" if ruleset.days == 1 else f" on day {moment.day}"
    return f"round {moment.round}{rounds}{day}"


def moment_phrase(ruleset: Ruleset, moment: Moment) -> str:
    """Return a moment with its preposition: "in round 2", or "on day 2"."""
    name = moment_name(ruleset, moment)
    return f"{'in' if name.startswith('round') else 'on'} {name}"


def talk_and_memory(
    decision: Decision, memory: Collection[int], other_chars: int, omitted_turn_count: int
) -> tuple[str, str]:
    """Return a request's sections of the talk and of the retrieved statements.

    The talk is limited by `decision.context`, and to the room beside `other_chars` characters of
    the prompt. `memory` has the numbers of the retrieved turns. The oldest `omitted_turn_count`
    turns are left out, whatever the context.
    """
    turns = decision.view.turns[omitted_turn_count:]
    shown_numbers = {t.number for t in turns if t.moment.phase_number >= decision.shown_since}
    lines = _talk_lines(decision, shown_numbers, omitted_turn_count)
    news_chars = sum(len(line) for line in lines if isinstance(line, str))
    min_chars = MIN_TALK_CHARS_TODAY if decision.context == "summary" else MIN_TALK_CHARS
    room = max(min_chars, MAX_PROMPT_CHARS - other_chars - max(0, news_chars - FREE_NEWS_CHARS))
    caps = _max_chars_by_turn(decision, shown_numbers | set(memory), room)
    line_texts = [_line_text(line, decision, caps) for line in lines]
    talk = "WHAT HAPPENED SO FAR\n" + ("\n".join(line_texts) or "Nothing yet.")
    retrieved = [turn for turn in turns if turn.number in memory]
    return talk, _memory_section(decision, retrieved, shown_numbers, caps)


def said_line(decision: Decision, event: Event, max_chars: int = MAX_QUOTED_CHARS) -> str:
    """Return the line of a statement, or of a turn without words.

    It names the audience or the addressees if the statement was not for all players.
    """
    is_own, text = event["seat"] == decision.seat, event.data.get("text")
    names = PromptNames(decision)
    speaker = "You" if is_own else names.seat_name(event["seat"])
    if event.audience != PUBLIC:
        hearers = [names.seat_name(s) for s in event.audience.seats if s != event["seat"]]
        speaker += f", to {names.join_names(hearers)} alone," if hearers else ", unheard,"
    if text:
        addressees = "".join(f" to {names.seat_name(s)}" for s in event.data.get("targets", ()))
        return f"{speaker} {'said' if is_own else 'says'}{addressees} {quote_text(text, max_chars)}"
    return f"{speaker} {SILENCE_TEXTS.get(event['manner'], SILENCE_TEXTS['nothing'])[is_own]}"


def last_omitted_position(decision: Decision, omitted_turn_count: int) -> int:
    """Return the position of the last of the oldest turns that are left out, 0 if none is."""
    omitted_turns = decision.view.turns[:omitted_turn_count]
    return omitted_turns[-1].position if omitted_turns else 0


def _memory_section(
    decision: Decision,
    retrieved: Sequence[Turn],
    shown_numbers: Collection[int],
    caps: Mapping[int, int],
) -> str:
    """Return the retrieved statements. Those that the talk shows are only referred to."""
    lines = []
    for turn in retrieved:
        if turn.number not in shown_numbers:
            time = moment_phrase(decision.ruleset, turn.moment)
            text = quote_text(turn.text, caps.get(turn.number, MAX_QUOTED_CHARS))
            lines.append(f"{_speaker_text(turn, decision)} {time}: {text}")
    retrieved_in_talk = [t for t in retrieved if t.number in shown_numbers]
    of_others = (t for t in decision.view.turns if t.text and t.seat != decision.seat)
    candidate_count = sum(turn.number in shown_numbers for turn in of_others)
    # A selection of most shown turns would be no selection.
    if retrieved_in_talk and 2 * len(retrieved_in_talk) <= candidate_count:
        references = _list_turns(retrieved_in_talk, decision)
        lines.insert(0, f"Of the lines above, think first of: {references}.")
    return format_section("WHAT COMES BACK TO YOUR MIND", lines)


def _talk_lines(
    decision: Decision, shown_turn_numbers: Collection[int], omitted_turn_count: int
) -> list[str | Turn]:
    """Return the lines in order, statements as their turns.

    A phase without lines has no heading. The prompts before and after the last statement of a day
    therefore differ only in that statement.
    """
    turns = decision.view.turns
    turns_by_position, answers = {t.position: t for t in turns}, joint_lines(decision)
    speech = decision.ruleset.wording.kinds_of_shape("statement")
    omitted_until = last_omitted_position(decision, omitted_turn_count)
    since = decision.shown_since if decision.context == "summary" else 0
    lines: list[str | Turn] = []
    title, phase = "", 0
    for position, event in enumerate(decision.view.events, 1):
        line: str | Turn = ""
        if event.kind == "phase_opened":
            phase += 1
            phase_turns = {t.number for t in turns if t.moment.phase_number == phase}
            gap = _gap_note(phase_turns, shown_turn_numbers)
            title = f"-- {phase_heading(event, decision)}{gap}"
            line, title = (title, "") if gap else ("", title)
        elif turn := turns_by_position.get(position):
            line = turn if turn.number in shown_turn_numbers else ""
        elif event.audience != PUBLIC and event.kind in speech:  # said to certain players
            if position > omitted_until and phase >= decision.shown_since:
                line = said_line(decision, event)
        elif not (line := answers.pop(event.data.get("window", ""), "")):
            # With a summary, `standing_section` lists the players who are out, but not the days and
            # nights without one.
            is_known = phase < since and event.audience == PUBLIC and set(event.data) != {"day"}
            line = "" if is_known else event_sentence(event, decision)
        if line:
            lines += [title, line] if title else [line]
            title = ""
    return lines


def _line_text(line: str | Turn, decision: Decision, caps: Mapping[int, int]) -> str:
    if isinstance(line, str):
        return line
    event = decision.view.events[line.position - 1]
    return said_line(decision, event, caps.get(line.number, MAX_QUOTED_CHARS))


def _gap_note(all_turns: set[int], kept_turns: Collection[int]) -> str:
    """Return a note on the turns of a phase (`all_turns`) that are left out."""
    missing = all_turns.difference(kept_turns)
    if not missing:
        return ""
    return f" ({'its' if missing == all_turns else 'some of its'} talk is left out here)"


def _max_chars_by_turn(decision: Decision, kept_turns: set[int], room: int) -> dict[int, int]:
    """Return turn -> maximum characters of its words, so that all fit into `room`.

    This round's statements stay whole as long as possible. Earlier ones are cut to one length. The
    context `whole` has no caps.
    """
    if decision.context == "whole":
        return {}
    shown_turns = [turn for turn in decision.view.turns if turn.number in kept_turns]
    current_phase = decision.round_start.phase_number
    earlier = [turn for turn in shown_turns if turn.moment.phase_number < current_phase]
    current = [turn for turn in shown_turns if turn.moment.phase_number >= current_phase]
    room -= sum(len(player_name(turn.seat, decision)) + LINE_OVERHEAD_CHARS for turn in shown_turns)
    room_of_current = room - MIN_TEXT_CHARS * len(earlier)
    current_lengths = [len(turn.text) for turn in current]
    current_cap = max(_highest_cap(current_lengths, room_of_current), MIN_TEXT_CHARS)
    room -= sum(min(length, current_cap) for length in current_lengths)
    earlier_cap = max(_highest_cap([len(turn.text) for turn in earlier], room), MIN_TEXT_CHARS)
    return {t.number: earlier_cap for t in earlier} | {t.number: current_cap for t in current}


def _highest_cap(lengths: list[int], room: int) -> int:
    """Return the highest cap for `lengths` so that their sum fits into `room`."""
    uncapped = sorted(lengths)
    while uncapped and uncapped[0] * len(uncapped) <= room:
        room -= uncapped.pop(0)
    return room // len(uncapped) if uncapped else MAX_QUOTED_CHARS


def _list_turns(turns: Sequence[Turn], decision: Decision) -> str:
    """Return the turns by time, such as "in round 1 Alpha, Beta" and then "in round 2 Delta"."""
    speakers_by_time: dict[str, list[str]] = {}
    for turn in turns:
        time = moment_phrase(decision.ruleset, turn.moment)
        speakers_by_time.setdefault(time, []).append(_speaker_text(turn, decision))
    return "; ".join(f"{time} {', '.join(speakers)}" for time, speakers in speakers_by_time.items())


def _speaker_text(turn: Turn, decision: Decision) -> str:
    """Return "Beta", or "Beta (3)" for its third of several turns in that time."""
    time = moment_phrase(decision.ruleset, turn.moment)
    own = (t for t in decision.view.turns if t.seat == turn.seat)
    numbers = [t.number for t in own if moment_phrase(decision.ruleset, t.moment) == time]
    several = f" ({numbers.index(turn.number) + 1})" if len(numbers) > 1 else ""
    return f"{player_name(turn.seat, decision)}{several}"
