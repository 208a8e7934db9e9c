"""Choices that many phrases share, by name: `<suspect>` in a phrase.

See `agents.house.phrasing`.
"""

from __future__ import annotations

BLOCKS: dict[str, str] = {
    # how a sentence may begin and end
    "hm": (
        "|||[look|listen|well|honestly|frankly|if you ask me|to be frank|to my mind|for my "
        "part|as I see it|the way I see it|from where I sit|to be plain|I'll be open], "
    ),
    "so": (", so|, and so|; |: |, which is why|, and that's why|, and therefore|. So|. That's why"),
    "now": "|today|right now|for now|at this point|at the moment|as things stand|this round",
    "think": (
        "|, I think|, I'd say|, I guess|, I suppose|, if you ask me|, to my mind|, as far as I "
        "can tell"
    ),
    "all": "everything|all of it|the whole of it|every word|all that was said",
    # what one holds of others
    "suspect": (
        "I [|really |do |honestly |mostly |mainly ]suspect {t}|I [don't [|quite |really ]trust|"
        "can't [|quite |really ]trust|wouldn't trust|hardly trust|distrust|mistrust] {t}|I'm [|"
        "a little |rather |quite |very |more and more ][wary of|suspicious of|uneasy about|"
        "worried about|nervous about] {t}|I [have my|have an|keep my|keep an] eye on {t}|I've "
        "got my eye on {t}|I'm keeping [an|my] eye on {t}|[my eye|my money|my bet] is on {t}|"
        "my [|first |best ]guess is {t}|my [|first |main |own ]suspicion [is on|falls on|rests "
        "on|goes to|lands on|points to] {t}|I have my "
        "doubts about {t}|[I'd look|I'm looking hard] at {t}|my [|first |main |top ]suspect is "
        "{t}|I'm watching {t}"
    ),
    "most": (
        "more than anyone|more than anybody else|more than the rest|above anyone else|most of "
        "all|before anyone else|more than I'd like"
    ),
    "sus": (
        "<suspect>[, <most>| for now| at this point| for that| this round]|[<suspect>, [I'm "
        "afraid|I admit|I must say|I'll say that much|as things stand|at least for today|to "
        "say it plainly|like it or not|and I say it openly|rightly or wrongly|call it what you "
        "like|for better or worse|and I won't hide it|no offence|proof or no proof|as of this "
        "minute|since you all want names]]|[honestly|to be frank|as I see it|the way I see it|"
        "from where I sit|for my part|right now|as things stand|on balance|all told], <suspect>"
    ),
    "trust": (
        "I [|do |still |rather |would |tend to |mostly ][trust|believe] {_}|I['d| would|'ll] "
        "[vouch for|stand by|stand behind|rely on] {_}|I [have faith in|stand by|choose to "
        "believe|stand with] {_}|I'd rather [believe|trust] {_}"
    ),
    "vote": (
        "I'll vote for {t}|I vote for {t}|I'm [voting|going to vote|ready to vote|about to "
        "vote] for {t}|I [mean|intend|want|plan] to vote for {t}|I've decided to vote for {t}|"
        "my vote [goes to|is for|will go to|lands on|falls on|is on|is going to|belongs to|is "
        "against|stays with] {t}|I cast my vote [for|against] {t}|I'm [casting|using] my vote "
        "[on|against] {t}|I put my vote on {t}|I'm giving my vote to {t}|I'd vote for {t}"
    ),
    # a look, in plain words
    "look": "I'm {one}. [|Last night ]I looked at {seen}: {answer}.",
    "then": "[. |. |, |; |, and |: ]",
}
