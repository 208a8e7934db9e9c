"""Tests of the personas' word clouds: counted words, and equal output for equal input."""

from __future__ import annotations

from pathlib import Path

from wordcloud import STOPWORDS

from tests.lab.making import game
from webapp.lab.stored_games import persona_name
from webapp.measures.game_record import GameRecord, Statement
from webapp.study.results.word_clouds import KEY, NO_PERSONA, word_clouds

STATEMENT_BY_SEAT = {
    1: "The Werewolf is Alpha Two, I think.",
    2: "I guess, um, a werewolf? Werewolves lie. I don’t know 7.",
    4: "Never mind.",
}


def make_games(rounds: int = 6) -> list[GameRecord]:
    """Alpha Two and seat 4 have a persona. Seat 4 speaks too rarely. Seat 5 is a person."""
    statements = [
        Statement(1, n, seat, "Alpha Two", STATEMENT_BY_SEAT[seat])
        for n in range(rounds)
        for seat in (1, 2)
    ]
    statements += [
        Statement(1, 1, 4, "Beta", STATEMENT_BY_SEAT[4]),
        Statement(1, 1, 5, "Gamma", "Werewolf!" * 9),
    ]
    personas = {2: persona_name({"scores": dict(zip("OCEAN", (4, 1, 1, 7, 2), strict=True))}),
                4: persona_name({"scores": {}, "character": "lady"})}  # fmt: skip
    return [game(statements=tuple(statements), personas=personas, people=frozenset({5}))]


def test_words_are_counted_without_stop_words_and_names() -> None:
    ((table,), _drawn) = word_clouds({"one": make_games()})
    assert [column.header for column in table.columns] == ["Rank", "O4 C1 E1 A7 N2", NO_PERSONA]
    columns = list(zip(*(list(row.texts())[1:] for row in table.rows), strict=True))
    assert set(columns[0]) == {"werewolf 6", "werewolves 6", "guess 6", "know 6", "lie 6", "um 6"}
    assert [word for word in columns[1] if word != "–"] == ["think 6", "werewolf 6"]
    assert "O4 C1 E1 A7 N2: 6 statements." in table.notes.sentences


def test_same_words_give_the_same_bytes_and_appear_as_text() -> None:
    _tables, drawings = word_clouds({"one": make_games()})
    svg_by_key = {key: draw() for key, draw in drawings.items()}
    assert svg_by_key[KEY] == word_clouds({"one": make_games()})[1][KEY]()
    assert f"{NO_PERSONA}: think 6, werewolf 6" in svg_by_key[KEY]
    assert ">guess</" in svg_by_key[KEY]
    assert "<image" not in svg_by_key[KEY]
    assert word_clouds({"one": make_games(5)}) == ([], {}), "five statements are too few"
    assert word_clouds({"one": [game()]}) == ([], {})


def test_own_styles_of_one_name_in_two_conditions_are_two_personas() -> None:
    def games_with_style(style: str, text: str) -> list[GameRecord]:
        statements = tuple(Statement(1, n, 1, "Alpha", text) for n in range(6))
        return [game(statements=statements, personas={1: persona_name({"style": style})})]

    calm = 'name = "Pip"\nage = 9\nhabits = ["Is calm."]'
    loud = calm.replace("calm", "loud")
    ((table,), _drawn) = word_clouds(
        {"one": games_with_style(calm, "Patience."), "two": games_with_style(loud, "Hurry!")}
    )
    headers = [column.header for column in table.columns]
    assert headers == ["Rank", "style Pip (one)", "style Pip (two)"]
    ((table,), _drawn) = word_clouds(
        {"one": games_with_style(calm, "Patience."), "two": games_with_style(calm, "Hurry!")}
    )
    assert [column.header for column in table.columns] == ["Rank", "style Pip"]


def test_all_stop_words_are_documented() -> None:
    text = " ".join(Path("docs/metrics.md").read_text().split())
    assert ", ".join(sorted(STOPWORDS)) in text
