"""Every kind of move that tells of roles or looks, in plain words for any game.

Slots: {role} "Seer", {one} "the Seer" or "a Mason", {many} "Masons", of the role that the move is
about; {wolf} "the Werewolf" or "a Werewolf"; of a look {seen} "Beta and Zeta" and {answer} "neither
of them is the Werewolf" (`agents.house.slots`). A game's pack may have richer ones.
"""

from __future__ import annotations

PLAIN: dict[str, tuple[str, ...]] = {
    # what one says of itself
    "claim_plain": ("<hm>I'm {one}.", "[So that you know|For the record], I'm {one}."),
    "claim_looker": ("I'm {one}, [and I have no result yet|but I've nothing to report yet].",),
    "claim_mate": ("I'm {one}, and {x} is my partner.",),
    "claim_mate_alone": ("I'm {one}. The other name [can wait|stays with me for now].",),
    "confirm_mate": ("[Yes|That's right]: I'm {one}, and {x} is my partner.",),
    "vouch_mate": ("[Wait|Not so fast], {y}: I'm {one}, and {x} is my partner.",),
    "spare_fellow": ("{y}, [once more|I said it before]: I'm {one}, and {x} is my partner.",),
    "report_found": ("<look>",),
    "report_clean": ("<look>",),
    "counter_report_found": ("{x} is not {one}. <look>",),
    "counter_report_clean": ("{x} is not {one}. <look>",),
    "turn_found": ("I take back what I claimed. <look>",),
    "turn_clean": ("I take back what I claimed. <look>",),
    "repeat_found": ("[I stand by it|Nothing has changed]: I looked at {seen}, and {answer}.",),
    "repeat_clean": ("[I stand by it|Nothing has changed]: I looked at {seen}, and {answer}.",),
    "rival_found": ("{x} is not {one}. I looked at {seen}, and {answer}.",),
    "rival_clean": ("{x} is not {one}, [and I should know|whatever you hear].",),
    # answers
    "rebut_mate": ("{x}, {y} has spoken for me and I for {y}.",),
    "rebut_looker": ("{x}, [get rid of me|vote me out], and you lose the one who looks at night.",),
    "rebut_report_me": ("I'm not {wolf}, {x}[, and I can't say more|, whatever you saw|].",),
    "rebut_report_other": ("I'm not {wolf}, so [it must be|it has to be] {y}, going by {x}.",),
    "rebut_report_open": ("{x} names me and {y}. I'm not {wolf}, [that I know|be sure of it].",),
    "rebut_report_lie": ("{x} names me and {y}, and I know better: {x} is not {one}.",),
    "owed_denial": (
        "No, {x}, I'm not {one}[, whatever you've heard|].",
        "{x}, no: I'm not {one}[. You asked plainly, so I answer plainly|, plain and simple|].",
        "You ask me straight, {x}, and I answer straight: I'm not {one}.",
        "~blunt No, {x}. I'm not {one}.",
        "~warm [A fair|A plain] question, {x}, and an easy one: I'm not {one}.",
    ),
    "owed_plan_speak": (
        "[You ask me, {x}, and this is my view|My view, {x}, since you ask]. {one} should speak up "
        "now. [What we know early can be tested|Late news is hard to trust].",
        "[Sooner is better|Better early than late], {x}. {one} should speak up now, so that we "
        "can test the story.",
    ),
    "owed_plan_wait": (
        "[You ask me, {x}, and this is my view|My view, {x}, since you ask]. {one} should wait a "
        "little. [The liars would only fit their stories to it|There's time, and liars talk].",
        "[There's no hurry yet|No need to rush], {x}. {one} should wait a little, because "
        "there is more to hear first.",
    ),
    "partner_again": ("{x}, [as I said|once more]: I'm {one}, and {y} is my partner.",),
    "deny_partner": ("[Sorry|No], {x}, I'm not {one}.",),
    "thanks_clean": ("{x}, what you saw of me is [right|the truth].",),
    "with_looker_speak": ("I agree with {x}: [the sooner we hear it, the better|better now].",),
    "with_looker_wait": ("I agree with {x}: [there's no hurry yet|let the liars talk first].",),
    "against_looker_speak": ("I disagree with {x}: nobody should be [rushed|pushed] like that.",),
    "against_looker_wait": ("I disagree with {x}: waiting [helps the liars|costs us time].",),
    "with_mate_speak": ("I agree with {x}: a known pair helps us all.",),
    "with_mate_wait": ("I agree with {x}: a hidden pair is a trap for liars.",),
    "against_mate_speak": ("I disagree with {x}: a hidden pair can catch a liar.",),
    "against_mate_wait": ("I disagree with {x}: what helps us is a known pair.",),
    # what the talk adds up to
    "two_lookers": ("{x} and {y} both claim to be {one}, and [only one can be|one of them lies].",),
    "three_lookers": ("{x}, {y} and {z} all claim to be {one}, [which|and that] can't be.",),
    "lookers_lean_first": ("Between {x} and {y}, <trust x>, who came first.",),
    "lookers_lean_second": ("{y} came first, yet <trust x>.",),
    "looker_disproved": ("{y} is not {one}, [which speaks for {x}|I can rule that out].",),
    "looker_impossible": ("{x} is not {one}. That [can't be|doesn't fit what I know].",),
    "lookers_overlap": (
        "{x} and {y} contradict each other, and yet {t} comes up in both stories.",
    ),
    "looker_unopposed": ("Nobody else claims what {x} claims, [and that counts|which I note].",),
    "looker_no_report": ("{x} claims to look at night and keeps the result back.",),
    "looker_doubted": ("I wouldn't build on {x}'s look at {seen} [yet|so far].",),
    "report_splits": ("If {x} tells the truth, it's one of {seen}.",),
    "report_finds": ("If {x} tells the truth, there's [no more to say|not much left to ask].",),
    "report_clears": ("If {x} tells the truth, {seen} can [be left in peace|rest easy].",),
    "mates_known": ("{x} and {y} vouch for each other, [and that pair I believe|and I see why].",),
    "many_mates": ("More of you claim {role} than there are: {x}, {y} and {z} do.",),
    "expose_mate": ("{x} is not {one}, and I should know.",),
    "companion_denied": ("{x} named {y} as a partner, and {y} tells another story.",),
    "companion_open": ("{y}, {x} has named you as a partner: is that [so|true]?",),
    "companion_silent": ("{x} named {y} as a partner, and {y} has let it pass without a word.",),
    "plains_with_me": ("{x} and {y} claim what I am, and more of us do than there are.",),
    "many_plains": ("More of you claim {role} than there are: {x}, {y} and {z} do.",),
    "bait_warn": ("Careful, {t} might be {one}, who wants to be voted out.",),
    "spare": ("{x}, I don't see it: <trust y>.", "I can't follow you there, {x}: <trust y>."),
    "spare_mate": ("{x}, {y} and {z} vouch for each other. <trust y>.",),
    "no_looker_yet": ("{one} should speak up [now|soon], [please|whoever it is].",),
    "looker_speak": ("I'd say {one} should [speak up|come forward] now.",),
    "looker_wait": ("I'd say {one} should wait a little.",),
    "mates_speak": ("The {many} should [speak up|come forward] soon.",),
    # suspicions
    "own_find": ("I looked at {seen}: {answer}. <suspect>.",),
    "own_look": ("Of those I looked at, I suspect {t} more than {y}.",),
    "own_look_sure": ("It can't be {y}. So {t} is {wolf}.",),
    "doubt_found": ("I believe {x}'s look<so> <suspect>.", "<suspect>, going by {x}'s look."),
    "doubt_reported": ("Going by {x}, it's one of two, and <suspect>.",),
    "doubt_other_cleared": ("{x} named a pair, {y} drops out of it<so> <suspect>.",),
    "doubt_my_rival": ("<suspect>, who claims [my role|what I am].",),
    "doubt_second_looker": ("{t} claimed {role} only after {x} had<so> <suspect>.",),
    "doubt_first_looker": ("{x} sounds truer to me<so> <suspect>.",),
    "doubt_lone_looker": ("Nobody can test that look<so> <suspect>.",),
    "doubt_third_mate": ("{x} and {y} make a pair, {t} has nobody<so> <suspect>.",),
    "doubt_false_mate": ("{t} is no partner of ours<so> <suspect>.",),
    "doubt_mate_alone": ("{t} names no partner<so> <suspect>.",),
    "doubt_plain_room": ("More of us claim {role} than there are, {x} too, and <suspect>.",),
    "doubt_plain_crowd": ("More of you claim {role} than there are, {x} and {y} too; <suspect>.",),
    "doubt_plain": ("Anybody can say {role}<so> <suspect>.",),
    "doubt_pusher": ("{x} looks decent to me, so I ask what {t} is after. <sus>.",),
    "turn_mate": ("I was wrong about {x}; {y}'s word settles that.",),
    # questions, first and last words
    "ask_partner": ("{t}, who is your partner?",),
    "ask_suspect": ("{t}, [whom do you suspect|whom do you trust least|who worries you most]?",),
    "ask_reason": ("{t}, why {x}[, of all people|, and why now|]?",),
    "open_first": ("[Good morning|Hello], everyone.", "Somebody has to begin, so here I go."),
    "close_late": ("Think before you vote.", "Let's not [scatter|waste|split] our votes."),
}
