"""What is made of the night: who died in it, and that nobody did. See `agents.house.phrasing`."""

from __future__ import annotations

NIGHTS: dict[str, tuple[str, ...]] = {
    "night_quiet": (
        "[Nobody died|Everybody woke up|All of us are here] this morning[. |: ][either the Guard "
        "stood at the right door, or they couldn't agree|a good guess by the Guard, or a quarrel "
        "among Wolves|somebody was kept, or they quarrelled].",
        "A quiet night[. |, and ][I thank the Guard, whoever it is|the Guard may have earned a "
        "breakfast|somebody did good work in the dark].",
        "[No empty chair|Not one of us missing|Nobody lost]: [they wanted somebody, and didn't get "
        "their way|that was luck, or the Guard's work|the dark went hungry].",
        "~wry Nobody dead at breakfast. [The eggs taste better already|I could get used to it].",
        "~careful Nobody died, which tells us [something|a little]: they were stopped, or of two "
        "minds.",
    ),
    "night_kill": (
        "{d} was killed in the night, so {d} was no Werewolf[. What {d} said counts for more "
        "now|, and that much is sure|].",
        "We lost {d} <last-night>. [Let's go over what {d} told us|Remember what {d} was after|"
        "Whatever {d} said was said in good faith].",
        "They [took|chose|came for] {d}[, and they don't take their own|. One of us, then|, so "
        "{d} was in their way].",
        "[Poor {d}|I'll miss {d}|We have lost {d}]. [Ask yourselves whom that helps|Somebody "
        "was afraid|Somebody slept better for it].",
        "~careful {d} died by their hand, and [nobody else is the clearer for it|that's all it "
        "tells us].",
        "~blunt {d} is dead, [and was no Wolf|so not a Wolf]. [Start from there|That's a fact].",
    ),
    "night_kill_early": (
        "{d} was killed before [saying a word|we heard a word|it even began][. It tells us "
        "little|, poor soul|].",
        "They took {d} first[, and I can't see a reason|, perhaps for no reason at all|, by lot "
        "for all I know|].",
        "[Poor {d}|We have lost {d}], and [we never heard a word from that chair|nothing to learn "
        "from it but that {d} was no Werewolf].",
        "{d} was no Werewolf, [that's all the night tells us|so much we know].",
        "One chair is empty, {d}'s[. |, and ][we know no more than that|that's a poor start].",
    ),
    "night_seer": (
        "{d} told us of nights, and now {d} is dead. [I'd say we had the true Seer|That's as good "
        "as proof|I take those looks for true].",
        "They killed {d}[. |, and ][nobody kills a false Seer|you silence the one who sees|that "
        "bears out every look {d} told of].",
        "With {d} dead, [what {d} saw|each look {d} told of] [stands|is worth double|should guide "
        "us].",
    ),
    "doubt_dead_pressed": (
        "{d} was after {t}, and {d} is dead<so> <suspect>.",
        "Who gains by the death of {d}? {d} had an eye on {t}. <sus>.",
        "The last one who [doubted|went for|named] {t} [was found dead|didn't see the morning|is "
        "no more]<so> <suspect>.",
        "<suspect>: {d} [had named|spoke against|was against] {t}, and then came the night.",
        "[It's a short way from the words of {d} to that grave|{d} spoke up and died for it]; "
        "<suspect>.",
    ),
    "doubt_dead_ballot": (
        "{t} voted against {d} <yesterday>, and {d} was no Werewolf. <sus>.",
        "<suspect>, whose vote was on {d}, one of our own[, as we know now|, as the night has "
        "shown|].",
        "{d} was honest, and <yesterday> {t} wanted {d} out<so> <suspect>.",
        "{t} was against {d} <yesterday>, and then came the knives. <sus>.",
    ),
    "badge_passed": (
        "{d} left the badge to {x}[. |, and ][a Sheriff doesn't leave it to just anybody|I hope "
        "{d} knew why|that's a last word of a kind].",
        "The badge went from {d} to {x}[. |; ][I'll listen to {x} with more care|that says what "
        "{d} thought].",
        "{x} has the badge from {d}, [who was no Wolf|who died an honest death][, and that means "
        "something|].",
    ),
    "badge_handed": (
        "We sent {d} away, and {d} gave the badge to {x}[. I make a note of it|. Was that a "
        "kindness or a plan?|, which may mean anything].",
        "{x} got the badge from {d}[, whom we voted out|, out of all people][. I'd keep that in "
        "mind|].",
    ),
    "badge_trusted": (
        "I'm content with {x} as Sheriff[, and I'll hear the last word gladly|, so far|].",
        "{x} has the badge, and [that suits me|I sleep no worse for it|it's in decent hands].",
        "[If {x} makes a good case at the end, I'll go along|I'll wait for the last word of {x}].",
    ),
    "badge_watched": (
        "{x} has the badge, [but a badge proves nothing|and I want reasons with it|which isn't "
        "proof of anything].",
        "The last word is {x}'s[. |, and ][I'll weigh it like any other|let's see what comes of "
        "it|it had better be a good one].",
        "A badge is [only tin|a pin on a coat][. |, and ]{x} will have to [earn it|convince me].",
    ),
}
