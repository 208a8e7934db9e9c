"""Choices that many phrases share, by name: `<suspect>` in a phrase.

See `agents.house.words`.
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
    # claims and visions
    "villager": (
        "I'm [|just |only |really |nothing more than ]a Villager|I'm [a plain|a simple|an "
        "ordinary|just a] Villager[|, no more]|I'm one of the [|two ]Villagers|my [role is|"
        "card is|card says] Villager|I [was dealt|drew|got] [a|the] Villager|I claim Villager|"
        "I woke up as a Villager|call me [a|the] Villager|[put me|you can put me|you may put "
        "me] down as a Villager"
    ),
    "masons": (
        "{_} and I are [the|the two|both|your] Masons|{_} and I make up the Masons|I'm [a "
        "Mason|one of the Masons], and [my partner is {_}|{_} is my partner|{_} is the other "
        "Mason|{_} is the other one]|[I'm|I am] a Mason [together|along] with {_}|I'm a Mason "
        "alongside {_}|my [fellow Mason|Mason partner] is {_}|{_} is my [fellow Mason|Mason "
        "partner]|I'm a Mason, {_} is the other [one|Mason|half]|I'm a Mason, the other [one|"
        "Mason] is {_}"
    ),
    "mason": (
        "I'm a Mason|I'm one of the Masons|I am a Mason|my card says Mason|my role is Mason|I "
        "drew a Mason|I was dealt a Mason|I'm one of the two Masons"
    ),
    "seer": (
        "I'm the Seer|I'm your Seer|I am the Seer|my card says Seer|my role is Seer|I'm the "
        "real Seer|I drew the Seer|I was dealt the Seer"
    ),
    "looked": (
        "[|last night |in the night |that night |during the night ]I [looked at|checked|picked|"
        "chose|turned to|inspected|examined] {a} and {b}|my [two|pair] [|last night ]were {a} "
        "and {b}|my [look|night|vision] [went to|was] {a} and {b}"
    ),
    "wolf": (
        "one of [them|the two|those two|that pair] is the Werewolf|the Werewolf is [among them|"
        "between them|one of them|one of the two|one of those two]|one of [them|the two] has "
        "to be the Werewolf|one of [them|the two] must be the Werewolf"
    ),
    "clean": (
        "neither [|one |of them |of the two ]is the Werewolf|both [are|came up|came back|of "
        "them are|of them came up] clean|both are [clear|innocent]|the Werewolf is not among "
        "them|I found no Werewolf[ there|]|[both are|neither is the Werewolf, both are] [clean|"
        "clear]"
    ),
    "saw-wolf": "<looked>[, and|:|;] <wolf>",
    "saw-clean": "<looked>[, and|:|;] <clean>",
    "not-seer": "{x} [is not|can't be|isn't|cannot be] the Seer",
    "seer-speak": (
        "the Seer [should|ought to|had better|needs to] [speak|speak up|come forward|step "
        "forward|come out|talk to us|tell us] [now|soon|early|today|this round]"
    ),
    "then": "[. |. |, |; |, and |: ]",
}
