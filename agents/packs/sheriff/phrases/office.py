"""Why to be Sheriff, and a Sheriff's last word. See `agents.house.phrasing`."""

from __future__ import annotations

OFFICE: dict[str, tuple[str, ...]] = {
    "stand": (
        "[I'd like the badge|I want the badge|Give me the badge], because [somebody has to hold "
        "this table together|I listen before I speak|I keep count of who says what|I forget "
        "nothing that is said here].",
        "[Why me|Why should it be me]? [I have nothing to hide and time to listen|I take no "
        "side before I've heard both|I'm slow to judge and hard to fool|I can count, and I can "
        "wait].",
        "The Sheriff speaks last[. |, and ][I'd use that to add things up, not to stir|that's "
        "where a clear head is needed|I know how to make an end].",
        "[A Sheriff needs|What a Sheriff needs is] [ears more than a mouth|patience|a good "
        "memory|a thick skin][. I have that|, and that I can offer|, and I've got it].",
        "I stand because [the lot fell on me, and I mean to do it well|I'd rather carry it "
        "than see it in the wrong hands|in the wrong hands that badge is worth two votes].",
        "~blunt I'd be a good Sheriff[. Short words, clear names|. No speeches, one name a day].",
        "~warm I'd wear that badge [for all of you|with care|for whoever is honest here].",
        "~careful I [promise|claim] nothing about myself that you can't check[. |; ]judge me "
        "[by how I add things up|by the end of the day].",
        "~wry I look [well|dashing|no worse than most] with a badge[, and I can add|, and I'm "
        "awake by noon].",
        "[What I am I'd rather keep to myself|My role stays in my pocket for now]; [as Sheriff I'd "
        "be watched by everyone, and that's fine with me|the badge would make me answer for "
        "every word].",
    ),
    "stand_known": (
        "[You know what I am|I've told you what I am], [and a plain person makes an honest "
        "Sheriff|so the badge would sit on an open coat|so there's nothing left to guess].",
        "[A Sheriff with no secrets|Somebody with nothing to do at night] is [what you need|not "
        "the worst choice][: I'd only have the day, and I'd use it|, and that's me|].",
        "[I have no night work|I've no power but my voice], so [the badge would make me of use|"
        "give me the last word, and I'm worth something|let me at least add things up].",
        "If the badge is [on me|mine], [they'll have to waste a night on somebody plain|the "
        "ones with gifts can stay hidden|nobody with a gift has to show it].",
        "~blunt I'm nobody special, [so pin it on me and be done|and that's my case].",
        "~warm I'd [keep|carry] it for those who must stay hidden.",
    ),
    "stand_seer": (
        "[With the badge I'd be heard last|The badge in my hands], and [what I see each night "
        "would reach you for certain|my looks would count for something].",
        "[A Sheriff who sees|Eyes and a badge in one place]: [that's the best we can do|there's "
        "nothing they'd like less|that would be hard for them to bear].",
        "If I die with the badge on, it goes to somebody I've [looked at|checked] [and trust|with "
        "my own eyes].",
        "I won't have many nights, so [let me lead while I last|give me the badge while I can use "
        "it].",
        "~blunt I look at night, so I should lead by day.",
        "~careful Whoever doubts me can [still do so|keep doubting] tomorrow; [a false look shows "
        "in time|time tests a look].",
    ),
    "stand_promise": (
        "As Sheriff I'd give you one name a day, [and a reason with it|and why|with my reasons].",
        "I'd [let|have] the quiet ones speak first, [so that nobody can hide behind the rest|so "
        "that they can't just nod].",
        "[And if they come for me|Should I die with it on], the badge goes to [whoever I trust "
        "most by then|the one who has argued best].",
        "You'd get [a sum of what was said|the day in a few plain words] from me, and no theatre.",
        "I'd rather [have one clear vote than six lonely ones|lead you to one name than watch a "
        "tie].",
        "[Hold me to that|Turn on me if I don't keep it|Watch me, please].",
        "No [tie|split vote] on my watch, [if I can help it|as far as it's up to me].",
    ),
    "stand_rival": (
        "{x} speaks [well|nicely|smoothly], [and I can do that, too|and yet I'd like a chance].",
        "{x} and I both [want it|stand for it], [and you have the choice|so compare us].",
        "{x} has had a turn, [now hear me|now it's mine].",
        "[Compare me with {x}|Weigh {x} against me], and [choose|take whom you like].",
    ),
    "lead_sum": (
        "[I speak last, so let me add it up|Mine is the last word, so here it is|That was "
        "everybody, so let me sum up].",
        "[I've listened to each of you|I've heard you all], and this is [what it comes to|what "
        "stays with me|how it adds up].",
        "[The badge gives me the last word|With the badge comes the last word], and I mean to "
        "[use it|be brief].",
        "[Taking it all together|All in all|When I put it all together], this is what [I make "
        "of it|is left].",
        "[Everyone has spoken|No more voices to hear], so [now it's on me|here is my view].",
        "~blunt [Last word|I'm last], so [listen|no more dancing around].",
        "~careful [Let me go through it once more|Let me put it in order] before you vote.",
    ),
    "lead_thanks": (
        "Thank you for the badge[. I'll try to deserve it|, I'll do my best|].",
        "[So it's me|I'm the Sheriff, then][. |, and ][I'll take it seriously|thank you for that].",
    ),
    "lead_vote": (
        "[As your Sheriff I say|My word for today]: <vote>[, and I ask you to do the same|. Come "
        "with me|, all of us together].",
        "[My recommendation|What I recommend]: [all together|no lonely votes|everybody on one "
        "name], <vote>.",
        "<vote>, and [I ask you to join me|I'd like to see you all with me|a tie would be worse "
        "than a mistake].",
        "[I was asked to lead, so I lead|You gave me the last word, so here it is]: <vote>.",
        "[Let's put our votes together|Let's not split up]: <vote>, and I recommend the same to "
        "you.",
        "~blunt <vote>[. So should you|. Do the same|, follow me].",
        "~warm I [ask you|beg you], [let's stay together|let's do it together]: <vote>.",
        "~careful It's [no proof|not certain], but it's the best we have: <vote>, and I recommend "
        "it.",
        "~wry For once [do as I do|follow the tin star]: <vote>.",
    ),
}
