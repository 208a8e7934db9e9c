"""Suspicions with their reasons, and votes. See `agents.house.words` for how phrases are written.

Every one of them says plainly that {t} is suspected, so that the others understand it.
"""

from __future__ import annotations

DOUBTS: dict[str, tuple[str, ...]] = {
    "own_look": (
        "Of my two, I suspect {t} [more than|rather than] {y}.",
        "{t} or {y}, and my money is on {t}.",
        "I lean toward {t}; {y} [sounds calmer to me|I could live with].",
        "~careful I can't separate my two with certainty, but I suspect {t} more.",
    ),
    "own_look_sure": (
        "And {y} is out of the question, which means one thing: {t} is the Werewolf.",
        "It can't be {y}. So {t} is the Werewolf.",
        "{y} I can rule out by now, so there's one left: {t} is the Werewolf.",
    ),
    "doubt_reported": (
        "I believe {x}, and of those two I suspect {t} [more than|rather than] {y}.",
        "{x}'s vision leaves {t} and {y}, and I suspect {t}[, just by the tone|].",
        "Choosing from {x}'s pair, I suspect {t}[; {y} sounds better to me|].",
        "I don't trust {t}: what {x} saw fits there better than it fits {y}.",
        "Going by {x}, it's one of two, and I suspect {t}.",
    ),
    "doubt_other_cleared": (
        "{x} saw the Wolf in one of two, and {y} it can't be. So I suspect {t}.",
        "Of {x}'s two, {y} is ruled out. That leaves {t}.",
        "{x} named a pair, {y} drops out of it, and that leaves {t}.",
        "Put it together: {x}'s two, take away {y}, and that leaves {t}.",
    ),
    "doubt_my_rival": (
        "I suspect {t}: nobody steals a Seer's story for fun.",
        "I don't trust {t}, who tells my night as if it were somebody else's.",
        "Whoever fakes what I saw needs to hide something, so I suspect {t}.",
    ),
    "doubt_second_seer": (
        "I suspect {t}, who found the Seer's role only after {x} had it.",
        "{t} came second with a vision, right after {x}, and I don't trust {t}.",
        "A Seer who waits until {x} has spoken? I suspect {t}.",
    ),
    "doubt_first_seer": (
        "Of our Seers I suspect {t}; {x} had more to lose by speaking.",
        "{t} rushed to be first, {x} had no choice. I suspect {t}.",
        "{x} sounds more real to me, so I suspect {t}.",
    ),
    "doubt_lone_seer": (
        "I suspect {t}. [A vision anyone could make up|A story with no witness], told at a handy "
        "moment.",
        "I'm not sold on that Seer. I suspect {t} for telling it so smoothly.",
    ),
    "doubt_changed": (
        "{t} told us {r} first and {q} later. I suspect {t}, as anyone would.",
        "I don't trust {t}: [first|yesterday's] {r}, now {q}. Roles don't change by themselves.",
        "{r}, then {q}. One mouth, two stories, so I suspect {t}.",
    ),
    "doubt_third_mason": (
        "{x} and {y} are the Masons, so there's no room for a third. I suspect {t}.",
        "A Mason beside {x} and {y}? I don't trust {t}.",
    ),
    "doubt_mason_alone": (
        "I suspect {t}: a Mason with nobody to speak up for them is just a word.",
        "Where is {t}'s other half? Until somebody answers to that, I suspect {t}.",
        "A Mason without a partner, that worries me. I suspect {t}.",
    ),
    "doubt_villager_room": (
        "There's room for one more Villager beside me, and {x} wants it too. I suspect {t}.",
        "{x} and {t} can't both be the other Villager, and I suspect {t}.",
        "I know one Villager for sure, myself; of {x} and {t}, I suspect {t}.",
    ),
    "doubt_villager_crowd": (
        "{x}, {y} and {t}, three Villagers in a deck of two: I suspect {t}.",
        "Somebody among the Villagers has borrowed the name, and next to {x} and {y} I suspect "
        "{t}.",
    ),
    "doubt_villager": (
        "I suspect {t}: Villager is the cheapest thing to say here.",
        "{t} says Villager and leaves it at that. [I'm wary of|I suspect] {t}.",
        "I don't trust {t}'s quiet Villager story; I suspect {t}.",
        "If I were hiding, I'd say just what {t} said: Villager, and next please. I'm wary of {t}.",
    ),
    "doubt_evaded": (
        "{x} asked {t} for a role and got none. I suspect {t} for it.",
        "I noticed how {t} slid past {x}'s question, and I suspect {t}.",
        "A straight question from {x}, and no straight answer. I'm wary of {t}.",
    ),
    "doubt_evaded_me": (
        "I asked {t} for a role and got [weather|small talk]. I suspect {t}.",
        "My question is still lying there, {t}. I suspect you more for it.",
    ),
    "doubt_unclaimed": (
        "We've heard no role from {t} yet, and I suspect {t} for it.",
        "I have my eye on {t}: [so far not one checkable word|nothing anyone could test].",
        "I suspect {t} a little, simply because {t} hasn't given us a role to hold on to.",
        "Nearly everyone puts something on the table, {t} doesn't. I'm wary of {t}.",
    ),
    "doubt_nothing": (
        "I'm wary of {t}, who talked and [named nobody|committed to nothing].",
        "{t} spoke and said nothing: no role, no name. I have my eye on {t}.",
        "I suspect {t}; that was a speech with no content at all.",
    ),
    "doubt_flip": (
        "First {x}, then {y}: {t} points wherever the wind blows. I suspect {t}.",
        "I suspect {t}, who dropped {x} for {y} without much of a reason.",
        "How did {t} get from {x} to {y} so fast? I don't trust {t}.",
    ),
    "doubt_echo": (
        "I suspect {t}, who repeated what {x} had said about {y} and added nothing.",
        "{x} had a thought about {y}, and {t} just borrowed it. I'm wary of {t}.",
        "It's easy to join {x} against {y}. Too easy: I suspect {t}.",
    ),
    "doubt_early": (
        "I suspect {t}, who went for {x} before there was anything to go on.",
        "{t} had a finger on {x} in the very first round. [On what|With which evidence]? I "
        "suspect {t}.",
        "Jumping at {x} that early, on nothing? I suspect {t}.",
    ),
    "doubt_pusher": (
        "I suspect {t}: going after {x}, of all people, helps only one side.",
        "Who would want {x} gone? I don't trust {t}.",
        "{x} looks decent to me, so I ask what {t} is after. I suspect {t}.",
    ),
    "doubt_at_me": (
        "Well, {t} is after me, and I know how wrong that is. I suspect {t}.",
        "I know I'm the wrong one, so why does {t} insist? I suspect {t}.",
        "Of course I look twice at those who want me gone, and I suspect {t}.",
    ),
    "doubt_defender": (
        "I suspect {t}, who was very quick to shield {x}.",
        "Why does {t} shield {x}? I don't trust {t}.",
    ),
    "doubt_agree": (
        "I agree with {x}, and I suspect {t} too.",
        "I'm with {x}: I don't trust {t}.",
        "{x} has a point. I'm wary of {t} as well.",
        "{x} took the words out of my mouth: I suspect {t}.",
        "~blunt {x} is right. I suspect {t}.",
    ),
    "doubt_left_two": (
        "Take away everyone I can rule out, and two remain: {x} and {t}. I suspect {t}.",
        "By my sums two people remain, {x} and {t}, and I suspect {t}.",
        "Everyone else has an answer. {x} and {t} don't, and of the two I suspect {t}.",
    ),
    "doubt_left_three": (
        "I get down to three, {x}, {y} and {t}. Of those I suspect {t}.",
        "Cross out what's settled, and {x}, {y} and {t} are left. I suspect {t}.",
        "Three names remain on my list, {x}, {y} and {t}, and I suspect {t} most.",
    ),
    "doubt_gut": (
        "[I can't prove it, but|Call it a feeling:] I suspect {t}.",
        "Something in the way {t} spoke was too smooth; I'm wary of {t}.",
        "I keep coming back to {t}, and I don't trust {t}.",
        "If you ask me now, I suspect {t}. I may be wrong.",
        "I have my eye on {t}, more than on anyone else.",
        "~blunt I don't trust {t}.",
        "~careful It's thin, I know, but I suspect {t} a shade more than the rest.",
        "~wry My nose itches whenever {t} talks. I suspect {t}.",
        "~warm I hope I'm wrong about it, but I suspect {t}.",
    ),
    "hold": (
        "I still suspect {t}, and nothing said since has changed that.",
        "I'm as wary of {t} as before.",
        "[Like before|As I said], I don't trust {t}.",
        "Nobody has talked me out of it: I suspect {t}.",
        "My mind hasn't moved; I suspect {t}.",
        "I've turned it over twice, and I still suspect {t}.",
    ),
    "turn": (
        "I was after {x} before; [I've let go of that|I think I was unfair there].",
        "Earlier I pointed at {x}. [That was then|I was too quick].",
        "{x}, I [owe you an apology, perhaps|was too quick with you].",
        "What I heard since has moved me away from {x}.",
    ),
    "turn_cleared": (
        "I was after {x}, but after {y}'s vision I've let go of that.",
        "{y}'s vision changed my mind about {x}.",
    ),
    "turn_mason": (
        "I was wrong about {x}; {y}'s word as a Mason settles that.",
        "With {x} and {y} standing together as Masons, I drop my first idea.",
    ),
    "vote": (
        "My vote goes to {t}.",
        "I will vote for {t}[, and I ask you to think about it|].",
        "I'm going to vote for {t}.",
        "When it comes to it, I'll vote for {t}.",
        "So my vote is for {t}[ today|].",
        "Today I vote for {t}.",
        "~blunt {t} gets my vote.",
        "~warm It isn't easy, but I'll vote for {t}.",
        "~careful On balance my vote goes to {t}.",
        "~wry {t} has my vote, [use it wisely|with my compliments].",
    ),
    "vote_unsure": (
        "Unless somebody surprises me, I vote for {t}.",
        "I'm not certain, but I'll vote for {t}.",
        "With a bad feeling I'll vote for {t}.",
        "Somebody has to go, and I'll vote for {t}.",
        "I could be wrong; still, my vote goes to {t}.",
        "~careful The odds aren't great, but I'll vote for {t}.",
        "~blunt I vote for {t}. Not happily.",
    ),
    "vote_with": (
        "I'm with {x} on this: I'll vote for {t}.",
        "I'll join {x}, and I'll vote for {t}.",
        "Like {x}, I'll vote for {t}.",
        "{x} and I look at the same person: I vote for {t}.",
        "Let's not split up; with {x} I'll vote for {t}.",
    ),
}
