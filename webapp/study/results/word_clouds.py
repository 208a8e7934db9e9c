"""The words of each persona, as a cloud and as a table (Humanized, Figure 4)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import ImageFont
from wordcloud import STOPWORDS, WordCloud

from webapp.lab.stored_games import remove_digest
from webapp.measures.game_record import GameRecord
from webapp.study.results.figure_rendering import INK, draw_svg
from webapp.study.results.figures import (
    BAR_COLOR,
    MARK_COLOR,
    Drawing,
    describe_rows,
    empty_figure,
    shorten_name,
)
from webapp.study.results.result_table import DASH, ResultTable

KEY = "persona-words"
NO_PERSONA = "no persona"
MAX_WORDS = 30
MAX_CLOUDS = 6  # The personas with the most statements have a cloud.
MIN_CLOUD_STATEMENTS = 6  # A persona with fewer statements has no cloud.
LAYOUT_SEED = 4  # the same words get the same positions
# The library removes "'s" before it looks a word up, so the stop word "let's" must be "let" here.
STOP_WORDS = STOPWORDS | {word.removesuffix("'s") for word in STOPWORDS}
CLOUDS_PER_ROW = 2
WIDTH, HEIGHT = 600, 400  # size of a cloud in pixels of the layout
MIN_FONT_SIZE = 12  # size in pixels of the layout
WORDS_PER_COLOR = 5
MARGIN_IN, TITLE_IN = 0.15, 0.25  # space beside a cloud, and height of its title, in inches
POINTS_PER_IN = 72
FONT = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
COLORS = (MARK_COLOR, BAR_COLOR, INK)  # The most frequent words have the first color.
TITLE = "Words of each persona (Humanized, Figure 4)"


@dataclass(frozen=True)
class PersonaWords:
    """The words of a persona with their counts: at most `MAX_WORDS`, the most frequent first."""

    statement_count: int
    words: Mapping[str, int]


def word_clouds(
    conditions: Mapping[str, Sequence[GameRecord]],
) -> tuple[list[ResultTable], dict[str, Drawing]]:
    """Return the table of words and key -> its figure.

    Both are empty if no persona has MIN_CLOUD_STATEMENTS statements with words.
    """
    all_words = _words_by_persona(conditions)
    frequent = [
        name
        for name, persona in all_words.items()
        if persona.statement_count >= MIN_CLOUD_STATEMENTS and persona.words
    ]
    if set(frequent) <= {NO_PERSONA}:
        return [], {}
    personas = {name: all_words[name] for name in frequent[:MAX_CLOUDS]}
    return [_word_table(personas)], {KEY: partial(_cloud_figure, personas)}


def _words_by_persona(conditions: Mapping[str, Sequence[GameRecord]]) -> dict[str, PersonaWords]:
    """Return persona -> its words over all games, personas with the most statements first.

    Stop words, numbers and the names of the game's players are left out; a plural counts as its
    singular.
    """
    texts: dict[str, list[str]] = {}
    player_names: set[str] = set()
    readable = _readable_names(conditions)
    for game in chain(*conditions.values()):
        for statement in game.statements:
            if statement.seat not in game.people:
                persona = game.personas.get(statement.seat)
                name = readable[persona] if persona else NO_PERSONA
                text = statement.text.replace("’", "'")  # as stop words have it
                texts.setdefault(name, []).append(text)
            player_names.update(part.lower() for part in statement.speaker.split())
    counter = WordCloud(stopwords=STOP_WORDS | player_names, collocations=False, min_word_length=2)
    personas = sorted(texts, key=lambda name: (-len(texts[name]), name))
    words_by_persona = {}
    for name in personas:
        counts = counter.process_text("\n".join(texts[name]))
        # The library keeps the commonest spelling of a word: "Seer" and "seer" are one.
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0].casefold()))
        words = {word.lower(): n for word, n in ordered[:MAX_WORDS]}
        words_by_persona[name] = PersonaWords(len(texts[name]), words)
    return words_by_persona


def _readable_names(conditions: Mapping[str, Sequence[GameRecord]]) -> dict[str, str]:
    """Return persona -> its name for readers.

    A study's own styles have a mark in their names, so that two styles of one name differ. Readers
    see the mark only if neither the name nor the condition distinguishes them.
    """
    conditions_by_persona: dict[str, list[str]] = {}
    for condition, games in conditions.items():
        for persona in sorted({name for game in games for name in game.personas.values()}):
            conditions_by_persona.setdefault(persona, []).append(condition)
    plain_names = {persona: remove_digest(persona) for persona in conditions_by_persona}
    long_names = {
        p: f"{plain_names[p]} ({', '.join(names)})" for p, names in conditions_by_persona.items()
    }
    plain_counts, long_counts = Counter(plain_names.values()), Counter(long_names.values())
    readable = {persona: persona for persona in conditions_by_persona}
    readable |= {p: name for p, name in long_names.items() if long_counts[name] == 1}
    return readable | {p: name for p, name in plain_names.items() if plain_counts[name] == 1}


def _word_table(personas: Mapping[str, PersonaWords]) -> ResultTable:
    """Return the most frequent words of each persona, a column for each."""
    head = ("Rank", *personas)
    table = ResultTable(TITLE, head, len(head), key=KEY, folded=True, figure=KEY)
    table.help = "The most frequent words, each with its count."
    ranked = [[f"{word} {n}" for word, n in persona.words.items()] for persona in personas.values()]
    for rank in range(max(map(len, ranked))):
        cells = (words[rank] if rank < len(words) else DASH for words in ranked)
        table.add(str(rank + 1), *cells)
    table.note(
        *(f"{name}: {persona.statement_count} statements." for name, persona in personas.items()),
        f"Drawn: at most {MAX_CLOUDS} personas, those with the most statements, and none with"
        f" fewer than {MIN_CLOUD_STATEMENTS}. A persona is a character, an own style, or its five"
        " scores. Stop words (docs/metrics.md), numbers and players' names are left out.",
    )
    return table


def _cloud_figure(personas: Mapping[str, PersonaWords]) -> str:
    description = describe_rows(
        (name, [f"{word} {n}" for word, n in persona.words.items()])
        for name, persona in personas.items()
    )
    return draw_svg(_draw_clouds, (personas,), KEY, TITLE, description)


def _draw_clouds(personas: Mapping[str, PersonaWords]) -> Figure:
    row_count = math.ceil(len(personas) / CLOUDS_PER_ROW)
    figure = empty_figure(1)
    cell_width_in = figure.get_figwidth() / CLOUDS_PER_ROW
    cell_height_in = cell_width_in * HEIGHT / WIDTH + TITLE_IN
    figure_height_in = cell_height_in * row_count + TITLE_IN
    figure.set_figheight(figure_height_in)
    cloud_width_in = cell_width_in - MARGIN_IN
    for index, (name, persona) in enumerate(personas.items()):
        row, column = divmod(index, CLOUDS_PER_ROW)
        left_in = cell_width_in * column
        bottom_in = cell_height_in * (row_count - 1 - row)
        box = (  # in shares of the figure
            left_in / figure.get_figwidth(),
            bottom_in / figure_height_in,
            cloud_width_in / figure.get_figwidth(),
            cloud_width_in * HEIGHT / WIDTH / figure_height_in,
        )
        axes = figure.add_axes(box)
        axes.set_title(shorten_name(name, 40), fontsize=9, color=MARK_COLOR)
        _draw_cloud(axes, persona, points_per_pixel=cloud_width_in * POINTS_PER_IN / WIDTH)
    return figure


def _draw_cloud(axes: Axes, persona: PersonaWords, points_per_pixel: float) -> None:
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(HEIGHT, 0)
    for rank, (word, size, x, y) in enumerate(_lay_out_words(persona.words)):
        color = COLORS[min(rank // WORDS_PER_COLOR, len(COLORS) - 1)]
        axes.text(x, y, word, fontsize=size * points_per_pixel, color=color)


def _lay_out_words(words: Mapping[str, int]) -> list[tuple[str, int, float, float]]:
    """Return (word, font size, x, y of the baseline), in pixels, of the words that fit."""
    cloud = WordCloud(
        font_path=str(FONT), width=WIDTH, height=HEIGHT, random_state=LAYOUT_SEED,
        prefer_horizontal=1.0, max_words=MAX_WORDS, min_font_size=MIN_FONT_SIZE,
    ).generate_from_frequencies(words)  # fmt: skip
    placed = []
    for (word, _share), size, (y, x), _turned, _color in cloud.layout_:
        font = ImageFont.truetype(str(FONT), size)
        # The layout places the box of the drawn word. Text is drawn from its origin and baseline.
        left, top, _right, _bottom = font.getbbox(word)
        ascent, _descent = font.getmetrics()
        placed.append((word, int(size), float(x - left), float(y + ascent - top)))
    return placed
