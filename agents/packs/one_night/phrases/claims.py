"""What a house player says of itself. See `agents.house.phrasing` for how phrases are written."""

from __future__ import annotations

CLAIMS: dict[str, tuple[str, ...]] = {
    "claim_villager": (
        "<hm><villager>[, [take it as you like|make of it what you can|for better or worse|"
        "cross my heart|no applause, please|if that helps anybody]|, so all I have is [my ears|"
        "a pair of ears|a bit of sense]|, and [there's [nothing more to it|not much else to "
        "tell]|that's [all there is to it|the lot]]|, and I [slept|dreamed|dozed] through [all "
        "of it|the whole thing|every minute of it]|, no [visions|secrets|surprises], no "
        "partner|].",
        "[For what it's worth|So that it's said|Before [anybody|anyone|somebody] asks|Just so "
        "[you|we all] know|To get it out of the way|For the record|In case [anybody|anyone] "
        "wonders|Since it's [my turn|going round]], <villager>.",
        "<villager>. [No visions, no partner, just [a bad|a short|a rotten] night's sleep|I "
        "know [exactly|about] as much as [any of you|anyone else|the rest of you|my neighbour]|I "
        "slept [through it|"
        "like a log|like a stone], and [woke up|got up] [no wiser|to this]|My [night|evening] "
        "was [dull|quiet|uneventful], [and I liked it|thank you|if you must know]].",
        "<villager>, and I [[know|see|understand] how little [that proves|that's worth|that "
        "tells you]|[won't|don't] [pretend it's more|dress it up|make it sound grander|ask for "
        "applause]].",
        "[You'll hear nothing [grand|big|exciting] from me|No [big|great|grand] news from my "
        "[corner|side|chair]|Nothing [fancy|special|dramatic] [here|to report|in my pocket]|My "
        "[secret|story|confession] is [short|a short one|soon told]|I [can|will] keep this "
        "[short|brief]]: <villager>.",
        "<villager>, so [I [have to|can only|must] [work|go|make do] with what [you give me|"
        "you tell me|I hear|I hear from you|the rest of you say]|I'm [all ears|here to listen|"
        "as much in the dark as anyone|in your hands]].",
        "~blunt <villager>[. |, ][that's all|nothing to add|take it or leave it|make do with "
        "that|there you have it|next question|end of story|and that's that].",
        "~wry <villager>, the sort [of person |]who [dies in|is gone by|doesn't survive] the "
        "[first|second|opening] chapter.",
        "~wry [Sadly|Alas|To my regret], <villager>; [all the [exciting|fun|shiny] cards went "
        "elsewhere|I had hoped for [more|better]|the [good|thrilling] parts were taken|my "
        "mother [hoped|wished] for more].",
        "~careful <villager>. There are two of those, so [somebody|someone] [here|at this "
        "table|among you] [can|should be able to|could] say the same.",
        "~careful <villager>, which I [can't prove|have no way to prove], so [judge|weigh] me "
        "by what I [argue|say from here on|do with it].",
        "~warm <villager>, and I'm [on the side of [everyone|everybody|anyone] who [wants to "
        "find|is out to find|hopes to catch] this Wolf|[glad|happy] to [work with|help|think "
        "along with] [any|all|each] of you].",
        "~plain <villager>, and I [saw|heard|noticed] [nothing|nothing at all|not a thing] [in "
        "the night|last night|until morning].",
        "~blunt Villager here, [that's all|nothing to add|no more to it|end of story|short and "
        "dull|make do with that|the plain sort|and tired of questions].",
    ),
    "claim_mason": (
        "<masons x>. [That takes two of us off [your|the] [lists|list]|So that's two fewer to "
        "[worry about|look at|argue over]|Two [names|people] you can [cross out|set aside|stop "
        "worrying about]|That leaves six[ of you|, by my count|]|Now you know two of eight].",
        "<masons x>, [and we found each other in the night|so look among the other six|so "
        "that's two [settled|out of the way]|which makes two of us you [needn't|don't have to] "
        "[fear|chase]].",
        "[Time to say it|I'd better come out with it|No more hiding|Here's [something solid|a "
        "fact for you]|Let me [put it on the table|make this easier|help you all]|Enough "
        "[secrets|riddles]]: <masons x>.",
        "<masons x>. [Ask {x} when you doubt it|{x} knows it as well|{x} will tell you the "
        "same|{x} can back that up|{x} can say so too|Let {x} tell you the rest].",
        "<masons x>. [Put us both aside|Leave the two of us out|Set us two apart|Take us out "
        "of it], and the [circle gets smaller|rest is easier|sum gets simpler|list shrinks].",
        "~warm I can [give|offer] you two [honest people|names to lean on|friends in this]: "
        "<masons x>.",
        "~warm [Take heart|Good news], [friends|everyone|all of you]: <masons x>.",
        "~blunt <masons x>. [Look elsewhere|Look among the rest|Next|Move on|That's that].",
        "~careful I [held it back|kept quiet at first|waited with this], because a Mason is "
        "[more use|worth more] [alive than loud|unnoticed]: <masons x>.",
        "~wry [The well-kept|The worst-kept|Our little] secret [is out|of the night]: <masons x>.",
    ),
    "claim_mason_alone": (
        "<mason>. [I'd rather not [name|give away|hand over] my other half [just yet|so soon|"
        "at this point]|My partner can [speak up|step up|say so] [when it helps|in good time|"
        "when it's needed]|The [other name|second name|rest] [stays|remains] with me [for a "
        "while|until it's needed]].",
        "<mason>, and [[I keep|I'll keep|I'm keeping] the [second|other] name [to myself|back|a "
        "secret] [for now|for the time being|a little longer]|I won't [hand|give|feed] "
        "the Werewolf a second name[ today|]].",
        "<mason>, so there's [one|at least one] person [here|at this table] I'm sure of. "
        "[Guess who|I'll keep the name back|You'll hear the name [in time|later]|No, I'm not "
        "pointing].",
        "[So that you know|Before it gets late|To save you the guessing|I'll say this much]: "
        "<mason>[, and the [rest|other half] [can wait|comes later]|. One name is enough [for "
        "now|to start with]].",
        "~blunt <mason>. [No, I won't say who the other one is|Don't ask for the other name|"
        "One name is all you get|That's my half].",
        "~careful <mason>. [Naming|Giving away] the other one [now |so early |]would only "
        "[tell the liars whom to leave alone|help those who lie|make two targets of one].",
        "~warm <mason>, and [I'd love to|one day I'll|soon enough I'll] tell you [with whom|"
        "the rest|who shares it].",
    ),
    "confirm_mason": (
        "[What you heard [about|of] me is true|[That's|It's] [true|right|no lie], [every word|"
        "all of it]|So it is|Just as you heard|It's as you were told]: <masons x>[, and we've "
        "known since last night|, as you now know|, no more and no less|].",
        "[I can [confirm|second] [it|that]|I'll back that up|I [nod|say yes] to that|"
        "Confirmed|Quite right|That I can sign]: <masons x>[, cross us off|, and glad of it|, "
        "from the first night on|].",
        "{x} [told you the truth|didn't make that up|said it as it is|spoke for both of us][: |"
        ", |; ]<masons x>.",
        "Yes, <masons x>[. [Two names you can [cross out|set aside|forget]|That much is "
        "[settled|certain|done]|So there's [a start|firm ground|one thing we know]|No more "
        "[doubt|guessing] about that]|, so that's [settled|two of eight|one thing we know]].",
        "No need to [guess|wonder|ask] any longer[. |, |: ]<masons x>, and we've known [since "
        "last night|all along|from the start].",
        "~blunt <masons x>. [Done|That's settled|Next|Move on].",
        "~warm Thank you, {x}, for [going first|speaking up|your courage|saying it][. |; |: "
        "]<masons x>.",
        "~wry I had hoped to stay [mysterious|interesting|a riddle] [a little|a while] longer, "
        "but yes: <masons x>.",
        "~wry [There goes my secret|So much for secrets|And I was so well hidden][. |: |; "
        "]<masons x>.",
        "~careful Both [halves|sides|stories] agree, so you can [check it|test it|hold it "
        "together]: <masons x>.",
    ),
    "vouch_mason": (
        "[Stop right there|Enough|Hold on|Easy|Not so fast|Wait], {y}: <masons x>[, so that's "
        "the wrong tree|, so let go of it|, so aim elsewhere|, so that leads nowhere|].",
        "I wanted to [keep it back|stay quiet|save this for later], but {y} leaves me no "
        "choice: <masons x>.",
        "{y}, that [road|path|trail|hunt] leads [nowhere|us astray|to a dead end]. <masons x>.",
        "Before this goes any further: <masons x>, so [let go of it|drop it|leave that be|look "
        "elsewhere], {y}.",
        "~wry {y}, of all the people to pick on. <masons x>.",
        "~blunt No, {y}. <masons x>.",
    ),
    "spare_mate": (
        "And {y}, once more for [everyone|all of you|the record]: <masons x>, so you're wasting "
        "your [breath|time|vote].",
        "{y}, I [told you|said it|made it plain] [before|already|once]: <masons x>. Whoever "
        "keeps at it is no friend of the village.",
        "[Leave it|Let it be|Drop it|Give it a rest], {y}: <masons x>, and I know that for [a "
        "fact|sure|certain].",
        "I can [say|repeat] it [as often as you need|all day], {y}: <masons x>.",
    ),
}
