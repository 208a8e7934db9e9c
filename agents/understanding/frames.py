"""Frames people put around a statement, taken off.

"is it just me or is @3 odd" says "i think @3 is odd", "you would have to be blind not to see that
@3 lies" says "clearly @3 lies".
"""

from __future__ import annotations

import re

from agents.understanding.lexicon import ROLE

# a seat
_S = r"@\d+"
# What asks nothing though it is put as a question: (pattern, what it says).
_RHETORICAL = (
    # "is it just me or is @3 odd": the verb goes behind the name
    (
        re.compile(
            rf"^(?:(?:so|and|but|wait|ok|guys|yo) )*(?:is it (?:just|only) me,? or|"
            rf"(?:is|are) (?:we|you) (?:all )?(?:just )?(?:going to|gonna) ignore that) "
            rf"(?:is|are|does|do|did|has|was) ({_S})(?=(?: \w+)*? \w+ing\b| \w+)"
        ),
        r"i think \1 is",
    ),
    # "am i the only one who thinks @3 is odd", "anyone else find @3 odd"
    (
        re.compile(
            r"^(?:(?:so|and|but|wait|ok|guys|yo|does|is|did|has|or) )*(?:is it (?:just|"
            r"only) me,? or|(?:am i|i am) the only one (?:here )?(?:who |that )?(?:thinks?|finds?|"
            r"feels?|sees?|thinking|seeing|noticing|suspecting|getting)|any(?:one|"
            r"body) else (?:here )?(?:also )?(?:think|thinks|find|finds|feel|feels|see|sees|notice|"
            r"noticed|noticing|thinking|getting|suspect|suspecting|bothered by|"
            r"worried about))(?: that| how)?(?= )"
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
    # "anyone can see that", "you would have to be blind not to see that"
    (
        re.compile(
            r"\b(?:one|you|a person|anyone|u)? ?(?:would )?(?:has|have|must|need|needs|"
            r"had)(?: to)? be (?:\w+ )?(?:blind|stupid|dumb|a fool|mad|crazy|"
            r"asleep) (?:not )?to (?:see|notice|get|think|miss)(?: that)? "
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
    # "you're not fooling anyone", "@3 does not fool me"
    (re.compile(r"\bnot (?:\w+ )?fool(?:ing)? (?:me|us|any\w+|this|a soul)\b"), "is lying"),
    # "on/at/be you, @3": one and the same
    (
        re.compile(
            rf"\b(be|is|on|at|for|about|of|by|with|from|trust|suspect|vote|voting|believe|accuse|"
            rf"mean) you,? ({_S})(?=$|,| and| is)"
        ),
        r"\1 \2",
    ),
    # "either @3 is the wolf or i am a teapot"
    (
        re.compile(
            r"\beither (.*?),? or (?:i am (?!(?:looker|mate|keeper|plain)\d+|not|the|mistaken|"
            r"wrong|one)|"
            r"my name is not|i will eat|i have never|pigs).*"
        ),
        r"\1",
    ),
    # "it can't be anyone but @3", "look no further than @3", "the math says @3"
    (
        re.compile(
            r"\b(?:it |this |wolf )?(?:can|could) (?:not|only) be any(?:one|body) (?:else )?(?:but|"
            r"other than|except|than)\b|\blook no further than\b|\b(?:the |all |simple )*(?:maths?|"
            r"logic|evidence|facts|numbers|signs|roads|arithmetic|process of elimination) (?:all "
            r")?(?:says?|points? (?:to|at)|leads? to|screams?|tells? me)(?: it is)?\b"
        ),
        "it is",
    ),
    # "i have a hard time believing @3"
    (
        re.compile(
            r"\b(?:(?:having |have |had |got )?(?:a )?(?:hard|tough|difficult) time|(?:having |"
            r"have )?(?:trouble|difficulty|difficulties)|struggl\w+ to|(?:find it |it is )?(?:hard|"
            r"difficult) to) (?:in )?(believ\w+|buy\w*|swallow\w*|accept\w*|trust\w*)"
        ),
        r"not \1",
    ),
    # "if @3 is the looker then i am the queen": i am no such thing, nor is @3
    (
        re.compile(
            rf"\bif ({_S}|you|he|she) (?:is|are) (?:really |truly )?(?:the |a |"
            rf"our )?({ROLE}),? ?(?:then )?i am (?:a |an |the )?(?!{ROLE}|not|sure|happy|wrong|in|"
            rf"fine|done|glad|sorry|ready|out|with|voting|very|so|ok)\w+"
            r"(?: of \w+)?"
        ),
        r"\1 is not the \2",
    ),
    (
        re.compile(
            rf"({_S}|you|he|she) (?:is|are) (?:the |a |our )?({ROLE}),? and i am (?:the |"
            rf"a )?(?:queen|king|pope|"
            r"santa(?: claus)?|beyonc\S+|batman|superman|napoleon|easter bunny|tooth fairy|"
            r"president|astronaut|ballerina|elvis|teapot)(?: of \w+)?"
        ),
        r"\1 is not the \2",
    ),
    # "as much a looker as my cat"
    (re.compile(rf"\b(?:is|are) (?:about )?as much (?:of )?an? ({ROLE}) as .*"), r"is not the \1"),
    # "why is everyone on @3's case"
    (
        re.compile(
            rf"\b(?:why|how come) (?:is|are|does|do) (?:everyone|everybody|you all|you guys|people|"
            rf"we|we all|you|they|y all) (?:all |so |suddenly |always )?(?:on|after|attack\w*|"
            rf"pick\w* on|going after|go after|coming for|hard on|pushing|push|blam\w+|against|"
            rf"pil\w+ on|jump\w* on|gang\w* up on|hat\w+ on|obsessed with|at) ({_S})(?:_s (?:case|"
            rf"back|neck|throat))?\b"
        ),
        r"leave \1 alone",
    ),
    # "don't be fooled by @3", "do not fall for @3"
    (
        re.compile(
            rf"\bnot (?:be |get )?(?:fooled|taken in|deceived|tricked|charmed|led astray|"
            rf"conned) by ({_S})(?:_s(?: \w+)?)?"
        ),
        r"\1 is lying",
    ),
    # "@3 who calls himself a mate is lying": the clause between
    (
        re.compile(
            rf"({_S}),? who (?!do |does |did |you |would |should |can )(?:\w+ ){{1,9}}?(?:too |"
            rf"here )?(?=(?:is|are|must|has to|just)(?: \w+){{0,3}}? "
            r"(?:wolf|liar|lying|fake|fraud|bluffing|guilty)\b)"
        ),
        r"\1 ",
    ),
)


def unframed(text: str) -> tuple[str, bool]:
    """Return `text` without its frames, and whether one of them asked only in form."""
    rhetorical = False
    for pattern, plainer in _RHETORICAL:
        text, count = pattern.subn(plainer, text)
        rhetorical = rhetorical or count > 0
    for pattern, plainer in _FRAMES:
        text = pattern.sub(plainer, text)
    return text, rhetorical
