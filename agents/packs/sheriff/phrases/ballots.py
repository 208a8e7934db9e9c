"""What is made of earlier votes, which everybody saw. See `agents.house.phrasing`."""

from __future__ import annotations

BALLOTS: dict[str, tuple[str, ...]] = {
    "ballots_split": (
        "<yesterday> our votes cancelled out[. |, and ][that was a day thrown away|they laughed "
        "all the way to bed|nobody was the wiser].",
        "[Nobody|No one] was sent away <yesterday>[. Today we need one name|, and it can't go on "
        "like that|: that mustn't happen twice].",
        "[A tie helps nobody but them|We can't afford another tie], so [let's agree today|let's "
        "find one name].",
    ),
    "ballots_close": (
        "<yesterday> it was a matter of one vote, {d} or {e}[. Look who tipped it|. I've been "
        "thinking about that|].",
        "One vote the other way, and we'd have sent {e} instead of {d}.",
        "{d} went and {e} nearly did[. Who stood where is worth a look|; count it again|].",
    ),
    "ballot_me": (
        "{x}, <yesterday> your vote was on me[. I haven't forgotten|, and I'm still here|. I "
        "bear no grudge, but I do remember].",
        "I saw whom you voted for <yesterday>, {x}[. It was me|: me, of all people].",
        "You wanted me out <yesterday>, {x}[, and it did us no good|. I'd like to know what for|, "
        "and I'd still like a reason].",
    ),
    "ballot_alike": (
        "<yesterday> {x} and I stood on one side[. For what that's worth|, right or wrong|].",
        "{x} and I put up the same hand <yesterday>, about {d}[, so we answer for it together|].",
    ),
    "exiled_right": (
        "[I still think|I'm still of the mind that] {d} had to leave us[, whatever the gate "
        "keeps to itself|].",
        "I don't regret {d}[. That was one of them|. One down, I'd say|, not for a minute].",
        "With {d} gone [I breathe easier|there should be one fewer of them].",
    ),
    "exiled_wrong": (
        "I fear we wronged {d} <yesterday>[. Let's be more careful|, and I won't forget it|].",
        "Sending {d} away was a mistake, [I think|I'm afraid][. They must have laughed|].",
        "[Looking back|Now that it's done], I'd say {d} was one of our own.",
    ),
    "doubt_ballot_me": (
        "{t} voted for me <yesterday>, and I know what I am. <sus>.",
        "<suspect>; {t}'s last vote was on me, and it was the wrong one.",
        "<yesterday> {t} wanted me gone. <sus>.",
    ),
    "doubt_ballot_friend": (
        "<yesterday> {t} voted against {y}, of all people. <sus>.",
        "{t} wanted {y} out <yesterday>, and I see no harm in {y}. <sus>.",
        "Look at the last vote: {t} against {y}. <sus>.",
    ),
    "doubt_ballot_word": (
        "{t} spoke against {d}, and the vote went to {e}. <sus>.",
        "<suspect>: one name in the talk, {d}, another in the vote, {e}.",
        "{d} by word, {e} by vote[. |: ][words and deeds don't match|which is it]? <sus>.",
        "{t} talked of {d} and wrote down {e}<so> <suspect>.",
    ),
    "doubt_lead": (
        "The badge led us to {d}, and [I think that was wrong|that did us no good]. <sus>.",
        "{t} has the badge, told us {d}, and we followed. [To what end|What for]? <sus>.",
        "<suspect>, who talked us into {d}[ with a badge on the coat|].",
    ),
}
