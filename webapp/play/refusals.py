"""The sentences and the HTTP statuses for answers and actions that the site refuses."""

from django.utils.translation import gettext_lazy as _

from game.engine.forms import Illegal

# The posted content is invalid: HTTP status 422, or as in `_CONTENT_STATUSES`.
CONTENT_ERRORS = {
    "empty": _("Enter at least one word."),
    "too_many_words": _("Your statement has {words} words. Shorten it to {max_words} words."),
    "too_long": _("Your statement is too long. Shorten it to {max_words} words."),
    "control": _(
        "Your text contains invisible control characters. Type it again, or paste it as plain text."
    ),
    "tags": _(
        "Your text contains invisible characters, such as those in the flags of "
        "England, Scotland and Wales. Remove the flags, or type it again."
    ),
    "marks": _("A letter has more than four accents. Remove some of them, or type it again."),
    "bidi": _(
        "Your text contains characters that reverse the reading direction. Remove "
        "them, or type it again."
    ),
    "markup": _("Your text contains HTML such as <b>. Use plain text only."),
    "not_a_statement": _("It is time to speak. Enter a statement."),
    "typed_pass": _(
        "This would be shown as a statement. To say nothing, use the button next to “Say it”."
    ),
    "not_a_choice": _("Choose one of the players shown."),
    "not_a_rating": _("Choose a role for each player, or leave players out."),
    "bad_rating": _(
        "For each player you rate, choose a role and a confidence from {least} to {most}."
    ),
    "no_pass": _("You cannot pass at this table. Enter a statement."),
    "no_abstaining": _("You cannot abstain at this table. Choose a player."),
    "wrong_count": _("Choose exactly {count} different players."),
    "not_an_option": _("You cannot choose that player. Choose one of those shown."),
    "bad_post": _("The form arrived incomplete. Reload the page and send it again."),
    "blind_name": _(
        "This table is blind, and a name of your own would reveal that you are a "
        "person. Leave the name empty."
    ),
    "name_long": _("Enter a name of up to 20 characters."),
    "name_form": _(
        "Start the name with a letter. Then you can use letters and digits, with "
        "single spaces, hyphens, dots, apostrophes or underscores between them. Emoji "
        "and other symbols are not allowed."
    ),
    "name_misleads": _(
        "This name could be confused with a role, the moderator or everyone. Choose another name."
    ),
    "name_scripts": _(
        "This name mixes letters of several alphabets and can look like another name. "
        "Use letters of one alphabet."
    ),
    "name_order": _("Computer players would read this name as a sentence. Choose a plain name."),
    "name_taken": _(
        "This name is the same as {name} at this table, or too similar. Choose another name."
    ),
}
# The request came at the wrong time: HTTP status 409.
TIMING_ERRORS = {
    "not_asked": _("It isn't your turn. The table is waiting for another player."),
    "no_such_window": _("You cannot do that now. Reload the page to see what you can do."),
    "rate_first": _(
        "Rate the other players first. If nothing has changed, use the button for that."
    ),
    "too_late": _("Your answer came too late. The game has moved on."),
    "game_over": _("This game is over. You can no longer speak or choose."),
    "answered": _("You have already answered this."),
    "handed_over": _(
        "A computer player is playing for you. Take your seat back first. Your text is kept."
    ),
    "over": _("This game has ended. You can no longer change anything."),
    "begun": _("The game has already begun."),
    "not_begun": _("The game has not begun yet."),
    "not_over": _("You can do this only after the game."),
    "not_public": _("This game cannot be made public."),
    "not_public_today": _(
        "This daily game can still be played today. You can agree to a public link from tomorrow."
    ),
    "not_agreed": _("You have not agreed to a public link."),
    "not_blind": _("Everyone already knows who is a person."),
    "paused": _("The game is already paused."),
    "not_paused": _("The game is not paused."),
    "no_deadline": _("No time limit is running now."),
    "not_away": _("This player is here. You can hand over only an absent player’s seat."),
    "host_here": _("The host is back."),
    "seat_changed": _("That seat has changed in the meantime. Check it and try again."),
    "blind_table": _("This table is blind. That would reveal who is a person."),
    "portrait_taken": _("This portrait is already taken. Choose another portrait."),
    "no_words": _("This text does not exist or has already been removed."),
    "no_chat": _("You can use the chat only before and after the game."),
    "chat_full": _("The chat is full. You cannot write more."),
    "studied": _("Research use is already allowed for this table."),
    "not_studied": _("Research use is not allowed for this table."),
    "told_otherwise": _(
        "Another player has already sat down and was informed that there is no "
        "research here. Set up another table for research."
    ),
    "page_changed": _(
        "The table has changed since you opened the page. Read the page again before you sit down."
    ),
    "nobody_removed": _("No one has been removed from this table."),
    "not_alone": _("This pace works only for one person alone with computer players."),
    "pace_fixed": _("You cannot change the pace of this table in this way."),
    "full": _("All seats of this table are taken."),
}
# The visitor may not do this: HTTP status 403.
PERMISSION_ERRORS = {
    "not_a_member": _("You are watching this game. Set up your own table to play."),
    "not_yours": _("Only the host or the player in this seat can do this."),
}
# The visitor, or their network, reached a limit: HTTP status 429.
RATE_ERRORS = {
    "too_fast": _("Too many requests. Wait a few seconds and try again."),
    "many_tables": _(
        "You or others on your network have just opened many tables. Wait a few "
        "minutes before you open another table. Your games are on the home page."
    ),
    "many_tables_by_link": _(
        "You have reached the daily limit of tables for your study link. You can open "
        "more tomorrow. Your games and the study are not affected."
    ),
    "many_tables_today": _(
        "Your network has reached its daily limit of tables. You can open more "
        "tomorrow. Your games are on the home page."
    ),
}
_TEXTS = {**CONTENT_ERRORS, **TIMING_ERRORS, **PERMISSION_ERRORS, **RATE_ERRORS}
_CONTENT_STATUSES = {"bad_post": 400, "too_long": 413}


def refusal_text(illegal: Illegal) -> str:
    """Return the sentence for a refused answer or action. For unknown codes it is `bad_post`."""
    return str(_TEXTS.get(illegal.code, _TEXTS["bad_post"])).format(**illegal.params)


def refusal_status(illegal: Illegal) -> int:
    """Return the HTTP status for a refused answer or action."""
    if illegal.code in TIMING_ERRORS:
        return 409
    if illegal.code in PERMISSION_ERRORS:
        return 403
    if illegal.code in RATE_ERRORS:
        return 429
    return _CONTENT_STATUSES.get(illegal.code, 422)
