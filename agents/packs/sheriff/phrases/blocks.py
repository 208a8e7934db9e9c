"""Choices that many of this game's phrases share, as `agents.house.phrases.blocks`."""

from __future__ import annotations

BLOCKS: dict[str, str] = {
    "villager": (
        "I'm [|just |only |really |nothing more than ]a Villager|I'm [a plain|a simple|an "
        "ordinary|just a] Villager[|, no more]|my [role is|card says] Villager|I [was dealt|"
        "drew|got] a Villager|I claim Villager|call me a Villager|[put me|you can put me|you may "
        "put me] down as a Villager"
    ),
    "seer": (
        "I'm the Seer|I'm your Seer|I am the Seer|my card says Seer|my role is Seer|I'm the real "
        "Seer|I drew the Seer|I was dealt the Seer"
    ),
    "guard": "I'm the Guard|I am the Guard|my role is Guard|I'm your Guard|my card says Guard",
    "looked": "[|last night |in the night ]I [looked at|checked|inspected|examined] {a}",
    "saw": "<looked>[, and {a} is {held}|: {held}|, and found {held}|, and {a} is {held}]",
    "seer-saw": "<seer>. <saw>|[I'm|I am] [the|your|the real] Seer[; |, and |: ]<saw>",
    "not-seer": "{x} [is not|can't be|isn't|cannot be] the Seer",
    "seer-speak": (
        "the Seer [should|ought to|had better|needs to] [speak|speak up|come forward|step "
        "forward|come out|talk to us|tell us] [now|soon|early|today]"
    ),
    "last-night": "last night|in the night|tonight past|while we slept|in the dark|before dawn",
    "yesterday": "yesterday|the evening before|before the lamps went out|at the last count",
}
