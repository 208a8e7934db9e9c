"""What is understood in games of other roles: those of the ruleset, by their names alone."""

from dataclasses import replace

import pytest

from agents.packs import Pack, PackData, Result, pack_of
from agents.understanding.normalise import correct_spelling
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.tokens import replace_role_words, role_key
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.roles import Look, Role
from tests.two_days import TwoDays

NAMES = tuple(TwoDays.seat_names)  # Ann, Ben, Cid, Dot, Eve; Ann speaks


class TwoRoles(TwoDays):
    """Nobody looks, and nobody but the hunted knows anybody."""

    name = "two-roles"
    deck = ("villager", "villager", "villager", "werewolf", "werewolf")
    roles = tuple(role for role in TwoDays.roles if role.look is None)


class Oracles(TwoDays):
    """A look at one player a night, a role that guards, and brothers who know each other."""

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
    usual = "guard"


class Sages(Oracles):
    """The look tells the role."""

    name = "sages"
    roles = tuple(
        replace(r, look=replace(r.look, answers=tuple((k, (k,)) for k in sorted(Oracles.deck))))
        if r.look
        else r
        for r in Oracles.roles
    )


TWO_ROLES, ORACLES, SAGES = pack_of(TwoRoles()), pack_of(Oracles()), pack_of(Sages())


def acts(text: str, pack: Pack) -> list[str]:
    """Acts as `kind[:value][=role] names[/about]`."""
    return [short(act) for act in understand(text, 1, NAMES, 0, pack)]


def short(act: SpeechAct) -> str:
    value, role = f":{act.value}" if act.value else "", f"={act.role}" if act.role else ""
    about = f"/{act.about}" if act.about else ""
    return f"{act.kind}{value}{role}{''.join(f' {NAMES[t - 1]}' for t in act.targets)}{about}"


@pytest.mark.parametrize(
    ("text", "meant"),
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
def test_a_game_of_two_roles_knows_no_other(text: str, meant: list[str]) -> None:
    assert acts(text, TWO_ROLES) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
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
def test_roles_are_understood_by_their_names_alone(text: str, meant: list[str]) -> None:
    assert acts(text, ORACLES) == meant


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I checked Dot, she is the Guard", "guard"),
        ("I'm the Oracle and I looked at Dot: a blood brother", "blood-brother"),
        ("I checked Dot: wolf", "werewolf"),
    ],
)
def test_a_look_that_tells_the_role_is_understood(text: str, value: str) -> None:
    (told,) = (a for a in understand(text, 1, NAMES, 0, SAGES) if a.kind == "report")
    assert told.result == Result("oracle", (4,), value)


def test_a_report_has_its_seats_in_order() -> None:
    pack = pack_of(rulesets.get("one-night"))
    text = "I'm the Seer, I checked Dot and Ben, one of them is the Werewolf."
    claim, told = understand(text, 1, NAMES, 0, pack)
    assert claim == SpeechAct("claim", 1, (), "seer")
    assert told.result == Result("seer", (2, 4), "werewolf")


def test_a_packs_words_stand_for_its_roles() -> None:
    pack = Pack(Oracles(), PackData(words={"oracle": ("gazer", "crystal ball")}))
    assert acts("I'm the gazer", pack) == ["claim=oracle"]
    assert acts("I am the crystal ball", pack) == ["claim=oracle"]
    assert acts("im the orcale", pack) == acts("im the oracel", pack) == ["claim=oracle"]
    assert acts("I'm the gazer", ORACLES) == []


@pytest.mark.parametrize("text", ["the gourd", "a drank", "fools rush", "guarded words", "drunken"])
def test_words_near_a_role_stay_where_no_pack_lists_it(text: str) -> None:
    assert correct_spelling(text, NAMES, ORACLES) == text


def test_a_token_is_a_part_and_a_place() -> None:
    said = replace_role_words("the oracle, two blood brothers and the werewolves", ORACLES)
    assert said == "the looker0, two mate2s and the wolf"
    assert [role_key(t, ORACLES) for t in ("looker0", "mate2s", "wolf", "looker", "loner")] == [
        "oracle",
        "blood-brother",
        "werewolf",
        "oracle",
        "fool",
    ]
    assert role_key("looker", TWO_ROLES) == ""


def test_nobody_types_a_token() -> None:
    assert acts("I am the looker0.", ORACLES) == []


def test_a_packs_words_are_of_its_rulesets_roles() -> None:
    for ruleset in (*map(rulesets.get, rulesets.names()), TwoDays()):
        words = pack_of(ruleset).data.words
        assert set(words) <= {role.key for role in ruleset.roles}
        told = [word for said in words.values() for word in said]
        assert len(set(told)) == len(told)
        assert all(word == word.lower() for word in told)
