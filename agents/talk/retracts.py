"""Whether a clause takes back what its speaker claimed."""

from __future__ import annotations

import re

# an earlier claim is taken back, or owned to be a lie
_RETRACT = re.compile(
    r"\b(?:take|taking|took|taken|takes) (?:(?:it|that|this|what|my|all|everything|"
    r"the)\b.{0,30})?back\b|"
    r"\b(?:scrap|forget|ignore|disregard|strike|scratch|delete|undo|cancel|drop) (?:what "
    r"(?:i|my)|my (?:\w+ )?(?:claim|seer|mason|villager|story|result|words?|report|"
    r"statement)|the (?:claim|seer|mason|villager|result)|that(?= i| claim| seer| mason)|"
    r"everything i|all i|anything i)\b|\b(?:retract|retracting|withdraw|withdrawing|"
    r"recant|recanting|unclaim|walk back|unclaiming|changing my story|rescind)\b|\bjk "
    r"about\b|\bmistaken to say\b|\bthat was a test\b|\bpulling back my\b|\bsaid \w+ "
    r"(?:because|cause|bc|cos) i (?:panicked|was)\b|\b\w+ business was\b|\bwas (?:just |"
    r"only )?(?:trolling|bluffing|kidding|joking)\b|\bthe (?:seer|mason|villager|tanner|"
    r"minion) (?:claim|thing|story) was (?!made by)|\bmade up the (?:part|bit|story|"
    r"thing)|\bwhat i (?:said|claimed|told)[^,]* (?:was|is) not\b|\bnot stand by\b|^i "
    r"lied about|\b(?:seer|mason|villager|tanner|minion) was a lie\b|"
    r"\bcorrect (?:myself|what i|my)\b|"
    r"\bi (?:\w+ )?(?:lied|(?:was|am|been) (?:just |only )?(?:lying|bluffing|pretending|"
    r"faking|trolling|kidding|joking|pulling (?:your|everyone|you)|fooling|testing|"
    r"messing|playing you)|bluffed|pretended|"
    r"faked|invented it|made it up|made that up|fibbed|misled|told (?:you )?(?:an? "
    r")?(?:untruth|lie|fib)|fooled|deceived|misspoke|messed with|should not have (?:said|"
    r"claimed))\b|"
    r"\b(?:made a (?:bad )?joke|bad joke|a joke before)\b|\b(?:(?:it|that|this|which|all|"
    r"i (?:said|told|claimed)[^,]*|my (?:\w+ ){0,4}?\w+) (?:was|were)|my (?:\w+ "
    r"){0,4}?\w+ is|i (?:said|told|claimed)[^,]* is|^was) (?:all |just |only |purely |"
    r"merely )?(?:an? |my )?(?:\w+ )?"
    r"(?:bluff|lie|lies|fake|false|fib|untrue|bs|bull|bullshit|made up|invented|joke|"
    r"nonsense|trap|bait|gambit|cover|smokescreen|front|not true|untruth|mistake from me|"
    r"mistake|fakeclaim|ruse|decoy|reaction test|trick)\b|"
    r"\bi only (?:pretended|claimed|said)\b|\bi (?:called|named|passed|posed) myself\b|"
    r"\bnot (?:\w+ ){0,3}?(?:as|like) i (?:said|told|claimed)|"
    r"\bi (?:did not tell|have not told|was not telling|did not say) (?:\w+ )?the "
    r"truth\b|\b(?:was not|have not been|been less than) honest\b|"
    r"\bi am (?:no|not (?:a|the|really a)) \w+ after all\b|^never was$|^never was (?:a |"
    r"the )?(?:seer|mason|villager)|\bi (?:was never|never was) (?:really )?(?:a |the "
    r")?(?:seer|mason|villager)\b|\btrolling about\b|\bi ought not to have\b|"
    r"^lied about|\bmis-?(?:click|clicked|typed|spoke)\b|\bclicked wrong\b|\bwrong (?:button|"
    r"window)\b|"
    r"\bi panicked\b|\b(?:whatever|despite what|contrary to what|other than what|unlike what) i "
    r"(?:said|claimed|told)|\bno more (?:seer|mason|villager|minion|tanner) for me\b|"
    r"\bthat i (?:am|was) (?:a |the )?\w+ was\b"
)
# the speaker's own
_MINE = re.compile(r"(?<![\w@'])(?:i|my|me|mine|we|our)(?![\w'])")
# "the seer claim was a bluff": nobody else's
_ROLE_WAS = re.compile(
    r"^(?:that |the |this )?(?:seer|mason|villager|tanner|minion)(?: (?:claim|thing|story))? was\b|"
    r"^lied about|^(?:scrap|forget|ignore|cancel|strike) that\b"
)
# "forget it", a retraction where a claim was spoken of
_FORGET_IT = re.compile(
    r"\b(?:scratch|scrap|forget|ignore|disregard|strike|drop) (?:it|that)(?: out)?$"
)
# the statement speaks of an earlier claim
_CLAIM_MADE = re.compile(
    r"\bi (?:said|claimed|told|lied)|\bmy (?:\w+ )?claim|\bi am not\b.*\bclaim|\bi "
    r"was not\b|^(?:scratch|scrap|forget|strike) that\b.*\bi am not\b|\bwas (?:just |"
    r"only )?testing\b"
)
# another's claim, a suspicion or a vote is taken back
_NOT_THE_CLAIM = re.compile(
    r"\b(?:about|against|on|of|to|from|for) @|@[\d+]+_s|@[\d+]+ (?:is|was|lied|made)|"
    r"\bsuspicion|\baccusation|\bvote\b|\bback nothing"
)
# "don't forget", "show me": nothing is taken back
_NOT_TAKEN = re.compile(r"\bnot (?:\w+ )?(?:forget|ignore)|\b(?:your|name one|show me|tell me)\b")
# somebody else should take something back
_OTHERS_TAKE = re.compile(
    r"(?:\b(?:should|would|could|someone|somebody|who|you|can|not)|@[\d+]+) (?:going to |\w+ "
    r")?(?:take|taking|took|retract|withdraw)"
)


def takes_back(text: str, everything: str) -> bool:
    """Whether a clause takes back what its speaker claimed; everything: the statement."""
    match = _RETRACT.search(text) or (
        _FORGET_IT.search(text) if _CLAIM_MADE.search(everything) else None
    )
    if not match or _NOT_THE_CLAIM.search(text) or _NOT_TAKEN.search(text):
        return False
    return bool(_MINE.search(everything) or _ROLE_WAS.search(text)) and not _OTHERS_TAKE.search(
        text
    )
