"""Understanding of statements in games with other roles, by role name."""

from dataclasses import replace

import pytest

from agents.packs import Pack, PackData, Result, pack_of
from agents.understanding.normalise import correct_spelling, replace_role_words, role_key
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.declarations import Look, Role
from tests.two_days import TwoDays

NAMES = tuple(TwoDays.seat_names)  # Ann, Ben, Cid, Dot, Eve; Ann speaks


class TwoRoles(TwoDays):
    """A ruleset without looks in which only Werewolves know each other."""

    name = "two-roles"
    deck = ("villager", "villager", "villager", "werewolf", "werewolf")
    roles = tuple(role for role in TwoDays.roles if role.look is None)


class Oracles(TwoDays):
    """A ruleset with a look at one player a night, a Guard, and brothers who know each other."""

    name = "oracles"
    deck = ("oracle", "guard", "blood-brother", "blood-brother", "werewolf", "drunk", "fool")
    roles = (
        Role(
            "oracle",
            "Oracle",
            "village",
            "",
            look=Look("seen", 1, (("werewolf", ("werewolf",)), ("clean", ()))),
        ),
        Role("guard", "Guard", "village", ""),
        Role("blood-brother", "Blood Brother", "village", "", knows="role"),
        Role("werewolf", "Werewolf", "werewolf", "", is_hunted=True),
        Role("drunk", "Drunk", "werewolf", ""),
        Role("fool", "Fool", "fool", ""),
    )
    default_role = "guard"


class Sages(Oracles):
    """A ruleset whose look reveals the exact role."""

    name = "sages"
    roles = tuple(
        replace(r, look=replace(r.look, answers=tuple((k, (k,)) for k in sorted(Oracles.deck))))
        if r.look
        else r
        for r in Oracles.roles
    )


TWO_ROLES, ORACLES, SAGES = pack_of(TwoRoles()), pack_of(Oracles()), pack_of(Sages())


def acts(text: str, pack: Pack) -> list[str]:
    """Return the acts as `kind[:value][=role] names[/about]`."""
    return [format_act(act) for act in understand(text, 1, NAMES, 0, pack)]


def format_act(act: SpeechAct) -> str:
    value, role = f":{act.value}" if act.value else "", f"={act.role}" if act.role else ""
    about = f"/{act.about}" if act.about else ""
    return f"{act.kind}{value}{role}{''.join(f' {NAMES[t - 1]}' for t in act.targets)}{about}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm just a villager.", ["claim=villager"]),
        ("i am a vilager", ["claim=villager"]),
        ("I'm no werewolf!", ["deny=werewolf"]),
        ("Ben is the werewolf.", ["accuse Ben"]),
        ("Ben and Cid are the werewolves.", ["accuse Ben Cid"]),
        ("The werewolf is Ben or Cid.", ["suspect Ben Cid"]),
        ("Ben is a villager, leave him alone.", ["defend Ben"]),
        ("My vote goes to Dot.", ["vote Dot"]),
        # roles that the game doesn't have
        ("I'm the Seer.", []),
        ("Dot and I are the masons.", []),
        ("Seer, please come out now.", []),
        ("Cid is the Tanner.", []),
        ("Cid is begging to be hanged.", []),
        ("I looked at Ben and Cid, and neither is the werewolf.", []),
    ],
)
def test_only_roles_of_the_game_are_understood(text: str, expected: list[str]) -> None:
    assert acts(text, TWO_ROLES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm the Oracle.", ["claim=oracle"]),
        ("oracle here", ["claim=oracle"]),
        ("I am the guard", ["claim=guard"]),
        ("I'm a blood brother with Eve.", ["claim=blood-brother", "companion=blood-brother Eve"]),
        (
            "Eve and I are the Blood Brothers.",
            ["claim=blood-brother", "companion=blood-brother Eve"],
        ),
        ("I am not the Oracle", ["deny=oracle"]),
        ("Cid is the Drunk.", ["suspect=drunk Cid"]),
        ("Cid is the fool, I think", ["suspect=fool Cid"]),
        ("Cid is begging to be hanged.", ["suspect=fool Cid"]),
        ("Oracle, please come out now.", ["propose=oracle/speak"]),
        ("Ben can't be the Oracle.", ["disagree=oracle Ben"]),
        # looks at one player
        ("I checked Dot: wolf", ["report:werewolf=oracle Dot"]),
        ("Dot is clean, I looked", ["report:clean=oracle Dot"]),
        ("I looked at Dot last night and she is the Werewolf.", ["report:werewolf=oracle Dot"]),
        ("I peeked at Ben. He's innocent.", ["report:clean=oracle Ben"]),
        ("Oracle here, Ben is clean", ["claim=oracle", "report:clean=oracle Ben"]),
        ("I'm the Oracle. I saw Cid, not a wolf.", ["claim=oracle", "report:clean=oracle Cid"]),
        # no looks
        ("I see Dot as the wolf", ["accuse Dot"]),
        ("Dot is clean to me", ["defend Dot"]),
        ("I will guard my tongue.", []),
        ("I'm the Seer.", []),
    ],
)
def test_roles_are_understood_by_name(text: str, expected: list[str]) -> None:
    assert acts(text, ORACLES) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I checked Dot, she is the Guard", "guard"),
        ("I'm the Oracle and I looked at Dot: a blood brother", "blood-brother"),
        ("I checked Dot: wolf", "werewolf"),
    ],
)
def test_look_that_reveals_a_role_is_understood(text: str, value: str) -> None:
    (report,) = (a for a in understand(text, 1, NAMES, 0, SAGES) if a.kind == "report")
    assert report.result == Result("oracle", (4,), value)


def test_report_seats_are_in_order() -> None:
    pack = pack_of(rulesets.get("one-night"))
    text = "I'm the Seer, I checked Dot and Ben, one of them is the Werewolf."
    claim, report = understand(text, 1, NAMES, 0, pack)
    assert claim == SpeechAct("claim", 1, (), "seer")
    assert report.result == Result("seer", (2, 4), "werewolf")


def test_pack_synonyms_are_understood_as_roles() -> None:
    pack = Pack(Oracles(), PackData(words={"oracle": ("gazer", "crystal ball")}))
    assert acts("I'm the gazer", pack) == ["claim=oracle"]
    assert acts("I am the crystal ball", pack) == ["claim=oracle"]
    assert acts("im the orcale", pack) == acts("im the oracel", pack) == ["claim=oracle"]
    assert acts("I'm the gazer", ORACLES) == []


@pytest.mark.parametrize("text", ["the gourd", "a drank", "fools rush", "guarded words", "drunken"])
def test_words_similar_to_a_role_are_not_corrected(text: str) -> None:
    assert correct_spelling(text, NAMES, ORACLES) == text


def test_role_token_is_a_part_and_an_index() -> None:
    text = replace_role_words("the oracle, two blood brothers and the werewolves", ORACLES)
    assert text == "the looker0, two mate2s and the wolf"
    assert [role_key(t, ORACLES) for t in ("looker0", "mate2s", "wolf", "looker", "loner")] == [
        "oracle",
        "blood-brother",
        "werewolf",
        "oracle",
        "fool",
    ]
    assert role_key("looker", TWO_ROLES) == ""


@pytest.mark.parametrize(
    "text", ["I am the looker0.", "Ben. That is loner0y.", "Ben. That is helper99y."]
)
def test_typed_role_token_is_ignored(text: str) -> None:
    assert acts(text, ORACLES) == []


def test_pack_synonyms_belong_to_roles_of_the_ruleset() -> None:
    for ruleset in (*map(rulesets.get, rulesets.names()), TwoDays()):
        synonyms_by_role = pack_of(ruleset).data.words
        assert set(synonyms_by_role) <= {role.key for role in ruleset.roles}
        all_synonyms = [word for synonyms in synonyms_by_role.values() for word in synonyms]
        assert len(set(all_synonyms)) == len(all_synonyms)
        assert all(word == word.lower() for word in all_synonyms)
