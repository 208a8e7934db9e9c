"""Staying with a suspicion, letting go of one, and votes. See `agents.house.phrasing`."""

from __future__ import annotations

VOTES: dict[str, tuple[str, ...]] = {
    "hold": (
        "I still suspect {t}, and [nothing|not a word] [said|heard] since has [changed|shaken|"
        "moved] that.",
        "I'm as [wary|suspicious] of {t} as [before|ever|last time|at the start].",
        "[Like before|As I said|As before|Same as ever|Still], [I don't trust {t}|<suspect>].",
        "[Nobody has|None of you has] [talked me out of it|changed my mind|given me a better "
        "name]: <suspect>.",
        "My mind hasn't [moved|changed]; <suspect>.",
        "I've turned it over [twice|three times|again], and I still [suspect|distrust] {t}.",
        "I haven't heard a good answer yet, so I [suspect|distrust] {t} as before.",
        "Same name as [last time|before|ever]: <suspect>.",
        "I stay [where I was|with it|put]. <sus>.",
        "Has anything [cleared it up|changed]? [No|Not for me|Not a thing]. <sus>.",
    ),
    "turn": (
        "I was after {x} before, [and I've let go of that|but I think I was unfair there|but "
        "that was [too quick|hasty|a hunch, no more]|and it doesn't hold up|and I see it "
        "differently now|until I thought again].",
        "[Earlier|Before|A while ago] I [pointed at|was after|had it in for] {x}[. |, but |; "
        "][that was then|I was too quick|I've cooled down|it didn't survive the talk|I take "
        "the finger down].",
        "{x}, I [owe you an apology, perhaps|was too quick with you|may have been hasty with "
        "you|let you go for now|was hard on you earlier|take some of it back|see you in a "
        "better light][, no hard feelings|, as things stand|, and I say it freely|].",
        "What I [heard|learned|saw|was told] since has [moved me|led me|pulled me|turned me] "
        "away from {x}[, bit by bit|, and rightly so|, I admit|].",
        "I've been [rethinking|going over|turning over] {x}, and there's less in it than I "
        "[thought|feared|believed|made of it][, so I let it rest|, frankly|].",
        "Yes, I went for {x} earlier, [but people may learn|but I've thought again|and it was "
        "a first guess|but one may think twice|and I wouldn't do it again|and a mind is there "
        "to be changed].",
        "{x} isn't my first thought any [more|longer][, not after this round|, I've moved on|, "
        "and that's only fair|].",
        "[Put {x} further down on|Take {x} off the top of|Take {x} from the head of] my list[, I "
        "was "
        "hasty|, others come first|, I've learned something|].",
    ),
    "turn_cleared": (
        "I was after {x}, but [after|since] {y}'s vision I've let [go of that|that go].",
        "{y}'s vision [changed my mind about|made me let go of] {x}.",
        "Since {y} looked at {x}, I've [dropped|buried|given up] that [idea|thought|trail].",
        "I'd have stayed on {x} [if {y} hadn't|had {y} not] looked there.",
        "{x} is off the hook for me, thanks to {y}.",
    ),
    "vote": (
        "<hm><vote>[, [and I ask you to think about it|and I stand by it|and that's final|and "
        "I've thought it through|and I'll sleep well with that|come what may|with a clear head|"
        "and I hope some of you follow|unless I hear better]|].",
        "[When it comes to it|At the end of the day|After all this|With all that said|Having "
        "heard you all|To cut it short|So here it is|Today|This once|In the end], <vote>.",
        "<vote>[ today| tonight| this time| in the end|, then|, no more dithering|, and not "
        "lightly].",
        "~blunt {t} gets my vote.",
        "~blunt <vote>, [done|that's it|no more talk|end of speech|and that's that|next].",
        "~warm It isn't easy, but <vote>.",
        "~warm I [take no joy in it|wish I could spare us this|don't enjoy saying it], but <vote>.",
        "~careful [On balance|Weighing it all|By my count|All things considered] <vote>.",
        "~wry {t} has my vote, [use it wisely|with my compliments|don't spend it all at once].",
        "I've [made up my mind|decided|reached the end of my list|thought enough], and <vote>.",
        "For me it [ends with|comes down to|boils down to|hangs on] one name[, and |: |; ]<vote>.",
        "~blunt {t} [gets|has] my vote[, done|, period|, that's it|, end of talk|, no speech|, "
        "next|, take it or leave it|].",
        "[I've weighed it|One name, then|That settles it for me|I've heard enough|So be it]: "
        "<vote>[, like it or not|, for all the reasons given|, and now you know|].",
    ),
    "vote_unsure": (
        "[Unless somebody surprises me|Short of a better idea|Failing a better name|For want "
        "of proof|Lacking anything better], <vote>.",
        "I'm not [certain|sure of it|fully convinced], but <vote>.",
        "With [a bad feeling|half a heart|some doubt|a heavy hand|crossed fingers], <vote>.",
        "Somebody has to go, and <vote>.",
        "I [could|may|might] be [wrong|mistaken]; [still|even so|all the same], <vote>.",
        "~careful The odds [aren't great|are poor|could be better], but <vote>.",
        "~blunt <vote>[. Not happily|, not happily|, for want of better|, and I've had better "
        "days|, no joy in it].",
        "No proof, only a [lean|hunch|feeling|guess], and so <vote>.",
        "[I've seen clearer cases|It's a shaky sum|I've had firmer ground under me|I wish I "
        "knew more|It's a guess, and an honest one], but <vote>.",
        "[Not gladly|Not with much joy|Half blind], but <vote>[, and may I be forgiven|, and I "
        "hope it's right|].",
    ),
    "vote_with": (
        "I'm with {x} on this[:|;|, and] <vote>.",
        "I'll [join|follow|go along with] {x}, and <vote>[, with no regrets|, and quickly|].",
        "[Like|Along with|Together with|Side by side with] {x}, <vote>.",
        "{x} and I look [at the same person|the same way|in one direction]: <vote>.",
        "Let's not [split up|scatter|waste votes|all go separate ways][: |; |, ][with|beside|"
        "alongside] {x}, <vote>.",
        "{x} [has company|isn't alone|won't stand alone|gets my help]: <vote>.",
        "I'm not alone in this, {x} [sees it too|thinks so as well|is there already][, and "
        "<vote>|, so <vote>|; <vote>].",
        "[Two of us|That makes two|A pair of hands], [at least, |]{x}[: |, |; ]<vote>[, and "
        "who joins|, and gladly|, just so we're clear|].",
        "[I'd rather vote in company|One vote alone is wasted|It takes more than one hand], so "
        "[I follow|I go along with|I join] {x}, and <vote>.",
        "[As {x} has it|As {x} put it|With {x} beside me|In step with {x}], <vote>[, and "
        "gladly|, and that makes two|].",
    ),
}
