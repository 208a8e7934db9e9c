"""The site's sentences for codes and keys of the rules: refusals, labels, roles, votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.engine import rulesets
from game.engine.forms import Illegal
from game.engine.labels import label_kind
from game.engine.roles import RuleText
from game.engine.ruleset import role_of

# Refusals by error code: the posted content is invalid (HTTP status 422 unless `_STATUS` says
# otherwise), or the request came at the wrong moment (409).
CONTENT = {
    "empty": gettext_lazy("Nothing is written yet. Say at least a word."),
    "too_many_words": gettext_lazy(
        "That is {words} words; at most {max_words} can be said at once. Shorten it a little."
    ),
    "too_long": gettext_lazy(
        "That is far too long to be said: at most {max_words} words. Shorten it."
    ),
    "control": gettext_lazy(
        "There are invisible control characters in your text. Type it again, or paste it as plain"
        " text."
    ),
    "tags": gettext_lazy(
        "There are invisible characters in it, of the kind that the flags of England, Scotland and"
        " Wales hold. Remove these flags, or type it again."
    ),
    "marks": gettext_lazy(
        "More than four accents stand on one letter. Remove some of them, or type it again."
    ),
    "bidi": gettext_lazy(
        "Your text holds characters that reverse the reading direction. Remove them, or type it"
        " again."
    ),
    "markup": gettext_lazy(
        "Your text holds HTML such as <b>. Write plain words; nothing here understands tags."
    ),
    "not_a_statement": gettext_lazy("Now is the time to speak, not to choose."),
    "typed_pass": gettext_lazy(
        "Everybody would hear that as a word. To say nothing, use the button beside “Say it”."
    ),
    "not_a_choice": gettext_lazy("Choose one of the players shown."),
    "not_a_rating": gettext_lazy("Say what you take each player for, or leave them out."),
    "bad_rating": gettext_lazy(
        "Choose a role for everyone you rate, and how sure you are: from {least} to {most}."
    ),
    "no_pass": gettext_lazy("You can’t pass at this table: say something."),
    "no_abstaining": gettext_lazy("Everyone must vote here: choose a player."),
    "wrong_count": gettext_lazy("Choose exactly {count}, each a different player."),
    "not_an_option": gettext_lazy("That player can't be chosen here. Choose one of those shown."),
    "bad_post": gettext_lazy("The form arrived incomplete. Reload the page and send it again."),
    "not_a_member": gettext_lazy("You are only watching here. At a table of your own you can."),
    "not_yours": gettext_lazy("That is for the host of the table, or for who sits in the seat."),
    "blind_name": gettext_lazy(
        "This table is blind: a name of your own would show that you are a person. Leave it empty."
    ),
    "name_long": gettext_lazy("That name is too long: at most 20 characters."),
    "name_form": gettext_lazy(
        "A name begins with a letter. Letters and digits may follow, with single spaces, hyphens,"
        " dots, apostrophes or underscores between them; no emoji and no other signs."
    ),
    "name_misleads": gettext_lazy(
        "Everyone would take that name for something else: a role, the moderator, or everybody."
        " Choose another."
    ),
    "name_scripts": gettext_lazy(
        "That name mixes letters of several alphabets, so that it looks like another one. Write it"
        " in one alphabet."
    ),
    "name_order": gettext_lazy(
        "That reads like a sentence, and the computer players would take it for one. Choose a plain"
        " name."
    ),
    "name_taken": gettext_lazy(
        "Somebody here is called {name} already, or so like it that one can’t tell them apart."
        " Choose another name."
    ),
    "too_fast": gettext_lazy("That was too much at once. Wait a few seconds."),
    "many_tables": gettext_lazy(
        "Many tables were opened just now, by you or by others on your network. Wait a few minutes"
        " before you open another one. Your games are on the first page."
    ),
    "many_tables_by_link": gettext_lazy(
        "With your link to a study you have opened as many tables as one person can in a day."
        " Tomorrow you can open more. Your games, and the study, go on as before."
    ),
    "many_tables_today": gettext_lazy(
        "Your network has opened as many tables as it can in a day. Tomorrow it can open more."
        " Your games are on the first page."
    ),
}
MOMENT = {
    "not_asked": gettext_lazy("It isn't your turn: the table is waiting for somebody else."),
    "no_such_window": gettext_lazy(
        "Nobody asked that. Reload the page to see what you can do now."
    ),
    "rate_first": gettext_lazy(
        "Say first whom you take for what. If you think of everybody as before, one press says so."
    ),
    "too_late": gettext_lazy("That came too late: the table has moved on."),
    "game_over": gettext_lazy("This game is over; nothing more can be said or chosen."),
    "answered": gettext_lazy("You have already answered this one."),
    "handed_over": gettext_lazy(
        "A computer player is playing for you. Take your seat back first; your words are kept."
    ),
    "over": gettext_lazy("This table has ended; nothing can be changed any more."),
    "begun": gettext_lazy("The game has begun already."),
    "not_begun": gettext_lazy("The game has not begun yet."),
    "not_over": gettext_lazy("That can be done only once the game is over."),
    "not_public": gettext_lazy("This game cannot be shown to everybody."),
    "not_public_today": gettext_lazy(
        "Others still play this deal today. From tomorrow you can agree to a public link."
    ),
    "not_agreed": gettext_lazy("You have agreed to no public link, so nothing can be taken back."),
    "not_blind": gettext_lazy("Everyone knows already who is a person."),
    "paused": gettext_lazy("The table is paused already."),
    "not_paused": gettext_lazy("The table is not paused."),
    "no_deadline": gettext_lazy("No clock is running right now."),
    "not_away": gettext_lazy("That player is here: only an absent player’s seat is handed over."),
    "host_here": gettext_lazy("The host is here again."),
    "seat_changed": gettext_lazy("That seat has changed since you looked. Look again."),
    "blind_table": gettext_lazy("This table is blind: that would tell who is a person."),
    "portrait_taken": gettext_lazy("Somebody has that portrait already. Choose another one."),
    "no_words": gettext_lazy("There are no such words, or they are gone already."),
    "no_chat": gettext_lazy("At this table people talk before the game and after it."),
    "chat_full": gettext_lazy("So much has been written here that nothing more fits in."),
    "studied": gettext_lazy("This table may be used in research already."),
    "not_studied": gettext_lazy("This table is not used in research."),
    "told_otherwise": gettext_lazy(
        "Somebody has already sat down, and was told that there is no research here. Set up"
        " another table for research."
    ),
    "page_changed": gettext_lazy(
        "Something about this table has changed since you opened the page: read it again, then sit"
        " down if you like."
    ),
    "nobody_removed": gettext_lazy("Nobody has been removed from this table."),
    "not_alone": gettext_lazy("That pace is for one person alone with computer players."),
    "pace_fixed": gettext_lazy("The pace of this table can't be changed so."),
    "full": gettext_lazy("All seats of this table are taken."),
}
REFUSALS = {**CONTENT, **MOMENT}
_STATUS = {"bad_post": 400, "too_fast": 429, "too_long": 413}
_STATUS |= {key: 429 for key in CONTENT if key.startswith("many_tables")}

LABELS = {
    "stand-in": gettext_lazy("a computer player answered"),
    "timeout": gettext_lazy("time ran out"),
    "late": gettext_lazy("answered late"),
    "fallback": gettext_lazy("stand-in answer"),
    "fallback:refusal": gettext_lazy("the model refused: stand-in answer"),
    "fallback:unspeakable": gettext_lazy("its words could not be spoken: stand-in answer"),
    "repaired": gettext_lazy("asked twice"),
    "shortened": gettext_lazy("shortened"),
    "trimmed": gettext_lazy("tidied up"),
    "left-out": gettext_lazy("did not hear the oldest talk"),
    "without:favor": gettext_lazy("without its likes and dislikes"),
    "without:judgement": gettext_lazy("without its judgement"),
    "without:reliability": gettext_lazy("without having judged whom to believe"),
    "without:strategy": gettext_lazy("without a plan"),
    "stale:favor": gettext_lazy("with older likes and dislikes"),
    "stale:judgement": gettext_lazy("with an older judgement"),
    "stale:reliability": gettext_lazy("with an older judgement of whom to believe"),
    "stale:strategy": gettext_lazy("with an older plan"),
    "budget": gettext_lazy("by the built-in player: the model’s daily limit was reached"),
    "unread": gettext_lazy("did not understand a long statement"),
    "template": gettext_lazy("stock phrase"),
    "over:skip": gettext_lazy("no pass was left"),
    "over:empty": gettext_lazy("nothing was left of the words"),
}


def refusal(illegal: Illegal) -> tuple[str, int]:
    """Return the sentence and the HTTP status for an answer that the rules refuse."""
    text = str(REFUSALS.get(illegal.code, REFUSALS["bad_post"])).format(**illegal.params)
    return text, 409 if illegal.code in MOMENT else _STATUS.get(illegal.code, 422)


def label_text(labels: Iterable[str]) -> str:
    """Return the labels of an answer, translated and without repeats, "" for none."""
    texts = [LABELS.get(label) or LABELS.get(label_kind(label)) or label for label in labels]
    return ", ".join(str(text) for text in dict.fromkeys(texts))


def vote_label(labels: Iterable[str], chosen: bool) -> str:
    """Return the labels of a vote, with the counted vote if it missed the deadline."""
    label_list = tuple(labels)
    if "timeout" not in label_list:
        return label_text(label_list)
    late = _("time ran out: drawn by lot") if chosen else _("time ran out: no vote counted")
    others = label_text(label for label in label_list if label != "timeout")
    return ", ".join(filter(None, [late, others]))


def role_name(ruleset: str, key: str) -> str:
    """Return the translated name of a role, "" for none."""
    return _(role_of(rulesets.get(ruleset), key).name) if key else ""


def rule_sentence(text: RuleText) -> str:
    """Return a rule's sentence, translated, with its figures."""
    return _(text.text).format(**text.params)


def join_names(seats: list[Any]) -> str:
    """Join names to a list such as "Beta", "Beta and Zeta", "Beta, Zeta and Eta"."""
    seat_names = [str(s) for s in seats]
    if len(seat_names) < 2:
        return "".join(seat_names)
    return _("{most} and {last}").format(most=", ".join(seat_names[:-1]), last=seat_names[-1])


def tally_sentence(votes: Mapping[str, int]) -> str:
    """Return the votes as a sentence ("Delta has 5 votes, Beta 3.")."""
    ranked_counts = sorted((-count, name) for name, count in votes.items() if count)
    if not ranked_counts:
        return _("Nobody has a vote.")
    (most, leader), *others = ranked_counts
    text = ngettext("{name} has {count} vote", "{name} has {count} votes", -most)
    count_texts = [
        text.format(name=leader, count=-most),
        *(f"{name} {-count}" for count, name in others),
    ]
    return ", ".join(count_texts) + "."
