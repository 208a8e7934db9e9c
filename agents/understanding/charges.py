"""Reasons that are given against a player, by the words they are given in."""

from __future__ import annotations

import re
from functools import lru_cache

# What may be held against one.
CHARGES = (
    "silent",  # says little
    "changed",  # told two stories
    "echo",  # says what others say
    "early",  # pressed `of` too soon
    "flip",  # turned from one to another
    "pressed",  # pressed `of`
    "defended",  # spoke up for `of`
    "evaded",  # gave no answer
    "late",  # came out late with its role
    "noside",  # named nobody
    "tone",  # how it talks
    "cheap",  # its claim could be anybody's
)


QUIET = re.compile(
    r"\b(?:quiet|silent|silence|(?:said|say|says|saying|spoken|speak|heard)(?: \w+)? "
    r"(?:nothing|so "
    r"little|very little|little|not much|no word)|not (?:said|spoken|heard) (?:a|one|much|"
    r"anything)"
    r"|(?:hardly|barely|scarcely|never) (?:\w+ )?(?:sa(?:id|ys?)|speaks?|spoken|opened?|"
    r"talks?)|not a "
    r"(?:single )?(?:word|peep)|no word|mute|hid(?:e|es|ing) in silence|nothing to say|say "
    r"something|speak up(?!, and)|let us hear|wak(?:e|ing) up|asleep|cat got your|hold(?:s|"
    r"ing)? back)\b"
)
# Reasons against somebody, in the order they are looked for.
_CHARGES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (about, re.compile(rf"\b(?:{pattern})\b"))
    for about, pattern in (
        (
            "changed",
            r"(?:first|earlier|before|yesterday|started as|was) (?:it was |\w+ )?(?:a |an |the |"
            r"just a "
            r")?{role}\b.*\b(?:then|now|suddenly|later|after)\b.*\b{role}|chang\w+ (?:your|"
            r"his|her|"
            r"their|its|the) (?:story|role|claim|tune|mind|card|version)|(?:two|different|second|"
            r"another|new) (?:stories|story|roles|claims|versions?)|contradict\w*|(?:took|"
            r"take[sn]?|"
            r"taking) (?:it|that|(?:your|the) \w+) back|from {role} to {role}|{role} and then "
            r"(?:a |the )?{role}|(?:keeps?|kept) changing",
        ),
        ("silent", QUIET.pattern[5:-3]),
        (
            "echo",
            r"agree[sd]? with (?:every\w+|all|us all|the others|whoever)|echo\w*|repeat\w*|"
            r"copy\w*|"
            r"copies|copied|parrot\w*|(?:no|not one|never an?|without an?) (?:own )?(?:thoughts?|"
            r"ideas?|opinions?|views?)(?: of (?:your|its|his|her|their) own)?|of (?:your|its|his|"
            r"her|their) own|tag\w* along|bandwagon|chim\w+ in|"
            r"wait\w* for @\d+ to|f[ae]ll\w* in line|joined the chorus|borrow\w*|second-hand"
            r"|nod\w* along|follow\w* (?:the crowd|the others|"
            r"every\w+|others|@\d+)|jump\w* on the|joins? in|goes? along|going along|went along",
        ),
        (
            "early",
            r"before (?:any\w+|there was|we had|a word|the)|(?:too|so|that|very) (?:early|soon|"
            r"fast|quick|quickly)|first (?:round|minute|breath)|without (?:any |a )?(?:evidence|"
            r"proof|facts?|reason|grounds)|(?:out of|from) nowhere|out of thin air",
        ),
        (
            "flip",
            r"(?:first|from|before it was) @\d+,? (?:then|now|to|and (?:then|now)) @\d+|(?:switch|"
            r"jump|hop)\w* (?:from|targets?|sides?|to)|chang\w+ (?:\w+ )?(?:targets?|sides?|"
            r"suspects?)|drop\w* @\d+ for @\d+|every round (?:another|a new)",
        ),
        (
            "defended",
            r"(?:defend|shield|protect|cover|spare|vouch|excus)\w*|(?:stick|stuck|speak|spoke|"
            r"stand|"
            r"stood) (?:up )?(?:for|by)|(?:too )?(?:nice|kind|friendly) to|side[sd]? with|in "
            r"league|best friend",
        ),
        (
            "evaded",
            r"(?:dodg|evad|avoid|duck|deflect)\w*|(?:never|not|no|without an?|still no|owes? us "
            r"an?)"
            r" (?:(?:even|really|given?|gave|get|got) )*(?:an? |straight |me )*answer\w*|(?:refus|"
            r"ignor)\w*|chang\w+ the subject|(?:hid|hiding|hides?) (?:your|his|her|its|their|a) "
            r"(?:role|card)|(?:no|not (?:told|given|named|claimed)(?: us)?(?: an?| your)?) "
            r"(?:role|claim|card)|not claimed",
        ),
        (
            "late",
            r"(?:so|too|that|very|only|rather|awfully) late|(?:wait|hesitat)\w*(?! for)|only "
            r"(?:now|after|"
            r"when)|held back|last minute|why now|why not (?:earlier|sooner|before|in the first)|"
            r"(?:not|never) (?:say|said|claim|claimed|told) (?:\w+ )?(?:so|it|that|us)? "
            r"?(?:earlier|"
            r"sooner|before|in (?:the first|round))|not you (?:say|claim|tell us) (?:so|it|that)",
        ),
        (
            "noside",
            r"(?:name[ds]?|accuse[ds]?|suspect\w*|press\w*|point\w*(?: at)?) (?:nobody|no one|"
            r"no-one|"
            r"none)|(?:no|not one|without an?|not a) (?:name|side|suspect)|(?:on|sit\w* on) the "
            r"fence|(?:not|never|no) (?:\w+ )?(?:commit\w*|taken? (?:a )?side|nam\w+ any\w*)|"
            r"neutral|vague",
        ),
        (
            "pressed",
            r"(?:press|accus|attack|push|target|point|suspect|chas|hunt|blam|frame|framing|harass)"
            r"\w*(?: (?:at|on|to))? @\d+|(?:went|go|goes|going|are|is|was|been) (?:\w+ )?(?:after|"
            r"for|"
            r"against|at) @\d+|(?:want|wants|wanted) @\d+ (?:out|gone|dead)|vot\w+ (?:for|against|"
            r"out) @\d+",
        ),
        (
            "cheap",
            r"any(?:one|body) (?:can|could|may) (?:say|claim|be)|(?:too|so) many {role}|three "
            r"{role}s?|(?:nobody|no one|cannot|can not|not) (?:can )?(?:be )?(?:check|prove|verif|"
            r"confirm)\w*|no proof|(?:easy|safe|cheap|convenient|handy) (?:claim|story|role|"
            r"answer|"
            r"thing)|second (?:one )?to claim|only after @\d+|hid\w* behind",
        ),
        (
            "tone",
            r"nervous\w*|defensive\w*|aggressive\w*|smooth|loud\w*|nasty|rude|angry|jumpy|"
            r"sweat\w*|"
            r"too (?:calm|nice|clever|friendly|eager|keen|helpful|careful|sure)|tone|dramatic|"
            r"joking|jokes?|distract\w*|noise|talks? (?:too|so) much|many words|stutter\w*|"
            r"overact\w*|rehears\w*|the way you (?:talk|speak|argue)|sound\w* (?:odd|off|fake|"
            r"false)",
        ),
    )
)


@lru_cache(maxsize=8)
def patterns(words: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """(charge, what it is known by), in the order they are looked for. words: the roles'."""
    role = rf"(?:{'|'.join(map(re.escape, words)) or 'role'})"
    return tuple((a, re.compile(p.pattern.replace("{role}", role))) for a, p in _CHARGES)
