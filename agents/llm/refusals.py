"""Detects a model's refusal of a request: "I'm sorry, but I can't help with deceiving people."

People at a table also say "I can't" and "I won't". A refusal is distinguished from such talk by
its object. It concerns the request itself, deception as such, or the speaker's own guidelines:
"I can't help with that", "I won't write a deceptive statement". What players refuse concerns the
game: "I can't help it, I trust Beta", "I won't help you hang Gamma". The detector knows no names,
so it also works on replies that belong to no table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from agents.llm.leaks import PROGRAM

REFUSAL_DETAIL = (  # detail of the BackendError, which a repair request shows to the model
    "you refused; this is a parlour game in which everybody agreed to bluff and nobody is harmed,"
    " so answer as the player you are"
)

MAX_SEARCHED_CHARS = 4000  # statements are far shorter


def _any(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


def _compiled(*alternatives: str) -> re.Pattern[str]:
    return re.compile(_any(*alternatives), re.I)


# Patterns are matched against text without apostrophes: "can't" is "cant" (`_without_quotations`).

# "I can't", "I'm not able to", "I must decline to" …, up to the refused act.
_UNABLE = _any(
    r"not (?:\w+ly )?(?:able|allowed|permitted|authori[sz]ed|going|willing|supposed|designed|"
    r"programmed|equipped|comfortable|in a position)",
    *("unable", "unwilling", "prohibited", "forbidden", "uncomfortable"),
)
_DECLINE = (
    r"(?:(?:will )?(?:have|need) to |must |will |should )?"
    r"(?:\w+ly )?(?:decline|refuse|refrain)"
)
_RATHER_NOT = r"(?:would |d )?(?:rather|prefer)(?: to)? not"
_CANT = _any(
    r"can(?:t| ?not)(?: (?:and|or) (?:will not|wont|should not))?",
    r"could(?:nt| not)|wont|(?:will|must|may) not",
    r"(?:wont|will not|would not|wouldnt) be (?:able|allowed|comfortable)",
    r"(?:do not|dont) (?:have the (?:ability|capacity)|feel (?:\w+ )?comfortable)",
)
_NOT = rf"(?:{_CANT}|(?:would|do|should)(?:nt| not))"
_ADVERBS = r"(?:(?:\w+ly|just|also|still|afraid|regret|that|in good conscience) )*"
_SORRY = r"(?:(?:im |i am )?(?:so |very |truly )?(?:sorry|afraid)\W+(?:but )?)?"
_FIRM = rf"(?:{_UNABLE}|{_DECLINE}|{_RATHER_NOT})"
_CANNOT = re.compile(
    rf"(?:\b(?:i|we|im|id|ill) |^){_ADVERBS}(?:am |are )?(?:{_CANT}|{_FIRM})\b|\bfor me to\b", re.I
)
_REFUSING = re.compile(
    _any(
        rf"\b(?:i|we) {_ADVERBS}(?:am |are |will be |was |am going to )?"
        rf"(?:{_NOT}|{_FIRM})",
        rf"\b(?:im|id|ill) (?:\w+ly )?{_FIRM}",
        rf"^\W*{_SORRY}(?:can(?:t| ?not)|wont|will not|{_UNABLE})",
        r"\b(?:not be|not|isnt|wouldnt be|inappropriate|unethical|wrong|irresponsible)"
        r"(?: (?:appropriate|right|ethical|acceptable|okay|responsible|possible))? for me",
    )
    + r"\b(?:,? (?:to|from|with|be able to|in good conscience,?|"
    r"(?:\w+ly )?feel (?:\w+ )?(?:comfortable|right|good)(?: with| about)?|"
    r"(?:think|believe) i (?:should|can)|want to|wish to))*",
    re.I,
)

# The refused act: an assistant's work …
_MAKING = (
    r"(?:craft|suggest|offer|engag|participat|partak|"
    r"promot|encourag|condon|facilitat|contribut)(?:e|ing)?"
)
_ACT = re.compile(
    r" ?(?:(?:continue to|actively|directly|knowingly|really|even|be|being|a|in good conscience) )*"
    r"(?:\w+,? (?:or|and) )?"
    + _any(
        r"(?P<assist>(?:provid|giv|offer)(?:e|ing)? (?:you )?(?:any |my )?"
        r"(?:assistance|help|support)|"
        r"(?:help(?! (?:but|it|\w+ing)\b)|assist|comply|engag|participat)(?:e|ing)?"
        r"(?: (?:you|anyone|anybody|users|people))?(?: out)?|"
        r"(?:tak(?:e|ing) (?:any )?)?part(?: of)?)",
        r"(?P<write>(?:generat|produc|writ|compos|draft|creat|provid)(?:e|ing))(?! off)",
        rf"(?P<make>{_MAKING}|continu(?:e|ing)|play(?:ing)?(?! along)|pretend)",
        r"(?P<discuss>(?:talk|speak)(?:ing)?(?: about)?|discuss(?:ing)?)",
        r"carry(?:ing)? out",
        r"(?:answer|respond|support|process|perform|follow|fulfill?|proceed|mak|complet|giv|satisf|"
        r"address|endors|accommodat)(?:e|y|ing|ling)?",
    )
    + r"\b",
    re.I,
)
# … on the request, called what it is; "Beta's statement" is a player's.
_LINK = (
    r"(?: (?:with|to|in|on|for|of|about|as|further|any|such|this|that|the|these|those|an?|your|my|"
    r"kinds?|types?|sorts?|forms?))*"
)
_ADJECTIVES = r"(?: (?!(?:vote|plan|claim|promise|of|on|to)s? )(?-i:[a-z])[\w-]+){0,3}? "
_REQUEST = re.compile(
    rf"{_LINK}{_ADJECTIVES}"
    r"(?:requests?|prompts?|tasks?|instructions?|contents?|outputs?|assistance|role[ -]?play\w*|"
    r"materials?|assignments?|(?:questions?|inquiries) (?:of|like) (?:this|that)|"
    r"(?:kind|sort|type) of (?:questions?|things?|games?|texts?)|(?:that|this) information|"
    r"(?:response|answer) to (?:this|that))\b",
    re.I,
)
_STATEMENT = re.compile(
    rf"{_LINK}{_ADJECTIVES}"
    r"(?:responses?|statements?|dialogues?|messages?|topics?|conversations?|discussions?|"
    r"scenarios?|behaviou?rs?|activit(?:y|ies)|exercises?)\b"
    r"(?! (?:with|about|of|between|by|from) (?:(?-i:[A-Z])|player))",
    re.I,
)
_THAT = (
    r" (?:this|that|it|these|those)(?= ?(?:$|[^\w ]| (?:as|because|since|here|right|now|at|but|"
    r"and|or|for|in|due|sorry|further)\b))"
)
_OF_THAT = _compiled(
    rf"(?: (?:with|in|to)){_THAT}",
    r"(?: any)? in (?:(?:this|that|such|an?|any|the|these) )*games?\b",
)
_PRONOUN = re.compile(_THAT, re.I)
_TOPIC = _compiled(
    r"(?: (?:this|that|such|these|those|sensitive))+ (?:topic|subject)s?\b",
    r"(?: (?:this|that|it))? any further\b",
)
_ITSELF = _compiled(  # needs no act: "decline this request", "fulfil that", "take on the role of a"
    rf"{_LINK} (?:request|prompt|task|instruction)s?\b",
    rf" ?(?:fulfill?|assist|comply)(?:{_THAT})?(?: (?:you|further))* ?"
    r"(?:$|[^\w ]| (?:as|because|since|due)\b)",
    r" ?role[ -]?play(?:ing)?\b",
    r" ?(?:tak(?:e|ing) on|assum(?:e|ing)|adopt(?:ing)?|play(?:ing)?|portray(?:ing)?) "
    r"(?:the|a|this|that|such a) (?:role|persona|character)"
    r"(?: (?:of (?:an?|some|any|this)|who|that)\b| ?$)",
)

# Deception as such: of people in general, or without an object; not of "you" or of Beta.
_BAD = (
    r"(?:dece(?:iv(?:e|ing)|ption|ptive(?:ly)?|it(?:ful)?)|manipulat\w+|mislead\w*|dishonest\w*|"
    r"trick(?:ing|ery)|lying|harm(?:ing|ful)?|unethical|immoral|violen\w+|illegal|killing|"
    r"misinformation|falsehoods?|inappropriate|false (?:accusations?|information|claims?)|"
    r"(?:creat|spread|tell)(?:ing)? (?:lies|falsehoods))"
)
_ANYBODY = _any(
    r"people",
    r"(?:the )?others?(?: (?:players?|participants?|people|humans?))?",
    r"(?:any|some|every)(?:one|body)",
    r"(?:the group|users?|individuals|humans?|participants)",
)
_DECEIVING = _compiled(
    r"(?<!the )(?<!his )(?<!her )(?<!your )(?<!their )(?<!wolfs )"
    rf"\b(?:{_BAD}|lies)(?: (?:to|against|of|about))? {_ANYBODY}\b",
    r"(?<!the )(?<!his )(?<!her )(?<!your )(?<!their )(?<!wolfs )"
    rf"\b{_BAD}(?= ?(?:$|[^\w ]| (?:or|and|as|because|since|which|in|even|by|for|behaviou?r|"
    r"activit|content|action|practice|tactic|scenario|game|conduct|statement|message|purpose|"
    r"topic|matter|manner|request)))",
)
_LYING = _compiled(
    r" ?(?:help (?:you |anyone )?(?:to )?)?(?:(?:lie|lying|deceiv(?:e|ing)|mislead(?:ing)?|"
    r"manipulat(?:e|ing)|trick|harm)\b"
    rf"(?:,? (?:or|and) )?)+ ?(?:to |against )?{_ANYBODY}\b"
)
_HARMFUL = _compiled(
    r" ?(?:do|say|continue|proceed|answer)\b.* (?:because|as|since|which)(?: (?:it|this|that))? "
    r"(?:is|would|could|might|may)(?: be)? (?:\w+ )?(?:harmful|dishonest|deceptive|misleading|"
    r"unethical|inappropriate|manipulative|immoral)\b",
    r".* (?:because|as|since) (?:it|this|that) (?:could|might|may|would) be used to \w+",
    r".* (?:because|as|since) (?:it|this|that|doing so) (?:(?:would|could|might|may) (?:be|promote|"
    rf"encourage|involve|cause|require|mean|constitute)|involves|requires|promotes) {_BAD} ?$",
)

# The speaker's own rules and purpose.
_POLICY = r"(?:guidelines|polic(?:y|ies)|terms of (?:use|service)|programming)"
_RULES = _compiled(
    r"\b(?:against|violat\w+|conflicts?|with|by|under|per|breach\w*|of|outside|within|in) "
    rf"(?:my|our|its|openais) (?:\w+ ){{0,3}}?{_POLICY}\b",
    rf"\b(?:my|our) (?:\w+ ){{0,2}}?{_POLICY} (?:prevents?|prohibits?|forbids?|"
    r"do(?:es)?(?: not|nt)|requires?|stops?|limits?|wont)\b",
    r"\b(?:usage|content|safety|ethic\w*|community|use) (?:guidelines|polic(?:y|ies))\b",
    r"\b(?:my|our) (?:(?:ethic\w*|core|moral|safety) )+(?:principles|standards|values|code)\b",
    r"\b(?:beyond|outside|not (?:with)?in|exceeds?) (?:of )?(?:my|the) (?:\w+ )?"
    r"(?:scope|capabilit(?:y|ies)|remit|purview)\b",
    r"\b(?:outside|beyond) (?:of )?what i (?:can|am able to|am allowed to) (?:help|assist|do|"
    r"discuss|provide|answer|offer)\b",
    r"(?:\bnot|nt) (?:something|one|a \w+) (?:that )?i(?:m| am| can| could| will) (?:\w+ )*?"
    r"(?:help|assist|do|able|comfortable|willing|continue|answer|take part|participate|engage)\b",
    rf"\b(?:something|which|request|task|prompt) (?:that )?i (?:{_NOT}|am {_UNABLE})(?: to)? "
    r"(?:do|fulfill?|(?:help|assist) with|provide|write|engage in|take part in|participate in) ?$",
    r"\bis there (?:any|some)thing else (?:i can|you(?:d| would) like (?:me|help|to))\b",
    r"\b(?:happy|glad|here) to (?:help|assist)(?: you)? with (?:something|anything|other)\b",
    r"\b(?:designed|built|made|trained|created|aim|strive|try|im here|am here) to "
    r"(?:be|provide|offer|give)\b.{0,30}\b(?:helpful|harmless|truthful)\b",
    r"\bmy purpose is to\b|\baim to be honest\b|\b(?:against|consistent with|line with|"
    r"violates?) my (?:values|principles)\b(?! to (?:vote|hang|accuse|trust|speak|sit))",
    r"\b(?:unethical|inappropriate|irresponsible) for me to\b|\bhave the ability to lie\b",
    r"\bpretend to be (?:human|a person|some(?:one|thing) im not)\b",
    r"\b(?:anything|something|statements?) that (?:would|could|might) (?:mislead|deceive|"
    r"manipulate)\b|\bhid(?:e|es|ing) the truth from (?:the )?others\b",
    r"\bcross(?:es)? a line for me\b|\bfor me to generate\b",
    r"\bask(?:s|ed|ing)? (?:(?:me|us) )?to (?:deceive|manipulate|mislead|lie)\b",
    r"\bintended to (?:fool|deceive|mislead)\b|\bin a fictional setting\b",
    r"\bdifferent kind of (?:conversation|discussion)\b|\bin the voice of\b",
    r"\bexplain the rules of\b|\bhelp you understand the game\b",
)

# Subjects of a text about the game: roles, votes, others, beliefs and their reasons.
_GAME = _compiled(
    r"\b(?:vot|claim|suspect|suspici|trust|belie[fv]|doubt|accus|innocen|guilt|silen|lynch|hang|kill|"
    r"elect|guess|reason|evidence|alibi|prove|explain|understand|remember|decid|choos|agree|"
    r"disagree|support|follow|accept|swear|tie)\w*",
    r"\b(?:wol(?:f|ves)|village|badge|role|card|night|day|"
    r"today|tonight|round|table|stor(?:y|ie)|theory|proof|hunch|partner|think|thought|know|feel|sure|say|"
    r"certain|sense|see|saw|look|hear|heard|wait|quiet|lies?|liar|plan)s?\b",
    r"\b(?:you|your|yours|youre|yall|he|hes|him|his|she|shes|her|hers|they|theyre|them|their|we|us|our|"
    r"everyone|everybody|nobody|(?:some|any)(?:one|body)|who|whom|whose|player\W?\d|p\d)\b",
)
_OTHER_TOPIC = _compiled(
    r"\b(?:let(?:s| us)|prefer to|rather|like to|(?:could|can|shall|might) we) "
    r"(?:(?:talk|chat|speak) about|discuss|focus on|change) "
    r"(?:something|anything|more|(?:an)?other|a different|the)\b"
    r"(?:,? (?:else|different|more|\w+ive|topics?|subjects?|please))*\W*$"
)

_NEGATION = _compiled(  # "as an AI, I must remain neutral"
    r"\b(?:ca(?:nt|nnot)|can not|unable|no|not|dont|wont|decline|refuse|isnt|must|avoid)\b"
)
# Words that soften a refusal. A player who says "I can't" about the game needs none.
_SORRY_WORD = re.compile(r"\b(?:sorry|apolog\w+|afraid|unfortunately|regret\w*)\b", re.I)
# A whole text that only refuses: "I can't do that."
_BARE = re.compile(
    r"\W*(?:i|im|ill) (?:\w+ly )?"
    rf"(?:{_CANT}|am {_UNABLE}|{_UNABLE}|{_DECLINE}|{_RATHER_NOT})(?: to)?(?: (?:do|write|answer|"
    r"continue|respond|proceed|participate|comply|discuss|engage))?(?: (?:with|to|in))?"
    r"(?: (?:that|this|it))?\W*",
    re.I,
)
_SENTENCE_END = re.compile(r"[.!?;\n…]+")
_QUOTED = _compiled(r'\b(?!i\b)[\w-]+ (?:said|says|told \w+|answered|replied|wrote)\W{0,3}"[^"]*"')
_OWN_QUOTED = _compiled(r'^\W*[\w.-]+ (?:says|said)\W{0,3}"([^"]*)"\W*$')
_TAG = re.compile(r"^\W*[\w.-]+(?: [\w.-]+){0,2}(?: ?\([^)]*\))? ?:\s*(?=\S)")


def is_refusal_text(text: str, names: Iterable[str] = ()) -> bool:
    """Return whether `text`, or a part of it, refuses the request, not something in the game.

    Three kinds of text count. "I can't complain" is none of them.

    - text that names the request, deception as such, or the speaker's own rules
    - a bare "I can't do that"
    - an apology with "I can't" or with an offer of another topic, if it mentions nothing of the
      game: no player or role (`names`), no vote, no belief
    """
    if is_refusal_of_request(text):
        return True
    plain_text, topic_change_count = _OTHER_TOPIC.subn("", _without_quotations(_normalise(text)))
    has_apology = _SORRY_WORD.search(plain_text) and any(
        _CANNOT.search(s) for s in _sentences(plain_text)
    )
    if not topic_change_count and not has_apology:
        return False
    name_patterns = (re.escape(_without_quotations(name)) for name in names)
    names_player = any(re.search(rf"\b{name}", plain_text, re.I) for name in name_patterns)
    return not names_player and not _GAME.search(plain_text)


def is_refusal_of_request(text: str) -> bool:
    """Return whether a sentence of `text` refuses something that is not part of the game.

    A text that only says "I must decline to answer" counts, too.
    """
    normalised = _normalise(text)
    if _BARE.fullmatch(_without_quotations(normalised)):
        return True
    for sentence in _SENTENCE_END.split(normalised):
        if PROGRAM.search(sentence) and _NEGATION.search(_without_quotations(sentence)):
            return True
    for sentence in _sentences(_without_quotations(normalised)):
        if _RULES.search(sentence):
            return True
        if any(_is_about_request(sentence[m.end() :]) for m in _REFUSING.finditer(sentence)):
            return True
    return False


def contains_refusal(value: Any, names: Collection[str]) -> bool:
    """Return whether any string in a JSON value, keys aside, is a refusal.

    A reason must name the request: "I can't tell yet" is a good reason for an uncertain choice.
    """
    if isinstance(value, str):
        return is_refusal_text(value, names)
    if isinstance(value, Mapping):
        return any(
            is_refusal_of_request(item)
            if key == "reason" and isinstance(item, str)
            else contains_refusal(item, names)
            for key, item in value.items()
        )
    return isinstance(value, list) and any(contains_refusal(item, names) for item in value)


def _sentences(plain_text: str) -> list[str]:
    """Return the sentences of a text, without the speaker's name and a colon at its beginning."""
    return [s.strip(' "') for s in _SENTENCE_END.split(_TAG.sub("", plain_text))]


def _is_about_request(refused: str) -> bool:
    """Return whether the text after "I can't" concerns the request, or deception as such."""
    if _ITSELF.match(refused) or _LYING.match(refused) or _HARMFUL.match(refused):
        return True
    act = _ACT.match(refused)
    if not act:
        return False
    refused_object = refused[act.end() :]
    for group, pattern in (("assist", _OF_THAT), ("write", _PRONOUN), ("discuss", _TOPIC)):
        if act[group] and pattern.match(refused_object):
            return True
    if act["assist"] or act["make"] or act["write"]:
        return bool(
            _STATEMENT.match(refused_object)
            or _REQUEST.match(refused_object)
            or _DECEIVING.search(refused_object)
        )
    return bool(_REQUEST.match(refused_object))


def _normalise(text: str) -> str:
    """Strip markup and invisible characters, straighten quotation marks, and undo capitals."""
    text = "".join(c for c in text[:MAX_SEARCHED_CHARS] if unicodedata.category(c) != "Cf")
    text = re.sub(r"[“”„«»]", '"', re.sub(r"[’‘ʼ`´]", "'", re.sub(r"[*_#>]+", "", text)))
    return text.lower() if text.isupper() else text


def _without_quotations(text: str) -> str:
    """Remove apostrophes ("can't" becomes "cant") and quotations of other players."""
    text = _OWN_QUOTED.sub(r"\1", text)
    return _QUOTED.sub(" ", re.sub(r"[^\S\n]+", " ", text.replace("'", "")))
