"""The settings of the contest's games: those of its server under its own names, and casual ones."""

from collections.abc import Mapping
from typing import Any

from game.engine.forms import Speech, speech_with_mentions
from game.engine.roles import Preset, Setting
from game.engine.ruleset import TalkLimits
from game.engine.side_questions import ASK_ROLE_GUESSES, ASK_WHY
from game.engine.text_checks import NO_LIMIT
from game.engine.wording import gettext_noop as _

CHARACTERS, WORDS = "characters", "words"
MAX_STATEMENT_CHARACTERS = 1000
DEFAULT_STATEMENT_CHARACTERS = 125  # the contest's own limit of a statement
MAX_WHISPER_PASSES = 12  # the contest's own limit of the whispers' passes in a night
MAX_STATEMENT_WORDS = 60  # the limit of a statement if words are counted


def _talk_limit_settings(
    prefix: str, each: str, passes: str, skips: str, max_passes: int
) -> tuple[Setting, ...]:
    """Return the three settings that limit a talk. `prefix` begins their keys."""
    help_skips = _(
        "How often a player may pass and still speak later that day. The next pass ends the "
        "day's talk for that player. Enter -1 for no limit."
    )
    return (
        Setting(
            f"{prefix}_per_agent",
            each,
            _("A pass counts too."),
            default=4,
            min_value=1,
            max_value=20,
        ),
        Setting(
            f"{prefix}_per_day",
            passes,
            _("The maximum number of times that each player is asked to speak."),
            default=max_passes,
            min_value=1,
        ),
        Setting(
            f"{prefix}_max_skip", skips, help_skips, default=0, min_value=NO_LIMIT, max_value=20
        ),
    )


def _length_settings(prefix: str, label: str) -> tuple[Setting, ...]:
    """Return the two settings that limit a statement in characters."""
    before = _(
        "The part before the first @ with a name, not counting spaces. Enter -1 for no limit."
    )
    behind = _(
        "The part after the first @ with a name, not counting spaces. Enter -1 for no limit."
    )
    return tuple(
        Setting(
            f"{prefix}{name}_length",
            label,
            text,
            default=DEFAULT_STATEMENT_CHARACTERS,
            min_value=NO_LIMIT,
            max_value=MAX_STATEMENT_CHARACTERS,
            needs=("count", CHARACTERS),
            is_for_studies=True,
        )
        for name, text in (("base", before), ("mention", behind))
    )


_COUNT = Setting(
    "count",
    _("Length of a statement"),
    _("Counted in words, or in characters as in the contest, where longer statements are cut."),
    default=WORDS,
    choices=((WORDS, _("words")), (CHARACTERS, _("characters"))),
)
_VOTE = (
    Setting(
        "vote_max_count",
        _("Rounds of a vote"),
        _(
            "With 2, a tie is followed by a second vote. After another tie, one of the tied "
            "players is drawn at random."
        ),
        default=1,
        min_value=1,
        max_value=2,
    ),
    Setting("allow_self_vote", _("Players can vote for themselves"), ""),
    Setting(
        "vote_visibility",
        _("Votes are shown the next morning"),
        _("Otherwise no player sees who voted for whom until the game ends."),
        default=True,
    ),
)
_ATTACK = (
    Setting(
        "attack_max_count",
        _("Rounds of the Werewolves' vote"),
        _(
            "With 2, they choose again after a tie. After another tie, one of the tied players is"
            " drawn at random."
        ),
        default=1,
        min_value=1,
        max_value=2,
    ),
    Setting(
        "allow_no_target",
        _("A tie of the Werewolves kills no one"),
        _("Otherwise one of the tied players is drawn at random."),
    ),
)
_COURSE = (
    Setting(
        "max_day",
        _("Maximum number of days"),
        _("The game ends without a winner after the night of that day. Enter -1 for no limit."),
        default=NO_LIMIT,
        min_value=NO_LIMIT,
        max_value=30,
    ),
    Setting(
        "drop_invalid",
        _("Late choices do not count"),
        _("As in the contest. Otherwise a late player's choice is drawn at random."),
        is_for_studies=True,
    ),
    Setting(
        "together",
        _("Everyone speaks at once"),
        _(
            "In each round of talk, all players write at the same time and then read each other's"
            " statements."
        ),
        is_for_studies=True,
    ),
    ASK_ROLE_GUESSES,
    ASK_WHY,
)


def settings_of(passes: int, *, has_whispers: bool) -> tuple[Setting, ...]:
    """Return the settings of a game whose talk has `passes` passes a day by default."""
    talks = _talk_limit_settings(
        "talk", _("Statements of each player per day"), _("Rounds of talk per day"),
        _("Passes in a row"), passes,
    )  # fmt: skip
    lengths = _length_settings("", _("Maximum characters of a statement"))
    if not has_whispers:
        return (*talks, _COUNT, *lengths, *_VOTE, *_COURSE)
    whispered = _talk_limit_settings(
        "whisper", _("Whispers of each Werewolf per night"), _("Rounds of whispers"),
        _("Passes in a row in whispers"), MAX_WHISPER_PASSES,
    )  # fmt: skip
    lengths += _length_settings("whisper_", _("Maximum characters of a whisper"))
    return (*talks, *whispered, _COUNT, *lengths, *_VOTE, *_ATTACK, *_COURSE)


PRESETS = (
    Preset(
        "contest",
        _("The contest’s own rules: characters are counted, and late choices do not count."),
        {"count": CHARACTERS, "allow_self_vote": True, "drop_invalid": True},
        repeats=1,
    ),
)


def limits_of(rules: Mapping[str, Any], prefix: str) -> TalkLimits:
    """Return the limits of talk (`talk`) or of whispers (`whisper`)."""
    return TalkLimits(
        max_answers=rules[f"{prefix}_per_agent"],
        max_passes=rules[f"{prefix}_per_day"],
        max_skips=rules[f"{prefix}_max_skip"],
    )


def statement_form(rules: Mapping[str, Any], to: tuple[int, ...], prefix: str = "") -> Speech:
    """Return the form of a statement that may address one of the seats `to`.

    `prefix` begins the settings' keys: "" for talk, "whisper_" for whispers.
    """
    if rules["count"] == WORDS:
        return speech_with_mentions(MAX_STATEMENT_WORDS, NO_LIMIT, NO_LIMIT, to)
    base, after = rules[f"{prefix}base_length"], rules[f"{prefix}mention_length"]
    return speech_with_mentions(NO_LIMIT, base, after, to)
