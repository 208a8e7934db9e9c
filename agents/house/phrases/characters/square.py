"""Those of the market square: a shop's mascot, a street magician."""

from __future__ import annotations

from agents.house.phrases.characters.voice import Voice

MASCOT = Voice(
    before=(
        "[Welcome|Welcome, welcome|Come in, come in], [dear customers|crumbly friends]!",
        "[Wag-wag|Wiggle-wiggle|Pom-pom-pom], Biscuit [the Badger|of Bramble's Bakery] is here!",
        "Biscuit [waves|claps|wiggles] both [paws|fluffy paws] [at|to] the whole shop!",
        "[Fresh|Warm|Piping hot] from the [oven|tray], Biscuit's [daily news|thought]!",
        "[Today only|Special offer|Deal of the day], [two opinions|honest crumbs] for one!",
        "[Ding|Ding-a-ling|Ding dong], the [shop bell|bakery bell] rings for Biscuit!",
        "Biscuit's [whiskers|nose|tail] [twitches|tingles|goes fluffy], dear customers!",
        "[Sniff sniff|Snuffle snuffle|Sniffety sniff], is that [cinnamon|trouble|burnt toast]?",
        "[Hip hip|Hooray], [a full shop|so many customers] and [so many|lots of] crumbs!",
        "[No pushing|Please queue|One at a time], [dear customers|at the counter]!",
    ),
    after=(
        "[Bramble's Bakery|The corner bakery|Our bakery], [a bun for everyone|baked with love]!",
        "[Free|Complimentary] [crumbs|hugs|stickers] at the [door|counter]!",
        "[Thank you|Many thanks] for [shopping|snacking] with Biscuit!",
        "Biscuit [bows|wiggles|twirls] and [drops|loses] [his hat|a bun|some crumbs]!",
        "[Come again|Come back|Visit again] [soon|tomorrow], dear customers!",
        "[Wag-wag|Boing boing|Pom-pom], [hugs|big hugs] from Biscuit!",
        "[Terms|Crumbs] and [conditions|sprinkles] apply, [teehee|wag-wag]!",
        "[Collect|Save] [ten stamps|all five stickers] and get a [bun|tart|pretzel]!",
        "That was Biscuit, [fluffy|crumbly|sticky] and [cheerful|proud of it]!",
        "[Satisfaction|Fluffiness|Freshness] guaranteed, [or a bun back|since last Tuesday]!",
    ),
    soft=(
        "[Badger's|Baker's|Biscuit's] [honour|promise], ",
        "Paw on [heart|my apron|the counter], ",
        "With [a wiggle|both paws up|a fluffy frown], ",
        "[Snuffle snuffle|Sniff sniff|Wag-wag], ",
        "[Fresh|Straight] from the [oven|tray], ",
        "[Between|In between] [buns|batches|customers], ",
        "As [the friendly|the official|a fluffy] mascot, ",
        "[At no extra charge|For free today|With extra sprinkles], ",
        "[Tail up|Hat off|Whiskers out], ",
    ),
    words=(
        ("interesting", "delicious"),
        ("yes", "yes, yes"),
        ("nice", "yummy"),
        ("it's easy", "it's easy as buns"),
        ("curious", "very, very curious"),
        ("very", "super"),
    ),
)

MAGICIAN = Voice(
    before=(
        "[Abracadabra|Hocus pocus|Presto], [ladies and gentlemen|good people of the square]!",
        "[Watch|Observe|Follow] [my hands|the silk handkerchief|this empty hat] [closely|now].",
        "[Nothing up this sleeve|Nothing in the hat], and [nothing up the other|voila].",
        "[Drumroll|A drumroll|A hush], [maestro|please|if it pleases the crowd].",
        "For my [next|first|finest] [trick|illusion|marvel], a [little|touch of] truth.",
        "[Step right up|Gather round|Come closer], [the show begins|no charge for looking]!",
        "The [dove|rabbit|white rabbit] [stays|sleeps] in the [hat|cape] [for now|tonight].",
        "[Misdirection|Sleight of hand|Smoke and mirrors], I [know|taught] that trick.",
        "[Voila|Et voila|Behold], the [curtain|velvet curtain] [lifts|parts] once more.",
        "A [flick|wave|twirl] of the [wand|cape|silk], and the [smoke|glitter] clears.",
    ),
    after=(
        "[Ta-da|Voila|Shazam], and [not a mirror|no wires] in sight.",
        "[Applause|Coins|Small coins] may be [tossed|dropped] in the hat.",
        "[Now you see it|Here it is], [now it's gone|poof, gone].",
        "[And|Thus] with a puff of [smoke|glitter|purple smoke], I [bow|vanish].",
        "[A magician|The Great Zambini] never [explains|repeats] a [trick|marvel].",
        "The [rabbit|dove|rabbit in my hat] [concurs|applauds|takes a bow].",
        "[Curtain|Lights|House lights], [please|maestro].",
        "[No refunds|No encores], dear [audience|crowd of the square].",
        "Keep [watching|an eye on] the [silks|cups|other hand], dear crowd.",
        "[Tonight|Twice nightly], [on this very corner|under the lamp post], the show goes on.",
    ),
    soft=(
        "[Wand|Hat|Cape] in hand, ",
        "With [a flourish|a wave of the wand|a twirl of the cape], ",
        "[Abracadabra|Presto|Hey presto|Alakazam], ",
        "Behind the [curtain|smoke|mirrors], ",
        "[Without|And without] [smoke|wires|trapdoors], ",
        "By the [rabbit in my hat|seven silks|great Houdini], ",
        "[As if by magic|Like a coin from the ear], ",
        "[Sleeves rolled up|Gloves off|Blindfold off], ",
        "Before [the very eyes|this very crowd|the curtain falls], ",
    ),
    words=(
        ("nice", "dazzling"),
        ("interesting", "astonishing"),
        ("curious", "most curious"),
        ("it's easy", "it's easy as a card trick"),
        ("yes", "yes indeed"),
        ("very", "wonderfully"),
        ("people", "good people"),
    ),
)
