"""Frames people put around a statement, taken off: "is it just me or is @3 odd" says "i think
@3 is odd", "you would have to be blind not to see that @3 lies" says "clearly @3 lies"."""

from __future__ import annotations

import re

# a seat
_S = r"@\d+"
# What asks nothing though it is put as a question: (pattern, what it says).
_RHETORICAL = (
    # "is it just me or is @3 odd", "am i the only one who thinks @3 is odd"
    (
        re.compile(
            rf"^(?:(?:so|and|but|wait|ok|guys|yo) )*(?:is it (?:just|only) me,? or|"
            rf"(?:is|are) (?:we|you) (?:all )?(?:just )?(?:going to|gonna) ignore that) "
            rf"(?:is|are|does|do|did|has|was) ({_S})(?=(?: \w+)*? \w+ing\b| \w+)"
        ),
        r"i think \1 is",
    ),
    (
        re.compile(
            r"^(?:(?:so|and|but|wait|ok|guys|yo|does|is|did|has|or) )*(?:is it (?:just|"
            r"only) me,? or|"
            r"(?:am i|i am) the only one (?:here )?(?:who |that )?(?:thinks?|finds?|feels?|sees?|"
            r"thinking|seeing|noticing|suspecting|getting)|any(?:one|"
            r"body) else (?:here )?(?:also )?"
            r"(?:think|thinks|find|finds|feel|feels|see|sees|notice|noticed|noticing|thinking|"
            r"getting|suspect|suspecting|bothered by|worried about))(?: that| how)?(?= )"
        ),
        "i think",
    ),
)
# Other frames: (pattern, what it says), applied in this order.
_FRAMES = (
    # "why are you lying", "why did @3 lie to us": asked, and said
    (
        re.compile(
            rf"^((?:[@\w]+,? ){{0,3}}?)(?:why|how come) (?:are|is|did|do) (you|{_S}|he|she) "
            r"(?:just |still |all |even )*(?:lying|lie|faking|inventing)\b[^,]*"
        ),
        r"\1\2 is lying, why",
    ),
    # "you, @3, are"
    (
        re.compile(rf"\byou,? (?:dear |my friend |old )?({_S}),? (?=are|were|is|have|lie|lied)"),
        r"\1 ",
    ),
    # "@3, my friend, you are"
    (re.compile(r"\byou, my (?:dear |good )?(?:friend|man|lady|girl|boy),? (?=are|is)"), "you "),
    # "anyone can see that", "you would have to be blind not to see that"
    (
        re.compile(
            r"\b(?:one|you|a person|anyone|u)? ?(?:would )?(?:has|have|must|need|needs|"
            r"had)(?: to)? be "
            r"(?:\w+ )?(?:blind|stupid|dumb|a fool|mad|crazy|asleep) (?:not )?to (?:see|notice|"
            r"get|think|miss)"
            r"(?: that)? "
        ),
        "clearly ",
    ),
    # "well if it isn't the wolf himself: @3"
    (
        re.compile(
            r"^(?:well )*,? ?if it (?:is|am) not (?:the|our|mr|miss) (wolf|liar)\b(?: \w+self)?"
        ),
        r"there is the \1",
    ),
    # "don't let @3 fool you"
    (
        re.compile(
            rf"\b(?:not|never) let ({_S}) (?:fool|trick|deceive|charm|sway|distract) (?:you|us|"
            rf"anyone)"
        ),
        r"\1 is lying",
    ),
    # "don't be fooled by @3", "do not fall for @3"
    (
        re.compile(
            rf"\bnot (?:be |get )?(?:fooled|taken in|deceived|tricked|charmed|led astray|"
            rf"conned) by ({_S})(?:_s(?: \w+)?)?"
        ),
        r"\1 is lying",
    ),
    # "@3 who calls himself a mason is lying": the clause between
    (
        re.compile(
            rf"({_S}),? who (?!do |does |did |you |would |should |can )(?:\w+ ){{1,9}}?(?:too |"
            rf"here )?(?=(?:is|are|must|has to|just)(?: \w+){{0,3}}? "
            r"(?:wolf|liar|lying|fake|fraud|bluffing|guilty)\b)"
        ),
        r"\1 ",
    ),
    # "i know a wolf when i see one"
    (
        re.compile(
            r"\bi (?:can )?(?:know|spot|recogni[sz]e|smell|tell) (?:a |an |my )?(?:wolf|liar|fib|"
            r"lie|"
            r"bluff)s? (?:when|if) i (?:see|hear|smell|meet) (?:one|it|them),? ?(?:and |so )?"
        ),
        "clearly, ",
    ),
    # "caught in 4k"
    (
        re.compile(
            r"\b(?:caught|got|have) (?:him |her |them |you )?(?:in 4k|lackin\w*|slippin\w*)\b|"
            r"\bin 4k\b"
        ),
        "caught",
    ),
)


def unframed(text: str) -> tuple[str, bool]:
    """`text` without its frames, and whether one of them asked only in form."""
    rhetorical = False
    for pattern, plainer in _RHETORICAL:
        text, count = pattern.subn(plainer, text)
        rhetorical = rhetorical or count > 0
    for pattern, plainer in _FRAMES:
        text = pattern.sub(plainer, text)
    return text, rhetorical
