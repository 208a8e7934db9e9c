"""What one says of oneself. See `agents.house.phrasing`."""

from __future__ import annotations

CLAIMS: dict[str, tuple[str, ...]] = {
    "claim_villager": (
        "<hm><villager>.",
        "[So that you know|For the record|For what it's worth|To be plain|Since it must be "
        "said|Before anybody asks]: <villager>[, with nothing to show for it|, and I sleep at "
        "night|, like most of us|].",
        "<villager>, and I [know|see|understand] how little [that proves|that's worth|that tells "
        "you].",
        "[Nothing grand|No great news|Nothing to boast of] from my [side|chair|corner]: "
        "<villager>.",
        "<villager>, so I have to [go by|work with|make do with] what I [hear|am told|see by day].",
        "~blunt <villager>[, that's all|, take it or leave it|. That's all|, end of story].",
        "~wry <villager>, the sort [they eat first|who finds the body|nobody writes songs about].",
        "~careful <villager>, which I can't prove, so [judge|weigh] me by [what I say|my votes].",
        "~warm <villager>, and [glad of every one of you who is, too|on the side of whoever "
        "wants these Wolves gone].",
        "~plain <villager>, and I slept [well|badly|through it all|with the lamp on].",
        "I have no [night work|errand in the dark|lantern to carry]: <villager>.",
        "<villager>. [My bed is my alibi|I locked my door and slept|My nights are dull].",
    ),
    "claim_guard": (
        "<guard>, [and whose door I watch stays with me|and I won't say at whose door I "
        "stand|and I'd rather not say whom I keep].",
        "[I'd hoped to keep this to myself|It can't be helped|Better you know it than lose "
        "me|I didn't want to say it]: <guard>.",
        "<guard>. [Send me away, and nobody stands between them and you|Vote me out, and the "
        "nights get longer|Where I stand tonight is my own affair].",
        "~blunt <guard>. [Now leave me to it|That should do|Look elsewhere].",
        "~wry <guard>, and now [they know whose bed to visit|the whole dark knows it].",
        "~warm <guard>, and I've [done|tried] what I could for you all.",
    ),
    "claim_guard_quiet": (
        "<guard>. I stood at {x}'s door <last-night>, and nobody died.",
        "[I'd hoped to keep this to myself|It can't be helped|Better you know it than lose me]: "
        "<guard>. {x} was in my care <last-night>, and everybody woke up.",
        "<guard>. [Last night|In the night] I watched over {x}, and this morning [nobody was "
        "missing|every chair was taken|we all sat down to breakfast].",
        "~blunt <guard>. I watched {x}'s door, nobody died. [Draw your own conclusions|Work it "
        "out].",
    ),
    "no_seer_yet": (
        "Nobody has told us of a night yet, and <seer-speak>.",
        "If we have a Seer still, <seer-speak>[, because nights are short|, before it's too "
        "late|, while there's somebody to tell it to|].",
        "A look that nobody hears [dies with its owner|is a look wasted|helps nobody]. I'd say "
        "<seer-speak>.",
    ),
    "seer_speak": (
        "I'd say <seer-speak>.",
        "[If you ask me|To my mind|As I see it], <seer-speak>[, for tomorrow may be too late|, "
        "because nobody knows who wakes tomorrow|].",
    ),
    "seer_wait": (
        "I'd say the Seer should wait a little[, for whoever speaks first dies first|, since the "
        "night listens, too|].",
        "To my mind the Seer should wait[, until there's something worth dying for|. One look is "
        "not much yet|].",
    ),
    "villagers_with_me": (
        "{x} and {y} claim what I am[, and that fills the roll|, so there's little room left|].",
    ),
    "many_villagers": (
        "More of you claim Villager than there are: {x}, {y} and {z} do[, and there are three in "
        "all|].",
        "Three Villagers in the deck, and {x}, {y} and {z} want to be [all of them|just that].",
    ),
    "close_early": (
        "[That's all|So much] from me[, for now| so far|]. [The rest|More] [later|when I've heard "
        "you|once you've spoken].",
        "[I'd like to hear|I want to hear|Let me hear] [the others|all of you] first.",
        "[The day is young|There's a whole day ahead|We've only just sat down], so [let's listen|"
        "no haste|let's be patient].",
        "[Over to you|Your turn|Who's next|Next, please].",
        "[Hold me to it|Remember my words|Mark it down] [when the day is done|this evening|later].",
        "[We know little yet|It's early|Nobody knows much yet], and [I don't pretend to|that's no "
        "shame|I say so].",
    ),
    "close_late": (
        "[Think|Think twice|Think it over] before you vote[. There's a night after this one|, "
        "please|, all of you|].",
        "Let's not [scatter|waste|split] our votes[. A tie sends nobody away|, for a tie helps "
        "only them|].",
        "A [tie|split vote] is [a free night for them|a day lost|all they could wish for].",
        "[After this comes the night|The sun is going down|It will be dark soon], so "
        "[choose well|let's get it right|no idle votes].",
        "[Whatever we decide|However it ends|Come what may], [let's do it together|let's be of "
        "one mind|let's not do it by halves].",
        "[One mistake too many|Too many wrong guesses], and they are as many as we are.",
        "[I'd like|I want|I hope] to see [you all|each of you] at breakfast[, but one or two|].",
        "~wry May the [better|louder|wiser] [half|part] of us be right.",
        "~warm Sleep well tonight, [all of you|whoever is left|friends].",
        "~blunt [Enough talk|Vote|Let's vote|Done].",
        "~careful Count [twice|again] before you [point|vote|choose].",
    ),
    "open_first": (
        "[Good morning|Hello|Morning], everyone[. Sit down, there's bread|, such as it is|].",
        "Somebody has to [begin|speak first|break the silence], [so here I go|so let it be me].",
        "[Nobody knows much this early|We start with empty hands], so [take this for what it is|"
        "bear with me].",
    ),
}
