"""Choices that many of this game's phrases share, as `agents.house.phrases.blocks`."""

from __future__ import annotations

BLOCKS: dict[str, str] = {
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
}
