"""What a house player says: the chosen remarks in its own wording."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from agents import language
from agents.house.circumstances import ADDRESSING, circumstances, remark_circumstances
from agents.house.mindset import Mindset
from agents.house.remark_choice import (
    choose_remarks,
    grounds_vote,
    is_due,
    is_question_kept,
    propose_remarks,
)
from agents.house.remarks import (
    DUE_REPLY_WEIGHT,
    Remark,
    RemarkPlace,
    build_slot_texts,
    get_bare_reasons,
    get_phrases,
    is_announcement_kept,
)
from agents.house.stance import Stance
from agents.language import style
from agents.language.phrasing import (
    HABIT_OPTIONS,
    REPEATED_SENTENCE_STALENESS,
    SpokenTexts,
    draw_wording,
    fill,
    sentences,
)
from agents.language.repeated_names import drop_vocatives, replace_repeated_names
from agents.packs import Pack
from agents.understanding.normalise import find_named_seats
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import result_of
from agents.understanding.understand import understand
from game.engine.forms import Speech
from game.engine.text_checks import NO_LIMIT, count_characters, count_words

CHARS_PER_WORD = 5  # converts a target length in words, where lengths are counted in characters
# A remark is dropped if at least this share of its word runs was heard before.
STALENESS_LIMIT = 0.7
MAX_WEIGHT_LOSS = 1.2  # a doubt that replaces a stale one is lighter by less than this
ALTERNATIVE_PENALTY = 0.15  # staleness added to such a doubt for each place in the order
DUE_BONUS = 1.0  # weight added to answers and claims when a long statement is shortened
KEEPING_BONUS = 3.0  # the same for an answer, a look, an announced vote and its reason
# A text is worded anew until it is new and unambiguous; the last try is said anyway.
MAX_WORDING_ATTEMPTS = 30
HABIT_SETS = 60  # the habits of a game's first seat begin at one of this many places
DAY_WORDS = 8  # words added to the usual length of a statement where each player has one a day

OPTIONAL_POSITIONS = (
    RemarkPlace.OPEN,
    RemarkPlace.TABLE,
    RemarkPlace.TRUST,
    RemarkPlace.SUPPORT,
    RemarkPlace.ASK,
    RemarkPlace.CLOSE,
)

Wording = list[tuple[Remark, str]]  # remarks with their texts, in the order of the statement


def build_statement(mind: Mindset) -> tuple[str, Stance]:
    """Return one to four sentences that are new in this game, and the stance after them."""
    text, wording = compose_statement(mind)
    text = _with_fewer_names(mind, text, greets=any(r.kind == "greet" for r, _ in wording))
    text = _apply_persona_style(mind, text)
    keys = [remark.key for remark, _ in wording if remark.about]
    keys += [f"met:{remark.meets}" for remark, _ in wording if remark.meets]
    return text, replace(mind.stance, said_keys=(*mind.stance.said_keys, *keys))


def compose_statement(mind: Mindset) -> tuple[str, Wording]:
    """Return the statement without the persona's style, as a whole and remark by remark."""
    candidates = propose_remarks(mind)
    spoken_texts = mind.dialogue.texts()
    text, wording = "", Wording()
    for attempt in range(MAX_WORDING_ATTEMPTS):
        remarks = choose_remarks(mind, candidates)
        text, wording = _word_statement(mind, remarks, candidates, str(attempt))
        while wording and len(wording) < len(remarks):  # texts may depend on what was dropped
            remarks = [remark for remark, _ in wording]
            text, wording = _word_statement(mind, remarks, candidates, str(attempt))
        if text not in spoken_texts and _is_unambiguous(mind, text, wording):
            break
    return text, wording


def _is_unambiguous(mind: Mindset, text: str, wording: Wording) -> bool:
    """Return whether listeners would understand exactly the chosen claims and reports, and at
    most one accused player.

    What the speaker has already claimed, named or reported may be understood again.
    """
    seats, dialogue = mind.view.state.seats, mind.dialogue
    claim_text = " ".join(t for remark, t in wording if remark.position == RemarkPlace.CLAIM)
    before = dialogue.statements[-1].seat if dialogue.statements else 0
    acts = understand(fill(claim_text, {}), mind.me, seats, before, mind.pack) if claim_text else ()
    intended = _self_statements(acts, mind.pack)
    changes_claim = any(kind == "claim" and subject != mind.claimed for kind, subject in intended)
    allowed = intended if changes_claim else intended | {("claim", mind.claimed)}
    if partner := dialogue.companions.get(mind.me):
        allowed.add(("companion", (dialogue.claims[mind.me], partner)))
    allowed |= {("report", report) for report in dialogue.looks.get(mind.me, ())}
    acts = understand(text, mind.me, seats, before, mind.pack)
    accused_seats = _accused_seats(acts)
    if accused_seats:  # a pronoun may turn to a player of the sentence before
        parts = (understand(t, mind.me, seats, before, mind.pack) for _, t in wording)
        if not accused_seats <= set().union(*map(_accused_seats, parts)):
            return False
    return intended <= _self_statements(acts, mind.pack) <= allowed and len(accused_seats) < 2


def _accused_seats(acts: Iterable[SpeechAct]) -> set[int]:
    return {target for act in acts if act.strength for target in act.targets}


def _with_fewer_names(mind: Mindset, text: str, *, greets: bool) -> str:
    """Return `text` with fewer names, if it is understood the same.

    Pronouns replace repeated names, and needless vocatives go. A greeting keeps its vocatives.
    """
    seats = mind.view.state.seats
    before = mind.dialogue.statements[-1].seat if mind.dialogue.statements else 0
    acts = {*understand(text, mind.me, seats, before, mind.pack)}
    previous, sole = (mind.view.name(s) if s else "" for s in (before, mind.sole_addresser))
    drop_clear = partial(drop_vocatives, previous=previous, sole=sole)
    for shorten in (drop_vocatives if greets else drop_clear, replace_repeated_names):
        shorter = shorten(text, seats)
        is_same = {*understand(shorter, mind.me, seats, before, mind.pack)} == acts
        if is_same and shorter not in mind.dialogue.texts():
            text = shorter
    return text


def _self_statements(acts: Iterable[SpeechAct], pack: Pack) -> set[tuple[str, object]]:
    """Return (kind, content) of the claims, companions and reports among `acts`."""
    statements: set[tuple[str, object]] = set()
    for act in acts:
        if act.kind == "claim":
            statements.add((act.kind, act.role))
        elif act.kind == "companion":
            statements.add((act.kind, (act.role, *act.targets)))
        elif act.kind == "report":
            statements.add((act.kind, result_of(act, pack) or act))
    return statements


def _apply_persona_style(mind: Mindset, text: str) -> str:
    """Return `text` in the persona's style, with the same meaning.

    Without a persona, or at a table of plain speech, the text stays as it is.
    """
    if mind.persona is None or mind.decision.has_plain_speech:
        return text
    seats, form = mind.view.state.seats, mind.decision.window.speech
    before = mind.dialogue.statements[-1].seat if mind.dialogue.statements else 0
    addressees = (before, 0)  # "you" is the last speaker or nobody; the meaning must hold for both

    def meaning(words: str) -> tuple[object, ...]:
        """Return the seats that the words name, and their acts for each addressee."""
        acts = [set(understand(words, mind.me, seats, to, mind.pack)) for to in addressees]
        return find_named_seats(words, seats), acts

    meaning_before, spoken_texts = meaning(text), mind.dialogue.texts()

    def has_same_meaning(words: str) -> bool:
        return (
            words not in spoken_texts
            and text_length(words, form) <= longest_text(form)
            and meaning(words) == meaning_before
        )

    forms = mind.decision.shared_rng.shuffled("forms", range(len(language.small_words()["forms"])))
    return style.apply_persona(text, mind.persona, forms[mind.me % len(forms)], has_same_meaning)


def text_length(text: str, form: Speech) -> int:
    """Return the length of `text` in the window's unit: words or characters."""
    return count_words(text) if form.max_characters == NO_LIMIT else count_characters(text)


def longest_text(form: Speech) -> int:
    """Return the greatest length of a statement that addresses nobody."""
    return form.likely_words if form.max_characters == NO_LIMIT else form.max_characters


def _word_statement(
    mind: Mindset, chosen: list[Remark], candidates: list[Remark], salt: str
) -> tuple[str, Wording]:
    """Return `chosen` in words, as a whole and remark by remark.

    Stale remarks are reworded, or dropped if they are optional.
    """
    spoken, day = mind.dialogue.statements, mind.view.state.day
    own_texts = [s.text for s in spoken if s.seat == mind.me]
    texts_today = (s.text for s in spoken if s.day == day)
    spoken_texts = SpokenTexts(
        mind.view.state.seats, [s.text for s in spoken], own_texts, texts_today
    )
    wording = Wording()
    dropped: list[tuple[float, Remark, str]] = []
    for remark in chosen:
        options = _alternatives(remark, chosen, candidates)
        text, staleness, option = _freshest_wording(mind, options, spoken_texts, salt, chosen)
        option = replace(option, meets=remark.meets)
        is_optional = option.position in OPTIONAL_POSITIONS or (
            staleness >= REPEATED_SENTENCE_STALENESS and option.position != RemarkPlace.CLAIM
        )
        if staleness < STALENESS_LIMIT or not is_optional or len(chosen) == 1:
            wording.append((option, text))
        else:
            dropped.append((staleness, option, text))
    if not wording and dropped:  # something must be said, even if it is stale
        wording = [min(dropped, key=lambda candidate: candidate[0])[1:]]
    return _trim_to_length(mind, wording, salt)


def _alternatives(remark: Remark, chosen: list[Remark], candidates: list[Remark]) -> list[Remark]:
    """Return `remark`, and for a doubt also the other doubts that could stand in its place."""
    if remark.position != RemarkPlace.DOUBT:
        return [remark]
    other_themes = {r.theme for r in chosen if r is not remark}
    return [
        remark,
        *(
            r
            for r in candidates
            if r.position == RemarkPlace.DOUBT
            and r.weight > remark.weight - MAX_WEIGHT_LOSS
            and r.kind != remark.kind
            and r.theme not in other_themes
        ),
    ]


def _freshest_wording(
    mind: Mindset, options: list[Remark], spoken_texts: SpokenTexts, salt: str, chosen: list[Remark]
) -> tuple[str, float, Remark]:
    """Return the text with the least staleness, its staleness, and its remark among `options`."""
    candidates = (
        (*_choose_wording(mind, option, spoken_texts, salt, chosen), option) for option in options
    )
    return min(candidates, key=lambda c: c[1] + ALTERNATIVE_PENALTY * options.index(c[2]))


def _trim_to_length(mind: Mindset, wording: Wording, salt: str) -> tuple[str, Wording]:
    """Return the statement without its lightest remarks, as short as the window requires.

    If a single remark is too long, a general short phrase replaces it.
    """
    form = mind.decision.window.speech
    limit, target = longest_text(form), style.aim_words(mind.persona, mind.stance.habits.words)
    if mind.has_attacks and not mind.in_passes:
        target += DAY_WORDS
    if form.max_characters != NO_LIMIT:
        target *= CHARS_PER_WORD
        wording = [part for part in wording if text_length(part[1], form) <= limit] or wording
    wording = _without_loose_parts(wording)
    while (length := sum(text_length(text, form) for _, text in wording)) > min(
        target, limit
    ) or _count_sentences(wording) > style.max_sentences(mind.persona):
        remarks = [remark for remark, _ in wording]
        optional = [part for part in wording if length > limit or not _is_owed(part[0], remarks)]
        if not optional or (len(wording) < 3 and length <= limit) or len(wording) == 1:
            break
        wording.remove(min(optional, key=lambda part: _keeping_weight(part[0], remarks)))
        wording = _without_loose_parts(wording)
    if length > limit:  # only where a ruleset asks for very few words
        return mind.decision.rng.choice(f"short/{salt}", language.remarks()["short"]), []
    return _join_texts([text for _, text in wording], mind.view.state.seats), wording


def _join_texts(texts: Iterable[str], names: Iterable[str]) -> str:
    """Return the texts as one statement, in lower case behind a colon except "I" and names."""
    statement = ""
    capitalised = re.compile(rf"(?:{'|'.join(map(re.escape, ('I', *names)))})(?!\w)")
    for text in texts:
        if statement.endswith(":") and not capitalised.match(text):
            text = text[0].lower() + text[1:]
        statement += f" {text}"
    return fill(statement, {})


def _count_sentences(wording: Wording) -> int:
    """Return the number of sentences, without those of a due claim or report but one."""
    counts = (
        1 if remark.position == RemarkPlace.CLAIM else len(sentences(text)) - (text[0] == ",")
        for remark, text in wording
    )
    return sum(counts)


def _without_loose_parts(wording: Wording) -> Wording:
    """Return `wording` without remarks that no longer fit the others.

    These are announcements of, and additions to, remarks that were dropped, and questions to
    players whom a reworded remark names.
    """
    remarks = [remark for remark, _ in wording]
    return [
        (remark, text)
        for remark, text in wording
        if is_announcement_kept(remark, remarks) and is_question_kept(remark, remarks)
    ] or wording


def _is_owed(remark: Remark, remarks: list[Remark]) -> bool:
    """Return whether others wait for `remark`.

    They wait for looks and replies to them, the day's news, votes, changes of mind, answers,
    what an answer announces, and the reason for a vote.
    """
    is_announced = any(r.leads and r.meets for r in remarks)
    return (
        remark.meets > 0
        or remark.position in (RemarkPlace.VOTE, RemarkPlace.TURN)
        or [r for r in remarks if r.kind.startswith("stand")] == [remark]  # the only pitch
        or (remark.position == RemarkPlace.CLAIM and remark.look is not None)
        or (remark.position == RemarkPlace.DOUBT and is_announced)
        or grounds_vote(remark, remarks)
        or (remark.position <= RemarkPlace.REPLY and remark.weight >= DUE_REPLY_WEIGHT)
    )


def _keeping_weight(remark: Remark, remarks: list[Remark]) -> float:
    """Return the weight of `remark` when a long statement of `remarks` is shortened."""
    is_vote = remark.position == RemarkPlace.VOTE or grounds_vote(remark, remarks)
    is_look = remark.position == RemarkPlace.CLAIM and remark.look is not None
    is_answer = remark.position == RemarkPlace.DOUBT and any(r.leads and r.meets for r in remarks)
    is_kept = is_vote or is_look or remark.meets > 0
    bonus = KEEPING_BONUS * (is_kept + is_answer)
    return remark.weight + DUE_BONUS * is_due(remark, remarks) + bonus


def _is_discussed(remark: Remark, chosen: Iterable[Remark]) -> bool:
    """Return whether others of the `chosen` speak of the player whom `remark` may address.

    In that case "you" would turn to a player of whom the same statement speaks in the third person.
    """
    addressee = remark.names.get("x" if remark.position in ADDRESSING else "t")
    others = (r for r in chosen if r is not remark and r.position not in ADDRESSING)
    return isinstance(addressee, int) and any(addressee in r.seats for r in others)


def _speech_habit(mind: Mindset) -> int:
    """Return the number of the player's habits of speech, which lasts the whole game.

    The habits of neighbouring seats do not overlap.
    """
    offset = mind.decision.shared_rng.below("speech habits", HABIT_SETS)
    return HABIT_OPTIONS * (offset + mind.me)


def _choose_wording(
    mind: Mindset, remark: Remark, spoken: SpokenTexts, salt: str, chosen: list[Remark]
) -> tuple[str, float]:
    """Return a text of `remark`, one of the `chosen` of the statement, and its staleness."""
    is_recent = remark.look is not None and mind.is_recent(remark.look)
    has_voice = mind.persona is not None and not mind.decision.has_plain_speech
    character = mind.persona.character if mind.persona and has_voice else ""
    draw = partial(
        draw_wording,
        names=build_slot_texts(mind.pack, remark, mind.view.name, is_recent, _speech_habit(mind)),
        manner=mind.stance.manner,
        circumstances=circumstances(mind) | remark_circumstances(mind, remark, chosen),
        spoken=spoken,
        avoids_you=_is_discussed(remark, chosen),
        habit=_speech_habit(mind),
        rng=mind.decision.rng,
        purpose=f"words/{salt}/{mind.pack.spelled(remark.kind)}",
    )
    if character and (own := _phrases_beside(mind.pack, remark, chosen, character)):
        text, staleness = draw(own, manner="")  # a manner would prefer the same few
        if staleness < STALENESS_LIMIT:
            return text, staleness
    return draw(_phrases_beside(mind.pack, remark, chosen))


def _phrases_beside(
    pack: Pack, remark: Remark, chosen: list[Remark], character: str = ""
) -> tuple[str, ...]:
    """Return the phrases of `remark`, those of a written character if there is one.

    A reason for an announced vote leaves the verdict to it.
    """
    if remark.position == RemarkPlace.SUPPORT:
        return get_bare_reasons(pack, remark.kind, is_added=True, character=character)
    as_doubt = replace(remark, position=RemarkPlace.DOUBT) if remark.kind == "join_in" else remark
    is_ground = grounds_vote(as_doubt, chosen)
    bare = get_bare_reasons(pack, remark.kind, character=character) if is_ground else ()
    return bare or get_phrases(pack, remark.kind, character)
